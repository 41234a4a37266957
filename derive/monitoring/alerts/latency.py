"""TTFT and TPOT, each against its own threshold."""

from __future__ import annotations

from dataclasses import replace

from derive.monitoring.alerts.kinds import DERIVED, REPLICA, SECONDS, TARGET, Alert, Case, LeftOut
from derive.monitoring.deployment import Limit
from derive.monitoring.promql import number
from derive.text import tr


def ttft(case: Case) -> Alert | LeftOut:
    """Mean time to first token above its threshold."""
    limit = latency(case, "TTFT")
    if isinstance(limit, LeftOut):
        return limit
    return Alert(
        "TTFTHigh",
        f"{case.own('ttft_seconds:mean5m')} > {number(limit.value)}",
        severe(limit),
        limit,
        tr("TTFT on {replica} above {limit}", replica=REPLICA, limit=limit.shown),
        tr(
            "mean TTFT over 5 minutes is {value}, queueing included; one prompt takes {floor} at peak rates on an idle "
            "replica",
            value=SECONDS,
            floor=case.found.shown("t_prefill"),
        ),
        tr(
            "look at the waiting requests first: with a queue add replicas or limit admission; without one compare "
            "prompt lengths with {T_in} and look for prefill that is not batched or not cached",
            T_in=case.found.shown("T_in") if case.found.get("T_in") else case.found.shown("T"),
        ),
        (replace(case.calm, ttft=limit.value * 2),),
        ((replace(case.calm, ttft=limit.value / 2),),),
    )


def tpot(case: Case) -> Alert | LeftOut:
    """Mean time per output token above its threshold."""
    limit = latency(case, "TPOT")
    if isinstance(limit, LeftOut):
        return limit
    least = limit.value * case.calm.tokens
    return Alert(
        "TPOTHigh",
        f"{case.own('tpot_seconds:mean5m')} > {number(limit.value)}",
        severe(limit),
        limit,
        tr("TPOT on {replica} above {limit}", replica=REPLICA, limit=limit.shown),
        tr(
            "mean TPOT over 5 minutes is {value}; a step at peak rates and {b} takes {floor}",
            value=SECONDS,
            b=case.found.shown("b"),
            floor=case.found.shown("t_step"),
        ),
        tr(
            "read the share of the bound: near 0.6 or above the hardware is the limit, so lower the running batch or "
            "the bytes of a step; below 0.3 look at the software first"
        ),
        (replace(case.calm, step=least * 2),),
        ((replace(case.calm, step=least / 2),),),
    )


def latency(case: Case, name: str) -> Limit | LeftOut:
    """The target, else the slow end of what is reachable."""
    goal, slow = case.found.get(f"target_{name}"), case.found.get(name, "high")
    if goal is not None:
        return Limit(goal, case.found.shown(f"target_{name}"), TARGET)
    if slow is not None:
        return Limit(slow, case.found.shown(name, "high"), DERIVED)
    why = case.found.why_not(name) or tr("no target and no reachable value")
    return LeftOut(f"{name}High", why)


def severe(limit: Limit) -> str:
    """A missed target is an incident, a missed expectation is not."""
    return "critical" if limit.basis == TARGET else "warning"
