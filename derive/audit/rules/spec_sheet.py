"""A figure of a product against its cited spec: which condition makes the number right."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from derive.audit.readings import Candidate, Outcome, half_of, outcome, together
from derive.audit.rule import rule
from derive.audit.types import Finding
from derive.text import Text, same, tr
from derive.units import Quantity, show, unit

if TYPE_CHECKING:
    from derive.audit.library import Library
    from derive.audit.types import Claim, Figure
    from derive.specs.types import Hardware, Value

WORK = ("bf16", "fp16")  # the precision that a peak without one is read as
ALIKE = {"bf16": ("bf16", "fp16"), "fp16": ("fp16", "bf16")}
SPARSITY = {
    "dense": Text("dense", "稠密"),
    "with_sparsity": Text("with structured sparsity", "带结构化稀疏"),
}
MEMBERS = {"node": 8, "rack": 72}


def peaks(figure: Figure, product: Hardware, members: int) -> Iterator[Candidate]:
    """Every peak of a product: precision and sparsity, for one device or for all that are named."""
    said = figure.conditions.get("precision", ())
    wanted = {p for s in said for p in ALIKE.get(s, (s,))}
    for precision, bases in product.peak.items():
        for basis, value in bases.items():
            fits = (not wanted or precision in wanted) and (
                not figure.says("sparsity") or figure.says("sparsity", basis)
            )
            plain = basis == "dense" or figure.says("sparsity", basis)
            plain = plain and (bool(wanted) or precision in WORK)
            under = tr("{product}, {precision}, {sparsity}", product=product.name,
                       precision=precision.upper(), sparsity=SPARSITY[basis])  # fmt: skip
            yield from counted(value, under, plain=plain, admitted=fits, members=members)


def links(figure: Figure, product: Hardware, members: int) -> Iterator[Candidate]:
    """One direction, or the sum of both."""
    rows = (
        (product.link_per_direction, "one", Text("one direction", "单向")),
        (product.link_total, "both", Text("both directions together", "双向之和")),
    )
    for value, direction, words in rows:
        if value is not None:
            fits = not figure.says("direction") or figure.says("direction", direction)
            plain = figure.says("direction", direction) or direction == "one"
            under = tr("{product}, {what}", product=product.name, what=words)
            yield from counted(value, under, plain=plain, admitted=fits, members=members)


def bandwidths(_: Figure, product: Hardware, members: int) -> Iterator[Candidate]:
    """Memory bandwidth."""
    under = tr("{product}, memory bandwidth", product=product.name)
    yield from counted(product.bandwidth, under, plain=True, admitted=True, members=members)


def memories(_: Figure, product: Hardware, members: int) -> Iterator[Candidate]:
    """What is sold, and what the driver shows of it, in either GB."""
    sold = product.marketed
    under = tr("{product}, as marketed", product=product.name)
    yield from counted(sold, under, plain=True, admitted=True, members=members)
    binary = Quantity(sold.quantity.value, unit(sold.quantity.unit.text.replace("GB", "GiB")))
    if binary.unit != sold.quantity.unit:
        under = tr("{product}, marketed GB taken as GiB", product=product.name)
        yield from counted(
            replace(sold, quantity=binary), under, plain=False, admitted=True, members=members
        )
    if product.driver_visible:
        under = tr("{product}, as the driver reports it", product=product.name)
        yield from counted(
            product.driver_visible, under, plain=False, admitted=True, members=members
        )


def counted(
    value: Value, under: Text, *, plain: bool, admitted: bool, members: int
) -> Iterator[Candidate]:
    """A figure of one device, and of all devices together where the claim names more than one."""
    half = half_of(value.text)
    yield Candidate(value.quantity, under, plain, admitted, value.sources, half)
    if members > 1:
        whole = Quantity(value.quantity.value * members, value.quantity.unit)
        all_of = tr("{under}, {count} devices together", under=under, count=members)
        yield Candidate(whole, all_of, plain, admitted, value.sources, half * members)


SHEET = {
    "peak_rate": peaks,
    "link": links,
    "network": links,
    "memory_bandwidth": bandwidths,
    "memory": memories,
}


def members(claim: Claim) -> int:
    """Devices that a figure may be the sum of."""
    given = claim.one("devices")
    if given:
        return int(given.value)
    return next((n for scope, n in MEMBERS.items() if claim.says("scope", scope)), 1)


@rule(
    "SRC001",
    name=("figure of a product against its spec", "产品指标与规格对照"),
    page=(
        "Each figure is held against every value that the cited spec has for it: precision, dense or with "
        "sparsity, one direction or both, marketed or driver-visible, one device or all that are named. Right "
        "under the plain reading is consistent, right only under another is ambiguous until the condition is "
        "said, right only under a condition that the words exclude, or under none, is contradicted. The ratio of "
        "sparse to dense is never assumed: both values come from the spec.",
        "把每个数字与所引规格的各个口径逐一对照：精度、稠密或带稀疏、单向或双向、标称或驱动可见、单设备或所述全部设备。"
        "按通常读法成立即为一致；只在另一口径下成立则需补充条件，判为有歧义；只在文字已排除的口径下成立、或任何口径都不成立，"
        "判为矛盾。稀疏与稠密之比从不假定，两个数值都取自规格。",
    ),
    fires="H100 SXM: 1,979 TFLOPS FP16.",
    quiet="H100 SXM: 989 TFLOPS FP16 dense.",
)
def against_spec(claim: Claim, library: Library) -> Iterator[Finding]:
    """One finding a figure that is not plainly right."""
    for figure in claim.figures:
        products = library.products(figure.hardware)
        if figure.role not in SHEET or not products:
            continue
        each = [
            outcome(figure, list(SHEET[figure.role](figure, p, members(claim)))) for p in products
        ]
        yield verdict_of(figure, each)


def verdict_of(figure: Figure, each: list[Outcome]) -> Finding:
    """The finding over every product that the name may mean."""
    verdict = together(o.verdict for o in each)
    listed = tuple(c.reading for o in each for c in (o.hits or o.candidates)[:8])
    sources = tuple(
        dict.fromkeys(s for o in each for c in o.hits or o.candidates for s in c.sources)
    )
    hit = next((c for o in each for c in o.hits), None)
    written = same(figure.text)
    if verdict == "consistent":
        what = tr(
            "{figure} is the cited value: {under}", figure=written, under=hit.under if hit else ""
        )
        return Finding("SRC001", verdict, "info", what, (figure.span,), listed, sources=sources)
    if verdict == "ambiguous":
        what = tr("{figure} holds under some readings only", figure=written)
        severity = "warning"
    else:
        what = tr(
            "{figure} is not the cited value under the conditions that are said", figure=written
        )
        severity = "error"
    corrected = None
    if hit is not None:
        corrected = tr("{value} ({under})", value=show(hit.value).text, under=hit.under)
    return Finding(
        "SRC001",
        verdict,
        severity,
        what,
        (figure.span,),
        listed,
        corrected=corrected,
        sources=sources,
    )
