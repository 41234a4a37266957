"""What the rules on printed arithmetic share: the verdict on a result, which figures are alike."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from derive.audit.consistency.between import COUNTED
from derive.audit.consistency.slips import positive, slip
from derive.audit.types import Finding
from derive.text import Text, same, tr
from derive.units import Quantity, show

if TYPE_CHECKING:
    from derive.audit.interval import Interval
    from derive.audit.types import Claim, Figure


def result(
    rule_id: str, claim: Claim, figures: tuple[Figure, ...], printed: Figure, expected: Interval,
    line: Text, *, others: tuple[tuple[Interval, Text], ...] = (),
) -> Finding:  # fmt: skip
    """Right, right under another reading, or wrong by a factor."""
    spans = tuple(f.span for f in figures)
    if printed.interval.meets(expected):
        what = tr("{line} agrees with {figure}", line=line, figure=same(printed.text))
        return Finding(rule_id, "consistent", "info", what, spans, (), (line,))
    for interval, under in others:
        if printed.interval.meets(interval):
            what = tr(
                "{figure} is right under one reading only: {under}",
                figure=same(printed.text),
                under=under,
            )
            return Finding(
                rule_id, "ambiguous", "warning", what, spans, (), (line,), should_read(line)
            )
    cause = None
    if printed.interval.high > 0:
        cause = slip(
            expected / positive(printed.interval), printed.dimension, chinese="亿" in claim.text
        )
    what = tr("{line}, not {figure}{cause}", line=line, figure=same(printed.text.strip("=≈ ")),
              cause=tr(" ({cause})", cause=cause.cause) if cause else same(""))  # fmt: skip
    return Finding(rule_id, "contradicted", "error", what, spans, (), (line,), should_read(line))


def should_read(line: Text) -> Text:
    """A right line of arithmetic as a sentence."""
    return tr("It should read {line}.", line=line)


def shown(value: Fraction, of: Figure) -> str:
    """A value in the unit of a figure, with the sign before it."""
    made = show(Quantity(value / of.unit.factor, of.unit), fixed=of.unit if of.unit.terms else None)
    return made.equals


def like(one: Figure, other: Figure) -> bool:
    """Whether two figures measure the same kind of thing and are no counts of devices or shares."""
    return (
        one.dimension == other.dimension
        and bool(one.unit.terms)
        and not {one.role, other.role} & {"share", "mfu", "mbu", *COUNTED}
    )


def triples(claim: Claim) -> Iterator[tuple[Figure, Figure, Figure]]:
    """Three neighbours, devices left out."""
    listed = [f for f in claim.figures if f.role not in COUNTED]
    yield from zip(listed, listed[1:], listed[2:], strict=False)


def bare(figure: Figure) -> bool:
    """A number without a unit."""
    return not figure.unit.terms
