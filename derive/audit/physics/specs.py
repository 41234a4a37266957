"""What a spec gives to physics: memory, peaks and values of a model, each worked out once."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

from derive.audit.interval import Interval, half_of
from derive.units import Quantity, unit

if TYPE_CHECKING:
    from derive.specs.types import Hardware, Model, Value

ONE = Interval.of(Fraction(1))
NOTHING = Interval.of(Fraction(0))


@lru_cache(maxsize=1024)
def memory_of(product: Hardware) -> Fraction:
    """All memory of a device: the larger of what is sold and what the driver shows.

    Where no driver figure is known the sold GB are taken as GiB, as vendors do: never too little.
    """
    sold = product.marketed.quantity
    if product.driver_visible:
        return max(sold.base, product.driver_visible.quantity.base)
    binary = Quantity(sold.value, unit(sold.unit.text.replace("GB", "GiB")))
    return max(sold.base, binary.base)


def of_spec(value: Value) -> Interval:
    """A spec's figure with what its last digit leaves open, in base units."""
    return Interval.of(value.quantity.base, half_of(value.text) * value.quantity.unit.factor)


@lru_cache(maxsize=1024)
def dense_peaks(product: Hardware) -> Mapping[str, Interval]:
    """Its dense peaks by precision."""
    return {p: of_spec(b["dense"]) for p, b in product.peak.items() if "dense" in b}


@lru_cache(maxsize=1024)
def spec_values(model: Model) -> Mapping[str, Interval]:
    """What the spec of a model gives, every parameter at one precision."""
    known = {**model.values, **model.structure}
    made = {s: Interval.of(v.quantity.base) for s, v in known.items()}
    table = model.embedding if model.tied_embeddings is False else None
    made["N_emb"] = Interval.of(table.quantity.base) if table else NOTHING
    if "E" in made:  # the looked-up table is unread
        made |= {"r_fix": ONE, "r_exp": ONE, "s_idle": made["N_emb"] / made["N_fix"]}
    if "N_side" in made:
        made["r_side"] = ONE
    return made
