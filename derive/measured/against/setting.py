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
SEVERAL = 2  # requests
NEAR = Fraction(1, 10)  # below it the requests that wait do not matter
UNITS = {"b": "request", "T_in": "token/request", "T_out": "token/request", "g": "device"}


@dataclass(frozen=True)
class Setting:
    """A bound scenario with the measured values among its inputs, and what was taken from where."""

    bound: Bound
    figures: dict[str, Figure]  # TTFT_meas, TPOT_meas, X_meas as taken
    notes: tuple[Text, ...]
    flight: Fraction | None = None  # requests in flight, waiting ones among them
    accepted: Fraction | None = None  # tokens of a request in a step, by speculation
    hit: Fraction | None = None  # share of the prompt that a prefix cache held


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
        if name == "b" and (fewer := decoding(run, found)):
            notes.append(tr(
                "of {flight} in flight {decode} decode on average, by Little's law: the rest wait "
                "or are in prefill, and no step reads their cache",
                flight=show(found.quantity).text, decode=show(fewer.quantity).text,
            ))  # fmt: skip
            found = fewer
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
    flight = next((v for n in LOAD["b"] for s in ("mean", "one") if (v := run.value(n, s))), None)
    return Setting(bound, measured, tuple(notes), flight, run.value("accepted"), run.value("hit"))


def decoding(run: Run, flight: Figure) -> Figure | None:
    """Requests in decode at a time, where the run says it and they are fewer than those in flight.

    A bound that counts the caches of requests that wait would be too high, and no bound. Where
    hardly one decodes at a time there are times without a step, and the mean tells no batch.
    """
    rate, whole, start = (run.get(n) for n in ("rate", "E2E_meas", "TTFT_meas"))
    if run.phase != "serving" or rate is None or whole is None or start is None:
        return None
    spent = whole.quantity.base - start.quantity.base
    count = rate.quantity.base * spent
    if count < SEVERAL or count >= flight.quantity.base * (1 - NEAR):
        return None
    how = tr("request rate × (whole request − TTFT)")
    return Figure("b_meas", Quantity(count, unit("request")), whole.place, note=how)


def value_of(name: str, value: Fraction, figure: Figure) -> Value:
    """A figure as the value of an input, its file and field as its origin."""
    units = unit(UNITS[name]) if name in UNITS else figure.quantity.unit
    quantity = Quantity(value, units)
    return Value(quantity, quantity.text, figure.place, how=figure.note)
