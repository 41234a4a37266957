"""Letters that leave the unit open: a bare G, small b for bytes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from derive.audit.rule import rule
from derive.audit.types import Finding, Reading
from derive.text import same, tr
from derive.units import Quantity, unit

if TYPE_CHECKING:
    from derive.audit.library import Library
    from derive.audit.types import Claim

BARE = re.compile(r"[0-9] ?G$")
SMALL = re.compile(r"(?P<prefix>[mgt])b(?P<rate>/s)?$")


@rule(
    "READ005",
    name=("letters that leave the unit open", "写法不明确的单位"),
    page=(
        "A bare G behind a memory is read as GB, and gb or gb/s in small letters as GB or GB/s, as slides mean them. The "
        "letters also stand for Gbit, an eighth of it: both values are listed, and the verdict holds for the first.",
        "显存后的单个 G 按 GB 读；小写的 gb、gb/s 按幻灯片的习惯读作 GB、GB/s。这些字母也可指 Gbit，即其八分之一：两种数值都列出，"
        "结论按前者给出。",
    ),
    fires="H100 SXM: 3350 gb/s of memory bandwidth.",
    quiet="H100 SXM: 3350 GB/s of memory bandwidth.",
    chinese=("H100 SXM 的显存带宽为 3350 gb/s。", "H100 SXM 的显存带宽为 3350 GB/s。"),
)
def letters(claim: Claim, _: Library) -> Iterator[Finding]:
    """A note for each such spelling; it changes no verdict."""
    for figure in claim.figures:
        symbols = [s for s, p in figure.unit.terms if p == 1]
        if BARE.search(figure.text) and symbols == ["GB"]:
            read, other = unit("GB"), unit("GiB")
        elif (small := SMALL.search(figure.text)) and symbols and symbols[0].endswith("B"):
            rate, prefix = small["rate"] or "", small["prefix"].upper()
            read, other = unit(f"{prefix}B{rate}"), unit(f"{prefix}bit{rate}")
        else:
            continue
        readings = tuple(
            Reading(Quantity(figure.value, u), tr("read as {unit}", unit=u.text))
            for u in (read, other)
        )
        what = tr("{figure} is read as {unit}; the letters may also mean {other}", figure=same(figure.text),
                  unit=read.text, other=other.text)  # fmt: skip
        yield Finding("READ005", "consistent", "info", what, (figure.span,), readings)
