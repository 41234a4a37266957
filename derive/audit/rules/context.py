"""A context that a model is said to take, against its published one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from derive.audit.consistency.between import lowered
from derive.audit.readings import together
from derive.audit.rule import rule
from derive.audit.types import Finding, Reading
from derive.audit.wording import GRAVE
from derive.text import same, tr
from derive.units import Quantity, show, unit

if TYPE_CHECKING:
    from derive.audit.library import Library
    from derive.audit.types import Claim, Figure

TOKEN = unit("token")
TAKES = re.compile(
    r"(?<![a-z])(?:supports?|handles?|accepts?|takes?|processes|window|maximum|max|length)(?![a-z])"
    r"|长度|支持|可处理|能处理|最大|最长|窗口"
)
OWN = re.compile(r"(?<![a-z])(?:window|maximum|max)(?![a-z])|最大|最长|窗口")
SCALED = re.compile(r"yarn|rope|scal(?:ed|ing)|extend|extrapolat|外推|扩展|扩长")
STRETCH = 4  # what published recipes of position scaling reach
BINARY = re.compile(r"[0-9] ?k", re.IGNORECASE)


@rule(
    "COND024",
    name=("context of a model", "模型的上下文长度"),
    page=(
        "A context that a model is said to support is held against the one its published configuration was made for; "
        "128K may be 128,000 or 131,072. Up to four times as much is reached by scaling the positions, which the text "
        "has to say; more is contradicted.",
        "把文中所说模型支持的上下文长度与其公开配置对照；128K 可指 128,000 或 131,072。超出四倍以内可由位置编码缩放达到，须在文中说明；"
        "再多即为矛盾。",
    ),
    fires="Llama-3-8B supports a context of 128K tokens.",
    quiet="Llama-3.1-8B supports a context of 128K tokens.",
    chinese=(
        "Llama-3-8B 支持 128K token 的上下文。",
        "Llama-3.1-8B 支持 128K token 的上下文。",
    ),
)
def context(claim: Claim, library: Library) -> Iterator[Finding]:
    """One finding for a length that stands alone beside a model."""
    figures = [f for f in claim.figures if f.role not in ("parameters", "active")]
    if len(figures) != 1 or claim.hardware or len(claim.models) != 1:
        return
    figure = figures[0]
    about = figure.role == "context" or (figure.role == "tokens" and claim.says("noun", "context"))
    supported = figure.role == "tokens" and "support" in lowered(claim.text)
    text = lowered(claim.text)
    if not (about or supported) or not TAKES.search(text) or SCALED.search(text):
        return
    models = [m for m in library.model(claim.models[0]) if m.context]
    if not models or figure.value <= 0:
        return
    verdicts = {m.id: held(figure, m.context.quantity.base, text) for m in models if m.context}
    verdict = together(verdicts.values())
    first = next(m for m in models if verdicts[m.id] == verdict or verdict == "ambiguous")
    assert first.context
    length = show(Quantity(first.context.quantity.base, TOKEN), fixed=TOKEN).text
    what = {"figure": same(figure.text), "model": first.name, "length": length}
    if verdict == "consistent":
        message = tr("{figure}: the published context of {model} is {length}", **what)
    else:
        message = tr("{figure} is not the published context of {model}, {length}; positions have to be scaled for more",
                     **what)  # fmt: skip
    corrected = tr("The published context of {model} is {length}.", **what)
    readings = tuple(
        Reading(Quantity(m.context.quantity.base, TOKEN), m.name) for m in models if m.context
    )
    yield Finding(
        "COND024", verdict, GRAVE[verdict], message, (figure.span,), readings,
        corrected=None if verdict == "consistent" else corrected, sources=first.context.sources,
    )  # fmt: skip


def held(figure: Figure, length: Fraction, text: str) -> str:
    """One length against one model: its own, less, somewhat more, far more."""
    said = figure.interval
    ways = [said]
    if BINARY.search(figure.text):
        ways.append(said.scaled(Fraction(1024, 1000)))
    if any(w.low <= length <= w.high for w in ways):
        return "consistent"
    if said.low < length:
        return "ambiguous" if OWN.search(text) else "consistent"
    return "ambiguous" if said.low <= STRETCH * length else "contradicted"
