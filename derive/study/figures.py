"""The figures as plain data: curves evaluated exactly, ready for any drawing program."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from derive.derivation.points import FARTHEST, Absent, Point, Undefined
from derive.study.bind import Bound
from derive.study.drawing import (
    Figure,
    axis,
    dot,
    get,
    here,
    ladder,
    line,
    mark,
    plain,
    sampled,
    table,
    written,
)
from derive.study.figures_context import bytes_over_context, concurrency_over_context
from derive.study.results import fitting
from derive.study.waterfall import waterfall
from derive.text import Text, tr

SLOWLY = Fraction(5, 4)  # a rise of TPOT that still counts as slow


def roofline(bound: Bound) -> Figure:
    """Both roofs of the replica, the ridge, prefill, decode along b, and the KV wall."""
    point = bound.peak
    g, peak, rate = point.get("g"), point.get("P_peak"), point.get("B_peak")
    ridge, prefill, wall = point.get("I_ridge"), get(point, "I_prefill"), get(point, "I_decode_inf")
    tera = Fraction(10**12)

    def roof(intensity: Fraction) -> Fraction:
        return g * min(peak, intensity * rate) / tera

    limit = get(bound.typical, "b_max")
    most = limit or Fraction(512)
    batches = {b for b in (1, 8, 64, int(most)) if b <= most} | {int(point.get("b"))}
    along = [(b, get(point.with_(b=Fraction(b)), "I_decode")) for b in sorted(batches)]
    decode = [(b, intensity) for b, intensity in along if intensity]
    xs = [
        min(Fraction(1, 2), ridge / 2),  # a slanted roof has room, wherever the ridge is
        *([prefill * 2] if prefill else []),
        ridge * 40,  # room for the name of the flat roof
        *(i / 2 for _, i in decode[:1]),
    ]
    low, high = min(xs), max(xs)
    side = tr("bandwidth roof: intensity × bandwidth"), tr("compute roof: peak compute")
    points = [
        dot(
            f"decode-{b}",
            tr("b = {b}, beyond memory", b=f"{b:,}")
            if limit is not None and b > limit
            else tr("b = {b}", b=f"{b:,}"),
            "memory" if i < ridge else "compute",
            i,
            roof(i),
        )
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
    """Throughput and TPOT over the batch, with every limit and the zone within all of them."""
    if fitting(bound) is False:  # what does not fit has no speed to draw
        return None
    typical, peak = bound.typical, bound.peak
    limits = {n: get(typical, n) for n in ("b_max", "b_max_reserved", "b_max_tp", "b_slo")}
    top = last_batch(limits["b_max"], typical.get("b"))
    knee, crit = (within(p, top, "b_crit_T") for p in (reachable(bound), peak))
    batches = sampled(1, top, [knee, crit, *limits.values()])
    through, time, ideal = [], [], []
    for b in map(Fraction, batches):
        there = typical.with_(b=b)
        through.append((b, there.get("X")))
        time.append((b, there.get("TPOT") * 1000))
        ideal.append((b, peak.with_(b=b).get("TPOT") * 1000))
    tabled = {*ladder(1, top), int(typical.get("b"))}
    rows = [
        [b, x, t, i]
        for (b, x), (_, t), (_, i) in zip(through, time, ideal, strict=True)
        if b in tabled
    ]
    target = get(typical, "target_TPOT")
    goal = target * 1000 if target else None
    limited = (limits["b_max"], limits["b_max_reserved"], knee, limits["b_slo"], Fraction(top))
    free = min(v for v in limited if v)
    bands = [zone(free)] if free > 1 else []
    x_axis = axis(tr("requests in the batch"), "request", "log", [Fraction(1), Fraction(top)])
    ys = [t for _, t in (*time, *ideal)] + ([goal] if goal else [])
    return {
        "id": "batch_sweep",
        "title": tr("Throughput and TPOT over the batch").json(),
        "alt": what_rises(typical, free).json(),
        "x": x_axis,
        "panels": [
            {
                "x": x_axis,
                "y": axis(tr("decode throughput"), "token/s", "linear", [x for _, x in through]),
                "lines": [line("X", tr("throughput, reachable"), "memory", through)],
                "points": [],
                "marks": batch_marks(typical, limits, knee, top),
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
                "marks": tpot_marks(goal, crit),
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


def last_batch(limit: Fraction | None, here: Fraction) -> int:
    """The end of the axis: a little past what memory holds and past the scenario's batch."""
    far = max(Fraction(64), (limit or Fraction(0)) * Fraction(5, 4), 2 * here)
    return min(int(far), FARTHEST["b"])


def reachable(bound: Bound) -> Point:
    """Both roofs at the share that is reachable: their ridge is where the reachable curve bends."""
    point = bound.typical
    return point.with_(I_ridge=point.get("I_ridge") * point.get("MFU") / point.get("MBU"))


def within(point: Point, top: int, name: str) -> Fraction | None:
    """A critical batch where it is on the axis; the search for it is spared where it is not."""
    end = point.with_(b=Fraction(top))
    found = get(point, name) if end.get("I_decode") >= end.get("I_ridge") else None
    return found if found is not None and found <= top else None


def zone(end: Fraction) -> dict[str, Any]:
    """The batches within all limits."""
    label = tr("within all limits").json()
    return {"id": "free", "label": label, "role": "memory", "from": "1", "to": plain(end)}


def what_rises(point: Point, end: Fraction) -> Text:
    """What the curves do within the limits, by their values at both ends."""
    first, last = (point.with_(b=b).get("TPOT") for b in (Fraction(1), Fraction(int(end))))
    if last <= SLOWLY * first:
        return tr(
            "Two curves over the batch size: within all limits throughput rises nearly in proportion while TPOT rises "
            "slowly."
        )
    return tr("Two curves over the batch size: throughput and TPOT both rise within the limits.")


def batch_marks(
    point: Point, limits: Mapping[str, Fraction | None], knee: Fraction | None, top: int
) -> list[dict[str, Any]]:
    """The limits of the batch, each once, and the scenario's own."""
    names: list[tuple[str, Text, str, Fraction | None]] = [
        ("b_max_tp", tr("tensor parallel {value}", value=count(limits["b_max_tp"])), "memory", limits["b_max_tp"]),
        ("b_max_reserved", tr("engine reserves {value}", value=count(limits["b_max_reserved"])), "memory", limits["b_max_reserved"]),
        ("b_max", tr("memory limit {value}", value=count(limits["b_max"])), "memory", limits["b_max"]),
        ("b_knee", tr("critical batch, reachable {value}", value=count(knee)), "neutral", knee),
    ]  # fmt: skip
    marks = []
    for name, label, role, at in names:
        same_limit = name == "b_max_reserved" and at == limits["b_max"]
        if at and at <= top and not same_limit:
            marks.append(mark(name, label, role, "x", at))
    return [*marks, here(point, "b")]


def count(value: Fraction | None) -> str:
    """A number within a label; nothing where there is none."""
    return written(value) if value is not None else ""


def tpot_marks(goal: Fraction | None, crit: Fraction | None) -> list[dict[str, Any]]:
    """The target, and the ridge of the curve at peak."""
    marks = []
    if goal:
        marks.append(mark("slo", tr("target {value} ms", value=written(goal)), "met", "y", goal))
    if crit:
        label = tr("critical batch, peak {value}", value=written(crit))
        marks.append(mark("b_crit", label, "neutral", "x", crit))
    return marks


def experts_over_batch(bound: Bound) -> Figure | None:
    """Experts of a layer that a decode step reads: k for one token, all for many."""
    point = bound.peak
    if "E" not in bound.inputs:
        return None
    every, top, batches = point.get("E"), point.get("k_exp"), ladder(1, 1024)
    several = "E2" in bound.inputs
    sizes = {"E_hit": every, **({"E_hit2": point.get("E2")} if several else {})}
    labels = {
        name: tr("experts read, of {count}", count=written(size)) if several else tr("experts read")
        for name, size in sizes.items()
    }
    curves = {
        name: [(Fraction(b), point.with_(b=Fraction(b)).get(name)) for b in batches]
        for name in sizes
    }
    return {
        "id": "experts_over_batch",
        "title": tr("Experts that one decode step reads over the batch").json(),
        "alt": tr(
            "The number of distinct experts rises from the experts per token towards all of them."
        ).json(),
        "x": axis(tr("requests in the batch"), "request", "log", [Fraction(1), Fraction(1024)]),
        "y": axis(tr("experts read in a layer"), "", "linear", [Fraction(0), max(sizes.values())]),
        "lines": [
            line(name, labels[name], role, curves[name])
            for name, role in zip(sizes, ("memory", "compute"), strict=False)
        ],
        "points": [],
        "marks": [
            mark("E", tr("all experts {value}", value=written(every)), "neutral", "y", every),
            mark("k_exp", tr("per token {value}", value=written(top)), "neutral", "y", top),
            here(point, "b"),
        ],
        "bands": [],
        "table": table(
            [(tr("requests in the batch"), "request"), *((text, "") for text in labels.values())],
            [
                [Fraction(b), *(curve[i][1] for curve in curves.values())]
                for i, b in enumerate(batches)
            ],
        ),
    }


FIGURES = (
    roofline,
    batch_sweep,
    bytes_over_context,
    concurrency_over_context,
    experts_over_batch,
    waterfall,
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
