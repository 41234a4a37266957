"""How often one value is another: the multiples and shares that a claim states."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from derive.audit.interval import Interval

if TYPE_CHECKING:
    from derive.audit.types import Claim, Figure, Span

TWO = Fraction(2)
NEAR = 2  # characters between a number and its "times"
DOUBLE = ("twice", "double", "doubles", "两倍", "翻倍")


@dataclass(frozen=True)
class Multiple:
    """A stated ratio with where it stands; the figure that says it, where one does."""

    interval: Interval
    text: str
    span: Span
    figure: Figure | None = None

    def meets(self, value: Fraction) -> bool:
        """Whether an exact ratio lies within what is stated."""
        return self.interval.low <= value <= self.interval.high


def multiple(claim: Claim) -> Multiple | None:
    """The first number that is said to be a multiple (18 times, 30x, 2.4 倍), or "twice"."""
    words = [t for t in claim.terms if t.kind == "relation" and t.says == "times"]
    for figure in claim.figures:
        if figure.role not in ("number", "ratio") or figure.unit.terms:
            continue
        start, end = figure.span
        if any(start < t.span[1] and t.span[0] <= end + NEAR for t in words):
            return Multiple(figure.interval, figure.text, figure.span, figure)
    for term in words:
        text = claim.text[slice(*term.span)]
        if text.lower() in DOUBLE:
            return Multiple(Interval.of(TWO), text, term.span)
    return None


def share(claim: Claim) -> Multiple | None:
    """The first percentage that is a share of something."""
    for figure in claim.of("share", "mbu"):
        if any(symbol == "%" for symbol, _ in figure.unit.terms):
            return Multiple(figure.interval, figure.text, figure.span, figure)
    return None
