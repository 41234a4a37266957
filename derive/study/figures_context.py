"""Figures over the context: bytes of a step, and requests that fit."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from derive.derivation.points import Point
from derive.formula import moved
from derive.study.bind import Bound
from derive.study.drawing import Figure, axis, dot, get, here, line, mark, table, written
from derive.text import Text, tr

LIMITS = {
    "b_max": Text("memory limit", "显存上限"),
    "b_max_reserved": Text("as an engine reserves", "按引擎预留口径"),
    "b_max_tp": Text("under tensor parallelism", "张量并行下"),
}


def contexts(bound: Bound) -> list[int]:
    """Contexts worth drawing: powers of two around the scenario's."""
    top = max(131072, int(bound.typical.get("T")) * 4)
    values, at = [], 256
    while at <= top:
        values += [at, at * 3 // 2]
        at *= 2
    knees = (get(bound.typical, n) for n in ("T_win", "T_win2", "T_pick", "T_max"))
    end = values[-2]
    return sorted({*values[:-1], *(int(k) for k in knees if k and 256 < k < end)})


def longest_mark(bound: Bound, end: Fraction) -> list[dict[str, Any]]:
    """The longest context of the model, where the axis reaches it."""
    longest = get(bound.typical, "T_max")
    if longest is None or longest >= end:
        return []
    label = tr("longest context {value}", value=written(longest))
    return [mark("T_max", label, "neutral", "x", longest)]


def bytes_over_context(bound: Bound) -> Figure:
    """Bytes of a step over the context: weights stay, KV grows."""
    point, giga = bound.peak, Fraction(10**9)
    parts = {n: moved(n, bound.inputs) for n in ("W_read", "KV_total", "Q_step")}
    weights = point.get(parts["W_read"]) / giga
    kv, total, rows = [], [], []
    for t in contexts(bound):
        there = point.with_(T=Fraction(t))
        kv.append((Fraction(t), there.get(parts["KV_total"]) / giga))
        total.append((Fraction(t), there.get(parts["Q_step"]) / giga))
        rows.append([Fraction(t), weights, kv[-1][1], total[-1][1]])
    cross = get(point, "T_cross")
    first, last = kv[0][0], kv[-1][0]
    marks = [here(point, "T"), *longest_mark(bound, last)]
    if cross and first < cross < last:
        longest, at = get(point, "T_max"), written(Fraction(round(cross)))
        label = (
            tr("KV would overtake weights {value}, beyond the context", value=at)
            if longest is not None and cross > longest
            else tr("KV overtakes weights {value}", value=at)
        )
        marks.append(mark("T_cross", label, "memory", "x", cross))
    return {
        "id": "bytes_over_context",
        "title": tr("Bytes one decode step moves over the context").json(),
        "alt": tr(
            "Weight bytes are a flat line; KV-cache bytes grow in proportion to the context and cross it."
        ).json(),
        "x": axis(tr("context"), "token/request", "log", [first, last]),
        "y": axis(tr("bytes per step"), "GB", "log", [weights, *(v for _, v in (*kv, *total))]),
        "lines": [
            line("weights", tr("weights"), "neutral", [(first, weights), (last, weights)], True),
            line("kv", tr("KV cache"), "memory", kv),
            line("total", tr("total"), "neutral", total),
        ],
        "points": [],
        "marks": marks,
        "bands": [],
        "table": table(
            [
                (tr("context"), "token/request"),
                (tr("weights"), "GB"),
                (tr("KV cache"), "GB"),
                (tr("total"), "GB"),
            ],
            rows,
        ),
    }


def concurrency_over_context(bound: Bound) -> Figure | None:
    """Requests that fit in memory over the context."""
    point = bound.typical
    if not get(point, "tokens_max"):
        return None
    every = contexts(bound)
    found = {
        n: [(Fraction(t), point.with_(T=Fraction(t)).get(n)) for t in every]
        for n in ("b_max", *other_limits(point))
    }
    drawn = {n: [(t, b) for t, b in curve if b > 0] for n, curve in found.items()}
    drawn = {n: curve for n, curve in drawn.items() if len(curve) > 1}
    if "b_max" not in drawn:
        return None
    first, last = drawn["b_max"][0][0], drawn["b_max"][-1][0]
    now = point.get("b_max")
    marks = [here(point, "T"), *longest_mark(bound, last)]
    return {
        "id": "concurrency_over_context",
        "title": tr("Requests that fit in memory over the context").json(),
        "alt": tr(
            "The number of requests falls as the context grows, in inverse proportion where every layer keeps every token."
        ).json(),
        "x": axis(tr("context"), "token/request", "log", [first, last]),
        "y": axis(
            tr("requests that fit"),
            "request",
            "log",
            [b for curve in drawn.values() for _, b in curve] + [Fraction(1)],
        ),
        "lines": [line(n, LIMITS[n], "memory", curve, n != "b_max") for n, curve in drawn.items()],
        "points": [
            dot("here", tr("{b} requests", b=f"{int(now):,}"), "memory", point.get("T"), now)
        ]
        if now
        else [],
        "marks": marks,
        "bands": [],
        "table": table(
            [
                (tr("context"), "token/request"),
                *(
                    (tr("requests that fit") if n == "b_max" else LIMITS[n], "request")
                    for n in drawn
                ),
            ],
            [[Fraction(t), *(found[n][k][1] for n in drawn)] for k, t in enumerate(every)],
        ),
    }


def other_limits(point: Point) -> list[str]:
    """Limits below that of the live bytes: as an engine reserves, and of a tensor-parallel group."""
    group = get(point, "g_tp")
    lower = (get(point, "b_max_reserved") or 0) < (get(point, "b_max") or 0)
    return [
        *(["b_max_reserved"] if lower else []),
        *(["b_max_tp"] if group is not None and group > 1 else []),
    ]
