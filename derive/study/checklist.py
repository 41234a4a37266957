"""The on-call checklist as far as the formulas go: six questions and three experiments, filled in."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from derive.derivation.points import Absent, Point, Undefined
from derive.study.bind import Bound
from derive.study.concurrency import beyond_memory, critical, reached
from derive.study.finding import Results, percent, text, times, value
from derive.study.levers import Elasticity
from derive.study.products import critical_by_products
from derive.study.results import said
from derive.study.verdict import per_percent, wall
from derive.text import Text, same, tr

Row = dict[str, Any]


NEEDS_VALUE = ("bytes", "side")  # lines that say nothing without the value they refer to


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
        *(
            [
                row(
                    "floor",
                    tr("How far is measured TPOT from the floor?"),
                    floor_answer(bound, results),
                    "rule of thumb",
                    "TPOT_floor",
                )
            ]
            if value(results, "TPOT_floor") is not None
            else []  # a power too long: no step time
        ),
        row(
            "kv",
            tr("Has the KV cache overtaken the weights?"),
            kv_answer(bound, results),
            "derived",
            "T_cross",
        ),
        row(
            "batch",
            tr("How much room is left for the batch?"),
            batch_answer(bound, results),
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
    return [*rows, *thresholds(bound, results), *experiments(bound, results)]


SOFTWARE, HARDWARE = 3, 2  # measured over the step at peak: rules of thumb; near 1.6 is below 2


def floor_answer(bound: Bound, results: Results) -> Text:
    """Measured TPOT over the step at peak with all its bytes, at the mean context."""
    mean = value(results, "T_mean")
    there = bound.typical.with_(T=mean) if mean is not None else bound.typical
    step, n = there.get("t_step"), there.get("n")
    parts = {"step": said(there.quantity("t_step")), "T": said(there.quantity("T"))}
    parts["floor"] = text(results, "TPOT_floor")
    measured = bound.inputs.get("TPOT_meas")
    if measured is not None:
        return tr(
            "a step takes {step} at peak rates at the mean context of {T}, weights and KV cache read; measured {measured} is "
            "{times} times that: {verdict}; {weights} times the floor of {floor}, which counts the weights alone",
            measured=said(measured.quantity),
            times=times(measured.quantity.base * n / step),
            weights=times(measured.quantity.base / there.get("TPOT_floor")),
            verdict=band(measured.quantity.base * n / step),
            **parts,
        )
    rule = tr(
        "a step takes {step} at peak rates at the mean context of {T}, weights and KV cache read; measured above 3 times "
        "that: look at the software first; near 1.6 times: the hardware is the limit",
        **parts,
    )
    if value(results, "TPOT") is None:
        return tr(
            "{rule}; the floor of {floor} counts the weights alone", rule=rule, floor=parts["floor"]
        )
    return tr(
        "{rule}; expected here: {times} times, and {weights} times the floor of {floor}, which counts the weights alone",
        rule=rule,
        times=times(there.get("TPOT") * n / step),
        weights=times(there.get("TPOT") / there.get("TPOT_floor")),
        floor=parts["floor"],
    )


def band(ratio: Fraction) -> Text:
    """What a measured ratio says."""
    if ratio < 1:
        return tr("faster than the bytes allow, so another model, precision or batch than assumed")
    if ratio > SOFTWARE:
        return tr("look at the software first")
    if ratio <= HARDWARE:
        return tr("the hardware is the limit")
    return tr("between both: software and hardware each have a part")


def kv_answer(bound: Bound, results: Results) -> Text:
    """KV bytes against weight bytes at this batch."""
    kv, weights = value(results, "KV_total"), value(results, "W_read")
    if kv is None or not weights:
        return tr("no KV cache is counted")
    verdict = tr("yes: shrink the KV cache first") if kv > weights else tr("no")
    share = percent(kv / weights)
    cross = results["T_cross"]
    if cross.value is None:
        return tr("{verdict}; KV is {share} of the weight bytes", verdict=verdict, share=share)
    told = tr(
        "{verdict}; KV is {share} of the weight bytes, they break even at {T_cross}",
        verdict=verdict,
        share=share,
        T_cross=text(results, "T_cross"),
    )
    longest, free = bound.inputs.get("T_max"), value(results, "M_free")
    if longest is not None and cross.value.base > longest.quantity.base:
        return tr(
            "{told}, beyond this model's context of {longest}",
            told=told,
            longest=said(longest.quantity),
        )
    if free is not None and bound.typical.with_(T=cross.value.base).get("KV_total") > free:
        return tr(
            "{told}, where {b} no longer fit in memory",
            told=told,
            b=said(bound.typical.quantity("b")),
        )
    return told


def batch_answer(bound: Bound, results: Results) -> Text:
    """Memory limit, latency limit and critical batch, in one line."""
    slo = (
        tr("the TPOT target allows {b}", b=text(results, "b_slo"))
        if results["b_slo"].value
        else tr("no TPOT batch limit")
    )
    limit = text(results, "b_max")
    if value(results, "b_max_reserved") != value(results, "b_max"):
        reserved = text(results, "b_max_reserved")
        limit = tr("{limit}, {reserved} as an engine reserves", limit=limit, reserved=reserved)
    group = bound.inputs.get("g_tp")
    if group is not None and group.quantity.value > 1 and value(results, "b_max_tp") is not None:
        limit = tr(
            "{limit}, with data-parallel attention; {group} under tensor parallelism",
            limit=limit,
            group=text(results, "b_max_tp"),
        )
    return tr(
        "memory holds {limit}; {slo}; {critical}",
        limit=limit,
        slo=slo,
        critical=critical_answer(results),
    )


def critical_answer(results: Results) -> Text:
    """The batch at which decode reaches the ridge, held also with attention operations counted."""
    if told := critical_by_products(results):
        return told
    wall, full, ridge = (value(results, n) for n in ("I_decode_inf", "I_wall_att", "I_ridge"))
    name = reached(results)
    memory = beyond_memory(results, name)
    if value(results, "b_crit_T") is not None or (wall and ridge and wall > ridge):
        told = critical(results, name)
        if name == "b_crit_att":
            told = tr("with attention operations counted, {critical}", critical=told)
    elif full is not None and ridge is not None and full > ridge:
        told = tr(
            "past the KV wall of the first order; with attention operations counted, {critical}",
            critical=critical(results, name),
        )
    elif value(results, "b_crit") is None:
        return tr("no batch reaches the ridge")
    else:
        return tr(
            "no batch reaches the ridge ({b} if context were zero)", b=text(results, "b_crit")
        )
    return tr("{told}; {memory}", told=told, memory=memory) if memory else told


def compute_answer(levers: list[Elasticity]) -> Text:
    """What more compute does to TPOT and to TTFT."""
    found = {e.target: e.value for e in levers if e.lever == "P_peak"}
    if len(found) == 2 and len(set(found.values())) == 1:
        change = per_percent(next(iter(found.values())))
        return (
            tr("no: neither TPOT nor TTFT changes")
            if change == "0 %"
            else tr("TPOT and TTFT each change by {change} for 1 % more compute", change=change)
        )
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


TOLERANCE = Fraction(1, 10)  # what a careful measurement of TPOT can tell apart
Trial = tuple[str, Text, dict[str, Fraction], tuple[str, ...]]


def experiments(bound: Bound, results: Results) -> list[Row]:
    """Three changes of one variable and what the formulas expect of TPOT."""
    point = bound.typical
    trials = (
        *another_batch(point, value(results, "b_max")),
        ("half-T", tr("Experiment: halve the context"), {"T": point.get("T") / 2}, ("TPOT",)),
        *fewer_bits(point),
    )
    made = []
    for name, question, change, watched in trials:
        ratios = [ratio(point, point.with_(**change), w) for w in watched]
        if any(r is None for r in ratios):
            continue
        pairs = ", ".join(f"{w} × {times(r)}" for w, r in zip(watched, ratios, strict=True) if r)
        made.append(
            row(
                name,
                question,
                tr(
                    "expect {pairs}, hardly a change; one above 10 % means another wall than assumed",
                    pairs=pairs,
                )
                if all(abs(r - 1) < TOLERANCE for r in ratios if r)
                else tr(
                    "expect {pairs} within 10 %; another ratio means another wall than assumed",
                    pairs=pairs,
                ),
                "derived",
                "TPOT",
            )
        )
    return made


def another_batch(point: Point, limit: Fraction | None) -> list[Trial]:
    """Twice the batch, or half of it where memory holds no more."""
    b = point.get("b")
    if limit is None or b * 2 <= limit:
        return [("double-b", tr("Experiment: double the batch"), {"b": b * 2}, ("TPOT", "X"))]
    if b % 2 == 0:
        return [("half-b", tr("Experiment: halve the batch"), {"b": b / 2}, ("TPOT", "X"))]
    return []


def fewer_bits(point: Point) -> list[Trial]:
    """Weights in the next smaller format; scales beside them make a format a little wider."""
    try:
        w = point.get("w")
    except Absent:
        return []
    if w > Fraction(3, 2):
        return [("int8", tr("Experiment: weights in 8 bits"), {"w": Fraction(1)}, ("TPOT",))]
    if w > Fraction(3, 4):
        return [("int4", tr("Experiment: weights in 4 bits"), {"w": Fraction(1, 2)}, ("TPOT",))]
    return []


def ratio(before: Point, after: Point, name: str) -> Fraction | None:
    """How a quantity changes."""
    try:
        return after.get(name) / before.get(name)
    except (Absent, Undefined, ZeroDivisionError):
        return None
