"""One candidate of a comparison: what is compared of it, computed again from its own ledger."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from derive.expression.text import plain
from derive.expression.tree import Binary, Call, Name, Node, Power, names, substitute
from derive.formula import catalogue
from derive.notation import CONSTANTS
from derive.study.inputs import lacks
from derive.text import Text
from derive.units import Quantity
from derive.verify.results import expected, fitting, needs
from derive.verify.texts import Broken, NoValue
from derive.verify.values import Ledger, Values

EXPLAINED = ("TTFT", "TPOT", "b_max", "cost_token")
OPENED = {"TPOT": ("t_step_eff",), "TPOT_tp": ("t_step_eff",)}  # where the roofs stand inside
ROOFS = {"P_peak": "compute", "B_peak": "memory"}
MISSING = (NoValue, Broken)


@dataclass(frozen=True)
class Branch:
    """What decides a result: a product of factors, and what else stands in its max and min."""

    roof: str
    factors: Mapping[str, tuple[int, Fraction]]  # text of a factor: its power, its value
    sums: Mapping[str, Mapping[str, Fraction]]  # of factors that are sums, the symbols in them
    beside: Mapping[str, Fraction]  # symbols of the arguments that do not decide
    value: Fraction


@dataclass(frozen=True)
class Candidate:
    """A ledger's numbers; under the formulas that its model calls for, all read at once."""

    ledger: Ledger
    fits: bool
    values: Mapping[str, Quantity | None]
    why: Mapping[str, tuple[Text, ...]]  # of what has no value: each reason that is true
    branches: Mapping[str, Branch | None]
    behind: Mapping[str, frozenset[str]]  # what each formula is computed from

    @property
    def record(self) -> Mapping[str, Any]:
        """The ledger itself."""
        return self.ledger.record

    @property
    def given(self) -> Mapping[str, Quantity]:
        """Inputs, and the calibration at its typical level."""
        return self.ledger.here.given


def candidate(record: Mapping[str, Any], rows: tuple[str, ...]) -> Candidate:
    """What is compared of a ledger that holds; its formulas must stand in meanwhile."""
    ledger = Ledger(record)
    values: dict[str, Quantity | None] = {}
    why: dict[str, tuple[Text, ...]] = {}
    for row in rows:
        if row in ledger.cards:
            values[row], told = expected(ledger, row)
            why[row] = (told,) if told else ()
        else:
            values[row], why[row] = None, tuple(lacking(ledger, row))
    branches = {row: branch(ledger, row) for row in EXPLAINED}
    fits = "g_fit" in ledger.cards and fitting(ledger)
    return Candidate(ledger, fits, values, why, branches, closures(ledger))


def lacking(ledger: Ledger, name: str) -> Iterator[Text]:
    """Why a ledger lacks a result: an input is not given, or a condition fails before."""
    asked = needs(catalogue()[name], set())
    for missing in sorted(asked - ledger.given.keys() - CONSTANTS.keys()):
        yield lacks(missing, ledger.given)
    for made in (catalogue()[name], *(catalogue()[n] for n in catalogue()[name].uses
                                      if n in catalogue())):  # fmt: skip
        yield from (c.meaning for c in (made.exists, made.otherwise) if c)


def closures(ledger: Ledger) -> dict[str, frozenset[str]]:
    """All symbols that each recorded formula is computed from, through every other."""
    used = {n: set(names(tree)) for n, tree in ledger.trees.items()}
    used |= {
        n: {*names(s.left), *names(s.right)} - {s.variable} for n, s in ledger.searches.items()
    }
    found: dict[str, frozenset[str]] = {}

    def of(name: str) -> frozenset[str]:
        if name not in found:
            found[name] = frozenset({name}).union(*(of(n) for n in used.get(name, ())))
        return found[name]

    for name in used:  # a ledger that holds defines nothing by itself
        of(name)
    return found


def branch(ledger: Ledger, name: str) -> Branch | None:
    """What decides a result; None where it was set, searched, or has no value."""
    if name in ledger.given or name not in ledger.trees:
        return None
    here = ledger.here
    try:
        opened = {n: ledger.trees[n] for n in OPENED.get(name, ()) if n in ledger.trees}
        deciding, beside = decided(substitute(ledger.trees[name], opened), here)
        factors = {plain(n): (power, base(n, here)) for n, power in product(deciding, 1)}
        sums = {
            plain(n): {symbol: here(symbol).base for symbol in names(n)}
            for n, _ in product(deciding, 1)
            if not isinstance(n, Name)
        }
        others = {symbol: here(symbol).base for n in beside for symbol in names(n)}
        roof = next((ROOFS[n] for n in names(deciding) if n in ROOFS), "")
        return Branch(roof, factors, sums, others, base(deciding, here))
    except MISSING:
        return None


def base(node: Node, here: Values) -> Fraction:
    """A tree's value in base units."""
    return here.in_its_unit(node).base


def decided(node: Node, here: Values) -> tuple[Node, list[Node]]:
    """A tree with the argument of each max and min that decides, unrounded; and the others."""
    if isinstance(node, Call) and node.function in ("floor", "ceil"):
        return decided(node.args[0], here)
    if isinstance(node, Call) and node.function in ("max", "min"):
        choose = max if node.function == "max" else min
        first = choose(node.args, key=lambda part: base(part, here))
        inner, beside = decided(first, here)
        return inner, [*beside, *(a for a in node.args if a is not first)]
    if isinstance(node, Binary):
        left, one = decided(node.left, here)
        right, two = decided(node.right, here)
        return Binary(node.op, left, right), [*one, *two]
    return node, []


def product(node: Node, power: int) -> Iterator[tuple[Node, int]]:
    """The factors of a tree with their powers; a sum is one."""
    if isinstance(node, Binary) and node.op in "*/":
        yield from product(node.left, power)
        yield from product(node.right, power if node.op == "*" else -power)
    elif isinstance(node, Power):
        yield from product(node.base, power * node.exponent)
    else:
        yield node, power
