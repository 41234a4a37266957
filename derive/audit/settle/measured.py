"""Rates that were measured: no datasheet value, but something below it."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from derive.audit.settle.memory import apart
from derive.audit.sheet.entries import entries
from derive.audit.sheet.heard import SIXTEEN, alike

if TYPE_CHECKING:
    from derive.audit.library import Library
    from derive.audit.types import Claim, Figure

WORDS = re.compile(
    r"(?<![a-z])(?:gets?|got|getting|hits?|hitting|measur(?:e[sd]?|ing)"
    r"|(?:ran|runs?|running) at|recorded|observed|clock(?:s|ed)"
    r"|(?:we|i) (?:see|saw)|benchmark(?:s|ed)?"
    r"|(?<!single[ -])(?<!per[ -])stream|cublas(?:lt)?|cutlass|cudnn|triton"
    r"|flash ?-?attention(?:-?[0-9])?|flashmla|deepgemm"
    r"|gemms?|mat ?muls?|kernels?|nccl|bandwidth tests?|memcpy|nvbandwidth)(?![a-z])"
    r"|测得|测到|测出|得到|跑出|跑到|跑了|带宽测试|实测|矩阵乘|内核"
)
REACHED = {
    "peak_rate": "achieved_rate",
    "memory_bandwidth": "achieved_bandwidth",
    "data_rate": "achieved_bandwidth",
}
SHARES = {"achieved_rate": "mfu", "achieved_bandwidth": "mbu"}


def measured(claim: Claim, library: Library) -> Claim:
    """The claim with rates as achieved ones that its words or a utilisation beside them tell so."""
    made = list(claim.figures)
    words: list[tuple[int, int]] | None = None
    for i, figure in enumerate(made):
        if figure.role not in REACHED or figure.says("calibre", "peak") or figure.bound == "<=":
            continue
        if words is None:
            words = [m.span() for m in WORDS.finditer(claim.text.lower())]
        role = REACHED[figure.role]
        told = any(nearest(claim, figure, w) for w in words)
        share = claim.one(SHARES[role])
        beside = share is not None and nearest(claim, figure, share.span)
        if (told or beside) and not on_sheet(figure, claim, library):
            made[i] = replace(figure, role=role)
    return replace(claim, figures=tuple(made)) if made != list(claim.figures) else claim


def nearest(claim: Claim, figure: Figure, word: tuple[int, int]) -> bool:
    """Whether of the rates of its kind this is the one that a word stands by."""
    alike = [f for f in claim.figures if f.dimension == figure.dimension]
    return min(alike, key=lambda f: apart(f.span, word)) is figure


def on_sheet(figure: Figure, claim: Claim, library: Library) -> bool:
    """Whether the cited spec prints just this value: then it is judged as such."""
    said = figure.conditions.get("precision", ()) or claim.said("precision")
    precisions = {p for s in (said or SIXTEEN) for p in alike(s)} | {""}
    counts = {1, *(int(f.value) for f in claim.of("devices") if f.value >= 1)}
    return any(
        figure.interval.meets(entry.interval.scaled(count))
        for product in library.products(figure.hardware)
        for entry in entries(product)
        if entry.kind in ("peak", "memory_bandwidth", "link") and entry.precision in precisions
        for count in counts
    )
