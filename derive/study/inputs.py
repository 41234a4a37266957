"""One bound input: its value, and where it is from."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass

from derive.text import Text, same, tr
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


# follow from PP and DP; given to formulas of such a layout alone: of prefill, of decode
SIDE_BY_SIDE = ("N_par", "N_mb")


def lacks(name: str, given: Container[str]) -> Text:
    """Why a result has no value where an input is not given, in terms of what a user can give."""
    if name not in SIDE_BY_SIDE:
        return tr("needs {name}, which is not given", name=same(name))
    if "g_pre" in given and name == "N_par":
        return tr("not counted where prefill has devices of its own")
    return tr(
        "exists only where PP or DP is above one: give TP, PP and DP, for example TP=2 and PP=2 "
        "on 4 devices"
    )


__all__ = ["SIDE_BY_SIDE", "Input", "lacks"]
