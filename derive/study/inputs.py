"""One bound input: its value, and where it is from."""

from __future__ import annotations

from dataclasses import dataclass

from derive.text import Text
from derive.units import Quantity


@dataclass(frozen=True)
class Input:
    """One value that was given: what it is, how it was written, where it is from."""

    id: str
    quantity: Quantity
    text: str
    basis: tuple[Text, ...] = ()
    sources: tuple[str, ...] = ()
    how: Text | None = None
    printed: str = ""
    origin: str = ""


__all__ = ["Input"]
