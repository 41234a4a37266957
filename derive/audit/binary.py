"""Decimal and binary units of data: GB and GiB."""

from __future__ import annotations

from functools import lru_cache

from derive.units import Unit
from derive.units.names import symbols

POWERS = {"k": "Ki", "M": "Mi", "G": "Gi", "T": "Ti", "P": "Pi"}


@lru_cache(maxsize=256)
def binary(of: Unit) -> Unit | None:
    """An amount of data with its decimal prefix read as the binary one (GB as GiB)."""
    bases = dict(of.dimension.powers)
    if bases.get("information") != 1 or "time" in bases:
        return None  # rates are decimal everywhere
    terms = []
    for symbol, power in of.terms:
        _, stem, prefix = symbols()[symbol]
        known = stem in ("byte", "B", "bit") and prefix in POWERS
        terms.append((POWERS[prefix] + stem if known else symbol, power))
    made = Unit(tuple(terms))
    return made if made != of else None


def is_binary(of: Unit) -> bool:
    """Whether a unit carries a binary prefix."""
    return any(symbols()[symbol][2] in POWERS.values() for symbol, _ in of.terms)
