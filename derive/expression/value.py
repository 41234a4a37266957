"""The value reading: exact fractions in coherent base units."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import ceil, floor

from derive.expression.tree import Binary, Call, Measure, Name, Negative, Node, Number, Power

MOST_BITS = 2**23  # of a power: a million tokens of one forward pass over 256 experts
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
    if size * exponent > MOST_BITS:
        raise OverflowError("a power is too long a number")
    return base ** int(exponent)
