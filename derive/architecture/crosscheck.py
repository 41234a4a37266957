"""Checks against what lies beside the config: the weight index, the size in the name."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from derive.architecture import quantization
from derive.architecture.json_file import Source, refuse
from derive.errors import printable
from derive.text import Text, tr

if TYPE_CHECKING:
    from collections.abc import Iterable

    from derive.architecture.record import Architecture

SIZE = re.compile(
    r"(?<![A-Za-z0-9.])(?:(\d{1,3})[xX])?(\d{1,4}(?:\.\d{1,2})?)([bBmMtT])(?![A-Za-z0-9])"
)
UNITS = {"m": 10**6, "b": 10**9, "t": 10**12}
GROSS = (0.6, 1.7)  # a name is rounded, and 8x7B counts shared layers eight times
CLOSE = 2e-4  # file headers and scales of other width


@dataclass(frozen=True)
class Check:
    """One comparison: what was found, whether it agrees, in words."""

    name: str
    agrees: bool
    found: int
    derived: int
    text: Text

    def json(self) -> dict[str, object]:
        """The record's form."""
        return {
            "check": self.name,
            "agrees": self.agrees,
            "found": self.found,
            "derived": self.derived,
            "difference": self.found - self.derived,
            "text": self.text.json(),
        }


def against_index(a: Architecture, index: Source) -> Check:
    """The sum of tensor bytes that a safetensors index states, and why it may differ."""
    about = index.data.get("metadata")
    size = about.get("total_size") if isinstance(about, dict) else None
    if isinstance(size, float) and size.is_integer():
        size = int(size)
    if isinstance(size, bool) or not isinstance(size, int) or size <= 0:
        what = tr("{name} must be a whole number", name="metadata.total_size")
        refuse("M105", what, index.place("metadata.total_size"))
    derived = a.stored.total
    reasons = differences(a)
    best = min(
        (combo for n in range(len(reasons) + 1) for combo in combinations(reasons, n)),
        key=lambda combo: (abs(size - derived - sum(b for b, _ in combo)), len(combo)),
    )
    left = size - derived - sum(b for b, _ in best)
    agrees = abs(left) <= CLOSE * size
    if not agrees:
        what = tr("the index states {found} bytes, {derived} are derived: {left} bytes are not "
                  "explained", found=f"{size:,}", derived=f"{derived:,}",
                  left=f"{size - derived:+,}")  # fmt: skip
    elif not best and left == 0:
        what = tr("the index states exactly the bytes that are derived: {found}",
                  found=f"{size:,}")  # fmt: skip
    else:
        named = joined(t for _, t in best)
        what = tr("the index states {found} bytes, {derived} are derived; explained by {reasons}, "
                  "leaving {left}", found=f"{size:,}", derived=f"{derived:,}", reasons=named,
                  left=f"{left:+,}")  # fmt: skip
    return Check("safetensors index total_size", agrees, size, derived, what)


def differences(a: Architecture) -> list[tuple[int, Text]]:
    """Bytes by which a checkpoint may differ, each with its reason."""
    found: list[tuple[int, Text]] = []
    if a.model.mtp:
        extra = quantization.stored_bytes(a.model.mtp, a.plan, a.width).total
        found.append((extra, tr("the layers for further tokens")))
    if a.totals.tied:
        found.append((a.width * a.totals.head, tr("a stored copy of the tied table")))
    buffers = sum(a.totals.buffers.values())
    if buffers:
        found.append((-4 * buffers, tr("the router's correction bias, not stored")))
    return found


def joined(texts: Iterable[Text]) -> Text:
    """Reasons in a row."""
    listed = list(texts)
    if not listed:
        return tr("rounding of scales and headers")
    return Text(", ".join(t.en for t in listed), "、".join(t.zh for t in listed))


def against_name(a: Architecture, names: Iterable[str]) -> Check | None:
    """A size in the name ("8B", "8x7B"), grossly other than what is derived."""
    for name in names:
        said = sizes(name)
        if not said:
            continue
        counts = (a.totals.total_unique, a.totals.active_per_token, a.totals.active_without_tables)
        near = min(said, key=lambda s: abs(s - counts[0]))
        fits = any(GROSS[0] * s <= c <= GROSS[1] * s for s in said for c in counts)
        shown = {"name": printable(name, 80), "size": f"{near:,}", "count": f"{counts[0]:,}"}
        text = tr("the name {name} says {size}, {count} parameters are derived", **shown)
        if not fits:
            text = tr("the name {name} says {size}, but {count} parameters are derived: name and "
                      "config hardly belong to the same model", **shown)  # fmt: skip
        return Check("size in the name", fits, near, counts[0], text)
    return None


def sizes(name: str) -> list[int]:
    """Every size that a name states, in parameters."""
    return [
        round(int(times or 1) * float(number) * UNITS[unit.lower()])
        for times, number, unit in SIZE.findall(name)
    ]
