"""Where labels stand: never on one another, on a point or outside; off the lines where possible."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import accumulate, islice, pairwise

Spot = tuple[float, float]
CELL = 4.0  # pixels of one cell of the record of drawn lines
LEADER = 15.0  # a label farther than this from its thing is tied to it by a thin line
AIR, BESIDE = 5.0, 7.0  # between two labels: one above the other, side by side
BEAM, BRANCHES = 24, 8  # arrangements kept, places tried for each further label
UNPLACED = 400.0  # the cost of a label that goes into the key
OFF_LINES = (8.0, 14.0, 25.0, 40.0)  # of labels beside lines, which are broad and may be dashed
RINGS = (6.0, 13.0, 24.0, 40.0, 60.0, 84.0, 112.0)
SIDES = ((1, 0), (1, 1), (1, -1), (-1, -1), (-1, 1), (-1, 0), (0, -1), (0, 1))


@dataclass(frozen=True)
class Box:
    """An upright rectangle, y downwards."""

    left: float
    top: float
    right: float
    bottom: float

    def hits(self, other: Box) -> bool:
        """Whether both share area."""
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )

    def within(self, other: Box) -> bool:
        """Whether it lies wholly inside."""
        return (
            self.left >= other.left
            and self.right <= other.right
            and self.top >= other.top
            and self.bottom <= other.bottom
        )

    def near(self, spot: Spot) -> Spot:
        """Its closest place to a spot."""
        return (min(max(spot[0], self.left), self.right), min(max(spot[1], self.top), self.bottom))

    def grown(self, x: float, y: float) -> Box:
        """With a margin at the sides, and one above and below."""
        return Box(self.left - x, self.top - y, self.right + x, self.bottom + y)

    def moved(self, x: float, y: float) -> Box:
        """Shifted."""
        return Box(self.left + x, self.top + y, self.right + x, self.bottom + y)


@dataclass(frozen=True)
class Candidate:
    """One possible place of a label; `side` is -1, 0, 1 where its text ends, centres, starts.

    `beads` cover the thin line that ties it to its thing.
    """

    box: Box
    anchor: Spot
    side: int
    cost: float
    beads: tuple[Box, ...] = ()

    def meets(self, other: Candidate) -> bool:
        """Whether two labels, or a label and the other's tie, or both ties, would touch."""
        mine, theirs = self.box.grown(BESIDE, AIR), other.box.grown(BESIDE, AIR)
        return (
            mine.hits(other.box)
            or any(map(mine.hits, other.beads))
            or any(map(theirs.hits, self.beads))
            or any(one.hits(bead) for one in self.beads for bead in other.beads)
        )


@dataclass
class Board:
    """What is taken, and where lines run."""

    bounds: Box
    taken: list[Box] = field(default_factory=list)
    ink: dict[tuple[int, int], set[int]] = field(default_factory=dict)

    def draw(self, line: Iterable[Spot], owner: int) -> None:
        """Remember a line, so that labels keep off it."""
        for x, y in walked(line, CELL / 2):
            self.ink.setdefault((int(x // CELL), int(y // CELL)), set()).add(owner)

    def usable(self, candidates: Iterable[Candidate], owner: int) -> list[Candidate]:
        """The candidates that are free of what is taken, cheapest first, lines considered."""
        free = [
            c
            for c in candidates
            if c.box.within(self.bounds)
            and not any(taken.hits(box) for taken in self.taken for box in (c.box, *c.beads))
        ]
        own = self._count(lambda owners: owner in owners)
        others = self._count(lambda owners: len(owners) > (owner in owners))
        dear = [
            replace(
                c,
                cost=c.cost
                + 12 * own(c.box)
                + 22 * others(c.box)
                + 2 * others(c.box.grown(CELL, CELL)),
            )
            for c in free
        ]
        return sorted(dear, key=lambda c: c.cost)

    def _count(self, which: Callable[[set[int]], bool]) -> Callable[[Box], int]:
        """How many cells with some lines a box covers, by sums over all cells up to a corner."""
        cells = [cell for cell, owners in self.ink.items() if which(owners)]
        if not cells:
            return lambda _: 0
        wide, high = (max(cell[axis] for cell in cells) + 2 for axis in (0, 1))
        rows = [[0] * wide for _ in range(high)]
        for i, j in cells:
            rows[j + 1][i + 1] = 1
        sums = rows[:1]
        for row in rows[1:]:
            sums.append(
                [above + here for above, here in zip(sums[-1], accumulate(row), strict=True)]
            )

        def covered(box: Box) -> int:
            left, right = (
                min(max(int(x // CELL), 0), wide - 1) for x in (box.left, box.right + CELL)
            )
            top, bottom = (
                min(max(int(y // CELL), 0), high - 1) for y in (box.top, box.bottom + CELL)
            )
            return sums[bottom][right] - sums[top][right] - sums[bottom][left] + sums[top][left]

        return covered


def arrange(wanted: list[list[Candidate]]) -> list[Candidate | None]:
    """One place for each label, together as cheap as a beam search finds; None: no place."""
    states: list[tuple[float, tuple[Candidate | None, ...]]] = [(0.0, ())]
    for candidates in wanted:
        grown: list[tuple[float, tuple[Candidate | None, ...]]] = []
        for cost, chosen in states:
            grown.append((cost + UNPLACED, (*chosen, None)))
            placed = [c for c in chosen if c]
            fitting = (c for c in candidates if not any(c.meets(other) for other in placed))
            grown += [(cost + c.cost, (*chosen, c)) for c in islice(fitting, BRANCHES)]
        states = sorted(grown, key=lambda state: state[0])[:BEAM]
    return list(states[0][1])


def tie(box: Box, anchor: Spot) -> tuple[Spot, Spot] | None:
    """The thin line from a thing's edge to its label, where that is far."""
    near = box.near(anchor)
    away = math.dist(near, anchor)
    if away < LEADER:
        return None
    (x, y), share = anchor, 7 / away
    return (x + (near[0] - x) * share, y + (near[1] - y) * share), near


def beads(line: Iterable[Spot]) -> tuple[Box, ...]:
    """Small boxes along a line."""
    return tuple(Box(x - 1, y - 1, x + 1, y + 1) for x, y in walked(line, 3))


def around(
    spot: Spot, width: float, height: float, cost: float = 0.0, rings: Iterable[float] = RINGS,
    radius: float = 0.0,
) -> Iterator[Candidate]:  # fmt: skip
    """Places on eight sides of a spot, from close to far; of a large one from its edge on."""
    for ring in rings:
        for rank, (dx, dy) in enumerate(SIDES):
            x, y = anchor = (spot[0] + dx * radius, spot[1] + dy * radius)
            away = max(CELL + 1, ring * 0.75) if dx and dy else ring
            cx, cy = x + dx * (away + width / 2), y + dy * (away + height / 2)
            box = Box(cx - width / 2, cy - height / 2, cx + width / 2, cy + height / 2)
            ends = tie(box, anchor)
            yield Candidate(
                box,
                anchor,
                dx,
                cost + rank * 0.5 + (ring - RINGS[0]) * 1.5,
                beads(ends)[:-1] if ends else (),
            )


def along(line: list[Spot], width: float, height: float) -> Iterator[Candidate]:
    """Places beside a line; the later ones along it are a little cheaper."""
    spots = list(walked(line, 12))
    spots = spots[:: len(spots) // 40 + 1]
    for index, spot in enumerate(spots):
        early = 8 * (1 - index / max(1, len(spots) - 1))
        yield from around(spot, width, height, early, OFF_LINES)


def walked(line: Iterable[Spot], step: float) -> Iterator[Spot]:
    """Spots at most `step` apart along a line, its corners among them."""
    corners = list(line)
    yield from corners[:1]
    for (x0, y0), (x1, y1) in pairwise(corners):
        count = max(1, math.ceil(math.dist((x0, y0), (x1, y1)) / step))
        for i in range(1, count + 1):
            yield x0 + (x1 - x0) * i / count, y0 + (y1 - y0) * i / count


def clipped(line: list[Spot], box: Box) -> list[list[Spot]]:
    """The parts of a line inside a box."""
    pieces: list[list[Spot]] = []
    for start, end in pairwise(line):
        part = _segment(start, end, box)
        if part is None:
            continue
        if pieces and math.dist(pieces[-1][-1], part[0]) < 1e-6:
            pieces[-1].append(part[1])
        else:
            pieces.append(list(part))
    return pieces


def _segment(start: Spot, end: Spot, box: Box) -> tuple[Spot, Spot] | None:
    """Liang and Barsky's cut of one segment."""
    (x, y), (dx, dy) = start, (end[0] - start[0], end[1] - start[1])
    enter, leave = 0.0, 1.0
    for step, room in (
        (-dx, x - box.left),
        (dx, box.right - x),
        (-dy, y - box.top),
        (dy, box.bottom - y),
    ):
        if step == 0:
            if room < 0:
                return None
        elif step < 0:
            enter = max(enter, room / step)
        else:
            leave = min(leave, room / step)
    if enter > leave:
        return None
    return (x + enter * dx, y + enter * dy), (x + leave * dx, y + leave * dy)
