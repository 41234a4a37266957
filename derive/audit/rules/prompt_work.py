"""Operations of a number of tokens through a model: of a prompt, of a training run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from derive.audit.consistency.between import lowered
from derive.audit.interval import Interval
from derive.audit.physics.settings import subjects
from derive.audit.readings import Candidate, outcome
from derive.audit.rule import rule
from derive.audit.rules.model_size import ATTENTION, about, nominal, size_finding
from derive.audit.types import Finding
from derive.text import Text, same, tr
from derive.units import unit

if TYPE_CHECKING:
    from derive.audit.library import Library
    from derive.audit.physics.setting import Subject
    from derive.audit.types import Claim, Figure

ID = "COND025"
TOKENS = ("prompt", "tokens", "context", "output")
PASSES = re.compile(r"prefill|forward|train|process|预填充|前向|训练|处理")
SECOND = unit("s")


@rule(
    ID,
    name=("operations of a number of tokens", "若干 token 的运算量"),
    page=(
        "A forward pass over a prompt takes two operations for each active parameter and token, training six; "
        "attention adds up to a quarter at usual lengths. The result is an amount of operations: the same digits as a "
        "rate (FLOP/s) are a slip of the unit.",
        "对一段输入做前向计算，每个激活参数、每个 token 需 2 次运算，训练需 6 次；常见长度下注意力至多再加四分之一。结果是运算量："
        "同样的数字写成速率（FLOP/s）就是单位写错。",
    ),
    fires="Prefilling 1,000 tokens with a 70B model takes 140 GFLOP.",
    quiet="Prefilling 1,000 tokens with a 70B model takes 140 TFLOP.",
    chinese=(
        "70B 模型预填充 1000 个 token 需要 140 GFLOP。",
        "70B 模型预填充 1000 个 token 需要 140 TFLOP。",
    ),
)
def of_tokens(claim: Claim, library: Library) -> Iterator[Finding]:
    """One amount, one model and one number of tokens; other rates of a product are left alone."""
    counted = [f for f in claim.of(*TOKENS) if f.value > 0]
    figures = claim.of("work") or ([] if claim.hardware else claim.of("peak_rate"))
    if len(counted) != 1 or len(figures) != 1 or not PASSES.search(lowered(claim.text)):
        return
    figure, tokens = figures[0], counted[0]
    models = [s for s in subjects(claim, library, figure.model) if s.model or s.size]
    if not models or figure.value <= 0:
        return
    amount = figure
    if figure.role == "peak_rate":
        amount = replace(figure, unit=figure.unit * SECOND)
    each = [outcome(amount, list(passes(claim, s, tokens))) for s in models]
    found = size_finding(ID, amount, each)
    if amount is figure:
        yield found
    elif any(o.verdict == "consistent" for o in each):
        what = tr("{tokens} take an amount of operations, {figure} is a rate",
                  tokens=same(tokens.text), figure=same(figure.text))  # fmt: skip
        right = next((c.sentence for o in each for c in o.candidates if c.sentence), None)
        yield replace(found, verdict="unit_error", severity="error", message=what, corrected=right)


def passes(claim: Claim, subject: Subject, tokens: Figure) -> Iterator[Candidate]:
    """Operations forward, or forward and backward, and what multiply-adds would be."""
    count = subject.active or subject.size
    if subject.model:
        count = Interval.of(subject.model.values["N_act"].quantity.base)
    assert count is not None
    whole = count * tokens.interval
    training = claim.says("noun", "training")
    rows = ((2, Text("forward", "前向"), not training), (6, Text("training", "训练"), training))
    for each, word, right in rows:
        under = tr("{model}, {what}", model=subject.name, what=word)
        made = whole.scaled(each)
        say = partial(taken, subject.name, tokens, word)
        if named := nominal(subject):
            size = (named * tokens.interval).scaled(each)
            yield about(size, tr("{under}, the size in its name", under=under), base="FLOP",
                        plain=right, admitted=right)  # fmt: skip
        more = Interval(made.low, made.high * (1 + ATTENTION))
        printed = count.middle * tokens.quantity.base * each
        yield about(made, under, base="FLOP", plain=right, admitted=right, printed=printed, say=say)
        yield about(more, under, base="FLOP", plain=right, admitted=right, printed=printed)
    told = tr("{model}, multiply-adds instead of operations", model=subject.name)
    yield about(whole, told, base="FLOP", admitted=False)


def taken(model: Text, tokens: Figure, word: Text, value: str) -> Text:
    """The operations as a sentence."""
    counted = tr("{count} tokens", count=f"{int(tokens.value * tokens.unit.factor):,}")
    return tr("{tokens} through {model} take {value} ({what}).", tokens=counted,
              model=model, value=value, what=word)  # fmt: skip
