"""What the tensors of a file hold, against what its keys make the family derive."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.crosscheck import Check, joined
from derive.architecture.gguf.names import BESIDE, OTHER, elements, kind_of
from derive.errors import printable
from derive.text import Text, tr

if TYPE_CHECKING:
    from collections.abc import Iterator

    from derive.architecture.gguf.opening import Held
    from derive.architecture.record import Architecture

MOST = 5  # names of tensors that are listed


def checks(a: Architecture, held: Held) -> Iterator[Check]:
    """Parameters kind by kind; and whether the file is as long as its header says."""
    yield against_tensors(a, held)
    for header in held.headers:
        if header.size < header.end:
            what = tr("the file has {size} bytes, its weights end at byte {end}: what is derived "
                      "here needs the header alone, but the weights are not whole",
                      size=f"{header.size:,}", end=f"{header.end:,}")  # fmt: skip
            yield Check("length of the GGUF file", False, header.size, header.end, what)


def against_tensors(a: Architecture, held: Held) -> Check:
    """The elements of all tensors, and why they may differ from the parameters."""
    found = elements(held.infos)
    derived = dict(a.totals.by_kind)
    if buffers := a.totals.correction:
        derived["correction"] = buffers
    beside = {kind: n for kind, n in found.items() if kind in BESIDE}
    apart = {
        kind: found.get(kind, 0) - derived.get(kind, 0)
        for kind in dict.fromkeys((*derived, *found))
        if kind not in BESIDE and found.get(kind, 0) != derived.get(kind, 0)
    }
    total, wanted = sum(found.values()), sum(derived.values())
    if apart:
        listed = ", ".join(f"{kind} {n:+,}" for kind, n in apart.items())
        strange = [printable(t.name, 60) for t in held.infos if kind_of(t.name) == OTHER][:MOST]
        listed += f" ({', '.join(strange)})" if strange else ""
        what = tr("the tensors hold {found} numbers, {derived} are derived; not explained: {kinds}",
                  found=f"{total:,}", derived=f"{wanted:,}", kinds=listed)  # fmt: skip
    elif beside:
        reasons = joined(
            Text(f"{BESIDE[k].en} ({n:,})", f"{BESIDE[k].zh}（{n:,}）") for k, n in beside.items()
        )
        what = tr("the tensors hold {found} numbers, {derived} are derived; explained by {reasons}",
                  found=f"{total:,}", derived=f"{wanted:,}", reasons=reasons)  # fmt: skip
    else:
        what = tr("the tensors hold exactly the numbers that are derived, kind by kind: {found}",
                  found=f"{total:,}")  # fmt: skip
    return Check("GGUF tensors", not apart, total, wanted, what)
