"""What was read of a claim, and what is answered; immutable records that know no words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

from derive.audit.interval import Interval
from derive.errors import Place
from derive.text import Text
from derive.units import Dimension, Quantity, Unit

if TYPE_CHECKING:
    from collections.abc import Iterable

Span = tuple[int, int]  # characters of the claim's own text, end excluded
Conditions = Mapping[str, tuple[str, ...]]  # kind of the lexicon -> what the words say


@dataclass(frozen=True)
class Named:
    """A product or a model that the text names; several ids where the name leaves it open.

    `size` is the parameter count in a name that no spec carries ("a 70B model").
    """

    text: str
    span: Span
    ids: tuple[str, ...]
    size: Figure | None = None


@dataclass(frozen=True)
class Term:
    """A word of the lexicon where it stands: its kind and what it says."""

    kind: str
    says: str
    span: Span


@dataclass(frozen=True)
class Figure:
    """A number with its unit, the interval it stands for, and what it is a figure of.

    `role` is an entry of `roles.ROLES`; `conditions` hold what the words around it say of it;
    `bound` is "<=" (up to) or ">=" (at least).
    """

    text: str
    span: Span
    value: Fraction
    half: Fraction
    unit: Unit
    about: bool = False
    bound: str = ""
    role: str = ""
    conditions: Conditions = field(default_factory=dict)
    hardware: Named | None = None
    model: Named | None = None

    @cached_property
    def interval(self) -> Interval:
        """Everything that the printed number may stand for, in base units."""
        factor = self.unit.factor
        return Interval((self.value - self.half) * factor, (self.value + self.half) * factor)

    @property
    def quantity(self) -> Quantity:
        """The number as printed."""
        return Quantity(self.value, self.unit)

    @property
    def dimension(self) -> Dimension:
        """What it measures."""
        return self.unit.dimension

    def says(self, kind: str, *values: str) -> bool:
        """Whether the words around it say one of these values of a kind."""
        said = self.conditions.get(kind, ())
        return any(v in said for v in values) if values else bool(said)


@dataclass(frozen=True)
class Entry:
    """A claim as a file states it: fields beside or instead of the words, as they were written.

    `expect` and `exact` are for tests and readers; nothing here is judged by them.
    """

    id: str = ""
    subject: str = ""
    quantity: str = ""
    value: str = ""
    given: Mapping[str, str] = field(default_factory=dict)
    conditions: tuple[str, ...] = ()
    formula: str = ""
    source: tuple[str, ...] = ()
    note: str = ""
    exact: str = ""
    expect: tuple[str, ...] = ()


@dataclass(frozen=True)
class Claim:
    """One sentence as it was understood; `entry` holds what a file says beside the words.

    `columns` reach from its first column to the one behind its last where it is on one line.
    """

    text: str
    figures: tuple[Figure, ...] = ()
    hardware: tuple[Named, ...] = ()
    models: tuple[Named, ...] = ()
    terms: tuple[Term, ...] = ()
    unread: tuple[Span, ...] = ()
    place: Place = field(default_factory=Place)
    entry: Entry | None = None
    columns: Span | None = None

    @cached_property
    def roles(self) -> frozenset[str]:
        """The roles that its figures have."""
        return frozenset(f.role for f in self.figures)

    @cached_property
    def words(self) -> Conditions:
        """What it says of each kind, each once, in its order."""
        made: dict[str, dict[str, None]] = {}
        for term in self.terms:
            made.setdefault(term.kind, {})[term.says] = None
        return {kind: tuple(says) for kind, says in made.items()}

    def of(self, *roles: str) -> list[Figure]:
        """The figures of these roles, in their order."""
        if self.roles.isdisjoint(roles):
            return []
        return [f for f in self.figures if f.role in roles]

    def one(self, *roles: str) -> Figure | None:
        """The first figure of these roles."""
        return next(iter(self.of(*roles)), None)

    def said(self, kind: str) -> tuple[str, ...]:
        """What the whole claim says of a kind, each once, in its order."""
        return self.words.get(kind, ())

    def says(self, kind: str, *values: str) -> bool:
        """Whether the claim says one of these values of a kind, or anything where none is given."""
        said = self.said(kind)
        return any(v in said for v in values) if values else bool(said)


# gravest first (design: audit verdicts)
VERDICTS = ("unit_error", "exceeds_bound", "infeasible", "contradicted", "ambiguous",
            "unverifiable", "consistent")  # fmt: skip
SEVERITIES = ("error", "warning", "info")


@dataclass(frozen=True)
class Reading:
    """One thing that a number can mean: its value there, and under which condition."""

    value: Quantity
    under: Text


@dataclass(frozen=True)
class Finding:
    """What one rule has to say of a claim.

    severity info never changes a claim's verdict. `derivation` are lines of arithmetic; `remedies`
    say what would have to be true instead.
    """

    rule: str
    verdict: str
    severity: str
    message: Text
    spans: tuple[Span, ...] = ()
    readings: tuple[Reading, ...] = ()
    derivation: tuple[Text, ...] = ()
    corrected: Text | None = None
    remedies: tuple[Text, ...] = ()
    sources: tuple[str, ...] = ()
    aim: Text | None = None  # what the remedies are for: to be fast enough, to fit


@dataclass(frozen=True)
class Judged:
    """A claim with its verdict."""

    claim: Claim
    verdict: str
    severity: str
    findings: tuple[Finding, ...]


def gravest(findings: Iterable[Finding]) -> str:
    """The gravest verdict among findings that count; `consistent` without one."""
    counted = [f.verdict for f in findings if f.severity != "info"]
    return min(counted, key=VERDICTS.index, default="consistent")
