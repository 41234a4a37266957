"""The sentences about a figure and the values of a spec, in both languages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from derive.audit.sheet.entries import bare
from derive.audit.types import Reading
from derive.text import Text, joined, same, tr
from derive.units import Quantity, gib, show, unit

if TYPE_CHECKING:
    from derive.audit.sheet.entries import Entry
    from derive.audit.sheet.records import Hit
    from derive.specs.types import Hardware

SPARSITY = {
    "dense": Text("dense", "稠密"),
    "with_sparsity": Text("with structured sparsity", "带结构化稀疏"),
}
DIRECTION = {
    "one": Text("one direction", "单向"),
    "both": Text("both directions together", "双向之和"),
}
ENGINE = {
    "matrix": Text("on the Tensor Cores (matrix units)", "Tensor Core（矩阵单元）"),
    "vector": Text("on the vector units", "向量单元"),
}
FORM = {
    "marketed": Text("memory as marketed", "标称显存"),
    "relabelled": Text("the marketed digits with the other GB (10^9 or 2^30)", "标称数字换用另一种 GB（10^9 或 2^30）"),
    "driver": Text("memory as the driver reports it", "驱动报告的显存"),
}  # fmt: skip
KIND = {
    "peak": Text("peak compute", "峰值算力"),
    "memory_bandwidth": Text("memory bandwidth", "显存带宽"),
    "link": Text("interconnect bandwidth", "互联带宽"),
    "memory": Text("memory", "显存"),
    "power": Text("power", "功率"),
    "ridge": Text("ridge point", "脊点"),
}
PURE = unit("")


def size(quantity: Quantity) -> str:
    """A quantity as people write it: what it is of stands in the sentence."""
    return show(quantity).text.replace("/device", "")


def times(ratio: Fraction) -> str:
    """A ratio as it is printed."""
    return show(Quantity(ratio, PURE)).text


def total(hit: Hit) -> Quantity:
    """The value of a hit: that of one device, or the sum."""
    return times_devices(hit.entry.quantity, hit.count)


def times_devices(one: Quantity, count: int) -> Quantity:
    """The sum over devices; one device keeps its unit."""
    return one if count == 1 else Quantity(one.value * count, bare(one).unit)


def conditions(entry: Entry) -> Text:
    """Precision, sparsity, direction or form of a value."""
    parts: list[Text] = []
    if entry.precision:
        parts += [same(entry.precision.upper()), SPARSITY[entry.sparsity]]
    parts += [ENGINE[entry.engine]] if entry.engine else []
    parts += [DIRECTION[entry.direction]] if entry.direction else []
    parts += [FORM[entry.form]] if entry.form else []
    if not parts:
        parts = [KIND[entry.kind]]
    elif entry.kind == "link":
        parts = [KIND["link"], *parts]
    return joined(parts, ", ", "，")


def under(entry: Entry, count: int = 1) -> Text:
    """The condition under which a value is meant, as a reading lists it."""
    parts = [entry.product.name, conditions(entry)]
    if count > 1:
        parts.append(tr("{count} devices together", count=count))
    if entry.other:
        parts.append(origin(entry))
    return joined(parts, ", ", "，")


def origin(entry: Entry) -> Text:
    """Which source prints a value, and what it says of it."""
    named = titles(entry.sources)
    note = entry.other.value.note if entry.other else None
    return joined([named, note], ": ", "：") if note else named


def titles(keys: Iterable[str]) -> Text:
    """Sources by their titles; a source that only a user's folder knows by its key."""
    from derive.specs import load

    known = load.sources()
    alike = Counter(s.title for s in known.values())

    def title(key: str) -> str:
        if key not in known:
            return key
        one = known[key]
        return one.title if alike[one.title] == 1 else f"{one.title} ({one.date or key})"

    return joined((same(title(k)) for k in keys), ", ", "、")


def reading(entry: Entry, count: int = 1) -> Reading:
    """A value as a finding lists it."""
    return Reading(times_devices(entry.quantity, count), under(entry, count))


def statement(entry: Entry, siblings: Sequence[Entry]) -> Text:
    """A full sentence that says what the spec has, with the conditions that matter."""
    name, value = entry.product.name, size(entry.quantity)
    if entry.kind == "peak":
        return of_peak(entry, siblings)
    if entry.kind == "link":
        both = {e.direction: size(e.quantity) for e in siblings
                if e.kind == "link" and e.other is None}  # fmt: skip
        if len(both) == len(DIRECTION):
            return tr("The link of {product} moves {one} in each direction, {both} both directions together.",
                      product=name, **both)  # fmt: skip
        return tr("The link of {product} moves {value}, {conditions}.",
                  product=name, value=value, conditions=DIRECTION[entry.direction])  # fmt: skip
    if entry.kind == "memory":
        return of_memory(entry.product)
    if entry.kind == "ridge":
        return tr("The ridge point of {product} is {value} ({conditions}).",
                  product=name, value=value, conditions=conditions(entry))  # fmt: skip
    return tr("The {what} of {product} is {value}.",
              what=KIND[entry.kind], product=name, value=value)  # fmt: skip


def of_peak(entry: Entry, siblings: Sequence[Entry]) -> Text:
    """Dense and with sparsity side by side, where the spec has both."""
    name, precision = entry.product.name, entry.precision.upper()
    if entry.engine:
        return of_units(entry, siblings)
    rates = {
        e.sparsity: size(e.quantity)
        for e in siblings
        if e.kind == "peak" and e.precision == entry.precision and e.other is None
    }
    if len(rates) == len(SPARSITY):
        return tr("The {precision} peak of {product} is {dense} dense and {with_sparsity} with structured sparsity.",
                  precision=precision, product=name, **rates)  # fmt: skip
    return tr("The {precision} peak of {product} is {value}, {basis}.", precision=precision,
              product=name, value=size(entry.quantity), basis=SPARSITY[entry.sparsity])  # fmt: skip


def of_units(entry: Entry, siblings: Sequence[Entry]) -> Text:
    """The rate of the vector units and that of the matrix units, side by side."""
    rates = {
        e.engine: size(e.quantity)
        for e in (*siblings, entry)
        if e.kind == "peak" and e.precision == entry.precision and e.other is None
    }
    what = {"precision": entry.precision.upper(), "product": entry.product.name}
    if len(rates) == len(ENGINE):
        return tr("The {precision} peak of {product} is {vector} on the vector units and {matrix} on the Tensor Cores.",
                  **what, **rates)  # fmt: skip
    return tr("The {precision} peak of {product} is {value}, {basis}.", **what,
              value=size(entry.quantity), basis=ENGINE[entry.engine])  # fmt: skip


def of_memory(product: Hardware) -> Text:
    """What is sold and what the driver shows, in both kinds of GB."""
    sold = size(product.marketed.quantity)
    if product.driver_visible is None:
        return tr("{product} is sold with {sold} of memory.", product=product.name, sold=sold)
    shown = product.driver_visible.quantity
    decimal = Quantity(shown.base / unit("GB").factor, unit("GB"))
    return tr(
        "{product} is sold as {sold}; the driver shows {driver}, which are {binary} or {decimal}.",
        product=product.name, sold=sold, driver=size(shown),
        binary=gib(shown).text.replace("/device", ""), decimal=size(decimal),
    )  # fmt: skip


def quotient(one: Quantity, other: Quantity) -> Text:
    """The line of arithmetic that says how far apart two values are."""
    result = times(one.base / other.base)
    rounded = any(size(q).startswith("≈") for q in (one, other)) and not result.startswith("≈")
    return same(f"{digits(one)} ÷ {digits(other)} {'≈ ' + result if rounded else equals(result)}")


def product_line(count: int, one: Quantity) -> Text:
    """The line of arithmetic of a sum over devices."""
    return same(f"{count:,} × {digits(one)} {equals(size(times_devices(one, count)))}")


def digits(quantity: Quantity) -> str:
    """A quantity as an operand: the sign of rounding stands before the result alone."""
    return size(quantity).removeprefix("≈ ")


def equals(value: str) -> str:
    """A result behind its sign."""
    return value if value.startswith("≈") else f"= {value}"
