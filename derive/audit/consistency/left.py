"""Bytes that the text says are left over: no weights, and room for requests."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from derive.audit.consistency.between import before, behind

if TYPE_CHECKING:
    from derive.audit.types import Claim, Figure

LEFT_BEHIND = re.compile(
    r"^ ?(?:of (?:memory|hbm|vram|it) )?(?:is |are |remains? |stays? )?"
    r"(?:left|free|spare|available|remaining|to spare|over|unused|unallocated)(?![a-z])"
    r"|^ ?(?:的)?(?:空间|余量|空闲|可用|剩余)"
)
LEFT_BEFORE = re.compile(
    r"(?<![a-z])(?:leav(?:es|ing)|with|remaining|free|spare)"
    r"(?: (?:only|about|roughly|another|some))* ?$"
    r"|(?:剩下?|剩余|余下|还有|空闲|可用|留给 ?kv ?(?:cache|缓存)?(?: ?的)?)(?:显存)?"
    r"(?: ?[约为有的])* ?$"
)


def left_over(claim: Claim, figure: Figure) -> bool:
    """Whether the words right before or behind a figure say that it is what is left."""
    return bool(
        LEFT_BEHIND.match(behind(claim, figure)) or LEFT_BEFORE.search(before(claim, figure))
    )
