"""What a file of a tool says: runs of exact figures, each with the field it stands in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from derive.errors import Place
    from derive.text import Text
    from derive.units import Quantity

MEAN = "mean"  # the other statistics: "median", "p99", "total", "one" (a setting or a single trial)


@dataclass(frozen=True)
class Figure:
    """One figure: what it is (`quantities`), its value, the place of its field, which statistic.

    `note` says how an ambiguity of the field was resolved, or what it was computed from; `half` is
    half of the last printed digit in base units, where the file rounds and its reader keeps it.
    """

    id: str
    quantity: Quantity
    place: Place
    statistic: str = MEAN
    note: Text | None = None
    half: Fraction = Fraction(0)


@dataclass(frozen=True)
class Fact:
    """Something of the run that is no figure: model, accelerator, precision."""

    text: str
    place: Place


@dataclass(frozen=True)
class Kernel:
    """One operator of a profile: its name, calls and shares; None where the file does not tell."""

    name: str
    calls: int
    time: Fraction  # s, all calls
    flops: Fraction | None = None  # FLOP, all calls
    traffic: Fraction | None = None  # byte, all calls
    how: Text | None = None  # where operations and bytes come from


@dataclass(frozen=True)
class Run:
    """One run: of a serving benchmark, an offline pass, an engine's start, a window of metrics.

    `phase` is "serving" (prefill and decode together), "prefill", "decode", "start" or "profile".
    `facts` by key: model, hardware, engine, weights, kv_cache, parallel. `notes` say what the file
    leaves open and what does not add up.
    """

    tool: str
    place: Place
    phase: str
    figures: tuple[Figure, ...]
    facts: Mapping[str, Fact] = field(default_factory=dict)
    notes: tuple[Text, ...] = ()
    kernels: tuple[Kernel, ...] = ()
    label: str = ""  # what tells runs of one file apart
    own: Mapping[str, Any] = field(default_factory=dict)  # options of the scenario it names itself

    def get(self, name: str, statistic: str = MEAN) -> Figure | None:
        """The figure of that kind, if the file has it."""
        found = (f for f in self.figures if f.id == name and f.statistic == statistic)
        return next(found, None)

    def value(self, name: str, statistic: str = MEAN) -> Fraction | None:
        """Its value in base units."""
        found = self.get(name, statistic)
        return found.quantity.base if found else None
