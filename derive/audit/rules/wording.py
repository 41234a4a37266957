"""Statements without an equation: two ranges for one rule, KV that "dominates", a bare quantity."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from derive.audit.reading.normal import normal
from derive.audit.reading.roles import ROLES
from derive.audit.rule import rule
from derive.audit.types import Finding, Reading
from derive.text import Text, same, tr
from derive.units import Quantity, show, unit

if TYPE_CHECKING:
    from derive.audit.library import Library
    from derive.audit.types import Claim

PERCENT = r"[0-9]{1,3}(?:\.[0-9]{1,3})?"
SPAN = re.compile(rf"(?P<low>{PERCENT}) ?%? ?(?:to|-|~|至|到|and) ?(?P<high>{PERCENT}) ?%")
WITHIN = re.compile(
    rf"(?:within|below|under|less than|at most|no more than|不超过|小于|低于|控制在|误差在|误差约?为?|in) ?(?:about |± ?|约)?(?P<high>{PERCENT}) ?%(?! ?(?:to|-|~|至|到) ?[0-9])|(?P<inside>{PERCENT}) ?% ?(?:以内|之内|内)"
)
ERROR = re.compile(r"error|off|accura|deviat|within|误差|偏差|偏离|准确|精度")


@rule(
    "CONS008",
    name=("two error ranges for one rule", "同一规则给出两个误差范围"),
    page=(
        'An estimate that is "within 10 %" and "10 % to 30 % off" has two ranges that share only their edge: they '
        "must belong to two quantities (operations against time), which the text has to say.",
        "同一估算既说“10 % 以内”又说“偏差 10 %～30 %”，两个范围只在端点相接：应当分属两个量（运算量与时间），文中须写明。",
    ),
    fires="the estimate is usually within 10 %; predicting absolute performance with it is 10 % to 30 % off",
    quiet="the estimate is within 10 %, mostly 4 % to 8 % off",
    chinese=(
        "估算误差通常在 10 % 以内；用它预测绝对性能偏差 10 % 到 30 %",
        "估算误差在 10 % 以内，多数为 4 % 到 8 %",
    ),
)
def two_ranges(claim: Claim, _: Library) -> Iterator[Finding]:
    """Ranges of error that do not lie one inside the other."""
    shares = [f for f in claim.figures if f.role in ("share", "mfu", "mbu")]
    if not shares:
        return
    text = normal(claim.text).text.lower()
    if len(ERROR.findall(text)) < 2 and not re.search(r"误差|偏差", text):
        return
    ranges = [(Fraction(m["low"]), Fraction(m["high"])) for m in SPAN.finditer(text)]
    ranges += [(Fraction(0), Fraction(m["high"] or m["inside"])) for m in WITHIN.finditer(text)]
    if len(ranges) < 2:
        return
    first, second = ranges[0], ranges[1]
    if any(a[0] <= b[0] and b[1] <= a[1] for a, b in ((first, second), (second, first))):
        return
    spans = tuple(f.span for f in shares)
    one, two = (same(f"{float(low):g} % – {float(high):g} %") for low, high in (second, first))
    what = tr(
        "two ranges of error are given, {one} and {two}: which quantity each is for is not said",
        one=one,
        two=two,
    )
    corrected = tr(
        "It should say of which quantity each range is (the operation count {one}, the time {two}).",
        one=one,
        two=two,
    )
    yield Finding("CONS008", "ambiguous", "warning", what, spans, (), (), corrected)


DOMINATES = re.compile(
    r"dominat\w*|takes? over|outweighs?|exceeds? (?:the )?weights?|becomes? the (?:main|largest)|more than (?:the )?weights?"
    r"|占主导|主导|占大头|占据?绝大部分|超过权重|成为(?:主要|最大)|盖过"
)


@rule(
    "CONS009",
    name=("the KV cache dominates", "KV cache 占主导"),
    page=(
        "Two things can be meant: past T_wall the KV traffic of a request takes longer than its operations, at every "
        "batch; past T_cross its bytes exceed the weight bytes, at one batch. Both need a model, the first also an "
        "accelerator; they lie orders of magnitude apart.",
        "可能指两件事：超过 T_wall，单个请求的 KV 搬运比其运算更久，与批大小无关；超过 T_cross，KV 字节数多于权重字节数，只对某个批大小成立。"
        "二者都要先给定模型，前者还要给定加速器；两个数值相差几个数量级。",
    ),
    fires="past about 2,000 tokens of context the KV cache dominates at any batch",
    quiet="past about 2,000 tokens of context the KV cache is 4 GB",
    chinese=(
        "上下文超过约 2,000 token 后，任何批大小下都是 KV cache 占主导",
        "上下文超过约 2,000 token 后，KV cache 为 4 GB",
    ),
)
def kv_dominates(claim: Claim, _: Library) -> Iterator[Finding]:
    """Needs a model; without one both readings are open."""
    if not claim.says("noun", "kv") or claim.models:
        return
    text = normal(claim.text).text.lower()
    if not DOMINATES.search(text):
        return
    context = claim.one("context", "tokens", "prompt", "output")
    if context is None:
        return
    spans = (context.span,)
    lines = (
        tr(
            "KV traffic takes longer than the operations past T_wall = F_tok × n / (kappa × I_ridge), at every batch"
        ),
        tr("KV bytes exceed the weight bytes past T_cross = W / (b × kappa), at that batch"),
    )
    what = tr(
        "two things can be meant, and each needs a model: {first}; {second}",
        first=lines[0],
        second=lines[1],
    )
    corrected = tr(
        "It should name the model and the accelerator, and say which: {first}, or {second}.",
        first=lines[0],
        second=lines[1],
    )
    yield Finding("CONS009", "ambiguous", "warning", what, spans, (), lines, corrected)


@rule(
    "READ002",
    name=("a bare quantity", "单独一个量"),
    page=(
        "A text that is nothing but a quantity claims nothing: what it reads as is shown.",
        "只有一个量、没有其他内容的文本不构成论断：给出它的读法。",
    ),
    fires="每秒 989 万亿次浮点运算",
    quiet="H100 SXM: 989 TFLOPS FP16 dense.",
    chinese=(
        "每秒 989 万亿次浮点运算",
        "H100 SXM 的 FP16 稠密算力为 989 TFLOPS。",
    ),
)
def bare_quantity(claim: Claim, _: Library) -> Iterator[Finding]:
    """An info: the number in our notation."""
    if len(claim.figures) != 1 or claim.hardware or claim.models or claim.unread:
        return
    figure = claim.figures[0]
    nouns = [t for t in claim.terms if t.kind == "noun"]
    if not figure.unit.terms or len(nouns) > 1 or any(t.kind != "noun" for t in claim.terms):
        return
    if nouns and (not figure.role or nouns[0].says not in (*ROLES[figure.role].nouns, figure.role)):
        return
    if figure.role == "speed" and nouns:
        return
    shown = readable(figure.quantity)
    what = tr("reads as {value}", value=shown)
    yield Finding(
        "READ002",
        "consistent",
        "info",
        what,
        (figure.span,),
        (Reading(figure.quantity, Text("as written", "按字面")),),
    )


def readable(quantity: Quantity) -> str:
    """In the prefix that an engineer would use."""
    scaled = {"FLOP/s": "TFLOP/s", "byte/s": "TB/s"}
    for plain, large in scaled.items():
        if quantity.dimension == unit(plain).dimension and quantity.base >= 10**12:
            return show(quantity, fixed=unit(large)).text
    return show(quantity).text
