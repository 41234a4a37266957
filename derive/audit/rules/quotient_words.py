"""A quotient told in words: "measured throughput divided by the lower bound"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from derive.audit.reading.normal import normal
from derive.audit.rule import rule
from derive.audit.types import Finding
from derive.text import Text, tr
from derive.units import NUMBER, unit

if TYPE_CHECKING:
    from derive.audit.library import Library
    from derive.audit.types import Claim

# what a phrase names: its spellings, unit and words; the first that matches wins
PHRASES = (
    (re.compile(r"time|latency|tpot|ttft|itl|duration|延迟|时延|时间|耗时"), "s", Text("a time", "时间")),
    (re.compile(r"lower (?:bound|limit)|floor|minimum|下限|下界|最小值"), "s",
     Text("a lower bound of time", "时间下限")),
    (re.compile(r"(?:upper|theoretical) (?:bound|limit|maximum)|ceiling|上限|上界|理论值"), "same", Text("an upper bound", "上限")),
    (re.compile(r"intensity|算术强度|脊点|ridge"), "FLOP/byte", Text("an arithmetic intensity", "算术强度")),
    (re.compile(r"bandwidth|gb/s|tb/s|带宽"), "byte/s", Text("a data rate", "带宽")),
    (re.compile(r"throughput|tokens?/s|tokens? per second|token rate|吞吐"), "token/s", Text("a token rate", "token 速率")),
    (re.compile(r"flops?/s|[tp]flops|compute rate|peak compute|compute|算力"), "FLOP/s", Text("a compute rate", "算力")),
    (re.compile(r"flops?|operations?|work|运算量|计算量|运算次数"), "FLOP", Text("an operation count", "运算量")),
    (re.compile(r"bytes|data moved|traffic|字节|数据量|搬运量"), "byte", Text("an amount of data", "字节数")),
)  # fmt: skip
PHRASE = r"[a-z0-9/'\u4e00-\u9fff -]{2,60}?"
STOP = r"(?=$|[.,;:()=]|(?: (?:is|are|was|which|and then|so)\b)|，|。)"
QUOTIENTS = (
    re.compile(rf"(?:^|[:,;=(]|\b(?:is|are|be|as|means?)\b|是|为|即|等于|指) ?(?P<top>{PHRASE}) ?(?:divided by|over(?= the| its| peak| theoretical)|除以|/(?= )|÷) ?(?P<below>{PHRASE}){STOP}"),
    re.compile(rf"ratio (?:of|between) (?P<top>{PHRASE}) (?:to|and|over) (?P<below>{PHRASE}){STOP}"),
    re.compile(rf"(?P<top>{PHRASE}) ?(?:与|和|对|同) ?(?P<below>{PHRASE}) ?(?:之比|的比值|的比率|的比例|相除){STOP}"),
    re.compile(rf"(?:用|将|把) ?(?P<top>{PHRASE}) ?除以 ?(?P<below>{PHRASE}){STOP}"),
)  # fmt: skip
SAYS = re.compile(r"\b(?:is|are|be|as|means?)\b|[=:]|是|为|即|等于|指")
PURE = re.compile(
    r"utili[sz]ation|efficien|ratio|fraction|share|\bmfu\b|\bmbu\b|利用率|效率|比值|比例|之比|占比|%"
)
HINTS = ("divided", " over ", "ratio", "除以", "之比", "比值", "比率", "比例", "相除", " / ", "÷")


@rule(
    "UNIT004",
    name=("quotient of unlike parts", "商的两部分量纲不合"),
    page=(
        "A utilisation is a pure number: both parts must be of one kind. Throughput over a lower bound of time is "
        "token/s over s; either the lower bound of time over the measured time, or the measured throughput over "
        "its upper bound.",
        "利用率是纯数，分子分母须为同类量。吞吐除以时间下限得到 token/s²；应写成时间下限除以实测时间，或实测吞吐除以吞吐上限。",
    ),
    fires="0.5 and 0.6 are measured throughput divided by the theoretical lower bound",
    quiet="0.5 and 0.6 are the theoretical lower bound of TPOT divided by the measured TPOT",
    chinese=(
        "0.5 与 0.6 是实测吞吐除以理论下限",
        "0.5 与 0.6 是 TPOT 的理论下限除以实测 TPOT",
    ),
)
def unlike_parts(claim: Claim, _: Library) -> Iterator[Finding]:
    """One finding a quotient that no engineer has a name for, or that is to be pure and is not."""
    text = claim.text if claim.text.isascii() else normal(claim.text).text
    text = text.lower()
    if not any(h in text for h in HINTS):
        return
    for pattern in QUOTIENTS:
        found = pattern.search(text)
        if not found:
            continue
        top, below = meant(SAYS.split(found["top"])[-1]), meant(found["below"])
        if not top or not below or "same" in (top[0], below[0]):
            continue
        dimension = unit(top[0]).dimension / unit(below[0]).dimension
        spans = tuple(f.span for f in claim.figures) or ((0, len(claim.text)),)
        bare = claim.figures and all(not f.unit.terms and abs(f.value) <= 2 for f in claim.figures)
        pure = PURE.search(text) or bare
        line = tr("[{top}] / [{below}] = [{dimension}]", top=unit(top[0]).dimension.text,
                  below=unit(below[0]).dimension.text, dimension=dimension.text)  # fmt: skip
        if dimension == NUMBER if pure else dimension == NUMBER or dimension.everyday:
            what = tr("{top} over {below} is [{dimension}]",
                      top=top[1], below=below[1], dimension=dimension.text)  # fmt: skip
            yield Finding("UNIT004", "consistent", "info", what, spans, (), (line,))
            return
        spans = tuple(f.span for f in claim.figures) or ((0, len(claim.text)),)
        what = tr("{top} over {below} is [{dimension}], no pure number",
                  top=top[1], below=below[1], dimension=dimension.text)  # fmt: skip
        yield Finding(
            "UNIT004", "unit_error", "error", what, spans, (), (line,), instead(top[0], below[0])
        )
        return


def meant(phrase: str) -> tuple[str, Text] | None:
    """What a phrase names."""
    return next(((u, name) for words, u, name in PHRASES if words.search(phrase)), None)


def instead(top: str, below: str) -> Text:
    """A quotient that is a pure number."""
    if {top, below} == {"token/s", "s"}:
        return tr(
            "It should be lower bound of time / measured time, or measured throughput / upper bound of throughput."
        )
    return tr("Both parts have to be of one kind: measured / peak, each in the same unit.")
