"""Bytes that no word calls weights: the cache, what is left, another model's."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from derive.audit.consistency.between import before, behind, lowered
from derive.audit.consistency.left import left_over
from derive.specs.precision import BYTES

if TYPE_CHECKING:
    from derive.audit.physics.setting import Subject
    from derive.audit.types import Claim, Figure

FEWEST = 4  # parameters in a byte: two bits each
RESULT = re.compile(r"[×x*] ?[0-9][^=≈;。]{0,20}[=≈] ?(?:about |约)?$")  # 99 × 512 MiB ≈ 49.5 GiB
# what a clause speaks of where its bytes are those of requests
OTHER_MATTER = re.compile(
    r"(?<![a-z])(?:context|prefix|prompt|cached?|sessions?|chats?|users?|tokens of)(?![a-z])"
    r"|缓存|上下文|前缀|提示|会话|用户"
)
OF_CACHE = re.compile(r"^ ?(?:of|for|的)? ?(?:the )?(?:kv|cache|context|缓存)")
CLAUSE = re.compile(r"[;；，。]|[,.](?![0-9])")


def unsaid(claim: Claim, figure: Figure, *, agreed: bool) -> bool:
    """Whether no word of their clause says that bytes are weights.

    What is left or to spare never is; beside weights that are right, bytes in a clause without a
    word of weights, precision or model are something else: the cache, what a device has.
    """
    low, high = clause_of(claim, figure)
    if left_over(claim, figure) or RESULT.search(before(claim, figure)):
        return True
    if OTHER_MATTER.search(lowered(claim.text[low:high])) and not claim.says("noun", "weights"):
        return True
    if OF_CACHE.match(behind(claim, figure)):
        return True
    named = any(low <= n.span[0] < figure.span[0] for n in claim.models)
    told = named or any(
        low <= t.span[0] < high
        and (t.kind == "precision" or (t.kind == "noun" and t.says in ("weights", "parameters")))
        for t in claim.terms
    )
    others = claim.says("noun", "kv") and not claim.says("noun", "weights")
    return (agreed or others) and not told


def of_other(claim: Claim, figure: Figure) -> bool:
    """Whether bytes are those of another model or format that is told, or the sum of two others.

    Formats are sought in the clause of the figure, where two models are told in the whole claim.
    """
    sizes = [f.interval for f in claim.of("parameters")]
    low, high = clause_of(claim, figure) if len(sizes) < 2 else (0, len(claim.text))
    said = [t.says for t in claim.terms if t.kind == "precision" and low <= t.span[0] < high]
    stored = {p for p in said if p in BYTES}
    several = len(stored) > 1 or len(sizes) > 1
    if several and any(n.scaled(BYTES[p]).meets(figure.interval) for n in sizes for p in stored):
        return True
    others = [f.interval for f in claim.of("weights") if f is not figure]
    return any((a + b).meets(figure.interval) for a, b in pairwise(others))


def clause_of(claim: Claim, figure: Figure) -> tuple[int, int]:
    """Where the clause of a figure begins and ends."""
    stops = [m.end() for m in CLAUSE.finditer(claim.text, 0, figure.span[0])]
    beyond = CLAUSE.search(claim.text, figure.span[1])
    return stops[-1] if stops else 0, beyond.start() if beyond else len(claim.text)


def too_little(claim: Claim, figure: Figure, models: list[Subject]) -> bool:
    """Whether bytes that no word calls weights are too few for any, beside requests."""
    served = claim.of("tokens", "prompt", "output", "context", "concurrency", "batch")
    if claim.says("noun", "weights") or not served:
        return False
    sizes = [m.size.high for m in models if m.size]
    sizes += [m.model.values["N"].quantity.base for m in models if m.model]
    return all(figure.interval.high < n / FEWEST for n in sizes)
