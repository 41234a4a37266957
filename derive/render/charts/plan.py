"""The layout of one panel, in pixels from the top left corner of its plot area."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from derive.render.charts.figure import Axis, Item, Panel
from derive.render.charts.place import (
    UNPLACED,
    Board,
    Box,
    Candidate,
    Spot,
    along,
    around,
    arrange,
    clipped,
)
from derive.render.charts.scale import Scale
from derive.render.charts.words import LEADING, TICK, Mode, Words, width, words

GAP = 5.0  # between the plot area and what stands around it
ASIDE = 10.0  # between a guide and a name that stands beside its end
CLEAR = 2.0  # between a guide's end and its name
MARKER = 5.0  # half of a point's marker with its rim
LABEL = 170.0  # the longest line of a label
WIDTHS = (1.0, 0.6)  # shares of it: a narrower label where the wide one stands badly
GOOD = 36.0  # the cost up to which a label's place needs no improvement
ROOM = (0.08, 0.16)  # shares of an axis that may be added to it
MOST_LABELS, MOST_ABOVE = 40, 16  # inside and above one panel; more could not be told apart
Ticks = list[tuple[float, str]]


@dataclass(frozen=True)
class Placed:
    """A label with its place."""

    item: Item
    words: Words
    where: Candidate


@dataclass
class Plan:
    """Everything of one panel that has a place."""

    panel: Panel
    x: Scale
    y: Scale
    across: Ticks
    up: Ticks
    paths: list[tuple[Item, list[list[Spot]]]]
    labels: list[Placed]
    stems: dict[int, float]  # guide (by its place among the items) to the height above the plot
    left_over: list[Item]  # whose labels found no place: they go into the key
    worst: float = 0.0  # the dearest place of a label inside the plot area

    @property
    def head(self) -> float:
        """The space that labels above the plot area take."""
        return max((-p.where.box.top for p in self.labels), default=0.0)

    def spot(self, at: tuple[float, ...]) -> Spot:
        """The pixel of a point."""
        return self.x.at(at[0]), self.y.at(at[1])


def plan(
    panel: Panel,
    size: tuple[float, float],
    margins: tuple[float, float],
    mode: Mode,
    named: set[str],
) -> Plan:
    """Place the labels of a panel; guides and bands in `named` carry theirs elsewhere.

    Where a label stands badly, the vertical axis gets more room at its upper end.
    """
    best: Plan | None = None
    for y in heights(panel):
        one = _plan(replace(panel, y=y), size, margins, mode, named)
        if best is None or one.worst < best.worst:
            best = one
        if best.worst <= GOOD:
            break
    assert best is not None
    return best


def heights(panel: Panel) -> list[Axis]:
    """The vertical axes that may be tried."""
    return [panel.y, *(panel.y.stretched(share) for share in ROOM)]


def up(axis: Axis, high: float) -> Ticks:
    """The ticks of a vertical axis."""
    return Scale(axis, high, rising=True).ticks(lambda _: 2.2 * TICK)


def across(axis: Axis, wide: float) -> Ticks:
    """The ticks of a horizontal axis."""
    return Scale(axis, wide).ticks(lambda text: width(text, TICK) + 14)


def _plan(
    panel: Panel,
    size: tuple[float, float],
    margins: tuple[float, float],
    mode: Mode,
    named: set[str],
) -> Plan:
    wide, high = size
    x, y = Scale(panel.x, wide), Scale(panel.y, high, rising=True)
    area = Box(0, 0, wide, high)
    result = Plan(panel, x, y, across(panel.x, wide), up(panel.y, high), [], [], {}, [])
    for item in panel.of("line"):
        line = [result.spot(at) for at in item.at]
        result.paths.append((item, [_thinned(p) for p in clipped(line, area)]))
    _above(result, mode, margins, named)
    _inside(result, mode)
    return result


def _thinned(line: list[Spot]) -> list[Spot]:
    """Without the corners that no one could see."""
    kept = line[:1]
    for spot in line[1:-1]:
        if math.dist(kept[-1], spot) >= 0.7:
            kept.append(spot)
    return kept + line[-1:]


def named_above(panel: Panel) -> list[Item]:
    """The bands and vertical guides that have a name."""
    guides = [i for i in panel.of("mark") if i.axis == "x"]
    return [i for i in panel.of("band") + guides if i.label]


def _above(result: Plan, mode: Mode, margins: tuple[float, float], named: set[str]) -> None:
    """Names of vertical guides and of bands stand above the plot area, where no line runs."""
    left, right = margins
    board = Board(Box(-left, -400, result.x.length + right, -GAP))
    board.taken += [Box(-left, at - TICK, -1, at + TICK) for at, _ in result.up]
    items = [i for i in named_above(result.panel) if i.id not in named]
    result.left_over += items[MOST_ABOVE:]
    del items[MOST_ABOVE:]
    texts = [words(item.label, mode, LABEL) for item in items]
    wanted = []
    for item, text in zip(items, texts, strict=True):
        ends = [min(max(result.x.at(v), 0.0), result.x.length) for v in item.at[0]]
        wanted.append(board.usable(_flags(min(ends), max(ends), text, item.kind == "mark"), -1))
    found = arrange(wanted)
    for item, text, place in zip(items, texts, found, strict=True):
        _keep(result, item, text, place)
        if place and item.kind == "mark":
            result.stems[result.panel.items.index(item)] = -place.box.bottom - CLEAR


def _keep(result: Plan, item: Item, text: Words, place: Candidate | None) -> None:
    if place:
        result.labels.append(Placed(item, text, place))
    else:
        result.left_over.append(item)


def _flags(start: float, end: float, text: Words, stem: bool) -> list[Candidate]:
    """Places above a stretch of the upper edge: centred, flush with either end; then higher."""
    found, middle = [], (start + end) / 2
    for row in range(20):
        bottom = -GAP - row * LEADING / 2
        line = (Box(middle - 2, bottom - 1, middle + 2, -GAP),) if stem else ()
        inner = 3.0 if stem else 0.0
        places = [(0, middle - text.width / 2), (1, start - inner), (-1, end + inner - text.width)]
        if stem:  # beside it: two guides may stand close to one another
            places += [(1, start + ASIDE), (-1, end - ASIDE - text.width)]
        for rank, (side, left) in enumerate(places):
            box = Box(left, bottom - text.height, left + text.width, bottom)
            near = box.near((middle, bottom))  # a band is as wide as it is: no line ties its name
            beads = line if row or rank < 3 else ()  # two names may flank guides that coincide
            found.append(Candidate(box, near, side, row * LEADING / 2 + rank * 3, beads))
    return found


def _inside(result: Plan, mode: Mode) -> None:
    """Names of points, of horizontal guides and of lines stand beside them."""
    wide, high = result.x.length, result.y.length
    board = Board(Box(3, 3, wide - 3, high - 3))
    guides = result.panel.of("mark")
    for owner, item in enumerate(guides):
        board.draw(_guide(result, item), owner)
    for owner, (_, pieces) in enumerate(result.paths, len(guides)):
        for piece in pieces:
            board.draw(piece, owner)
    points = [(i, result.spot(i.at[0])) for i in result.panel.of("point")]
    board.taken += [
        Box(px - half, py - half, px + half, py + half)
        for half, (px, py) in ((MARKER * item.size, spot) for item, spot in points)
    ]
    most = min(LABEL, wide / 2)
    wanted: list[tuple[Item, int, list[Spot]]] = [(i, -1, [spot]) for i, spot in points]
    wanted += [(i, n, _guide(result, i)) for n, i in enumerate(guides) if i.axis == "y"]
    wanted += [
        (i, n, [s for piece in pieces for s in piece])
        for n, (i, pieces) in enumerate(result.paths, len(guides))
    ]
    wanted = [(item, owner, line) for item, owner, line in wanted if item.label]
    result.left_over += [item for item, _, _ in wanted[MOST_LABELS:]]
    del wanted[MOST_LABELS:]
    texts, places = [], []
    for item, owner, line in wanted:
        tried: list[tuple[Words, list[Candidate]]] = []
        for share in WIDTHS:
            text = words(item.label, mode, most * share)
            near = (
                _unmistakable(
                    around(
                        line[0], text.width, text.height, radius=MARKER * max(0.0, item.size - 1)
                    ),
                    [s for _, s in points],
                )
                if item.kind == "point"
                else along(line, text.width, text.height)
            )
            tried.append((text, board.usable(near, owner)))
            if tried[-1][1] and tried[-1][1][0].cost <= GOOD:
                break
        text, found = min(tried, key=lambda one: one[1][0].cost if one[1] else UNPLACED)
        texts.append(text)
        places.append(found)
    for (item, _, _), text, place in zip(wanted, texts, arrange(places), strict=True):
        _keep(result, item, text, place)
        result.worst = max(result.worst, place.cost if place else UNPLACED)


def _unmistakable(places: Iterable[Candidate], points: list[Spot]) -> Iterator[Candidate]:
    """Places of a point's label, dearer where another point is about as near."""
    for place in places:
        own = math.dist(place.box.near(place.anchor), place.anchor)
        rivals = sum(math.dist(place.box.near(p), p) < own + 6 for p in points) - 1
        yield replace(place, cost=place.cost + 15 * max(0, rivals))


def _guide(result: Plan, item: Item) -> list[Spot]:
    """A guide's line across the plot area."""
    if item.axis == "x":
        at = result.x.at(item.at[0][0])
        return [(at, 0.0), (at, result.y.length)]
    at = result.y.at(item.at[0][0])
    return [(0.0, at), (result.x.length, at)]
