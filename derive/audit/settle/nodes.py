"""A node that is named by its devices: "each H800 node", "每个 H800 节点"."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from derive.audit.types import Term

if TYPE_CHECKING:
    from derive.audit.types import Claim

BEFORE = re.compile(r"(?:(?<![a-z])(?:each|every|per|one|a|an)(?: single)? |[每单一](?:个|台)? ?)$")
BEHIND = re.compile(r"[ -]?(?:nodes?|servers?|hosts?|节点|服务器|整机)(?![a-z])")


def nodes(claim: Claim) -> Claim:
    """The claim with what it says of nodes as a word of scope."""
    found = []
    for named in claim.hardware:
        start, end = named.span
        head = BEFORE.search(claim.text[max(0, start - 16) : start].lower())
        tail = BEHIND.match(claim.text[end : end + 16].lower())
        if head and tail and start < end:
            found.append(Term("scope", "node", (start - len(head[0]), end + tail.end())))
    return replace(claim, terms=(*claim.terms, *found)) if found else claim
