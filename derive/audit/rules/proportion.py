"""Statements of proportion: "bytes follow the active parameters", "KV is proportional to the context"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from derive.audit.reading.changes import NAMES, QUANTITY, SYMBOL
from derive.audit.reading.normal import normal
from derive.audit.rule import rule
from derive.audit.types import Finding
from derive.text import Text, same, tr

if TYPE_CHECKING:
    from derive.audit.library import Library
    from derive.audit.types import Claim

FOLLOW = re.compile(
    r"(?P<not>(?:does not|do not|don't|doesn't|不(?:会)?|并不)? ?)(?:follows?|scales? (?:only |linearly |directly )?with|track|tracks|(?:is|are) (?:directly |both )?(?:proportional to|set by|determined by)|grows? (?:linearly|in proportion) (?:with|to)"
    r"|depends? only on|跟随|跟着|随着?|(?P<by>determines?|sets?|decides?|决定(?!于))|取决于|只取决于|只看|按|由|与(?=[^,。]{1,16}成正比)|正比于|线性增长)"
)
PURELY = re.compile(
    r"follow|only|proportional|linear|set by|determined|track|跟随|只|都|正比|线性|决定|按"
)
SUBJECTS = (
    ("bytes", r"(?:bytes|data|traffic|memory traffic)(?: (?:moved|read))?|搬运(?:的)?(?:字节|数据)(?:数|量)?|访存(?:量)?|字节(?:数)?|读取量", Text("the bytes that a pass reads", "一次前向读取的字节数")),
    ("operations", r"operations?|flops?|compute|计算量|运算量|运算|算力需求", Text("the operations per token", "每 token 运算量")),
    ("memory", r"memory(?: footprint| capacity)?|weights?|显存(?:占用)?|权重(?:大小)?", Text("the weights held in memory", "驻留显存的权重")),
)  # fmt: skip
ACTIVE = re.compile(r"activ(?:e|ated)(?: parameters?| params?)?|激活(?:的)?(?:参数)?(?:量)?")
WHOLE = re.compile(
    r"(?:total|all|whole)(?: the)?(?: parameters?| params?)|(?:总|全部|所有)参数(?:量)?|总量"
)
ONE = re.compile(r"batch(?: size)?(?: of)? 1(?![0-9])|one token|single token|one request|单个 ?token|单 ?token|单请求|批大小为? ?1(?![0-9])")  # fmt: skip
MANY = (1, 3, 32)


@rule(
    "CONS031",
    name=("what follows what", "什么随什么变"),
    page=(
        "In a mixture of experts the operations of a token follow the active parameters and the memory follows the "
        "total; the bytes that a pass reads follow neither: one token reads the active experts, a large batch reads "
        "all. A proportion that is told is evaluated at exact points; one that does not keep it refutes it.",
        "混合专家模型中，每 token 运算量随激活参数，显存随总参数；一次前向读取的字节两者都不随：单个 token 只读激活的专家，"
        "大批量会读全部专家。对所说的比例关系在若干精确取值处求值，有一处不成比例即被否定。",
    ),
    fires="MoE: bytes moved and operations both follow the activated parameters",
    quiet="MoE: operations follow the activated parameters",
    chinese=(
        "MoE：搬运字节数与运算量都跟随激活参数",
        "MoE：运算量跟随激活参数",
    ),
)
def follows(claim: Claim, _: Library) -> Iterator[Finding]:
    """Of a mixture of experts, or of any formula that is said to be proportional."""
    if any(f.unit.terms for f in claim.figures) or claim.hardware:
        return
    text = normal(claim.text).text.lower()
    found = FOLLOW.search(text)
    if not found or found["not"].strip():
        return
    if claim.says("subject", "moe") or "moe" in text:
        yield from of_experts(claim, text, found)
    elif PURELY.search(text):
        yield from of_formula(claim, text, found)


def of_experts(claim: Claim, text: str, found: re.Match[str]) -> Iterator[Finding]:
    """Bytes, operations and memory of a mixture of experts."""
    from derive.audit.physics import dependence

    ahead, after = text[: found.start()], text[found.end() :]
    if found["by"] and re.search("|".join(s for _, s, _ in SUBJECTS), after):
        ahead, after = after, ahead  # "the active parameters determine the bytes"
    of = "active" if ACTIVE.search(after) else "total" if WHOLE.search(after) else ""
    subjects = [(k, name) for k, spelled, name in SUBJECTS if re.search(spelled, ahead)]
    if not of or not subjects:
        return
    if len(subjects) > 1 and subjects[0][0] == "bytes" and "memory traffic" in text:
        subjects = [s for s in subjects if s[0] != "memory"]
    counts = (1,) if ONE.search(text) else MANY
    spans = ((0, len(claim.text)),)
    lines, wrong = [], []
    for subject, name in subjects:
        ratios = dependence.of_experts(subject, of, counts)
        holds = len(set(ratios)) == 1
        lines.append(told(name, of, holds=holds))
        if not holds:
            wrong.append(subject)
    if not wrong:
        yield Finding("CONS031", "consistent", "info", lines[0], spans, (), tuple(lines))
        return
    fact = Text(
        "In a mixture of experts the operations follow the active parameters and the memory the total; a pass of one "
        "token reads the active experts, a pass of many tokens reads nearly all.",
        "混合专家模型的运算量随激活参数，显存随总参数；只含一个 token 的前向读取激活的专家，含多个 token 的前向几乎读取全部专家。",
    )
    what = tr("not at every batch: {line}", line=lines[[s[0] for s in subjects].index(wrong[0])])
    yield Finding("CONS031", "contradicted", "error", what, spans, (),
                  (*lines, same("E_hit = E * (1 - (1 - k / E)^b)")), fact)  # fmt: skip


def told(name: Text, of: str, *, holds: bool) -> Text:
    """One proportion in words."""
    whom = (
        Text("the active parameters", "激活参数量")
        if of == "active"
        else Text("the total parameters", "总参数量")
    )
    if holds:
        return tr("{name} are proportional to {whom}", name=name, whom=whom)
    return tr("{name} are not proportional to {whom}", name=name, whom=whom)


def of_formula(claim: Claim, text: str, found: re.Match[str]) -> Iterator[Finding]:
    """Any other quantity and what it is said to be proportional to."""
    from derive.audit.physics.dependence import QUANTITIES, Unknown, declared, proportional

    before = [m for m in QUANTITY.finditer(text) if m.end() <= found.start() + 1]
    after = [m for m in QUANTITY.finditer(text) if m.start() >= found.start()]
    if not before or not after:
        return
    effect, cause = before[-1].lastgroup or "", after[0].lastgroup or ""
    if effect not in QUANTITIES or cause not in SYMBOL:
        return
    try:
        held = [proportional(case, SYMBOL[cause]) for case in QUANTITIES[effect]]
    except (Unknown, ZeroDivisionError):
        return
    formula = "; ".join(dict.fromkeys(declared(c.text) for c in QUANTITIES[effect]))
    line = tr(
        "{effect} against {cause}: {formula}",
        effect=NAMES[effect],
        cause=NAMES[cause],
        formula=same(formula),
    )
    spans = ((0, len(claim.text)),)
    if all(held):
        yield Finding("CONS031", "consistent", "info", line, spans, (), (line,))
    elif not any(held) and re.search(r"proportional|linear|正比|线性", text):
        what = tr("not proportional: {line}", line=line)
        yield Finding("CONS031", "contradicted", "error", what, spans, (), (line,),
                      tr("By the formulas it is not proportional: {line}.", line=line))  # fmt: skip
