"""Bytes of one parameter against the format that the text names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from derive.audit.rule import rule
from derive.audit.types import Finding
from derive.specs.precision import BYTES
from derive.text import same, tr
from derive.units import Quantity, show, unit

if TYPE_CHECKING:
    from derive.audit.library import Library
    from derive.audit.types import Claim

ID = "UNIT014"
EACH = unit("byte/param")


@rule(
    ID,
    name=("bytes per parameter against the format", "每参数字节数与数值格式"),
    page=(
        "A format fixes the bytes of a number: 4 in FP32, 2 in BF16 and FP16, 1 in FP8 and INT8, one half in FP4 and "
        "INT4, scales aside. Another size beside the name of the format is contradicted.",
        "数值格式决定每个数的字节数：FP32 为 4，BF16 与 FP16 为 2，FP8 与 INT8 为 1，FP4 与 INT4 为 0.5，缩放因子另计。"
        "写了格式却给出另一字节数，判为矛盾。",
    ),
    fires="In INT8 each parameter takes 2 bytes per parameter.",
    quiet="In INT8 each parameter takes 1 byte per parameter.",
    chinese=("INT8 下每个参数占 2 字节。", "INT8 下每个参数占 1 字节。"),
)
def stored(claim: Claim, _: Library) -> Iterator[Finding]:
    """One format and one size of a parameter; up to a half more may be scales."""
    said = {p for p in claim.said("precision") if p in BYTES}
    figures = claim.of("per_parameter")
    if len(said) != 1 or len(figures) != 1 or figures[0].bound:
        return
    precision, figure = said.pop(), figures[0]
    size = BYTES[precision]
    shown = show(Quantity(size, EACH)).text
    given = {"figure": same(figure.text), "precision": precision.upper(), "size": shown}
    if figure.quantity.base <= size * 3 / 2 and size <= figure.interval.high:
        what = tr("{figure} is what {precision} takes: {size}", **given)
        yield Finding(ID, "consistent", "info", what, (figure.span,))
        return
    what = tr("{figure} is not what {precision} takes: {size}", **given)
    said_so = tr("A number in {precision} takes {size}.", **given)
    yield Finding(ID, "contradicted", "error", what, (figure.span,), corrected=said_so)
