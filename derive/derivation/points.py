"""Exact evaluation of formulas: at a scenario's values, and at random points for proofs."""

from __future__ import annotations

import random
from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property

from derive.derivation.crossing import Crossing, search
from derive.derivation.stored import crossings, trees
from derive.expression.tree import Node
from derive.expression.value import value
from derive.formula import Condition, Formula, catalogue, never_meets, stays_apart, unit_of
from derive.notation import CONSTANTS, SYMBOLS
from derive.text import Text, tr
from derive.units import Quantity, Unit


class Absent(Exception):
    """An input is not given; `name` says which."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


class Undefined(Exception):
    """The quantity does not exist here; `why` says it in both languages."""

    def __init__(self, why: Text) -> None:
        super().__init__(why.en)
        self.why = why


class Point:
    """One assignment of inputs; every formula has at most one value there."""

    def __init__(self, given: Mapping[str, Fraction]) -> None:
        self.given = dict(given)
        self.memo: dict[str, Fraction | Exception] = {}

    def get(self, name: str) -> Fraction:
        """The value of a symbol, constant or formula in base units; Absent or Undefined."""
        if name in self.given:
            return self.given[name]
        if name in CONSTANTS:
            return CONSTANTS[name].value.base
        if name not in self.memo:
            try:
                self.memo[name] = self.compute(name)
            except (Absent, Undefined) as missing:
                self.memo[name] = missing
        found = self.memo[name]
        if isinstance(found, Exception):
            raise found
        return found

    def compute(self, name: str) -> Fraction:
        """Evaluate one formula."""
        found = catalogue().get(name)
        if found is None:
            raise Absent(name)
        if found.switch:
            self.get(found.switch)
        if found.exists and not self.holds(found.exists):
            raise Undefined(self.lacking(found, found.exists))
        if found.tree is not None:  # nothing to solve: no algebra, no cache
            return self.value(found.tree)
        if name in crossings():
            return self.neighbours(crossings()[name], found)[0]
        result = self.solution(found) if found.solve else self.value(trees()[name])
        if found.largest and result < 1:
            raise Undefined(not_even_one(found.largest[2]))
        return result

    def solution(self, found: Formula) -> Fraction:
        """Where two sides meet, by the tree that algebra found; parallel sides meet nowhere."""
        try:
            result = value(trees()[found.id], self.get)
        except ZeroDivisionError:
            raise Undefined(never_meets(found)) from None
        if result <= 0:
            raise Undefined(never_meets(found))
        return result

    def lacking(self, found: Formula, exists: Condition) -> Text:
        """Why a formula has no value here, where its condition of existence does not hold."""
        try:
            if found.otherwise and self.holds(found.otherwise):
                return found.otherwise.meaning
        except (Absent, Undefined):
            pass
        return exists.meaning

    def value(self, tree: Node) -> Fraction:
        """The value of a tree over this point's symbols."""
        try:
            return value(tree, self.get)
        except ZeroDivisionError:
            raise Undefined(tr("a divisor is zero")) from None
        except OverflowError:
            raise Undefined(tr("a power is too long a number")) from None

    def neighbours(self, crossing: Crossing, made: Formula) -> tuple[Fraction, ...]:
        """The whole value that is asked for, and the one beside it on the other side.

        Where 1 is the smallest that meets a target there is none beside it.
        """

        def meets(number: int) -> bool:
            here = self.with_(**{crossing.variable: Fraction(number)})
            left, right = here.value(crossing.left), here.value(crossing.right)
            return left <= right if crossing.at_most else left >= right

        if crossing.largest and not meets(1):
            raise Undefined(not_even_one(crossing.variable))
        if crossing.smallest and meets(1):
            return (Fraction(1),)  # there is no smaller one
        farthest = FARTHEST.get(crossing.variable, 2**30)
        found = search(meets, farthest)
        if found is None:
            symbol, last = crossing.variable, f"{farthest:,}"
            if crossing.smallest:
                raise Undefined(no_count(last))
            if crossing.largest and symbol == "T_chunk":
                raise Undefined(tr("every chunk up to {last} tokens meets the target", last=last))
            if symbol == "b" and (crossing.largest or "I_ridge" in made.uses):
                raise Undefined(no_batch(last, start=meets(1), largest=crossing.largest))
            if crossing.largest:
                raise Undefined(tr("every input up to {last} tokens meets the target", last=last))
            raise Undefined(stays_apart(made, last, above=meets(1)))
        low, high = found
        return (Fraction(low), Fraction(high)) if meets(low) else (Fraction(high), Fraction(low))

    def holds(self, condition: Condition) -> bool:
        """Whether a comparison is true here."""
        left, sign, right = condition.parts
        a, b = self.value(left), self.value(right)
        return {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[sign]

    def quantity(self, name: str) -> Quantity:
        """The value in its contract unit."""
        return in_contract(self.get(name), unit_of(name))

    def with_(self, **changed: Fraction) -> Point:
        """Another point with some values changed."""
        return Point({**self.given, **changed})


def not_even_one(variable: str) -> Text:
    """Why no whole value meets a target."""
    if variable == "b":
        return tr("not even one request meets the target")
    if variable == "T_chunk":
        return tr("not even a chunk of one token meets the target")
    return tr("not even a prompt of one token meets the target")


def no_batch(last: str, *, start: bool, largest: bool) -> Text:
    """Why a search for a batch finds none."""
    if largest:
        return tr("every batch up to {last} requests meets the target", last=last)
    if start:
        return tr("a single request already reaches the ridge")
    return tr("above {last} requests, where the search ends", last=last)


def no_count(last: str) -> Text:
    """Why no number of devices meets a target."""
    return tr(
        "not even {last} devices meet the target: what every device reads for itself does not "
        "shrink with their number",
        last=last,
    )


def in_contract(base: Fraction, contract: Unit) -> Quantity:
    """A base value in a contract unit."""
    return Quantity(base / contract.factor, contract)


# beyond any batch, prompt and replica; powers of the experts' shares grow with the first two
FARTHEST = {"b": 2**17, "T_in": 2**17, "g": 2**20}
WHOLE = {
    "L",
    "L_exp",
    "L_draft",
    "H_q",
    "H_kv",
    "g",
    "g_tp",
    "N_par",
    "N_mb",
    "PP",
    "DP",
    "EP",
    "b",
    "b_pre",
    "T_in",
    "T_in_tail",
    "T_chunk",
    "k_draft",
    "E",
    "k_exp",
    "E2",
    "k_exp2",
    "T_block",
    "T_cmp",
    "T_cmp2",
}  # counts


class RandomPoint(Point):
    """A point drawn for a formula, the same each time: the seed is the formula's id."""

    def __init__(self, seed: str, number: int) -> None:
        draw = random.Random(f"{seed}/{number}")  # noqa: S311  a proof's points, no secret
        given: dict[str, Fraction] = {}
        for name, symbol in SYMBOLS.items():
            low, high = symbol.range
            drawn = low * (high / low) ** draw.random()
            given[name] = Fraction(round(drawn)) if name in WHOLE else Fraction(f"{drawn:.4g}")
        # what a query picks is a part of what is kept: else it would read less than nothing
        given["e_pick"] = min(given[name] for name in ("e_pick", "e_full", "e_cmp"))
        super().__init__(given)

    @cached_property
    def quantities(self) -> Mapping[str, Quantity]:
        """The inputs as quantities."""
        return {n: in_contract(v, unit_of(n)) for n, v in self.given.items()}


def valid_points(name: str, wanted: int) -> list[RandomPoint]:
    """Points at which a formula exists."""
    found: list[RandomPoint] = []
    for number in range(400):
        point = RandomPoint(name, number)
        try:
            point.get(name)
        except (Absent, Undefined):
            continue
        found.append(point)
        if len(found) == wanted:
            return found
    raise ArithmeticError(f"{name}: no valid points found")
