"""The values of one product's spec that a figure may stand for, each with its conditions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

from derive.audit.interval import Interval, half_of
from derive.units import Quantity, Unit, unit

if TYPE_CHECKING:
    from derive.specs.types import Hardware, Other, Value

INTENSITY = unit("FLOP/byte")
OTHER_UNITS = {"matrix": "vector", "vector": "matrix"}


@dataclass(frozen=True)
class Entry:
    """One value: of what (`kind`), and under which precision, sparsity, direction or form.

    `form` of a memory: marketed, relabelled (the same digits with the other GB), driver.
    `other` is set where not the cited value itself but what another source prints is meant.
    """

    kind: str
    product: Hardware
    quantity: Quantity  # of one device
    interval: Interval
    sources: tuple[str, ...]
    precision: str = ""
    sparsity: str = ""
    direction: str = ""
    form: str = ""
    other: Other | None = None
    engine: str = ""  # matrix or vector, where the spec has a rate of each

    @property
    def basis(self) -> tuple[str, str, str, str]:
        """What two values must share to be compared; both 16-bit formats are one."""
        sixteen = "16 bit" if self.precision in ("bf16", "fp16") else self.precision
        return self.kind, sixteen + self.engine, self.sparsity, self.direction


@lru_cache(maxsize=1024)
def entries(product: Hardware) -> tuple[Entry, ...]:
    """Everything that the spec of a product has a value for."""
    return (
        *peaks(product),
        *of("memory_bandwidth", product, product.bandwidth),
        *of("link", product, product.link_per_direction, direction="one"),
        *of("link", product, product.link_total, direction="both"),
        *of("power", product, product.power),
        *memories(product),
        *ridges(product),
    )


def of(kind: str, product: Hardware, value: Value | None, **more: str) -> Iterator[Entry]:
    """A value of the spec, and what other sources print for it."""
    if value is None:
        return
    engine = next((OTHER_UNITS[o.engine] for o in value.also if o.engine), "")
    yield entry(kind, product, value, None, more | ({"engine": engine} if engine else {}))
    for other in value.also:
        if other.engine:
            yield entry(kind, product, other.value, None, more | {"engine": other.engine})
        else:
            yield entry(
                kind, product, other.value, other, more | ({"engine": engine} if engine else {})
            )


def entry(
    kind: str, product: Hardware, value: Value, other: Other | None, more: dict[str, str]
) -> Entry:
    """One value of one device with the interval that its digits stand for."""
    quantity = value.quantity
    interval = Interval.of(quantity.base, half_of(value.text) * quantity.unit.factor)
    return Entry(kind, product, quantity, interval, value.sources, other=other, **more)


def bare(quantity: Quantity) -> Quantity:
    """A figure of one device where several are summed: without its "/device"."""
    return Quantity(quantity.value, Unit(tuple(t for t in quantity.unit.terms if t[0] != "device")))


def peaks(product: Hardware) -> Iterator[Entry]:
    """Compute by precision, dense and with sparsity."""
    for precision, bases in product.peak.items():
        for sparsity, value in bases.items():
            yield from of("peak", product, value, precision=precision, sparsity=sparsity)


def memories(product: Hardware) -> Iterator[Entry]:
    """What is sold, the same digits with the other GB, and what the driver shows."""
    yield from of("memory", product, product.marketed, form="marketed")
    yield from of("memory", product, product.driver_visible, form="driver")
    sold = product.marketed.quantity
    symbol = sold.unit.terms[0][0]
    swapped = symbol.replace("iB", "B") if "iB" in symbol else symbol.replace("B", "iB")
    quantity = Quantity(sold.value, unit(f"{swapped}/device"))
    half = half_of(product.marketed.text) * quantity.unit.factor
    yield Entry(
        "memory", product, quantity, Interval.of(quantity.base, half), product.marketed.sources,
        form="relabelled",
    )  # fmt: skip


def ridges(product: Hardware) -> Iterator[Entry]:
    """Ridge points: each peak over the bandwidth."""
    for peak in peaks(product):
        if peak.other is None:
            yield ridge(peak, product)


def ridge(peak: Entry, product: Hardware) -> Entry:
    """Where one peak meets the bandwidth."""
    width = product.bandwidth.quantity.base
    value = Quantity(peak.quantity.base / width / INTENSITY.factor, INTENSITY)
    sources = tuple(dict.fromkeys((*peak.sources, *product.bandwidth.sources)))
    return Entry(
        "ridge", product, value, Interval.of(value.base, Fraction(0)), sources,
        precision=peak.precision, sparsity=peak.sparsity, engine=peak.engine,
    )  # fmt: skip
