"""The pint registry, built from our own definitions file and from nothing else.

Only names out of the closed tables of `names.py` ever reach pint; text of users never does.
"""

from __future__ import annotations

import sys
from fractions import Fraction
from functools import cache
from importlib import import_module
from typing import Any

from derive.units.definitions import FILE

# pint imports these where they are there, which takes a third of a second; fractions need none
ARRAYS = ("dask", "dask.array", "numpy", "pandas", "sparse", "uncertainties", "xarray")


@cache
def pint() -> Any:
    """The library, without the array libraries that may lie beside it."""
    kept = {name: sys.modules.get(name) for name in ARRAYS}
    sys.modules.update(dict.fromkeys(ARRAYS))  # type: ignore[arg-type]  # None: not there
    try:
        return import_module("pint")
    finally:
        for name, module in kept.items():
            if module is None:
                del sys.modules[name]
            else:
                sys.modules[name] = module


@cache
def registry() -> Any:
    """The one registry: exact fractions, our definitions only."""
    made: Any = pint().UnitRegistry(None, non_int_type=Fraction, on_redefinition="raise")
    made.load_definitions(FILE.read_text(encoding="utf-8").splitlines())
    return made


def pint_quantity(value: Fraction, powers: tuple[tuple[str, int], ...]) -> Any:
    """A pint quantity from an exact value and (pint unit name, exponent) pairs."""
    ureg = registry()
    return ureg.Quantity(value, ureg.UnitsContainer({name: Fraction(p) for name, p in powers}))


def pint_error() -> type[Exception]:
    """What pint raises where quantities do not fit together; for those who recompute with it."""
    error: type[Exception] = pint().PintError
    return error
