"""A hardware file to a Hardware, with the checks that need several of its figures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from derive.errors import printable
from derive.specs.hardware_fields import HARDWARE
from derive.specs.nodes import Table
from derive.specs.precision import BASES
from derive.specs.types import Domain, Hardware, Value
from derive.text import tr

if TYPE_CHECKING:
    from derive.specs.nodes import Document
    from derive.specs.reader import Reader

# phrase -> the key of the figure it halves
HALVES = {
    "half of the figure with sparsity": "with_sparsity",
    "half of the total of both directions": "total",
}


def build(document: Document, reader: Reader) -> Hardware | None:
    """The accelerator of a file; None where a fault was noted."""
    root = document.root
    read = reader.table(root, HARDWARE)
    peaks: dict[str, dict[str, Value]] = {}
    for precision, stated in read.get("peak", {}).items():
        peaks[precision] = {b: stated[b] for b in BASES if b in stated}
        check_basis(root, precision, reader)
        check_pair(peaks[precision], "dense", "with_sparsity", reader)
    memory: dict[str, Any] = read.get("memory", {})
    link: dict[str, Any] = read.get("interconnect", {})
    check_pair(link, "per_direction", "total", reader)
    check_capacity(memory, reader)
    check_lacks(root, read, reader)
    if reader.faults.found:
        return None
    return Hardware(
        id=read["id"],
        name=read["name"],
        vendor=read.get("vendor", ""),
        year=read.get("year"),
        aliases=read.get("aliases", ()),
        peak=peaks,
        marketed=memory["marketed"],
        driver_visible=memory.get("driver_visible"),
        bandwidth=memory["bandwidth"],
        link_per_direction=link.get("per_direction"),
        link_total=link.get("total"),
        power=read.get("power"),
        notes=read.get("notes", ()),
        place=root.place,
        lacks=read.get("lacks", ()),
        other_builds=read.get("other_builds", False),
        sold_as=read.get("sold_as", "card"),
        domains=tuple(domain(row) for row in read.get("domains", ())),
        link_type=link.get("type", ""),
        memory_type=memory.get("type", ""),
    )


def domain(row: dict[str, Any]) -> Domain:
    """A system that the devices are joined in."""
    devices = int(row["devices"].quantity.value)
    return Domain(row["name"], devices, row.get("all_to_all", False))


def check_lacks(root: Table, read: dict[str, Any], reader: Reader) -> None:
    """Check that no precision has a peak and is said to be missing."""
    for precision in set(read.get("lacks", ())) & set(read.get("peak", {})):
        what = tr("{precision} has a peak and is listed under lacks", precision=precision)
        reader.faults.add("S308", what, root.place_of("lacks"), mark=precision)


def check_basis(root: Table, precision: str, reader: Reader) -> None:
    """Check that a precision states a peak, be it a faulty one, under one of the two bases."""
    peak = root.entries["peak"]
    stands = peak.entries.get(precision) if isinstance(peak, Table) else None
    if isinstance(stands, Table) and not any(basis in stands.entries for basis in BASES):
        what = tr("peak.{precision} states no basis: dense or with_sparsity", precision=precision)
        reader.faults.add("S207", what, stands.place, mark=precision)


def check_pair(figures: dict[str, Any], small: str, large: str, reader: Reader) -> None:
    """Check that one figure is not above the other, and half of it where it claims to be."""
    lower, upper = figures.get(small), figures.get(large)
    if (
        isinstance(lower, Value)
        and isinstance(upper, Value)
        and lower.quantity.base > upper.quantity.base
    ):
        what = tr(
            "{small} {low} is above {large} {high}",
            small=small, low=printable(lower.text), large=large, high=printable(upper.text),
        )  # fmt: skip
        reader.faults.add("S308", what, lower.place, mark=lower.text)
    for value in (lower, upper):
        if isinstance(value, Value) and value.how and value.how.en in HALVES:
            check_half(value, figures.get(HALVES[value.how.en]), HALVES[value.how.en], reader)


def check_half(value: Value, whole: Any, of: str, reader: Reader) -> None:
    """Recompute a figure that says it is half of another."""
    if not isinstance(whole, Value):
        what = tr("{text} is half of {key}, which is not given", text=printable(value.text), key=of)
        reader.faults.add("S210", what, value.place, mark=value.text)
    elif value.quantity.base * 2 != whole.quantity.base:
        what = tr(
            "{text} is not half of {key} {whole}",
            text=printable(value.text), key=of, whole=printable(whole.text),
        )  # fmt: skip
        reader.faults.add("S210", what, value.place, mark=value.text)


def check_capacity(memory: dict[str, Any], reader: Reader) -> None:
    """Check that what the driver shows can be what was marketed."""
    marketed, visible = memory.get("marketed"), memory.get("driver_visible")
    if not (isinstance(marketed, Value) and isinstance(visible, Value)):
        return
    ratio = visible.quantity.base / marketed.quantity.base
    if not 0.5 < ratio < 1.15:
        what = tr(
            "driver_visible {visible} cannot be the {marketed} of marketed",
            visible=printable(visible.text), marketed=printable(marketed.text),
        )  # fmt: skip
        reader.faults.add("S308", what, visible.place, mark=visible.text)
