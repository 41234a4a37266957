"""A figure that is right under another condition than the one that is said or usual."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from derive.audit.rule import rule
from derive.audit.rules.generations import between_products
from derive.audit.rules.product_order import order
from derive.audit.sheet import causes, rates
from derive.audit.sheet.bare import without_figure
from derive.audit.sheet.findings import finding
from derive.audit.sheet.match import judgements
from derive.audit.sheet.ratios import multiples
from derive.audit.sheet.records import relabelled
from derive.audit.types import Finding
from derive.text import joined, same, tr

if TYPE_CHECKING:
    from derive.audit.library import Library
    from derive.audit.sheet.records import Judgement
    from derive.audit.types import Claim


def of_cause(
    id: str,  # noqa: A002  the contract calls it id
    cause: str,
    told: Callable[[Judgement], causes.Told],
    claim: Claim,
    library: Library,
) -> Iterator[Finding]:
    """One finding for each figure that this condition sets apart."""
    for judged in judgements(claim, library):
        if judged.cause == cause:
            message, lines, corrected = told(judged)
            yield finding(id, judged, message, derivation=lines, corrected=corrected)


def condition(
    id: str,  # noqa: A002  the contract calls it id
    cause: str,
    told: Callable[[Judgement], causes.Told],
    **texts: Any,
) -> None:
    """Declare the rule of one condition."""
    rule(id, **texts)(partial(of_cause, id, cause, told))


# the value with sparsity where the dense one is meant, or the other way round
condition(
    "COND001",
    "sparsity",
    rates.sparse,
    name=("sparse peak", "带稀疏的峰值"),
    page=(
        "Data sheets print peaks with 2:4 structured sparsity, often with an asterisk. Dense kernels do not reach "
        "them: ridge point, MFU and batch limits that use them are off by the ratio. That ratio is read from the "
        "spec, never assumed: it is 2 on most parts, but 1.29 to 3.84 exist. A number that is right only with "
        "sparsity is ambiguous where the claim says nothing of it, and contradicted where it says dense.",
        "数据表常打印带 2:4 结构化稀疏的峰值，并以星号标注。稠密内核达不到该值，据此算出的脊点、MFU 与批大小上限都会偏离这一比例。"
        "该比例取自规格，从不假定：多数产品为 2，但 1.29 到 3.84 都存在。只在带稀疏时成立的数字，若未说明口径判为有歧义，"
        "若声称为稠密则判为矛盾。",
    ),
    fires="H100 SXM: 1,979 TFLOPS FP16.",
    quiet="H100 SXM: 1,979 TFLOPS FP16 with sparsity.",
    chinese=(
        "H100 SXM 的 FP16 算力为 1,979 TFLOPS。",
        "H100 SXM 带稀疏的 FP16 算力为 1,979 TFLOPS。",
    ),
)


# the value at another precision
condition(
    "COND002",
    "precision",
    rates.precise,
    name=("precision of the peak is not that of the work", "峰值的精度与所述精度不符"),
    page=(
        "A peak belongs to one precision. A number that is the peak at another precision than the one that is said "
        "is contradicted; where none is said, 16 bit is read, and a number of another precision is ambiguous until "
        "the precision stands beside it. The ratio of two precisions is never assumed either: FP8 runs at the BF16 "
        "rate on some parts.",
        "峰值只对应一种精度。数字若是另一精度的峰值而非所述精度的峰值，判为矛盾；未说明精度时按 16 位理解，属于其他精度的数字在注明精度之前"
        "判为有歧义。不同精度之间的倍数同样不作假定：有的产品 FP8 与 BF16 同速。",
    ),
    fires="H100 SXM: 1,979 TFLOPS TF32 dense.",
    quiet="H100 SXM: 494.5 TFLOPS TF32 dense.",
    chinese=(
        "H100 SXM 的 TF32 稠密算力为 1,979 TFLOPS。",
        "H100 SXM 的 TF32 稠密算力为 494.5 TFLOPS。",
    ),
)


@rule(
    "COND003",
    name=("variant not named", "未指明型号"),
    page=(
        "One name covers several products: form factors (SXM, PCIe, NVL) and memory sizes (40 or 80 GB). A number "
        "that is right for some of them only is ambiguous: each variant is listed with its value, and the spread. "
        "The same holds for a quantity without a number (the ridge of an A100).",
        "一个名称对应多款产品：形态（SXM、PCIe、NVL）与显存容量（40 或 80 GB）各不相同。只对其中部分型号成立的数字判为有歧义，"
        "并列出每款的数值与差距。只提指标而没有数字时同理（如“A100 的脊点”）。",
    ),
    fires="The A100 has a memory bandwidth of 2,039 GB/s.",
    quiet="The A100 SXM4 80GB has a memory bandwidth of 2,039 GB/s.",
    chinese=(
        "A100 的显存带宽为 2,039 GB/s。",
        "A100 SXM4 80GB 的显存带宽为 2,039 GB/s。",
    ),
)
def variant_unnamed(claim: Claim, library: Library) -> Iterator[Finding]:
    """Right for one variant, not for another; or a quantity of a name with several."""
    yield from of_cause("COND003", "variant", causes.variants, claim, library)
    if compared(claim, library):
        return
    several = len({n.ids for n in claim.hardware}) > 1  # alike variants decide no comparison
    for found in without_figure("COND003", claim, library):
        if found.verdict != "consistent" or not several:
            yield found


def compared(claim: Claim, library: Library) -> bool:
    """Whether an order or a multiple between two products holds, or fails, for all variants."""
    if len(claim.hardware) < 2:
        return False
    found = [*order(claim, library), *between_products(claim, library)]
    return bool(found) and all(f.verdict != "ambiguous" for f in found)


# a rate at a precision that the product lacks
condition(
    "COND004",
    "unsupported",
    rates.lacking,
    name=("precision that the hardware does not have", "硬件不支持的精度"),
    page=(
        "Weights can be stored in a format that the arithmetic units do not have. They are then converted and "
        "computed at another precision: fewer bytes move, but the compute roof stays. A rate claimed for such a "
        "precision is contradicted.",
        "权重可以用计算单元不支持的格式存储，计算时先转换为其他精度：搬运的字节变少，算力上限不变。为这种精度声称的算力判为矛盾。",
    ),
    fires="With FP8 weights an A100 computes at 624 TFLOP/s.",
    quiet="With FP8 weights an H100 SXM computes at 1,979 TFLOP/s.",
    chinese=(
        "A100 用 FP8 权重时的算力为 624 TFLOP/s。",
        "H100 SXM 用 FP8 权重时的算力为 1,979 TFLOP/s。",
    ),
)


# both directions where one is meant, or the other way round
@rule(
    "COND005",
    name=("both directions of a link", "链路的双向带宽"),
    page=(
        "Links are marketed by the sum of both directions, while data of a collective moves in one direction per "
        "link. A number that is right only for the sum is ambiguous where no direction is said, and contradicted "
        "where one direction is. Memory bandwidth is not doubled this way.",
        "互联带宽常以双向之和宣传，而集合通信的数据在每条链路上只沿一个方向传输。只在双向之和时成立的数字，未说明方向时判为有歧义，"
        "声称为单向时判为矛盾。显存带宽没有这种翻倍。",
    ),
    fires="H100 SXM NVLink: 900 GB/s.",
    quiet="H100 SXM NVLink: 450 GB/s per direction.",
    chinese=(
        "H100 SXM 的 NVLink 为 900 GB/s。",
        "H100 SXM 的 NVLink 单向 450 GB/s。",
    ),
)
def directed(claim: Claim, library: Library) -> Iterator[Finding]:
    """One finding a figure; a note where two products are compared, both by the sum."""
    found = [j for j in judgements(claim, library) if j.cause == "direction"]
    if alike(claim, found):
        what = tr("{figures} add both directions on either side: like stands against like",
                  figures=joined(same(j.figure.text) for j in found))  # fmt: skip
        yield Finding("COND005", "consistent", "info", what, tuple(j.figure.span for j in found))
        return
    yield from of_cause("COND005", "direction", causes.directed, claim, library)


def alike(claim: Claim, found: Sequence[Judgement]) -> bool:
    """Whether links of different products, each the sum of both directions, are only compared."""
    compared = claim.says("relation", "than", "less", "more", "times") or multiples(claim)
    return (
        bool(compared)
        and len({j.figure.hardware.ids for j in found if j.figure.hardware}) > 1
        and len(found) == len(claim.of("link"))
        and all(j.verdict == "ambiguous" for j in found)
        and {j.best.hits[0].entry.direction for j in found} == {"both"}
    )


# the sum where one device is meant, or one where the sum is
condition(
    "COND006",
    "scope",
    causes.scoped,
    name=("total of several devices", "多设备合计"),
    page=(
        "Figures of a node, a rack or a pod are sums over its devices. A number that is right only as such a sum is "
        "ambiguous where the claim names one product, and contradicted where it says per device; the value of one "
        "device named for a whole rack is ambiguous as well.",
        "节点、机柜或 pod 的数值是其中所有设备之和。只有作为合计才成立的数字，若只提单个产品判为有歧义，若声称为单设备则判为矛盾；"
        "反之，把单设备数值写成整柜数值也有歧义。",
    ),
    fires="A B200 has 72 PFLOPS of dense FP4.",
    quiet="8x B200 have 72 PFLOPS of dense FP4.",
    chinese=(
        "B200 的 FP4 稠密算力为 72 PFLOPS。",
        "8 张 B200 的 FP4 稠密算力为 72 PFLOPS。",
    ),
)


@rule(
    "COND007",
    name=("marketed, driver-visible, GB and GiB", "标称与驱动可见，GB 与 GiB"),
    page=(
        "The letters GB on a memory mostly mean GiB: the driver of an 80 GB part shows 81,559 MiB, which are "
        "79.65 GiB or 85.5 GB. A number that is right only in the other count is ambiguous: capacity plans that mix "
        "the two are 7 % off.",
        "显存上的 GB 多半指 GiB：80 GB 产品的驱动显示 81,559 MiB，即 79.65 GiB 或 85.5 GB。只在另一种计数下成立的数字判为有歧义："
        "混用两者会使容量规划偏差约 7 %。",
    ),
    fires="An H100 SXM has 86 GB of memory.",
    quiet="An H100 SXM has 80 GB of memory.",
    chinese=(
        "H100 SXM 的显存为 86 GB。",
        "H100 SXM 的显存为 80 GB。",
    ),
)
def other_count(claim: Claim, library: Library) -> Iterator[Finding]:
    """Another count of the same memory; a note where the vendor writes GiB and the claim GB."""
    yield from of_cause("COND007", "memory", causes.stored, claim, library)
    for judged in judgements(claim, library):
        if relabelled(judged):
            message, lines, _ = causes.stored(judged)
            yield finding("COND007", judged, message, derivation=lines)


# the rate of the other kind of units
condition(
    "COND027",
    "engine",
    rates.other_units,
    name=("matrix units and vector units", "矩阵单元与向量单元"),
    page=(
        "Some data sheets print two rates of one precision: that of the vector units and that of the Tensor Cores "
        "(FP64 of A100 and H100, a factor of 2). They are two conditions, not two sources that disagree. Without a word "
        "the rate of the vector units is meant; the other is ambiguous until the units are named, and contradicted "
        "where the claim names the other units.",
        "有的数据表对同一精度给出两种算力：向量单元与 Tensor Core（如 A100、H100 的 FP64，相差一倍）。这是两种口径，不是来源分歧。"
        "未说明时按向量单元理解；另一数值在注明计算单元之前判为有歧义，若文中写的是另一种单元则判为矛盾。",
    ),
    fires="H100 SXM: 67 TFLOPS FP64.",
    quiet="H100 SXM: 67 TFLOPS FP64 on the Tensor Cores.",
    chinese=(
        "H100 SXM 的 FP64 算力为 67 TFLOPS。",
        "H100 SXM 的 FP64 Tensor Core 算力为 67 TFLOPS。",
    ),
)


# integer operations where floating-point ones are meant, or the other way round
condition(
    "COND009",
    "operations",
    rates.counted,
    name=("TOPS and TFLOPS", "TOPS 与 TFLOPS"),
    page=(
        "TOPS count integer operations, TFLOPS floating-point ones. A number in TOPS that is right only for a "
        "floating-point format, or one in TFLOPS that is right only for an integer format, is ambiguous.",
        "TOPS 计整数运算，TFLOPS 计浮点运算。以 TOPS 写出却只对浮点格式成立、或以 TFLOPS 写出却只对整数格式成立的数字，判为有歧义。",
    ),
    fires="H100 SXM: 989 TOPS.",
    quiet="H100 SXM: 1,979 TOPS INT8.",
    chinese=(
        "H100 SXM 的算力为 989 TOPS。",
        "H100 SXM 的 INT8 算力为 1,979 TOPS。",
    ),
)


# the link's value where the memory's is meant
condition(
    "COND010",
    "which",
    causes.which,
    name=("link or memory bandwidth", "互联带宽与显存带宽"),
    page=(
        "A bandwidth without a word for its place is read as that of the memory. A number that is right only for "
        "the link between devices is ambiguous until the claim says so.",
        "未说明位置的带宽按显存带宽理解。只对设备间互联成立的数字，在说明之前判为有歧义。",
    ),
    fires="H100 SXM: 900 GB/s of bandwidth.",
    quiet="H100 SXM: 3.35 TB/s of bandwidth.",
    chinese=(
        "H100 SXM 的带宽为 900 GB/s。",
        "H100 SXM 的带宽为 3.35 TB/s。",
    ),
)
