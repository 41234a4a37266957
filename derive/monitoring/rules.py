"""The rule file: recording rules, alerts, and a head that says what they assume and what is left out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from derive.monitoring.alerts import alerts
from derive.monitoring.alerts.kinds import Alert, LeftOut
from derive.monitoring.deployment import Deployment
from derive.monitoring.engines import VLLM, Engine
from derive.monitoring.recording import Series, recorded
from derive.monitoring.wording import annotation, comments, literal
from derive.monitoring.yaml_text import dump
from derive.text import Text, same, tr

BASES = {
    "target": Text("the target of the scenario", "场景给定的目标"),
    "derived": Text("derived in the ledger", "由账本推导"),
    "rule_of_thumb": Text("rule of thumb", "经验法则"),
}


def rules(
    ledger: Mapping[str, Any],
    lang: str = "en",
    engine: Engine = VLLM,
    only: Mapping[str, str] | None = None,
) -> str:
    """A Prometheus rule file; `only` are labels that restrict it to one service."""
    found = Deployment(ledger)
    series = Series(found, engine, only or {})
    made = alerts(found)
    left_out = [a for a in made if isinstance(a, LeftOut)]
    group = {
        "name": f"derive:{found.id}",
        "rules": [
            *(
                {"record": f"derive:{r.name}", "expr": r.expr, "labels": {"scenario": found.id}}
                for r in recorded(found, engine, only or {})
            ),
            *(alerting(found, a, lang) for a in made if isinstance(a, Alert)),
        ],
    }
    return comments([*head(found, series), *map(absence, left_out)], lang) + dump(
        {"groups": [group]}
    )


def alerting(found: Deployment, alert: Alert, lang: str) -> dict[str, Any]:
    """One alerting rule."""
    threshold = tr("{limit}: {basis}", limit=alert.limit.shown, basis=BASES[alert.limit.basis])
    texts = {
        "summary": alert.summary,
        "description": alert.description,
        "action": alert.action,
        "threshold": threshold,
    }
    told: dict[str, str] = {}
    for name, text in texts.items():
        told |= annotation(name, text, lang)
    return {
        "alert": alert.name,
        "expr": alert.expr,
        "for": alert.wait,
        "labels": {
            "severity": alert.severity,
            "scenario": literal(found.id),
            "basis": alert.limit.basis,
        },
        "annotations": {**told, "ledger": found.hash},
    }


def head(found: Deployment, series: Series) -> list[Text]:
    """What these rules hold for."""
    told = [
        tr("{title}: alerts and recording rules for {engine}", title=found.title,
           engine=same(series.engine.name)),
        tr("thresholds from the ledger {hash}; names of {engine} {versions}", hash=found.hash,
           engine=same(series.engine.name), versions=series.engine.versions),
        tr("one replica is {g}: one series by {labels}", g=found.shown("g"),
           labels=", ".join(series.replica)),
    ]  # fmt: skip
    if "g_tp" in found.inputs:
        told.append(
            tr(
                "no layout was named, so the ledger counts every byte once over all devices, a bound, and the engines of an "
                "instance are one replica; in every real layout devices hold copies, and fewer requests fit"
            )
        )
    if not series.only:
        told.append(
            tr(
                "every engine that Prometheus scrapes is taken for this deployment; with others beside it, restrict the rules "
                "to its labels"
            )
        )
    told += [
        tr(
            "latencies are means over 5 minutes, which the formulas are about; targets for a quantile are held against the "
            "recorded p50, p95 and p99"
        ),
        tr(
            "the step is the time between two outputs of a request; with speculation TPOT is shorter, as a step brings "
            "several tokens"
        ),
        *switched(found),
    ]
    goal, best = found.get("target_TPOT"), found.get("TPOT", "low")
    if goal is not None and best is not None and goal < best:
        told.append(
            tr(
                "the TPOT target of {limit} is below what is reachable: TPOTHigh will not end",
                limit=found.shown("target_TPOT"),
            )
        )
    return told


def switched(found: Deployment) -> Iterator[Text]:
    """What a switch of the scenario puts into these rules, and what no metric tells."""
    if found.on("alpha"):
        yield tr(
            "speculation is on: the bound of a step is that of a round, and its output that of the acceptance assumed; MFU "
            "counts tokens that are kept, not those that verification rejects"
        )
    if found.on("hit"):
        yield tr(
            "a prefix cache is on: TTFT is that of the share assumed; what it holds of one request no metric tells, only the "
            "mean of all"
        )
    if found.on("T_chunk"):
        yield tr(
            "prefill in chunks is on: the bound of a step counts the operations of the prompt tokens that a mean step carries; "
            "the KV cache that chunks read again is left out"
        )
    if found.on("g_pre"):
        yield tr(
            "prefill has devices of its own: these rules are for the engines that decode, so restrict them to their labels; "
            "utilization of the engines that prefill is not in them"
        )


def absence(one: LeftOut) -> Text:
    """The line of a rule that is not there."""
    return tr("left out: {name}: {why}", name=one.name, why=one.why)
