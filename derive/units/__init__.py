"""The unit system: our own definitions, one safe reader, one writer. The only place with pint."""

from derive.units.quantity import NUMBER, Dimension, Quantity, Unit, unit
from derive.units.reading import Reading, read, read_quantity
from derive.units.registry import pint_error
from derive.units.writing import Shown, gib, show

__all__ = [
    "NUMBER", "Dimension", "Quantity", "Reading", "Shown", "Unit",
    "gib", "pint_error", "read", "read_quantity", "show", "unit",
]  # fmt: skip
