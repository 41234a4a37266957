"""From a judged figure to what its rule says: message, readings, arithmetic, correction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from derive.audit.sheet.words import conditions, reading, size, total, under
from derive.audit.types import Finding
from derive.audit.wording import GRAVE
from derive.text import Text, joined, tr

if TYPE_CHECKING:
    from derive.audit.sheet.entries import Entry
    from derive.audit.sheet.records import Hit, Judgement, Match

MOST = 8  # readings that one finding lists


def finding(
    rule: str,
    judgement: Judgement,
    message: Text,
    *,
    derivation: Sequence[Text] = (),
    corrected: Text | None = None,
) -> Finding:
    """One finding about one figure, with every reading and its source."""
    verdict, listed = judgement.verdict, shown(judgement)
    sources = tuple(dict.fromkeys(s for e, _ in listed for s in e.sources))
    readings = tuple(reading(e, n) for e, n in listed)
    return Finding(
        rule, verdict, GRAVE[verdict], message, (judgement.figure.span,),
        readings, tuple(derivation), corrected, sources=sources,
    )  # fmt: skip


def shown(judgement: Judgement) -> list[tuple[Entry, int]]:
    """What the figure meets, then what it would be as it is said; each value once."""
    held: dict[tuple[str, str], tuple[Entry, int]] = {}
    for match in sorted(judgement.each, key=lambda m: m is not judgement.best):
        for hit in hits_told(match):
            held.setdefault(
                (size(total(hit)), under(hit.entry, hit.count).en), (hit.entry, hit.count)
            )
        for entry in reference(match):
            held.setdefault((size(entry.quantity), under(entry).en), (entry, 1))
    return list(held.values())[:MOST]


def hits_told(match: Match) -> list[Hit]:
    """The hits worth telling: admitted ones, else those that the words exclude; one a basis."""
    admitted = [h for h in match.hits if not h.excluded]
    once: dict[tuple[object, ...], Hit] = {}
    for hit in admitted or match.hits:
        once.setdefault((*hit.entry.basis, hit.entry.form, hit.count, hit.entry.other), hit)
    return list(once.values())


def reference(match: Match) -> list[Entry]:
    """The cited values as the words mean them, what other sources print left out; one a basis."""
    cited = [e for e in match.plain if e.other is None]
    said = match.figure.conditions.get("precision", ())
    cited.sort(key=lambda e: e.precision not in said)
    once: dict[tuple[str, ...], Entry] = {}
    for entry in cited:
        once.setdefault((*entry.basis, entry.form), entry)
    return list(once.values())


def plain_of(match: Match, near: Entry | None = None) -> Entry | None:
    """The cited value that the figure would be as said, of the same precision if there is one."""
    cited = reference(match)
    alike = [e for e in cited if near and e.basis[1] == near.basis[1]]
    return next(iter(alike or cited), None)


def told(match: Match, *, apart: Entry) -> Text:
    """What the other values are that the figure meets too."""
    others = [h for h in hits_told(match)
              if h.entry.basis != apart.basis and h.near == match.hits[0].near]  # fmt: skip
    return joined(conditions(h.entry) for h in others[:2])


def and_also(message: Text, match: Match, apart: Entry) -> Text:
    """The message, and what else the number is."""
    others = told(match, apart=apart)
    if not others.en:
        return message
    return joined([message, tr("the same number is also {others}", others=others)])


def sibling(match: Match, entry: Entry) -> Entry | None:
    """The same value under the other sparsity, as the spec prints it."""
    same_rate = (e for e in all_of(match, entry.kind) if e.precision == entry.precision)
    return next((e for e in same_rate if e.sparsity != entry.sparsity), None)


def all_of(match: Match, kind: str) -> list[Entry]:
    """Every cited value of a kind."""
    return [e for e in match.sheet if e.kind == kind and e.other is None]
