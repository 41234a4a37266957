"""The specs that claims speak of, each loaded once and only when a claim names it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from derive.specs import load

if TYPE_CHECKING:
    from pathlib import Path

    from derive.audit.sheet.entries import Entry
    from derive.audit.sheet.records import Judgement
    from derive.audit.types import Claim, Named
    from derive.specs.types import Hardware, Model


@dataclass
class Library:
    """Hardware and models by id."""

    roots: tuple[Path, ...]
    hardware: dict[str, Hardware] = field(default_factory=dict)
    models: dict[str, Model] = field(default_factory=dict)
    sheets: dict[str, tuple[Entry, ...]] = field(default_factory=dict)  # by id of the product
    judged: tuple[Claim, list[Judgement]] | None = None  # the last claim: several rules ask
    complete: bool = False

    def entries(self, product: Hardware) -> tuple[Entry, ...]:
        """Every value of an accelerator's spec."""
        if product.id not in self.sheets:
            from derive.audit.sheet.entries import entries

            self.sheets[product.id] = entries(product)
        return self.sheets[product.id]

    def products(self, named: Named | None) -> list[Hardware]:
        """Every accelerator that a name may mean."""
        return [self.by_id(name) for name in (named.ids if named else ())]

    def by_id(self, name: str) -> Hardware:
        """One accelerator."""
        if name not in self.hardware:
            self.hardware[name] = load.hardware(name, self.roots)
        return self.hardware[name]

    def model(self, named: Named | None) -> list[Model]:
        """Every model that a name may mean; none for a model known by its size alone."""
        for name in named.ids if named else ():
            if name not in self.models:
                self.models[name] = load.model(name, self.roots)
        return [self.models[name] for name in (named.ids if named else ())]

    def every(self) -> list[Hardware]:
        """Every accelerator that has a spec; loaded only where a remedy asks for one."""
        if not self.complete:
            for name in load.names("hardware", self.roots):
                if name not in self.hardware:
                    self.hardware[name] = load.hardware(name, self.roots)
            self.complete = True
        return [self.hardware[name] for name in sorted(self.hardware)]
