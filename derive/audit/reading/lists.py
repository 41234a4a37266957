"""Lists of figures: one unit behind the last, one heading before the first."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from derive.audit.reading.owners import BECOMES, STARTS, VERSUS
from derive.units import unit

if TYPE_CHECKING:
    from derive.audit.reading.normal import Normal
    from derive.audit.reading.sentence import Sentence
    from derive.audit.types import Figure, Named

HEADING = ("precision", "sparsity")
REMARK = re.compile(r" ?[(（][^0-9)）]{0,24}")
IS_IT = re.compile(
    r"(?:^|[ ,)])(?:is|are|means?|=|equals?|i\.e\.|or|corresponds? to|c[ao]mes? to|amounts? to)"
    r"(?: only)?(?: an?)?(?: MFU)?(?: of)? ?$"
    r"|^ ?[(（]$|(?:即|为|是|相当于|对应|合|等于)(?: ?MFU ?[为是]?)? ?$"
)
PRICES = ("token_cost", "price", "device_price")
LENGTHS = ("context", "prompt", "tokens")
LISTED = re.compile(r"[,、，/ ]+|,? ?(?:and|和|与|及) ?")


def share_unit(figures: list[Figure], hardware: tuple[Named, ...], text: str) -> None:
    """A unit behind the last of a list is that of each: "A and B have 989 and 756 TFLOPS"."""
    if len(hardware) < 2 or len(figures) < len(hardware):
        return
    for last in range(len(hardware) - 1, len(figures)):
        row = figures[last - len(hardware) + 1 : last + 1]
        gaps = (text[a.span[1] : b.span[0]] for a, b in pairwise(row))
        bare = all(f.role == "number" and not f.unit.terms for f in row[:-1])
        if bare and row[-1].unit.terms and all(LISTED.fullmatch(g) for g in gaps):
            unlike = ("calibre", "scope")
            kept = {k: v for k, v in row[-1].conditions.items() if k in unlike}
            for i, one in enumerate(row[:-1], last - len(hardware) + 1):
                figures[i] = replace(
                    one,
                    unit=row[-1].unit,
                    role=row[-1].role,
                    conditions=kept | dict(one.conditions),
                )


def remarks(figures: list[Figure], text: str) -> None:
    """A bare number in brackets is the same on another basis: 312 TFLOPS (sparse 624)."""
    for i, (one, other) in enumerate(pairwise(figures)):
        bare = other.role == "number" and not other.unit.terms
        behind = bool(REMARK.fullmatch(text[one.span[1] : other.span[0]]))
        if bare and behind and one.unit.terms and any(other.says(kind) for kind in HEADING):
            kept = {k: v for k, v in one.conditions.items() if k == "precision"}
            said = kept | dict(other.conditions)
            figures[i + 1] = replace(other, unit=one.unit, role=one.role, conditions=said)


def from_to(figures: list[Figure], text: str) -> None:
    """The unit behind what something becomes is that of what it was: from 1,800 to 2,700 tok/s."""
    for i, (one, other) in enumerate(pairwise(figures)):
        bare = one.role == "number" and not one.unit.terms and other.unit.terms
        priced = one.role == "money" and other.role in PRICES
        if not (bare or priced) or other.role in ("devices", "parameters", "active"):
            continue
        if STARTS.search(text[: one.span[0]]) and BECOMES.fullmatch(
            text[one.span[1] : other.span[0]]
        ):
            figures[i] = replace(
                one, unit=other.unit, role=other.role,
                conditions=dict(other.conditions) | dict(one.conditions),
            )  # fmt: skip


def of_contexts(figures: list[Figure]) -> None:
    """Bytes behind a length are those of so many tokens, where a token's were told before.

    "Each token takes 56 KiB and a 32K context about 1.75 GiB."
    """
    for i, (one, other) in enumerate(pairwise(figures)):
        told = any(f.role == "kappa" for f in figures[:i])
        if other.role == "kappa" and one.role in LENGTHS and told:
            figures[i + 1] = replace(other, role="kv", unit=other.unit * unit("token"))


def achieved_beside_mfu(figures: list[Figure], found: Sentence, text: str) -> None:
    """A rate that is said to be an MFU is achieved; so are those that "peak" does not speak of."""
    rates = [i for i, f in enumerate(figures) if f.role == "peak_rate"]
    shares = [f for f in figures if f.role == "mfu"]
    if not rates or not shares:
        return
    numbers = [i for i, t in enumerate(found) if t.kind == "number"]
    peaks = {found.owners[i] for i, t in enumerate(found) if t.of == "calibre" and t.says == "peak"}
    several = len(rates) > 1 and any(numbers[i] in peaks for i in rates)
    nearest = min(rates, key=lambda i: abs(figures[i].span[0] - shares[0].span[0]))
    for i in rates:
        low, high = sorted((figures[i].span, shares[0].span))
        is_it = i == nearest and IS_IT.search(text[low[1] : high[0]])
        if numbers[i] not in peaks and (several or is_it):
            figures[i] = replace(figures[i], role="achieved_rate")


def same_bytes(figures: list[Figure]) -> None:
    """Bytes that are told again are the same bytes: 140 GB of weights, and "these 140 GB"."""
    for i, one in enumerate(figures):
        if one.role in ("memory", "bytes"):
            told = [f for f in figures[:i] if f.role in ("weights", "kv")]
            if any((f.value, f.unit) == (one.value, one.unit) for f in told):
                figures[i] = replace(one, role=told[0].role)


def with_heading(figures: list[Figure], found: Sentence, held: Normal) -> list[Figure]:
    """What is said before a list of one quantity of several products holds for each of them.

    "Dense BF16 peaks: A 989 TFLOPS, B 756 TFLOPS": not where the later one says otherwise.
    """
    first: dict[str, Figure] = {}
    made = []
    for one in figures:
        head = first.setdefault(one.role, one)
        told = any(one.says(kind) for kind in HEADING)
        apart = head.hardware and one.hardware and head.hardware.ids != one.hardware.ids
        lent = {} if told or not apart else {
            kind: head.conditions[kind]
            for kind in HEADING
            if head.says(kind) and ahead(kind, head, found, held)
        }  # fmt: skip
        made.append(replace(one, conditions={**one.conditions, **lent}) if lent else one)
    return made


def ahead(kind: str, one: Figure, found: Sentence, held: Normal) -> bool:
    """Whether the words of a kind that a figure heard stand before it."""
    spans = [
        held.span(t.start, t.end)
        for t in found
        if t.kind == "term" and t.of == kind and t.says in one.conditions[kind]
    ]
    return bool(spans) and spans[0][1] <= one.span[0]


def lend_back(figures: list[Figure], text: str) -> None:
    """A bare number before one that it stands against measures the same ("6 vs 3.35 TB/s")."""
    for i, (one, other) in enumerate(pairwise(figures)):
        bare = one.role == "number" and not one.unit.terms and other.unit.terms
        if bare and VERSUS.fullmatch(text[one.span[1] : other.span[0]]):
            kept = {k: v for k, v in other.conditions.items() if k != "sparsity"}
            figures[i] = replace(
                one, unit=other.unit, role=other.role, conditions=kept | dict(one.conditions)
            )
