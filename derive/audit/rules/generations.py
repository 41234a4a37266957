"""Products against one another: unlike bases in one comparison, multiples without a basis."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from itertools import product as combinations
from typing import TYPE_CHECKING

from derive.audit.rule import rule
from derive.audit.sheet.entries import Entry, entries
from derive.audit.sheet.heard import SIXTEEN, alike
from derive.audit.sheet.match import judgements
from derive.audit.sheet.ratios import Multiple, multiple, multiples, others, turned
from derive.audit.sheet.records import Hit, Judgement
from derive.audit.sheet.words import KIND, conditions, quotient, size, times, under
from derive.audit.types import Finding, Reading
from derive.audit.wording import GRAVE
from derive.text import joined, same, tr

if TYPE_CHECKING:
    from derive.audit.library import Library
    from derive.audit.types import Claim, Named, Term

# noun of the lexicon -> kind of the entries that a multiple can be of
NOUNS = {"memory_bandwidth": "memory_bandwidth", "compute": "peak", "link": "link",
         "memory": "memory", "power": "power", "bandwidth": "memory_bandwidth"}  # fmt: skip
# what a user sees of a service: no data sheet has it
SERVICE = ("speed", "throughput", "latency", "ttft", "tpot", "e2e", "training")
MOST = 6
CLAUSE = re.compile(r"[;；，。]|,(?![0-9])")
FROM = re.compile(r"(?:from|从) ?(?:the |an? )?$", re.IGNORECASE)


@rule(
    "COND012",
    name=("unlike bases in a comparison", "口径不同的比较"),
    page=(
        "Two products are compared by figures on unlike bases: dense against with sparsity, one precision against "
        "another, one device against a whole machine. The comparison is redone on one basis; where the order or the "
        "multiple does not survive, the claim is contradicted, otherwise it is ambiguous.",
        "两款产品以不同口径的数字相比：稠密对带稀疏、不同精度相比、单设备对整机。此时换成同一口径重新比较：大小关系或倍数不再成立则判为矛盾，"
        "仍成立则判为有歧义。",
    ),
    fires="Gaudi 3 with 1,835 BF16 TFLOPS is slightly below the H100 SXM with 1,979.",
    quiet="Gaudi 3 with 1,835 BF16 TFLOPS is above the H100 SXM with 989.",
    chinese=(
        "Gaudi 3 的 BF16 算力 1,835 TFLOPS，略低于 H100 SXM 的 1,979。",
        "Gaudi 3 的 BF16 算力 1,835 TFLOPS，高于 H100 SXM 的 989。",
    ),
)
def unlike_bases(claim: Claim, library: Library) -> Iterator[Finding]:
    """The first two figures of different products that stand on unlike bases."""
    if not (claim.says("relation", "less", "more", "than", "times") or multiple(claim)):
        return
    judged = [j for j in judgements(claim, library) if j.best.hits]
    for one, other in pairwise(judged):
        if one.figure.role != other.figure.role or one.figure.hardware == other.figure.hardware:
            continue
        left, right = likely(one), likely(other)
        if not any(a.entry.basis == b.entry.basis for a, b in combinations(left, right)):
            yield from on_one_basis(claim, one, other, left[0], right[0])
            return


def likely(judged: Judgement) -> list[Hit]:
    """What a figure can mean here: what the words admit, else whatever it meets."""
    hits = judged.best.hits
    return [h for h in hits if not h.excluded] or list(hits)


def on_one_basis(
    claim: Claim, one: Judgement, other: Judgement, left: Hit, right: Hit
) -> Iterator[Finding]:
    """The comparison with both products on the basis of the first figure, or of the second."""
    common = next(
        ((a, b) for basis in (plainer(left, right).entry, left.entry, right.entry)
         if (a := on(one, basis)) and (b := on(other, basis))),
        None,
    )  # fmt: skip
    bases = {"one": same(one.figure.text), "under": under(left.entry, left.count),
             "other": same(other.figure.text), "apart": under(right.entry, right.count)}  # fmt: skip
    message = tr("{one} is {under}, {other} is {apart}: unlike bases", **bases)
    spans = (one.figure.span, other.figure.span)
    if common is None:
        yield Finding("COND012", "ambiguous", "warning", message, spans)
        return
    a, b = common
    ratio = a.quantity.base / b.quantity.base
    printed = one.figure.quantity.base / other.figure.quantity.base
    stated = multiple(claim)
    holds = stated.meets(ratio) if stated else (ratio > 1) == (printed > 1)
    verdict = "ambiguous" if holds else "contradicted"
    said = tr("on one basis ({conditions}) they are {a} and {b}, a ratio of {ratio}",
              conditions=conditions(a), a=size(a.quantity), b=size(b.quantity),
              ratio=times(ratio).removeprefix("≈ "))  # fmt: skip
    corrected = tr("{product} has {a} and {second} {b} ({conditions}): {ratio} times as much.",
                   product=a.product.name, second=b.product.name, a=size(a.quantity),
                   b=size(b.quantity), conditions=conditions(a),
                   ratio=times(ratio).removeprefix("≈ "))  # fmt: skip
    readings = tuple(Reading(e.quantity, under(e)) for e in (left.entry, right.entry, a, b))
    yield Finding(
        "COND012", verdict, "warning" if holds else "error", joined([message, said]), spans,
        readings, (quotient(a.quantity, b.quantity),), corrected,
        sources=tuple(dict.fromkeys((*a.sources, *b.sources))),
    )  # fmt: skip


def plainer(left: Hit, right: Hit) -> Hit:
    """The hit with the more usual basis: dense, one direction."""
    return left if left.entry.sparsity == "dense" or left.entry.direction == "one" else right


def on(judged: Judgement, basis: Entry) -> Entry | None:
    """The cited value of a product on a basis."""
    return next(
        (e for e in judged.best.sheet if e.basis == basis.basis and e.other is None
         and e.form in ("", "marketed")),
        None,
    )  # fmt: skip


@rule(
    "COND013",
    name=("multiple between two products", "两款产品之间的倍数"),
    page=(
        "A multiple of a datasheet quantity (twice the bandwidth, 2.5 times the FP8 compute) is formed from the "
        "specs of both products, each variant, on one basis. A multiple that is right only when the bases differ "
        "(FP4 against FP8, with sparsity against dense) is contradicted.",
        "数据表指标的倍数（带宽翻倍、FP8 算力为 2.5 倍）由两款产品的规格按同一口径、逐个型号计算。只有口径不同"
        "（FP4 对 FP8、带稀疏对稠密）才成立的倍数判为矛盾。",
    ),
    fires="The B200 has 9.1 times the FP8 compute of the H100 SXM.",
    quiet="The H200 SXM has 1.43 times the memory bandwidth of the H100 SXM.",
    chinese=(
        "B200 的 FP8 算力是 H100 SXM 的 9.1 倍。",
        "H200 SXM 的显存带宽是 H100 SXM 的 1.43 倍。",
    ),
)
def between_products(claim: Claim, library: Library) -> Iterator[Finding]:
    """A stated multiple of a quantity that both specs have."""
    sides = two(claim)
    if sides is None or claim.says("noun", *SERVICE):
        return
    for stated in multiples(claim):
        kind = kind_of(claim, stated)
        if kind is None or others(claim, stated):
            continue  # other figures: their comparison is judged by COND012
        pairs = [
            (a, b)
            for p, q in combinations(*(library.products(n) for n in sides))
            for a, b in combinations(usable(entries(p), kind), usable(entries(q), kind))
        ]
        plain = [(a, b) for a, b in pairs if a.basis == b.basis and meant(a, claim)]
        if turned(claim, stated):
            pairs, plain = [(b, a) for a, b in pairs], [(b, a) for a, b in plain]
        if plain:
            yield judged_multiple(stated, plain, pairs, kind, disputed(sides, kind, library))


def kind_of(claim: Claim, stated: Multiple) -> str | None:
    """What a multiple is of: the quantity word of its clause that is nearest, one behind first."""

    def between(term: Term) -> str:
        ahead = term.span[1] <= stated.span[0]
        low, high = (term, stated) if ahead else (stated, term)
        return claim.text[low.span[1] : high.span[0]]

    nouns = [t for t in claim.terms if t.kind == "noun" and t.says in NOUNS]
    here = [t for t in nouns if not CLAUSE.search(between(t))]
    several = len(multiples(claim)) > 1
    if not here and several:
        return None  # each clause has a multiple of its own
    near = min(here or nouns, key=lambda t: (len(between(t)), t.span < stated.span), default=None)
    return NOUNS[near.says] if near else None


def usable(entries: tuple[Entry, ...], kind: str) -> list[Entry]:
    """The cited values of a kind, as marketed."""
    return [e for e in entries if e.kind == kind and e.other is None and e.form in ("", "marketed")]


def disputed(sides: tuple[Named, Named], kind: str, library: Library) -> list[tuple[Entry, Entry]]:
    """Pairs on one basis in which another source's value stands."""
    first, second = (
        [e for p in library.products(n) for e in entries(p)
         if e.kind == kind and e.form in ("", "marketed")] for n in sides
    )  # fmt: skip
    return [
        (a, b)
        for a, b in combinations(first, second)
        if a.basis == b.basis and (a.other or b.other)
    ]


def meant(entry: Entry, claim: Claim) -> bool:
    """Whether the words mean this value: the said precision, else 16 bit; dense, one direction."""
    said = {p for s in claim.said("precision") for p in alike(s)} or set(SIXTEEN)
    sparsity = next(iter(claim.said("sparsity")), "dense")
    if entry.precision:
        return entry.precision in said and entry.sparsity == sparsity
    return entry.direction in ("", "one")


def judged_multiple(
    stated: Multiple,
    plain: list[tuple[Entry, Entry]],
    pairs: list[tuple[Entry, Entry]],
    kind: str,
    others: list[tuple[Entry, Entry]],
) -> Finding:
    """The multiple against every pair of variants."""

    def ratio(pair: tuple[Entry, Entry]) -> Fraction:
        return pair[0].quantity.base / pair[1].quantity.base

    met = [p for p in plain if stated.meets(ratio(p))]
    mixed = [p for p in pairs if p[0].basis != p[1].basis and stated.meets(ratio(p))]
    told = {(times(ratio(p)), a.product.id, b.product.id): p for p in plain for a, b in [p]}
    each = joined(
        tr("{product} over {second}: {ratio}", product=a.product.name, second=b.product.name,
           ratio=key[0].removeprefix("≈ ")) for key, (a, b) in list(told.items())[:MOST]
    )  # fmt: skip
    sentences = [
        tr("{product} has {ratio} times that of {second}", product=a.product.name,
           second=b.product.name, ratio=key[0].removeprefix("≈ "))
        for key, (a, b) in list(told.items())[:MOST]
    ]  # fmt: skip
    basis = conditions(plain[0][0])
    if basis.en != KIND[kind].en:
        basis = tr("{what} ({conditions})", what=KIND[kind], conditions=basis)
    what = {"stated": same(stated.text), "what": KIND[kind], "each": each,
            "conditions": conditions(plain[0][0])}  # fmt: skip
    lines = tuple(quotient(a.quantity, b.quantity) for a, b in list(told.values())[:MOST])
    sources = tuple(dict.fromkeys(s for p in plain for e in p for s in e.sources))
    if len(met) == len(plain):
        message = tr(
            "{stated} is the ratio of the cited values ({what}, {conditions}): {each}", **what
        )
        return Finding(
            "COND013", "consistent", "info", message, (stated.span,), (), lines, sources=sources
        )
    corrected = tr("By {what}: {each}.", each=joined(sentences, ", ", "，"), what=basis)
    disagreed = [p for p in others if stated.meets(ratio(p))]
    if not met and disagreed:
        a, b = disagreed[0]
        message = tr("{stated} is right only with what other sources print: {one} over {other}",
                     one=size(a.quantity), other=size(b.quantity), **what)  # fmt: skip
        verdict = "ambiguous"
    elif met:
        message = tr(
            "{stated} is right for some variants only ({what}, {conditions}): {each}", **what
        )
        verdict = "ambiguous"
    elif mixed:
        a, b = mixed[0]
        message = joined([
            tr("{stated} divides {one} by {other}: unlike bases", one=under(a), other=under(b), **what),
            tr("on one basis ({conditions}): {each}", **what),
        ])  # fmt: skip
        verdict = "contradicted"
    else:
        message = tr(
            "{stated} is not the ratio of the cited values ({what}, {conditions}): {each}", **what
        )
        verdict = "contradicted"
    level = GRAVE[verdict]
    return Finding(
        "COND013", verdict, level, message, (stated.span,), (), lines, corrected, sources=sources
    )


def two(claim: Claim) -> tuple[Named, Named] | None:
    """The two products that a claim sets against one another, the one that is more first."""
    names = {n.ids: n for n in claim.hardware}
    if len(names) != 2:
        return None
    first, second = names.values()
    than = [t.span[0] for t in claim.terms if t.kind == "relation" and t.says == "than"]
    grown = FROM.search(claim.text[: first.span[0]])  # from one generation to the next
    if grown or (than and than[0] < first.span[0]):
        first, second = second, first
    return first, second
