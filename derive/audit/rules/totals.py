"""The rate of all requests together against the rate of each of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from derive.audit.consistency.arithmetic import should_read
from derive.audit.consistency.slips import positive, slip
from derive.audit.rule import rule
from derive.audit.types import Finding
from derive.text import same, tr
from derive.units import Quantity, show, unit

if TYPE_CHECKING:
    from derive.audit.library import Library
    from derive.audit.types import Claim

RATE = unit("token/s")
ALONE = re.compile(r"单|(?:a )?single|batch size 1", re.IGNORECASE)


@rule(
    "CONS025",
    name=("total rate = requests × rate of one", "总速率 = 请求数 × 单请求速率"),
    page=(
        "Where a claim gives the rate of each request, their number and the sum, the three are tied: no request is "
        "faster than another on average.",
        "同时给出单请求速率、请求数与总吞吐时，三者必须相符：总吞吐等于请求数乘以单请求平均速率。",
    ),
    fires="100 concurrent requests at 20 token/s each are 200 token/s in total.",
    quiet="100 concurrent requests at 20 token/s each are 2,000 token/s in total.",
    chinese=(
        "100 并发，每请求 20 token/s，总吞吐 200 token/s。",
        "100 并发，每请求 20 token/s，总吞吐 2,000 token/s。",
    ),
)
def totals(claim: Claim, _: Library) -> Iterator[Finding]:
    """One rate of one, one of all, one count; bounds and averages over others are left alone."""
    speeds, flight = claim.of("speed"), claim.of("concurrency", "batch")
    one = [f for f in speeds if f.says("user", "one") and not f.says("user", "all")]
    every = [f for f in speeds if f.says("user", "all") and not f.says("user", "one")]
    if len(one) == 1 and len(speeds) == 2 and not every and claim.says("noun", "throughput"):
        every = [f for f in speeds if f is not one[0]]  # a throughput beside it is that of all
    if not (len(speeds) == 2 and len(one) == len(every) == len(flight) == 1):
        return
    each, total, count = one[0], every[0], flight[0]
    if any(f.bound or not f.value for f in (each, total, count)):
        return
    expected = each.interval * count.interval
    follows = Quantity(each.quantity.base * count.value / RATE.factor, RATE)
    line = same(f"{count.text} × {each.text} {show(follows).equals}")
    spans = tuple(f.span for f in (count, each, total))
    if expected.meets(total.interval):
        what = tr("{line} agrees with {figure}", line=line, figure=same(total.text))
        yield Finding("CONS025", "consistent", "info", what, spans, (), (line,))
        return
    above = expected.high < total.interval.low  # no request is faster among many than alone
    if not above and any(
        ALONE.match(claim.text[slice(*t.span)]) for t in claim.terms if t.kind == "user"
    ):
        return  # one request alone is faster than each of many
    found = slip(expected / positive(total.interval), RATE.dimension, chinese="亿" in claim.text)
    cause = tr(" ({cause})", cause=found.cause) if found else same("")
    what = tr("{line}, not {figure}{cause}", line=line, figure=same(total.text), cause=cause)
    yield Finding("CONS025", "contradicted", "error", what, spans, (), (line,), should_read(line))
