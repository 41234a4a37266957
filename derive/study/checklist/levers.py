"""Which levers move TPOT and TTFT here, and which do nothing; all from the elasticities."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from derive.study.checklist.case import DERIVED, Case, Row, row
from derive.study.levers import LEVERS, Elasticity
from derive.study.verdict import per_percent
from derive.text import Text, joined, same, tr

SHORT: dict[str, Text] = {
    "B_peak": Text("memory bandwidth", "显存带宽"),
    "P_peak": Text("compute", "算力"),
    "MBU": Text("MBU", "MBU"),
    "MFU": Text("MFU", "MFU"),
    "g": Text("devices", "设备数"),
    "w": Text("bytes per parameter", "每参数字节数"),
    "w_kv": Text("bytes per KV element", "KV 每元素字节数"),
    "H_kv": Text("KV heads", "KV 头数"),
    "b": Text("batch", "批大小"),
    "T": Text("context", "上下文长度"),
    "T_in": Text("prompt length", "输入长度"),
    "alpha": Text("acceptance", "接受率"),
    "w_draft": Text("bytes per draft parameter", "草稿模型每参数字节数"),
    "g_pre": Text("prefill devices", "prefill 设备数"),
    "B_pd": Text("link to decode", "到 decode 侧的链路带宽"),
    "N_act": Text("active parameters", "激活参数量"),
}
STRONG = Fraction(1, 10)  # from this percentage for one percent on, a lever is worth pulling


def levers(case: Case) -> Iterator[Row]:
    """Two lines a target: what works, what does not."""
    for target in LEVERS:
        found = [e for e in case.levers if e.target == target]
        if not found:
            yield row(
                f"levers-{target}", "levers", tr("{target}: levers", target=same(target)),
                tr("cannot be weighed: {why}", why=case.why(target)), DERIVED, (target,),
            )  # fmt: skip
            continue
        strong = [e for e in found if abs(e.value) >= STRONG]
        if strong:
            yield row(
                f"levers-{target}",
                "levers",
                tr("{target}, for 1 % more of each", target=same(target)),
                changes(strong),
                DERIVED,
                (target,),
            )
        if idle := idle_answer([e for e in found if e not in strong]):
            yield row(
                f"idle-{target}",
                "levers",
                tr("{target} is not helped by", target=same(target)),
                idle,
                DERIVED,
                (target,),
            )


def changes(found: list[Elasticity]) -> Text:
    """Levers with what one percent more does, in the order of the table."""
    parts = [Text(f"{SHORT[e.lever].en} {per_percent(e.value)}",
                  f"{SHORT[e.lever].zh} {per_percent(e.value)}") for e in found]  # fmt: skip
    return joined(parts, ", ", "、")


def idle_answer(found: list[Elasticity]) -> Text | None:
    """What changes nothing at all, and what hardly anything."""
    nothing = [SHORT[e.lever] for e in found if e.value == 0]
    hardly = [e for e in found if e.value != 0]
    parts = []
    if nothing:
        parts.append(tr("not at all: {levers}", levers=joined(nothing, ", ", "、")))
    if hardly:
        parts.append(tr("hardly: {changes}", changes=changes(hardly)))
    return joined(parts) if parts else None
