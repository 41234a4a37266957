"""Dimension and size of a unit straight from our closed tables.

Loading a spec must not pay for a unit registry; a test holds these few lines to the registry.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from derive.units import Dimension, Quantity, Unit
from derive.units.names import BINARY, DECIMAL, SMALL, symbols

# plain symbol -> (size in base units, base dimensions with exponents)
PLAIN: dict[str, tuple[Fraction, dict[str, int]]] = {
    "byte": (Fraction(1), {"information": 1}),
    "B": (Fraction(1), {"information": 1}),
    "bit": (Fraction(1, 8), {"information": 1}),
    "FLOP": (Fraction(1), {"operation": 1}),
    "OP": (Fraction(1), {"operation": 1}),
    "s": (Fraction(1), {"time": 1}),
    "min": (Fraction(60), {"time": 1}),
    "hour": (Fraction(3600), {"time": 1}),
    "h": (Fraction(3600), {"time": 1}),
    "day": (Fraction(86400), {"time": 1}),
    "d": (Fraction(86400), {"time": 1}),
    "token": (Fraction(1), {"token": 1}),
    "param": (Fraction(1), {"parameter": 1}),
    "element": (Fraction(1), {"element": 1}),
    "request": (Fraction(1), {"request": 1}),
    "device": (Fraction(1), {"device": 1}),
    "USD": (Fraction(1), {"currency": 1}),
    "J": (Fraction(1), {"energy": 1}),
    "W": (Fraction(1), {"energy": 1, "time": -1}),
    "Wh": (Fraction(3600), {"energy": 1}),
    "%": (Fraction(1, 100), {}),
}

PREFIXES: dict[str, Fraction] = {
    "": Fraction(1),
    **{p: Fraction(1000) ** n for n, p in enumerate(DECIMAL, 1)},
    **{p: Fraction(1024) ** n for n, p in enumerate(BINARY, 1)},
    **{p: Fraction(1, 1000) ** n for n, p in enumerate(SMALL, 1)},
}


@cache
def measure(unit: Unit) -> tuple[Fraction, Dimension]:
    """How many base units one of this unit is, and its dimension."""
    size, powers = Fraction(1), dict[str, int]()
    if any(symbols()[symbol][1] not in PLAIN for symbol, _ in unit.terms):
        return unit.factor, unit.dimension  # a unit this table does not have yet
    for symbol, power in unit.terms:
        plain = symbols()[symbol][1]
        factor, bases = PLAIN[plain]
        size *= (factor * PREFIXES[symbol.removesuffix(plain)]) ** power
        for base, exponent in bases.items():
            powers[base] = powers.get(base, 0) + exponent * power
    return size, Dimension.of(powers)


def dimension(unit: Unit) -> Dimension:
    """The dimension of a unit."""
    return measure(unit)[1]


def amount(quantity: Quantity) -> Fraction:
    """A quantity in base units."""
    return quantity.value * measure(quantity.unit)[0]
