"""Alert thresholds of TTFT and of TPOT, each with its floor and its reachable range."""

from __future__ import annotations

from collections.abc import Iterator

from derive.study.checklist.case import DERIVED, TARGET, Case, Row, row
from derive.study.finding import text
from derive.study.results import said
from derive.text import Text, same, tr

FLOORS = {"TTFT": "t_prefill", "TPOT": "TPOT_floor"}


def alerts(case: Case) -> Iterator[Row]:
    """One line for each of the two, never one for both."""
    for name in ("TTFT", "TPOT"):
        goal = case.bound.inputs.get(f"target_{name}")
        yield row(
            f"alert-{name}",
            "alerts",
            tr("Alert on {name}", name=same(name)),
            threshold(case, name),
            TARGET if goal and case.value(FLOORS[name]) is not None else DERIVED,
            (name, FLOORS[name]),
        )


def threshold(case: Case, name: str) -> Text:
    """The target, else the slow end of the reachable range; the floor beside it."""
    found, goal = case.results[name], case.bound.inputs.get(f"target_{name}")
    floor = text(case.results, FLOORS[name])
    if found.value is None:
        why = case.why(name)
        if case.value(FLOORS[name]) is None:
            return tr("no threshold: {why}", why=why)
        if goal is None:
            return tr("no threshold: {why}; floor {floor}", why=why, floor=floor)
        return tr(
            "above the target of {goal}; floor {floor}; nothing reachable: {why}",
            goal=said(goal.quantity), floor=floor, why=why,
        )  # fmt: skip
    low, high = found.low or found.value, found.high or found.value
    parts = {"floor": floor, "low": said(low), "high": said(high)}
    if goal is None:
        return tr(
            "above {high}, the slow end of what is reachable ({low} to {high}); floor {floor}",
            **parts,
        )
    told = tr(
        "above the target of {goal}; floor {floor}, reachable {low} to {high}",
        goal=said(goal.quantity),
        **parts,
    )
    if goal.quantity.base < low.base:
        return tr("{told}: not reachable here, the alert would never end", told=told)
    if goal.quantity.base < high.base:
        return tr("{told}: within that range, expect alerts at low efficiency", told=told)
    return told
