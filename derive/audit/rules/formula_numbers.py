"""Formulas with numbers on both sides: do the numbers agree."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from derive.audit.consistency.arithmetic import should_read
from derive.audit.consistency.slips import positive, slip
from derive.audit.fields.evaluation import tree_dimension
from derive.audit.formula.equations import equations
from derive.audit.formula.numbers import carried, number_pairs, range_of
from derive.audit.rule import rule
from derive.audit.types import Finding
from derive.errors import DeriveError
from derive.expression.text import plain
from derive.expression.tree import Measure, Node, walk
from derive.expression.value import value
from derive.text import Text, same, tr
from derive.units import Quantity, Unit, show

if TYPE_CHECKING:
    from derive.audit.interval import Interval
    from derive.audit.library import Library
    from derive.audit.types import Claim

VALUES = "FORM003"


@rule(
    VALUES,
    name=("numbers of a formula", "公式中的数值"),
    page=(
        "Where both sides of a formula are numbers with their units, each side is computed with exact fractions and "
        "with the rounding of the printed digits; a whole number without a unit is exact. Sides that measure the "
        "same and have no value in common are contradicted, and so is a division by zero.",
        "公式两边都是带单位的数时，两边均按精确分数计算，并计入所印位数的舍入；不带单位的整数视为精确值。"
        "量纲相同而取值没有交集的判为矛盾；除以零亦然。",
    ),
    fires="141 GB / 4.8 TB/s = 2.94 ms",
    quiet="TPOT = W / B_peak",
    as_="formula",
)
def numbers(claim: Claim, _: Library) -> Iterator[Finding]:
    """One finding a pair of neighbouring sides."""
    if claim.entry is None or not claim.entry.formula:
        return
    for left, right in number_pairs(equations(claim.entry.formula)):
        try:
            alike = tree_dimension(left) == tree_dimension(right)
        except DeriveError:
            continue
        if (alike or carried(left, right)) and (found := held(left, right)):
            yield found


def exact(side: Node) -> Fraction | None:
    """What a side comes to as it is printed; None where it divides by zero."""
    try:
        return value(side, no_names)
    except ZeroDivisionError:
        return None


def no_names(name: str) -> Fraction:
    """A side of numbers asks for none."""
    raise KeyError(name)


def held(left: Node, right: Node) -> Finding | None:
    """Both sides within their rounding; None where the rounding leaves everything open."""
    try:
        values = [exact(side) for side in (left, right)]
    except ArithmeticError:  # a power too long a number, or of no whole number
        return None
    for side, found in zip((left, right), values, strict=True):
        if found is None:
            what = tr("{side} has no value: it divides by zero", side=same(plain(side)))
            return Finding(VALUES, "contradicted", "error", what)
    try:
        one, two = range_of(left), range_of(right)
    except ArithmeticError:  # only the rounding of a divisor reaches zero
        return None
    target = unit_of_sides(left, right)
    assert values[0] is not None
    computed = Quantity(values[0] / target.factor, target)
    shown = show(computed, fixed=target if target.terms else None).equals
    line = same(f"{plain(left)} {shown}")
    if one.meets(two):
        what = tr("{line} agrees with {figure}", line=line, figure=same(plain(right)))
        return Finding(VALUES, "consistent", "info", what, derivation=(line,))
    what = tr("{line}, not {figure}{cause}", line=line, figure=same(plain(right)),
              cause=cause_of(one, two, target))  # fmt: skip
    return Finding(VALUES, "contradicted", "error", what, derivation=(line,),
                   corrected=should_read(line))  # fmt: skip


def cause_of(one: Interval, two: Interval, target: Unit) -> Text:
    """The likely slip in brackets, or nothing."""
    if one.low <= 0 or two.low <= 0:
        return same("")
    found = slip(one / positive(two), target.dimension, chinese=False)
    return tr(" ({cause})", cause=found.cause) if found else same("")


def unit_of_sides(left: Node, right: Node) -> Unit:
    """The unit of a side that is one figure; else that of the base."""
    for side in (right, left):
        if isinstance(side, Measure):
            return side.quantity.unit
    for part in walk(right):
        if isinstance(part, Measure) and part.quantity.dimension == tree_dimension(right):
            return part.quantity.unit
    return Unit()
