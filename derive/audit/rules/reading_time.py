"""The time in which named bytes are read, against the memory bandwidth of the named product."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from derive.audit.consistency.between import lowered
from derive.audit.physics.lines import equation, rounded
from derive.audit.physics.settings import device_count
from derive.audit.physics.specs import of_spec
from derive.audit.readings import together
from derive.audit.rule import rule
from derive.audit.types import Finding, Reading
from derive.audit.wording import GRAVE
from derive.text import Text, same, tr
from derive.units import Quantity, show, unit

if TYPE_CHECKING:
    from derive.audit.interval import Interval
    from derive.audit.library import Library
    from derive.audit.types import Claim, Figure
    from derive.specs.types import Hardware

ID = "PHYS015"
READ = re.compile(
    r"(?<![a-z])(?:read(?:s|ing)?|stream(?:s|ing|ed)?|sweep(?:s|ing)?)(?![a-z])|读(?!者|书|法)|扫"
)
BYTES, TIMES = ("weights", "bytes", "kv", "memory"), ("time", "tpot", "latency")


@rule(
    ID,
    name=("time to read bytes from memory", "读取字节所需时间"),
    page=(
        "Bytes over the memory bandwidth of all devices are the least time in which they are read once. A shorter "
        "time is impossible; a longer one is what every real program needs.",
        "字节数除以全部设备的显存带宽，就是读一遍所需的最短时间。更短则不可能；更长是任何实际程序的常态。",
    ),
    fires="Reading 70 GB of weights on one H200 SXM takes 1.46 ms.",
    quiet="Reading 70 GB of weights on one H200 SXM takes 14.6 ms.",
    chinese=(
        "H200 SXM 读一遍 70GB 权重需要 1.46 毫秒。",
        "H200 SXM 读一遍 70GB 权重需要 14.6 毫秒。",
    ),
)
def reading_time(claim: Claim, library: Library) -> Iterator[Finding]:
    """One amount, one time, one product, and a word for reading."""
    amounts, times = claim.of(*BYTES), claim.of(*TIMES)
    if len(amounts) != 1 or len(times) != 1 or not READ.search(lowered(claim.text)):
        return
    amount, time = amounts[0], times[0]
    products = library.products(time.hardware)
    if not products or amount.value <= 0 or time.bound == "<=" or claim.says("calibre", "achieved"):
        return
    count = device_count(claim, time)[0]
    rate = claim.one("memory_bandwidth")
    floors = [(p, least(amount, p, count, rate)) for p in products]
    verdicts = ["exceeds_bound" if time.interval.high < f.low else "consistent" for _, f in floors]
    yield told(amount, time, floors[0], together(verdicts), count)


def least(amount: Figure, product: Hardware, count: int, rate: Figure | None) -> Interval:
    """The shortest time, within the digits of the amount and of the bandwidth.

    A higher bandwidth that the text itself states is taken: whether it is right is told elsewhere.
    """
    width = of_spec(product.bandwidth)
    if rate and rate.hardware and rate.interval.high > width.high:
        width = rate.interval
    return amount.interval / width.scaled(count)


def told(
    amount: Figure, time: Figure, floor: tuple[Hardware, Interval], verdict: str, count: int
) -> Finding:
    """The verdict with the division."""
    product, span = floor
    seconds = Quantity(span.middle, unit("s"))
    given = {"figure": same(time.text), "bytes": same(amount.text), "bound": show(seconds).text,
             "product": product.name}  # fmt: skip
    lines = (equation(f"{amount.text} / ({count} · B_peak)", span.middle, "s"),)
    readings = (Reading(seconds, product.name),)
    spans = (amount.span, time.span)
    if verdict == "consistent":
        what = tr("{figure} is on the possible side of {bound}", **given)
        return Finding(ID, verdict, "info", what, spans, readings, lines,
                       sources=product.bandwidth.sources)  # fmt: skip
    what = tr("{figure} is too short to read {bytes}: {bound} at the least ({product})", **given)
    said: Text = tr("Reading {bytes} takes at least {bound} on {place}.", bytes=same(amount.text),
                    bound=rounded(seconds), place=place(product, count))  # fmt: skip
    return Finding(ID, verdict, GRAVE[verdict], what, spans, readings, lines, said,
                   sources=product.bandwidth.sources)  # fmt: skip


def place(product: Hardware, count: int) -> Text:
    """The accelerators in words."""
    if count == 1:
        return tr("one {device}", device=product.name)
    return tr("{count} × {device}", count=count, device=product.name)
