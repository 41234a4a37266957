"""A multiple beside the two values that it is between: from 141 GB to 35 GB, four times less."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

from derive.audit.consistency.arithmetic import like
from derive.audit.consistency.between import before, behind, lowered
from derive.audit.interval import Interval
from derive.audit.rule import rule
from derive.audit.sheet.ratios import multiple
from derive.audit.types import Finding
from derive.text import same, tr
from derive.units import Quantity, show, unit

if TYPE_CHECKING:
    from derive.audit.library import Library
    from derive.audit.sheet.ratios import Multiple
    from derive.audit.types import Claim, Figure

FROM = re.compile(r"(?:(?<![a-z])from|从|由) ?(?:the |an? |原来的? ?)?(?:[~≈约] ?)?$")
TO = re.compile(r"(?<![a-z])to(?![a-z])|→|->|到|至|成|为")
# what may stand between the two values and the multiple: nothing that is another quantity
LINK = re.compile(
    r"(?:[,;:()~≈=×\-]|x(?![a-z])|倍|\b(?:an?|the|by|about|around|roughly|nearly|or|times|fold|i\.e\.|that is|which is|it is|factor|of|saving"
    r"|saves?|cut|drop(?:s|ped)?|reduction|shr[iau]nks?|grows?|falls?|rises?|goes|down|up|from)\b"
    r"|从|由|约|即|也就是|为|是|了|共|缩小|缩减|减少|减小|降低|下降|压缩|增加|增长|提升|提高|扩大|变大|变小|相差| )*"
)
HEADS = re.compile(r" ?(?:kv |query |attention )?(?:heads?(?![a-z])|头)")
OF_CACHE = re.compile(
    r"(?: ?(?:kv|query|attention) ?)?(?:heads?|头)(?: ?\((?:mha|gqa|mqa)\))?[^0-9.;。；]{0,24}(?:kv ?cache|kv ?缓存)[^0-9.;。；]{0,8}"
)
GROWS = re.compile(r"(?:doubl|tripl|quadrupl)(?:es?|ed|ing)|翻倍")
MORE = re.compile(r"(?<![a-z])(?:increas|gr[eo]w|rais|rose|boost|more)|增|提升|提高|扩大|涨")
NEAR = 24  # characters between such a word and what grows
ONE = Interval.of(Fraction(1))


@rule(
    "CONS038",
    name=("multiple of a change", "变化的倍数"),
    page=(
        "A multiple that stands beside the value before and the value after is their quotient, either way round. Of a "
        "growth “by 3 times” both readings are accepted: to three times, and by three times as much on top.",
        "倍数与变化前后的两个值同时出现时，应等于二者之商，不分方向。“增加 3 倍”两种读法都接受：变为 3 倍，或增加了原值的 3 倍。",
    ),
    fires="Quantisation shrinks the weights from 141 GB to 35 GB, a 2x reduction.",
    quiet="Quantisation shrinks the weights from 141 GB to 35 GB, a 4x reduction.",
    chinese=(
        "量化后权重从 141 GB 降到 35 GB，缩小 2 倍。",
        "量化后权重从 141 GB 降到 35 GB，缩小 4 倍。",
    ),
)
def times_changed(claim: Claim, _: Library) -> Iterator[Finding]:
    """One multiple and the two values of a change."""
    stated = multiple(claim)
    if stated is None or len({n.ids for n in claim.hardware}) > 1 or claim.of("share"):
        return
    pair = changed(claim, stated)
    if pair is None:
        return
    one, other = pair
    falls, grows = one.interval / other.interval, other.interval / one.interval
    ways = [falls, grows]
    if MORE.search(lowered(claim.text)):
        ways.append(grows - ONE)
    greater, less = sorted(pair, key=lambda f: f.quantity.base, reverse=True)
    exact = show(Quantity(greater.quantity.base / less.quantity.base, unit("")))
    line = same(f"{greater.text.strip('=≈ ')} / {less.text.strip('=≈ ')} {exact.equals}")
    spans = (stated.span, one.span, other.span)
    if any(way.meets(stated.interval) for way in ways):
        what = tr("{line} agrees with {figure}", line=line, figure=same(stated.text))
        yield Finding("CONS038", "consistent", "info", what, spans, (), (line,))
        return
    what = tr("{line}, not {figure}", line=line, figure=same(stated.text))
    said = tr("From {one} to {other} is a factor of {ratio}.", one=same(one.text.strip("=≈ ")),
              other=same(other.text.strip("=≈ ")), ratio=exact.text)  # fmt: skip
    yield Finding("CONS038", "contradicted", "error", what, spans, (), (line,), said)


def changed(claim: Claim, stated: Multiple) -> tuple[Figure, Figure] | None:
    """The values before and after that a multiple stands beside; None where it may be another's."""
    figures = [f for f in claim.figures if f is not stated.figure]
    for one, other in pairwise(figures):
        heads = all(not f.unit.terms and HEADS.match(behind(claim, f, 16)) for f in (one, other))
        between = lowered(claim.text[one.span[1] : other.span[0]])
        verb = GROWS.fullmatch(lowered(stated.text)) and led_by(claim, stated, one)
        moved = (verb or FROM.search(before(claim, one, 16))) and TO.search(between)
        if verb and moved and like(one, other):
            return one, other
        if not moved or one.value <= 0 or other.value <= 0:
            continue
        if not heads and not (like(one, other) and one.role == other.role):
            continue
        low, high = (other.span[1], stated.span[0]), (stated.span[1], one.span[0])
        start, end = low if low[0] <= low[1] else high
        words = lowered(claim.text[start:end])
        if LINK.fullmatch(words) or (heads and OF_CACHE.fullmatch(words)):
            return one, other
    return None


def led_by(claim: Claim, stated: Multiple, one: Figure) -> bool:
    """Whether the word of growth stands right before a figure: "doubles Hopper's 900 GB/s to"."""
    gap = claim.text[stated.span[1] : one.span[0]]
    return 0 < len(gap) <= NEAR and not any(c.isdigit() or c in ",;." for c in gap)
