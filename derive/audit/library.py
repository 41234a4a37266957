"""The specs that claims speak of, each loaded once and only when a claim names it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from derive.specs import load

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from derive.audit.types import Claim, Named
    from derive.specs.types import Hardware, Model

T = TypeVar("T")


@dataclass
class Library:
    """Hardware and models by id."""

    roots: tuple[Path, ...]
    hardware: dict[str, Hardware] = field(default_factory=dict)
    models: dict[str, Model] = field(default_factory=dict)
    all: list[Hardware] = field(default_factory=list)
    asked: Claim | None = None  # the last claim, and what several rules ask of it
    answers: dict[object, Any] = field(default_factory=dict)

    def once(self, claim: Claim, question: object, answer: Callable[[], T]) -> T:
        """What several rules ask of one claim is answered once."""
        if self.asked is not claim:
            self.asked, self.answers = claim, {}
        if question not in self.answers:
            self.answers[question] = answer()
        found: T = self.answers[question]
        return found

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
        """Every accelerator that has a spec; loaded only where a rule asks for one."""
        if not self.all:
            self.all = [self.by_id(name) for name in sorted(load.names("hardware", self.roots))]
        return self.all
