"""Shares and multiples that a claim prints beside the two figures that they come from."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

from derive.audit.consistency.arithmetic import bare, like, result, shown, triples
from derive.audit.consistency.between import COUNTED, behind, gap
from derive.audit.consistency.slips import positive
from derive.audit.interval import Interval
from derive.audit.rule import rule
from derive.audit.types import Finding
from derive.text import Text, same
from derive.units import Quantity, show, unit

if TYPE_CHECKING:
    from derive.audit.library import Library
    from derive.audit.types import Claim, Figure

IS = r"(?:is|are|was|were|=|equals?|makes?|为|是|占|即|约|about|only|just|, | |[(:])+"
OF = r"(?:of|占|in|the|its|a|total|peak|,| |的|里的|中的|总)*(?:of|占|的|总|/|out of)(?:the|its|a|total|peak|about| |的)*"


@rule(
    "CONS003",
    name=("part, whole and percent", "部分、总量与百分比"),
    page=(
        "A percentage that stands between a part and its whole must be their quotient, within the last digits.",
        "百分比写在部分与总量之间时，须等于二者之商（在末位数字允许的范围内）。",
    ),
    fires="20 GB is 50 % of 80 GB.",
    quiet="20 GB is 25 % of 80 GB.",
    chinese=(
        "20 GB 是 80 GB 的 50 %。",
        "20 GB 是 80 GB 的 25 %。",
    ),
)
def percent(claim: Claim, _: Library) -> Iterator[Finding]:
    """A is p % of B; A of B is p %; A 占 B 的 p %."""
    if len(claim.figures) < 3 or claim.says("relation", "instead"):
        return
    for first, b, c in triples(claim):
        one, two = gap(claim, first, b), gap(claim, b, c)
        adopts = bare(first) and not bare(b) and re.fullmatch(OF, one + " ")
        a = replace(first, unit=b.unit) if adopts else first  # "450 of 989 TFLOP/s"
        if b.role in ("share", "mbu", "mfu") and like(a, c):
            if re.fullmatch(IS, one + " ") and re.fullmatch(rf"{OF}[^0-9,;]{{0,24}}", two + " "):
                yield of_share(claim, b, a, c)
        elif c.role in ("share", "mbu", "mfu") and like(a, b):
            english = re.fullmatch(OF, one + " ") and re.fullmatch(
                rf"[^0-9;]{{0,24}}?{IS}|的|[^0-9;]{{0,12}}的 ?", two + " "
            )
            chinese = re.fullmatch(r"(?:是|占)", one) and re.fullmatch(r"的(?: ?约)?", two)
            if english or chinese:
                yield of_share(claim, c, a, b)


def of_share(claim: Claim, share: Figure, part: Figure, whole: Figure) -> Finding:
    """The finding on one share."""
    expected = part.interval / positive(whole.interval)
    value = part.quantity.base / whole.quantity.base if whole.value else Fraction(0)
    line = same(f"{part.text.strip('=≈ ')} / {whole.text.strip('=≈ ')} {shown(value, share)}")
    return result("CONS003", claim, (part, share, whole), share, expected, line)


MULTIPLE = re.compile(r" ?(?:times|fold|x|×|倍)")
LARGER = re.compile(
    r" ?(?:times|fold|x|×) ?(?:as )?(?:larger|greater|faster|higher|bigger|more|slower|smaller|lower|quicker) than"
)
WORDED = re.compile(
    r"(?:is|are|=|为|是)? ?(?:about |roughly |exactly )?(?:(?P<twice>twice|double|two times)|(?P<half>half)"
    r"|(?P<third>a third)|(?P<quarter>a quarter|one quarter))(?: (?:of|as (?:much|many|large|fast|high|big) as|the|that of))* ?"
)
WORD_FACTORS = {
    "twice": Fraction(2),
    "half": Fraction(1, 2),
    "third": Fraction(1, 3),
    "quarter": Fraction(1, 4),
}


@rule(
    "CONS004",
    name=("printed ratio against the ratio of the parts", "所印倍数与两数之比"),
    page=(
        '"A is n times B" must hold for the A and the B that are printed. "n times larger than" is read as n '
        "times, and as n + 1 times.",
        "“A 是 B 的 n 倍”须与印出的 A、B 相符。英文的“n times larger than”既可读作 n 倍，也可读作 n + 1 倍。",
    ),
    fires="900 GB/s is 20 times 50 GB/s.",
    quiet="900 GB/s is 18 times 50 GB/s.",
    chinese=(
        "900 GB/s 是 50 GB/s 的 20 倍。",
        "900 GB/s 是 50 GB/s 的 18 倍。",
    ),
)
def multiple(claim: Claim, _: Library) -> Iterator[Finding]:
    """A is n times B; A 是 B 的 n 倍; A is twice B."""
    if len(claim.figures) < 2 or claim.says("relation", "instead"):
        return
    for a, b, c in triples(claim):
        one, two = gap(claim, a, b), gap(claim, b, c)
        if bare(b) and like(a, c) and MULTIPLE.match(two) and re.fullmatch(rf"{IS}", one + " "):
            rest = MULTIPLE.sub("", two, count=1)
            more = bool(LARGER.match(two))
            if more or re.fullmatch(
                r"(?:as (?:much|many|large|fast|high|big) as|the|of|a|an|that of|its| )*", rest
            ):
                yield of_ratio(claim, b, a, c, more=more)
        elif (
            bare(c)
            and like(a, b)
            and re.match(r" ?倍", behind(claim, c, 4))
            and re.fullmatch(r"(?:是|为|相当于|等于|约为|约是)", one)
            and re.fullmatch(r"的 ?约?", two)
        ):
            yield of_ratio(claim, c, a, b)
    listed = [f for f in claim.figures if f.role not in COUNTED]
    for a, c in pairwise(listed):
        if like(a, c) and (found := WORDED.fullmatch(gap(claim, a, c) + " ")):
            factor = next(f for name, f in WORD_FACTORS.items() if found[name])
            line = same(f"{a.text} / {c.text} {shown_ratio(a, c)}")
            loose = Interval.of(factor, factor / 20)  # a word is no exact number
            yield result("CONS004", claim, (a, c), a, c.interval * loose, line)


def shown_ratio(a: Figure, c: Figure) -> str:
    """A quotient with its sign."""
    made = show(Quantity(a.quantity.base / c.quantity.base if c.value else Fraction(0), unit("")))
    return made.equals


def of_ratio(claim: Claim, ratio: Figure, a: Figure, c: Figure, *, more: bool = False) -> Finding:
    """The finding on one multiple."""
    expected = a.interval / positive(c.interval)
    others: list[tuple[Interval, Text]] = []
    if more:
        others.append(
            (
                expected - Interval.of(Fraction(1)),
                Text("n times larger means n + 1 times", "“大 n 倍”按 n + 1 倍计"),
            )
        )
        others.append((c.interval / positive(a.interval), Text("the other way round", "反过来")))
    line = same(f"{a.text.strip('=≈ ')} / {c.text.strip('=≈ ')} {shown_ratio(a, c)}")
    found = result("CONS004", claim, (a, ratio, c), ratio, expected, line, others=tuple(others))
    if found.verdict == "ambiguous" and more:
        return Finding(
            found.rule, "consistent", "info", found.message, found.spans, (), found.derivation
        )
    return found
