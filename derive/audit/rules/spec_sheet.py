"""A figure of a product against its cited spec: right, off, disputed, or not in the spec."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from derive.audit.rule import rule
from derive.audit.sheet.causes import disputed, unlike
from derive.audit.sheet.findings import all_of, finding, plain_of
from derive.audit.sheet.match import judgements
from derive.audit.sheet.records import relabelled
from derive.audit.sheet.words import size, statement, under
from derive.text import Text, joined, same, tr

if TYPE_CHECKING:
    from derive.audit.library import Library
    from derive.audit.sheet.records import Judgement
    from derive.audit.types import Claim, Finding


@rule(
    "SRC001",
    name=("figure of a product against its spec", "产品指标与规格对照"),
    page=(
        "Each figure is held against every value that the cited spec has for it: precision, dense or with "
        "sparsity, one direction or both, marketed or driver-visible, one device or all that are named. A printed "
        "number stands for half a unit of its last digit. Right as said is consistent; a number that is no value "
        "of the product under any condition is contradicted. Numbers that are right under another condition than "
        "the one that is said or usual belong to the rules COND001 to COND010. The ratio of sparse to dense is "
        "never assumed: both values come from the spec.",
        "把每个数字与所引规格的各个口径逐一对照：精度、稠密或带稀疏、单向或双向、标称或驱动可见、单设备或所述全部设备。"
        "打印的数字代表其末位半个单位的区间。按所述口径成立即为相符；在任何口径下都不是该产品的数值则判为矛盾。"
        "只在另一口径下成立的数字由规则 COND001 至 COND010 处理。稀疏与稠密之比从不假定，两个数值都取自规格。",
    ),
    fires="H100 SXM: 1,200 TFLOPS FP16 dense.",
    quiet="H100 SXM: 989 TFLOPS FP16 dense.",
    chinese=(
        "H100 SXM 的 FP16 稠密算力为 1,200 TFLOPS。",
        "H100 SXM 的 FP16 稠密算力为 989 TFLOPS。",
    ),
)
def against_spec(claim: Claim, library: Library) -> Iterator[Finding]:
    """Plainly right (a note), or no value of the product at all."""
    for judged in judgements(claim, library):
        if judged.cause == "none":
            message, lines, corrected = unlike(judged)
            yield finding("SRC001", judged, message, derivation=lines, corrected=corrected)
        elif judged.verdict == "consistent" and not printed_otherwise(judged):
            yield right(judged)


def printed_otherwise(judged: Judgement) -> bool:
    """Whether another rule tells it: only another source has it so, or GB stand for GiB."""
    hits = judged.best.hits
    return bool(hits) and (hits[0].entry.other is not None or relabelled(judged))


def right(judged: Judgement) -> Finding:
    """A note that the figure is the cited value, or that the spec reaches what is asked for."""
    match, figure = judged.best, same(judged.figure.text)
    if judged.cause == "bound":
        meant = plain_of(match)
        value = size(meant.quantity) if meant else ""
        message = tr("{product} has {value}, more than the {figure} that is asked for",
                     product=match.product.name, value=value, figure=figure)  # fmt: skip
        return finding("SRC001", judged, message)
    hit = match.hits[0]
    message = tr("{figure} is the cited value: {under}", figure=figure,
                 under=under(hit.entry, hit.count))  # fmt: skip
    return finding("SRC001", judged, message)


@rule(
    "SRC002",
    name=("sources disagree", "来源之间有分歧"),
    page=(
        "A spec lists beside its value what other sources print for the same thing. A number that only such a "
        "source prints is ambiguous: both are shown, with who prints them. Where the other source prints the same "
        "thing in another unit convention or rounding (288 GB and 270 GiB of one memory), the number is "
        "consistent, with a note.",
        "规格在数值旁列出其他来源对同一项的写法。只有其他来源才有的数字判为有歧义，并列出两种数值及其来源。"
        "若另一来源只是换了单位约定或取整方式（同一显存写作 288 GB 与 270 GiB），则判为相符并加以说明。",
    ),
    fires="B300: 15 PFLOPS dense FP4.",
    quiet="GB300: 15 PFLOPS dense FP4.",
    chinese=(
        "B300 的 FP4 稠密算力为 15 PFLOPS。",
        "GB300 的 FP4 稠密算力为 15 PFLOPS。",
    ),
)
def other_sources(claim: Claim, library: Library) -> Iterator[Finding]:
    """What only another source prints; a note where it is the same thing printed otherwise."""
    for judged in judgements(claim, library):
        if judged.cause == "also":
            message, lines, corrected = disputed(judged)
            yield finding("SRC002", judged, message, derivation=lines, corrected=corrected)
        elif judged.verdict == "consistent" and judged.best.hits:
            others = [h.entry for h in judged.best.hits if h.entry.other and not h.excluded]
            if not others:
                continue
            each = {
                text.en: text
                for e in others
                for text in [tr("{value}: {under}", value=size(e.quantity), under=under(e))]
            }
            message = tr("other sources print it otherwise: {each}", each=joined(each.values()))
            yield finding("SRC002", judged, message)


@rule(
    "SRC003",
    name=("no such figure in the spec", "规格中没有该项"),
    page=(
        "The product is known, but its cited spec has no value for this quantity or this precision, and does not "
        "say that the product lacks it. The same holds where one name covers builds that the specs do not have. The "
        "claim can be neither confirmed nor refuted.",
        "产品已知，但所引规格没有该项或该精度的数值，也未说明产品不支持；或同一名称还有规格未收录的版本。此时既不能证实也不能证伪。",
    ),
    fires="H20: 296 TFLOPS FP8.",
    quiet="H20: 148 TFLOPS BF16.",
    chinese=(
        "H20 的 FP8 算力为 296 TFLOPS。",
        "H20 的 BF16 算力为 148 TFLOPS。",
    ),
)
def not_listed(claim: Claim, library: Library) -> Iterator[Finding]:
    """A quantity or a precision that the spec does not have."""
    for judged in judgements(claim, library):
        if judged.cause == "build":
            message, corrected = other_build(judged)
            yield finding("SRC003", judged, message, corrected=corrected)
        if judged.cause != "unlisted":
            continue
        match = judged.best
        wanted = same(", ".join(sorted(p.upper() for p in match.said.precisions)))
        if match.said.precisions:
            message = tr("the cited spec of {product} has no value for {precision}",
                         product=match.product.name, precision=wanted)  # fmt: skip
        else:
            message = tr("the cited spec of {product} has no value that {figure} could be",
                         product=match.product.name, figure=same(judged.figure.text))  # fmt: skip
        notes = [
            n for n in match.product.notes if any(w in n.en for w in wanted.en.split(", ") if w)
        ]
        yield finding("SRC003", judged, joined([message, *notes[:1]]))


def other_build(judged: Judgement) -> tuple[Text, Text | None]:
    """A value that may be that of a build which no spec here covers."""
    match, meant = judged.best, plain_of(judged.best)
    message = tr("the name covers builds that the cited specs do not have: {figure} may be one of them; {product} has {value}",
                 figure=same(judged.figure.text), product=match.product.name,
                 value=size(meant.quantity) if meant else "")  # fmt: skip
    return message, statement(meant, all_of(match, meant.kind)) if meant else None
