"""What a finding is, and how sentences read results."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from derive.study.results import Result, said
from derive.text import Text, same
from derive.units import Quantity, show, unit

Results = dict[str, Result]


@dataclass(frozen=True)
class Finding:
    """A statement with severity error, warning or info."""

    id: str
    severity: str
    text: Text


def value(results: Results, name: str) -> Fraction | None:
    """A result in base units, or None."""
    found = results[name].value if name in results else None
    return found.base if found is not None else None


def text(results: Results, name: str) -> Text:
    """A result as prose prints it."""
    found = results[name].value
    return said(found) if found is not None else same("–")


def times(factor: Fraction) -> str:
    """A pure number as prose prints it after "times"."""
    return show(Quantity(factor, unit("")), 3).number


def percent(share: Fraction) -> str:
    """A share in percent, signed where negative."""
    shown = show(Quantity(share * 100, unit("")), 3)
    mark = "" if shown.exact else "≈ "
    return f"{mark}{shown.number} %".replace("-", "−")
