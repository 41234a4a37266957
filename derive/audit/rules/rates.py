"""Rates whose subject is left open: tokens per second of whom, and which tokens; multiples of a batch."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from derive.audit.interval import Interval, half_unit
from derive.audit.reading.normal import normal
from derive.audit.rule import rule
from derive.audit.types import Finding
from derive.text import same, tr

if TYPE_CHECKING:
    from derive.audit.library import Library
    from derive.audit.types import Claim


@rule(
    "UNIT006",
    name=("tokens per second of whom", "每秒 token 数是谁的"),
    page=(
        "token/s may be the rate of one request, of one device or the sum over all; these differ by the requests in "
        "flight. Where nothing else in the text tells, the number cannot be held against anything.",
        "token/s 可指单个请求、单个设备或全部请求之和，相差在途请求数倍。文中没有其他线索时，这个数字无从对照。",
    ),
    fires="The service reaches 2,000 token/s.",
    quiet="The service gives each user 20 token/s.",
    chinese=(
        "服务达到 2,000 token/s。",
        "服务给每个用户 20 token/s。",
    ),
)
def whose(claim: Claim, _: Library) -> Iterator[Finding]:
    """A single token rate in a sentence that names no request, device, model or product."""
    if claim.hardware or claim.models or len(claim.figures) != 1:
        return
    figure = claim.figures[0]
    if figure.role != "speed" or "request" in dict(figure.dimension.powers):
        return
    if any(figure.says(kind) for kind in ("user", "scope", "tokens")) or (
        not claim.unread and not claim.terms
    ):
        return
    what = tr("{figure} does not say whose it is: of one request, of one device, or of all requests together",
              figure=same(figure.text))  # fmt: skip
    corrected = tr("It should say {figure} in total, or {figure} per request, with the number of requests in flight.",
                   figure=same(figure.text))  # fmt: skip
    yield Finding("UNIT006", "ambiguous", "warning", what, (figure.span,), (), (), corrected)


@rule(
    "UNIT007",
    name=("input tokens counted in a rate", "速率计入了输入 token"),
    page=(
        "(input + output) / time is no decode rate: with long prompts it grows although decoding slows down. It can "
        "be compared only with rates counted alike.",
        "（输入 + 输出）/ 时间不是 decode 速率：输入越长它越大，decode 却越慢。只能与同样统计口径的数字比较。",
    ),
    fires="Inference speed 2,000 token/s, prompt and generated tokens together.",
    quiet="Inference speed 2,000 token/s, generated tokens only.",
    chinese=(
        "推理速度 2,000 token/s，输入与输出合计。",
        "推理速度 2,000 token/s，只计生成的 token。",
    ),
)
def both_counted(claim: Claim, _: Library) -> Iterator[Finding]:
    """A token rate that counts input and output, without the lengths that would take them apart."""
    for figure in claim.of("speed"):
        if figure.says("tokens", "both") and not claim.of("output"):
            what = tr("{figure} counts input and output tokens together: the share of generated tokens is not said",
                      figure=same(figure.text))  # fmt: skip
            line = tr(
                "generated rate = {figure} × output / (input + output)", figure=same(figure.text)
            )
            corrected = tr("It is {figure} of input and output tokens together; the generated tokens per second belong beside it.",
                           figure=same(figure.text))  # fmt: skip
            yield Finding(
                "UNIT007", "ambiguous", "warning", what, (figure.span,), (), (line,), corrected
            )


@dataclass(frozen=True)
class Multiple:
    """How many times a quantity grew."""

    value: Fraction
    interval: Interval
    text: str


NUMBER = r"(?:[x×] ?(?P<a>[0-9]{1,6}(?:\.[0-9]{1,6})?)|(?P<b>[0-9]{1,6}(?:\.[0-9]{1,6})?) ?(?:[x×](?![a-z0-9])|times|fold|-fold|倍))"
GAP = r"[^0-9;.]{0,24}?"
LATENCY = r"(?:latency|latencies|response time|tpot|延迟|时延|响应时间)"
THROUGHPUT = r"(?:throughput|吞吐量?率?)"
AFTER = {
    "latency": re.compile(rf"{LATENCY}{GAP}{NUMBER}"),
    "throughput": re.compile(rf"{THROUGHPUT}{GAP}{NUMBER}"),
}
AHEAD = {
    "latency": re.compile(rf"{NUMBER} ?(?:as much |the |more |higher |的 ?)?{LATENCY}"),
    "throughput": re.compile(rf"{NUMBER} ?(?:as much |the |more |higher |的 ?)?{THROUGHPUT}"),
}
BATCH = re.compile(
    r"(?:batch(?: ?size)?|批大小|批量|批次|并发数?|concurrency)(?: of)?[^0-9;.]{0,12}?(?:from )?(?:(?P<from>[0-9]{1,6}) ?(?:to|->|→|到|增至|增加到|提高到) ?)?(?P<to>[0-9]{1,6})(?![0-9.]| ?[x×倍])"
)
BASE = re.compile(r"(?:compared (?:with|to)|than|relative to|vs\.?|versus|over|from|相比|对比|较|相对于?|比) ?(?:the )?(?:a )?(?:batch(?: ?size)?(?: of)?|批大小|批量|单请求|single request|one request)(?: ?为| ?是)? ?(?P<n>[0-9]{1,6})?")  # fmt: skip


def grown(text: str, what: str) -> Multiple | None:
    """How many times latency or throughput is, by the nearest number marked as a multiple."""
    near = [*AHEAD[what].finditer(text), *AFTER[what].finditer(text)]
    found = min(near, key=lambda m: ("," in m[0], m.end() - m.start()), default=None)
    if not found:
        return None
    digits = found["a"] or found["b"]
    return Multiple(Fraction(digits), Interval.of(Fraction(digits), half_unit(digits)), digits)


@rule(
    "CONS007",
    name=("latency and throughput multiples of a batch", "批大小带来的延迟与吞吐倍数"),
    page=(
        "In a closed loop the requests in flight are throughput times latency, so the two multiples together are "
        "the ratio of the batches. Without the batch that they start from the claim is open; their product cannot "
        "exceed the batch.",
        "闭环下在途请求数等于吞吐乘延迟，因此两个倍数之积等于批大小之比。不说明起始批大小就无法判定；二者之积不可能超过批大小。",
    ),
    fires="batch 64: latency x4 and throughput x20",
    quiet="From batch 1 to 64: latency x4 and throughput x16",
    chinese=(
        "batch 64：延迟 ×4，吞吐 ×20",
        "从 batch 1 到 64：延迟 ×4，吞吐 ×16",
    ),
)
def batch_multiples(claim: Claim, _: Library) -> Iterator[Finding]:
    """The multiples of throughput and of latency together against the ratio of the batches."""
    if not claim.says("noun", "throughput") or not claim.figures:
        return
    text = normal(claim.text).text.lower()
    latency, throughput, batch = (
        grown(text, "latency"),
        grown(text, "throughput"),
        BATCH.search(text),
    )
    if not latency or not throughput or not batch:
        return
    if not latency.value or not throughput.value:
        return  # no multiple is nought
    base = BASE.search(text)
    start = batch["from"] or (base["n"] or "1" if base else None)
    after = int(batch["to"])
    both = latency.interval * throughput.interval
    exact = latency.value * throughput.value
    line = same(f"{latency.text} × {throughput.text} = {float(exact):g}")
    spans: tuple[tuple[int, int], ...] = ((0, len(claim.text)),)
    ratio = Fraction(after, int(start) or 1) if start else Fraction(after)
    against = tr("{line}, the batch ratio is {ratio}", line=line, ratio=same(f"{float(ratio):g}"))
    if start and both.meets(Interval.of(ratio)):
        what = tr("throughput times latency is the batch ratio: {line}", line=line)
        yield Finding("CONS007", "consistent", "info", what, spans, (), (against,))
    elif start or both.low > ratio:
        what = tr("throughput times latency is not the batch ratio: {line}", line=against)
        corrected = tr("At {ratio} times the batch and {latency} times the latency the throughput is {throughput} times.",
                       ratio=same(f"{float(ratio):g}"), latency=same(latency.text),
                       throughput=same(f"{float(ratio / latency.value):g}"))  # fmt: skip
        yield Finding("CONS007", "contradicted", "error", what, spans, (), (against,), corrected)
    else:
        what = tr("the batch that the multiples start from is not said: from 1 it would be {ratio}, the multiples give {line}",
                  ratio=same(f"{float(ratio):g}"), line=line)  # fmt: skip
        corrected = tr("From batch {start} to {after} the latency is {latency} times, the throughput {throughput} times.",
                       start=same(f"{float(after / exact):.3g}"), after=same(str(after)),
                       latency=same(latency.text), throughput=same(throughput.text))  # fmt: skip
        yield Finding("CONS007", "ambiguous", "warning", what, spans, (), (against,), corrected)
