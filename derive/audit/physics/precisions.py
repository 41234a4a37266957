"""Which precision a claim says of what: weights, KV cache, computing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from derive.audit.interval import Interval
from derive.specs.precision import BYTES

if TYPE_CHECKING:
    from derive.audit.types import Claim, Figure, Term

FROM = re.compile(r"(?:from|从|由)(?: about| roughly|约)? ?$", re.IGNORECASE)
TO = re.compile(r" ?(?:down )?(?:to|at|->|→|[降减缩变压][^0-9]{0,4}[到至为成]|到|至)")
NEAR = 12  # characters between a precision and the words "KV cache" that it belongs to
OTHERS = ("fp8", "int4")  # what weights are stored in where the text leaves it open
NARROW = ("fp8", "int8", "fp4", "int4")


def of_cache(claim: Claim) -> set[Term]:
    """The precisions that stand by the words "KV cache" and not nearer to "weights"."""
    nouns = [t for t in claim.terms if t.kind == "noun" and t.says in ("kv", "weights")]
    several = sum(t.kind == "precision" for t in claim.terms) > 1
    made = set()
    for term in claim.terms:
        if term.kind != "precision" or not nouns:
            continue
        nearest = min(nouns, key=lambda n: gap(n, term))
        alone = any(n.says == "weights" for n in nouns) or several
        if nearest.says == "kv" and gap(nearest, term) <= NEAR and alone:
            made.add(term)
    return made


def gap(one: Term, other: Term) -> int:
    """Characters between two words."""
    return max(other.span[0] - one.span[1], one.span[0] - other.span[1], 0)


def stored_precision(claim: Claim) -> str:
    """What the weights are stored in; "" where nothing is said."""
    cache = of_cache(claim)
    said = [t.says for t in claim.terms if t.kind == "precision" and t not in cache]
    return next((p for p in said if p in BYTES), "")


def kv_precision(claim: Claim) -> str:
    """What the KV cache is stored in; "" where nothing is said."""
    return next((t.says for t in of_cache(claim) if t.says in BYTES), "")


def in_turn(claim: Claim, figure: Figure) -> str:
    """The precision of one of two figures told in one order: FP16 to FP8, 128 to 64 KiB."""
    said = list(dict.fromkeys(t.says for t in claim.terms if t.kind == "precision"))
    figures = claim.of(figure.role)
    own = [f.conditions.get("precision", ()) for f in figures]
    if len(figures) > 1 and len(set(own)) == len(own) and all(len(p) == 1 for p in own):
        mine = figure.conditions["precision"][0]  # FP8 about 70 GB, BF16 about 141 GB
        return mine if mine in BYTES else ""
    if len(said) != 2 or len(figures) != 2 or any(p not in BYTES for p in said):
        return ""
    first = figures[0].span
    changed = FROM.search(claim.text[: first[0]]) or TO.match(claim.text, first[1])
    return said[figures.index(figure)] if changed else ""


def changed_from(claim: Claim, figure: Figure) -> bool:
    """Whether a figure is what was before a change: FP8 halves them from 141 GB to 71 GB."""
    return bool(FROM.search(claim.text[: figure.span[0]])) and bool(
        TO.match(claim.text, figure.span[1])
    )


def compute_of(stored: str, peaks: Mapping[str, Interval]) -> Interval | None:
    """The highest dense peak at which weights of a format can be multiplied.

    Weights can be widened to a wider format, never narrowed without being other weights.
    """
    able = [peaks[p] for p in peaks if p in BYTES and BYTES[p] >= BYTES[stored] and BYTES[p] <= 2]
    return max(able, key=lambda i: i.high, default=None)


def storable(claim: Claim, native: str) -> Iterator[tuple[str, bool]]:
    """Precisions of the weights that the words admit, and whether each needs no further word."""
    said = stored_precision(claim)
    yield said or native, True
    if not said:
        for other in OTHERS:
            if BYTES[other] < BYTES[native]:
                yield other, False
