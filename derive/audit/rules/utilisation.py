"""Compute that is achieved, MFU and MBU, against the peak of the work's own precision."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING

from derive.audit.interval import Interval
from derive.audit.physics.lines import equation, rounded
from derive.audit.physics.settings import device_count
from derive.audit.physics.specs import of_spec
from derive.audit.readings import Candidate, outcome, together
from derive.audit.rule import rule
from derive.audit.types import Finding, Reading
from derive.audit.wording import GRAVE
from derive.specs.counting import counted
from derive.text import Text, same, tr
from derive.units import Quantity, show, unit

if TYPE_CHECKING:
    from derive.audit.library import Library
    from derive.audit.types import Claim, Figure
    from derive.specs.types import Hardware

WORK = ("bf16", "fp16")
SAME = {"bf16": WORK, "fp16": WORK}
PERCENT = unit("%")
DONE = re.compile(  # sustains 506 PFLOPS: what a run did, whatever the peak
    r"(?:sustain|achiev|reach|attain|measur|实测|达到|跑出|跑到)[a-z]*[^0-9,;.，；。]{0,12}$",
    re.IGNORECASE,
)
WHOLE = Interval.of(Fraction(1), Fraction(1, 1000))
MOST_NAMED = 4
BASES = {"dense": Text("dense", "稠密"), "with_sparsity": Text("with sparsity", "带稀疏")}


def percent(figure: Figure) -> bool:
    """Whether a share is written as one; a bare number beside the word MFU may be anything."""
    return figure.unit == PERCENT


def precisions(claim: Claim, figure: Figure) -> tuple[str, ...]:
    """The precision of the work; "" for none said."""
    said = figure.conditions.get("precision", ()) or claim.said("precision")
    return tuple(dict.fromkeys(p for s in said for p in SAME.get(s, (s,))))


@rule(
    "PHYS003",
    name=("achieved compute against the peak", "实际算力与峰值对照"),
    page=(
        "No work runs faster than the dense peak of its precision times the devices. Without a precision the 16-bit "
        "peak is taken, others are readings. The peak with sparsity counts operations that are never done: it bounds "
        "nothing unless the text says that the work is sparse.",
        "任何计算都不会快于其精度的稠密峰值乘以设备数。未注明精度时按 16 位峰值，其余精度作为其他读法。"
        "带稀疏的峰值计入了并未执行的运算，除非文中说明工作本身是稀疏的，否则不能当作上限。",
    ),
    fires="A BF16 matmul achieved 1,200 TFLOP/s on one H100 SXM.",
    quiet="A BF16 matmul achieved 700 TFLOP/s on one H100 SXM.",
    chinese=(
        "H100 SXM 上实测 BF16 矩阵乘 1200 TFLOP/s。",
        "H100 SXM 上实测 BF16 矩阵乘 700 TFLOP/s。",
    ),
)
def achieved(claim: Claim, library: Library) -> Iterator[Finding]:
    """One finding for each achieved rate on a named accelerator."""
    for figure in claim.of("achieved_rate", "achieved_bandwidth"):
        if figure.bound == "<=":
            continue  # "reaches up to" speaks of the peak itself: a matter of the spec sheet
        products = library.products(figure.hardware)
        found = [(p, r) for p in products for r in [beyond_peak(claim, figure, p)] if r]
        if not found:
            continue
        verdicts = {verdict for _, (verdict, _) in found}
        verdict = together(verdicts)
        product, (_, peak) = found[0]
        rate = figure.role == "achieved_rate"
        value = Quantity(peak, unit("FLOP/s" if rate else "byte/s"))
        lines = (equation("g · P_peak" if rate else "g · B_peak", peak, value.unit.text),)
        told = tr("{product}, dense", product=product.name) if rate else product.name
        listed = (Reading(value, told),)
        said: Text | None = None
        changes: tuple[Text, ...] = ()
        if verdict == "consistent":
            what = tr("{figure} stays below the peak of {peak}", figure=same(figure.text),
                      peak=show(value).text)  # fmt: skip
            severity = "info"
            if figure.quantity.base > peak:
                what = tr("{figure} is the peak of {peak} as its digits allow",
                          figure=same(figure.text), peak=show(value).text)  # fmt: skip
        else:
            said, changes = peak_said(claim, figure, product, value, library)
            what = tr("{figure} is above the peak of {peak}: {product}", product=product.name,
                      figure=same(figure.text), peak=show(value).text)  # fmt: skip
            severity = "error" if verdict == "exceeds_bound" else "warning"
        yield Finding("PHYS003", verdict, severity, what, (figure.span,), listed, lines, said,
                      changes)  # fmt: skip


def peak_said(
    claim: Claim, figure: Figure, product: Hardware, peak: Quantity, library: Library
) -> tuple[Text, tuple[Text, ...]]:
    """The peak as a sentence, and what would have to be true of a rate above it."""
    count, _ = device_count(claim, figure)
    if ("device", -1) in figure.dimension.powers:
        count = 1
    on = counted(product, count)
    on = Text(on.en[0].upper() + on.en[1:], on.zh)
    asked = figure.quantity.base
    each, most = asked / count, show(Quantity(peak.base, peak.unit)).text
    changes = []
    if ("device", -1) not in figure.dimension.powers:
        least = ceil(asked * count / peak.base)
        changes.append(
            tr("it is the rate of at least {count} devices together", count=f"{least:,}")
        )
    if figure.role == "achieved_bandwidth":
        fast = [h for h in library.every() if h.bandwidth.quantity.base >= each]
        fast.sort(key=lambda h: (h.vendor != product.vendor, h.bandwidth.quantity.base, h.id))
        changes.append(tr("memory bandwidth is at least {rate} a device ({devices})",
                          rate=show(Quantity(each, unit("byte/s"))).text,
                          devices=named(fast, library)))  # fmt: skip
        return tr("{device} reads memory at {peak} at most.", device=on, peak=most), tuple(changes)
    said = precisions(claim, figure)
    wanted = said or WORK
    wider = [p.upper() for p, b in product.peak.items()
             if p not in wanted and "dense" in b and b["dense"].quantity.base * count >= asked]  # fmt: skip
    if wider:
        changes.append(tr("the work runs in {formats}", formats=" / ".join(wider)))
    able = [(max(ends), h) for h in library.every()
            if (ends := [b["dense"].quantity.base for p, b in h.peak.items()
                         if p in wanted and "dense" in b]) and max(ends) >= each]  # fmt: skip
    able.sort(key=lambda row: (row[1].vendor != product.vendor, row[0], row[1].id))
    changes.append(tr("dense compute is at least {rate} a device ({devices})",
                      rate=show(Quantity(each, unit("FLOP/s"))).text,
                      devices=named([h for _, h in able], library)))  # fmt: skip
    work = (said or ("bf16",))[0].upper()
    return (
        tr(
            "{device} computes {precision} at {peak} at most, dense.",
            device=on,
            precision=work,
            peak=most,
        ),
        tuple(changes),
    )


def named(able: list[Hardware], library: Library) -> Text:
    """The least of some accelerators by name, or that there is none."""
    if not able:
        return tr("none of the {count} accelerators with a spec", count=len(library.every()))
    names = [h.name for h in able[:MOST_NAMED]]
    return tr(
        "for example: {names}",
        names=Text(", ".join(n.en for n in names), "、".join(n.zh for n in names)),
    )


def beyond_peak(claim: Claim, figure: Figure, product: Hardware) -> tuple[str, Fraction] | None:
    """Verdict on one product, and the peak that it was held against."""
    count, _ = device_count(claim, figure)
    if ("device", -1) in figure.dimension.powers:
        count = 1
    if figure.role == "achieved_bandwidth":
        most = of_spec(product.bandwidth).high * count
        printed = product.bandwidth.quantity.base * count
        return ("consistent" if figure.interval.low <= most else "exceeds_bound"), printed
    wanted = precisions(claim, figure)
    basis = "with_sparsity" if figure.says("sparsity", "with_sparsity") else "dense"
    peaks = {p: of_spec(b[basis]).high * count for p, b in product.peak.items() if basis in b}
    plain = [v for p, v in peaks.items() if p in (wanted or WORK)]
    if not plain:
        return None
    printed = max(b[basis].quantity.base * count for p, b in product.peak.items()
                  if basis in b and p in (wanted or WORK))  # fmt: skip
    if figure.interval.low <= max(plain):
        return "consistent", printed
    sheet = [
        of_spec(v) for p, b in product.peak.items() if p in (wanted or WORK) for v in b.values()
    ]
    if any(figure.interval.meets(v.scaled(count)) for v in sheet):
        return None  # the sheet's own figure with sparsity: told by the rule of the spec sheet
    other = not wanted and any(figure.interval.low <= v for v in peaks.values())
    return ("ambiguous" if other else "exceeds_bound"), printed


@rule(
    "PHYS004",
    name=("utilisation above 100 %", "利用率超过 100%"),
    page=(
        "MFU and MBU are shares of a peak that no device exceeds. Above 100 % the peak in the denominator is wrong: "
        "that of another device or precision, or fewer devices; or work is counted that was not done.",
        "MFU 与 MBU 是所占峰值的比例，任何设备都不会超过峰值。超过 100% 说明分母用错了峰值（别的设备、别的精度或设备数偏少），"
        "或者计入了并未执行的运算。",
    ),
    fires="A BF16 training run on one H100 SXM reached 104 % MFU.",
    quiet="A BF16 training run on one H100 SXM reached 41 % MFU.",
    chinese=(
        "单张 H100 SXM 上 BF16 训练的 MFU 达到 104%。",
        "单张 H100 SXM 上 BF16 训练的 MFU 达到 41%。",
    ),
)
def above_all(claim: Claim, library: Library) -> Iterator[Finding]:
    """One finding for each share above 1, with the denominators that would explain it."""
    for figure in claim.of("mfu", "mbu"):
        if not percent(figure):
            continue
        if figure.interval.low > 1:
            name = figure.role.upper()
            what = tr("{name} of {figure}: no device does more than its peak", name=name,
                      figure=same(figure.text))  # fmt: skip
            said = tr("The {name} is below 100 %: divide by the dense peak of the device and precision in use.",
                      name=name)  # fmt: skip
            if figure.role == "mbu":
                said = tr(
                    "The MBU is below 100 %: divide by the peak memory bandwidth of the devices in use."
                )
            yield Finding("PHYS004", "exceeds_bound", "error", what, (figure.span,),
                          tuple(own_peaks(claim, figure, library)), corrected=said)  # fmt: skip
        elif not claim.of("achieved_rate", "achieved_bandwidth"):
            what = tr("{figure} is a possible share of the peak", figure=same(figure.text))
            yield Finding("PHYS004", "consistent", "info", what, (figure.span,))


def own_peaks(claim: Claim, figure: Figure, library: Library) -> Iterator[Reading]:
    """The dense peaks of the named device at the work's precision: the right denominators."""
    wanted = precisions(claim, figure) or WORK
    for product in library.products(figure.hardware):
        if figure.role == "mbu":
            yield Reading(product.bandwidth.quantity, product.name)
            continue
        for precision, bases in product.peak.items():
            alike = precision == WORK[1] and product.peak.get(WORK[0]) == bases
            if precision in wanted and "dense" in bases and not (alike and WORK[0] in wanted):
                told = tr(
                    "{product}, {precision}, dense",
                    product=product.name,
                    precision=precision.upper(),
                )
                yield Reading(bases["dense"].quantity, told)


@rule(
    "PHYS005",
    name=("utilisation against achieved rate and peak", "利用率与实际速率、峰值对照"),
    page=(
        "MFU is the achieved rate over the dense peak of the precision in which the work runs; MBU the achieved "
        "bandwidth over the peak bandwidth. The quotient is compared with what is printed; where it only matches the "
        "peak of another precision, or the one with sparsity, the finding says which.",
        "MFU 等于实际算力除以所用精度的稠密峰值；MBU 等于实际带宽除以峰值带宽。把商与所写数值对照；若只与另一精度、"
        "或带稀疏的峰值相符，则指出是哪一个。",
    ),
    fires="On an H100 SXM a BF16 run that achieves 400 TFLOP/s has an MFU of 81 %.",
    quiet="H100 SXM: 400 TFLOP/s achieved in BF16 is 40 % MFU.",
    chinese=(
        "H100 SXM 上 BF16 实测 400 TFLOP/s，MFU 为 81 %。",
        "H100 SXM 上 BF16 实测 400 TFLOP/s，MFU 为 40 %。",
    ),
)
def share_of_peak(claim: Claim, library: Library) -> Iterator[Finding]:
    """A claim with one share and one rate of the same device."""
    pairs = (("mfu", ("achieved_rate",)), ("mbu", ("achieved_bandwidth",)))
    for role, rates in pairs:
        share, rate = claim.one(role), claim.one(*rates)
        if rate is None and role == "mfu":
            rate = claim.one("peak_rate")
        products = library.products(share.hardware) if share and rate else []
        if share is None or rate is None or not products or not percent(share):
            continue
        if share.interval.low > 1:
            continue
        each = [outcome(share, list(shares(claim, rate, share, p))) for p in products]
        verdict = together(o.verdict for o in each)
        whole = any(c.plain and WHOLE.meets(c.interval) for o in each for c in o.candidates)
        if whole and not DONE.search(claim.text[: rate.span[0]]):
            continue  # the rate is the peak itself, not what a run reached
        if any(o.verdict == "consistent" for o in each):
            verdict = "consistent"  # rate and share together tell which variant it was
        hit = next((c for o in each for c in o.hits), None)
        right = next((c for o in each for c in o.candidates if c.plain), None)
        each = [replace(o, hits=once(o.hits), candidates=once(o.candidates)) for o in each]
        listed = tuple(c.reading for o in each for c in (o.hits or o.candidates)[:4])
        lines = tuple(
            tr("{rate} / peak {share} ({under})", rate=same(rate.text), under=c.under,
               share=signed(c.value)) for o in each for c in o.candidates[:4] if c.plain
        )  # fmt: skip
        spans = (rate.span, share.span)
        if verdict == "consistent":
            what = tr(
                "{rate} is {share} of the dense peak", rate=same(rate.text), share=same(share.text)
            )
            if role == "mbu":
                what = tr(
                    "{rate} is {share} of the peak bandwidth",
                    rate=same(rate.text),
                    share=same(share.text),
                )
            yield Finding("PHYS005", verdict, "info", what, spans, listed, lines)
            continue
        what = tr("{share} is not {rate} over the dense peak of the work", share=same(share.text),
                  rate=same(rate.text))  # fmt: skip
        if role == "mbu":
            what = tr(
                "{share} is not {rate} over the peak bandwidth",
                share=same(share.text),
                rate=same(rate.text),
            )
        if hit is not None:
            what = tr(
                "{share} takes another peak: {under}", share=same(share.text), under=hit.under
            )
        said = None
        if right is not None:
            said = tr("{rate} is an {name} of {share} ({under}).", rate=rate.text, name=role.upper(),
                      share=rounded(right.value), under=right.under)  # fmt: skip
        severity = GRAVE[verdict]
        yield Finding("PHYS005", verdict, severity, what, spans, listed, lines, said)


def once(found: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
    """Both 16-bit formats run at one rate: what is alike is told once."""
    kept: dict[tuple[Fraction, bool, bool], Candidate] = {}
    for one in found:
        kept.setdefault((one.value.value, one.plain, one.admitted), one)
    return tuple(kept.values())


def shares(claim: Claim, rate: Figure, share: Figure, product: Hardware) -> Iterator[Candidate]:
    """The rate over each peak of the product, for one device and for all of them."""
    if share.role == "mbu":
        yield from quotients(
            claim, rate, of_spec(product.bandwidth), product.name, plain=True, admitted=True
        )
        return
    wanted = precisions(claim, rate) or precisions(claim, share)
    sparse = rate.says("sparsity", "with_sparsity")
    for precision, bases in product.peak.items():
        for basis, value in bases.items():
            fits = not wanted or precision in wanted
            right = (basis == "with_sparsity") == sparse
            plain = right and (fits if wanted else precision in WORK)
            under = tr("{product}, {precision}, {basis}", product=product.name, basis=BASES[basis],
                       precision=precision.upper())  # fmt: skip
            yield from quotients(
                claim, rate, of_spec(value), under, plain=plain, admitted=right and fits
            )


def signed(value: Quantity) -> str:
    """A result behind the one sign that it takes: = 40 %, ≈ 40.42 %."""
    made = show(value)
    return made.text if made.sign == "≈" else f"= {made.text}"


def quotients(
    claim: Claim, rate: Figure, peak: Interval, under: Text, *, plain: bool, admitted: bool
) -> Iterator[Candidate]:
    """Rate over peak in percent, with what the rounding of both leaves open."""
    count, _ = device_count(claim, rate)
    counts = {1} if ("device", -1) in rate.dimension.powers else {1, count}
    for devices in sorted(counts):
        made = rate.interval / peak.scaled(devices)
        printed = rate.quantity.base / (peak.middle * devices)  # a spec's figure lies midway
        value = Quantity(printed / PERCENT.factor, PERCENT)
        yield Candidate(value, under, plain, admitted, span=made)
