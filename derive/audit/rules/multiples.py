"""A multiple of what no data sheet has: speed, or a machine that is not known."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product as combinations
from typing import TYPE_CHECKING

from derive.audit.rule import rule
from derive.audit.rules.generations import NOUNS, SERVICE, two, usable
from derive.audit.sheet.entries import entries
from derive.audit.sheet.ratios import multiple, others
from derive.audit.sheet.words import conditions, times
from derive.audit.types import Finding
from derive.text import Text, joined, same, tr

if TYPE_CHECKING:
    from derive.audit.library import Library
    from derive.audit.types import Claim, Named

ROWS = ("", "bf16", "fp16", "fp8")  # the precisions that are worth a line


@rule(
    "COND014",
    name=("multiple without its conditions", "没有条件的倍数"),
    page=(
        "“30 times faster” is one operating point: model, precision on each side, batch, lengths, latency target, "
        "per GPU or per system. Without them it can be neither confirmed nor refuted; what the data sheets alone "
        "give is shown beside it. The same holds for a multiple of a machine that no spec describes.",
        "“快 30 倍”只对应一个工作点：模型、两侧精度、批大小、输入输出长度、延迟目标、单 GPU 还是整系统。缺少这些条件既不能证实也不能证伪；"
        "一并列出仅凭数据表能得到的倍数。与规格库中没有的机器相比的倍数同理。",
    ),
    fires="GB200 NVL72 is 30x faster than the H100 in real-time inference.",
    quiet="The H200 SXM has 1.43 times the memory bandwidth of the H100 SXM.",
    chinese=(
        "GB200 NVL72 的实时推理比 H100 快 30 倍。",
        "H200 SXM 的显存带宽是 H100 SXM 的 1.43 倍。",
    ),
)
def without_conditions(claim: Claim, library: Library) -> Iterator[Finding]:
    """A multiple of speed between products, or against something unknown."""
    stated = multiple(claim)
    if stated is None or not claim.hardware or stated_of_sheet(claim):
        return
    sides = two(claim)
    if sides is None:
        if len({n.ids for n in claim.hardware}) == 1 and stranger(claim):
            message = tr("the other side of {stated} is not a product of the specs: its precision and its extent are not known",
                         stated=same(stated.text))  # fmt: skip
            yield Finding("COND014", "unverifiable", "warning", message, (stated.span,))
        return
    if others(claim, stated):
        return
    each = [r for kind in ("peak", "memory_bandwidth") for r in sheet_ratios(sides, kind, library)]
    message = tr("{stated} needs its conditions: model, precision on each side, batch, input and output length, latency target, per device or per system",
                 stated=same(stated.text))  # fmt: skip
    if each:
        message = joined([message, tr("the data sheets alone give {each}", each=joined(each))])
    yield Finding("COND014", "unverifiable", "warning", message, (stated.span,))


def stranger(claim: Claim) -> bool:
    """Whether a proper name stands in the claim that no spec knows."""
    return any(claim.text[start].isupper() for start, _ in claim.unread if start)


def stated_of_sheet(claim: Claim) -> bool:
    """Whether the multiple is one of a datasheet quantity, which COND013 judges."""
    return claim.says("noun", *NOUNS) and not claim.says("noun", *SERVICE)


def sheet_ratios(sides: tuple[Named, Named], kind: str, library: Library) -> Iterator[Text]:
    """What the specs of two products give on each basis that both have, over all variants."""
    first, second = (
        [e for p in library.products(n) for e in usable(entries(p), kind)] for n in sides
    )
    found: dict[tuple[str, ...], tuple[Text, list[Fraction]]] = {}
    for a, b in combinations(first, second):
        if a.basis == b.basis and a.precision in ROWS and a.sparsity in ("", "dense"):
            _, ratios = found.setdefault(a.basis, (conditions(a), []))
            ratios.append(a.quantity.base / b.quantity.base)
    for condition, ratios in found.values():
        low, high = (times(r).removeprefix("≈ ") for r in (min(ratios), max(ratios)))
        if low == high:
            yield tr("{conditions}: {ratio}", conditions=condition, ratio=low)
        else:
            yield tr("{conditions}: {low} to {high}", conditions=condition, low=low, high=high)
