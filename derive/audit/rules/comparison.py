"""Figures that a claim compares: two things can only be larger or smaller in one dimension."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from derive.audit.consistency.between import arithmetic_around, before, behind, gap, neighbours
from derive.audit.rule import rule
from derive.audit.types import Finding
from derive.text import same, tr
from derive.units import Dimension, Quantity, show, unit

if TYPE_CHECKING:
    from derive.audit.library import Library
    from derive.audit.types import Claim, Figure

MORE = r"(?:larger|greater|bigger|higher|faster|longer)(?: than)?|exceeds?|outweighs?|beats?|tops(?! out)|surpass(?:es)?|is (?:much |far |slightly )?(?:more|above)(?: than)?|>|大于|高于|超过|快于|多于|胜过|≥"
LESS = r"(?:smaller|lower|slower|shorter)(?: than)?|is (?:much |far |slightly )?(?:less|below|fewer)(?: than)?|falls short of|<|小于|低于|不及|慢于|少于|≤"
SIGN = re.compile(rf"(?<![a-z])(?:(?P<more>{MORE})|(?P<less>{LESS}))(?![a-z])")
STOPS = re.compile(
    r"[;.]|\b(?:one|those|with|runs?|decodes?|trains?)\b| and | while | but |\bi\.e|that is|\bmeaning\b|即|也就是|意味着|而|和|与|且|并"
)
ADJECTIVE = re.compile(
    r"^[^0-9;.]{0,24}?(?P<more>larger|greater|bigger|higher|faster|更大|更高|更快|更多|大|高|快|多|强)"
    r"|^[^0-9;.]{0,24}?(?P<less>smaller|lower|slower|更小|更低|更慢|更少|小|低|慢|少|弱)"
)
THAN_FIRST = re.compile(r"(?:compared (?:with|to)|than|与|和|跟|同) ?(?:the )?$")
EQUALS = re.compile(
    r"[^0-9;.,]{0,24}?(?:equals?|is the same as|the same as|is equal to|等于|一样)[^0-9;.,]{0,12}"
)
LOOSE = ("device", "request")  # per device, per request: another basis, not another kind of thing


def bare(dimension: Dimension) -> Dimension:
    """A dimension without what figures are per."""
    return Dimension(tuple(p for p in dimension.powers if p[0] not in LOOSE))


@cache
def apart() -> frozenset[Dimension]:
    """Dimensions that no idiom sets equal, as "40 ms equals 25 token/s" does with a time and a rate."""
    return frozenset(
        unit(u).dimension for u in ("FLOP/s", "byte/s", "byte", "FLOP", "FLOP/byte", "W")
    )


@cache
def physical() -> frozenset[Dimension]:
    """Dimensions that nobody compares loosely, as counts and prices are."""
    return apart() | {unit(u).dimension for u in ("s", "token/s", "J", "byte/token")}


def comparisons(claim: Claim) -> Iterator[tuple[Figure, Figure, bool | None]]:
    """Figures that the words compare: the first is more (True), less (False) or equal (None)."""
    for one, other in neighbours(claim):
        if not one.unit.terms or not other.unit.terms or "share" in (one.role, other.role):
            continue
        words = gap(claim, one, other)
        if arithmetic_around(claim, one, other):
            continue  # "312 TFLOP/s ÷ 2,039 GB/s equals": a term of an expression
        if len(words) > 60 or (")" in words and "(" not in words):
            continue  # an aside in brackets is not what the sentence compares
        named = any(
            one.span[1] <= n.span[0] < other.span[0] for n in (*claim.hardware, *claim.models)
        )
        found = SIGN.search(words)
        if found and not named and not STOPS.search(words):
            yield one, other, bool(found["more"])
        elif words.startswith("比") or words in ("compared with", "compared to", "vs"):
            if told := ADJECTIVE.match(behind(claim, other)):
                yield one, other, bool(told["more"])
        elif THAN_FIRST.search(before(claim, one)) and not STOPS.search(words.replace("相比", "")):
            if told := ADJECTIVE.match(behind(claim, other)):
                yield other, one, bool(told["more"])
        elif EQUALS.fullmatch(words) and {one.dimension, other.dimension} <= apart():
            yield one, other, None


@rule(
    "UNIT001",
    name=("comparison across dimensions", "跨量纲比较"),
    page=(
        "Larger and smaller exist only within one dimension. A compute rate (operation/time) and a data rate "
        "(information/time) meet through a third quantity, the arithmetic intensity: their quotient is the ridge point.",
        "只有同一量纲的量才能比大小。算力（运算/时间）与带宽（信息量/时间）要通过第三个量，即算术强度，才能联系起来：二者之商是脊点。",
    ),
    fires="312 TFLOPS is larger than 2.039 TB/s",
    quiet="3.35 TB/s is larger than 2.039 TB/s",
    chinese=(
        "312 TFLOPS 大于 2.039 TB/s",
        "3.35 TB/s 大于 2.039 TB/s",
    ),
)
def across_dimensions(claim: Claim, _: Library) -> Iterator[Finding]:
    """One finding a comparison of unlike things."""
    if len(claim.figures) < 2:
        return
    for one, other, _more in comparisons(claim):
        a, b = bare(one.dimension), bare(other.dimension)
        if a == b or not {a, b} <= physical():
            continue
        what = tr("{one} is {first}, {other} is {second}: neither can be larger than the other, nor equal",
                  one=same(one.text), other=same(other.text), first=called(a), second=called(b))  # fmt: skip
        lines = tuple(tr("{figure}: [{dimension}]", figure=same(f.text), dimension=d.text)
                      for f, d in ((one, a), (other, b)))  # fmt: skip
        over = (
            Quantity(one.quantity.base / other.quantity.base, (a / b).unit) if other.value else None
        )
        corrected = (
            tr("{one} over {other} is {ratio}; the two cannot be compared directly.",
               one=same(one.text), other=same(other.text), ratio=show(over).text)
            if over else None
        )  # fmt: skip
        yield Finding(
            "UNIT001", "unit_error", "error", what, (one.span, other.span), (), lines, corrected
        )


def called(dimension: Dimension) -> object:
    """A dimension by its everyday name, else expanded."""
    return dimension.everyday or dimension.text


@rule(
    "CONS005",
    name=("which of two figures is larger", "两个数字孰大孰小"),
    page=(
        "Two figures of one dimension that the text calls larger or smaller are compared in base units; a time that "
        "is called faster is the shorter one.",
        "文中称两个同量纲数字一大一小时，换算到基本单位后比较；时间“更快”指更短。",
    ),
    fires="400 Gb/s is larger than 100 GB/s.",
    quiet="400 GB/s is larger than 100 GB/s.",
    chinese=(
        "400 Gb/s 大于 100 GB/s。",
        "400 GB/s 大于 100 GB/s。",
    ),
)
def larger(claim: Claim, _: Library) -> Iterator[Finding]:
    """Right or wrong by the figures alone."""
    if len(claim.figures) < 2:
        return
    for one, other, more in comparisons(claim):
        if more is None or bare(one.dimension) != bare(other.dimension):
            continue
        timed = dict(one.dimension.powers) == {"time": 1}
        fast = re.search(r"fast|slow|快|慢", gap(claim, one, other) + behind(claim, other, 8))
        above = more != bool(timed and fast)
        a, b = one.interval, other.interval
        wrong = a.high < b.low if above else b.high < a.low
        sign = "<" if one.quantity.base < other.quantity.base else ">"
        in_unit = show(Quantity(other.quantity.base / one.unit.factor, one.unit), fixed=one.unit)
        line = same(f"{one.text.strip('=≈ ')} {sign} {in_unit.body} = {other.text.strip('=≈ ')}")
        if in_unit.text == other.text:
            line = same(f"{one.text.strip('=≈ ')} {sign} {other.text.strip('=≈ ')}")
        spans = (one.span, other.span)
        if wrong:
            what = tr("the comparison is the wrong way round: {line}", line=line)
            said = tr("The right order is {line}.", line=line)
            yield Finding("CONS005", "contradicted", "error", what, spans, (), (line,), said)
        else:
            yield Finding("CONS005", "consistent", "info", line, spans, (), (line,))
