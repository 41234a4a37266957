"""Alerting rules: each threshold is the ledger's, the scenario's target or a named rule of thumb."""

from __future__ import annotations

from derive.monitoring.alerts.assumed import acceptance, prefix_hits
from derive.monitoring.alerts.batch import batch_slo, context, critical, memory
from derive.monitoring.alerts.bound import faster, flat, software
from derive.monitoring.alerts.kinds import Alert, Case, LeftOut
from derive.monitoring.alerts.latency import tpot, ttft
from derive.monitoring.alerts.pressure import kv_cache, preemptions, queue, silent
from derive.monitoring.deployment import Deployment

RULES = (
    ttft, tpot, software, faster, batch_slo, critical, memory, kv_cache, preemptions, queue, flat,
    context, acceptance, prefix_hits, silent,
)  # fmt: skip

ONLY_WITH = {acceptance: ("alpha",), prefix_hits: ("hit",)}  # no line at all where it is off


def alerts(found: Deployment) -> list[Alert | LeftOut]:
    """Every rule, or why it is left out."""
    case = Case(found)
    return [made(case) for made in RULES if all(map(found.on, ONLY_WITH.get(made, ())))]
