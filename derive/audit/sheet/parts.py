"""A figure that is told as a part of what a product has: half of its bandwidth is 1.7 TB/s."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from derive.audit.sheet.ratios import spelled

if TYPE_CHECKING:
    from derive.audit.sheet.ratios import Multiple
    from derive.audit.types import Claim, Figure

# "half of the H100's bandwidth is …", 三分之一的 H100 带宽约为 …, H100 带宽的一半即 …
OF_NAMED = re.compile(r"(?: of)?(?: (?:the|an?|one))? ?(?:NVIDIA |AMD )?|的 ?", re.IGNORECASE)
QUANTITY = (
    r"(?:memory|hbm|bandwidth|capacity|compute|power|tdp|显存|带宽|内存|算力|功耗|容量|的|'s|’s| )*"
)
LONGEST = 200  # characters of a sentence in which such a part is looked for
IS = re.compile(
    rf"{QUANTITY}(?P<is>would be|is|are|equals?|comes? to|=|约[为是]?|即|等于|[为是])?"
    r"(?: about| roughly| only|约|是| )*",
    re.IGNORECASE,
)
QUANTITY_OF = re.compile(rf"{QUANTITY}的? ?", re.IGNORECASE)


def share_of(claim: Claim, figure: Figure) -> Multiple | None:
    """The part that a figure is said to be of its own product's value; None where it is not."""
    name = figure.hardware
    if name is None or len(claim.text) > LONGEST or len({n.ids for n in claim.hardware}) != 1:
        return None
    for part in spelled(claim):
        low, high = part.interval.low, part.interval.high
        if not 0 < low < high < 1 or part.span[1] > figure.span[0]:
            continue
        if part.span[1] <= name.span[0] and name.span[1] <= figure.span[0]:
            led = OF_NAMED.fullmatch(claim.text[part.span[1] : name.span[0]])
            if led and told(claim, name.span[1], figure):
                return part
        elif name.span[1] <= part.span[0]:
            led = QUANTITY_OF.fullmatch(claim.text[name.span[1] : part.span[0]])
            if led and told(claim, part.span[1], figure):
                return part
    return None


def told(claim: Claim, start: int, figure: Figure) -> bool:
    """Whether the words from a place to a figure say that it is what stands before."""
    found = IS.fullmatch(claim.text[start : figure.span[0]])
    return found is not None and bool(found["is"] or figure.text.startswith(("约", "≈", "=")))
