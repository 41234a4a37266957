"""The pint registry, built from our own definitions file and from nothing else.

Only names out of the closed tables of `names.py` ever reach pint; text of users never does.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

from derive.units.definitions import FILE


@cache
def registry() -> Any:
    """The one registry: exact fractions, our definitions only."""
    import pint

    made: Any = pint.UnitRegistry(None, non_int_type=Fraction, on_redefinition="raise")
    made.load_definitions(FILE.read_text(encoding="utf-8").splitlines())
    return made


def pint_quantity(value: Fraction, powers: tuple[tuple[str, int], ...]) -> Any:
    """A pint quantity from an exact value and (pint unit name, exponent) pairs."""
    ureg = registry()
    return ureg.Quantity(value, ureg.UnitsContainer({name: Fraction(p) for name, p in powers}))


def pint_error() -> type[Exception]:
    """What pint raises where quantities do not fit together; for those who recompute with it."""
    import pint

    error: type[Exception] = pint.PintError
    return error
