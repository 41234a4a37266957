"""Numbers as they are written: too large to mean anything, negative, with a comma for a point."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from derive.audit.reading.figures import DECIMAL_COMMA, DOTTED
from derive.audit.reading.normal import normal
from derive.audit.reading.scan import UNUSABLE
from derive.audit.rule import rule
from derive.audit.types import Finding
from derive.errors import printable
from derive.text import same, tr

if TYPE_CHECKING:
    from derive.audit.library import Library
    from derive.audit.types import Claim

# what a product or a model has is never less than nothing
POSITIVE = ("memory", "memory_bandwidth", "peak_rate", "weights", "link", "power", "kv", "kappa",
            "speed", "tpot", "ttft", "bytes", "data_rate")  # fmt: skip
MINUS = re.compile(r"(?:^|[\s:：=为是有,，(（]|[\u4e00-\u9fff])[-−]$")


@rule(
    "READ004",
    name=("numbers that cannot be used", "无法使用的数"),
    page=(
        "A number beyond 60 digits, a tower of powers or an exponent of three digits is named and not read. A device "
        "or a model has no negative memory, bandwidth or rate. A comma before the last digits (3,35 TB/s) and points "
        "between thousands are read as a decimal comma and as grouping, with a warning.",
        "位数过多、幂的幂、三位以上的指数：指出而不读取。设备与模型不会有负的显存、带宽或速率。"
        "小数逗号（3,35 TB/s）与千位点按小数点与分组读取，并加以提示。",
    ),
    fires="H100 SXM has -80 GB of memory.",
    quiet="H100 SXM has 80 GB of memory.",
    chinese=(
        "H100 SXM 的显存为 -80 GB。",
        "H100 SXM 的显存为 80 GB。",
    ),
)
def writing(claim: Claim, _: Library) -> Iterator[Finding]:
    """One finding for each number that is not what a number may be."""
    held = normal(claim.text)
    for found in UNUSABLE.finditer(held.text):
        what = tr("{number} is too large or too small to be used", number=printable(found[0], 40))
        yield Finding("READ004", "unverifiable", "warning", what, (held.span(*found.span()),))
    for figure in claim.figures:
        start, end = figure.span
        if start and figure.role in POSITIVE and MINUS.search(claim.text[:start]) and start > 1:
            what = tr("a negative value: -{figure}", figure=same(figure.text))
            yield Finding("READ004", "contradicted", "error", what, ((start - 1, end),))
        if DECIMAL_COMMA.match(figure.text) or DOTTED.match(figure.text):
            what = tr("{figure} is read as {value}: a decimal comma, or points between thousands",
                      figure=same(figure.text), value=f"{float(figure.value):,g}")  # fmt: skip
            yield Finding("READ004", "ambiguous", "warning", what, (figure.span,))
