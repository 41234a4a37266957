"""An arithmetic intensity that is said to lie on a side of the ridge of a named accelerator."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from derive.audit.readings import together
from derive.audit.rule import rule
from derive.audit.sheet.entries import entries
from derive.audit.sheet.heard import SIXTEEN, alike
from derive.audit.sheet.words import quotient, reading, size
from derive.audit.types import Finding
from derive.audit.wording import GRAVE
from derive.text import same, tr

if TYPE_CHECKING:
    from derive.audit.library import Library
    from derive.audit.sheet.entries import Entry
    from derive.audit.types import Claim, Figure
    from derive.specs.types import Hardware
    from derive.units import Quantity

SIDES = {"ridge_batch": True, "memory_bound": False}  # what the text says -> compute side


@rule(
    "PHYS018",
    name=("arithmetic intensity against the ridge", "算术强度与脊点对照"),
    page=(
        "Work is compute-bound where its operations per byte pass the ridge point, dense peak over memory bandwidth at "
        "the precision of the work, and memory-bound below it. Without a precision the 16-bit peak is meant.",
        "每字节运算量超过脊点（该精度的稠密峰值除以显存带宽）时受算力限制，低于脊点时受带宽限制。未注明精度时按 16 位峰值。",
    ),
    fires="At 100 FLOP/byte a BF16 kernel on the H100 SXM is compute bound.",
    quiet="At 100 FLOP/byte a BF16 kernel on the H100 SXM is memory bound.",
    chinese=(
        "H100 SXM 上算术强度 100 FLOP/byte 的 BF16 算子是计算受限的。",
        "H100 SXM 上算术强度 100 FLOP/byte 的 BF16 算子是带宽受限的。",
    ),
)
def side_of_intensity(claim: Claim, library: Library) -> Iterator[Finding]:
    """One finding where an intensity with its unit, one product and one side are named."""
    told = [s for s in SIDES if claim.says("subject", s)]
    figures = [f for f in claim.of("intensity") if f.unit.terms and not f.bound]
    if len(told) != 1 or len(figures) != 1 or claim.says("subject", "not"):
        return
    figure, wanted = figures[0], SIDES[told[0]]
    found = [
        (e, side(figure, e)) for p in library.products(figure.hardware) if (e := ridge(p, claim))
    ]
    if not found:
        return
    verdict = together(
        "consistent" if compute in (wanted, None) else "contradicted" for _, compute in found
    )
    entry = next((e for e, compute in found if compute is not wanted), found[0][0])
    lines = (quotient(*parts),) if (parts := rates(entry)) else ()
    given = {
        "figure": same(figure.text),
        "ridge": size(entry.quantity),
        "product": entry.product.name,
    }
    if verdict == "consistent":
        what = tr("{figure} is on that side of the ridge point of {ridge}: {product}", **given)
        yield Finding("PHYS018", verdict, "info", what, (figure.span,), (reading(entry),), lines)
        return
    above = figure.quantity.base > entry.quantity.base
    what = (tr("{figure} is above the ridge point of {ridge}: {product}", **given) if above
            else tr("{figure} is below the ridge point of {ridge}: {product}", **given))  # fmt: skip
    said = (tr("At {figure} work is compute-bound, above the ridge point of {ridge}: {product}.", **given) if above
            else tr("At {figure} work is memory-bound, below the ridge point of {ridge}: {product}.", **given))  # fmt: skip
    yield Finding("PHYS018", verdict, GRAVE[verdict], what, (figure.span,), (reading(entry),), lines,
                  said, sources=entry.sources)  # fmt: skip


def ridge(product: Hardware, claim: Claim) -> Entry | None:
    """The dense ridge point at the precision that is said, else at 16 bits."""
    said = {p for s in claim.said("precision") for p in alike(s)} or set(SIXTEEN)
    return next(
        (e for e in entries(product)
         if e.kind == "ridge" and e.precision in said and e.sparsity == "dense"), None,
    )  # fmt: skip


def rates(entry: Entry) -> tuple[Quantity, Quantity] | None:
    """The peak and the bandwidth that a ridge point is made of."""
    peak = next(
        (e for e in entries(entry.product) if e.kind == "peak" and e.other is None
         and (e.precision, e.sparsity) == (entry.precision, entry.sparsity)), None,
    )  # fmt: skip
    return (peak.quantity, entry.product.bandwidth.quantity) if peak else None


def side(figure: Figure, entry: Entry) -> bool | None:
    """Whether an intensity is on the compute side; None where its digits reach the ridge."""
    if figure.interval.meets(entry.interval):
        return None
    return figure.interval.low > entry.interval.high
