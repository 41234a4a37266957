"""Figures that the text rejects: "not 1,979 TFLOPS", "instead of 900", "不是 56B"."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from derive.audit.consistency.between import lowered

if TYPE_CHECKING:
    from derive.audit.types import Claim, Figure

REJECTS = re.compile(
    r"(?:(?<![a-z])(?:instead of|rather than|not|isn'?t|aren'?t"
    r"|does(?: not|n'?t) (?:have|deliver|reach|offer|do)"
    r"|do(?: not|n'?t) have)|不是|并不是|并非|而不是|而非|没有) ?(?:about |the |a |an |约 ?)?$"
)
SAYS_INSTEAD = re.compile(
    r"(?:it|they|there)?(?: only)? ?(?:has|have|is|are|does|only|just)(?: only| just)? ?$"
    r"|(?:是|为|只有|而是|有) ?$|^but ?$"
)
SHEET = (
    "peak_rate",
    "memory_bandwidth",
    "data_rate",
    "link",
    "memory",
    "parameters",
    "active",
    "weights",
    "kappa",
)


def rejected(claim: Claim) -> Claim:
    """The claim without a role for what it rejects; the figure after it may borrow its unit."""
    made = list(claim.figures)
    for i, figure in enumerate(made):
        if figure.role not in SHEET:
            continue
        before = lowered(claim.text[max(0, figure.span[0] - 40) : figure.span[0]])
        if REJECTS.search(before) and len(made) > 1:
            made[i] = replace(figure, role="rejected")
            if i + 1 < len(made) and not made[i + 1].unit.terms:
                made[i + 1] = lend(claim, figure, made[i + 1])
    if made == list(claim.figures):
        return claim
    denied = {f.span for f in made if f.role == "rejected"}
    models = tuple(n for n in claim.models if n.span not in denied)
    made = [
        replace(f, model=next(iter(models), None)) if f.model and f.model.span in denied else f
        for f in made
    ]
    return replace(claim, figures=tuple(made), models=models)


def lend(claim: Claim, figure: Figure, bare: Figure) -> Figure:
    """The bare number that stands instead of a rejected one measures the same."""
    between = lowered(claim.text[figure.span[1] : bare.span[0]]).strip(" ,;:.")
    if bare.role != "number" or not SAYS_INSTEAD.search(between):
        return bare
    kept = {**figure.conditions, **bare.conditions}
    return replace(bare, unit=figure.unit, role=figure.role, conditions=kept)
