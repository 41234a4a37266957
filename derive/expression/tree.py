"""The tree of a formula: the author's order, immutable, with the place of each part."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction

from derive.units import Quantity

FUNCTIONS = ("min", "max", "floor", "ceil", "pow")


@dataclass(frozen=True)
class Node:
    """Any part of a formula; `span` is its place in the text it was read from."""

    span: tuple[int, int] = field(default=(0, 0), compare=False, kw_only=True)


@dataclass(frozen=True)
class Name(Node):
    """A symbol, constant or formula by id."""

    id: str


@dataclass(frozen=True)
class Number(Node):
    """A pure number; `digits` as they are shown (6.040), where not the shortest form."""

    value: Fraction
    digits: str = field(default="", compare=False, kw_only=True)


@dataclass(frozen=True)
class Measure(Node):
    """A number with its unit, as it stands in a line of values; `digits` as for a pure number."""

    quantity: Quantity
    digits: str = field(default="", compare=False, kw_only=True)


@dataclass(frozen=True)
class Binary(Node):
    """`left op right`, op one of + - * /."""

    op: str
    left: Node
    right: Node


@dataclass(frozen=True)
class Negative(Node):
    """`-inner`."""

    inner: Node


@dataclass(frozen=True)
class Power(Node):
    """`base ^ exponent` with a small integer exponent."""

    base: Node
    exponent: int


@dataclass(frozen=True)
class Call(Node):
    """min, max, floor or ceil of its arguments, or pow(x, m) for a whole number m."""

    function: str
    args: tuple[Node, ...]


def children(node: Node) -> tuple[Node, ...]:
    """The parts of a node, left to right."""
    match node:
        case Binary(left=left, right=right):
            return (left, right)
        case Negative(inner=inner):
            return (inner,)
        case Power(base=base):
            return (base,)
        case Call(args=args):
            return args
    return ()


def rebuild(node: Node, change: Callable[[Node], Node]) -> Node:
    """The node with each direct part changed."""
    match node:
        case Binary(left=left, right=right):
            return replace(node, left=change(left), right=change(right))
        case Negative(inner=inner):
            return replace(node, inner=change(inner))
        case Power(base=base):
            return replace(node, base=change(base))
        case Call(args=args):
            return replace(node, args=tuple(change(a) for a in args))
    return node


def walk(node: Node) -> Iterator[Node]:
    """The node and everything in it."""
    yield node
    for child in children(node):
        yield from walk(child)


def names(node: Node) -> list[str]:
    """Ids in the order they appear, each once."""
    return list(dict.fromkeys(n.id for n in walk(node) if isinstance(n, Name)))


def substitute(node: Node, by: dict[str, Node]) -> Node:
    """The tree with names replaced by trees."""
    if isinstance(node, Name):
        return by.get(node.id, node)
    return rebuild(node, lambda part: substitute(part, by))
