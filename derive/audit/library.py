"""The specs that claims speak of, each loaded once and only when a claim names it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from derive.specs import load

if TYPE_CHECKING:
    from pathlib import Path

    from derive.audit.types import Named
    from derive.specs.types import Hardware, Model


@dataclass
class Library:
    """Hardware and models by id."""

    roots: tuple[Path, ...]
    hardware: dict[str, Hardware] = field(default_factory=dict)
    models: dict[str, Model] = field(default_factory=dict)

    def products(self, named: Named | None) -> list[Hardware]:
        """Every accelerator that a name may mean."""
        for name in named.ids if named else ():
            if name not in self.hardware:
                self.hardware[name] = load.hardware(name, self.roots)
        return [self.hardware[name] for name in (named.ids if named else ())]

    def model(self, named: Named | None) -> list[Model]:
        """Every model that a name may mean; none for a model known by its size alone."""
        for name in named.ids if named else ():
            if name not in self.models:
                self.models[name] = load.model(name, self.roots)
        return [self.models[name] for name in (named.ids if named else ())]
