"""Bands of the measured ratio: the step at peak, at the mean context, over measured TPOT."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from derive.derivation.points import Absent, Point, Undefined
from derive.study.checklist.case import DERIVED, RULE, Case, Row, row, spoken
from derive.study.finding import times
from derive.text import Text, tr

LOW, HIGH = Fraction(3, 10), Fraction(3, 5)  # rules of thumb of the field, of this ratio
STEP = ("t_step", "T_mean")


def bands(case: Case) -> Iterator[Row]:
    """Below 0.3, above 0.6, above 1: as TPOT of this deployment."""
    try:
        best = at_peak(case.mean)
        floor = case.point.get("TPOT_floor")
    except (Absent, Undefined):
        return
    if case.fits:
        yield from advice(best, floor, what_helps(case))
    yield row(
        "ratio-one", "bands", tr("Step at peak over TPOT above 1"),
        tr(
            "below {TPOT} no run can be, by what is really read and multiplied: look for speculation, prefix cache, another "
            "precision, batch or card, an aggregate number",
            TPOT=spoken(least(case), "TPOT"),
        ), DERIVED, ("t_step", "W_stream"),
    )  # fmt: skip


def advice(best: Fraction, floor: Fraction, lever: Text) -> Iterator[Row]:
    """The two edges, and where the money goes on either side."""
    slow, fast = best / LOW, best / HIGH
    yield row(
        "ratio-low", "bands", tr("Step at peak over TPOT below 0.3"),
        tr(
            "TPOT above {TPOT} (over the weights alone: {weights}): software. First: kernels, CUDA graphs, batching gaps, "
            "collectives; new hardware later",
            TPOT=spoken(slow, "TPOT"), weights=times(floor / slow),
        ), RULE, STEP,
    )  # fmt: skip
    yield row(
        "ratio-high", "bands", tr("Step at peak over TPOT above 0.6"),
        tr(
            "TPOT below {TPOT} (over the weights alone: {weights}): the hardware is the limit. First: {lever}; leave the "
            "kernels alone",
            TPOT=spoken(fast, "TPOT"), weights=times(floor / fast), lever=lever,
        ), RULE, STEP,
    )  # fmt: skip


def what_helps(case: Case) -> Text:
    """What moves a step that runs as fast as its roof allows."""
    if not case.memory_side:
        return tr("more compute or a smaller batch")
    kv, weights = (case.value(case.moved(n)) for n in ("KV_total", "W_read"))
    if kv is not None and weights is not None and kv > weights:
        return tr("fewer KV bytes or more bandwidth")
    return tr("fewer weight bytes or more bandwidth")


def least(case: Case) -> Fraction:
    """TPOT at peak by what is really read and multiplied: tables that are looked up are not."""
    there = lightened(case.mean, case.bound.derived)
    return at_peak(there)


def at_peak(point: Point) -> Fraction:
    """TPOT at peak rates: a step over its tokens, with speculation a round over what it yields."""
    if "alpha" in point.given:
        return point.with_(MFU=Fraction(1), MBU=Fraction(1)).get("TPOT")
    return point.get("t_step") / point.get("n")


def lightened(point: Point, by_hand: tuple[str, ...]) -> Point:
    """A point without the lookups that first-order formulas count."""
    change: dict[str, Fraction] = {}
    for name, real in (("W_read", "W_stream"), ("F_tok", "c_op * N_mat")):
        if name in by_hand:
            continue
        try:
            lower = point.get("c_op") * point.get("N_mat") if name == "F_tok" else point.get(real)
            if lower < point.get(name):
                change[name] = lower
        except (Absent, Undefined):
            continue
    return point.with_(**change)
