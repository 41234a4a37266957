"""Figures that may be of either of two products: left to neither, where only the other has them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from derive.audit.reading.owners import surely_owned
from derive.audit.sheet.entries import entries
from derive.audit.sheet.match import match
from derive.audit.sheet.variants import KINDS

if TYPE_CHECKING:
    from derive.audit.library import Library
    from derive.audit.types import Claim, Figure, Named


def owners(claim: Claim, library: Library) -> Claim:
    """The claim without the owners that the words leave open and the specs speak against.

    "The MI325X lifts the 192 GB of the MI300X to 256 GB": whose the 256 GB are is not read; a
    contradiction of the wrong product would be a false alarm.
    """
    if len({n.ids for n in claim.hardware}) < 2:
        return claim
    made = tuple(
        replace(f, hardware=None) if open_owner(claim, at, library) else f
        for at, f in enumerate(claim.figures)
    )
    return replace(claim, figures=made) if made != claim.figures else claim


def open_owner(claim: Claim, at: int, library: Library) -> bool:
    """Whether a figure is no value of its product, but one of another, and may be of either."""
    figure = claim.figures[at]
    if figure.role == "achieved_bandwidth":
        figure = replace(figure, role="memory_bandwidth")
        claim = replace(claim, figures=(*claim.figures[:at], figure, *claim.figures[at + 1 :]))
    if figure.role not in KINDS or figure.hardware is None or surely_owned(claim, at):
        return False
    others = [n for n in claim.hardware if n.ids != figure.hardware.ids]
    return not has(claim, figure, [figure.hardware], library) and has(
        claim, figure, others, library
    )


def has(claim: Claim, figure: Figure, among: list[Named], library: Library) -> bool:
    """Whether some product of these names has the figure, under whichever condition."""
    return any(
        match(figure, p, claim, entries(p)).cause != "none"
        for n in among
        for p in library.products(n)
    )
