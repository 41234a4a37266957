"""Multiples and shares between two values of one product: precisions, sparsity, link and memory."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from derive.audit.interval import Interval
from derive.audit.rule import rule
from derive.audit.sheet.entries import Entry, entries
from derive.audit.sheet.heard import alike
from derive.audit.sheet.ratios import Multiple, multiple, share
from derive.audit.sheet.words import quotient, reading, size, times
from derive.audit.types import Finding
from derive.audit.wording import GRAVE
from derive.text import joined, same, tr
from derive.units import Quantity, unit

if TYPE_CHECKING:
    from derive.audit.library import Library
    from derive.audit.types import Claim

Pair = tuple["Entry", "Entry"]


@rule(
    "COND015",
    name=("multiple between two rates of one product", "同一产品两种算力之间的倍数"),
    page=(
        "FP8 is not twice BF16 everywhere (Gaudi 3 and two TPUs run both at one rate), FP4 not twice FP8 (3 and 4 "
        "exist), and sparsity multiplies by 1.29 to 3.84. A multiple between two precisions, or between sparse and "
        "dense, is formed from the spec of the product, each variant.",
        "FP8 并非总是 BF16 的两倍（Gaudi 3 与两代 TPU 上二者同速），FP4 也并非总是 FP8 的两倍（有 3 倍与 4 倍），稀疏带来的倍数从 1.29 到 3.84 都有。"
        "两种精度之间、稀疏与稠密之间的倍数由该产品各型号的规格计算。",
    ),
    fires="On Gaudi 3 dense FP8 is twice as fast as BF16.",
    quiet="On the H100 SXM dense FP8 is twice as fast as BF16.",
    chinese=(
        "Gaudi 3 的 FP8 稠密算力是 BF16 的两倍。",
        "H100 SXM 的 FP8 稠密算力是 BF16 的两倍。",
    ),
)
def between_rates(claim: Claim, library: Library) -> Iterator[Finding]:
    """A stated multiple of two rates of one product."""
    stated = multiple(claim)
    names = {n.ids: n for n in claim.hardware}
    if stated is None or len(names) != 1 or claim.says("noun", "throughput", "latency"):
        return
    if any(f.role not in ("devices", "number", "ratio") for f in claim.figures):
        return
    pairs = [p for h in library.products(claim.hardware[0])
             if (p := rates(entries(h), claim)) is not None]  # fmt: skip
    if pairs:
        yield told("COND015", stated, pairs)


def rates(entries: tuple[Entry, ...], claim: Claim) -> Pair | None:
    """The two rates that a claim compares: two precisions, or sparse against dense."""
    peaks = [e for e in entries if e.kind == "peak" and e.other is None]
    precisions = list(dict.fromkeys(alike(p)[0] for p in claim.said("precision")))
    sparsity = claim.said("sparsity")

    def rate(precision: str, basis: str) -> Entry | None:
        fitting = (e for e in peaks if e.precision in alike(precision) and e.sparsity == basis)
        return next(fitting, None)

    if len(precisions) == 1 and "with_sparsity" in sparsity:
        one, other = rate(precisions[0], "with_sparsity"), rate(precisions[0], "dense")
    elif len(precisions) == 2:
        basis = sparsity[0] if len(sparsity) == 1 else "dense"
        one, other = (rate(p, basis) for p in precisions)
    else:
        return None
    return (one, other) if one and other else None


def told(rule_id: str, stated: Multiple, pairs: list[Pair]) -> Finding:
    """The stated ratio against that of every variant."""
    met = [stated.meets(a.quantity.base / b.quantity.base) for a, b in pairs]
    verdict = "consistent" if all(met) else "ambiguous" if any(met) else "contradicted"
    one, other = pairs[0]
    each = joined(
        tr("{product}: {one} and {other}, a ratio of {ratio}", product=a.product.name,
           one=size(a.quantity), other=size(b.quantity),
           ratio=times(a.quantity.base / b.quantity.base).removeprefix("≈ "))
        for a, b in pairs
    )  # fmt: skip
    if verdict == "consistent":
        message = tr(
            "{stated} is the ratio of the cited values: {each}", stated=same(stated.text), each=each
        )
    else:
        message = tr(
            "{stated} is not the ratio of the cited values: {each}",
            stated=same(stated.text),
            each=each,
        )
    corrected = None if verdict == "consistent" else tr("The cited values are: {each}.", each=each)
    return Finding(
        rule_id, verdict, GRAVE[verdict], message, (stated.span,),
        (reading(one), reading(other)), tuple(quotient(a.quantity, b.quantity) for a, b in pairs),
        corrected, sources=tuple(dict.fromkeys((*one.sources, *other.sources))),
    )  # fmt: skip


@rule(
    "COND016",
    name=("share of a link in the memory bandwidth", "互联带宽占显存带宽的比例"),
    page=(
        "Links are marketed by both directions together, memory bandwidth is not. The share of the link in the "
        "memory bandwidth is therefore formed with one direction; a share that is right only for the sum is "
        "ambiguous, and contradicted where one direction is said.",
        "互联带宽按双向之和宣传，显存带宽则不是，因此互联占显存带宽的比例应取单向。只在双向之和时成立的比例判为有歧义，声称为单向时判为矛盾。",
    ),
    fires="NVLink on the H100 SXM has 27 % of its HBM bandwidth.",
    quiet="NVLink on the H100 SXM has 13 % of its HBM bandwidth per direction.",
    chinese=(
        "H100 SXM 的 NVLink 是其 HBM 带宽的 27 %。",
        "H100 SXM 的 NVLink 单向是其 HBM 带宽的 13 %。",
    ),
)
def link_in_memory(claim: Claim, library: Library) -> Iterator[Finding]:
    """A share of the memory bandwidth that counts both directions of the link."""
    stated = share(claim)
    if stated is None or not claim.hardware or not claim.says("noun", "link"):
        return
    if (
        not claim.says("noun", "memory_bandwidth", "memory")
        or len({n.ids for n in claim.hardware}) > 1
    ):
        return
    for product in library.products(claim.hardware[0]):
        cited = {e.direction or e.kind: e for e in entries(product) if e.other is None}
        one, both, memory = (cited.get(k) for k in ("one", "both", "memory_bandwidth"))
        if one is None or both is None or memory is None:
            continue
        like, mixed = (e.quantity.base / memory.quantity.base for e in (one, both))
        if meets(stated.interval, like):
            message = tr("{stated} is the share of one direction: {one} of {memory}", stated=same(stated.text),
                         one=size(one.quantity), memory=size(memory.quantity))  # fmt: skip
            yield Finding("COND016", "consistent", "info", message, (stated.span,), (),
                          (quotient(one.quantity, memory.quantity),))  # fmt: skip
            return
        if meets(stated.interval, mixed):
            verdict = "contradicted" if claim.says("direction", "one") else "ambiguous"
            what = {"stated": same(stated.text), "product": product.name, "both": size(both.quantity),
                    "one": size(one.quantity), "memory": size(memory.quantity),
                    "share": percent(one, memory)}  # fmt: skip
            message = tr(
                "{stated} counts both directions of the link of {product}, {both}, against {memory}; one direction, {one}, is {share}",
                **what,
            )
            corrected = tr(
                "One direction of the link of {product}, {one}, is {share} of its memory bandwidth of {memory}.",
                **what,
            )
            yield Finding(
                "COND016", verdict, GRAVE[verdict], message, (stated.span,),
                (reading(both), reading(one), reading(memory)),
                (quotient(both.quantity, memory.quantity), quotient(one.quantity, memory.quantity)),
                corrected, sources=tuple(dict.fromkeys((*one.sources, *memory.sources))),
            )  # fmt: skip
            return


def meets(stated: Interval, value: Fraction) -> bool:
    """Whether an exact share lies within what is stated."""
    return stated.low <= value <= stated.high


def percent(one: Entry, whole: Entry) -> str:
    """A share as it is printed."""
    ratio = Quantity(one.quantity.base / whole.quantity.base * 100, unit("%"))
    return size(ratio).removeprefix("≈ ")
