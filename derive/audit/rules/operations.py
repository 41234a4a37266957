"""Multiply-accumulates against operations: one MAC is two FLOP."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from derive.audit.interval import Interval, half_unit
from derive.audit.reading.normal import normal
from derive.audit.rule import rule
from derive.audit.types import Finding
from derive.text import Text, same, tr

if TYPE_CHECKING:
    from derive.audit.library import Library
    from derive.audit.types import Claim

PREFIX = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12, "p": 10**15}
WORDS: dict[str, int | Fraction] = {
    "one": 1,
    "a": 1,
    "an": 1,
    "two": 2,
    "一": 1,
    "两": 2,
    "二": 2,
    "half": Fraction(1, 2),
}
NUMBER = r"(?P<{0}n>[0-9][0-9,]{{0,20}}(?:\.[0-9]{{1,12}})?|one|two|an?|一|两|二)?"
MAC = r"(?P<{0}mp>[kmgtp]?)(?P<{0}mac>macs?|multiply[ -]?(?:accumulates?|adds?)|fused multiply[ -]adds?|fmas?|乘加(?:运算)?)"
FLOP = r"(?P<{0}fp>[kmgtp]?)(?P<{0}flop>flops?|floating[ -]point operations?|operations?|ops|浮点运算|运算)"
SIDE = rf"{NUMBER} ?(?:次|个)? ?(?:{MAC}|{FLOP})(?: ?(?:数|次数|数量|counts?|numbers?))?"
EQUALS = r"(?:=|≈|is|are|equals?|counts? (?:as|for)|means?|makes?|即|等于|是|为|算作|算|计作?|相当于|就是)"
TIMES = r"(?P<double>twice|double|two times|2 ?(?:x|×|\*|times)|两倍|2 ?倍)|(?P<half>half|(?:0\.5|½) ?(?:x|×|\*|times)|一半)"
OF = r"(?:of |as many as |as |the |number of |count of |的 ?)*"
FORWARD = re.compile(
    rf"(?<![a-z]){SIDE.format('a', 'a')} ?{EQUALS} ?(?:about |to |the )?(?:(?:{TIMES}) ?)?{OF}{SIDE.format('b', 'b')}(?![a-z])".replace(
        "{0}", ""
    )
)
AS_MANY = re.compile(
    rf"(?P<double>twice|double|two times) as many {SIDE.format('a', 'a')} as {SIDE.format('b', 'b')}(?![a-z])"
)
# Chinese order: A 是 B 的两倍
BEHIND = re.compile(
    rf"(?<![a-z]){SIDE.format('a')} ?{EQUALS} ?{SIDE.format('b')} ?的 ?(?P<double>两倍|2 ?倍)?(?P<half>一半)?"
)


@rule(
    "UNIT005",
    name=("multiply-accumulates against operations", "乘加与浮点运算"),
    page=(
        "A multiply-accumulate is one multiply and one add: FLOPs are twice the MACs. Data sheets count operations. "
        "Ratios between two models are unaffected.",
        "一次乘加含一次乘、一次加：FLOPs 是 MACs 的两倍。规格书计的是运算次数。两个模型之间的比值不受影响。",
    ),
    fires="MACs are twice the FLOPs: 1 FLOP = 2 MAC.",
    quiet="FLOPs are twice the MACs: 1 MAC = 2 FLOP.",
    chinese=(
        "MAC 数是 FLOP 数的两倍：1 FLOP = 2 MAC。",
        "FLOP 数是 MAC 数的两倍：1 MAC = 2 FLOP。",
    ),
)
def mac_against_flop(claim: Claim, _: Library) -> Iterator[Finding]:
    """Each statement that sets the one equal to the other."""
    lowered = claim.text.lower()
    if not any(word in lowered for word in ("mac", "multiply", "fma", "ｍａｃ", "乘加")):
        return
    text = normal(claim.text).text.lower().replace("-", " ")
    for pattern in (BEHIND, FORWARD, AS_MANY):
        for found in pattern.finditer(text):
            if bool(found["amac"]) == bool(found["bmac"]):
                continue
            if pattern is BEHIND and not (found["double"] or found["half"]):
                continue
            yield stated(claim, found)
            break
        else:
            continue
        return


def side(found: re.Match[str], name: str) -> Interval:
    """One side as operations: its number, its prefix, 2 for a MAC."""
    digits = found[f"{name}n"] or "1"
    prefix = PREFIX[found[f"{name}mp"] or found[f"{name}fp"] or ""]
    if digits in WORDS:
        value = Interval.of(Fraction(WORDS[digits]))
    else:
        number = Fraction(digits.replace(",", ""))
        exact = number.denominator == 1 and prefix == 1
        value = Interval.of(number, Fraction(0) if exact else half_unit(digits))
    return value.scaled(prefix * (2 if found[f"{name}mac"] else 1))


def stated(claim: Claim, found: re.Match[str]) -> Finding:
    """The verdict on one equation."""
    factor = (
        Fraction(2)
        if found["double"]
        else Fraction(1, 2)
        if found.groupdict().get("half")
        else Fraction(1)
    )
    left, right = side(found, "a"), side(found, "b").scaled(1)
    counted = found["an"] or found["bn"]
    if not counted:  # numbers of each: FLOPs = 2 MACs as counts
        left, right = (Interval.of(Fraction(1 if found[f"{n}mac"] else 2)) for n in "ab")
    right = right.scaled(factor)
    line = same("1 MAC = 1 multiply + 1 add = 2 FLOP")
    start, end = 0, len(claim.text)
    if left.meets(right):
        what = tr(
            "{words}: one multiply-accumulate is two operations", words=same(found[0].strip())
        )
        return Finding("UNIT005", "consistent", "info", what, ((start, end),), (), (line,))
    what = tr("{words} is the wrong way round or leaves the factor of 2 out: one multiply-accumulate is two operations",
              words=same(found[0].strip()))  # fmt: skip
    corrected = Text(
        "FLOPs are twice the MACs: 1 MAC = 2 FLOP.", "FLOPs 是 MACs 的两倍：1 MAC = 2 FLOP。"
    )
    return Finding(
        "UNIT005", "contradicted", "error", what, ((start, end),), (), (line,), corrected
    )
