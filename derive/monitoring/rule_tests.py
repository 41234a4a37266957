"""Unit tests of the rules for `promtool test rules`: each alert fires where it must, and only there."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from derive.monitoring.alerts import alerts
from derive.monitoring.alerts.kinds import Alert
from derive.monitoring.deployment import Deployment
from derive.monitoring.engines import VLLM, Engine
from derive.monitoring.promql import matchers, number, quoted
from derive.monitoring.signals import Signals
from derive.monitoring.yaml_text import dump

MINUTES, CHANGE, LOOK = 90, 60, 85  # of the series; the second state starts, the alerts are read
MINUTE = 60
EVALUATED = "5m"  # alerts need no finer steps, and the tests take a fifth of the time
# upper ends of the buckets, in seconds
BUCKETS = {"ttft": ("0.1", "1", "10", "+Inf"), "step": ("0.01", "0.1", "1", "+Inf")}


def rules_tests(
    ledger: Mapping[str, Any],
    rule_file: str,
    engine: Engine = VLLM,
    only: Mapping[str, str] | None = None,
    version: int = 0,
) -> str:
    """The test file beside `rule_file`; `version` counts back to older names of metrics."""
    found = Deployment(ledger)
    labels = {
        "job": "engine", "instance": "replica-0", "model_name": "model",
        engine.engine_label: "0", **(only or {}),
    }  # fmt: skip
    tests = []
    for alert in alerts(found):
        if isinstance(alert, Alert):
            for states, fires in ((alert.fires, True), *((q, False) for q in alert.quiet)):
                series = inputs(states, engine, labels, version)
                tests.append(test(found, alert, series, fires))
    return dump({"rule_files": [rule_file], "evaluation_interval": EVALUATED, "tests": tests})


def test(found: Deployment, alert: Alert, series: list[Any], fires: bool) -> dict[str, Any]:
    """One state of a replica and what one alert makes of it."""
    named = {"alertname": alert.name, "alertstate": "firing", "scenario": found.id}
    count = f"count by (alertname) (ALERTS{matchers(named)})"
    seen = {"labels": f"{{alertname={quoted(alert.name)}}}", "value": 1}
    return {
        "name": f"{alert.name} {'fires' if fires else 'stays quiet'}",
        "interval": "1m",
        "input_series": series,
        "promql_expr_test": [
            {"expr": count, "eval_time": f"{LOOK}m", "exp_samples": [seen] if fires else []}
        ],
    }


def inputs(
    states: tuple[Signals, ...], engine: Engine, labels: Mapping[str, str], version: int
) -> list[dict[str, str]]:
    """The series that an engine in these states exposes."""
    if not states:
        return []
    rates = [per_second(s) for s in (states[0], states[-1])]
    made = []
    for key in rates[0]:
        metric, _, part = key.partition(" ")
        names = engine.metrics[metric].names
        name = names[min(version, len(names) - 1)] + part.partition("{")[0]
        bound = part.partition("{")[2].removesuffix("}")
        both = [r[key] for r in rates]
        gauge = engine.metrics[metric].kind == "gauge"
        tags = {**labels, "le": bound} if bound else dict(labels)
        made.append(
            {"series": name + matchers(tags), "values": level(*both) if gauge else growth(*both)}
        )
    return made


def per_second(state: Signals) -> dict[str, Fraction]:
    """Gauges as they are, counters as their increase a second; histograms by their parts."""
    steps = state.running / state.step  # outputs a second
    finished = steps * state.tokens / max(state.output, Fraction(1))
    made = {
        "running": state.running,
        "waiting": state.waiting,
        "kv_usage": state.kv_usage,
        "preemptions": state.preemptions,
        "output": steps * state.tokens + finished,
        "prompt": finished * state.prompt,
        "cached": finished * state.prompt * state.found,
        "queried": finished * state.prompt,
        "drafts": steps,
        "accepted_tokens": steps * (state.tokens - 1),
    }
    for metric, each, count in (
        ("ttft", state.ttft, finished), ("step", state.step, steps),
        ("prompt_length", state.prompt, finished), ("output_length", state.output, finished),
    ):  # fmt: skip
        made |= {f"{metric} _sum": each * count, f"{metric} _count": count}
        for end in BUCKETS.get(metric, ()):
            inside = end == "+Inf" or each <= Fraction(end)
            made[f"{metric} _bucket{{{end}}}"] = count if inside else Fraction(0)
    return made


def level(before: Fraction, after: Fraction) -> str:
    """A gauge at two levels."""
    return f"{number(before)}x{CHANGE - 1} {number(after)}x{MINUTES - CHANGE}"


def growth(before: Fraction, after: Fraction) -> str:
    """A counter that grows at two rates."""
    first, second = before * MINUTE, after * MINUTE
    start = first * (CHANGE - 1) + second
    return f"0+{number(first)}x{CHANGE - 1} {number(start)}+{number(second)}x{MINUTES - CHANGE}"
