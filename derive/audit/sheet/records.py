"""What is found of a figure: the values it meets, against one product and against a whole name."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from derive.audit.sheet.entries import Entry
    from derive.audit.sheet.heard import Heard
    from derive.audit.types import Figure
    from derive.specs.types import Hardware

# what may set a hit apart, the first named first where several do
ORDER = ("unsupported", "which", "scope", "sparsity", "engine", "precision", "direction", "memory",
         "operations", "also")  # fmt: skip
RANK = ("consistent", "ambiguous", "unverifiable", "contradicted")


@dataclass(frozen=True)
class Hit:
    """A value that the figure meets; `why` it is not the plain one, `excluded` by the words."""

    entry: Entry
    count: int = 1
    why: frozenset[str] = frozenset()
    excluded: frozenset[str] = frozenset()
    near: bool = True  # the number itself, not only its rounding

    @property
    def cause(self) -> str:
        """The first thing that sets it apart; what the words exclude comes first."""
        among = self.excluded or self.why
        return next((c for c in ORDER if c in among), "")

    @property
    def likely(self) -> bool:
        """Whether one slip explains it: two that the words exclude, or one in a sum, do not."""
        unnamed = self.count > 1 and "scope" in self.why
        return len(self.excluded) + (unnamed and bool(self.excluded - {"scope"})) <= 1

    @property
    def weight(self) -> tuple[int, ...]:
        """For sorting: the likelier reading first."""
        first = ORDER.index(self.cause) if self.cause else -1
        rank = bool(self.excluded), bool(self.why), not self.near, len(self.why), first
        return *rank, self.entry.other is not None


@dataclass(frozen=True)
class Match:
    """One figure against one product."""

    figure: Figure
    product: Hardware
    said: Heard
    verdict: str
    cause: str  # "" where plainly right, "none" where nothing is met, else of ORDER
    hits: tuple[Hit, ...] = ()
    plain: tuple[Entry, ...] = field(default=(), compare=False)  # what it would be as said
    sheet: tuple[Entry, ...] = field(default=(), compare=False)  # everything in the spec


@dataclass(frozen=True)
class Judgement:
    """One figure against every product that its name may mean."""

    figure: Figure
    each: tuple[Match, ...]
    verdict: str
    cause: str

    @property
    def best(self) -> Match:
        """The product it fits best."""
        return min(self.each, key=lambda m: (RANK.index(m.verdict), fit(m)))


def fit(match: Match) -> tuple[int, ...]:
    """How near the best hit is; nothing met comes last."""
    return match.hits[0].weight if match.hits else (2,)


def relabelled(judgement: Judgement) -> bool:
    """Whether a figure is right as the marketed digits with GB for GiB."""
    hits = judgement.best.hits
    return judgement.verdict == "consistent" and bool(hits) and hits[0].entry.form == "relabelled"
