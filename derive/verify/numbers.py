"""The numeric steps: values inserted, cases decided, the search, the result, its rounding."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from derive.expression.text import digits_of, plain
from derive.expression.tree import Call, Measure, Name, Node, Number, children, walk
from derive.text import Text, tr
from derive.units import Quantity, Unit
from derive.verify.lines import Line, at_step
from derive.verify.results import expected
from derive.verify.say import quoted
from derive.verify.search import Search
from derive.verify.shown import half_unit
from derive.verify.texts import Broken, NoValue
from derive.verify.values import Ledger, Values, in_units_of

# the value, its neighbour, the result; a side that does not change stands once
SEARCH = ("fix", "search", "search") * 2 + ("compute",)
SHORT_SEARCH = (*SEARCH[:5], "compute")
FIRST = ("fix", "search", "search", "compute")  # 1 is the smallest already: nothing is below it


def check_numbers(ledger: Ledger, card: Mapping[str, Any], found: list[Line]) -> Iterator[Text]:
    """The numeric lines of one card."""
    name, about = card["id"], Numbers(ledger, card["id"])
    for one in found:
        try:
            if one.before is not None or not about.holds(one):
                yield at_step(name, one.number, tr("does not hold: {text}", text=one.text))
        except (Broken, NoValue) as error:
            yield at_step(name, one.number, error.why)
    if name in ledger.searches and not card["set_by_hand"]:
        value = expected(ledger, name)[0]
        shown = tuple(one.rule for one in found)
        if shown not in shapes(ledger.searches[name], value):
            yield tr("{name}: both sides are not shown next to where they meet", name=name)


def shapes(search: Search, value: Quantity | None) -> tuple[tuple[str, ...], ...]:
    """The rules of the numeric lines that a search may have, one after another."""
    if value is None:
        return ((),)
    return (FIRST,) if search.smallest and value.value == 1 else (SEARCH, SHORT_SEARCH)


class Numbers:
    """The numbers of one card at the scenario's values."""

    def __init__(self, ledger: Ledger, name: str) -> None:
        self.ledger, self.name, self.here = ledger, name, ledger.here
        self.tree = ledger.trees.get(name)
        self.search = ledger.searches.get(name)
        self.tried: dict[Fraction, Values] = {}

    def holds(self, one: Line) -> bool:
        """One numeric line."""
        value = self.here(self.name)  # it must exist before it has numbers
        if one.rule == "fix":
            return self.fix(one, value)
        if one.rule == "search":
            return self.side(one)
        if one.rule == "case":
            return self.decided(one) and close(self.here.of(one.left), one)
        if one.left != Name(self.name):
            return False
        if one.rule == "values":
            if self.tree is None or one.relation not in ("=", "≈"):
                return False
            rounded = [not same_leaf(self.here, a, b) for a, b in leaves(self.tree, one.right)]
            return (one.relation == "≈") == any(rounded)
        return one.relation == ("=" if one.rule == "compute" else "≈") and close(value.pint, one)

    def fix(self, one: Line, value: Quantity) -> bool:
        """The value found, or its neighbour on the other side of where the sides meet."""
        if self.search is None or one.relation != "=" or one.left != Name(self.search.variable):
            return False
        contract = self.ledger.units[self.search.variable]
        tried = self.here.quantity(one.right, contract)
        self.tried[tried.value] = self.here.with_({self.search.variable: tried})
        other = value.value != tried.value
        meets = self.here.meets(self.name, int(tried.value))
        if (
            other
            and self.search.at_most
            and tried.value not in self.search.beside(int(value.value))
        ):
            return False
        return abs(tried.value - value.value) == int(other) and meets != other

    def side(self, one: Line) -> bool:
        """One side of a search where its symbol was last fixed, and how it stands to the other."""
        if self.search is None or not self.tried:
            return False
        *earlier, there = self.tried.values()
        above = there.above(self.search.left, self.search.right)
        says = tr("left ≥ right") if above >= 0 else tr("left < right")
        if self.search.at_most:
            says = tr("left ≤ right") if above <= 0 else tr("left > right")
        # the right side does not stand again where it is what it was at the value before
        right = self.search.right
        again = bool(earlier) and in_units_of(earlier[0].of(right), there.of(right)) == Fraction(
            earlier[0].of(right).magnitude
        )
        last = self.search.left if again else right
        if one.left not in (self.search.left, right) or (again and one.left == right):
            return False
        if one.record["reason"] != (says.json() if one.left == last else None):
            return False
        return close(there.of(one.left), one)

    def decided(self, one: Line) -> bool:
        """Whether a case is an argument of a max or min, and decides exactly where it says so."""
        parts = walk(self.tree) if self.tree is not None else ()
        calls = {p for p in parts if isinstance(p, Call) and p.function in ("max", "min")}
        for part in calls:
            if one.left in part.args:
                decides = self.here.equal(one.left, part)
                reason = tr("decides") if decides else tr("does not decide")
                if len(calls) > 1:
                    reason = tr("{verdict} in {call}", verdict=reason, call=plain(part))
                if one.record["reason"] == reason.json():
                    return True
        return False


def close(exact: Any, one: Line) -> bool:
    """Whether the number on the right is the exact one, or where it says ≈ rounds it."""
    side = one.right
    if not isinstance(side, Measure | Number):
        return False
    off = abs(number_in(exact, unit_of(side)) - value_of(side))
    if one.relation == "=":
        return off == 0
    digits = digits_of(side)
    return one.relation == "≈" and "/" not in digits and 0 < off <= half_unit(digits)


def unit_of(leaf: Measure | Number) -> Unit:
    """The unit of a number in a line."""
    return leaf.quantity.unit if isinstance(leaf, Measure) else Unit()


def value_of(leaf: Measure | Number) -> Fraction:
    """The number itself."""
    return leaf.quantity.value if isinstance(leaf, Measure) else leaf.value


def number_in(found: Any, unit: Unit) -> Fraction:
    """The number of a pint quantity in a unit; Broken where it measures something else."""
    return in_units_of(Quantity(Fraction(1), unit).pint, found)


def leaves(symbolic: Node, line: Node) -> Iterator[tuple[Name, Node]]:
    """Each symbol of a formula with what stands in its place; Broken where the shapes differ."""
    if isinstance(symbolic, Name):
        yield symbolic, line
        return
    same = type(symbolic) is type(line) and all(
        getattr(symbolic, key, None) == getattr(line, key, None)
        for key in ("op", "function", "exponent", "value", "quantity")
    )
    parts = children(symbolic), children(line)
    if not same or len(parts[0]) != len(parts[1]):
        raise Broken(tr("the line of values is not the formula"))
    for a, b in zip(*parts, strict=True):
        yield from leaves(a, b)


def same_leaf(here: Values, name: Name, leaf: Node) -> bool:
    """Whether a number is a symbol's exact value; Broken where it is not even rounded from it."""
    exact = here(name.id)
    if not isinstance(leaf, Measure | Number):
        raise Broken(tr("the line of values is not the formula"))
    digits = digits_of(leaf)
    off = abs(number_in(exact.pint, unit_of(leaf)) - value_of(leaf))
    if off and ("/" in digits or off > half_unit(digits)):
        raise Broken(tr("{shown} is not the value of {name}", shown=quoted(digits), name=name.id))
    return off == 0
