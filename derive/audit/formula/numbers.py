"""Formulas whose sides hold numbers alone: what each side comes to, within its rounding."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise

from derive.audit.fields.evaluation import tree_dimension
from derive.audit.formula.equations import Equation
from derive.audit.interval import Interval, half_of
from derive.errors import DeriveError
from derive.expression.text import number_text
from derive.expression.tree import Binary, Call, Measure, Name, Negative, Node, Number, Power, walk
from derive.expression.value import power
from derive.units import Unit, unit

# what the digits of a bare product may count; a time or a rate is never left out
CARRIED = ("byte", "FLOP", "token", "param")


def number_pairs(all_: list[Equation]) -> Iterator[tuple[Node, Node]]:
    """Neighbouring sides without a name."""
    sides = [*([all_[0].left] if all_ and all_[0].left else []), *(one.right for one in all_)]
    plain = [s for s in sides if numeric(s)]
    yield from pairwise(plain)


def numeric(tree: Node | None) -> bool:
    """Whether a side is made of numbers."""
    return tree is not None and not any(isinstance(n, Name) for n in walk(tree))


def range_of(tree: Node, *, alone: bool = True) -> Interval:
    """What a side may come to; a whole number without a unit is exact where it is a factor.

    ZeroDivisionError where it divides by what may be nothing.
    """
    match tree:
        case Measure(quantity=quantity, digits=digits):
            return Interval.of(quantity.value, printed_half(quantity.value, digits)).scaled(
                quantity.unit.factor
            )
        case Number(value=value, digits=digits):
            exact = not alone and value.denominator == 1
            return Interval.of(value, Fraction(0) if exact else printed_half(value, digits))
        case Negative(inner=inner):
            return range_of(inner).scaled(-1)
        case Power(base=base, exponent=exponent):
            return powered(range_of(base, alone=False), exponent)
        case Binary(op=op, left=left, right=right):
            a, b = range_of(left, alone=False), range_of(right, alone=False)
            return {"+": a.__add__, "-": a.__sub__, "*": a.__mul__, "/": a.__truediv__}[op](b)
        case Call(function=function, args=args):
            return called(function, [range_of(a, alone=False) for a in args])
    raise TypeError(tree)


def printed_half(value: Fraction, digits: str) -> Fraction:
    """Half a unit of the last digit of a number as it is printed."""
    return half_of(digits or number_text(value), value)


def powered(base: Interval, exponent: int) -> Interval:
    """A whole power, between the powers of both ends."""
    if exponent < 0 and base.low <= 0 <= base.high:
        raise ZeroDivisionError("a negative power of what may be nothing")
    ends = [base.low**exponent, base.high**exponent]
    if exponent % 2 == 0 and base.low < 0 < base.high:
        ends.append(Fraction(0))
    return Interval(min(ends), max(ends))


def called(function: str, args: list[Interval]) -> Interval:
    """A function of the grammar at both ends of what it is given; none of them falls."""
    lows, highs = [a.low for a in args], [a.high for a in args]
    if function == "pow":
        return Interval(power(*lows), power(*highs))
    if function in ("min", "max"):
        choose = min if function == "min" else max
        return Interval(choose(lows), choose(highs))
    up = -1 if function == "ceil" else 1
    return Interval(*(Fraction(up * (up * end // 1)) for end in (lows[0], highs[0])))


def carried(left: Node | None, right: Node) -> tuple[Node, Unit] | None:
    """The side whose bare digits must count something for both to agree, and the unit they lack."""
    if not (numeric(left) and numeric(right)):
        return None
    assert left is not None
    try:
        one, two = tree_dimension(left), tree_dimension(right)
    except DeriveError:
        return None
    for side, lacking in ((left, two / one), (right, one / two)):
        for name in CARRIED:
            if lacking == unit(name).dimension and bare_factor(side):
                return side, unit(name)
    return None


def bare_factor(tree: Node) -> bool:
    """Whether a side is a product or quotient that holds a number without a unit."""
    match tree:
        case Number():
            return True
        case Binary(op="*", left=left, right=right):
            return bare_factor(left) or bare_factor(right)
        case Binary(op="/", left=left):
            return bare_factor(left)
    return False
