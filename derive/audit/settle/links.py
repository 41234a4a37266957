"""Data rates beside the word NVLink, and the operands of a printed quotient."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from derive.audit.consistency.between import before, behind
from derive.audit.sheet.entries import entries

if TYPE_CHECKING:
    from derive.audit.library import Library
    from derive.audit.types import Claim, Figure

MEMORY = ("memory", "memory_bandwidth", "host", "network", "cache")
OVER = re.compile(r" ?[/÷] ?[0-9]")
UNDER = re.compile(r"[0-9] ?[/÷] ?$")


def links(claim: Claim, library: Library) -> Claim:
    """The claim with rates of a link told from the memory bandwidth by what the spec has."""
    named = claim.says("noun", "link")
    if claim.says("noun", *MEMORY) or not (named or claim.says("direction")):
        return claim
    made = tuple(
        replace(f, role="link")
        if f.role == "memory_bandwidth"
        and (named or f.says("direction"))  # the bandwidth of a memory has none
        and is_link(f, claim, library, told=named)
        else f
        for f in claim.figures
    )
    return replace(claim, figures=made) if made != claim.figures else claim


def is_link(figure: Figure, claim: Claim, library: Library, *, told: bool) -> bool:
    """Whether it is the link of a product, alone or of a system, and not its memory bandwidth."""
    named = {int(f.value) for f in claim.of("devices") if f.value.denominator == 1}
    met = set()
    for product in library.products(figure.hardware):
        counts = {1, *named, *(d.devices for d in product.domains)}
        for entry in entries(product):
            if any(figure.interval.meets(entry.interval.scaled(n)) for n in counts if n > 0):
                met.add(entry.kind)
    alone = told and sum(f.dimension == figure.dimension for f in claim.figures) == 1
    other = told and figure.says("direction")  # of a link, whatever its value
    return ("link" in met or alone or other) and "memory_bandwidth" not in met


def operands(claim: Claim) -> Claim:
    """The claim with bare numbers of a printed quotient as numbers: only its result is a ridge."""
    made = tuple(
        replace(f, role="number")
        if f.role == "ridge" and not f.unit.terms and divided(claim, f)
        else f
        for f in claim.figures
    )
    return replace(claim, figures=made) if made != claim.figures else claim


def divided(claim: Claim, figure: Figure) -> bool:
    """Whether a division sign and another number stand on either side of it."""
    return bool(
        OVER.match(" " + behind(claim, figure, 8)) or UNDER.search(before(claim, figure, 8))
    )
