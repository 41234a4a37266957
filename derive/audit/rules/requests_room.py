"""How many requests fit: the memory that is left over what each of them keeps, all as printed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from derive.audit.binary import is_binary
from derive.audit.consistency.between import before, behind
from derive.audit.consistency.left import left_over
from derive.audit.rule import rule
from derive.audit.types import Finding
from derive.text import same, tr
from derive.units import Quantity, show, unit

if TYPE_CHECKING:
    from derive.audit.library import Library
    from derive.audit.types import Claim, Figure

BYTES = (unit("byte").dimension, unit("byte/request").dimension)
EACH_BEHIND = re.compile(
    r"^ ?(?:of )?(?:(?:kv(?: ?cache)?|cache|memory) )?(?:per|for each|for every|each|a) ?"
    r"(?:requests?|users?|sequences?|sessions?|streams?|conversations?)(?![a-z])"
)
EACH_BEFORE = re.compile(
    r"(?:(?:per|each|every|one|an?) (?:request|user|sequence|session|stream|conversation)(?:'s)?"
    r"|[每单]个?[条路]?(?:请求|会话|用户|序列|对话|并发))[^0-9,.;]{0,24}$"
)
FIT = re.compile(
    r"(?<![a-z])(?:fits?|room for|hold|accommodate|admit)(?![a-z])|放得?下|容纳|装得?下|支持|塞下|可放"
)


@rule(
    "CONS048",
    name=("requests that fit in what is left", "剩余显存可容纳的请求数"),
    page=(
        "The memory that is left over what each request keeps of it is the number of requests that fit. More than that "
        "do not fit; fewer is no contradiction.",
        "剩余显存除以每个请求占用的显存，就是可容纳的请求数。更多则放不下；更少并不矛盾。",
    ),
    fires="With 30 GB left and 0.5 GB of KV cache per request, 90 requests fit.",
    quiet="With 30 GB left and 0.5 GB of KV cache per request, 60 requests fit.",
    chinese=(
        "剩余 30 GB，每个请求占 0.5 GB，可容纳 90 个请求。",
        "剩余 30 GB，每个请求占 0.5 GB，可容纳 60 个请求。",
    ),
)
def room_for(claim: Claim, _: Library) -> Iterator[Finding]:
    """One room, one request, one count; nothing where any of them is told twice."""
    counts = claim.of("concurrency", "batch")
    if len(counts) != 1 or not FIT.search(claim.text.lower()):
        return
    sizes = [f for f in claim.figures if f.dimension in BYTES and f.value > 0]
    each = [f for f in sizes if of_request(claim, f)]
    left = [f for f in sizes if f not in each and left_over(claim, f)]
    if len(each) != 1 or len(left) != 1 or is_binary(each[0].unit) != is_binary(left[0].unit):
        return
    count, whole, one = counts[0], left[0], each[0]
    most = whole.interval / one.interval
    exact = whole.quantity.base / one.quantity.base
    line = same(f"{plain(whole)} / {plain(one)} {show(Quantity(exact, unit(''))).equals}")
    spans = (count.span, whole.span, one.span)
    if count.interval.low <= most.high:
        if count.interval.high >= most.low - 1 or count.bound == ">=":
            what = tr("{line} agrees with {figure}", line=line, figure=same(count.text))
            yield Finding("CONS048", "consistent", "info", what, spans, (), (line,))
        return
    what = tr("{line}, not {figure}", line=line, figure=same(count.text))
    said = tr("{room} holds {count} requests of {each}.", room=same(plain(whole)),
              count=f"{int(exact):,}", each=same(plain(one)))  # fmt: skip
    yield Finding("CONS048", "contradicted", "error", what, spans, (), (line,), said)


def of_request(claim: Claim, figure: Figure) -> bool:
    """Whether bytes are what one request keeps."""
    return figure.dimension == BYTES[1] or bool(
        EACH_BEHIND.match(behind(claim, figure)) or EACH_BEFORE.search(before(claim, figure))
    )


def plain(figure: Figure) -> str:
    """A figure without the sign before it."""
    return figure.text.strip("=≈~约 ")
