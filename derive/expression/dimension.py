"""The dimension reading: what a formula measures, and where its parts disagree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from derive.errors import DeriveError, Place, Problem
from derive.expression.marks import underlined
from derive.expression.text import plain
from derive.expression.tree import Binary, Call, Measure, Name, Negative, Node, Number, Power
from derive.text import Text, tr
from derive.units import NUMBER, Dimension, unit

COUNTED = (*(unit(u).dimension for u in ("request", "device", "token")), NUMBER)
Lookup = Callable[[str], Dimension]


def is_zero(node: Node) -> bool:
    """A literal nought: it has every dimension."""
    return isinstance(node, Number) and node.value == 0


def dimension(node: Node, lookup: Lookup, text: str = "", place: Place | None = None) -> Dimension:
    """The dimension of a tree; DeriveError points at both operands where they disagree."""
    return _Dimensions(lookup, text, place).of(node)


@dataclass(frozen=True)
class _Dimensions:
    lookup: Lookup
    text: str  # what the tree was read from, for the marks; may be empty
    place: Place | None

    def of(self, node: Node) -> Dimension:
        match node:
            case Name():
                return self.symbol(node)
            case Measure(quantity=quantity):
                return quantity.dimension
            case Number():
                return NUMBER
            case Negative(inner=inner):
                return self.of(inner)
            case Power(base=base, exponent=exponent):
                return self.of(base) ** exponent
            case Binary(op="*", left=left, right=right):
                return self.of(left) * self.of(right)
            case Binary(op="/", left=left, right=right):
                return self.of(left) / self.of(right)
            case Binary(op=op, left=left, right=right):
                return self.agree(op, (left, right))
            case Call(function="min" | "max", args=args):
                return self.agree("max", args)
            case Call(function="pow", args=args):
                for part in args:
                    if (found := self.of(part)) != NUMBER:
                        what = tr("pow needs pure numbers, found {found}", found=called(found))
                        raise DeriveError(Problem("U103", what, self.place, self.marked(part)))
                return NUMBER
            case Call(args=args):
                found = self.of(args[0])
                if found not in COUNTED:
                    raise self.uncountable(node, found)
                return found
        raise TypeError(node)

    def symbol(self, node: Name) -> Dimension:
        """A symbol's dimension; where it is unknown, the error gets its place in the text."""
        try:
            return self.lookup(node.id)
        except DeriveError as error:
            raise DeriveError(
                replace(p, place=p.place or self.place, excerpt=p.excerpt or self.marked(node))
                for p in error.problems
            ) from None

    def agree(self, op: str, parts: tuple[Node, ...]) -> Dimension:
        first: tuple[Node, Dimension] | None = None
        for part in parts:
            if is_zero(part):
                continue
            found = self.of(part)
            first = first or (part, found)
            if found != first[1]:
                raise self.clash(op, first, (part, found))
        return first[1] if first else NUMBER

    def clash(
        self, op: str, one: tuple[Node, Dimension], two: tuple[Node, Dimension]
    ) -> DeriveError:
        left, right = called(one[1]), called(two[1])
        what = {
            "+": tr("cannot add {left} and {right}", left=left, right=right),
            "-": tr("cannot subtract {right} from {left}", left=left, right=right),
            "max": tr("cannot compare {left} with {right}", left=left, right=right),
        }[op]
        rows = tuple((self.cut(part), found.text) for part, found in (one, two))
        marks = self.marked(one[0], two[0])
        hint = hint_for(one[1], two[1])
        return DeriveError(Problem("U101", what, self.place, marks, rows, hint))

    def uncountable(self, part: Node, found: Dimension) -> DeriveError:
        what = tr("floor and ceil need something counted, found {found}", found=called(found))
        return DeriveError(Problem("U102", what, self.place, self.marked(part)))

    def cut(self, node: Node) -> str:
        """The piece of text a node was read from."""
        return self.text[node.span[0] : node.span[1]] if self.text else plain(node)

    def marked(self, *nodes: Node) -> tuple[str, ...]:
        """The text with marks under the nodes."""
        return underlined(self.text, [n.span for n in nodes])


def called(found: Dimension) -> Text:
    """The everyday name of a dimension, or its expansion."""
    return found.everyday or found.text


def hint_for(one: Dimension, two: Dimension) -> Text | None:
    """A hint only where the missing factor is one dimension that has a name."""
    if one == two**-1:
        return tr("one side is the reciprocal of the other")
    for left, right in ((one, two), (two, one)):
        factor = left / right
        plain_factor = factor.everyday and "device" not in dict(factor.powers)
        if plain_factor and NUMBER not in (left, right):
            return tr("{right} times {factor} is {left}", right=called(right),
                      factor=factor.everyday, left=called(left))  # fmt: skip
    return None
