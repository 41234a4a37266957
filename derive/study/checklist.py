"""The on-call checklist as far as the formulas go: six questions and three experiments, filled in."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from derive.derivation.points import Absent, Point, Undefined
from derive.study.bind import Bound
from derive.study.findings import Results, critical, text, value
from derive.study.levers import Elasticity
from derive.study.results import said
from derive.study.verdict import per_percent, percent, wall
from derive.text import Text, same, tr
from derive.units import Quantity, show, unit

Row = dict[str, Any]


NEEDS_VALUE = ("bytes", "side", "floor")  # lines that say nothing without the value they refer to


def row(name: str, question: Text, answer: Text, basis: str, ref: str = "") -> Row:
    """One line; `basis` says whether its threshold is derived or a rule of thumb."""
    return {
        "id": name,
        "question": question.json(),
        "answer": answer.json(),
        "basis": basis,
        "ref": ref,
    }


def checklist(bound: Bound, results: Results, levers: list[Elasticity]) -> list[Row]:
    """Every line this scenario has numbers for."""
    rows = [
        row(
            "bytes",
            tr("How many bytes does one output token move?"),
            tr(
                "{q}: weights {w}, KV cache {kv} in each step of {b}",
                q=text(results, "bytes_per_token"),
                w=text(results, "W_read"),
                kv=text(results, "KV_total"),
                b=said(bound.typical.quantity("b")),
            ),
            "derived",
            "bytes_per_token",
        ),
        row(
            "side",
            tr("Which side of the ridge is the service on?"),
            tr(
                "ridge {ridge}, decode {decode}: {wall}",
                ridge=text(results, "I_ridge"),
                decode=text(results, "I_decode"),
                wall=wall(results)[1],
            ),
            "derived",
            "I_decode",
        ),
        row(
            "floor",
            tr("How far is measured TPOT from the floor?"),
            floor_answer(results),
            "rule of thumb",
            "TPOT_floor",
        ),
        row(
            "kv",
            tr("Has the KV cache overtaken the weights?"),
            kv_answer(results),
            "derived",
            "T_cross",
        ),
        row(
            "batch",
            tr("How much room is left for the batch?"),
            batch_answer(results),
            "derived",
            "b_max",
        ),
        row(
            "compute",
            tr("Would a card with more compute help?"),
            compute_answer(levers),
            "derived",
            "TPOT",
        ),
    ]
    rows = [r for r in rows if r["id"] not in NEEDS_VALUE or value(results, r["ref"]) is not None]
    return [*rows, *thresholds(bound, results), *experiments(bound)]


def floor_answer(results: Results) -> Text:
    """The rule of thumb, and what this document itself expects."""
    floor, expected = value(results, "TPOT_floor"), value(results, "TPOT")
    rule = tr(
        "floor {floor}; measured above 3 times the floor: look at the software first; near 1.6 times: the hardware is the limit",
        floor=text(results, "TPOT_floor"),
    )
    if not floor or expected is None:
        return rule
    times = show(Quantity(expected / floor, unit("")), 3).number
    return tr("{rule}; expected here: {times} times", rule=rule, times=times)


def kv_answer(results: Results) -> Text:
    """KV bytes against weight bytes at this batch."""
    kv, weights = value(results, "KV_total"), value(results, "W_read")
    if kv is None or not weights:
        return tr("no KV cache is counted")
    verdict = tr("yes: shrink the KV cache first") if kv > weights else tr("no")
    return tr(
        "{verdict}; KV is {share} of the weight bytes, they break even at {T_cross}",
        verdict=verdict,
        share=percent(kv / weights),
        T_cross=text(results, "T_cross"),
    )


def batch_answer(results: Results) -> Text:
    """Memory limit, latency limit and critical batch, in one line."""
    critical = critical_answer(results)
    slo = (
        tr("the TPOT target allows {b}", b=text(results, "b_slo"))
        if results["b_slo"].value
        else tr("no TPOT batch limit")
    )
    limit = text(results, "b_max")
    if value(results, "b_max_reserved") != value(results, "b_max"):
        reserved = text(results, "b_max_reserved")
        limit = tr("{limit}, {reserved} as an engine reserves", limit=limit, reserved=reserved)
    return tr(
        "memory holds {limit}; {slo}; {critical}",
        limit=limit,
        slo=slo,
        critical=critical,
    )


def critical_answer(results: Results) -> Text:
    """The batch at which decode reaches the ridge, held also with attention operations counted."""
    wall, full, ridge = (value(results, n) for n in ("I_decode_inf", "I_wall_att", "I_ridge"))
    if value(results, "b_crit_T") is not None or (wall and ridge and wall > ridge):
        return tr("critical batch {b}", b=critical(results, "b_crit_T"))
    if full is not None and ridge is not None and full > ridge:
        return tr(
            "past the KV wall of the first order, critical batch {b} with attention operations counted",
            b=critical(results, "b_crit_att"),
        )
    if value(results, "b_crit") is None:
        return tr("no batch reaches the ridge")
    return tr("no batch reaches the ridge ({b} if context were zero)", b=text(results, "b_crit"))


def compute_answer(levers: list[Elasticity]) -> Text:
    """What more compute does to TPOT and to TTFT."""
    found = {e.target: e.value for e in levers if e.lever == "P_peak"}
    parts = [
        tr(
            "{target} changes by {change} for 1 % more compute",
            target=same(t),
            change=per_percent(v),
        )
        for t, v in found.items()
    ]
    if not parts:
        return tr("cannot be told: speeds are withheld")
    return parts[0] if len(parts) == 1 else tr("{one}; {two}", one=parts[0], two=parts[1])


def thresholds(bound: Bound, results: Results) -> list[Row]:
    """Separate alert thresholds for TTFT and TPOT: the target, else the slow end of the reachable range."""
    made = []
    for name, target in (("TTFT", "target_TTFT"), ("TPOT", "target_TPOT")):
        found = results[name]
        if found.value is None or found.high is None:
            continue
        goal = bound.inputs.get(target)
        alert = said(goal.quantity if goal else found.high)
        made.append(
            row(
                f"alert-{name}",
                tr("When to alert on {name}?", name=same(name)),
                tr(
                    "above {alert}; reachable {low} to {high}",
                    alert=alert,
                    low=said(found.low or found.value),
                    high=said(found.high),
                ),
                "derived",
                name,
            )
        )
    return made


def experiments(bound: Bound) -> list[Row]:
    """Three changes of one variable and what the formulas expect of TPOT."""
    point = bound.typical
    trials = (
        ("double-b", tr("Experiment: double the batch"), {"b": point.get("b") * 2}, ("TPOT", "X")),
        ("half-T", tr("Experiment: halve the context"), {"T": point.get("T") / 2}, ("TPOT",)),
        ("int8", tr("Experiment: weights in 8 bits"), {"w": Fraction(1)}, ("TPOT",)),
    )
    made = []
    for name, question, change, watched in trials:
        ratios = [ratio(point, point.with_(**change), w) for w in watched]
        if any(r is None for r in ratios) or (name == "int8" and point.get("w") <= 1):
            continue
        pairs = ", ".join(
            f"{w} × {show(Quantity(r, unit('')), 3).number}"
            for w, r in zip(watched, ratios, strict=True)
            if r
        )
        made.append(
            row(
                name,
                question,
                tr("expect {pairs}; another ratio means another wall than assumed", pairs=pairs),
                "derived",
                "TPOT",
            )
        )
    return made


def ratio(before: Point, after: Point, name: str) -> Fraction | None:
    """How a quantity changes."""
    try:
        return after.get(name) / before.get(name)
    except (Absent, Undefined, ZeroDivisionError):
        return None
