"""The figures of a product as its vendor prints them, audited like anybody's claim."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from derive.audit.judge import judge
from derive.audit.library import Library
from derive.audit.reading.claim import read_claim
from derive.audit.record import of_claim, section

if TYPE_CHECKING:
    from pathlib import Path

    from derive.specs.types import Hardware, Scenario


def vendor_audit(scenario: Scenario, roots: tuple[Path, ...]) -> dict[str, Any]:
    """The audit section of a ledger: claims with their words."""
    library = Library(roots)
    texts = dict.fromkeys(printed(scenario.hardware, scenario.precision["compute"]))
    return section(of_claim(judge(read_claim(text, roots), library)) for text in texts)


def printed(hardware: Hardware, precision: str) -> Iterator[str]:
    """What the vendor prints of the figures that a scenario uses, behind the product's name."""
    name = hardware.name.en
    for value in hardware.peak[precision].values():
        if value.printed:
            yield f"{name}, {precision.upper()}: {value.printed}"
    rows = (("memory", hardware.marketed), ("memory bandwidth", hardware.bandwidth),
            ("interconnect", hardware.link_total))  # fmt: skip
    for what, figure in rows:
        if figure is not None and figure.printed:
            yield f"{name}, {what}: {figure.printed}"
