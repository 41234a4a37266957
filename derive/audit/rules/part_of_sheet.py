"""A part of what a product has, told with its value: half of its bandwidth is 1.7 TB/s."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from derive.audit.readings import together
from derive.audit.rule import rule
from derive.audit.sheet.bare import usual
from derive.audit.sheet.entries import bare, entries
from derive.audit.sheet.parts import share_of
from derive.audit.sheet.variants import KINDS
from derive.audit.sheet.words import equals, size
from derive.audit.types import Finding
from derive.audit.wording import GRAVE
from derive.text import Text, joined, same, tr
from derive.units import Quantity

if TYPE_CHECKING:
    from derive.audit.library import Library
    from derive.audit.sheet.entries import Entry
    from derive.audit.sheet.ratios import Multiple
    from derive.audit.types import Claim, Figure


@rule(
    "COND029",
    name=("part of a datasheet value", "规格数值的一部分"),
    page=(
        "A figure that is told as a part of what a product has (half of its bandwidth) is held against that part of the "
        "cited value, one for each variant of the name.",
        "文中把数字说成某产品规格的一部分（如带宽的一半）时，与所引规格数值的相应部分对照；一个名称有多个型号时逐个对照。",
    ),
    fires="Half of the H100 SXM's bandwidth is 2.4 TB/s.",
    quiet="Half of the H100 SXM's bandwidth is 1.675 TB/s.",
    chinese=("H100 SXM 带宽的一半是 2.4 TB/s。", "H100 SXM 带宽的一半是 1.675 TB/s。"),
)
def part_of_sheet(claim: Claim, library: Library) -> Iterator[Finding]:
    """One finding for each such figure."""
    for figure in claim.figures:
        part = share_of(claim, figure) if figure.role in KINDS else None
        if part is None or figure.value <= 0:
            continue
        kind = KINDS[figure.role][0]
        found = [
            e for p in library.products(figure.hardware) if (e := usual(entries(p), kind, claim))
        ]
        if found:
            yield judged(figure, part, found)


def judged(figure: Figure, part: Multiple, found: list[Entry]) -> Finding:
    """The figure against the part of each variant's value."""
    held = [(part.interval * e.interval).meets(figure.interval) for e in found]
    verdict = together("consistent" if h else "contradicted" for h in held)
    each = joined(told(part, e) for e in found)
    if verdict == "consistent":
        message = tr(
            "{figure} is that part of the cited value: {each}", figure=same(figure.text), each=each
        )
    else:
        message = tr(
            "{figure} is not that part of the cited value: {each}",
            figure=same(figure.text),
            each=each,
        )
    corrected = None if verdict == "consistent" else tr("By the specs: {each}.", each=each)
    sources = tuple(dict.fromkeys(s for e in found for s in e.sources))
    return Finding("COND029", verdict, GRAVE[verdict], message, (figure.span, part.span), (), (),
                   corrected, sources=sources)  # fmt: skip


def told(part: Multiple, entry: Entry) -> Text:
    """The part of one value in words."""
    value = entry.quantity.base * part.interval.middle
    shown = Quantity(value / bare(entry.quantity).unit.factor, bare(entry.quantity).unit)
    share = part.interval.middle
    line = f"{share.numerator}/{share.denominator} × {size(entry.quantity)} {equals(size(shown))}"
    return joined([entry.product.name, same(line)], ": ", "：")
