"""How long it takes to move the weights of a model over a link or from a disk."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from derive.audit.interval import Interval
from derive.audit.physics.lines import equation
from derive.audit.physics.precisions import storable
from derive.audit.physics.setting import as_stored
from derive.audit.physics.settings import settings, spoken
from derive.audit.rule import rule
from derive.audit.types import Finding
from derive.audit.wording import GRAVE
from derive.text import same, tr
from derive.units import Quantity, show, unit

if TYPE_CHECKING:
    from derive.audit.library import Library
    from derive.audit.physics.setting import Setting
    from derive.audit.types import Claim, Figure

LOADS = re.compile(
    r"(?<![a-z])(?:(?:re|off|up|down)?load(?:s|ed|ing)?|transfer(?:s|red|ring)?|cop(?:y|ies|ied|ying)|mov(?:es?|ed|ing)|"
    r"fetch(?:es|ed|ing)?|read(?:s|ing)?)(?![a-z])|加载|载入|装载|传输|拷贝|复制|下载|读取|读入|搬运",
    re.IGNORECASE,
)
RATES = ("data_rate", "network", "link", "host", "cache", "memory_bandwidth", "achieved_bandwidth")
TIMES = ("time", "latency")
OTHERS = (
    "speed",
    "tpot",
    "itl",
    "ttft",
    "kv",
    "kappa",
    "tokens",
    "prompt",
    "output",
    "batch",
    "concurrency",
)
SLOWER = 2  # how much longer than its link alone loading may take without a further word


@rule(
    "PHYS017",
    name=("time to load the weights", "加载权重的时间"),
    page=(
        "Weights are moved at most as fast as the stated rate: bytes over rate is the least time. Less is contradicted. "
        "More than twice as long is ambiguous: what slows it down is not said. With several devices each may load its "
        "share over a link of its own. The bytes are those that the claim states, else those of the model in the format "
        "that is said, scales included where they are published.",
        "权重的搬运速度不超过所述速率：字节数除以速率是最短时间。更短即为矛盾；超过两倍则有歧义：文中没有说明慢在哪里。多个设备时，"
        "每个设备可经各自的链路加载自己的一份。字节数取文中所给，否则取模型在所述格式下的权重（有公开数据时含缩放因子）。",
    ),
    fires="Loading Llama-3-70B in BF16 over a link of 10 GB/s takes 1.4 s.",
    quiet="Loading Llama-3-70B in BF16 over a link of 10 GB/s takes 14 s.",
    chinese=(
        "以 10 GB/s 的速率加载 BF16 的 Llama-3-70B 需要 1.4 秒。",
        "以 10 GB/s 的速率加载 BF16 的 Llama-3-70B 需要 14 秒。",
    ),
)
def loading(claim: Claim, library: Library) -> Iterator[Finding]:
    """One rate and one time, with a model or with bytes beside a product."""
    rates, times = claim.of(*RATES), claim.of(*TIMES)
    known = claim.hardware or any(n.ids for n in claim.models)  # else a law between the figures
    if len(rates) != 1 or len(times) != 1 or not known or claim.of(*OTHERS):
        return
    rate, time = rates[0], times[0]
    if not rate.value or not time.value or rate.bound or time.bound or not LOADS.search(claim.text):
        return
    found = [f for s in settings(claim, library, spoken(claim)) for f in ways(claim, s)]
    stated = claim.one("weights", "bytes")
    sizes = [(stated.interval, True)] if stated else found
    if not sizes:
        return
    verdicts = {
        verdict(time, size, rate, share): plain for size, plain in sizes for share in shares(claim)
    }
    best = next((v for v in ("consistent", "ambiguous") if v in verdicts), "contradicted")
    if best == "consistent" and not verdicts["consistent"]:
        best = "ambiguous"
    whole = sizes[0][0]
    least = show(Quantity(whole.middle / rate.quantity.base, unit("s"))).text
    lines = (
        equation("W", whole.middle, "byte"),
        tr("W / {rate}: {time}", rate=same(rate.text), time=least),
    )
    what = {"size": show(Quantity(whole.middle, unit("byte"))).text, "rate": same(rate.text), "least": least,
            "figure": same(time.text)}  # fmt: skip
    corrected = tr("Moving {size} at {rate} takes at least {least}.", **what)
    if best == "consistent":
        message = tr("{figure} is what {size} take at {rate}: at least {least}", **what)
    elif best == "ambiguous":
        message = tr(
            "{figure} is longer than {size} take at {rate}, {least}; what slows it down is not said",
            **what,
        )
    else:
        message = tr("{figure} is shorter than {size} take at {rate}: at least {least}", **what)
    spans = (time.span, rate.span)
    yield Finding("PHYS017", best, GRAVE[best], message, spans, (), lines,
                  None if best == "consistent" else corrected)  # fmt: skip


def ways(claim: Claim, setting: Setting) -> Iterator[tuple[Interval, bool]]:
    """The bytes of the weights in every format that the words admit, and whether it is the plain one."""
    for stored, plain in storable(claim, setting.stored):
        here = as_stored(setting if stored == setting.stored else setting.with_(stored=stored))
        low, printed = here.value("W"), here.value("W", best=False)
        if low is not None and printed is not None:
            yield Interval(low, 2 * printed - low), plain


def shares(claim: Claim) -> tuple[int, ...]:
    """All over one link; with several devices perhaps each its share."""
    counted = claim.one("devices")
    return (1, int(counted.value)) if counted and counted.value > 1 else (1,)


def verdict(time: Figure, size: Interval, rate: Figure, share: int) -> str:
    """A stated time against the least one."""
    least = size / rate.interval.scaled(share)
    if time.interval.high < least.low:
        return "contradicted"
    return "consistent" if time.interval.low <= SLOWER * least.high else "ambiguous"
