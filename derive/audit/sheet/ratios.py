"""How often one value is another: the multiples and shares that a claim states."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from derive.audit.interval import Interval

if TYPE_CHECKING:
    from derive.audit.types import Claim, Figure, Span

TWO = Fraction(2)
NEAR = 2  # characters between a number and its "times"
MOST = 8  # multiples of a sentence that are held against anything
FAR = 60  # characters before a percentage in which the word of change stands
ASIDE = ("devices", "number", "ratio")  # figures that are no quantity of a product
# "43% more", 高出约 43%, "15% of", …的 15%
BEHIND = re.compile(
    r" ?(?:(?P<more>(?:more|higher|greater|larger|bigger|faster|better|above)(?![a-z]))"
    r"|(?P<less>(?:less|lower|fewer|smaller|slower|below)(?![a-z]))"
    r"|(?P<of>of(?= (?:the|what|an?|its|[A-Z]))))",
    re.IGNORECASE,
)
AHEAD = re.compile(
    r"(?:(?P<more>(?:(?<![a-z])(?:rais|increas|boost|improv|grow)[a-z]{0,6}[^0-9,;]{0,24} by"
    r"(?: about| roughly)? ?|高|多|快|大|强|领先|提升|提高|增加)出?)"
    r"|(?P<less>低|慢|小|弱|落后|减?少|降低)|(?P<of>的))了?[ 约大近]*$"
)
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
    """The first multiple (18 times, 30x, 2.4 倍), "twice", or percentage between products."""
    return next(iter(multiples(claim)), None)


def multiples(claim: Claim) -> list[Multiple]:
    """All of them in their order: numbers and percentages between two products, else a word."""
    found = [*in_numbers(claim)[:MOST], *in_percent(claim)[:MOST]]
    return sorted(found, key=lambda m: m.span) or in_words(claim)


def in_numbers(claim: Claim) -> list[Multiple]:
    """Numbers that a word or a sign marks as multiples."""
    words = [t for t in claim.terms if t.kind == "relation" and t.says == "times"]
    if not words:
        return []
    return [
        Multiple(f.interval, f.text, f.span, f)
        for f in claim.figures
        if f.role in ("number", "ratio") and not f.unit.terms
        and any(f.span[0] < t.span[1] and t.span[0] <= f.span[1] + NEAR for t in words)
    ]  # fmt: skip


def in_words(claim: Claim) -> list[Multiple]:
    """The first "twice" or 翻倍."""
    for term in claim.terms:
        text = claim.text[slice(*term.span)]
        if term.kind == "relation" and term.says == "times" and text.lower() in DOUBLE:
            return [Multiple(Interval.of(TWO), text, term.span)]
    return []


def in_percent(claim: Claim) -> list[Multiple]:
    """Percentages between two products: 43% more than, 15% of what the other has."""
    made: list[Multiple] = []
    if not claim.of("share") or len({n.ids for n in claim.hardware}) != 2:
        return made
    for figure in claim.of("share")[:MOST]:
        start, end = figure.span
        ahead, behind = (
            AHEAD.search(claim.text, max(0, start - FAR), start),
            BEHIND.match(claim.text, end),
        )
        if not (ahead or behind) or not any(symbol == "%" for symbol, _ in figure.unit.terms):
            continue
        said = (ahead or behind).groupdict()  # type: ignore[union-attr]  # one of them is there
        one = Interval.of(Fraction(1))
        ratio = (
            figure.interval
            if said["of"]
            else one - figure.interval
            if said["less"]
            else one + figure.interval
        )
        if ratio.low <= 0:
            continue
        if claim.says("relation", "less"):  # the words turn the quotient round
            ratio = one / ratio
        span = (ahead.start() if ahead else start, behind.end() if behind else end)
        span = figure.span if said["of"] else span
        made.append(Multiple(ratio, claim.text[slice(*span)].strip(), span, figure))
    return made


def others(claim: Claim, stated: Multiple) -> list[Figure]:
    """The figures of a claim but its multiples and counts."""
    aside = {m.span for m in multiples(claim)} | {stated.span}
    shares = [f for f in claim.of("share") if any(a <= f.span[0] < b for a, b in aside)]
    return [f for f in claim.figures if f not in shares and f.role not in ASIDE]


def share(claim: Claim) -> Multiple | None:
    """The first percentage that is a share of something."""
    for figure in claim.of("share", "mbu"):
        if any(symbol == "%" for symbol, _ in figure.unit.terms):
            return Multiple(figure.interval, figure.text, figure.span, figure)
    return None
