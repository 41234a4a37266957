"""Three changes of one variable, and what the formulas expect of each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from derive.derivation.points import Absent, Point
from derive.study.checklist.case import DERIVED, HARDLY, Case, Row, left_out, row
from derive.study.finding import times
from derive.text import Text, tr


@dataclass(frozen=True)
class Trial:
    """One change and the quantities that are watched."""

    id: str
    question: Text
    change: dict[str, Fraction]
    watched: tuple[str, ...]
    bits: int = 0


def experiments(case: Case) -> Iterator[Row]:
    """The changes that this deployment allows."""
    if not case.fits:
        yield left_out(case, "experiments", tr("No experiment here"))
        return
    half = Trial("half-T", tr("Halve the context"), {"T": case.point.get("T") / 2}, ("TPOT",))
    trials = (*another_batch(case.point, case.value("b_max")), half, *fewer_bits(case.point))
    for trial in trials:
        ratios = [r for w in trial.watched if (r := case.ratio(w, **trial.change)) is not None]
        if len(ratios) == len(trial.watched):
            answer = expected(trial.watched, ratios)
            yield row(trial.id, "experiments", trial.question, answer, DERIVED, trial.watched)


def expected(watched: tuple[str, ...], ratios: list[Fraction]) -> Text:
    """The ratios, and what another one means."""
    found = [f"{w} × {times(r)}" for w, r in zip(watched, ratios, strict=True)]
    pairs = Text(", ".join(found), "、".join(found))
    if all(abs(r - 1) < HARDLY for r in ratios):
        return tr(
            "expect {pairs}, hardly a change; above 10 %: another wall than assumed",
            pairs=pairs,
        )
    return tr(
        "expect {pairs} within 10 %; another ratio: another wall than assumed",
        pairs=pairs,
    )


def another_batch(point: Point, limit: Fraction | None) -> list[Trial]:
    """Twice the batch, or half of it where memory holds no more."""
    b = point.get("b")
    if limit is None or b * 2 <= limit:
        return [Trial("double-b", tr("Double the batch"), {"b": b * 2}, ("TPOT", "X"))]
    if b % 2 == 0:
        return [Trial("half-b", tr("Halve the batch"), {"b": b / 2}, ("TPOT", "X"))]
    return []


def fewer_bits(point: Point) -> list[Trial]:
    """Weights in the next smaller format; scales beside them make a format a little wider."""
    try:
        w = point.get("w")
    except Absent:
        return []
    if w > Fraction(3, 2):
        return [Trial("int8", tr("Weights in 8 bits"), {"w": Fraction(1)}, ("TPOT",), 8)]
    if w > Fraction(3, 4):
        return [Trial("int4", tr("Weights in 4 bits"), {"w": Fraction(1, 2)}, ("TPOT",), 4)]
    return []
