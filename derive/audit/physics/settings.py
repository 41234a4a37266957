"""What a claim says as values of symbols: one setting for each model and accelerator it may mean.

What is not said is a stated assumption (one device, weights as the model ships them).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING

from derive.audit.interval import Interval
from derive.audit.physics.precisions import changed_from, compute_of, kv_precision, stored_precision
from derive.audit.physics.setting import Setting, Subject
from derive.audit.physics.specs import NOTHING, ONE, dense_peaks, memory_of, of_spec, spec_values
from derive.audit.types import Figure
from derive.specs.precision import BYTES
from derive.text import Text, tr
from derive.units import Quantity, show, unit

if TYPE_CHECKING:
    from derive.audit.library import Library
    from derive.audit.types import Claim, Named
    from derive.specs.types import Hardware

CONDITIONS = (
    "weights", "parameters", "active", "memory_bandwidth", "devices", "tp", "batch", "concurrency",
)  # fmt: skip
HAN = re.compile("[\u4e00-\u9fff]")
DENSE = re.compile(r"(?<![a-z])dense(?: [a-z]+){0,3} $|稠密[^,;.，；。]{0,6}$", re.IGNORECASE)
FAR = 32  # characters in which "a dense model of" stands
BESIDE = 2  # characters between such a word and the count
MEMBERS = {"node": 8, "rack": 72}


def subjects(claim: Claim, library: Library, named: Named | None) -> list[Subject]:
    """Every model that a name may mean; else a model known by its weight bytes."""
    told = claim.of("weights")  # what they were before a change is told first
    weights = next((f for f in told if not changed_from(claim, f)), next(iter(told), None))
    bytes_said = weights.interval if weights else None
    active = claim.one("active")
    if named and named.ids:
        return [Subject(m.name, model=m, weights=bytes_said) for m in library.model(named)]
    if named and named.size:
        if active and DENSE.search(claim.text[max(0, named.span[0] - FAR) : named.span[0]]):
            return []  # a dense model beside experts of which some are active: two models
        shown = name_by_size(named.text, named.size)
        return [Subject(shown, size=named.size.interval, weights=bytes_said,
                        active=active.interval if active else None)]  # fmt: skip
    if bytes_said:
        return [Subject(tr("a model with {size} of weights", size=weights.text if weights else ""),
                        weights=bytes_said)]  # fmt: skip
    return []


def name_by_size(text: str, size: Figure) -> Text:
    """A model that is known by its size: a 70B model, 70 亿参数的模型."""
    billions = show(Quantity(size.quantity.base / 10**9, unit(""))).text
    article = "an" if re.match(r"8|1[18](?![0-9])", billions) else "a"
    if HAN.search(text):
        return Text(f"{article} {billions}B model", tr("a model of {size}", size=text).zh)
    return Text(f"{article} {billions}B model", f"{billions}B 模型")


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
            assumed.append(
                tr(
                    "weights taken as {precision}: the text names no precision",
                    precision=stored.upper(),
                )
            )
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
        assumed.append(tr("one device taken: the text gives no number of devices"))
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


def spoken(claim: Claim) -> Figure:
    """The first figure; where a claim has none, one that stands for its words (of value 1)."""
    if claim.figures:
        return claim.figures[0]
    hardware, model = next(iter(claim.hardware), None), next(iter(claim.models), None)
    named = hardware or model
    at = named.span if named else (0, len(claim.text))
    return Figure("", at, Fraction(1), Fraction(0), unit(""), hardware=hardware, model=model)


def of_any_model(claim: Claim, library: Library, figure: Figure) -> list[Setting]:
    """The settings of a claim; without a model any dense one in 16 bits, as its size cancels."""
    found = settings(claim, library, figure)
    if found:
        return found
    anything = Subject(tr("any dense model"), size=Interval.of(Fraction(10**9)))
    return [setting(claim, anything, p, figure) for p in library.products(figure.hardware)]


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


def summed(claim: Claim, count: Figure) -> bool:
    """Whether a word for the sum of all stands right before a count of devices."""
    return any(
        t.kind == "user" and t.says == "all" and 0 <= count.span[0] - t.span[1] <= BESIDE
        for t in claim.terms
    )


def device_count(claim: Claim, figure: Figure) -> tuple[int, bool]:
    """How many devices work together, and whether the text says so."""
    counts = claim.of("devices")
    counts = [f for f in counts if summed(claim, f)] or counts  # 两台 8 卡 H800 共 16 张卡
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
