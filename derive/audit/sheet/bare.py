"""A quantity of a product without a number: what it would be, for each variant of the name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from derive.audit.sheet.causes import each_of, spread
from derive.audit.sheet.entries import Entry, entries
from derive.audit.sheet.heard import SIXTEEN, alike
from derive.audit.sheet.words import KIND, conditions, reading
from derive.audit.types import Finding
from derive.text import same, tr

if TYPE_CHECKING:
    from derive.audit.library import Library
    from derive.audit.types import Claim, Named

# noun of the lexicon -> kind of the entries, the more telling first
NOUNS = {"ridge": "ridge", "memory_bandwidth": "memory_bandwidth", "link": "link",
         "power": "power", "memory": "memory", "compute": "peak"}  # fmt: skip


def without_figure(rule: str, claim: Claim, library: Library) -> Iterator[Finding]:
    """Every variant with its value, where a claim names a quantity and gives no number for it."""
    if any(f.role != "devices" for f in claim.figures):
        return
    kind = next((k for noun, k in NOUNS.items() if claim.says("noun", noun)), None)
    here = [n for n in claim.hardware if n.span != (0, 0)]  # named by this very sentence
    for named in here if kind else ():
        found = [e for p in library.products(named)
                 if (e := usual(entries(p), str(kind), claim)) is not None]  # fmt: skip
        if len(found) > 1:
            yield listed(rule, named, found)


def usual(entries: tuple[Entry, ...], kind: str, claim: Claim) -> Entry | None:
    """The cited value under the plain reading: 16 bit and dense, one direction, as marketed."""
    said = {p for s in claim.said("precision") for p in alike(s)} or set(SIXTEEN)
    sparsity = next(iter(claim.said("sparsity")), "dense")
    for entry in entries:
        if entry.kind != kind or entry.other or entry.form not in ("", "marketed"):
            continue
        if entry.precision and (entry.precision not in said or entry.sparsity != sparsity):
            continue
        if entry.direction in ("", "one"):
            return entry
    return None


def listed(rule: str, named: Named, found: list[Entry]) -> Finding:
    """The values side by side; a note where they are alike."""
    apart = len({e.quantity.base for e in found}) > 1
    each = each_of(found)
    what = {"name": same(named.text), "count": len(found), "what": KIND[found[0].kind],
            "conditions": conditions(found[0]), "each": each}  # fmt: skip
    if apart:
        message = tr(
            "{name} is the name of {count} variants, whose {what} ({conditions}) differs: {each}",
            **what,
        )
    else:
        message = tr(
            "{name} is the name of {count} variants, whose {what} ({conditions}) is alike: {each}",
            **what,
        )
    corrected = tr("The value depends on the variant: {each}.", each=each) if apart else None
    sources = tuple(dict.fromkeys(s for e in found for s in e.sources))
    return Finding(
        rule, "ambiguous" if apart else "consistent", "warning" if apart else "info", message,
        (named.span,), tuple(reading(e) for e in found), tuple(spread(found)), corrected,
        sources=sources,
    )  # fmt: skip
