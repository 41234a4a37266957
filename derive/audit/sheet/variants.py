"""Which variants of a name a claim leaves open: its form, its memory, its board, its link."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from derive.audit.interval import Interval
from derive.audit.sheet.heard import SCOPES, beside

if TYPE_CHECKING:
    from derive.audit.sheet.records import Match
    from derive.audit.types import Claim, Figure
    from derive.specs.types import Hardware, Value

# role of a figure -> kinds of entries; the later ones only where no word told the role
KINDS: dict[str, tuple[str, ...]] = {
    "peak_rate": ("peak",),
    "achieved_rate": ("peak",),
    "link": ("link",),
    "network": ("link",),
    "memory_bandwidth": ("memory_bandwidth", "link"),
    "memory": ("memory",),
    "power": ("power",),
    "ridge": ("ridge",),
}
LINKS_SUM = re.compile(
    r"[0-9] ?(?:NVLink[0-9]? )?(?:links|lanes|条(?: ?NVLink[0-9]? ?)?(?:链路)?)[^;.]{0,4}[x×*]",
    re.IGNORECASE,
)
VARIANT = re.compile(r"[ -]?(?:的 ?)?")


def narrowed(each: list[Match], claim: Claim) -> list[Match]:
    """Without the variants that another word of the claim excludes: its form, its memory."""
    forms = claim.said("variant")
    if forms and (fitting := [m for m in each if any(f in m.product.id for f in forms)]):
        each = fitting
    if claim.says("scope", *SCOPES) or any(beside(m.product, claim) for m in each):
        each = [m for m in each if wide(m) == max(wide(o) for o in each)]
    figure = each[0].figure
    counts = {int(f.value) for f in claim.of("devices") if f.hardware == figure.hardware}
    boards = [
        m for m in each if any(d.devices in counts for d in m.product.domains if d.devices > 4)
    ]
    each = boards or each  # eight of them are a board, where only one form is sold so
    for memory in claim.of("memory"):
        if memory.hardware == figure.hardware and marks(claim, memory):
            each = [m for m in each if has(m.product, memory)] or each
    if figure.role == "link" and len(pinned := by_links(each, claim)) == 1:
        each = pinned
    others = [f for f in claim.of("memory") if f.hardware == figure.hardware]
    if others and any(f.role in KINDS and f.role != "memory" for f in claim.figures):
        fitting = [m for m in each if all(has(m.product, f) for f in others)]
        each = fitting or each
    return each


def by_links(each: list[Match], claim: Claim) -> list[Match]:
    """The variants that all figures of the link fit, where several, or a sum of links, tell it."""
    figures = [f for f in claim.of("link") if f.hardware == each[0].figure.hardware]
    if len(figures) < 2 and not claim.says("per", "link") and not LINKS_SUM.search(claim.text):
        return []
    if claim.says("per", "link") or LINKS_SUM.search(claim.text):
        figures = [max(figures, key=lambda f: f.quantity.base)]  # the others are of one link

    def fits(product: Hardware) -> bool:
        values = [v for v in (product.link_per_direction, product.link_total) if v]
        return all(any(f.interval.meets(of_link(v)) for v in values) for f in figures)

    return [m for m in each if fits(m.product)]


def of_link(value: Value) -> Interval:
    """A link of the spec as one device's, exact."""
    return Interval.of(value.quantity.base)


def marks(claim: Claim, memory: Figure) -> bool:
    """Whether a memory is part of the name ("the 80 GB A100"): it says which, it claims nothing."""
    return any(
        VARIANT.fullmatch(
            claim.text[min(n.span[1], memory.span[1]) : max(n.span[0], memory.span[0])]
        )
        for n in claim.hardware
    )


def wide(match: Match) -> int:
    """Devices of the largest system that a product is sold in."""
    return max((d.devices for d in match.product.domains), default=1)


def has(product: Hardware, memory: Figure) -> bool:
    """Whether a product is sold with this memory."""
    quantity = product.marketed.quantity
    return memory.interval.low <= quantity.base <= memory.interval.high


def smaller_build(product: Hardware, memory: Figure) -> bool:
    """Whether a product that is sold with up to its memory has less here."""
    return "up to" in product.name.en and memory.interval.high < product.marketed.quantity.base
