"""The plain-text printer: what it prints, the grammar reads back to the same tree."""

from __future__ import annotations

from fractions import Fraction

from derive.expression.tree import Binary, Call, Measure, Name, Negative, Node, Number, Power
from derive.units.digits import exact

# One precedence table for every printer.
LEVEL = {"+": 1, "-": 1, "*": 2, "/": 2}
NEGATIVE, FRACTION, POWER, ATOM = 2, 3, 4, 5


def level(node: Node) -> int:
    """How tightly a node binds."""
    match node:
        case Binary(op=op):
            return LEVEL[op]
        case Negative():
            return NEGATIVE
        case Power():
            return POWER
        case Number() | Measure() if digits_of(node).startswith("-"):
            return NEGATIVE
        case Number() | Measure() if "/" in digits_of(node):
            return FRACTION
    return ATOM


def needs_brackets(node: Node, parent: Node, right: bool) -> bool:
    """Whether a part must be bracketed inside its parent so that the same tree is read back."""
    inner = level(node)
    match parent:
        case Binary(op=op):
            outer = LEVEL[op]
            if not isinstance(node, Binary):  # x - (-3), x / (3/4)
                return right and (inner == NEGATIVE or (inner == FRACTION and op == "/"))
            return inner < outer or (right and inner <= outer)
        case Negative():
            return isinstance(node, Binary) or inner == NEGATIVE
        case Power():
            return inner < ATOM or isinstance(node, Measure)
    return False


def number_text(value: Fraction) -> str:
    """An exact number: a grouped decimal where it ends, else a fraction."""
    return exact(value)


def digits_of(node: Number | Measure) -> str:
    """The digits of a number as they are shown."""
    number = node.quantity.value if isinstance(node, Measure) else node.value
    return node.digits or number_text(number)


def quantity_text(node: Measure) -> str:
    """A number with its unit."""
    return f"{digits_of(node)} {node.quantity.unit.text}".rstrip()


def plain(node: Node, parent: Node | None = None, right: bool = False, dot: str = "·") -> str:
    """The tree in one line; `dot` is the multiplication sign."""
    match node:
        case Name(id=name):
            body = name
        case Number():
            body = digits_of(node)
        case Measure():
            body = quantity_text(node)
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
