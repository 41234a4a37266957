"""A scenario's values at another layout of its devices, by the formulas that hold there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction

from derive.derivation.points import Point
from derive.formula import called_for, standing_in
from derive.study.bind import LATENT_HEADS, Bound


@contextmanager
def laid_out(bound: Bound, changed: Mapping[str, Fraction]) -> Iterator[Point]:
    """The typical point with these sizes, while the formulas of that layout stand in.

    A latent cache whose layout was not named is counted as the layout keeps it: one head.
    """
    given = {**{name: one.quantity.base for name, one in bound.inputs.items()}, **changed}
    if LATENT_HEADS in changed:
        given.pop("g_tp", None)
    typical = {**bound.typical.given, **given}
    point = Point(
        {name: value for name, value in typical.items() if name != "g_tp" or name in given}
    )
    with standing_in(called_for(given)):
        yield point


def latent_layout(bound: Bound) -> dict[str, Fraction]:
    """Data-parallel attention over all devices: what copies a latent cache least."""
    g = bound.typical.get("g")
    made = {LATENT_HEADS: Fraction(1), "DP": g}
    if "E" in bound.inputs and bound.typical.get("E") >= g:
        made["EP"] = g
    return made


__all__ = ["laid_out", "latent_layout"]
