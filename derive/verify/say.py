"""Texts of a ledger inside messages: nothing of them reaches a terminal unchecked."""

from __future__ import annotations

from derive.errors import printable


def quoted(text: object, longest: int = 60) -> str:
    """A text made printable and short."""
    return printable(str(text), longest)
