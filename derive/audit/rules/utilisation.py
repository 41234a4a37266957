"""Compute that is achieved, MFU and MBU, against the peak of the work's own precision."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from derive.audit.interval import Interval
from derive.audit.physics.lines import equation, rounded
from derive.audit.physics.settings import device_count
from derive.audit.physics.specs import of_spec
from derive.audit.readings import Candidate, outcome, together
from derive.audit.rule import rule
from derive.audit.types import Finding, Reading
from derive.audit.wording import GRAVE
from derive.text import Text, same, tr
from derive.units import Quantity, show, unit

if TYPE_CHECKING:
    from derive.audit.library import Library
    from derive.audit.types import Claim, Figure
    from derive.specs.types import Hardware

WORK = ("bf16", "fp16")
SAME = {"bf16": WORK, "fp16": WORK}
PERCENT = unit("%")
WHOLE = Interval.of(Fraction(1), Fraction(1, 1000))
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
        if verdict == "consistent":
            what = tr("{figure} stays below the peak of {peak}", figure=same(figure.text),
                      peak=show(value).text)  # fmt: skip
            severity = "info"
        else:
            what = tr("{figure} is above the peak of {peak}: {product}", product=product.name,
                      figure=same(figure.text), peak=show(value).text)  # fmt: skip
            severity = "error" if verdict == "exceeds_bound" else "warning"
        yield Finding("PHYS003", verdict, severity, what, (figure.span,), listed, lines)


def beyond_peak(claim: Claim, figure: Figure, product: Hardware) -> tuple[str, Fraction] | None:
    """Verdict on one product, and the peak that it was held against."""
    count, _ = device_count(claim, figure)
    if ("device", -1) in figure.dimension.powers:
        count = 1
    if figure.role == "achieved_bandwidth":
        most = of_spec(product.bandwidth).high * count
        return ("consistent" if figure.interval.low <= most else "exceeds_bound"), most
    wanted = precisions(claim, figure)
    basis = "with_sparsity" if figure.says("sparsity", "with_sparsity") else "dense"
    peaks = {p: of_spec(b[basis]).high * count for p, b in product.peak.items() if basis in b}
    plain = [v for p, v in peaks.items() if p in (wanted or WORK)]
    if not plain:
        return None
    if figure.interval.low <= max(plain):
        return "consistent", max(plain)
    sheet = [
        of_spec(v) for p, b in product.peak.items() if p in (wanted or WORK) for v in b.values()
    ]
    if any(figure.interval.meets(v.scaled(count)) for v in sheet):
        return None  # the sheet's own figure with sparsity: told by the rule of the spec sheet
    other = not wanted and any(figure.interval.low <= v for v in peaks.values())
    return ("ambiguous" if other else "exceeds_bound"), max(plain)


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
            if precision in wanted and "dense" in bases:
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
)
def share_of_peak(claim: Claim, library: Library) -> Iterator[Finding]:
    """A claim with one share and one rate of the same device."""
    pairs = (("mfu", ("achieved_rate",)), ("mbu", ("achieved_bandwidth",)))
    for role, rates in pairs:
        share, rate = claim.one(role), claim.one(*rates)
        products = library.products(share.hardware) if share and rate else []
        if share is None or rate is None or not products or not percent(share):
            continue
        if share.interval.low > 1:
            continue
        each = [outcome(share, list(shares(claim, rate, share, p))) for p in products]
        verdict = together(o.verdict for o in each)
        if any(c.plain and WHOLE.meets(c.interval) for o in each for c in o.candidates):
            continue  # the rate is the peak itself, not what a run reached
        hit = next((c for o in each for c in o.hits), None)
        right = next((c for o in each for c in o.candidates if c.plain), None)
        listed = tuple(c.reading for o in each for c in (o.hits or o.candidates)[:4])
        lines = tuple(
            tr("{rate} / peak = {share} ({under})", rate=same(rate.text), under=c.under,
               share=show(c.value).text) for o in each for c in o.candidates[:4] if c.plain
        )  # fmt: skip
        spans = (rate.span, share.span)
        if verdict == "consistent":
            what = tr(
                "{rate} is {share} of the dense peak", rate=same(rate.text), share=same(share.text)
            )
            yield Finding("PHYS005", verdict, "info", what, spans, listed, lines)
            continue
        what = tr("{share} is not {rate} over the dense peak of the work", share=same(share.text),
                  rate=same(rate.text))  # fmt: skip
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


def quotients(
    claim: Claim, rate: Figure, peak: Interval, under: Text, *, plain: bool, admitted: bool
) -> Iterator[Candidate]:
    """Rate over peak in percent, with what the rounding of both leaves open."""
    count, _ = device_count(claim, rate)
    counts = {1} if ("device", -1) in rate.dimension.powers else {1, count}
    for devices in sorted(counts):
        made = rate.interval / peak.scaled(devices)
        value = Quantity(made.middle / PERCENT.factor, PERCENT)
        half = (made.high - made.low) / 2 / PERCENT.factor
        yield Candidate(value, under, plain, admitted, half=half)
