"""The figures as plain data: curves evaluated exactly, ready for any drawing program."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from derive.derivation.points import Absent, Point, Undefined
from derive.study.bind import Bound
from derive.study.results import fitting
from derive.text import Text, tr
from derive.units.writing import significant

Figure = dict[str, Any]


def plain(value: Fraction, figures: int = 6) -> str:
    """A coordinate as a short decimal; whole numbers keep every digit."""
    return str(value) if value.denominator == 1 else significant(value, figures)


def written(value: Fraction) -> str:
    """A number inside a label, as prose prints it."""
    from derive.units.writing import digits

    return digits(value)[0]


def ladder(low: int, high: int) -> list[int]:
    """1-2-3-5-7 values of each decade between two integers, ends included."""
    values = {low, high}
    decade = 1
    while decade <= high:
        values |= {
            decade * m // 2
            for m in (2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 18)
            if low <= decade * m // 2 <= high
        }
        decade *= 10
    return sorted(values)


def get(point: Point, name: str) -> Fraction | None:
    """A value or None."""
    try:
        return point.get(name)
    except (Absent, Undefined):
        return None


def axis(label: Text, unit: str, scale: str, values: list[Fraction]) -> dict[str, Any]:
    """An axis around its values; logarithmic ones end at 1-2-5 steps."""
    low, high = min(values), max(values)
    if scale == "log":
        return {
            "label": label.json(),
            "unit": unit,
            "scale": scale,
            "min": plain(low),
            "max": plain(high),
        }
    return {
        "label": label.json(),
        "unit": unit,
        "scale": scale,
        "min": "0",
        "max": plain(high * Fraction(11, 10)),
    }


def line(
    name: str, label: Text, role: str, points: list[tuple[Fraction, Fraction]], dash: bool = False
) -> dict[str, Any]:
    """A curve."""
    return {
        "id": name,
        "label": label.json(),
        "role": role,
        "dash": dash,
        "points": [[plain(x), plain(y)] for x, y in points],
    }


def mark(name: str, label: Text, role: str, axis_name: str, at: Fraction) -> dict[str, Any]:
    """A guide line."""
    return {"id": name, "label": label.json(), "role": role, "axis": axis_name, "at": plain(at)}


def dot(name: str, label: Text, role: str, x: Fraction, y: Fraction) -> dict[str, Any]:
    """A point."""
    return {"id": name, "label": label.json(), "role": role, "x": plain(x), "y": plain(y)}


def table(
    columns: list[tuple[Text, str]], rows: Sequence[Sequence[Fraction | None]]
) -> dict[str, Any]:
    """The data beside the drawing."""
    return {
        "columns": [{"label": label.json(), "unit": unit} for label, unit in columns],
        "rows": [["–" if v is None else plain(v, 4) for v in row] for row in rows],
    }


def roofline(bound: Bound) -> Figure:
    """Both roofs of the replica, the ridge, prefill, decode along b, and the KV wall."""
    point = bound.peak
    g, peak, rate = point.get("g"), point.get("P_peak"), point.get("B_peak")
    ridge, prefill, wall = point.get("I_ridge"), get(point, "I_prefill"), get(point, "I_decode_inf")
    tera = Fraction(10**12)

    def roof(intensity: Fraction) -> Fraction:
        return g * min(peak, intensity * rate) / tera

    most = get(bound.typical, "b_max") or Fraction(512)
    batches = {1, 8, 64, int(most), int(point.get("b"))}
    along = [(b, get(point.with_(b=Fraction(b)), "I_decode")) for b in sorted(batches)]
    decode = [(b, intensity) for b, intensity in along if intensity]
    xs = [
        Fraction(1, 2),
        *([prefill * 2] if prefill else []),
        ridge * 8,
        *(i / 2 for _, i in decode[:1]),
    ]
    low, high = min(xs), max(xs)
    side = tr("bandwidth roof: intensity × bandwidth"), tr("compute roof: peak compute")
    points = [
        dot(f"decode-{b}", tr("b = {b}", b=b), "memory" if i < ridge else "compute", i, roof(i))
        for b, i in decode
    ]
    if prefill:
        points.append(
            dot(
                "prefill",
                tr("prefill"),
                "compute" if prefill >= ridge else "memory",
                prefill,
                roof(prefill),
            )
        )
    marks = [mark("ridge", tr("ridge point {value}", value=written(ridge)), "neutral", "x", ridge)]
    if wall is not None:
        marks.append(mark("wall", tr("KV wall {value}", value=written(wall)), "memory", "x", wall))
    return {
        "id": "roofline",
        "title": tr("Roofline of one replica").json(),
        "alt": tr(
            "Attainable compute over arithmetic intensity on logarithmic axes: a bandwidth roof rising to the "
            "ridge point and a flat compute roof; points for prefill and for decode at several batches."
        ).json(),
        "x": axis(tr("arithmetic intensity"), "FLOP/byte", "log", [low, high]),
        "y": axis(tr("attainable compute"), "TFLOP/s", "log", [roof(low), g * peak / tera * 2]),
        "lines": [
            line("memory-roof", side[0], "memory", [(low, roof(low)), (ridge, roof(ridge))]),
            line("compute-roof", side[1], "compute", [(ridge, roof(ridge)), (high, roof(high))]),
        ],
        "points": points,
        "marks": marks,
        "bands": [],
        "table": table(
            [
                (tr("requests in the batch"), "request"),
                (tr("arithmetic intensity"), "FLOP/byte"),
                (tr("attainable compute"), "TFLOP/s"),
            ],
            [[Fraction(b), i, roof(i)] for b, i in decode],
        ),
    }


def batch_sweep(bound: Bound) -> Figure | None:
    """Throughput and TPOT over the batch, with the free zone, the ridge and the memory limit."""
    if fitting(bound) is False:  # what does not fit has no speed to draw
        return None
    typical, peak = bound.typical, bound.peak
    limit, crit = get(typical, "b_max"), get(peak, "b_crit_T")
    top = int(max(64, 2 * (limit or 0), 2 * point_b(typical)))
    top = min(top, 4096)
    rows, through, time, ideal = [], [], [], []
    for b in ladder(1, top):
        here = typical.with_(b=Fraction(b))
        best = peak.with_(b=Fraction(b))
        x, t = here.get("X"), here.get("TPOT") * 1000
        through.append((Fraction(b), x))
        time.append((Fraction(b), t))
        ideal.append((Fraction(b), best.get("TPOT") * 1000))
        rows.append([Fraction(b), x, t, ideal[-1][1]])
    marks = []
    if limit:
        marks.append(
            mark("b_max", tr("memory limit {value}", value=int(limit)), "missed", "x", limit)
        )
    if crit and crit <= top:
        marks.append(
            mark("b_crit", tr("critical batch {value}", value=written(crit)), "neutral", "x", crit)
        )
    marks.append(
        mark(
            "b",
            tr("this scenario {value}", value=point_b(typical)),
            "neutral",
            "x",
            Fraction(point_b(typical)),
        )
    )
    target = get(typical, "target_TPOT")
    slo = (
        [
            mark(
                "slo",
                tr("target {value} ms", value=written(target * 1000)),
                "met",
                "y",
                target * 1000,
            )
        ]
        if target
        else []
    )
    free = min(v for v in (limit, crit, get(typical, "b_slo"), Fraction(top)) if v)
    bands = (
        [
            {
                "id": "free",
                "label": tr("free zone").json(),
                "role": "memory",
                "from": "1",
                "to": plain(free),
            }
        ]
        if free > 1
        else []
    )
    x_axis = axis(tr("requests in the batch"), "request", "log", [Fraction(1), Fraction(top)])
    ys = [t for _, t in time] + [t for _, t in ideal] + ([target * 1000] if target else [])
    return {
        "id": "batch_sweep",
        "title": tr("Throughput and TPOT over the batch").json(),
        "alt": tr(
            "Two curves over the batch size: throughput rises nearly in proportion while TPOT rises slowly, up to "
            "the memory limit."
        ).json(),
        "x": x_axis,
        "panels": [
            {
                "x": x_axis,
                "y": axis(tr("decode throughput"), "token/s", "linear", [x for _, x in through]),
                "lines": [line("X", tr("throughput, reachable"), "memory", through)],
                "points": [],
                "marks": marks,
                "bands": bands,
            },
            {
                "x": x_axis,
                "y": axis(tr("TPOT"), "ms/token", "linear", ys),
                "lines": [
                    line("TPOT", tr("TPOT, reachable"), "memory", time),
                    line("TPOT-peak", tr("TPOT, peak"), "neutral", ideal, True),
                ],
                "points": [],
                "marks": slo,
                "bands": bands,
            },
        ],
        "table": table(
            [
                (tr("requests in the batch"), "request"),
                (tr("throughput, reachable"), "token/s"),
                (tr("TPOT, reachable"), "ms/token"),
                (tr("TPOT, peak"), "ms/token"),
            ],
            rows,
        ),
    }


def point_b(point: Point) -> int:
    """The scenario's batch."""
    return int(point.get("b"))


def contexts(bound: Bound) -> list[int]:
    """Contexts worth drawing: powers of two around the scenario's."""
    top = max(131072, int(bound.typical.get("T")) * 4)
    values, here = [], 256
    while here <= top:
        values += [here, here * 3 // 2]
        here *= 2
    return values[:-1]


def bytes_over_context(bound: Bound) -> Figure:
    """Bytes of a step over the context: weights stay, KV grows."""
    point, giga = bound.peak, Fraction(10**9)
    weights = point.get("W_read") / giga
    kv, total, rows = [], [], []
    for t in contexts(bound):
        here = point.with_(T=Fraction(t))
        kv.append((Fraction(t), here.get("KV_total") / giga))
        total.append((Fraction(t), here.get("Q_step") / giga))
        rows.append([Fraction(t), weights, kv[-1][1], total[-1][1]])
    cross = get(point, "T_cross")
    first, last = kv[0][0], kv[-1][0]
    marks = [
        mark(
            "T",
            tr("this scenario {value}", value=written(point.get("T"))),
            "neutral",
            "x",
            point.get("T"),
        )
    ]
    if cross and first < cross < last:
        marks.append(
            mark(
                "T_cross",
                tr("KV overtakes weights {value}", value=written(Fraction(round(cross)))),
                "memory",
                "x",
                cross,
            )
        )
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
    curve = [(Fraction(t), point.with_(T=Fraction(t)).get("b_max")) for t in contexts(bound)]
    drawn = [(t, b) for t, b in curve if b > 0]
    if len(drawn) < 2:
        return None
    here = point.get("b_max")
    marks = [
        mark(
            "T",
            tr("this scenario {value}", value=written(point.get("T"))),
            "neutral",
            "x",
            point.get("T"),
        )
    ]
    return {
        "id": "concurrency_over_context",
        "title": tr("Requests that fit in memory over the context").json(),
        "alt": tr(
            "The number of requests falls as the context grows, in inverse proportion where every layer keeps every token."
        ).json(),
        "x": axis(tr("context"), "token/request", "log", [drawn[0][0], drawn[-1][0]]),
        "y": axis(tr("requests that fit"), "request", "log", [b for _, b in drawn] + [Fraction(1)]),
        "lines": [line("b_max", tr("memory limit"), "memory", drawn)],
        "points": [dot("here", tr("{b} requests", b=int(here)), "memory", point.get("T"), here)]
        if here
        else [],
        "marks": marks,
        "bands": [],
        "table": table(
            [(tr("context"), "token/request"), (tr("requests that fit"), "request")],
            [[t, b] for t, b in curve],
        ),
    }


def experts_over_batch(bound: Bound) -> Figure | None:
    """Experts of a layer that a decode step reads: k for one token, all for many."""
    point = bound.peak
    if "E" not in bound.inputs:
        return None
    curve = [(Fraction(b), point.with_(b=Fraction(b)).get("E_hit")) for b in ladder(1, 1024)]
    every, top = point.get("E"), point.get("k_exp")
    here = point.get("b")
    return {
        "id": "experts_over_batch",
        "title": tr("Experts that one decode step reads over the batch").json(),
        "alt": tr(
            "The number of distinct experts rises from the experts per token towards all of them."
        ).json(),
        "x": axis(tr("requests in the batch"), "request", "log", [Fraction(1), Fraction(1024)]),
        "y": axis(tr("experts read in a layer"), "", "linear", [Fraction(0), every]),
        "lines": [line("E_hit", tr("experts read"), "memory", curve)],
        "points": [],
        "marks": [
            mark("E", tr("all experts {value}", value=written(every)), "neutral", "y", every),
            mark("k_exp", tr("per token {value}", value=written(top)), "neutral", "y", top),
            mark("b", tr("this scenario {value}", value=written(here)), "neutral", "x", here),
        ],
        "bands": [],
        "table": table(
            [(tr("requests in the batch"), "request"), (tr("experts read"), "")],
            [[b, e] for b, e in curve],
        ),
    }


FIGURES = (
    roofline,
    batch_sweep,
    bytes_over_context,
    concurrency_over_context,
    experts_over_batch,
)


def figures(bound: Bound) -> list[Figure]:
    """All figures that this scenario has data for."""
    made: list[Figure | None] = []
    for draw in FIGURES:
        try:
            made.append(draw(bound))
        except (Absent, Undefined):
            made.append(None)
    return [f for f in made if f]
