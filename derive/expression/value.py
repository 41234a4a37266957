"""The value reading: exact fractions in coherent base units."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import ceil, floor

from derive.expression.tree import Binary, Call, Measure, Name, Negative, Node, Number, Power

EXACT_BITS = 2**17  # of a power that is taken exactly
# of a longer power of a share, as of experts that a million tokens miss, so many places are kept:
# it is below 1, so no digit that is ever shown differs, and it takes milliseconds, not minutes
KEPT_BITS = 2**14
MOST_BITS = 2**23  # of a power of a larger number
Values = Callable[[str], Fraction]


def value(node: Node, lookup: Values) -> Fraction:
    """The exact value of a tree; ZeroDivisionError where it has none."""
    match node:
        case Name(id=name):
            return lookup(name)
        case Number(value=number):
            return number
        case Measure(quantity=quantity):
            return quantity.base
        case Negative(inner=inner):
            return -value(inner, lookup)
        case Power(base=base, exponent=exponent):
            return value(base, lookup) ** exponent
        case Binary(op=op, left=left, right=right):
            a, b = value(left, lookup), value(right, lookup)
            if op == "+":
                return a + b
            if op == "-":
                return a - b
            return a * b if op == "*" else a / b
        case Call(function=function, args=args):
            values = [value(a, lookup) for a in args]
            if function == "pow":
                return power(*values)
            if function in ("min", "max"):
                return min(values) if function == "min" else max(values)
            return Fraction(floor(values[0]) if function == "floor" else ceil(values[0]))
    raise TypeError(node)


def power(base: Fraction, exponent: Fraction) -> Fraction:
    """A pure number to a whole number's power; OverflowError where that is too long a number."""
    size = max(base.numerator.bit_length(), base.denominator.bit_length())
    if exponent.denominator != 1 or exponent < 0:
        raise ArithmeticError("pow needs a whole number")
    if base in (0, 1):
        return base if exponent else Fraction(1)
    if size * exponent > EXACT_BITS and 0 < base < 1:
        return power_of_share(base, int(exponent))
    if size * exponent > MOST_BITS:
        raise OverflowError("a power is too long a number")
    return base ** int(exponent)


def power_of_share(base: Fraction, exponent: int) -> Fraction:
    """A long power of a number between nought and one, to KEPT_BITS places and never nought."""
    made, square = 1 << KEPT_BITS, (base.numerator << KEPT_BITS) // base.denominator
    while exponent:
        if exponent % 2:
            made = max(made * square >> KEPT_BITS, 1)
        square, exponent = max(square * square >> KEPT_BITS, 1), exponent // 2
    return Fraction(made, 1 << KEPT_BITS)
