"""Bytes beside a model and a device: whose memory they are, or how many the model takes.

A figure that stands by the name of a product, or is exactly what that product has, is its memory;
one that the words "weights", "takes", "权重" speak of stays with the model.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from derive.audit.consistency.between import lowered
from derive.audit.interval import Interval

if TYPE_CHECKING:
    from collections.abc import Iterator

    from derive.audit.library import Library
    from derive.audit.types import Claim, Figure, Named

KIND = r"(?:(?:hbm[0-9]?e?|gddr[0-9]x?|vram|unified memory|显存|内存) ?)?"
# "24GB 4090", "64GB of unified memory on the M4 Max": the figure, then the product
THEN_PRODUCT = re.compile(rf"-? ?{KIND}(?:的 ?)?(?:nvidia |amd |apple |英伟达 ?)?")
THEN_DEVICE = re.compile(
    rf" ?-?{KIND}(?:的 ?)?(?:gpus?|cards?|devices?|accelerators?|卡|显卡)(?![a-z])"
)
# "4090 24GB", "RTX 4090 with 24 GB", "8xH100 node (640 GB)": the product, then the figure
BODY = r"(?:(?:nodes?|servers?|box|systems?|cards?|gpus?|节点|服务器|机器|卡) ?)?"
PRODUCT_THEN = re.compile(rf"-? ?{BODY}(?:(?:with|has|having|带|有|共有?) ?(?:an? |its |the )?)?")
ASIDE = re.compile(rf" ?{BODY}[,(:] ?(?:with |has |a total of |total |共 ?)?")
CARDS_HOLD = re.compile(
    r"(?<![a-z])(?:gpus?|cards?|devices?|accelerators?) "
    r"(?:hold|have|give|offer|provide|total|pool|add up to)s?"
    r"(?: (?:about|only|just|a total of))* ?$|卡一?[共有计](?:计|有)?[ 约]*$"
)
TAKEN = ("weights", "kv", "kv_k", "kv_v")
SYSTEMS = (1, 2, 4, 8)


def memories(claim: Claim, library: Library) -> Claim:
    """The claim with the memory of its devices told from the bytes of its model."""
    made = list(claim.figures)
    for i, figure in enumerate(made):
        if figure.role not in ("weights", "bytes"):
            continue
        if of_product(claim, figure, library) or of_cards(claim, figure):
            made[i] = replace(figure, role="memory")
        elif figure.role == "weights" and of_cache(claim, figure):
            made[i] = replace(figure, role="kv")
    return replace(claim, figures=tuple(made)) if made != list(claim.figures) else claim


def of_product(claim: Claim, figure: Figure, library: Library) -> bool:
    """Whether a figure is the memory of a product of the claim."""
    for named in claim.hardware:
        if named.span[0] == named.span[1]:
            continue  # carried over from another line: it stands beside nothing
        exact = has(claim, figure, named, library)
        if figure.span[1] <= named.span[0]:
            between = claim.text[figure.span[1] : named.span[0]]
            if THEN_PRODUCT.fullmatch(lowered(between)):
                return True
        else:
            between = lowered(claim.text[named.span[1] : figure.span[0]])
            if PRODUCT_THEN.fullmatch(between) and (exact or not taken(claim, figure)):
                return True
            if exact and ASIDE.fullmatch(between + " "):
                return True
        if exact and not taken(claim, figure) and not follows_model(claim, figure):
            return True
    return False


def has(claim: Claim, figure: Figure, named: Named, library: Library) -> bool:
    """Whether some product of a name has just this memory, alone or as many as are named."""
    counts = {int(f.value) for f in claim.of("devices") if f.value.denominator == 1}
    return any(
        figure.interval.meets(Interval.of(product.marketed.quantity.base * count))
        for product in library.products(named)
        for count in counts | set(SYSTEMS)
    )


def of_cards(claim: Claim, figure: Figure) -> bool:
    """Whether it says what each card has ("two 24 GB cards"), or what cards hold together."""
    ahead = claim.text[max(0, figure.span[0] - 40) : figure.span[0]].lower()
    if CARDS_HOLD.search(ahead) and not claim.says("noun", "weights"):
        return True
    return bool(THEN_DEVICE.match(claim.text[figure.span[1] : figure.span[1] + 24].lower()))


def taken(claim: Claim, figure: Figure) -> bool:
    """Whether a word for what is stored, or for taking it, speaks of this figure."""
    near = [f for f in claim.figures if f.dimension == figure.dimension]
    words = [
        t.span for t in claim.terms if t.kind == "use" or (t.kind == "noun" and t.says in TAKEN)
    ]
    return any(min(near, key=lambda f: apart(f.span, w)) is figure for w in words)


def follows_model(claim: Claim, figure: Figure) -> bool:
    """Whether the name before it that is nearest is the model's."""
    names = [(n.span, True) for n in claim.models] + [(n.span, False) for n in claim.hardware]
    before = [(span, model) for span, model in names if span[1] <= figure.span[0]]
    return bool(before) and max(before)[1]


def of_cache(claim: Claim, figure: Figure) -> bool:
    """Whether bytes follow from KV bytes of a token and a number of tokens."""
    lengths = claim.of("tokens", "context", "prompt")
    counts = ("tokens", "context", "prompt", "batch", "concurrency")
    after = any(a.role in counts and b is figure for a, b in steps(claim))
    return after and bool(lengths) and bool(claim.of("kappa")) and not claim.says("noun", "weights")


def steps(claim: Claim) -> Iterator[tuple[Figure, Figure]]:
    """Each figure and the next."""
    yield from pairwise(claim.figures)


def apart(one: tuple[int, int], other: tuple[int, int]) -> int:
    """Characters between two stretches."""
    return max(other[0] - one[1], one[0] - other[1], 0)
