"""A printed value against the catalogue: evaluated at what is given, under each reading of GB."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from derive.audit.fields.evaluation import (
    Found,
    claim_unit,
    evaluate,
    evaluate_ratio,
    tree_dimension,
)
from derive.audit.fields.given import Given, read_given
from derive.audit.fields.quantities import CAPACITIES, VARIANTS, read
from derive.audit.interval import Interval
from derive.audit.reading.roles import ROLES
from derive.expression.grammar import parse
from derive.expression.tree import Name, Node
from derive.formula import catalogue
from derive.text import Text, tr
from derive.units import Unit

if TYPE_CHECKING:
    from derive.audit.types import Entry

RATIO = re.compile(r"(?<![A-Za-z_])(?:ratio(?: of)?)(?![A-Za-z_])|之比|比值", re.IGNORECASE)
AS_PRINTED = Text("as printed", "按所印单位")


@dataclass(frozen=True)
class Target:
    """What is claimed: an expression, its `ratio` after a change, or a ratio of given values."""

    text: str
    tree: Node | None
    unit: Unit
    ratio: bool = False


def target(text: str) -> Target:
    """The quantity that an entry names; DeriveError where it is none."""
    catalogue()
    plain = RATIO.sub(" ", text).strip()
    ratio = plain != text.strip()
    if not plain:
        return Target(text, None, Unit(), True)
    role = ROLES.get(plain)
    tree = parse(role.symbol if role and role.symbol else plain)
    dims = tree_dimension(tree, plain)
    contract = claim_unit(tree.id) if isinstance(tree, Name) else dims.unit
    return Target(text, tree, Unit() if ratio else contract, ratio)


@dataclass(frozen=True)
class Evaluated:
    """The quantity under one reading of the given values: one state, or before and after."""

    states: tuple[Found, ...]
    under: Text
    plain: bool
    binary: bool = False

    @property
    def last(self) -> Found:
        """The value that is claimed: the one after a change."""
        return self.states[-1]


@dataclass
class Case:
    """A structured claim made ready: target, given values, every reading of it."""

    entry: Entry
    target: Target
    given: dict[str, Given]
    readings: list[Evaluated] = field(default_factory=list)

    def intervals(self, *, binary: bool = False, state: int = 0) -> dict[str, Interval]:
        """The given values of one state, amounts of bytes as GB or as GiB."""
        made = {}
        for name, one in self.given.items():
            states = one.binary if binary and one.binary and name in CAPACITIES else one.states
            made[name] = states[min(state, len(states) - 1)]
        return made

    @property
    def steps(self) -> int:
        """How many states the given values have."""
        return max((len(g.states) for g in self.given.values()), default=1)


def ready(entry: Entry, more: Mapping[str, Given] | None = None) -> Case:
    """The case of an entry; `more` are facts of its subject, for what it does not give itself."""
    goal = target(entry.quantity)
    given = dict(more or {}) | read_given(entry.given)
    if isinstance(goal.tree, Name):
        given = {k: v for k, v in given.items() if k != goal.tree.id}
    return Case(entry, goal, given)


def evaluations(case: Case) -> Iterator[Evaluated]:
    """The quantity under every reading; Missing where none can be had."""
    tree = case.target.tree
    if tree is None:
        return
    wanted = tree.id if isinstance(tree, Name) else ""
    ways = [v for v in VARIANTS.get(wanted, ()) if set(v.needs) <= case.given.keys()]
    richest = max((len(v.needs) for v in ways), default=0)
    rows = [(read(v.text), v.under, len(v.needs) == richest) for v in ways] or [
        (tree, AS_PRINTED, True)
    ]
    if case.target.ratio:
        if case.steps > 1:
            found = evaluate_ratio(tree, case.intervals(), case.intervals(state=1))
            yield Evaluated((found,), tr("after over before"), plain=True)
        return
    for node, under, plain in rows:
        for binary in (
            (False, True)
            if any(n in CAPACITIES and g.binary for n, g in case.given.items())
            else (False,)
        ):
            states = tuple(
                evaluate(node, case.intervals(binary=binary, state=i)) for i in range(case.steps)
            )
            words = tr("given GB taken as GiB") if binary else under
            yield Evaluated(states, words, plain and not binary, binary)
