"""The grid: one part a combination of what must be loaded and bound anew, blocks within each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
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
    inner = [a for a in axes if isinstance(a, Numbers)]
    check_size(axes)
    known = lru_cache(maxsize=4096)(load)
    check_ends(axes, known)
    kept = Moves(known, axes)
    while True:
        outer = [a for a in axes if a not in inner]
        parts, stubborn = list[Part](), None
        for index in product(*(range(len(a)) for a in outer)):
            bound, stubborn = kept.part(outer, index, inner)
            if stubborn:
                break
            parts.append(Part(index, bound))
        if stubborn is None:
            follow = {n: t for n, t in FOLLOW.items() if n in kept.followed}
            return Grid(tuple(axes), tuple(outer), tuple(inner), follow, tuple(parts))
        inner.remove(stubborn)


def check_size(axes: Sequence[Axis]) -> None:
    """Refuse what no disk holds."""
    rows = prod(len(a) for a in axes)
    if rows > MOST_ROWS:
        raise too_many(rows, MOST_ROWS)


def check_ends(axes: Sequence[Axis], load: Load) -> None:
    """Every word and every end of a range is loaded once, so that all faults are told together."""
    first = {a.name: f"{a.name}={a.text(0)}" for a in axes}
    problems: dict[tuple[str, str], Problem] = {}  # one of a kind for each axis is enough
    for axis in axes:
        places = axis.probes if isinstance(axis, Numbers) else range(len(axis))
        for place in places:
            try:
                load(tuple({**first, axis.name: f"{axis.name}={axis.text(place)}"}.values()))
            except DeriveError as error:
                for problem in error.problems:
                    problems.setdefault(
                        (problem.code, problem.place.key if problem.place else ""), problem
                    )
    if problems:
        raise DeriveError(problems.values())


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
