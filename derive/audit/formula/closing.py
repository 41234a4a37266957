"""Which units close a formula whose digits stand bare: each may be a named constant of its value.

A sum closes when its terms measure the same, an equation when its sides do; what is short of a
count of one (one token, one request, one device) closes with that count written out.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache
from math import prod

from derive.audit.fields.evaluation import claim_unit, tree_dimension
from derive.audit.fields.quantities import read
from derive.errors import DeriveError
from derive.expression.dimension import COUNTED, is_zero
from derive.expression.tree import (
    Binary,
    Call,
    Measure,
    Name,
    Negative,
    Node,
    Number,
    Power,
    rebuild,
    walk,
)
from derive.notation import CONSTANTS
from derive.units import NUMBER, Dimension

MOST = 20_000  # assignments that are tried
SIZES = tuple(Fraction(n) for n in ("4", "2", "1", "1/2"))
# a digit may be a named constant of its value, or the bytes of a stored number; the likeliest first
NAMED = (
    "c_op",
    "c_bwd",
    "c_att",
    "one_token",
    "one_request",
    "one_device",
    "c_op + c_bwd",
    "c_kv",
    "c_ring",
)
STORED: tuple[tuple[str, tuple[Fraction, ...]], ...] = (
    ("w", SIZES), ("c_kv * w_kv", (Fraction(4), Fraction(8))), ("w_kv", SIZES),
)  # fmt: skip
# one symbol written for another that measures something else
MISTAKEN = {"w": ("w_kv", "w_act"), "w_kv": ("w",), "w_act": ("w_kv",)}
PLAIN, NAMING, COUNTING, OTHER = 0, 1, 2, 3  # what a repair costs
COUNTS = (("token", "one_token"), ("request", "one_request"), ("device", "one_device"))


@dataclass(frozen=True)
class Option:
    """What a bare digit, or a name, may stand for; `fixed` are the sizes that its digit gives."""

    text: str
    cost: int
    measures: Dimension
    fixed: Mapping[str, Fraction] = field(default_factory=dict)

    @property
    def tree(self) -> Node:
        """As a part of a formula."""
        return read(self.text)


@dataclass(frozen=True)
class Closed:
    """A formula with units written out: what it measures, and what was written for what."""

    tree: Node
    measures: Dimension
    cost: int
    named: tuple[tuple[str, Option], ...] = ()
    counts: tuple[str, ...] = ()

    @property
    def fixed(self) -> dict[str, Fraction]:
        """Sizes of stored numbers that its digits give."""
        return {k: v for _, option in self.named for k, v in option.fixed.items()}


class Clash(Exception):
    """Two sides that nothing of what is tried brings together."""


@cache
def digit_options(value: Fraction) -> tuple[Option, ...]:
    """Everything that a number of this value can be, one entry a dimension."""
    made = [Option("", PLAIN, NUMBER)]
    for text in NAMED:
        tree = read(text)
        total = sum(CONSTANTS[n.id].value.base for n in walk(tree) if isinstance(n, Name))
        if total == value:
            made.append(Option(text, NAMING, tree_dimension(tree)))
    for text, sizes in STORED:
        if value in sizes:
            symbol = text.rpartition(" ")[2]
            size = value / 2 if text != symbol else value
            made.append(Option(text, NAMING, tree_dimension(read(text)), {symbol: size}))
    kept: dict[Dimension, Option] = {}
    for option in made:
        kept.setdefault(option.measures, option)
    return tuple(kept.values())


def places(tree: Node) -> list[tuple[Node, tuple[Option, ...]]]:
    """The bare digits and the names that may be mistaken, each with what it may stand for."""
    made: list[tuple[Node, tuple[Option, ...]]] = []
    for node in walk(tree):
        if isinstance(node, Number) and node.value:
            made.append((node, digit_options(node.value)))
        elif isinstance(node, Name) and node.id in MISTAKEN:
            others = tuple(Option(o, OTHER, claim_unit(o).dimension) for o in MISTAKEN[node.id])
            made.append((node, (Option("", PLAIN, claim_unit(node.id).dimension), *others)))
    return made


def assignments(tree: Node) -> Iterator[dict[tuple[int, int], Option]]:
    """Every assignment of meanings, in no order; fewer meanings each where there are too many."""
    found = places(tree)
    rows = [options for _, options in found]
    width = max((len(r) for r in rows), default=1)
    while prod(min(len(r), width) for r in rows) > MOST and width > 1:
        width -= 1
    spans = [node.span for node, _ in found]
    for chosen in itertools.product(*(r[:width] for r in rows)):
        yield dict(zip(spans, chosen, strict=True))


def closings(left: Dimension | None, tree: Node) -> list[Closed]:
    """The cheapest ways in which the sides come to measure the same; none where none does."""
    best: list[Closed] = []
    for chosen in assignments(tree):
        own = sum(o.cost for o in chosen.values())
        if best and own > best[0].cost:
            continue
        try:
            made = _Closing(chosen).closed(tree, left)
        except Clash:
            continue
        if best and made.cost < best[0].cost:
            best = []
        if not best or made.cost == best[0].cost:
            best.append(made)
    return best


class _Closing:
    """One assignment carried through a tree."""

    def __init__(self, chosen: Mapping[tuple[int, int], Option]) -> None:
        self.chosen = chosen
        self.counts: list[str] = []
        self.named: list[tuple[str, Option]] = []

    def closed(self, tree: Node, left: Dimension | None) -> Closed:
        made, measures = self.of(tree)
        if left is not None and measures != left:
            made = self.with_counts(made, left / measures)
        cost = sum(o.cost for o in self.chosen.values()) + COUNTING * len(self.counts)
        return Closed(made, left or measures, cost, tuple(self.named), tuple(self.counts))

    def of(self, node: Node) -> tuple[Node, Dimension]:
        """A part with its meanings written out, and what it measures."""
        match node:
            case Number() | Name():
                return self.leaf(node)
            case Measure(quantity=quantity):
                return node, quantity.dimension
            case Negative(inner=inner):
                made, measures = self.of(inner)
                return Negative(made), measures
            case Power(base=base, exponent=exponent):
                made, measures = self.of(base)
                return Power(made, exponent), measures**exponent
            case Binary(op=op, left=left, right=right):
                return self.binary(op, left, right)
            case Call(function=function, args=args):
                return self.call(function, args)
        raise Clash

    def leaf(self, node: Number | Name) -> tuple[Node, Dimension]:
        option = self.chosen.get(node.span)
        if option is not None and option.text:
            text = node.id if isinstance(node, Name) else str(node.value)
            self.named.append((text, option))
            return option.tree, option.measures
        return node, claim_unit(node.id).dimension if isinstance(node, Name) else NUMBER

    def binary(self, op: str, left: Node, right: Node) -> tuple[Node, Dimension]:
        (a, one), (b, two) = self.of(left), self.of(right)
        if op == "*":
            return Binary(op, a, b), one * two
        if op == "/":
            return Binary(op, a, b), one / two
        if is_zero(left) or is_zero(right):
            return Binary(op, a, b), two if is_zero(left) else one
        if one != two:
            b = self.with_counts(b, one / two)
        return Binary(op, a, b), one

    def call(self, function: str, args: tuple[Node, ...]) -> tuple[Node, Dimension]:
        found = [self.of(a) for a in args]
        first = next((d for (_, d), a in zip(found, args, strict=True) if not is_zero(a)), NUMBER)
        if function == "pow" and any(d != NUMBER for _, d in found):
            raise Clash
        if function in ("floor", "ceil") and first not in COUNTED:
            raise Clash
        made = tuple(
            m if d == first or is_zero(a) else self.with_counts(m, first / d)
            for (m, d), a in zip(found, args, strict=True)
        )
        return Call(function, made), first

    def with_counts(self, node: Node, lacking: Dimension) -> Node:
        """A part times (or over) counts of one, which is all that it may lack."""
        powers = dict(lacking.powers)
        if not set(powers) <= {base for base, _ in COUNTS}:
            raise Clash
        tokens = powers.get("token", 0)
        powers["request"] = powers.get("request", 0) + tokens  # one_token is token/request
        for base, count in COUNTS:
            power = powers.get(base, 0)
            if abs(power) > 1:
                raise Clash
            if power:
                node = Binary("*" if power > 0 else "/", node, Name(count))
                self.counts.append(count if power > 0 else f"1 / {count}")
        return node


def clash(tree: Node) -> DeriveError | None:
    """Why a side does not close in itself; None where it does."""
    try:
        tree_dimension(tree)
    except DeriveError as error:
        return error
    return None


def renamed(tree: Node, by: Mapping[str, Node]) -> Node:
    """Names replaced; all of what stands for a name keeps the place of the name."""
    if isinstance(tree, Name) and tree.id in by:
        return placed(by[tree.id], tree.span)
    return rebuild(tree, lambda part: renamed(part, by))


def placed(tree: Node, span: tuple[int, int]) -> Node:
    """A tree of which every part stands at one place."""
    return replace(rebuild(tree, lambda part: placed(part, span)), span=span)
