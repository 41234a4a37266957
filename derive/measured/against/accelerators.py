"""Which known accelerators a file's words may mean."""

from __future__ import annotations

import re
from collections.abc import Sequence

from derive.specs.types import Hardware

KEY = re.compile(r"[a-z]+\d+[a-z]*|\d{3,4}")  # H100, MI300X, 4090: what tells a make from another


def accelerator(told: str, hardware: Sequence[Hardware]) -> set[str]:
    """The known accelerators that a name may mean: those that share most of its words."""
    plain = told.lower().replace(" gb", "gb")
    exact = {h.id for h in hardware if plain in (h.id, h.name.en.lower())}
    if exact:
        return exact
    said = set(re.findall(r"[a-z0-9]+", plain))
    keys = {w for w in said if KEY.fullmatch(w)}
    shared = {h.id: set(h.id.split("-")) for h in hardware}
    named = {i: len(said & words) for i, words in shared.items() if keys & words}
    return {i for i, count in named.items() if count == max(named.values())}
