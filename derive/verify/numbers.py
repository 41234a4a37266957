"""The numeric steps: values inserted, cases decided, the result, its rounding."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from derive.expression.text import digits_of
from derive.expression.tree import Call, Measure, Name, Node, Number, children, walk
from derive.text import Text, tr
from derive.units import Quantity, Unit
from derive.verify.lines import Line, at_step
from derive.verify.shown import half_unit
from derive.verify.texts import Broken, NoValue
from derive.verify.values import Ledger


def check_numbers(ledger: Ledger, card: Mapping[str, Any], found: list[Line]) -> Iterator[Text]:
    """The numeric lines of one card."""
    name = card["id"]
    for one in found:
        try:
            if not holds(ledger, name, one):
                yield at_step(name, one.number, tr("does not hold: {text}", text=one.text))
        except (Broken, NoValue) as error:
            yield at_step(name, one.number, error.why)


def holds(ledger: Ledger, name: str, one: Line) -> bool:
    """One numeric line at the scenario's values."""
    here, tree = ledger.here, ledger.trees[name]
    if one.before is not None:
        return False
    if one.rule == "case":
        return one.is_value and decided(ledger, tree, one) and close(here.of(one.left), one)
    if one.left != Name(name):
        return False
    here(name)  # a value must exist before it has numbers
    if one.rule == "values":
        rounded = [not same_leaf(ledger, a, b) for a, b in leaves(tree, one.right)]
        return (one.relation == "≈") == any(rounded) and one.relation in "=≈"
    wanted = "=" if one.rule == "compute" else "≈"
    return one.is_value and one.relation == wanted and close(here.of(tree), one)


def close(exact: Any, one: Line) -> bool:
    """Whether the number on the right is the exact one, or where it says ≈ rounds it."""
    side = one.right
    assert isinstance(side, Measure | Number)
    in_unit = side.quantity.unit if isinstance(side, Measure) else Unit()
    value = side.quantity.value if isinstance(side, Measure) else side.value
    off = abs(number_in(exact, in_unit) - value)
    if one.relation == "=":
        return off == 0
    digits = digits_of(side)
    return one.relation == "≈" and "/" not in digits and 0 < off <= half_unit(digits)


def number_in(found: Any, unit: Unit) -> Fraction:
    """The number of a pint quantity in a unit; Broken where it measures something else."""
    from derive.verify.values import in_units_of

    return in_units_of(Quantity(Fraction(1), unit).pint, found)


def leaves(symbolic: Node, line: Node) -> Iterator[tuple[Node, Node]]:
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


def same_leaf(ledger: Ledger, name: Node, leaf: Node) -> bool:
    """Whether a number is a symbol's exact value; Broken where it is not even rounded from it."""
    assert isinstance(name, Name)
    exact = ledger.here(name.id)
    if not isinstance(leaf, Measure | Number):
        raise Broken(tr("the line of values is not the formula"))
    in_unit = leaf.quantity.unit if isinstance(leaf, Measure) else Unit()
    value = leaf.quantity.value if isinstance(leaf, Measure) else leaf.value
    digits = digits_of(leaf)
    off = abs(number_in(exact.pint, in_unit) - value)
    if off and ("/" in digits or off > half_unit(digits)):
        raise Broken(tr("{shown} is not the value of {name}", shown=digits, name=name.id))
    return off == 0


def decided(ledger: Ledger, tree: Node, one: Line) -> bool:
    """Whether a case is an argument of a max or min, and decides exactly where it says so."""
    for part in walk(tree):
        if not (isinstance(part, Call) and part.function in ("max", "min")):
            continue
        if one.left in part.args:
            reason = tr("decides") if ledger.here.equal(one.left, part) else tr("does not decide")
            recorded: Mapping[str, str] | None = one.record["reason"]
            return recorded is not None and Text(recorded["en"], recorded["zh"]) == reason
    return False
