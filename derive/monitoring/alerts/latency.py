"""TTFT and TPOT, each against its own threshold."""

from __future__ import annotations

from dataclasses import replace

from derive.monitoring.alerts.kinds import DERIVED, REPLICA, SECONDS, TARGET, Alert, Case, LeftOut
from derive.monitoring.deployment import Limit
from derive.monitoring.promql import number
from derive.text import Text, tr


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
        ttft_told(case),
        tr(
            "look at the waiting requests first: with a queue add replicas or limit admission; without one compare "
            "prompt lengths with {T_in} and look for prefill that is not batched or not cached",
            T_in=case.found.shown("T_in") if case.found.get("T_in") else case.found.shown("T"),
        ),
        (replace(case.calm, ttft=limit.value * 2),),
        ((replace(case.calm, ttft=limit.value / 2),),),
    )


def ttft_told(case: Case) -> Text:
    """What is measured, its floor, and what no metric of an engine tells where a switch is on."""
    found = case.found
    told = tr(
        "mean TTFT over 5 minutes is {value}, queueing included; one prompt takes {floor} at peak rates on an idle "
        "replica",
        value=SECONDS,
        floor=found.shown("t_prefill"),
    )
    if found.on("hit"):
        told = tr(
            "{told}; that is with {T_new} of it to compute, as the prefix cache is assumed to hold the rest: when "
            "PrefixHitsBelowAssumed fires as well, the cause is there",
            told=told, T_new=found.shown("T_new"),
        )  # fmt: skip
    if found.on("T_chunk"):
        told = tr(
            "{told}; beside {b} in decode its chunks ride on {passes} steps and take {ttft}",
            told=told, b=found.shown("b"), passes=found.shown("N_pass"), ttft=found.shown("TTFT_mix"),
        )  # fmt: skip
    if found.on("g_pre"):
        told = tr(
            "{told}; not in any one engine's metric: an engine that prefills counts no hand-over ({move}), one that decodes "
            "counts no prefill, so clients wait longer than this shows: measure TTFT at the router as well",
            told=told, move=found.shown("t_move"),
        )  # fmt: skip
    return told


def tpot_told(case: Case) -> Text:
    """What is measured and its floor; what speculation and chunks add to it."""
    found = case.found
    parts = {"value": SECONDS, "b": found.shown("b")}
    if found.on("alpha"):
        told = tr(
            "mean TPOT over 5 minutes is {value}; a verification pass at peak rates and {b} takes {floor}, and a round yields "
            "{yields} by the acceptance assumed",
            floor=found.shown("t_step"), yields=found.shown("n_gain"), **parts,
        )  # fmt: skip
    else:
        told = tr(
            "mean TPOT over 5 minutes is {value}; a step at peak rates and {b} takes {floor}",
            floor=found.shown("t_step"), **parts,
        )  # fmt: skip
    if found.on("T_chunk"):
        told = tr(
            "{told}; while a prompt is prefilled each step carries a chunk, and TPOT is {mix} at reachable rates",
            told=told, mix=found.shown("TPOT_mix"),
        )  # fmt: skip
    return told


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
        tpot_told(case),
        tr(
            "read the share of the bound: near 0.6 or above the hardware is the limit, so lower the running batch or "
            "the bytes of a step; below 0.3 look at the software first"
        ),
        (replace(case.calm, step=least * 2),),
        ((replace(case.calm, step=least / 2),),),
    )


def latency(case: Case, name: str) -> Limit | LeftOut:
    """The target, else the slow end of what is reachable."""
    goal, reached = case.found.get(f"target_{name}"), mixed(case, name)
    slow = case.found.get(reached, "high")
    if goal is not None:
        return Limit(goal, case.found.shown(f"target_{name}"), TARGET)
    if slow is not None:
        return Limit(slow, case.found.shown(reached, "high"), DERIVED)
    why = case.found.why_not(name) or tr("no target and no reachable value")
    return LeftOut(f"{name}High", why)


def mixed(case: Case, name: str) -> str:
    """The formula of a latency as it is served: with chunks prompts ride on steps of decode."""
    return f"{name}_mix" if case.found.on("T_chunk") else name


def severe(limit: Limit) -> str:
    """A missed target is an incident, a missed expectation is not."""
    return "critical" if limit.basis == TARGET else "warning"
