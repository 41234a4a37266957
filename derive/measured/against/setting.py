"""The scenario at a run's own load: batch and lengths as the file has them, the rest as asked."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from fractions import Fraction

from derive.measured.against import taken
from derive.measured.record import Figure, Run
from derive.specs.types import Scenario, Value
from derive.study.bind import Bound, bind
from derive.text import Text, tr
from derive.units import Quantity, show, unit

# symbol -> the figures of a run that set it, the first there is
LOAD = {"b": ("b_meas", "b_asked"), "T_in": ("T_in_meas",), "T_out": ("T_out_meas",)}
UNITS = {"b": "request", "T_in": "token/request", "T_out": "token/request", "g": "device"}


@dataclass(frozen=True)
class Setting:
    """A bound scenario with the measured values among its inputs, and what was taken from where."""

    bound: Bound
    figures: dict[str, Figure]  # TTFT_meas, TPOT_meas, X_meas as taken
    notes: tuple[Text, ...]


def at(scenario: Scenario, run: Run, fixed: Collection[str] = ()) -> Setting:
    """The scenario as the run loaded it; `fixed` are symbols that were set by hand and stay."""
    notes: list[Text] = []
    values = dict(scenario.values)
    for name, names in LOAD.items():
        found = next(
            (f for n in names for s in ("mean", "one", "p50") if (f := run.get(n, s))), None
        )
        if found is None or name in fixed:
            continue
        count = max(1, round(found.quantity.value))
        values[name] = value_of(name, Fraction(count), found)
        if count != found.quantity.value:
            notes.append(tr("{name} = {count}, the whole number nearest to {given}", name=name,
                            count=f"{count:,}", given=show(found.quantity).text))  # fmt: skip
        if found.id == "b_asked":
            notes.append(tr("{name} is the largest number that was allowed in flight: the file has "
                            "no mean", name=name))  # fmt: skip
    if "T" not in fixed and {"T_in", "T_out"} & set(values):
        values.pop("T", None)
    measured = {f.id: f for f in (taken.ttft(run), taken.tpot(run), taken.throughput(run)) if f}
    overrides = dict(scenario.overrides)
    for name, figure in measured.items():
        if name not in fixed:
            overrides[name] = value_of(name, figure.quantity.value, figure)
    bound = bind(replace(scenario, values=values, overrides=overrides))
    return Setting(bound, measured, tuple(notes))


def value_of(name: str, value: Fraction, figure: Figure) -> Value:
    """A figure as the value of an input, its file and field as its origin."""
    units = unit(UNITS[name]) if name in UNITS else figure.quantity.unit
    quantity = Quantity(value, units)
    return Value(quantity, quantity.text, figure.place, how=figure.note)
