"""What must hold between runs on the same machine: more work does not take less time."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from derive.measured.against.setting import Setting
from derive.measured.record import Run
from derive.text import Text, same, tr
from derive.units import show

Held = tuple[Run, Setting]
SAME = ("g", "P_peak", "B_peak", "N", "w", "w_kv")  # what must be alike for two runs to compare
# a time and the load that it must not fall with, all else alike
GROWS = (("TTFT_meas", "T_in", ()), ("TPOT_meas", "b", ("T_in", "T_out")),
         ("TPOT_meas", "T_in", ("b",)))  # fmt: skip


def odd(held: Sequence[Held]) -> list[Text]:
    """A sentence for each pair of runs that contradicts it."""
    found: dict[str, Text] = {}
    for one, other in combinations(held, 2):
        if any(value(one, name) != value(other, name) for name in SAME):
            continue
        for time, load, alike in GROWS:
            if any(value(one, name) != value(other, name) for name in alike):
                continue
            text = contradiction(one, other, time, load)
            if text:
                found[text.en] = text
    return list(found.values())


def value(held: Held, name: str) -> object:
    """An input of the bound setting."""
    given = held[1].bound.inputs.get(name)
    return given.quantity.base if given else None


def contradiction(one: Held, other: Held, time: str, load: str) -> Text | None:
    """Where the heavier run is the faster."""
    if any(time not in h[1].figures or load not in h[1].bound.inputs for h in (one, other)):
        return None
    light, heavy = sorted((one, other), key=lambda h: h[1].bound.inputs[load].quantity.base)
    a, b = (h[1].bound.inputs[load].quantity for h in (light, heavy))
    fast, slow = (h[1].figures[time].quantity for h in (heavy, light))
    if a.base == b.base or fast.base >= slow.base:
        return None
    return tr(
        "{time} falls from {slow} to {fast} while {load} grows from {a} to {b} ({light}, {heavy}): "
        "warm-up, a cache, or not the same machine",
        time=same(time.removesuffix("_meas")), slow=show(slow).text, fast=show(fast).text,
        load=same(load), a=show(a).text, b=show(b).text, light=name(light), heavy=name(heavy),
    )  # fmt: skip


def name(held: Held) -> Text:
    """How a run is called."""
    return same(held[0].label or held[0].place.file.rpartition("/")[2])
