"""A law against a claim: every way to fill it, under every reading, to one finding."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import product
from math import prod
from typing import TYPE_CHECKING

from derive.audit.binary import binary, is_binary
from derive.audit.consistency.law import Filled, Law, interval, tree, used
from derive.audit.consistency.slips import positive
from derive.audit.consistency.words import finding
from derive.audit.interval import Interval
from derive.expression.tree import names
from derive.specs.precision import BYTES

if TYPE_CHECKING:
    from derive.audit.types import Claim, Figure, Finding, Span

WRONG = re.compile(
    r"(?<![a-z])(?:wrong|incorrect|mistaken|impossible|cannot be right)(?![a-z])"
    r"|错误?|有误|不对|不可能",
    re.IGNORECASE,
)
CLAUSE = re.compile(r"[:;：；，。]|[,.](?= )")
RUN_AT = re.compile(r"(?:(?<![A-Za-z])at|以|按) ?$", re.IGNORECASE)
CURRENCIES = ("currency", "yuan", "euro")
SHARES = ("mfu", "mbu", "share")  # say themselves how much less than the peak it is
TENS = [Fraction(10) ** n for n in range(-6, 7)]
MOST = 8  # ways to fill a law before it is left alone


def check(law: Law, claim: Claim) -> Iterator[Finding]:
    """What a law has to say of a claim: one finding, or none where it does not apply."""
    results = claim.of(*law.slots[law.result])
    if not results or claim.says("relation", "instead", "than"):
        return
    if law.silent and claim.says("subject", *law.silent):
        return
    if law.bare and (claim.hardware or any(n.ids for n in claim.models)):
        return
    denied = rejected(claim)
    filled = [f for f in fillings(law, claim) if not any(x.span in denied for x in f.values())]
    if not filled or len(filled) > MOST:
        return
    found = [judged(law, claim, one) for one in filled]
    best = [f for f in found if f and f.verdict == "consistent"]
    if best:
        yield best[0]
    elif len(found) == 1 and found[0]:
        yield found[0]


def rejected(claim: Claim) -> set[Span]:
    """Figures that the text itself calls wrong: "a TPOT of 108 ms must be wrong: …"."""
    found = WRONG.search(claim.text)
    if not found:
        return set()
    low = max((m.end() for m in CLAUSE.finditer(claim.text, 0, found.start())), default=0)
    end = CLAUSE.search(claim.text, found.end())
    high = end.start() if end else len(claim.text)
    return {f.span for f in claim.figures if low <= f.span[0] and f.span[1] <= high}


def fillings(law: Law, claim: Claim) -> Iterator[dict[str, Figure]]:
    """Every way to fill the names that some form needs; each figure at most once."""
    wanted = {n for form in law.forms for n in (*used(form.text), *form.without)} | {law.result}
    choices = {n: claim.of(*law.slots[n]) for n in law.slots if n in wanted}
    there = [n for n, figures in choices.items() if figures]
    if not any({*used(f.text), *law.must} <= set(there) for f in law.forms):
        return
    if any(len(choices[n]) > MOST for n in there):
        return
    for chosen in product(*(choices[n] for n in there)):
        if len({f.span for f in chosen}) == len(chosen) and one_subject(chosen):
            yield dict(zip(there, chosen, strict=True))


def one_subject(figures: tuple[Figure, ...]) -> bool:
    """Whether all figures speak of the same product and the same model, in one currency."""
    money = {b for f in figures for b, _ in f.dimension.powers if b in CURRENCIES}
    return len(money) <= 1 and all(
        len({getattr(f, kind).span for f in figures if getattr(f, kind)}) <= 1
        for kind in ("hardware", "model")
    )


def judged(law: Law, claim: Claim, figures: Mapping[str, Figure]) -> Finding | None:
    """The finding for one way to fill a law."""
    printed = figures[law.result]
    if any(printed.says(kind, says) for kind, says in law.unlike):
        return None
    tried = list(expectations(law, claim, figures))
    if not tried:
        return None
    hits = [f for f in tried if printed_interval(printed, f).meets(f.expected)]
    plain = next((f for f in hits if f.plain), None)
    if plain:
        return finding(law, "consistent", plain, printed)
    if any(weaker(law, printed, f) for f in tried) and not digits_alone(claim, printed, tried):
        return None
    if hits:
        return finding(law, "ambiguous", hits[0], printed, tried)
    many = next(
        (f for f in tried if f.form.times and whole(printed.interval / positive(f.expected))), None
    )
    if many:
        return finding(law, "ambiguous", many, printed, tried)
    first = next((f for f in tried if f.plain), tried[0])
    return finding(law, "contradicted", first, printed, tried, chinese=zh(claim))


def printed_interval(printed: Figure, filled: Filled) -> Interval:
    """The printed result under the reading of bytes that a filling takes."""
    if filled.binary and (unit := binary(printed.unit)):
        return printed.interval.scaled(unit.factor / printed.unit.factor)
    return printed.interval


def weaker(law: Law, printed: Figure, filled: Filled) -> bool:
    """Whether the text claims less than what follows: a bound that is not tight is no error."""
    bounds = {f.bound for f in filled.figures.values() if f is not printed}
    if bounds - {""}:
        return True  # a bound on an input bounds the result only
    below = printed.interval.low <= filled.expected.high
    above = filled.expected.low <= printed.interval.high
    return (
        (printed.bound == "<=" and above)
        or (printed.bound == ">=" and below)
        or (law.bound == "<=" and below)
        or (law.bound == ">=" and above)
    )


def digits_alone(claim: Claim, printed: Figure, tried: list[Filled]) -> bool:
    """Whether the result is the product of the printed digits, their units left out.

    Also but for a power of ten, where the text says what was run at ("at 50 GB/s").
    """
    for each in tried:
        given = [f for f in each.figures.values() if f is not printed]
        if not printed.value or len(given) < 2:
            continue
        off = prod(f.value for f in given) / printed.value
        ran = not claim.of(*SHARES) and any(
            RUN_AT.search(claim.text[: f.span[0]]) and not f.says("calibre", "peak") for f in given
        )
        if off == 1 or (ran and off in TENS):
            return True
    return False


def whole(ratio: Interval) -> bool:
    """Whether some whole number above one lies in an interval."""
    return ratio.high >= 2 and ratio.high // 1 >= max(ratio.low, Fraction(2))


def zh(claim: Claim) -> bool:
    """Whether a claim holds Chinese number words."""
    return "亿" in claim.text


def expectations(law: Law, claim: Claim, figures: Mapping[str, Figure]) -> Iterator[Filled]:
    """Each form that the figures can fill, in decimal and in binary bytes."""
    binary_said = any(is_binary(f.unit) for f in claim.figures)
    for form in law.forms:
        wanted = used(form.text)
        if not set(wanted) <= set(figures) or any(n in figures for n in form.without):
            continue
        printed = figures[law.result]
        if any(claim.says(kind, says) or printed.says(kind, says) for kind, says in form.bars):
            continue
        if form.needs and not any(claim.says(kind, says) for kind, says in form.needs):
            continue
        mine = {n: figures[n] for n in wanted}
        of_claim = stored(claim)
        if "w" in names(tree(form.text)) and not of_claim:
            continue
        for as_binary in (False, True):
            units = [binary(f.unit) for f in (*mine.values(), figures[law.result])]
            if as_binary and (binary_said or not any(units)):
                continue
            bounds = {n: reading(f, as_binary=as_binary) for n, f in mine.items()}
            expected = interval(form.text, bounds, of_claim)
            if expected is not None and expected.high > 0:
                yield Filled(
                    form, {**mine, law.result: figures[law.result]}, expected, as_binary, of_claim
                )


def reading(figure: Figure, *, as_binary: bool) -> Interval:
    """A figure's interval, its decimal bytes perhaps read as binary ones."""
    unit = binary(figure.unit) if as_binary else None
    return figure.interval.scaled(unit.factor / figure.unit.factor) if unit else figure.interval


def stored(claim: Claim) -> Fraction:
    """Bytes of one stored number by the precision that the claim names; 0 where none is."""
    said = {BYTES[p] for p in claim.said("precision") if p in BYTES}
    return said.pop() if len(said) == 1 else Fraction(0)
