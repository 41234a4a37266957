"""A share or a multiple in words that stands between the two figures that it is of."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from derive.audit.consistency.arithmetic import like
from derive.audit.consistency.between import lowered
from derive.audit.rule import rule
from derive.audit.sheet.ratios import spelled
from derive.audit.types import Finding
from derive.text import same, tr
from derive.units import Quantity, show, unit

if TYPE_CHECKING:
    from derive.audit.library import Library
    from derive.audit.sheet.ratios import Multiple
    from derive.audit.types import Claim, Figure

LONGEST = 240
NAME = "①"
LEADS = re.compile(  # "64 GB/s each way, a seventh of the 450 GB/s", "64 GB/s is about half …"
    r"(?: (?:each way|per direction|in each direction))?(?:,|\(| (?:is|are|=|makes?))?"
    r"(?: (?:only|just|about|around|roughly|nearly|almost|more than|less than|over|under))*"
)
OF = re.compile(r"(?: (?:of|that of|the|that|an?|its))*(?: ①(?:'s|’s)?)?")
IS = re.compile(  # 64 GB/s 是 450 GB/s 的七分之一
    r",?(?:还|也|只|仅)?(?:是|为|相当于|约为|约是|约等于|等于|只有|只是|仅为|不到|不足|超过)(?:约|大约)? ?(?:①)? ?的?"
)
THEN = re.compile(r" ?的 ?(?:约|大约|近|将近)? ?")


@rule(
    "CONS046",
    name=("share of one figure in another", "一个数字占另一个数字的几分之几"),
    page=(
        "Where a share or a multiple in words stands between two figures of one kind (half of, three times, 的三分之一), "
        "their quotient must give it.",
        "文字形式的占比或倍数（一半、三倍、三分之一）连接两个同类数字时，二者之商须与之相符。",
    ),
    fires="64 GB/s is half of the 450 GB/s.",
    quiet="64 GB/s is a seventh of the 450 GB/s.",
    chinese=("64 GB/s 是 450 GB/s 的一半。", "64 GB/s 是 450 GB/s 的七分之一。"),
)
def figure_share(claim: Claim, _: Library) -> Iterator[Finding]:
    """Each such pair of figures."""
    if len(claim.figures) < 2 or len(claim.text) > LONGEST:
        return
    for stated in spelled(claim):
        pair = between(claim, stated)
        if pair is None or not like(*pair) or pair[0].role == "devices":
            continue
        one, other = pair
        if one.value <= 0 or other.value <= 0 or one.bound or other.bound:
            continue
        ratio = one.interval / other.interval
        exact = show(Quantity(one.quantity.base / other.quantity.base, unit("")))
        line = same(f"{one.text.strip('=≈ ')} / {other.text.strip('=≈ ')} {exact.equals}")
        spans = (stated.span, one.span, other.span)
        if ratio.meets(stated.interval):
            what = tr("{line} agrees with {figure}", line=line, figure=same(stated.text))
            yield Finding("CONS046", "consistent", "info", what, spans, (), (line,))
            continue
        what = tr("{line}, not {figure}", line=line, figure=same(stated.text))
        said = tr("It should read {line}.", line=line)
        yield Finding("CONS046", "contradicted", "error", what, spans, (), (line,), said)


def between(claim: Claim, stated: Multiple) -> tuple[Figure, Figure] | None:
    """The figure that is the share and the one that it is of, right around the words."""
    before = [f for f in claim.figures if f.span[1] <= stated.span[0] and f.unit.terms]
    after = [f for f in claim.figures if f.span[0] >= stated.span[1]]
    if len(before) > 1 and THEN.fullmatch(words(claim, before[-1].span[1], stated.span[0])):
        one, other = before[-2:]
        if IS.fullmatch(words(claim, one.span[1], other.span[0])):
            return one, other
    if before and after:
        one, other = before[-1], after[0]
        led = LEADS.fullmatch(words(claim, one.span[1], stated.span[0]).rstrip())
        if led and OF.fullmatch(words(claim, stated.span[1], other.span[0]).rstrip()):
            return one, other
    return None


def words(claim: Claim, start: int, end: int) -> str:
    """A stretch of the text with a mark for each product."""
    text = claim.text[start:end]
    for named in sorted(claim.hardware, key=lambda n: -len(n.text)):
        text = text.replace(named.text, NAME)
    space = " " if text.startswith(" ") else ""
    return space + lowered(text)
