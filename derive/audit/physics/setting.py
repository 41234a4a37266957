"""One reading of a claim as values of symbols, evaluated at its best or as printed.

At its best: printed numbers at the end of their interval that favours the claim, so that rounding
never accuses.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from math import ceil, floor
from typing import TYPE_CHECKING

from derive.audit.interval import Interval
from derive.audit.physics.precisions import compute_of
from derive.derivation.points import Absent, Point, Undefined
from derive.formula import called_for, catalogue, standing_in
from derive.specs.counting import counted
from derive.specs.precision import BYTES
from derive.text import Text, tr

if TYPE_CHECKING:
    from derive.specs.types import Hardware, Model

COUNTS = {"b", "T_in", "T_out"}
FAVOURS_SMALL = {"N", "N_act", "N_moved", "N_emb", "w", "W", "W_stream", "T", "T_in", "T_out"}


@dataclass(frozen=True)
class Subject:
    """A model: from a spec, known by its size alone, or by the bytes of its weights alone."""

    name: Text
    model: Model | None = None
    size: Interval | None = None
    active: Interval | None = None
    weights: Interval | None = None

    @property
    def native(self) -> str:
        """The precision in which it ships; 16 bits where nothing is known."""
        return self.model.native if self.model and self.model.native in BYTES else "bf16"

    @property
    def sources(self) -> tuple[str, ...]:
        """Where its parameter count is from."""
        return self.model.values["N"].sources if self.model else ()


@dataclass(frozen=True, eq=False)
class Setting:
    """One reading of a claim: every symbol that it gives, as an interval in base units."""

    subject: Subject
    product: Hardware | None
    values: Mapping[str, Interval]
    stored: str
    said: frozenset[str] = frozenset()  # stored, kv, devices, batch, context
    assumed: tuple[Text, ...] = ()
    peaks: Mapping[str, Interval] = field(default_factory=dict)

    def given(self, *, best: bool) -> dict[str, Fraction]:
        """The inputs, each at the end of its interval that favours a claim, or as printed."""
        return self.favourable if best else self.printed

    @cached_property
    def printed(self) -> dict[str, Fraction]:
        """Every input as printed."""
        return {s: i.middle for s, i in self.values.items()}

    @cached_property
    def favourable(self) -> dict[str, Fraction]:
        """Every input at its favourable end; counts are whole numbers within their interval."""
        made = {s: i.low if s in FAVOURS_SMALL else i.high for s, i in self.values.items()}
        for name in COUNTS & set(made):
            whole = ceil(made[name]) if name in FAVOURS_SMALL else floor(made[name])
            made[name] = Fraction(max(1, whole))
        return made

    def value(self, name: str, *, best: bool = True, **changed: Fraction) -> Fraction | None:
        """A quantity of the catalogue; None where an input is missing or it does not exist."""
        point, variants = self.point(best=best, **changed)
        with standing_in(variants):
            try:
                return point.get(name)
            except (Absent, Undefined, ArithmeticError):
                return None

    def point(self, *, best: bool, **changed: Fraction) -> tuple[Point, tuple[str, ...]]:
        """The point of these inputs, which keeps what it was asked for, and the formulas there."""
        key = best, *sorted(changed.items())
        if key not in self.points:
            given = {**self.given(best=best), **changed}
            if "N_moved" in given:
                given["W_stream"] = given.pop("N_moved") * given["w"]
            catalogue()
            self.points[key] = Point(given), called_for(given)
        return self.points[key]

    @cached_property
    def points(self) -> dict[tuple[object, ...], tuple[Point, tuple[str, ...]]]:
        """The points that were asked for."""
        return {}

    @lru_cache(maxsize=64)  # noqa: B019  several remedies try the same change
    def with_(self, *, stored: str = "", **changed: Fraction | Interval) -> Setting:
        """Another setting with some values changed."""
        new = {k: v if isinstance(v, Interval) else Interval.of(v) for k, v in changed.items()}
        if stored:
            new["w"] = Interval.of(BYTES[stored])
            if peak := compute_of(stored, self.peaks):
                new["P_peak"] = peak
        return replace(self, values={**self.values, **new}, stored=stored or self.stored)

    @property
    def devices(self) -> int:
        """How many devices it counts on."""
        return int(self.values["g"].middle)

    @property
    def place(self) -> Text:
        """The accelerators alone: one H100 SXM, 4 × H100 SXM."""
        if self.product:
            return counted(self.product, self.devices)
        on = tr("the device")
        return on if self.devices == 1 else tr("{count} × {device}", count=self.devices, device=on)

    @property
    def loaded(self) -> Text:
        """The model with the format of its weights, as a sentence names it."""
        if "w" not in self.values or "N" not in self.values or self.subject.weights:
            return self.subject.name
        return tr("with {precision} weights {model}", model=self.subject.name,
                  precision=self.stored.upper())  # fmt: skip

    @cached_property
    def name(self) -> Text:
        """The model and the accelerator, in words."""
        on = self.product.name if self.product else tr("the device")
        if "w" not in self.values or "N" not in self.values:
            return tr("{model}, {count} × {device}", model=self.subject.name, count=self.devices,
                      device=on)  # fmt: skip
        return tr("{model}, {precision} weights, {count} × {device}", model=self.subject.name,
                  precision=self.stored.upper(), count=self.devices, device=on)  # fmt: skip

    @property
    def sources(self) -> tuple[str, ...]:
        """Sources of the model and of the accelerator."""
        own = self.product.bandwidth.sources if self.product else ()
        return tuple(dict.fromkeys((*self.subject.sources, *own)))


def as_stored(setting: Setting) -> Setting:
    """With the bytes of the published weights, scales included, where they are in this format."""
    model = setting.subject.model
    if model is None or model.stored is None or setting.subject.weights:
        return setting
    if setting.stored != setting.subject.native:
        return setting
    return setting.with_(W=model.stored.total.quantity.base)
