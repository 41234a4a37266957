"""Whom to trust: what the datasheet gives, what is reachable, what was measured."""

from __future__ import annotations

from collections.abc import Iterator

from derive.derivation.points import Absent, Undefined
from derive.study.checklist.bands import least
from derive.study.checklist.case import DERIVED, MEASURED, RULE, Case, Row, row
from derive.study.finding import text
from derive.study.results import said
from derive.text import Text, joined, same, tr

NAMES = {"TPOT_meas": "TPOT", "TTFT_meas": "TTFT"}


def trust(case: Case) -> Iterator[Row]:
    """Three calibres, never mixed."""
    yield row("peak", "trust", tr("Peak"), peak(case), DERIVED, ("t_step", "t_prefill"))
    yield row("reachable", "trust", tr("Reachable"), reachable(case), RULE, ("TPOT", "TTFT"))
    yield row(
        "measured", "trust", tr("Measured"), measured(case), MEASURED,
        ("MBU_meas", "MFU_meas"),
    )  # fmt: skip


def peak(case: Case) -> Text:
    """The datasheet: a bound."""
    if case.value("t_step") is None:
        return case.why("t_step")
    parts = {
        "P": case.given("P_peak"), "B": case.given("B_peak"), "step": text(case.results, "t_step"),
    }  # fmt: skip
    if case.value("t_prefill") is None:
        return tr("{P} and {B}: a step takes {step}; a bound, no plan", **parts)
    return tr(
        "{P} and {B}: a step takes {step}, prefill {prefill}; a bound, no plan",
        prefill=text(case.results, "t_prefill"), **parts,
    )  # fmt: skip


def reachable(case: Case) -> Text:
    """Peak times MFU and MBU: what to plan with before there is a run."""
    found = [case.results[n] for n in ("TPOT", "TTFT")]
    if any(f.value is None for f in found):
        return next(case.why(f.id) for f in found if f.value is None)
    ends = [said(end) for f in found for end in (f.low or f.value, f.high or f.value) if end]
    return tr(
        "TPOT {a} to {b}, TTFT {c} to {d}, by the scenario's MFU and MBU: plan with it until measured",
        a=ends[0], b=ends[1], c=ends[2], d=ends[3],
    )  # fmt: skip


def measured(case: Case) -> Text:
    """The only calibre to promise."""
    given = [n for n in ("TPOT_meas", "TTFT_meas") if n in case.bound.inputs]
    if not given:
        return tr(
            "none given: measure TTFT and TPOT apart on this engine and load; promise only that"
        )
    parts = [tr("{name} {value}", name=same(NAMES[n]), value=case.given(n)) for n in given]
    if "TPOT_meas" in given and case.value("MBU_meas") is not None:
        parts.append(tr("an MBU of {MBU}", MBU=text(case.results, "MBU_meas")))
    if beaten(case):
        return tr(
            "{figures}: TPOT is below what this scenario can reach, promise nothing before that is explained",
            figures=joined(parts, ", ", "，"),
        )
    return tr("{figures}: only this may be promised", figures=joined(parts, ", ", "，"))


def beaten(case: Case) -> bool:
    """Whether measured TPOT is below what is really read and multiplied takes at peak rates."""
    found = case.bound.inputs.get("TPOT_meas")
    try:
        return found is not None and found.quantity.base < least(case)
    except (Absent, Undefined):
        return False
