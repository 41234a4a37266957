"""Lines of arithmetic and values inside sentences."""

from __future__ import annotations

from fractions import Fraction

from derive.text import Text, same
from derive.units import Quantity, show, unit


def equation(left: str, value: Fraction, units: str) -> Text:
    """`W_stream = 139.0 GB`: a base value behind its name."""
    shown = show(Quantity(value / unit(units).factor, unit(units)))
    return same(f"{left} {shown.equals}")


def rounded(quantity: Quantity, figures: int = 3) -> str:
    """A value for a sentence that says "at most" or "about" itself: no sign before it."""
    return show(quantity, figures).body
