"""A multiple that stands beside figures of two products: of these figures, or of what the specs have."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product as combinations
from typing import TYPE_CHECKING

from derive.audit.rule import rule
from derive.audit.rules.generations import CLAUSE, NOUNS, SERVICE, meant, two, usable
from derive.audit.sheet.entries import entries
from derive.audit.sheet.ratios import Multiple, multiples, others
from derive.audit.sheet.variants import KINDS
from derive.audit.sheet.words import KIND, quotient, times
from derive.audit.types import Finding
from derive.text import joined, same, tr

if TYPE_CHECKING:
    from derive.audit.library import Library
    from derive.audit.sheet.entries import Entry
    from derive.audit.types import Claim, Figure, Named
    from derive.specs.types import Hardware

BASE = re.compile(
    r" ?(?:[x×]|times|倍)? ?(?:(?:that )?of |as much as )?(?:the )?(?:'s|’s|的)? ?", re.IGNORECASE
)
# between a multiple and the product that it is a multiple of, and the other way round
OF_IT = re.compile(
    r" ?(?:[x×]|times|fold)?(?: (?:that|the|of|as|much|many|memory|hbm|bandwidth|capacity|compute"
    r"|power|vram|throughput|flops|peak))*(?: an?)? ?",
    re.IGNORECASE,
)
ITS = re.compile(r"(?: ?(?:SXM[0-9]?|PCIe|NVL))? ?的 ?(?:约|近|将近|大约|接近)?")
DIMINISHED = re.compile(
    r"(?<![a-z])(?:less|lower|slower|smaller|fewer|reduc|cut|below)|少|低|慢|小|降|减|弱",
    re.IGNORECASE,
)
NEAR = 24  # characters between a multiple and the quantity that it is of


@rule(
    "COND017",
    name=("multiple beside figures of two products", "两款产品数字旁的倍数"),
    page=(
        "A multiple that stands beside figures is held against their quotient where both sides are printed, else "
        "against the specs of both products on one basis. It is right where any variant gives it, either way round; "
        "contradicted where none does.",
        "倍数与数字同时出现时：两侧数字都写出的，与二者之商对照；否则按同一口径与两款产品的规格对照。任一型号、任一方向得出该倍数即为正确，"
        "都得不出则判为矛盾。",
    ),
    fires="The H200 SXM has 4.8 TB/s, 3 times the bandwidth of the H100 SXM.",
    quiet="The H200 SXM has 4.8 TB/s, 1.4 times the bandwidth of the H100 SXM.",
    chinese=(
        "H200 SXM 带宽 4.8 TB/s，是 H100 SXM 的 3 倍。",
        "H200 SXM 带宽 4.8 TB/s，是 H100 SXM 的 1.4 倍。",
    ),
)
def beside_figures(claim: Claim, library: Library) -> Iterator[Finding]:
    """One finding for a multiple of a quantity that both products have."""
    sides = two(claim)
    if len({n.ids for n in claim.hardware}) > 2:
        yield from of_bases(claim)
    if sides is None or claim.models or claim.says("noun", *SERVICE):
        return
    for stated in multiples(claim):
        figures = others(claim, stated)
        if figures and all(f.role in KINDS for f in figures):
            yield from of_one(claim, library, stated, sides, figures)


def of_bases(claim: Claim) -> Iterator[Finding]:
    """Multiples of a figure that stands right behind them, among several products.

    "8 TB/s, 1.67x the H200's 4.8 TB/s": the other side is any figure of that kind before it.
    """
    for stated in multiples(claim):
        base = next((f for f in claim.figures if f.span[0] >= stated.span[1]), None)
        if base is None or base.role not in KINDS or base.value <= 0:
            continue
        words = claim.text[stated.span[1] : base.span[0]]
        for named in claim.hardware:
            words = words.replace(named.text, "")
        tops = [f for f in claim.figures if f.span[1] <= stated.span[0] and f.role == base.role
                and f.hardware and f.hardware != base.hardware]  # fmt: skip
        if not tops or not BASE.fullmatch(words):
            continue
        ratios = [f.interval / base.interval for f in tops]
        spans = (stated.span, base.span)
        if any(r.meets(stated.interval) for r in ratios):
            top = next(f for f, r in zip(tops, ratios, strict=True) if r.meets(stated.interval))
            message = tr("{stated} is the ratio of {one} and {other}", stated=same(stated.text),
                         one=same(top.text), other=same(base.text))  # fmt: skip
            yield Finding("COND017", "consistent", "info", message, spans)
            continue
        lines = tuple(quotient(f.quantity, base.quantity) for f in tops)
        message = tr("{line}, not {figure}", line=lines[0], figure=same(stated.text))
        said = tr("It should read {line}.", line=lines[0])
        yield Finding("COND017", "contradicted", "error", message, spans, (), lines, said)


def of_one(
    claim: Claim, library: Library, stated: Multiple, sides: tuple[Named, Named],
    figures: list[Figure],
) -> Iterator[Finding]:  # fmt: skip
    """One multiple against the figures of its quantity, else against the specs."""
    told_kind = kind_of(claim, stated, figures)
    kinds = list(dict.fromkeys(KINDS[f.role][0] for f in figures))
    if told_kind is None and len(kinds) > 1:  # of which of them, is not said
        yield from right_of_some(stated, figures)
        return
    kind = of_pair(told_kind or kinds[0], figures)
    alike = [f for f in figures if KINDS[f.role][0] == kind]
    owners = {f.hardware.ids for f in alike if f.hardware}
    if len(alike) == 2 and len(owners) == 2 and alike[1].value > 0 < alike[0].value:
        one, other = alike
        spans = (stated.span, one.span, other.span)
        either = (one.interval / other.interval, other.interval / one.interval)
        if any(r.meets(stated.interval) for r in either):
            message = tr("{stated} is the ratio of {one} and {other}", stated=same(stated.text),
                         one=same(one.text), other=same(other.text))  # fmt: skip
            yield Finding("COND017", "consistent", "info", message, spans)
            return
    pairs = [
        (a, b)
        for p, q in combinations(*(printed(n, kind, alike, library) for n in sides))
        for a, b in combinations(cited(p, kind), cited(q, kind))
        if a.basis == b.basis and meant(a, claim)
    ]
    if pairs:
        yield told(stated, *one_way(claim, stated, sides, pairs), kind)


def right_of_some(stated: Multiple, figures: list[Figure]) -> Iterator[Finding]:
    """A note where the multiple is that of two figures of one kind; nothing where it is none."""
    for one, other in combinations(figures, figures):
        unlike = one.role != other.role or one.hardware == other.hardware
        if unlike or other.value <= 0 or not (one.interval / other.interval).meets(stated.interval):
            continue
        message = tr("{stated} is the ratio of {one} and {other}", stated=same(stated.text),
                     one=same(one.text), other=same(other.text))  # fmt: skip
        spans = (stated.span, one.span, other.span)
        yield Finding("COND017", "consistent", "info", message, spans)
        return


def one_way(
    claim: Claim, stated: Multiple, sides: tuple[Named, Named], pairs: list[tuple[Entry, Entry]]
) -> tuple[list[tuple[Entry, Entry]], bool]:
    """The pairs with what the multiple is of below, and whether the words leave no other way."""
    if DIMINISHED.search(claim.text):
        return pairs, False
    for named in claim.hardware:
        behind, ahead = (
            claim.text[stated.span[1] : named.span[0]], claim.text[named.span[1] : stated.span[0]]
        )  # fmt: skip
        after = named.span[0] >= stated.span[1] and OF_IT.fullmatch(behind)
        before = named.span[1] <= stated.span[0] and ITS.fullmatch(ahead)
        if after or before:
            swapped = named.ids == sides[0].ids
            return ([(b, a) for a, b in pairs] if swapped else pairs), True
    return pairs, False


def printed(named: Named, kind: str, figures: list[Figure], library: Library) -> list[Hardware]:
    """The variants of a name that have the figures which the claim prints of it; else all."""
    mine = [f for f in figures if f.hardware and f.hardware.ids == named.ids]
    products = [*library.products(named)]
    return [
        p for p in products
        if all(any(f.interval.meets(e.interval) for e in cited(p, kind)) for f in mine)
    ] or products  # fmt: skip


def cited(product: Hardware, kind: str) -> list[Entry]:
    """What the spec of a product has of a kind, other sources' values too."""
    listed = entries(product)
    others = [e for e in listed if e.kind == kind and e.other and e.form in ("", "marketed")]
    return [*usable(listed, kind), *others]


def kind_of(claim: Claim, stated: Multiple, figures: list[Figure]) -> str | None:
    """What a multiple is of: the quantity word behind it, else one of its clause, else the figure before it."""
    behind = [
        (t.span[0], NOUNS[t.says]) for t in claim.terms
        if t.kind == "noun" and t.says in NOUNS and 0 <= t.span[0] - stated.span[1] <= NEAR
        and not CLAUSE.search(claim.text[stated.span[1] : t.span[0]])
    ]  # fmt: skip
    if behind:
        return min(behind)[1]
    here = [
        NOUNS[t.says] for t in claim.terms
        if t.kind == "noun" and t.says in NOUNS and t.span[1] <= stated.span[0]
        and not CLAUSE.search(claim.text[t.span[1] : stated.span[0]])
    ]  # fmt: skip
    if here:
        return here[-1]
    before = [f for f in figures if f.span[1] <= stated.span[0]] or figures[:1]
    if CLAUSE.search(claim.text[before[-1].span[1] : stated.span[0]]):
        nouns = {NOUNS[n] for n in claim.said("noun") if n in NOUNS}
        kinds = {KINDS[f.role][0] for f in figures}
        return None if len(kinds) > 1 and len(nouns & kinds) != 1 else KINDS[before[-1].role][0]
    return KINDS[before[-1].role][0]


def of_pair(kind: str, figures: list[Figure]) -> str:
    """The bandwidth where "memory" stands beside the bandwidths of two products.

    "At 2,039 and at 3,350 GB/s: 1.64 times as fast on memory" is no multiple of the capacity.
    """
    kinds = {KINDS[f.role][0] for f in figures}
    owners = {f.hardware.ids for f in figures if f.hardware}
    meant = kind == "memory" and kinds == {"memory_bandwidth"} and len(owners) == 2
    return "memory_bandwidth" if meant else kind


def told(
    stated: Multiple,
    pairs: list[tuple[Entry, Entry]],
    only: bool,
    kind: str,
) -> Finding:
    """The multiple against the quotients of the specs."""
    ratios = [(a.quantity.base / b.quantity.base, a, b) for a, b in pairs]
    met = [(r, a, b) for r, a, b in ratios if stated.meets(r) or (not only and stated.meets(1 / r))]
    cited_alone = [row for row in ratios if not (row[1].other or row[2].other)]
    rows = {
        (times(r), a.product.id, b.product.id): (r, a, b)
        for r, a, b in met or cited_alone or ratios
    }
    shown = list(rows.values())[:4]
    each = joined(
        tr("{product} over {second}: {ratio}", product=a.product.name, second=b.product.name,
           ratio=times(r).removeprefix("≈ ")) for r, a, b in shown
    )  # fmt: skip
    lines = tuple(quotient(a.quantity, b.quantity) for _, a, b in shown)
    what = {"stated": same(stated.text), "what": KIND[kind], "each": each}
    sources = tuple(dict.fromkeys(s for _, a, b in shown for e in (a, b) for s in e.sources))
    if met:
        message = tr("{stated} is the ratio of the cited values ({what}): {each}", **what)
        return Finding(
            "COND017", "consistent", "info", message, (stated.span,), (), lines, sources=sources
        )
    message = tr("{stated} is not the ratio of the cited values ({what}): {each}", **what)
    corrected = tr("The ratio ({what}) is: {each}.", **what)
    return Finding("COND017", "contradicted", "error", message, (stated.span,), (), lines, corrected,
                   sources=sources)  # fmt: skip
