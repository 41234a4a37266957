"""The grid: one part a combination of what must be loaded and bound anew, blocks within each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import prod

from derive.errors import DeriveError, Problem
from derive.expression.grammar import parse
from derive.expression.tree import Node
from derive.expression.value import value
from derive.specs.types import Scenario
from derive.study.bind import Bound, bind
from derive.sweep.axes import Axis, Numbers, too_many

MOST_ROWS = 10**10
Load = Callable[[Sequence[str]], Scenario]
# what the binding makes of two inputs, by the rule that it states: everything else that follows an
# axis is bound anew for each of its values
FOLLOW = {"T": parse("T_in + T_out")}
SIZES = ("g", "TP", "PP", "DP", "EP")  # where several are gone over, few combinations fit


@dataclass(frozen=True)
class Part:
    """One combination: the scenario bound, the text that it was loaded with by axis."""

    index: tuple[int, ...]  # on the outer axes
    bound: Bound


@dataclass(frozen=True)
class Grid:
    """Outer axes are loaded value by value, inner ones are arrays; the last varies fastest."""

    axes: tuple[Axis, ...]  # as written
    outer: tuple[Axis, ...]
    inner: tuple[Numbers, ...]
    follow: Mapping[str, Node]
    parts: tuple[Part, ...]
    left_out: int = 0  # points whose sizes make up no layout

    @property
    def rows_of_part(self) -> int:
        """Points of one combination."""
        return prod(len(axis) for axis in self.inner)

    @property
    def rows(self) -> int:
        """Points of the grid."""
        return len(self.parts) * self.rows_of_part


@dataclass(frozen=True)
class Block:
    """A box of the inner axes whose rows follow one another: from and to on each axis."""

    part: int
    spans: tuple[tuple[int, int], ...]

    @property
    def rows(self) -> int:
        """How many points it holds."""
        return prod(stop - start for start, stop in self.spans)


def blocks(grid: Grid, size: int) -> Iterator[Block]:
    """All blocks of about `size` rows, in the order of the rows."""
    lengths = [len(axis) for axis in grid.inner]
    cut, below = 0, 1  # axes after `cut` are whole in every block, those before single
    for number in reversed(range(len(lengths))):
        cut = number
        if below * lengths[number] > size:
            break
        below *= lengths[number]
    chunk = max(1, size // prod(lengths[cut + 1 :])) if lengths else 1
    for part in range(len(grid.parts)):
        for before in product(*(range(n) for n in lengths[:cut])):
            for start in range(0, lengths[cut], chunk) if lengths else [0]:
                single = [(i, i + 1) for i in before]
                along = [(start, min(start + chunk, lengths[cut]))] if lengths else []
                yield Block(part, (*single, *along, *((0, n) for n in lengths[cut + 1 :])))


def grid_of(axes: Sequence[Axis], load: Load) -> Grid:
    """Load and bind every combination; all that is wrong with any in one error."""
    sizes = sizes_of(axes)
    inner = [a for a in axes if isinstance(a, Numbers) and a not in sizes]
    check_size(axes)
    known = lru_cache(maxsize=4096)(load)
    first = check_ends(axes, known, sizes)
    devices = known(tuple(first.values())).devices.quantity.base
    kept = Moves(known, axes)
    while True:
        outer = [a for a in axes if a not in inner]
        parts, stubborn, misfits = list[Part](), None, 0
        for index in product(*(range(len(a)) for a in outer)):
            if not divides(outer, index, devices):  # what need not be loaded to be refused
                misfits += 1
                continue
            try:
                bound, stubborn = kept.part(outer, index, inner)
            except DeriveError as error:
                if not (sizes and misfit(error)):
                    raise
                misfits += 1
                continue
            if stubborn:
                break
            parts.append(Part(index, bound))
        if stubborn is None:
            follow = {n: t for n, t in FOLLOW.items() if n in kept.followed}
            left = misfits * prod(len(axis) for axis in inner)
            return Grid(tuple(axes), tuple(outer), tuple(inner), follow, tuple(parts), left)
        inner.remove(stubborn)


def sizes_of(axes: Sequence[Axis]) -> list[Axis]:
    """The axes whose values must fit each other: sizes of a layout, where there are several."""
    found = [a for a in axes if isinstance(a, Numbers) and a.symbol in SIZES]
    return list[Axis](found) if len(found) > 1 else []


def divides(outer: Sequence[Axis], index: Sequence[int], devices: Fraction) -> bool:
    """Whether TP, PP and DP of a combination can be factors of its devices."""
    at = {a.symbol: a.exact(i) for a, i in zip(outer, index, strict=True) if isinstance(a, Numbers)}
    product = prod((at.get(name, Fraction(1)) for name in ("TP", "PP", "DP")), start=Fraction(1))
    if not sizes_of(outer) or product.denominator != 1:  # a part of a device is refused in full
        return True
    return at.get("g", devices) % product == 0


def misfit(error: DeriveError) -> bool:
    """Whether nothing is wrong but sizes that make up no layout."""
    return all(problem.code == "S310" for problem in error.problems)


def fitting(axes: Sequence[Axis], load: Load, sizes: Sequence[Axis]) -> dict[str, str]:
    """The first value of every axis, of sizes the first that fit; else the first error."""
    texts, refused = {a.name: a.text(0) for a in axes}, list[DeriveError]()
    for index in product(*(range(len(a)) for a in sizes)):
        texts |= {a.name: a.text(i) for a, i in zip(sizes, index, strict=True)}
        made = {name: f"{name}={text}" for name, text in texts.items()}
        try:
            load(tuple(made.values()))
        except DeriveError as error:
            if sizes and misfit(error):
                refused.append(error)
                continue
        return made
    raise refused[0]


def check_size(axes: Sequence[Axis]) -> None:
    """Refuse what no disk holds."""
    rows = prod(len(a) for a in axes)
    if rows > MOST_ROWS:
        raise too_many(rows, MOST_ROWS)


def check_ends(axes: Sequence[Axis], load: Load, sizes: Sequence[Axis]) -> dict[str, str]:
    """Load every word and every end of a range once, so that all faults are told together.

    The answer is the first values that fit.
    """
    first = fitting(axes, load, sizes)
    problems: dict[tuple[str, str], Problem] = {}  # one of a kind for each axis is enough
    for axis in axes:
        places = axis.probes if isinstance(axis, Numbers) else range(len(axis))
        for place in places:
            try:
                load(tuple({**first, axis.name: f"{axis.name}={axis.text(place)}"}.values()))
            except DeriveError as error:
                if sizes and misfit(error):
                    continue
                for problem in error.problems:
                    problems.setdefault(
                        (problem.code, problem.place.key if problem.place else ""), problem
                    )
    if problems:
        raise DeriveError(problems.values())
    return first


class Moves:
    """What the binding does along each axis, asked at its first, second, middle and last values."""

    def __init__(self, load: Load, axes: Sequence[Axis]) -> None:
        self.load, self.axes = load, axes
        self.followed = set[str]()
        self.asked = False

    def part(
        self, outer: Sequence[Axis], index: Sequence[int], inner: Sequence[Numbers]
    ) -> tuple[Bound, Numbers | None]:
        """One combination, or the axis that cannot be an array because other inputs follow it."""
        at = dict(zip((a.name for a in outer), index, strict=True))
        first = self.bound({**at, **{a.name: 0 for a in inner}})
        if not inner:
            return first, None
        last = self.bound({**at, **{a.name: len(a) - 1 for a in inner}})
        if self.asked and self.plain(first, last, inner):
            return first, None
        for axis in inner:
            for place in axis.probes[1:]:
                there = self.bound({**at, **{a.name: 0 for a in inner}, axis.name: place})
                if not self.plain(first, there, [axis]):
                    return first, axis
        self.asked = True
        return (first, None) if self.plain(first, last, inner) else (first, inner[-1])

    def bound(self, places: Mapping[str, int]) -> Bound:
        """The scenario at one value of each axis."""
        return bind(self.load(tuple(f"{a.name}={a.text(places[a.name])}" for a in self.axes)))

    def plain(self, one: Bound, other: Bound, moved: Sequence[Numbers]) -> bool:
        """Whether nothing but the axes changed, and what follows by a stated rule."""
        a, b = one.typical.given, other.typical.given
        if a.keys() != b.keys() or one.variants != other.variants or one.derived != other.derived:
            return False
        names = {axis.symbol for axis in moved}
        changed = {n for n in a if a[n] != b[n]} - names
        for name in changed:
            if name not in FOLLOW or any(g[name] != value(FOLLOW[name], g.__getitem__)
                                         for g in (a, b)):  # fmt: skip
                return False
        self.followed |= changed
        return True


def settings(grid: Grid, part: Part) -> dict[str, str]:
    """What a combination was loaded with, by axis."""
    return {a.name: a.text(i) for a, i in zip(grid.outer, part.index, strict=True)}
