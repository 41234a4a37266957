"""The dimension reading: what a formula measures, and where its parts disagree."""

from __future__ import annotations

from collections.abc import Callable

from derive.errors import DeriveError, Place, Problem
from derive.expression.tree import Binary, Call, Measure, Name, Negative, Node, Number, Power
from derive.text import Text, tr
from derive.units import NUMBER, Dimension
from derive.units.quantity import unit

COUNTED = tuple(unit(u).dimension for u in ("request", "device", "token")) + (NUMBER,)
Lookup = Callable[[str], Dimension]


def is_zero(node: Node) -> bool:
    """A literal nought: it has every dimension."""
    return isinstance(node, Number) and node.value == 0


def dimension(node: Node, lookup: Lookup, text: str = "", place: Place | None = None) -> Dimension:
    """The dimension of a tree; DeriveError points at both operands where they disagree."""

    def reading(part: Node) -> Dimension:
        match part:
            case Name(id=name):
                return lookup(name)
            case Measure(quantity=quantity):
                return quantity.dimension
            case Number():
                return NUMBER
            case Negative(inner=inner):
                return reading(inner)
            case Power(base=base, exponent=exponent):
                return reading(base) ** exponent
            case Binary(op="*", left=left, right=right):
                return reading(left) * reading(right)
            case Binary(op="/", left=left, right=right):
                return reading(left) / reading(right)
            case Binary(left=left, right=right):
                return agree((left, right))
            case Call(function="min" | "max", args=args):
                return agree(args)
            case Call(args=args):
                found = reading(args[0])
                if found not in COUNTED:
                    raise uncountable(part, found)
                return found
        raise TypeError(part)

    def agree(parts: tuple[Node, ...]) -> Dimension:
        solid = [(p, reading(p)) for p in parts if not is_zero(p)]
        first = solid[0]
        for other in solid[1:]:
            if other[1] != first[1]:
                raise clash(first, other)
        return first[1]

    def clash(one: tuple[Node, Dimension], two: tuple[Node, Dimension]) -> DeriveError:
        return DeriveError(
            Problem(
                "U101",
                tr("cannot combine {left} and {right}", left=called(one[1]), right=called(two[1])),
                place,
                marked(text, one[0], two[0]),
                (
                    (cut(text, one[0]), one[1].in_("en")),
                    (cut(text, two[0]), two[1].in_("en")),
                ),
                hint_for(one[1], two[1]),
            )
        )

    def uncountable(part: Node, found: Dimension) -> DeriveError:
        what = tr("floor and ceil need something counted, found {found}", found=called(found))
        return DeriveError(Problem("U102", what, place, marked(text, part)))

    return reading(node)


def called(found: Dimension) -> Text:
    """The everyday name of a dimension, or its expansion."""
    return found.everyday or found.text


def hint_for(one: Dimension, two: Dimension) -> Text | None:
    """A hint only where the missing factor is one dimension that has a name."""
    missing = (one / two).everyday or (two / one).everyday
    if one == two**-1:
        return tr("one side is the reciprocal of the other")
    return tr("the two differ by {factor}", factor=missing) if missing else None


def cut(text: str, node: Node) -> str:
    """The piece of text a node was read from."""
    return text[node.span[0] : node.span[1]]


def marked(text: str, *nodes: Node) -> tuple[str, ...]:
    """The text with marks under the nodes."""
    if not text:
        return ()
    line = [" "] * len(text)
    for node in nodes:
        for i in range(*node.span):
            line[i] = "^"
    return (text, "".join(line).rstrip())
