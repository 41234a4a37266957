"""The kind of memory that a text names, against the one in the product's spec."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from derive.audit.rule import rule
from derive.audit.types import Finding
from derive.text import same, tr

if TYPE_CHECKING:
    from derive.audit.library import Library
    from derive.audit.types import Claim

ID = "COND026"
KIND = re.compile(
    r"(?<![A-Za-z0-9])(?P<family>HBM|GDDR|LPDDR)-?(?P<generation>[2-7])(?P<more>e|x)?(?![A-Za-z0-9])",
    re.IGNORECASE,
)


@rule(
    ID,
    name=("kind of memory", "显存类型"),
    page=(
        "HBM, GDDR and LPDDR differ in bandwidth by an order; the kind in the text is held against the one in the "
        "spec of the product. A missing letter (HBM3 for HBM3e) is no fault.",
        "HBM、GDDR、LPDDR 的带宽相差一个量级；文中写明的显存类型与产品规格中的类型对照。少写一个字母（HBM3e 写作 HBM3）不算错。",
    ),
    fires="The L40S has 48 GB of HBM3.",
    quiet="The L40S has 48 GB of GDDR6.",
    chinese=("L40S 配备 48GB HBM3 显存。", "L40S 配备 48GB GDDR6 显存。"),
)
def memory_kind(claim: Claim, library: Library) -> Iterator[Finding]:
    """One kind and one product name; what several variants differ in is right where one has it."""
    said = list(KIND.finditer(claim.text))
    if len({s[0].lower() for s in said}) != 1 or len({h.ids for h in claim.hardware}) != 1:
        return
    if claim.says("relation", "than", "instead") or claim.says("subject", "not"):
        return
    products = [p for p in library.products(claim.hardware[0]) if KIND.search(p.memory_type)]
    if not products or any(alike(said[0], p.memory_type) for p in products):
        return
    product = products[0]
    what = tr("{figure} is not the memory of {product}, which is {kind}", figure=same(said[0][0]),
              product=product.name, kind=same(product.memory_type))  # fmt: skip
    corrected = tr("The memory of {product} is {kind}.", product=product.name,
                   kind=same(product.memory_type))  # fmt: skip
    yield Finding(ID, "contradicted", "error", what, (said[0].span(),), corrected=corrected)


def alike(said: re.Match[str], cited: str) -> bool:
    """The same family and generation; the letter only where the text writes one."""
    own = KIND.search(cited)
    assert own is not None
    named = (said["family"].upper(), said["generation"])
    if named != (own["family"].upper(), own["generation"]):
        return False
    return not said["more"] or said["more"].lower() == (own["more"] or "").lower()
