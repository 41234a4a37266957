"""What a claim says as values of symbols: one setting for each model and accelerator it may mean.

What is not said is a stated assumption (one device, weights as the model ships them). A setting is
evaluated at its best: printed numbers at the end of their interval that favours the claim, so that
rounding never accuses; `nominal` is the value as printed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from math import ceil, floor
from typing import TYPE_CHECKING

from derive.audit.interval import Interval, half_of
from derive.audit.precisions import compute_of, kv_precision, stored_precision
from derive.derivation.points import Absent, Point, Undefined
from derive.formula import called_for, catalogue, standing_in
from derive.specs.precision import BYTES
from derive.text import Text, tr
from derive.units import Quantity, unit

if TYPE_CHECKING:
    from derive.audit.library import Library
    from derive.audit.types import Claim, Figure, Named
    from derive.specs.types import Hardware, Model, Value

ONE = Interval.of(Fraction(1))
NOTHING = Interval.of(Fraction(0))
CONDITIONS = (
    "weights", "parameters", "active", "memory_bandwidth", "devices", "tp", "batch", "concurrency",
)  # fmt: skip
MEMBERS = {"node": 8, "rack": 72}
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


def subjects(claim: Claim, library: Library, named: Named | None) -> list[Subject]:
    """Every model that a name may mean; else a model known by its weight bytes."""
    weights = claim.one("weights")
    bytes_said = weights.interval if weights else None
    active = claim.one("active")
    if named and named.ids:
        return [Subject(m.name, model=m, weights=bytes_said) for m in library.model(named)]
    if named and named.size:
        shown = tr("a model of {size}", size=named.text)
        return [Subject(shown, size=named.size.interval, weights=bytes_said,
                        active=active.interval if active else None)]  # fmt: skip
    if bytes_said:
        return [Subject(tr("a model with {size} of weights", size=weights.text if weights else ""),
                        weights=bytes_said)]  # fmt: skip
    return []


def settings(claim: Claim, library: Library, figure: Figure) -> list[Setting]:
    """Every model that a figure may speak of on every accelerator that it may mean."""
    question = "settings", figure.span, figure.role
    return library.once(claim, question, lambda: found_settings(claim, library, figure))


def found_settings(claim: Claim, library: Library, figure: Figure) -> list[Setting]:
    """The settings, found anew."""
    named = figure.model
    if figure.value <= 0 or any(f.value <= 0 for f in claim.of(*CONDITIONS)):
        return []  # no device, no batch, no bytes: nothing that physics could weigh
    if claim.says("subject", "speculative"):  # the model named first, not its draft
        named = next(iter(claim.models), None)
    models = subjects(claim, library, named)
    products: list[Hardware | None] = [*library.products(figure.hardware)]
    if not products:
        products = [None]
    return [setting(claim, m, p, figure) for m in models for p in products]


def setting(claim: Claim, subject: Subject, product: Hardware | None, figure: Figure) -> Setting:
    """One reading with the stated assumptions."""
    stored, assumed, said = stored_precision(claim), [], set()
    if stored:
        said.add("stored")
    else:
        stored = subject.native
        if not subject.weights:
            assumed.append(tr("{precision} weights: none is said", precision=stored.upper()))
    cached = kv_precision(claim)
    if cached:
        said.add("kv")
    values: dict[str, Interval] = {
        "w": Interval.of(BYTES[stored]), "w_kv": Interval.of(BYTES[cached or "bf16"]),
        "n": ONE, "M_frac": ONE, "M_other": NOTHING, "MFU": ONE, "MBU": ONE,
        **model_values(subject),
    }  # fmt: skip
    count, told = device_count(claim, figure)
    values["g"] = Interval.of(Fraction(count))
    if told:
        said.add("devices")
    elif product:
        assumed.append(tr("one device: no other number is said"))
    batch = claim.one("batch", "concurrency")
    values["b"] = batch.interval if batch else ONE
    if batch:
        said.add("batch")
    values |= lengths(claim)
    if "T" in values:
        said.add("context")
    peaks: Mapping[str, Interval] = {}
    if product:
        values["B_peak"] = of_spec(product.bandwidth)
        values["M_dev"] = Interval.of(memory_of(product))
        peaks = dense_peaks(product)
        if peak := compute_of(stored, peaks):
            values["P_peak"] = peak
    else:
        stated = (("B_peak", claim.one("memory_bandwidth")), ("M_dev", claim.one("memory")))
        values |= {symbol: f.interval for symbol, f in stated if f}
    return Setting(subject, product, values, stored, frozenset(said), tuple(assumed), peaks)


def model_values(subject: Subject) -> dict[str, Interval]:
    """N, its structure and its cache; a model known by size alone has no cache counted."""
    made: dict[str, Interval] = {}
    if subject.model:
        made = {**spec_values(subject.model)}
    elif subject.size:
        made = {"N": subject.size, "N_act": subject.active or subject.size, "N_emb": NOTHING}
        made["kappa"] = NOTHING
        if subject.active:
            made["N_moved"] = subject.active  # one token reads what it activates
    elif subject.weights:
        made = {"kappa": NOTHING, "W": subject.weights, "W_stream": subject.weights}
    if subject.weights and "N" in made:
        made["w"] = subject.weights / made["N"]
    return made


@lru_cache(maxsize=1024)
def spec_values(model: Model) -> Mapping[str, Interval]:
    """What the spec of a model gives, every parameter at one precision."""
    known = {**model.values, **model.structure}
    made = {s: Interval.of(v.quantity.base) for s, v in known.items()}
    table = model.embedding if model.tied_embeddings is False else None
    made["N_emb"] = Interval.of(table.quantity.base) if table else NOTHING
    if "E" in made:  # the looked-up table is unread
        made |= {"r_fix": ONE, "r_exp": ONE, "s_idle": made["N_emb"] / made["N"]}
    if "N_side" in made:
        made["r_side"] = ONE
    return made


def lengths(claim: Claim) -> dict[str, Interval]:
    """Input, output and the context at which a step is judged: the mean over the generation."""
    made: dict[str, Interval] = {}
    given, out = claim.one("prompt"), claim.one("output")
    whole = claim.one("context")
    if given:
        made["T_in"] = given.interval
    if out:
        made["T_out"] = out.interval
    if given and out:
        made["T"] = given.interval + out.interval.scaled(Fraction(1, 2))
    elif whole:
        made["T"] = whole.interval
    elif given:
        made["T"] = given.interval
    return made


def own_model(claim: Claim) -> bool:
    """Whether the text itself names its model; in a document it may come from an earlier line."""
    return any(n.span[0] < n.span[1] for n in claim.models)


def part_of_more(claim: Claim, figure: Figure) -> bool:
    """Whether a figure is told per device or per node of a system whose size is not said."""
    if ("device", -1) in figure.dimension.powers:
        return not claim.of("devices", "tp")
    scopes = [claim.text[slice(*t.span)] for t in claim.terms if t.kind == "scope"]
    each = any(re.match(r"(?:per|each|every|每)", s.strip(), re.IGNORECASE) for s in scopes)
    return each and not claim.of("devices", "tp")


def device_count(claim: Claim, figure: Figure) -> tuple[int, bool]:
    """How many devices work together, and whether the text says so."""
    counts = claim.of("devices")
    at = figure.hardware.span[0] if figure.hardware else figure.span[0]
    if counts:
        nearest = min(counts, key=lambda f: abs(f.span[1] - at))
        return int(nearest.value), True
    if parallel := claim.one("tp"):
        return int(parallel.value), True
    for scope, members in MEMBERS.items():
        if claim.says("scope", scope):
            return members, True
    return 1, claim.says("scope", "device")
