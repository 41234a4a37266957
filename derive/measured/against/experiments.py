"""Two runs, one variable changed: which hypothesis about the wall their ratio supports."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from derive.derivation.points import Point
from derive.formula import standing_in
from derive.measured.against.setting import Setting
from derive.measured.against.shares import get
from derive.text import Text, tr

TOLERANCE = Fraction(1, 10)  # what a careful measurement of TPOT tells apart
SUPPORTED, EXCLUDED = "supported", "excluded"


@dataclass(frozen=True)
class Hypothesis:
    """What would hold TPOT, and the ratio after over before that it predicts."""

    id: str
    text: Text
    expected: Fraction
    state: str


@dataclass(frozen=True)
class Experiment:
    """Which variables changed (before, after), the ratios, and what they say of each hypothesis."""

    changed: dict[str, tuple[Fraction, Fraction]]
    measured: Fraction
    expected: Fraction  # by the whole formula
    throughput: Fraction | None
    throughput_expected: Fraction
    hypotheses: list[Hypothesis]


VARIABLES = ("b", "T_mean", "w", "w_kv", "g", "P_peak", "B_peak")


def experiment(before: Setting, after: Setting) -> Experiment | None:
    """None where either run has no TPOT or the formulas no step."""
    one, other = point_of(before), point_of(after)
    with standing_in(before.bound.variants):
        start, rate = values(one), get(one, "X_meas")
    with standing_in(after.bound.variants):
        end, rate_after = values(other), get(other, "X_meas")
    if start is None or end is None:
        return None
    measured = end["TPOT_meas"] / start["TPOT_meas"]
    changed = {
        name: (start[name], end[name])
        for name in VARIABLES
        if name in start and name in end and start[name] != end[name]
    }
    expected = end["step"] / start["step"]
    of_batch = end["b"] / start["b"]
    return Experiment(
        changed, measured, expected,
        rate_after / rate if rate and rate_after else None, of_batch / expected,
        [judged(name, text, predicted, measured) for name, text, predicted in theories(start, end)],
    )  # fmt: skip


def point_of(setting: Setting) -> Point:
    """Peak rates at the mean context."""
    with standing_in(setting.bound.variants):
        point = setting.bound.peak
        mean = get(point, "T_mean")
    return point.with_(T=mean) if mean is not None else point


def values(point: Point) -> dict[str, Fraction] | None:
    """What the hypotheses compare; None where a step or a measured TPOT is missing."""
    found = {
        name: value
        for name in (*VARIABLES, "TPOT_meas", "W_read", "KV_total", "F_step", "n")
        if (value := get(point, name)) is not None
    }
    step = get(point, "t_step")
    if step is None or not {"TPOT_meas", "b", "n"} <= set(found):
        return None
    return {**found, "step": step / found["n"]}


def theories(
    start: dict[str, Fraction], end: dict[str, Fraction]
) -> list[tuple[str, Text, Fraction]]:
    """Each pure case: TPOT follows one term alone."""
    made = []
    for name, text, term, roof in (
        ("weights", tr("TPOT follows the weight bytes"), "W_read", "B_peak"),
        ("kv", tr("TPOT follows the KV bytes"), "KV_total", "B_peak"),
        ("compute", tr("TPOT follows the operations"), "F_step", "P_peak"),
    ):
        if start.get(term) and end.get(term):
            rates = (start[roof] * start["g"]) / (end[roof] * end["g"])
            made.append((name, text, end[term] / start[term] * rates))
    overhead = tr("TPOT follows neither: launches, scheduling or the latency of links")
    return [*made, ("overhead", overhead, Fraction(1))]


def judged(name: str, text: Text, expected: Fraction, measured: Fraction) -> Hypothesis:
    """Supported where the measured ratio is within what a measurement tells apart."""
    near = abs(measured / expected - 1) <= TOLERANCE
    return Hypothesis(name, text, expected, SUPPORTED if near else EXCLUDED)
