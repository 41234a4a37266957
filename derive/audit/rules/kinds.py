"""Quantity words against units: a rate is no amount, a time is no rate, a quotient has a dimension."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from derive.audit.consistency.between import OPERATOR_BEHIND, behind, lowered
from derive.audit.rule import rule
from derive.audit.types import Finding
from derive.text import Text, same, tr
from derive.units import Dimension, Quantity, show, unit

if TYPE_CHECKING:
    from derive.audit.library import Library
    from derive.audit.types import Claim, Figure, Term

# noun of the lexicon -> what it is called, its unit, and the units that it never has
NOUNS: dict[str, tuple[Text, str, tuple[str, ...]]] = {
    "work": (Text("an amount of work", "运算量"), "FLOP", ("FLOP/s", "byte/s", "token/s")),
    "memory_bandwidth": (Text("a bandwidth", "带宽"), "byte/s", ("byte", "FLOP/s", "FLOP", "s", "FLOP/byte")),
    "weights": (Text("an amount of data", "字节数"), "byte", ("byte/s", "FLOP/s", "FLOP")),
    "kv": (Text("an amount of data", "字节数"), "byte", ("byte/s", "FLOP/s", "FLOP")),
    "ttft": (Text("a time", "时间"), "s", ("token/s", "byte/s", "FLOP/s", "byte", "FLOP")),
    "tpot": (Text("a time per token", "每 token 时间"), "s", ("token/s", "byte/s", "FLOP/s", "byte", "FLOP")),
    "itl": (Text("a time per token", "每 token 时间"), "s", ("token/s", "byte/s", "FLOP/s", "byte", "FLOP")),
    "latency": (Text("a time", "时间"), "s", ("token/s", "byte/s", "FLOP/s", "byte", "FLOP")),
    "throughput": (Text("a rate", "速率"), "token/s", ("s", "byte", "FLOP", "token")),
    "intensity": (Text("operations per byte", "每字节运算量"), "FLOP/byte", ("FLOP/s", "byte/s", "FLOP", "byte", "s")),
    "ridge": (Text("operations per byte", "每字节运算量"), "FLOP/byte", ("FLOP/s", "byte/s", "FLOP", "byte", "s")),
    "mfu": (Text("a pure number", "纯数"), "", ("FLOP/s", "byte/s", "FLOP", "byte", "s")),
    "mbu": (Text("a pure number", "纯数"), "", ("FLOP/s", "byte/s", "FLOP", "byte", "s")),
}  # fmt: skip
COMPUTE = re.compile(
    r"compute|算力|浮点"
)  # of the words for compute, those that mean a rate of operations
LIKE = r"(?:is|are|was|were|of|=|:|≈|about|around|to|the|a|only|just|up|reaches|amounts? to|c[ao]mes? to|equals?|takes?|needs?|为|是|约|达到?|有|只有|高达|仅|共|需要?|占用?| )"
TIGHT = re.compile(
    rf"{LIKE}*(?:done )?(?:(?:of|in|by|for) (?:(?:the|this|a|one|an|each) )?[a-z]+ ?)?{LIKE}*"
)
IS = re.compile(r"(?:is|was|are|were|是|为) ?(?:the|a|an|其|总的)?")
BACK = re.compile(r"(?:of|的| )*(?:the|total|memory|peak|显存|峰值| )*")


def stems(text: str) -> set[Dimension]:
    """A dimension, also per device and per request."""
    of = unit(text).dimension
    return {of, of / unit("device").dimension, of / unit("request").dimension}


def told(claim: Claim) -> Iterator[tuple[Term, Figure]]:
    """Each quantity word with the figure that it directly names."""
    for term in claim.terms:
        if term.kind != "noun":
            continue
        for figure in claim.figures:
            start = figure.span[0]
            if term.span[1] <= start <= term.span[1] + 40:
                words = lowered(claim.text[term.span[1] : start])
                if TIGHT.fullmatch(words + " " if words else ""):
                    yield term, figure
            elif figure.span[1] <= term.span[0] <= figure.span[1] + 16:
                words = lowered(claim.text[figure.span[1] : term.span[0]])
                noun = lowered(claim.text[slice(*term.span)])
                loose = (
                    "的" in words and term.says == "memory_bandwidth"
                )  # 80 GB 的带宽: of that card
                back = (words or noun).startswith(("of", "的")) and BACK.fullmatch(words)
                if (back and not loose) or (IS.fullmatch(words) and term.says == "work"):
                    yield term, figure


@rule(
    "UNIT002",
    name=("unit of another kind of quantity", "量与单位不是一类"),
    page=(
        "A quantity word fixes the dimension: work is an amount (FLOP), compute is a rate (FLOP/s), bandwidth is a "
        "rate (byte/s), TPOT is a time, a utilisation has no unit. A rate is not an amount; amount = rate × time.",
        "量的名称决定量纲：运算量是总量（FLOP），算力是速率（FLOP/s），带宽是速率（byte/s），TPOT 是时间，利用率没有单位。"
        "速率不是总量：总量 = 速率 × 时间。",
    ),
    fires="The total work of the run was 312 TFLOP/s.",
    quiet="The total work of the run was 312 TFLOP.",
    chinese=(
        "总运算量为 312 TFLOP/s。",
        "总运算量为 312 TFLOP。",
    ),
)
def unlike_unit(claim: Claim, _: Library) -> Iterator[Finding]:
    """One finding a figure whose unit its own noun excludes."""
    done = set()
    pairs = list(told(claim))
    for term, figure in pairs:
        row = NOUNS.get(term.says)
        if term.says == "compute" and COMPUTE.search(lowered(claim.text[slice(*term.span)])):
            row = (Text("a compute rate", "算力"), "FLOP/s", ("byte/s", "byte", "s", "FLOP/byte"))
        if row is None or figure.span in done or not figure.unit.terms:
            continue
        name, right, wrong = row
        if not any(figure.dimension in stems(w) for w in wrong) or excused(
            claim, term, figure, pairs
        ):
            continue
        done.add(figure.span)
        word = same(claim.text[slice(*term.span)])
        what = tr("{word} is {name}, but {figure} is {found}", word=word, name=name,
                  figure=same(figure.text), found=figure.dimension.everyday or figure.dimension.text)  # fmt: skip
        lines = (
            tr("{word}: [{dimension}]", word=word, dimension=unit(right).dimension.text),
            tr(
                "{figure}: [{dimension}]", figure=same(figure.text), dimension=figure.dimension.text
            ),
        )
        yield Finding("UNIT002", "unit_error", "error", what, (term.span, figure.span), (), lines,
                      repaired(word, figure, right))  # fmt: skip


def excused(claim: Claim, term: Term, figure: Figure, pairs: Sequence[tuple[Term, Figure]]) -> bool:
    """Spellings that may be a count or a rate (TFLOPs) say nothing; nor do figures of another noun."""
    if OPERATOR_BEHIND.match(behind(claim, figure, 6)):
        return True
    if term.says == "work" and re.search(r"FLOPs$", figure.text):
        return True
    if any(n.kind == "noun" and n.span != term.span and n.says != term.says
           and term.span[1] <= n.span[0] < figure.span[0] for n in claim.terms):  # fmt: skip
        return True
    if any(0 <= term.span[0] - f.span[1] <= 1 and f.dimension in stems(NOUNS[term.says][1])
           for f in claim.figures if term.says in NOUNS):  # fmt: skip
        return True  # 20 ms per step is 150 tokens/s
    own = {n.says for n, f in pairs if f.span == figure.span} - {term.says}
    right = {
        n.says for n in claim.terms if n.kind == "noun" and 0 <= n.span[0] - figure.span[1] <= 1
    }
    if "compute" in right and figure.dimension in stems("FLOP/s"):
        return True
    return any(figure.dimension in stems(NOUNS[n][1]) for n in own if n in NOUNS)


def repaired(word: Text, figure: Figure, right: str) -> Text:
    """What could be written instead."""
    per_second = figure.dimension in {d * unit("s").dimension for d in stems(right)}
    if figure.value and {figure.dimension} & stems("token/s") and right == "s":
        time = show(Quantity(1 / figure.quantity.base, unit("s"))).text
        return tr(
            "{word} is {time}, the reciprocal of {figure}.",
            word=word,
            time=time,
            figure=same(figure.text),
        )
    if figure.dimension in {d / unit("s").dimension for d in stems(right)}:
        return tr(
            "{word} is {figure} times the time; {figure} alone is a rate.",
            word=word,
            figure=same(figure.text),
        )
    if per_second:
        return tr("{word} has to read {figure}/s.", word=word, figure=same(figure.text))
    return tr("{word} has to be given in {unit}.", word=word, unit=same(right or "%"))


@rule(
    "UNIT003",
    name=("FLOPs written for FLOP/s", "以 FLOPs 代 FLOP/s"),
    page=(
        "FLOPs with a small s may be a number of operations or a rate. Where a device is said to have them a rate "
        "is meant and is read; TFLOP/s or TFLOPS leaves no doubt.",
        "小写 s 的 FLOPs 既可指运算次数，也可指速率。说某设备“有”多少 FLOPs 时按速率读；写成 TFLOP/s 或 TFLOPS 就没有疑问。",
    ),
    fires="The H100 SXM has 989 TFLOPs of dense BF16.",
    quiet="The H100 SXM has 989 TFLOP/s of dense BF16.",
    chinese=(
        "H100 SXM 的 BF16 稠密算力为 989 TFLOPs。",
        "H100 SXM 的 BF16 稠密算力为 989 TFLOP/s。",
    ),
)
def count_for_rate(claim: Claim, _: Library) -> Iterator[Finding]:
    """An info: the spelling is loose, the rate is read."""
    for figure in claim.of("peak_rate", "achieved_rate"):
        if re.search(r"(?:FLOPs|FLOP)$", figure.text) and claim.hardware:
            value = show(figure.quantity, fixed=figure.unit).text
            what = tr("{figure} is read as a rate: {value}", figure=same(figure.text), value=value)
            yield Finding("UNIT003", "consistent", "info", what, (figure.span,))
