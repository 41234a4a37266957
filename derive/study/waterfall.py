"""The waterfall: from the floor of the weights to the TPOT that is expected, term by term."""

from __future__ import annotations

from fractions import Fraction

from derive.expression.grammar import parse
from derive.study.bind import Bound
from derive.study.drawing import Figure, axis, plain
from derive.study.results import fitting
from derive.text import Text, tr

MILLI = Fraction(1000)
MOVED = "(PP * W_stream_dev + KV_dev{more}) / B_peak"
WRITTEN = " + KV_write * kappa_dev / kappa / DP"
# id -> what the term is, its colour, and TPOT with it and every term above
TERMS: tuple[tuple[str, Text, str, str], ...] = (
    ("floor", Text("floor: weights once", "下限：读一遍权重"), "memory", "TPOT_floor"),
    (
        "tables", Text("tables only looked up", "只查表的部分"), "memory",
        "TPOT_floor - PP * (W_read_dev - W_stream_dev) / B_peak / n",
    ),
    (
        "copies", Text("weights that stages and groups do not split", "各级、各组未能切分的权重"),
        "memory", "PP * W_stream_dev / B_peak / n",
    ),
    (
        "cache", Text("reading the KV cache", "读 KV cache"), "memory",
        "(PP * W_stream_dev + KV_read / g) / B_peak / n",
    ),
    (
        "cache_copies", Text("copies of the KV cache on several devices", "多个设备上的 KV cache 副本"),
        "memory", MOVED.format(more="") + " / n",
    ),
    ("operations", Text("operations beyond", "运算超出的部分"), "compute", "TPOT_ideal"),
    (
        "writes", Text("writing the KV cache", "写 KV cache"), "memory",
        f"max(t_ops, {MOVED.format(more=WRITTEN)}) / n",
    ),
    (
        "activations", Text("activations", "激活"), "memory",
        f"max(t_ops, {MOVED.format(more=' + Q_more_dev')}) / n",
    ),
    (
        "launch", Text("kernel launches", "kernel 启动"), "neutral",
        f"(max(t_ops, {MOVED.format(more=' + Q_more_dev')}) + L * t_launch) / n",
    ),
    ("links", Text("collectives", "集合通信"), "neutral", "TPOT_second"),
    ("rates", Text("rates below peak", "速率低于峰值"), "memory", "TPOT_exp"),
)  # fmt: skip
TOTALS = {  # sums that stand between the terms, after the term named
    "operations": ("ideal", Text("ideal TPOT", "理想 TPOT"), "TPOT_ideal"),
    "links": ("second", Text("second order at peak", "峰值速率下的二阶"), "TPOT_second"),
    "rates": ("expected", Text("expected TPOT", "预期 TPOT"), "TPOT_exp"),
}
ALWAYS = ("floor", "tables", "cache", "rates")  # the others only where they change something


def waterfall(bound: Bound) -> Figure | None:
    """Bars from the first-order floor to the expected TPOT, with both signs."""
    # what does not fit has no speed to draw; a round of speculation is no sum of these terms
    if fitting(bound) is False or "alpha" in bound.inputs:
        return None
    point, bars = bound.typical, list[tuple[str, Text, str, Fraction, Fraction]]()
    before = Fraction(0)
    for name, label, role, text in TERMS:
        after = point.value(parse(text)) * MILLI
        if name in ALWAYS or after != before:
            bars.append((name, label, role, before, after))
        before = after
        if name in TOTALS:
            total, words, _ = TOTALS[name]
            bars.append((total, words, "total", Fraction(0), after))
    last = bars[-1][4]
    return {
        "id": "waterfall",
        "title": tr("From the floor of the weights to the expected TPOT").json(),
        "alt": tr(
            "One bar a term: what it adds to the time per output token or takes from it, from the first-order floor at "
            "peak to the TPOT that is expected at reachable rates."
        ).json(),
        "x": axis(tr("TPOT"), "ms/token", "linear", [end for *_, low, high in bars for end in (low, high)]),
        "bars": [
            {"id": name, "label": label.json(), "role": role, "from": plain(low), "to": plain(high)}
            for name, label, role, low, high in bars
        ],
        "table": {
            "columns": [
                {"label": tr("change").json(), "unit": "ms/token"},
                {"label": tr("TPOT so far").json(), "unit": "ms/token"},
                {"label": tr("share of the expected TPOT").json(), "unit": "%"},
            ],
            "labels": [label.json() for _, label, *_ in bars],
            "rows": [
                [plain(high - low, 4), plain(high, 4), plain((high - low) / last * 100, 4)]
                for *_, low, high in bars
            ],
        },
    }  # fmt: skip
