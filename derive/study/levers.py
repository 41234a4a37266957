"""Levers: elasticities of TPOT and TTFT, derived on the active branch and checked by differences."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from derive.derivation.numeric import active
from derive.derivation.points import Absent, Point, Undefined
from derive.derivation.resolve import depends
from derive.derivation.steps import Check, Disproved, Step
from derive.derivation.stored import derivative, trees
from derive.expression.tree import Call, Name, Node, names, substitute, walk
from derive.formula import CATALOGUE
from derive.study.finding import times
from derive.text import Text, same, tr

# What an engineer does to move a symbol; the order is that of the tables.
ACTIONS: dict[str, Text] = {
    "B_peak": Text("a card with more memory bandwidth", "换显存带宽更高的卡"),
    "P_peak": Text("a card with more compute", "换算力更高的卡"),
    "MBU": Text(
        "better kernels for data movement (fusion, layouts)", "改进访存效率（算子融合、数据布局）"
    ),
    "MFU": Text("better kernels for matrix products", "改进矩阵乘效率"),
    "g": Text(
        "more devices in one replica (collectives not counted)", "增加单副本设备数（未计集合通信）"
    ),
    "w": Text("fewer bytes per parameter (weight quantization)", "降低每参数字节数（权重量化）"),
    "w_kv": Text("fewer bytes per KV element (KV quantization)", "降低 KV 每元素字节数（KV 量化）"),
    "H_kv": Text("fewer KV heads (a model with GQA or MQA)", "减少 KV 头数（选用 GQA、MQA 结构）"),
    "b": Text("another batch size", "调整批大小"),
    "T": Text("another context length", "调整上下文长度"),
    "T_in": Text(
        "another input length (shorter prompts, prefix cache)",
        "调整输入长度（精简提示词、前缀缓存）",
    ),
    "alpha": Text("a higher acceptance (a better draft model)", "提高接受率（选用更准的草稿模型）"),
    "w_draft": Text("fewer bytes per parameter of the draft model", "降低草稿模型每参数字节数"),
    "g_pre": Text(
        "more devices in one prefill replica (collectives not counted)",
        "增加单个 prefill 副本的设备数（未计集合通信）",
    ),
    "B_pd": Text("a faster link from prefill to decode", "提高 prefill 到 decode 的链路带宽"),
    "N_act": Text("a model with fewer active parameters", "选用激活参数更少的模型"),
}
LEVERS = {
    "TPOT": (
        "B_peak",
        "MBU",
        "g",
        "P_peak",
        "MFU",
        "w",
        "w_kv",
        "H_kv",
        "b",
        "T",
        "alpha",
        "w_draft",
    ),
    "TTFT": ("P_peak", "MFU", "g", "B_peak", "MBU", "w", "T_in", "N_act", "b", "g_pre", "B_pd"),
}

NO_SLOPE = ("pow", "floor", "ceil")


@dataclass(frozen=True)
class Elasticity:
    """d ln target / d ln lever on the branch that decides: the percent answer to one percent."""

    target: str
    lever: str
    tree: Node
    value: Fraction
    steps: tuple[Step, ...]


def elasticities(point: Point) -> list[Elasticity]:
    """Every lever of every target that has a value here."""
    found = []
    for target, levers in LEVERS.items():
        for lever in levers:
            try:
                point.get(target), point.get(lever)
            except (Absent, Undefined):
                continue
            if reaches(target, lever, point) and not without_slope(target, lever, point):
                found.append(elasticity(target, lever, point))
    return found


@dataclass(frozen=True)
class NoSlope:
    """A lever that has no elasticity as a formula, with the exact ratio at twice its value."""

    target: str
    lever: str
    text: Text


def without_elasticity(point: Point) -> list[NoSlope]:
    """Levers that the table leaves out: why, and what twice of each would do."""
    found = []
    for target, levers in LEVERS.items():
        for lever in levers:
            try:
                now, there = point.get(target), point.with_(**{lever: point.get(lever) * 2})
                if not reaches(target, lever, point) or not without_slope(target, lever, point):
                    continue
                ratio = times(there.get(target) / now)
            except (Absent, Undefined):
                continue
            reason = (
                tr("stands in an exponent")
                if "pow" in functions(target, lever, point)
                else tr("moves in whole steps")
                if functions(target, lever, point)
                else tr("stands where two cases meet")
            )
            text = tr(
                "{lever} {reason}, so it has no elasticity in this table; twice of it gives {target} × {ratio}.",
                lever=same(lever),
                reason=reason,
                target=same(target),
                ratio=ratio,
            )
            found.append(NoSlope(target, lever, text))
    return found


def opened(target: str, lever: str, point: Point) -> Node:
    """What a target is made of, down to the lever and the roofs; what was set by hand stays."""
    tree = trees()[target]
    inside = {
        name: opened(name, lever, point)
        for name in names(tree)
        if name in CATALOGUE and name not in point.given
        if depends(name, lever) or depends(name, "MFU")
    }
    return substitute(tree, inside)


def reaches(target: str, lever: str, point: Point) -> bool:
    """Whether a lever is connected: a quantity set by hand answers to nothing behind it."""
    return target not in point.given and lever in names(opened(target, lever, point))


def functions(target: str, lever: str, point: Point) -> set[str]:
    """The functions without a slope that a lever stands inside."""
    return {
        part.function
        for part in walk(opened(target, lever, point))
        if isinstance(part, Call) and part.function in NO_SLOPE and lever in names(inside(part))
    }


def inside(part: Call) -> Node:
    """Where a lever has no slope: the exponent of a power, whatever is rounded."""
    return part.args[1] if part.function == "pow" else part


def without_slope(target: str, lever: str, point: Point) -> bool:
    """Whether a lever is an exponent, moves in whole steps, or stands where two cases meet."""
    return bool(functions(target, lever, point)) or at_kink(target, lever, point)


def at_kink(target: str, lever: str, point: Point) -> bool:
    """Whether two arguments of a max or min that the lever moves are equal here."""
    for part in walk(opened(target, lever, point)):
        if isinstance(part, Call) and part.function in ("max", "min") and lever in names(part):
            ends = [point.value(argument) for argument in part.args]
            chosen = max(ends) if part.function == "max" else min(ends)
            if ends.count(chosen) > 1:
                return True
    return False


def elasticity(target: str, lever: str, point: Point) -> Elasticity:
    """One elasticity with its steps: the branch, the derivative, the check."""
    branch = active(opened(target, lever, point), point)
    tree = derivative(branch, lever)
    value = point.value(tree)
    step = Fraction(1, 10**6)
    moved = point.with_(**{lever: point.get(lever) * (1 + step)}).get(target)
    if abs((moved / point.get(target) - 1) / step - value) > Fraction(1, 10**4):
        raise Disproved(f"elasticity of {target} in {lever}: differences disagree")
    steps = (
        Step("case", Name(target), branch),
        Step("derivative", Name(target), tree).checked(Check("points", "difference quotient")),
    )
    return Elasticity(target, lever, tree, value, steps)


__all__ = ["ACTIONS", "LEVERS", "Elasticity", "elasticities", "without_elasticity"]
