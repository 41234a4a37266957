"""Which values of a spec a figure meets, what sets each apart from the plain one, the verdict.

This is the one place where a figure of a product gets its verdict; the rules only word it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from derive.audit.binary import is_binary
from derive.audit.consistency.between import before
from derive.audit.interval import Interval
from derive.audit.sheet.entries import Entry, entries
from derive.audit.sheet.heard import INTEGER, SIXTEEN, Heard, beside, heard, whole
from derive.audit.sheet.parts import share_of
from derive.audit.sheet.records import Hit, Judgement, Match, fit
from derive.audit.sheet.variants import KINDS, narrowed, smaller_build
from derive.units import unit

if TYPE_CHECKING:
    from derive.audit.library import Library
    from derive.audit.types import Claim, Figure
    from derive.specs.types import Hardware

NEEDED = re.compile(  # what a work takes or can use, not what the product has
    r"(?:需要?|needs?|requires?|takes?|enough|(?:can|could|only) (?:ever )?(?:use|exploit)"
    r"|用到|用上|利用|发挥)"
    r"(?: only| about| no more than| at most| up to|不到|至多|最多|约|大约|有|≈|~| )*$"
)
NAMED = {  # nouns that name what a figure of a role is
    "memory": ("memory",), "memory_bandwidth": ("memory_bandwidth", "bandwidth"),
    "link": ("link",), "network": ("network",), "peak_rate": ("compute",), "ridge": ("ridge",),
    "power": ("power",),
}  # fmt: skip
LINKS = ("link", "network")
BUILDS = 4  # how far builds of one name lie apart at most
SUMMED = ("memory", "memory_bandwidth", "peak", "power")  # what devices have together
ANOTHER = re.compile(r"[ -]?(?:version|variant|edition|part|sibling)(?![a-z])| ?(?:版|款)")
PART = re.compile(r"(?:可用|剩余?|余下|留给|usable|available|left|remaining)[^0-9,;]{0,8}$")
OF_WATT = re.compile(r"每瓦(?:特)?[^0-9,;.]{0,4}$")
SYSTEM = re.compile(r"[DH]GX|server|system|node|rack|整机|服务器|机柜|节点", re.IGNORECASE)
DRAWS = re.compile(
    r"(?<![a-z])(?:draw(?:s|ing)?|drew|dissipat(?:es?|ing))(?![a-z])|耗电|(?:实测|运行)功耗",
    re.IGNORECASE,
)
OWNED = re.compile(r"(?<![A-Za-z0-9])(?P<name>[A-Z][a-z]{2,12})(?:['’]s (?:[a-z]+ )?| ?的 ?)$")
ROUNDED = ("memory_bandwidth", "peak_rate")  # measured out, not sold by the number
TENS = re.compile(
    r"(?<![0-9.,])[1-9](?:,?[0-9]){1,2}[1-9](?P<zeros>0)(?![0-9.,])"
)  # 1,640: to tens
NOMINAL = ("memory", "power", "link")  # round numbers by agreement
TIES = ("ridge", "intensity", "batch")  # what two rates of a product make together
BESIDE = 3  # characters between a verb and its object
MARKUP = re.compile(
    r"<(script|style)\b[^<>]{0,200}>.*?</\1>|</?[A-Za-z][^<>]{0,200}>", re.IGNORECASE
)
OPINION = frozenset(["we", "i", "think", "believe", "guess", "say", "says", "actually", "fact"])


def judgements(claim: Claim, library: Library) -> list[Judgement]:
    """Every figure of the claim that a spec has something to say of."""
    return library.once(claim, "judgements", lambda: list(judged(claim, library)))


def judged(claim: Claim, library: Library) -> Iterator[Judgement]:
    """Each figure with a product, unless it is not said of the product itself."""
    for figure in claim.figures:
        products = library.products(figure.hardware)
        if figure.role == "network":  # the network of a system, unless the device's link is one
            products = [p for p in products if "Ethernet" in p.link_type]
        if figure.role not in KINDS or not products or spoken_of_otherwise(figure, claim):
            continue
        each = [match(figure, p, claim, entries(p)) for p in products]
        found = together(figure, narrowed(each, claim))
        if sure(found, claim):
            yield found


def sure(found: Judgement, claim: Claim) -> bool:
    """Whether a figure is surely one of the spec: it meets it, or it cannot be anything else.

    A 10 GB checkpoint on a device is not its memory; a rate that is reached is no peak, unless it
    is just what the data sheet prints.
    """
    figure = found.figure
    if figure.role == "achieved_rate" and figure.bound != "<=":
        return found.cause in ("", "sparsity", "also")
    if figure.role == "memory" and any(smaller_build(m.product, figure) for m in found.each):
        return False
    if found.cause != "none":
        return True
    if carried(figure) and not claim.says("noun", *NAMED.get(figure.role, ())):
        return False  # a sentence that does not name the product speaks of many things
    if figure.role == "peak_rate" and claim.of("mfu") and not figure.says("calibre"):
        return False  # what a run did, more likely than what the product has
    if figure.role == "peak_rate" and NEEDED.search(before(claim, figure, 40)):
        return False
    if figure.role in LINKS and claim.says("per", "link") and not largest(figure, claim):
        return False
    if figure.role == "power" and SYSTEM.search(unnamed(claim)):
        return False  # a server draws more than its devices
    if figure.role == "power" and claim.says("use"):
        return False  # what it draws is held against what it is rated at by PHYS016
    words = {"memory": ("memory",), "power": ("power",),
             "memory_bandwidth": ("memory", "memory_bandwidth", "bandwidth")}  # fmt: skip
    return (
        not unclear_words(figure, claim)
        or figure.role not in words
        or claim.says("noun", *words[figure.role])
    )


def largest(figure: Figure, claim: Claim) -> bool:
    """Whether it is the largest of several rates of links: their sum, then, and no single one."""
    others = [f.quantity.base for f in claim.of(*LINKS) if f is not figure]
    return bool(others) and figure.quantity.base > max(others)


def unnamed(claim: Claim) -> str:
    """The text without the names of products, some of which are named after their boards."""
    text = claim.text
    for named in claim.hardware:
        text = text.replace(named.text, "")
    return text


def unclear_words(figure: Figure, claim: Claim) -> bool:
    """Whether words that were not read may say that the figure is of something else.

    What leads in ("Note:", before the product is named), an opinion and markup say nothing of it.
    """
    named = figure.hardware.span[0] if figure.hardware else 0
    lead = max(claim.text.rfind(mark, 0, named) for mark in (":", "："))
    markup = [m.span() for m in MARKUP.finditer(claim.text)]
    return any(
        start > lead and not any(a <= start < b for a, b in markup)
        and claim.text[start:end].lower() not in OPINION
        for start, end in claim.unread
    )  # fmt: skip


def carried(figure: Figure) -> bool:
    """Whether the product is named by an earlier sentence of a document, not by this one."""
    return figure.hardware is not None and figure.hardware.span == (0, 0)


def spoken_of_otherwise(figure: Figure, claim: Claim) -> bool:
    """Whether the figure is what something needed or reached, not what the product has."""
    if share_of(claim, figure) or of_stranger(claim, figure):
        return True
    if figure.role in ("peak_rate", "achieved_rate") and OF_WATT.search(before(claim, figure, 8)):
        return True
    if figure.role == "power":
        return figure.says("calibre", "achieved") or bool(DRAWS.search(claim.text))
    if figure.role == "memory" and (
        ANOTHER.match(claim.text, figure.span[1]) or PART.search(before(claim, figure, 16))
    ):
        return True
    if figure.role in ("memory", "memory_bandwidth", "link", "network"):
        return (
            figure.says("calibre", "achieved")
            or takes_up(claim, figure)
            or claim.says("subject", "fits", "unfit")
        )
    return False


def of_stranger(claim: Claim, figure: Figure) -> bool:
    """Whether a name that no spec has owns the figure: "Hopper's 900 GB/s"."""
    at = max(0, figure.span[0] - 40)
    found = OWNED.search(claim.text[at : figure.span[0]])
    if found is None:
        return False
    start, end = at + found.start("name"), at + found.end("name")
    known = [n.span for n in (*claim.hardware, *claim.models)] + [t.span for t in claim.terms]
    return not any(a < end and start < b for a, b in known)


def takes_up(claim: Claim, figure: Figure) -> bool:
    """Whether something needs or uses an amount; "we use 4 H200" names the devices alone.

    "With 3.35 TB/s it needs 295 FLOP/byte": what is needed is not what stands before it.
    """
    devices = [f.span[0] for f in claim.of("devices")] + [h.span[0] for h in claim.hardware]
    ties = [f.span[0] for f in claim.of(*TIES) if figure.span[1] <= f.span[0]]
    return any(
        t.kind == "use"
        and not any(0 <= at - t.span[1] <= BESIDE for at in devices)
        and not any(figure.span[1] <= t.span[0] and 0 <= at - t.span[1] <= BESIDE for at in ties)
        for t in claim.terms
    )


def together(figure: Figure, each: Sequence[Match]) -> Judgement:
    """The verdict over all variants: alike, or ambiguous where some fit and others do not."""
    verdicts = {m.verdict for m in each}
    if len(verdicts) == 1:
        best = min(each, key=fit)
        return Judgement(figure, tuple(each), best.verdict, best.cause)
    found = Judgement(figure, tuple(each), "ambiguous", "variant")
    if found.best.verdict != "consistent" and found.best.cause:
        return Judgement(figure, tuple(each), found.best.verdict, found.best.cause)
    return found


def match(figure: Figure, product: Hardware, claim: Claim, entries: Sequence[Entry]) -> Match:
    """One figure against everything in one spec."""
    said = heard(figure, claim)
    said = replace(said, counts=said.counts | beside(product, claim))
    kinds = KINDS[figure.role]
    if claim.says("noun", "memory", "memory_bandwidth"):
        kinds = kinds[:1]
    mine = [e for e in entries if e.kind in kinds]
    rated = {e.precision for e in mine if e.precision}
    if not mine or (said.precisions and rated and not said.precisions & rated
                    and not said.told <= set(product.lacks)):  # fmt: skip
        return Match(figure, product, said, "unverifiable", "unlisted", sheet=tuple(entries))
    sizes = whole(product, figure, said)
    low, high = bounds(figure)
    hits: list[Hit] = []
    plain: list[Entry] = []
    for entry in mine:
        for count in counts(entry, product, said, sizes):
            span = entry.interval if count == 1 else entry.interval.scaled(count)
            meets = overlaps(span, low, high, nominal=entry.kind in NOMINAL)
            if not meets and count > 1:
                continue
            why, excluded = apart(entry, count, figure, said, sizes, product, kinds[0])
            whole_said = bool(sizes) or (said.total and bool(said.several))
            if count == 1 and (not why or (why == {"scope"} and whole_said)):
                plain.append(entry)
            hit = Hit(entry, count, why, excluded)
            if meets and hit.likely:
                hits.append(replace(hit, near=is_near(span, low, high)))
    if any(h.count == 1 for h in hits):  # a sum that nothing names is the less likely reading
        hits = [h for h in hits if h.count == 1 or "scope" not in h.why]
    hits.sort(
        key=lambda h: (h.weight, h.entry.precision not in figure.conditions.get("precision", ()))
    )
    verdict, cause = of_hits(figure, hits, plain)
    if cause == "none" and product.other_builds and any(alike(figure, e) for e in plain):
        verdict, cause = "unverifiable", "build"
    return Match(figure, product, said, verdict, cause, tuple(hits), tuple(plain), tuple(entries))


def alike(figure: Figure, entry: Entry) -> bool:
    """Whether a figure is near enough to a value to be that of another build of the product."""
    low, high = bounds(figure)
    return entry.quantity.base < BUILDS * high and low < BUILDS * entry.quantity.base


def overlaps(span: Interval, low: Fraction, high: Fraction, *, nominal: bool) -> bool:
    """Whether a value can be what the figure stands for.

    A value that is sold by its number is not rounded from another: 80 GB and 81 GB, whose
    intervals have one end in common, are two; 989 and 990 TFLOP/s may both stand for 989.5.
    """
    if nominal and span.low < span.high and low < high:
        return span.low < high and low < span.high
    return span.low <= high and low <= span.high


def is_near(span: Interval, low: Fraction, high: Fraction) -> bool:
    """Whether a value lies in the inner half of what the figure stands for, or within 1 % of it."""
    apart = abs(span.middle - (low + high) / 2)
    return apart <= max((high - low) / 4, (span.high - span.low) / 4, span.middle / 100)


def bounds(figure: Figure) -> tuple[Fraction, Fraction]:
    """What the figure stands for, in base units; a bare ridge point is in FLOP/byte."""
    span = figure.interval
    if figure.role == "ridge" and not figure.unit.terms:
        span = span.scaled(unit("FLOP/byte").factor)
    if figure.role in ROUNDED and (digits := TENS.search(figure.text)):
        half = figure.unit.factor * 5 * 10 ** (len(digits["zeros"]) - 1)
        middle = span.middle
        return min(span.low, middle - half), max(span.high, middle + half)
    return span.low, span.high


def counts(entry: Entry, product: Hardware, said: Heard, sizes: frozenset[int]) -> Iterable[int]:
    """Devices that the figure may be the sum of."""
    if entry.kind == "ridge" or (entry.other and not entry.other.same):
        return (1,)
    named = {1, *said.counts}
    if entry.kind == "link":  # links are summed over a system only where the words name it
        return sorted(named | sizes)
    return sorted(named | {d.devices for d in product.domains})


def of_hits(figure: Figure, hits: Sequence[Hit], plain: Sequence[Entry]) -> tuple[str, str]:
    """The verdict and its cause."""
    if hits and not hits[0].excluded:
        return ("ambiguous", hits[0].cause) if hits[0].why else ("consistent", "")
    if figure.bound == ">=" and any(e.quantity.base >= figure.interval.low for e in plain):
        return "consistent", "bound"
    return "contradicted", hits[0].cause if hits else "none"


def apart(
    entry: Entry, count: int, figure: Figure, said: Heard, sizes: frozenset[int],
    product: Hardware, kind: str,
) -> tuple[frozenset[str], frozenset[str]]:  # fmt: skip
    """What sets a value apart from the one that the words mean, and which of it they exclude."""
    why: set[str] = set()
    excluded: set[str] = set()

    def note(what: str, *, against: bool) -> None:
        why.add(what)
        if against:
            excluded.add(what)

    if entry.kind != kind:
        note("which", against=False)
    if entry.precision:
        compute(entry, said, product, note)
    usual = "both" if said.total and not said.direction else "one"
    if entry.direction and entry.direction != (said.direction or usual):
        note("direction", against=bool(said.direction))
    if entry.form and not form_fits(entry, figure, product):
        note("memory", against=False)
    if entry.other and not entry.other.same:
        note("also", against=False)
    named = said.counts | sizes
    if count > 1 and (count not in named or said.single):
        note("scope", against=said.single)
    elif count == 1 and said.total and said.several and entry.kind in SUMMED:
        note("scope", against=True)
    elif count == 1 and sizes and not said.single and not called_so(product):
        note("scope", against=False)
    return frozenset(why), frozenset(excluded)


def called_so(product: Hardware) -> bool:
    """Whether one device itself bears the name of its system (B200 of an HGX board)."""
    return any(d.name in product.name.en for d in product.domains)


def compute(entry: Entry, said: Heard, product: Hardware, note: object) -> None:
    """Precision, sparsity and operations of a peak or of the ridge point that it makes."""
    assert callable(note)
    if said.told and said.told <= set(product.lacks):
        # stored so, computed at the 16-bit rate: right where the words speak of the weights
        if not (said.weights and entry.precision in SIXTEEN and entry.sparsity == "dense"):
            note("unsupported", against=True)
        return
    if not said.precisions and said.operations == "int":
        if entry.precision not in INTEGER:
            note("operations", against=False)
    elif said.precisions:
        if entry.precision not in said.precisions:
            note("precision", against=True)
    elif entry.precision not in SIXTEEN:
        note("precision", against=False)
        if entry.precision in INTEGER and said.operations == "float":
            note("operations", against=False)
    usual = said.engine or "vector"  # data sheets call the vector rate just FP64
    if entry.engine and entry.engine != usual:
        note("engine", against=bool(said.engine))
    if entry.sparsity != (said.sparsity or "dense"):
        note("sparsity", against=bool(said.sparsity))


def form_fits(entry: Entry, figure: Figure, product: Hardware) -> bool:
    """Whether a memory is meant so: GiB mean the driver's, GB what is sold.

    Where no driver's figure is known, the digits of what is sold may stand with either.
    """
    binary = is_binary(figure.unit)
    if entry.form == "driver":
        return binary
    if entry.form == "relabelled":
        return is_binary(entry.quantity.unit) == binary and (
            not binary or product.driver_visible is None
        )
    return not binary or is_binary(entry.quantity.unit)
