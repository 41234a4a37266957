"""A figure without a subject, looked up among the specs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from derive.audit.rule import rule
from derive.audit.sheet.entries import Entry, entries
from derive.audit.sheet.words import reading, under
from derive.audit.types import Finding
from derive.text import joined, same, tr

if TYPE_CHECKING:
    from derive.audit.library import Library
    from derive.audit.types import Claim, Figure

KINDS = {
    "peak_rate": "peak",
    "data_rate": "memory_bandwidth",
    "memory_bandwidth": "memory_bandwidth",
}
MOST = 4


@rule(
    "SRC004",
    name=("figure without a subject", "没有主语的数字"),
    page=(
        "A single rate without a product cannot be held against a spec. It is looked up among all of them, dense and "
        "16-bit first: where it is a known value, the note says of what, and the reading of its words is confirmed.",
        "单独一个速率而没有产品名，无法与规格对照。此时在所有规格中查找，先查稠密 16 位：若是已知数值，则注明是哪款产品的，"
        "其读法也就得到印证。",
    ),
    fires="每秒 989 万亿次浮点运算",
    quiet="每秒 989.123 万亿次浮点运算",
    chinese=(
        "每秒 989 万亿次浮点运算",
        "每秒 989.123 万亿次浮点运算",
    ),
)
def known_value(claim: Claim, library: Library) -> Iterator[Finding]:
    """Which products have this value; nothing where none has."""
    if len(claim.figures) != 1 or claim.hardware or claim.models:
        return
    figure = claim.figures[0]
    if figure.role not in KINDS or figure.says("calibre", "achieved") or claim.says("noun", "work"):
        return
    found = sorted(known(figure, library), key=lambda e: e.product.id)
    if found:
        each = joined(under(e) for e in found[:MOST])
        message = tr("no product is named; {figure} is the cited value of {each}",
                     figure=same(figure.text), each=each)  # fmt: skip
        yield Finding(
            "SRC004", "consistent", "info", message, (figure.span,),
            tuple(reading(e) for e in found[:MOST]),
            sources=tuple(dict.fromkeys(s for e in found[:MOST] for s in e.sources)),
        )  # fmt: skip


def known(figure: Figure, library: Library) -> Iterator[Entry]:
    """The cited plain values that a figure meets, one a product."""
    for product in library.every():
        for entry in entries(product):
            plain = entry.kind == KINDS[figure.role] and entry.other is None
            plain = (
                plain
                and entry.precision in ("", "bf16", "fp16")
                and entry.sparsity != "with_sparsity"
            )
            if plain and figure.interval.meets(entry.interval):
                yield entry
                break
