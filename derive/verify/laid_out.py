"""Values at another layout of the devices, by the declarations of the formulas that hold there."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping
from copy import copy
from fractions import Fraction

from derive.formula import (
    LAID,
    VARIANTS,
    active,
    called_for,
    catalogue,
    moved,
    standing_in,
)
from derive.units import Quantity, Unit
from derive.verify.values import Held, Ledger, Values

HEADS = "H_kv"  # of a latent cache: one
ONCE = re.compile("|".join(rf"\b{name}\b" for name in LAID))  # ids that count every byte once
# what tells the bytes that devices move, weights read again counted
TELLS_MOVED = ("checklist.bytes", "checklist.kv", "checklist.slow-tpot", "misconceptions.size",
               "findings.kv_over_weights", "bytes_over_context")  # fmt: skip


def as_moved(expression: str, where: str, given: Container[str]) -> str:
    """An expression in the ids that tell what all devices move, where such a place names it."""
    if where not in TELLS_MOVED:
        return expression
    return ONCE.sub(lambda found: moved(found[0], given), expression)


def laid_out(
    ledger: Ledger, changed: Mapping[str, Quantity], asked: Iterable[str]
) -> dict[str, Held]:
    """The values of these ids there; NoValue or Broken where one has none."""
    given = {**ledger.given, **{n: Held(q.value, q.unit) for n, q in changed.items()}}
    if HEADS in changed:
        given.pop("g_tp", None)
    before = active()
    with standing_in(called_for({n: q.base for n, q in given.items()})):
        moved = {VARIANTS[name].instead_of for name in {*before} ^ {*active()}}
        there = copy(ledger)
        trees = {n: tree for n in moved if (tree := catalogue()[n].tree) is not None}
        there.trees = {**ledger.trees, **trees}
        there.cards = {**{n: {"variable": None} for n in trees}, **ledger.cards}
        values = Values(there, {**given, **ledger.calibrated("typical", "typical")}, strict=True)
        return {name: values(name) for name in asked}


def latent_layout(ledger: Ledger) -> dict[str, Quantity]:
    """Data-parallel attention over all devices."""
    g = Quantity(ledger.here("g").value, Unit())
    made = {HEADS: Quantity(Fraction(1), Unit()), "DP": g}
    experts = ledger.given.get("E")
    return {**made, "EP": g} if experts is not None and experts.value >= g.value else made


def usual_size(devices: Quantity, heads: Quantity, stages: Fraction) -> Quantity | None:
    """The first number of devices from this one on whose share of a stage divides the heads."""
    tried = range(int(devices.value / stages), int(heads.value) + 1)
    found = (Quantity(n * stages, devices.unit) for n in tried if heads.value % n == 0)
    return next(found, None)


__all__ = ["as_moved", "laid_out", "latent_layout", "usual_size"]
