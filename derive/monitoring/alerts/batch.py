"""The running batch and its contexts against what latency, compute and memory allow."""

from __future__ import annotations

from dataclasses import replace

from derive.monitoring.alerts.kinds import DERIVED, PLAIN, REPLICA, Alert, Case, LeftOut
from derive.monitoring.deployment import Limit
from derive.monitoring.promql import number
from derive.text import Text, tr


def batch_slo(case: Case) -> Alert | LeftOut:
    """More requests than meet the TPOT target."""
    none = tr("the scenario has no TPOT target") if "b_slo" not in case.found.results else None
    return count(case,
        "BatchAboveTPOTLimit", "b_slo", none or memory_first(case, "b_slo"),
        tr("{replica} runs more than {limit}", replica=REPLICA, limit=case.found.shown("b_slo")),
        slo_told(case),
        tr("limit the running batch of the engine to this number, or add replicas"),
    )  # fmt: skip


def slo_told(case: Case) -> Text:
    """What the target allows, and that steps which carry a chunk are not in it."""
    told = tr(
        "{value} requests run; at reachable rates the TPOT target allows {limit} at a context of {T}",
        value=PLAIN, limit=case.found.shown("b_slo"), T=case.found.shown("T"),
    )  # fmt: skip
    if not case.found.on("T_chunk"):
        return told
    told = tr(
        "{told}, by decode alone: steps that carry a chunk are longer and not in this limit",
        told=told,
    )
    if not case.found.get("T_chunk_slo"):
        return told
    return tr(
        "{told}; at {b} a chunk of {chunk} keeps the target",
        told=told, b=case.found.shown("b"), chunk=case.found.shown("T_chunk_slo"),
    )  # fmt: skip


def critical(case: Case) -> Alert | LeftOut:
    """Past the ridge a larger batch only costs latency."""
    found = case.found.critical
    shown = case.found.shown(found)
    return count(case,
        "BatchAboveCritical", found, memory_first(case, found),
        tr("{replica} runs above the critical batch of {limit}", replica=REPLICA, limit=shown),
        tr(
            "{value} requests run; from {limit} on decode is compute-bound at a context of {T}, and more requests raise "
            "TPOT without raising throughput",
            value=PLAIN, limit=shown, T=case.found.shown("T"),
        ),
        tr("add replicas rather than requests; a card with more compute helps here"),
    )  # fmt: skip


def memory(case: Case) -> Alert | LeftOut:
    """As many requests as memory holds."""
    found = "b_max_reserved" if case.found.get("b_max_reserved") is not None else "b_max"
    full = None if case.found.fits else tr("the scenario does not fit: memory holds no batch")
    shown = case.found.shown(found)
    return count(case,
        "BatchAboveMemoryLimit", found, full,
        tr("{replica} runs more requests than fit at full context", replica=REPLICA),
        tr(
            "{value} requests run; {limit} fit once each has its context of {T}",
            value=PLAIN, limit=shown, T=case.found.shown("T"),
        ),
        tr("expect preemptions: limit the running batch, shorten contexts or shrink the KV cache"),
    )  # fmt: skip


def context(case: Case) -> Alert | LeftOut:
    """Contexts longer than the scenario was derived for."""
    limit = case.found.get("T")
    if not limit:
        return LeftOut("ContextAboveAssumed", tr("the ledger has no {name}", name="T"))
    prompt, output = case.calm.prompt, case.calm.output
    return Alert(
        "ContextAboveAssumed",
        f"{case.own('context_tokens:mean30m')} > {number(limit)}",
        "info",
        Limit(limit, case.found.shown("T"), DERIVED),
        tr("contexts on {replica} are longer than derived for", replica=REPLICA),
        tr(
            "requests of the last 30 minutes held {value} tokens on average while decoding; the batch limits are those "
            "of {T}",
            value=PLAIN,
            T=case.found.shown("T"),
        ),
        tr("derive the scenario anew with these lengths and replace the rules"),
        (replace(case.calm, prompt=limit * 2),),
        ((replace(case.calm, prompt=prompt / 2, output=output / 2),),),
    )


def count(
    case: Case,
    name: str,
    found: str,
    why: Text | None,
    summary: Text,
    description: Text,
    action: Text,
) -> Alert | LeftOut:
    """A running batch above a count of the ledger."""
    limit = case.found.get(found)
    if why is not None or not limit:
        said = why or case.found.why_not(found) or tr("the ledger has no {name}", name=found)
        return LeftOut(name, said)
    return Alert(
        name,
        f"{case.own('requests_running:mean5m')} > {number(limit)}",
        "warning",
        Limit(limit, case.found.shown(found), DERIVED),
        summary,
        description,
        action,
        (replace(case.calm, running=limit * 2),),
        ((replace(case.calm, running=limit / 2),),),
    )


def memory_first(case: Case, name: str) -> Text | None:
    """Why a batch is never reached: memory holds fewer requests."""
    batch, memory = case.found.get(name), case.found.get("b_max")
    if batch is None or memory is None or batch <= memory:
        return None
    return tr(
        "memory ends before {b}: {limit} fit",
        b=case.found.shown(name), limit=case.found.shown("b_max"),
    )  # fmt: skip
