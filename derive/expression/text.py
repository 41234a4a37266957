"""The plain-text printer: what it prints, the grammar reads back to the same tree."""

from __future__ import annotations

from fractions import Fraction

from derive.expression.tree import Binary, Call, Measure, Name, Negative, Node, Number, Power
from derive.units import Quantity
from derive.units.writing import grouped, terminating

# One precedence table for every printer.
LEVEL = {"+": 1, "-": 1, "*": 2, "/": 2}
NEGATIVE, POWER, ATOM = 2, 4, 5


def level(node: Node) -> int:
    """How tightly a node binds."""
    match node:
        case Binary(op=op):
            return LEVEL[op]
        case Negative():
            return NEGATIVE
        case Power():
            return POWER
        case Number(value=v) | Measure(quantity=Quantity(value=v)) if v < 0:
            return NEGATIVE
    return ATOM


def needs_brackets(node: Node, parent: Node, right: bool) -> bool:
    """Whether a part must be bracketed inside its parent so that the same tree is read back."""
    inner = level(node)
    match parent:
        case Binary(op=op):
            outer = LEVEL[op]
            negative = inner == NEGATIVE and not isinstance(node, Binary)
            return inner < outer or (right and inner <= outer) or (negative and right)
        case Negative():
            return isinstance(node, Binary) or inner == NEGATIVE
        case Power():
            return inner < ATOM or isinstance(node, Measure)
    return False


def number_text(value: Fraction) -> str:
    """An exact number: a grouped decimal where it ends, else a fraction."""
    decimal = terminating(value)
    if decimal is not None and len(decimal) <= 30:
        return grouped(decimal)
    return f"{value.numerator}/{value.denominator}"


def plain(node: Node, parent: Node | None = None, right: bool = False, dot: str = "·") -> str:
    """The tree in one line; `dot` is the multiplication sign."""
    match node:
        case Name(id=name):
            body = name
        case Number(value=value):
            body = number_text(value)
        case Measure(quantity=quantity):
            body = f"{number_text(quantity.value)} {quantity.unit.text}".rstrip()
        case Negative(inner=inner):
            body = "-" + plain(inner, node, False, dot)
        case Power(base=base, exponent=exponent):
            body = f"{plain(base, node, False, dot)}^{exponent}"
        case Binary(op=op, left=left, right=second):
            sign = dot if op == "*" else op
            body = f"{plain(left, node, False, dot)} {sign} {plain(second, node, True, dot)}"
        case Call(function=function, args=args):
            body = f"{function}({', '.join(plain(a, None, False, dot) for a in args)})"
        case _:
            raise TypeError(node)
    bracket = parent is not None and needs_brackets(node, parent, right)
    return f"({body})" if bracket else body
