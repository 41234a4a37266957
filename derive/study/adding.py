"""What more devices buy, for each kind of parallelism: this layout, and twice of one kind."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from derive.derivation.points import Absent, Point, Undefined
from derive.study.bind import Bound
from derive.study.laid_out import laid_out
from derive.study.results import exact_text, shown
from derive.text import Text, same

ASKED = ("TPOT_ideal", "b_max_dev", "kappa_dev", "W_dev")
NAMES: dict[str, Text] = {
    "here": Text("as laid out here", "本场景"),
    "TP": same("TP × 2"),
    "PP": same("PP × 2"),
    "DP": same("DP × 2"),
    "EP": same("EP = TP · DP"),
}
KINDS: dict[str, Text] = {
    "TP": Text(
        "Tensor parallelism: layers are shared by twice the devices, so weights and operations halve; the KV cache of a "
        "device halves too while there are KV heads to split, and every layer gains collectives.",
        "张量并行：每一层由两倍的设备分担，权重与运算减半；KV 头还可切分时单设备 KV cache 也减半；每层都要多做集合通信。",
    ),
    "PP": Text(
        "Pipeline parallelism: a device holds half of the layers and of their KV cache; a token still passes every layer, so "
        "its reading of the weights is no faster, and prefill gains a bubble.",
        "流水线并行：每个设备只存一半的层及其 KV cache；但 token 仍要经过每一层，读权重不会更快，prefill 还多出气泡。",
    ),
    "DP": Text(
        "Data parallelism: twice the groups, each with its own copy of the weights and half of the requests; a token is no "
        "faster but for its share of the KV cache.",
        "数据并行：组数加倍，每组各有一份权重副本、服务一半请求；除分摊的 KV cache 外，单个 token 不会更快。",
    ),
    "EP": Text(
        "Expert parallelism over all ranks: no device is added; experts are whole on their rank instead of split, which "
        "frees memory only where groups held copies, and every layer gains all-to-alls.",
        "专家并行占满全部 rank：不增加设备；专家整块放在所属 rank 上而不再切分，只有各组原先存有副本时才省显存；每层多出 all-to-all。",
    ),
}


def layouts(point: Point) -> Iterator[tuple[str, dict[str, Fraction]]]:
    """The layouts of the table: symbols that differ from the scenario."""
    g, two = point.get("g"), Fraction(2)
    yield "here", {}
    yield "TP", {"g": two * g}
    yield "PP", {"g": two * g, "PP": two * point.get("PP")}
    yield "DP", {"g": two * g, "DP": two * point.get("DP")}
    if "E" in point.given:
        yield "EP", {"EP": point.get("TP") * point.get("DP")}


def adding(bound: Bound) -> list[dict[str, Any]]:
    """One row for each layout that has values here."""
    rows = []
    for name, changed in layouts(bound.typical):
        try:
            with laid_out(bound, changed) as there:
                values = {asked: there.quantity(asked) for asked in ASKED}
                sizes = {size: there.quantity(size) for size in ("g", "TP", "PP", "DP", "EP")}
        except (Absent, Undefined):
            return []
        rows.append(
            {
                "id": name,
                "name": NAMES[name].json(),
                "what": KINDS[name].json() if name in KINDS else None,
                "layout": {size: str(found.value) for size, found in sizes.items()},
                "values": {
                    asked: {"exact": exact_text(found.value), "shown": shown(found)}
                    for asked, found in values.items()
                },
            }
        )
    return rows
