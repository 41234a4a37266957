"""What a claim's subject contributes: cited figures of its hardware and model as given values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING

from derive.audit.fields.given import Given
from derive.audit.interval import Interval
from derive.specs.precision import BYTES
from derive.units import Quantity, unit

if TYPE_CHECKING:
    from derive.audit.library import Library
    from derive.audit.types import Claim
    from derive.specs.types import Hardware, Model, Value

ALIKE = Fraction(101, 100)  # peaks that are printed rounded: 989 and 989.5
SIXTEEN = ("bf16", "fp16")


def fact(name: str, value: Value) -> Given:
    """A cited figure."""
    base = value.quantity.base
    return Given(name, value.text, (Interval.of(base),), value.quantity)


def of_hardware(product: Hardware, precisions: tuple[str, ...]) -> dict[str, Given]:
    """Peak at the precision that is said (16 bit where none is), bandwidth, memory."""
    wanted = next((p for p in (*precisions, *SIXTEEN) if p in product.peak), "")
    made = {
        "B_peak": fact("B_peak", product.bandwidth),
        "M_dev": fact("M_dev", product.driver_visible or product.marketed),
    }
    if "dense" in product.peak.get(wanted, {}):
        made["P_peak"] = fact("P_peak", product.peak[wanted]["dense"])
    return made


def of_model(model: Model, precisions: tuple[str, ...]) -> dict[str, Given]:
    """Parameters and shape, and the bytes of a stored number."""
    made = {n: fact(n, v) for n, v in {**model.values, **model.structure}.items()}
    stored = next((p for p in (*precisions, model.native) if p in BYTES), "")
    if stored:
        for name, per in (("w", "byte/param"), ("w_kv", "byte/element")):
            quantity = Quantity(BYTES[stored] if name == "w" else Fraction(2), unit(per))
            made[name] = Given(name, quantity.text, (Interval.of(quantity.base),), quantity)
    return made


def facts(claim: Claim, library: Library) -> list[dict[str, Given]]:
    """One set of facts for each product and model that may be meant; one empty set for none."""
    precisions = claim.said("precision")
    products: list[Mapping[str, Given]] = [
        of_hardware(p, precisions) for n in claim.hardware[:1] for p in library.products(n)
    ]
    models: list[Mapping[str, Given]] = [
        of_model(m, precisions) for n in claim.models[:1] for m in library.model(n)
    ]
    return [{**p, **m} for p in products or [{}] for m in models or [{}]]


def peaks(library: Library, claim: Claim, given: Given) -> Iterator[Hardware]:
    """The products that are meant: those named, else every one with such a peak."""
    named = [p for n in claim.hardware for p in library.products(n)]
    if named:
        yield from named
        return
    for product in library.every():
        for bases in product.peak.values():
            if any(Interval.of(v.quantity.base).meets(given.states[-1]) for v in bases.values()):
                yield product


def peak_factor(library: Library, claim: Claim, given: Given, precision: str) -> Fraction | None:
    """The given peak over the dense peak of another precision; None where products disagree."""
    made = set()
    for product in peaks(library, claim, given):
        dense = product.peak.get(precision, {}).get("dense")
        if dense is not None:
            own = Interval.of(dense.quantity.base).meets(given.states[-1])
            made.add(Fraction(1) if own else given.states[-1].middle / dense.quantity.base)
    if not made or max(made) > min(made) * ALIKE:
        return None
    return sorted(made)[len(made) // 2]
