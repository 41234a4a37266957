"""Exclusions that name no module: a slip of the pen there would change the bytes in silence."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from derive.architecture.quantization.stored import HEADS, spellings
from derive.errors import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from derive.architecture.model import Placed
    from derive.architecture.quantization.matching import Names

CLASSES = ("Linear", "Embedding", "Conv1d", "Conv2d")  # kinds of modules, which some lists name
EXPERT = re.compile(r"(experts?)\.\d+")


def unmatched(excluded: Iterable[Names], placed: Sequence[Placed]) -> list[str]:
    """The entries that match neither a module nor a part of its path, as the file has them."""
    listed = [entry for names in excluded for entry in names.entries]
    if not listed:
        return []
    known = modules(placed)
    runs: set[str] = set()
    for name in known:
        parts = name.split(".")
        runs.update(
            ".".join(parts[a:b]) for a in range(len(parts)) for b in range(a + 1, len(parts) + 1)
        )
    found = []
    for entry, pattern in listed:
        if pattern:
            search = re.compile(pattern).search
            hit = any(search(name) for name in known)
        else:
            plain = EXPERT.sub(r"\1.0", entry.strip(".")).removesuffix(".weight")
            hit = plain in runs or entry in CLASSES
        if not hit:
            found.append(printable(entry, 60))
    return found


def modules(placed: Sequence[Placed]) -> list[str]:
    """Every spelling of every module, layer by layer."""
    names: dict[str, None] = dict.fromkeys((*HEADS, "lm_head"))
    for one in placed:
        paths = dict.fromkeys(t.module for t in one.layer.tensors)
        for prefix in one.prefixes:
            for index in one.indices or (0,):
                at = prefix.replace("{i}", str(index))
                for path in paths:
                    names.update(dict.fromkeys(spellings(at + path)))
    return list(names)
