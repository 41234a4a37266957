"""A quantity of the catalogue at given intervals: exact ends, and what else it depends on."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache

from derive.audit.fields.quantities import (
    ACTIVE_READ,
    DEFAULTS,
    LOCAL_CONSTANTS,
    STANDS,
    Stand,
    aliased,
    local_unit,
)
from derive.audit.interval import Interval
from derive.derivation.points import Absent, Point
from derive.expression.dimension import dimension
from derive.expression.tree import Name, Node
from derive.expression.value import value
from derive.formula import catalogue, unit_of
from derive.notation import SYMBOLS
from derive.units import Dimension, Unit

MOST_CORNERS = 6  # inputs whose every combination of ends is evaluated; beyond, one end each
DRAWS = 3


class Missing(Exception):
    """The value depends on inputs that are not given."""

    def __init__(self, names: tuple[str, ...]) -> None:
        super().__init__(", ".join(names))
        self.names = names


class ClaimPoint(Point):
    """A point at what a claim gives; what it does not give is taken from STANDS or drawn."""

    def __init__(self, given: Mapping[str, Fraction], draw: int = 0) -> None:
        super().__init__(given)
        self.draw = draw
        self.drawn: dict[str, Fraction] = {}
        self.stood: dict[str, Stand] = {}
        self.asked: set[str] = set()

    def get(self, name: str) -> Fraction:
        """As a point does; notes which of the given inputs are used."""
        if name in self.given:
            self.asked.add(name)
        return super().get(name)

    def compute(self, name: str) -> Fraction:
        """A stand-in where its inputs are given, then the catalogue, then a default or a draw."""
        if stand := self.standing(name):
            self.stood[name] = stand
            return self.value(stand.tree)
        if name in LOCAL_CONSTANTS:
            return Fraction(LOCAL_CONSTANTS[name])
        if name in catalogue():
            return super().compute(name)
        if (tree := aliased(name)) is not None:
            return self.value(tree)
        if name in DEFAULTS:
            return DEFAULTS[name] * unit_of(name).factor
        if name == "N_act":  # dense unless it is said
            return self.get("N")
        if name == "d_head" and self.standing("H_kv") and "H_kv" not in self.given:
            return Fraction(1)  # only the product of both is known
        if name not in SYMBOLS or name in ("MFU", "MBU"):
            raise Absent(name)
        return self.random(name)

    def standing(self, name: str) -> Stand | None:
        """What stands for an input; nothing for what the catalogue can compute from the given."""
        if name == "W_read" and not {"W", "W_read"} & self.given.keys():
            one = all(self.given.get(k, Fraction(1)) == 1 for k in ("b", "n"))
            apart = set(ACTIVE_READ.needs) <= self.given.keys()
            if one and apart and self.given["N"] > self.given["N_act"] and "E" not in self.given:
                return ACTIVE_READ
        for stand in STANDS:
            if stand.name == name and all(n in self.given for n in stand.needs):
                return stand
        return None

    def random(self, name: str) -> Fraction:
        """A value out of a symbol's range, the same for the same draw."""
        if name not in self.drawn:
            low, high = SYMBOLS[name].range
            drawn = random.Random(f"{name}/{self.draw}")  # noqa: S311  no secret
            self.drawn[name] = Fraction(f"{low * (high / low) ** drawn.random():.4g}")
        return self.drawn[name]


@dataclass(frozen=True)
class Found:
    """An evaluated quantity: what it may be, its value at the given numbers, what it rests on."""

    interval: Interval
    middle: Fraction
    stood: tuple[Stand, ...] = ()
    asked: frozenset[str] = field(default_factory=frozenset)


def at(tree: Node, given: Mapping[str, Fraction], draw: int = 0) -> tuple[Fraction, ClaimPoint]:
    """The value of a tree at exact inputs."""
    point = ClaimPoint(given, draw)
    try:
        return value(tree, point.get), point
    except ZeroDivisionError:
        raise Missing(()) from None


def evaluate(tree: Node, given: Mapping[str, Interval]) -> Found:
    """The interval of a tree over the intervals of its inputs.

    Each input acts in one direction over so small a range, so the ends suffice. An input that is
    not given may be anything as long as the value does not depend on it; else Missing.
    """
    middles = {k: v.middle for k, v in given.items()}
    try:
        middle, point = at(tree, middles)
    except Absent as absent:
        raise Missing((absent.name,)) from None
    if point.drawn and any(at(tree, middles, d)[0] != middle for d in range(1, DRAWS)):
        raise Missing(
            tuple(n for n in point.drawn if depends(tree, middles, n)) or tuple(point.drawn)
        )
    wide = [n for n, v in given.items() if n in point.asked and v.low != v.high]
    ends = [at(tree, {**middles, **corner})[0] for corner in corners(tree, wide, middles, given)]
    span = Interval(min([middle, *ends]), max([middle, *ends]))
    return Found(span, middle, tuple(point.stood.values()), frozenset(point.asked))


def evaluate_ratio(
    tree: Node, before: Mapping[str, Interval], after: Mapping[str, Interval]
) -> Found:
    """A tree after a change over before it; what stays the same is the same in both."""
    changed = {f"{n}'": v for n, v in after.items() if v != before[n]}
    every = {**before, **changed}

    def quotient(ends: Mapping[str, Fraction], draw: int = 0) -> tuple[Fraction, ClaimPoint]:
        first = {n: ends[n] for n in before}
        second = {n: ends.get(f"{n}'", ends[n]) for n in before}
        (low, point), (high, _) = at(tree, first, draw), at(tree, second, draw)
        if not low:
            raise Missing(())
        return high / low, point

    middles = {k: v.middle for k, v in every.items()}
    try:
        middle, point = quotient(middles)
        if point.drawn and any(quotient(middles, d)[0] != middle for d in range(1, DRAWS)):
            raise Missing(tuple(point.drawn))
    except Absent as absent:
        raise Missing((absent.name,)) from None
    wide = [n for n, v in every.items() if v.low != v.high and n.rstrip("'") in point.asked]
    ends = [
        quotient({**middles, **dict(zip(wide, chosen, strict=True))})[0]
        for chosen in itertools.product(
            *((every[n].low, every[n].high) for n in wide[:MOST_CORNERS]),
            *((every[n].middle,) for n in wide[MOST_CORNERS:]),
        )
    ]
    span = Interval(min([middle, *ends]), max([middle, *ends]))
    return Found(span, middle, tuple(point.stood.values()), frozenset(point.asked))


def depends(tree: Node, middles: Mapping[str, Fraction], name: str) -> bool:
    """Whether a value that is not given changes the result."""
    tried = {ClaimPoint({}, d).random(name) for d in range(DRAWS)}
    return len({at(tree, {**middles, name: v})[0] for v in tried}) > 1


def corners(
    tree: Node, wide: list[str], middles: Mapping[str, Fraction], given: Mapping[str, Interval]
) -> Iterator[dict[str, Fraction]]:
    """Assignments of ends at which the least and the greatest value lie."""
    if len(wide) <= MOST_CORNERS:
        for ends in itertools.product(*((given[n].low, given[n].high) for n in wide)):
            yield dict(zip(wide, ends, strict=True))
        return
    low, high = {}, {}
    for name in wide:
        span = given[name]
        below, above = (at(tree, {**middles, name: end})[0] for end in (span.low, span.high))
        rising = below <= above
        low[name], high[name] = (span.low, span.high) if rising else (span.high, span.low)
    yield low
    yield high


@lru_cache(maxsize=4096)
def claim_unit(name: str) -> Unit:
    """The unit of a name that a claim may use; DeriveError where there is none."""
    local = local_unit(name)
    if local is not None:
        return local
    tree = aliased(name)
    if tree is not None:
        return tree_dimension(tree).unit if not isinstance(tree, Name) else claim_unit(tree.id)
    catalogue()
    return unit_of(name)


def tree_dimension(tree: Node, text: str = "") -> Dimension:
    """What an expression over claim names measures."""
    return dimension(tree, lambda name: claim_unit(name).dimension, text)
