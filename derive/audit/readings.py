"""What a number can mean, and what follows when some of the meanings hold and others do not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from derive.audit.interval import Interval
from derive.audit.types import Reading
from derive.units import Quantity

if TYPE_CHECKING:
    from derive.audit.types import Figure
    from derive.text import Text


@dataclass(frozen=True)
class Candidate:
    """A value that a figure may stand for.

    `plain` is the reading that needs no further word (dense, decimal, one direction, one device);
    `admitted` is False where the words of the claim exclude it.
    """

    value: Quantity
    under: Text
    plain: bool = False
    admitted: bool = True
    sources: tuple[str, ...] = ()
    half: Fraction = Fraction(0)  # in the unit of the value, where that is itself rounded
    sentence: Text | None = None  # the value as a full sentence
    more: Text | None = None  # what the span allows beyond the value: 35 GB to 52.5 GB with scales
    span: Interval | None = None  # in base units, where what is allowed is not centred on the value

    @property
    def interval(self) -> Interval:
        """What the value stands for."""
        if self.span is not None:
            return self.span
        return Interval.of(self.value.base, self.half * self.value.unit.factor)

    @property
    def reading(self) -> Reading:
        """As a finding lists it."""
        return Reading(self.value, self.under)


@dataclass(frozen=True)
class Outcome:
    """How a figure stands to its candidates: the verdict and those that hold."""

    verdict: str
    hits: tuple[Candidate, ...]
    candidates: tuple[Candidate, ...]

    @property
    def excluded(self) -> bool:
        """Whether the number is right only under a reading that the claim's words exclude."""
        return self.verdict == "contradicted" and bool(self.hits)


def outcome(figure: Figure, candidates: Sequence[Candidate]) -> Outcome:
    """`consistent` under a plain reading, `ambiguous` under others, else `contradicted`."""
    hits = [c for c in candidates if figure.interval.meets(c.interval)]
    admitted = [c for c in hits if c.admitted]
    if any(c.plain for c in admitted):
        return Outcome("consistent", tuple(admitted), tuple(candidates))
    if admitted:
        return Outcome("ambiguous", tuple(admitted), tuple(candidates))
    return Outcome("contradicted", tuple(hits), tuple(candidates))


def together(verdicts: Iterable[str]) -> str:
    """The verdict over several things that a name may mean: alike, or ambiguous."""
    found = set(verdicts)
    return found.pop() if len(found) == 1 else "ambiguous"
