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
from derive.expression.value import power
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
            a, b = same_kind((left, right), lookup)
            return a + b if op == "+" else a - b
        case Call(function="min" | "max" as function, args=args):
            choose = min if function == "min" else max
            return choose(in_one_unit(same_kind(args, lookup)), key=lambda q: q.magnitude)
        case Call(function="pow", args=args):
            base, exponent = (recompute(a, lookup).to_base_units() for a in args)
            return Quantity(power(base.magnitude, exponent.magnitude), Unit()).pint
        case Call(function=function, args=args):
            whole = recompute(args[0], lookup).to_base_units()
            rounded = floor(whole.magnitude) if function == "floor" else ceil(whole.magnitude)
            return type(whole)(Fraction(rounded), whole.units)
    raise TypeError(node)


def same_kind(parts: tuple[Node, ...], lookup: Callable[[str], Quantity]) -> list[Any]:
    """Parts that are added or compared; a literal nought takes the unit of the others."""
    found = {i: recompute(part, lookup) for i, part in enumerate(parts) if not is_zero(part)}
    if not found:
        return [recompute(part, lookup) for part in parts]
    some = next(iter(found.values()))
    return [found.get(i, type(some)(Fraction(0), some.units)) for i in range(len(parts))]


def in_one_unit(quantities: list[Any]) -> list[Any]:
    """The same quantities in the base units of the first."""
    units = quantities[0].to_base_units().units
    return [q.to(units) for q in quantities]


def in_unit(found: Any, contract: Unit) -> Fraction:
    """A pint quantity in a contract unit; pint raises where the dimension is another."""
    target = Quantity(Fraction(1), contract).pint.units
    return Fraction(found.to(target).magnitude)
