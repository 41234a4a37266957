"""Our definitions file, read without a unit registry: sizes and dimensions of every unit.

Starting a registry takes longer than reading a spec, so what only compares and scales reads the
file itself. A test holds these few lines to the registry built from the same file.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from pathlib import Path

FILE = Path(__file__).parent / "definitions.txt"
Powers = tuple[tuple[str, int], ...]


@cache
def tables() -> tuple[dict[str, Fraction], dict[str, tuple[Fraction, Powers]]]:
    """Prefixes, and units with their size in base units and their base dimensions."""
    prefixes: dict[str, Fraction] = {}
    units: dict[str, tuple[Fraction, Powers]] = {}
    for line in FILE.read_text(encoding="utf-8").splitlines():
        name, found, definition = line.partition("#")[0].partition(" = ")
        if not found:
            continue
        if name.endswith("-"):
            prefixes[name.removesuffix("-")] = Fraction(definition)
        elif definition.startswith("["):
            units[name] = (Fraction(1), ((definition.strip("[]"), 1),))
        else:
            units[name] = product(definition, units)
    return prefixes, units


def product(definition: str, units: dict[str, tuple[Fraction, Powers]]) -> tuple[Fraction, Powers]:
    """`3600 * second`, `joule / second`: numbers and units defined above it."""
    size, powers, sign = Fraction(1), dict[str, int](), 1
    for word in definition.split():
        if word in "*/":
            sign = 1 if word == "*" else -1
            continue
        factor, bases = units[word] if word in units else (Fraction(word), ())
        size *= factor**sign
        for base, power in bases:
            powers[base] = powers.get(base, 0) + sign * power
    return size, tuple(sorted(powers.items()))


@cache
def base_of(name: str) -> tuple[Fraction, Powers]:
    """Size in base units and base dimensions of a unit name, with or without a prefix."""
    prefixes, units = tables()
    if name in units:
        return units[name]
    prefix = next(p for p in prefixes if name.startswith(p) and name[len(p) :] in units)
    factor, powers = units[name[len(prefix) :]]
    return prefixes[prefix] * factor, powers
