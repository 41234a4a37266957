"""The second numeric reading: whole pint quantities, units carried through every operation.

It shares nothing with `value.py`: there fractions in base units, here quantities whose units pint
combines and converts. The two must agree; a wrong prefix or a lost unit parts them.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import ceil, floor
from typing import Any

from derive.expression.dimension import is_zero
from derive.expression.tree import Binary, Call, Measure, Name, Negative, Node, Number, Power
from derive.units import Quantity, Unit


def recompute(node: Node, lookup: Callable[[str], Quantity]) -> Any:
    """The tree as a pint quantity with an exact magnitude; pint refuses what does not fit."""
    match node:
        case Name(id=name):
            return lookup(name).pint
        case Measure(quantity=quantity):
            return quantity.pint
        case Number(value=number):
            return Quantity(number, Unit()).pint
        case Negative(inner=inner):
            return -recompute(inner, lookup)
        case Power(base=base, exponent=exponent):
            return recompute(base, lookup) ** exponent
        case Binary(op="*", left=left, right=right):
            return recompute(left, lookup) * recompute(right, lookup)
        case Binary(op="/", left=left, right=right):
            return recompute(left, lookup) / recompute(right, lookup)
        case Binary(op=op, left=left, right=right):
            a, b = recompute(left, lookup), recompute(right, lookup)
            return a + b if op == "+" else a - b
        case Call(function="min" | "max" as function, args=args):
            return extreme(function, args, lookup)
        case Call(function=function, args=args):
            whole = recompute(args[0], lookup).to_base_units()
            rounded = floor(whole.magnitude) if function == "floor" else ceil(whole.magnitude)
            return type(whole)(Fraction(rounded), whole.units)
    raise TypeError(node)


def extreme(function: str, args: tuple[Node, ...], lookup: Callable[[str], Quantity]) -> Any:
    """The least or greatest of quantities; a literal nought takes the unit of the others."""
    solid = [recompute(a, lookup) for a in args if not is_zero(a)]
    unit = solid[0].to_base_units().units
    values = [q.to(unit) for q in solid]
    if len(solid) < len(args):
        values.append(type(values[0])(Fraction(0), unit))
    choose = min if function == "min" else max
    return choose(values, key=lambda q: q.magnitude)


def in_unit(found: Any, contract: Unit) -> Fraction:
    """A pint quantity in a contract unit; pint raises where the dimension is another."""
    target = Quantity(Fraction(1), contract).pint.units
    return Fraction(found.to(target).magnitude)
