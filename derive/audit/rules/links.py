"""Links: bisection against the sum of ports, and one direction held against both."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from derive.audit.interval import Interval
from derive.audit.rule import rule
from derive.audit.sheet.entries import bare
from derive.audit.sheet.heard import beside, heard, whole
from derive.audit.sheet.match import judgements
from derive.audit.sheet.ratios import Multiple, multiple, share
from derive.audit.sheet.words import equals, size, times
from derive.audit.types import Finding, Reading
from derive.specs.counting import counted
from derive.text import Text, same, tr
from derive.units import Quantity, unit

if TYPE_CHECKING:
    from derive.audit.library import Library
    from derive.audit.types import Claim, Figure
    from derive.specs.types import Hardware

RATE = unit("byte/s")
LINKS = ("link", "network", "bus_bandwidth", "data_rate", "memory_bandwidth")
PERCENT = Fraction(1, 100)


@rule(
    "COND008",
    name=("bisection bandwidth", "对分带宽"),
    page=(
        "The bisection bandwidth of n devices behind a full switch is what crosses a cut into halves: n/2 times one "
        "direction of one device's link. The marketed total of a rack is the sum over all ports of both directions, "
        "four times as much.",
        "全互联交换下，n 个设备的对分带宽是跨越对半切分的流量：n/2 乘以单设备链路的单向带宽。机柜宣传的总带宽是所有端口双向之和，"
        "为前者的四倍。",
    ),
    fires="The GB200 NVL72 has 130 TB/s of bisection bandwidth.",
    quiet="The GB200 NVL72 has 32.4 TB/s of bisection bandwidth.",
    chinese=(
        "GB200 NVL72 的对分带宽为 130 TB/s。",
        "GB200 NVL72 的对分带宽为 32.4 TB/s。",
    ),
)
def bisection(claim: Claim, library: Library) -> Iterator[Finding]:
    """A bisection figure against half the devices, one way."""
    for figure in claim.of("bisection"):
        products = library.products(figure.hardware)
        if products:  # the variant that the largest system is built of
            widest = max(products, key=lambda p: max((d.devices for d in p.domains), default=0))
            yield from cut(figure, widest, claim)


def cut(figure: Figure, product: Hardware, claim: Claim) -> Iterator[Finding]:
    """One bisection figure against one product."""
    said = heard(figure, claim)
    named = sorted(said.counts | whole(product, figure, said) | beside(product, claim))
    devices = named[-1] if named else max((d.devices for d in product.domains), default=0)
    one, both = product.link_per_direction, product.link_total
    if not devices or one is None or both is None:
        return
    switched = any(d.all_to_all and d.devices >= devices for d in product.domains)
    ways = (
        (devices * one.quantity.base / 2, tr("half the devices, one direction")),
        (devices * both.quantity.base / 2, tr("half the devices, both directions")),
        (devices * both.quantity.base, tr("sum over all ports, both directions")),
    )
    met = [i for i, (value, _) in enumerate(ways) if inside(figure.interval, value)]
    if not met and not switched:
        return
    verdict = "contradicted" if met in ([], [2]) else "consistent" if 0 in met else "ambiguous"
    values = [rate(value, figure) for value, _ in ways]
    readings = tuple(
        Reading(v, Text(f"{product.name.en}, {w.en}", f"{product.name.zh}，{w.zh}"))
        for v, (_, w) in zip(values, ways, strict=True)
    )
    what = {"figure": same(figure.text), "devices": counted(product, devices),
            "cut": size(values[0])}  # fmt: skip
    if met == [2]:
        message = tr(
            "{figure} is the sum over the ports of {devices} in both directions; across a cut into halves go {cut} each way",
            **what,
        )
    elif met == [0]:
        message = tr(
            "{figure} is the bisection bandwidth of {devices}, one direction",
            **what,
        )
    elif met:
        message = tr(
            "{figure} counts both directions of the cut between {devices}; one direction is {cut}",
            **what,
        )
    else:
        message = tr(
            "{figure} is not the bisection bandwidth of {devices}, {cut} each way",
            **what,
        )
    each = size(bare(one.quantity))
    lines = (
        same(f"{devices} ÷ 2 × {each} {equals(size(values[0]))}"),
        same(f"{devices} × {size(bare(both.quantity))} {equals(size(values[2]))}"),
    )
    corrected = tr("{devices} have a bisection bandwidth of {cut} each way.", **what)
    yield Finding(
        "COND008", verdict, severity(verdict), message, (figure.span,), readings, lines, corrected,
        sources=tuple(dict.fromkeys((*one.sources, *both.sources))),
    )  # fmt: skip


@rule(
    "COND011",
    name=("one direction against both", "单向与双向相比"),
    page=(
        "A figure of one direction (bus bandwidth of a collective, an Ethernet port, a measured copy) is held "
        "against a link figure that adds both directions, or the other way round. Like must stand against like: the "
        "share or multiple is recomputed with one direction on both sides.",
        "把单向数值（集合通信的总线带宽、以太网端口、实测拷贝）与双向之和的链路数值相比，或反之。口径必须一致："
        "两侧都取单向后重新计算占比或倍数。",
    ),
    fires="An all-reduce bus bandwidth of 360 GB/s is 40 % of the NVLink bandwidth of 900 GB/s of the H100 SXM.",
    quiet="On an H100 SXM an all-reduce bus bandwidth of 360 GB/s is 80 % of the 450 GB/s that NVLink moves in one direction.",
    chinese=(
        "all-reduce 总线带宽 360 GB/s，是 H100 SXM 的 NVLink 带宽 900 GB/s 的 40 %。",
        "H100 SXM 上 all-reduce 总线带宽 360 GB/s，是 NVLink 单向 450 GB/s 的 80 %。",
    ),
)
def mixed_directions(claim: Claim, library: Library) -> Iterator[Finding]:
    """A share or a multiple between a figure of one direction and one of both."""
    stated = share(claim) or multiple(claim)
    if stated is None:
        return
    for small, large, known in pairs(claim, library):
        found = compared(claim, stated, small, large, known)
        if found:
            yield found
            return


def pairs(claim: Claim, library: Library) -> Iterator[tuple[Figure, Quantity, Figure | None]]:
    """A figure of one direction, and a value that adds both: of the claim, else of the spec."""
    directions = {j.figure.span: j.best.hits[0].entry.direction
                  for j in judgements(claim, library) if j.best.hits}  # fmt: skip
    figures = [f for f in claim.of(*LINKS) if f.dimension == RATE.dimension]
    summed = [f for f in figures if f.says("direction", "both")
              or directions.get(f.span) == "both"]  # fmt: skip
    ones = [f for f in figures if f not in summed and one_way(f, figures, directions)]
    for one in ones:
        for both in summed:
            yield one, both.quantity, both
        for product in () if summed else library.products(one.hardware):
            if product.link_total and claim.says("noun", "link"):
                yield one, bare(product.link_total.quantity), None


def one_way(figure: Figure, figures: list[Figure], directions: dict[tuple[int, int], str]) -> bool:
    """Whether a figure is of one direction: by its words, its kind, or one equal to it."""
    alike = [f for f in figures if f.interval.meets(figure.interval)]
    return (
        figure.role == "bus_bandwidth"
        or directions.get(figure.span) == "one"
        or any(f.says("direction", "one") for f in alike)
        or (figure.role in ("link", "network") and figure.says("calibre", "achieved"))
    )


def compared(
    claim: Claim, stated: Multiple, one: Figure, both: Quantity, said: Figure | None
) -> Finding | None:
    """The stated ratio against both ways of forming it."""
    if not one.value or not both.value:
        return None
    is_share = stated.interval.high < 1 or claim.text[: stated.span[1]].rstrip().endswith("%")
    mixed, like = one.quantity.base / both.base, 2 * one.quantity.base / both.base
    if not is_share:
        mixed, like = 1 / mixed, 1 / like
    if not stated.meets(mixed) and not stated.meets(like):
        return None
    half = Quantity(both.value / 2, both.unit)
    top, bottom = (one.quantity, half) if is_share else (half, one.quantity)
    right, wrong = shown(like, is_share), shown(mixed, is_share)
    lines = (
        same(f"{size(top)} ÷ {size(bottom)} {equals(right)}"),
        same(
            f"{size(one.quantity if is_share else both)} ÷ {size(both if is_share else one.quantity)} {equals(wrong)}"
        ),
    )
    what = {"one": same(one.text), "both": same(said.text) if said else same(size(both)),
            "stated": same(stated.text), "right": right.removeprefix("≈ "), "half": size(half)}  # fmt: skip
    spans = (stated.span, one.span, *((said.span,) if said else ()))
    if stated.meets(like) and not stated.meets(mixed):
        message = tr("{stated} compares one direction with one direction: {one} and {half}", **what)
        return Finding("COND011", "consistent", "info", message, spans, (), lines[:1])
    message = tr(
        "{both} adds both directions, {one} is one direction: like with like, {one} and {half}, the result is {right}, not {stated}",
        **what,
    )
    corrected = (
        tr("{one} is {right} of the {half} that the link moves in one direction.", **what)
        if is_share
        else tr("In one direction {half} is {right} times {one}.", **what)
    )
    readings = (Reading(one.quantity, tr("one direction")), Reading(both, tr("both directions together")),
                Reading(half, tr("one direction of that link")))  # fmt: skip
    return Finding("COND011", "contradicted", "error", message, spans, readings, lines, corrected)


def shown(ratio: Fraction, is_share: bool) -> str:
    """A ratio as a percentage or as a multiple."""
    return size(Quantity(ratio / PERCENT, unit("%"))) if is_share else times(ratio)


def severity(verdict: str) -> str:
    """How loudly a verdict is told."""
    return {"consistent": "info", "ambiguous": "warning"}.get(verdict, "error")


def inside(stated: Interval, value: Fraction) -> bool:
    """Whether an exact value lies within what a figure stands for."""
    return stated.low <= value <= stated.high


def rate(base: Fraction, like: Figure) -> Quantity:
    """A data rate in the unit of a figure."""
    return Quantity(base / like.unit.factor, like.unit)
