"""The figure of each device against that of all of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from derive.audit.consistency.arithmetic import result, shown
from derive.audit.consistency.between import before, behind, lowered
from derive.audit.rule import rule
from derive.text import same
from derive.units import unit

if TYPE_CHECKING:
    from derive.audit.library import Library
    from derive.audit.types import Claim, Figure, Finding

PER_DEVICE = unit("device").dimension
EACH = re.compile(
    r"每(?:张|块|个|颗|片|卡)? ?(?:卡|gpu|芯片|设备|加速器)?[^0-9]{0,8}$|单(?:卡|张|块)[^0-9]{0,6}$|(?:(?:each|every)(?: (?:gpu|card|device|chip))?|per (?:gpu|card|device))(?: (?:delivers?|gives?|has|have|makes?|contributes?|handles|serves|produces|yields|gets|sees|at|with|of))?(?: about| roughly)?$"
    r"|each of (?:(?:the|its|these) )?[0-9]+ (?:gpus|cards|devices|chips|accelerators)(?: [a-z]+)?(?: about| roughly)? ?$"
)
EACH_BEHIND = re.compile(
    r" ?(?:each(?! way| direction)|(?:per|a|on (?:each|every)) (?:gpu|card|device|chip|accelerator)|/ ?(?:gpu|卡|张)|每(?:张|块|个)?(?:卡|gpu))(?![a-z])"
)
FAR = 40  # characters before a figure in which it can be said to be that of each
ROLES = (
    "speed",
    "memory",
    "memory_bandwidth",
    "peak_rate",
    "achieved_rate",
    "power",
    "bytes",
    "weights",
    "kv",
    "data_rate",
    "price",
    "device_price",
    "concurrency",
)


@rule(
    "CONS037",
    name=("figure of each device × devices = total", "单设备数值 × 设备数 = 总量"),
    page=(
        "A claim that gives a figure of each device, their number and the total is tied: the total is the product. "
        "A figure counts as that of each device by its unit (token/s/GPU) or by words (each, per GPU).",
        "同时给出单设备数值、设备数与总量时，三者必须相符：总量等于单设备数值乘以设备数。单设备数值由单位（token/s/GPU）或“每张”“单卡”等词语认出。",
    ),
    fires="2,000 token/s/GPU on 8 GPUs = 20,000 token/s.",
    quiet="2,000 token/s/GPU on 8 GPUs = 16,000 token/s.",
    chinese=(
        "8 张卡，每张 2,000 token/s，共 20,000 token/s。",
        "8 张卡，每张 2,000 token/s，共 16,000 token/s。",
    ),
)
def each_device(claim: Claim, _: Library) -> Iterator[Finding]:
    """One figure of each, one of all, one count."""
    counts = [f for f in claim.of("devices") if f.value > 1]
    if len(counts) != 1 or claim.of("concurrency", "batch"):
        return
    count = counts[0]
    listed = [f for f in claim.of(*ROLES) if f.unit.terms]
    for one in (f for f in listed if of_each(claim, f)):
        wanted = one.dimension * PER_DEVICE if by_unit(one) else one.dimension
        totals = [
            f for f in listed if f is not one and f.dimension == wanted and f.role == one.role
        ]
        if len(totals) != 1 or of_each(claim, totals[0]) or any(f.bound for f in (one, totals[0])):
            continue
        total = totals[0]
        line = same(
            f"{count.text.strip()} × {one.text.strip('=≈ ')} {shown(one.quantity.base * count.value, total)}"
        )
        yield result(
            "CONS037", claim, (count, one, total), total, one.interval.scaled(count.value), line
        )


def by_unit(figure: Figure) -> bool:
    """Whether its unit says that it is of one device."""
    return ("device", -1) in figure.dimension.powers


def of_each(claim: Claim, figure: Figure) -> bool:
    """Whether a figure is told of each device."""
    if by_unit(figure):
        return True
    return bool(EACH.search(unnamed(claim, figure)) or EACH_BEHIND.match(behind(claim, figure, 16)))


def unnamed(claim: Claim, figure: Figure) -> str:
    """What stands before a figure without the names of products: 每张 (H100 SXM) 700W."""
    text = before(claim, figure, FAR)
    for named in claim.hardware:
        text = text.replace(lowered(named.text), "")
    return re.sub(r" +", " ", text)
