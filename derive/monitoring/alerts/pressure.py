"""KV cache, preemptions, queue, and silence."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from derive.monitoring.alerts.kinds import (
    NEARLY_FULL,
    PERCENT,
    PLAIN,
    QUEUE,
    REPLICA,
    RULE,
    Alert,
    Case,
)
from derive.monitoring.deployment import Limit
from derive.monitoring.promql import number
from derive.text import Text, same, tr


def kv_cache(case: Case) -> Alert:
    """The KV cache nearly full."""
    limit = Limit(NEARLY_FULL, same("90 %"), RULE)
    return Alert(
        "KVCacheNearlyFull",
        f"{case.own('kv_cache_usage:max5m')} > {number(NEARLY_FULL)}",
        "warning",
        limit,
        tr("KV cache of {replica} above {limit}", replica=REPLICA, limit=limit.shown),
        tr(
            "{value} of the KV cache is in use; the ledger gives room for {b} at a context of {T}",
            value=PERCENT, b=case.found.shown("b_max"), T=case.found.shown("T"),
        ),
        tr("new requests will wait or running ones will be preempted: limit admission or add replicas"),
        (replace(case.calm, kv_usage=Fraction(97, 100)),),
        ((replace(case.calm, kv_usage=Fraction(85, 100)),),),
    )  # fmt: skip


def preemptions(case: Case) -> Alert:
    """The engine takes requests out of the batch to make room."""
    return Alert(
        "Preemptions",
        f"{case.own('preemptions:rate5m')} > 0",
        "warning",
        Limit(Fraction(0), same("0"), RULE),
        tr("{replica} preempts requests", replica=REPLICA),
        tr(
            "{value} preemptions a second: the KV cache is too small for the running batch, and each one is computed "
            "again",
            value=PLAIN,
        ),
        tr(
            "limit the running batch to {b}, shorten contexts, shrink the KV cache or add replicas",
            b=case.found.shown("b_max_reserved" if case.found.get("b_max_reserved") else "b_max"),
        )
        if case.found.fits and case.found.get("b_max")
        else tr("shorten contexts, shrink the KV cache or add replicas"),
        (replace(case.calm, preemptions=Fraction(1, 20)),),
        ((case.calm,),),
    )


def queue(case: Case) -> Alert:
    """Requests wait all the time."""
    return Alert(
        "RequestsWaiting",
        f"{case.own('requests_waiting:mean5m')} >= {number(QUEUE)}",
        "warning",
        Limit(QUEUE, same("1"), RULE),
        tr("requests wait on {replica}", replica=REPLICA),
        tr(
            "{value} requests wait on average over 5 minutes; their wait is part of TTFT and no bound counts it",
            value=PLAIN,
        ),
        tr("compare the arrival rate with what a replica serves; add replicas or limit admission"),
        (replace(case.calm, waiting=QUEUE * 5),),
        ((replace(case.calm, waiting=QUEUE / 5),),),
    )


def silent(case: Case) -> Alert:
    """Nothing is recorded: an engine that is down or has other names."""
    return Alert(
        "EngineMetricsMissing",
        f"absent({case.own('requests_running:mean5m')})",
        "warning",
        Limit(Fraction(0), Text("no series", "无时间序列"), RULE),
        tr("no metrics of the serving engine"),
        tr("no replica reports running requests, so none of these rules can fire"),
        tr(
            "check that the engine is up and scraped, and that its metric names are those of the rules"
        ),
        (),
        ((case.calm,),),
    )
