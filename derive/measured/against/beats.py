"""Faster than the bound: each known explanation tested, one function each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from derive.derivation.points import Point
from derive.formula import standing_in
from derive.measured.against.accelerators import accelerator
from derive.measured.against.setting import Setting
from derive.measured.against.shares import COMPUTE, Phase, get
from derive.measured.record import Run
from derive.specs.precision import BYTES
from derive.specs.types import Hardware
from derive.text import Text, joined, tr
from derive.units import Quantity, show, unit

EXPLAINS, CANNOT, OPEN = "explains", "cannot", "open"
MOST_NAMED = 4


@dataclass(frozen=True)
class Case:
    """A phase that beats its bound, with all that an explanation may look at."""

    phase: Phase
    run: Run
    setting: Setting
    point: Point  # at peak rates and the mean context, bytes really read
    hardware: Sequence[Hardware]

    @property
    def factor(self) -> Fraction:
        """How many times faster than the bound."""
        return self.phase.streamed / self.phase.measured

    def time(self, **changed: Fraction) -> Fraction | None:
        """The bound with something else in the scenario, per token of a request or per prompt."""
        there = self.point.with_(**changed)
        if self.phase.name == "TTFT":
            return get(there, "t_prefill")
        step, n = get(there, "t_step"), get(there, "n")
        return step / n if step is not None and n else None

    def reached(self, **changed: Fraction) -> bool:
        """Whether the change alone allows the measured time."""
        time = self.time(**changed)
        return time is not None and time <= self.phase.measured


@dataclass(frozen=True)
class Explanation:
    """One known reason: does it explain, can it not, or what would have to be known."""

    id: str
    state: str
    text: Text


def amount(value: Fraction, units: str) -> str:
    """A value as sentences print it."""
    return show(Quantity(value / unit(units).factor, unit(units))).text


def speculation(case: Case) -> Explanation | None:
    """Several tokens of a request in one step."""
    if case.phase.name != "TPOT":
        return None
    needed, accepted = amount(case.factor, ""), case.run.value("accepted")
    if accepted is None:
        text = tr("speculative decoding with at least {needed} tokens a step; the file does not "
                  "say how many were accepted", needed=needed)  # fmt: skip
        return Explanation("speculation", OPEN, text)
    state = EXPLAINS if accepted >= case.factor else CANNOT
    per_step = amount(case.phase.streamed / (case.phase.measured * accepted), "")
    text = tr("speculative decoding: {accepted} tokens a step in the file, {needed} needed; per "
              "step the run is at {share} of the bound",
              accepted=amount(accepted, ""), needed=needed, share=per_step)  # fmt: skip
    return Explanation("speculation", state, text)


def prefix_cache(case: Case) -> Explanation | None:
    """Prompt tokens that were not computed."""
    if case.phase.name != "TTFT":
        return None
    if not case.reached(T_in=Fraction(1)):
        told = tr("no prefix cache reaches it: a pass over one token takes longer")
        return Explanation("prefix-cache", CANNOT, told)
    needed = 1 - 1 / case.factor
    hit = case.run.value("hit")
    if hit is None:
        text = tr("a prefix cache that holds at least {needed} of the prompt; the file does not "
                  "say how much was found in it", needed=percent(needed))  # fmt: skip
        return Explanation("prefix-cache", OPEN, text)
    state = EXPLAINS if hit >= needed else CANNOT
    text = tr("prefix cache: {hit} of the prompt found, {needed} needed",
              hit=percent(hit), needed=percent(needed))  # fmt: skip
    return Explanation("prefix-cache", state, text)


def precision(case: Case) -> Explanation | None:
    """Weights of fewer bytes, or products in a narrower format, than the scenario says."""
    if case.phase.side == COMPUTE:
        return narrower_products(case)
    stored = get(case.point, "w")
    if stored is None:
        return None
    read = case.point.get("W_read")
    fitting = [
        name for name in ("fp8", "int8", "int4")
        if BYTES[name] < stored
        and case.reached(W_read=read * BYTES[name] / stored)
    ]  # fmt: skip
    if not fitting:
        return Explanation("precision", CANNOT, tr("no narrower weights reach it"))
    text = tr("weights in {formats} would allow it; the scenario says {own}",
              formats=", ".join(fitting),
              own=case.setting.bound.scenario.precision["weights"])  # fmt: skip
    return Explanation("precision", OPEN, text)


def narrower_products(case: Case) -> Explanation:
    """The peak of another format."""
    bound = case.setting.bound
    peaks = {
        name: bases["dense"].quantity.base
        for name, bases in bound.scenario.hardware.peak.items() if "dense" in bases
    }  # fmt: skip
    fitting = [name for name, peak in peaks.items() if case.reached(P_peak=peak)]
    if not fitting:
        return Explanation("precision", CANNOT, tr("no dense peak of this accelerator reaches it"))
    text = tr("products in {formats} would allow it; the scenario says {own}",
              formats=", ".join(fitting[:MOST_NAMED]),
              own=bound.scenario.precision["compute"])  # fmt: skip
    return Explanation("precision", OPEN, text)


def lighter_load(case: Case) -> Explanation | None:
    """Fewer requests or a shorter context than the run says."""
    if case.phase.name != "TPOT":
        return None
    if case.reached(b=Fraction(1), T=Fraction(1)):
        text = tr("fewer requests in a step or shorter contexts than the file says: one request "
                  "without context would allow it")  # fmt: skip
        return Explanation("lighter-load", OPEN, text)
    return Explanation(
        "lighter-load", CANNOT, tr("not even one request without context reaches it")
    )


def aggregate(case: Case) -> Explanation | None:
    """A total that was read as the rate of one request."""
    if case.phase.name != "TPOT":
        return None
    figure = case.setting.figures.get("TPOT_meas")
    if figure is None or figure.id != "TPOT_meas" or figure.note is None:
        return Explanation("aggregate", CANNOT, tr("the file states a time per token of a request, "
                                                   "no total"))  # fmt: skip
    count = ceil(case.factor)
    text = tr("the rate may be the total of several requests: of at least {count}",
              count=f"{count:,}")  # fmt: skip
    return Explanation("aggregate", OPEN, text)


def other_hardware(case: Case) -> Explanation | None:
    """A faster accelerator, or more of them, than the scenario says."""
    of, symbol = ("P_peak", "dense") if case.phase.side == COMPUTE else ("B_peak", "bandwidth")
    needed = case.point.get(of) * case.factor
    name = case.setting.bound.scenario.hardware
    rates = sorted((rate_of(h, case, symbol), h.id) for h in case.hardware if h.id != name.id)
    faster = [identifier for rate, identifier in rates if rate >= needed]
    devices = ceil(case.point.get("g") * case.factor)
    parts = [tr("at least {count} devices instead of {g}", count=f"{devices:,}",
                g=int(case.point.get("g")))]  # fmt: skip
    if faster:
        parts.append(tr("an accelerator of at least {rate}, such as {names}",
                        rate=amount(needed, "TFLOP/s" if symbol == "dense" else "TB/s"),
                        names=", ".join(faster[:MOST_NAMED])))  # fmt: skip
    told = case.run.facts.get("hardware")
    named = accelerator(told.text, case.hardware) if told else set()
    count = case.run.value("g", "one") or case.run.value("g")
    if told:
        parts.append(tr("the file names {hardware}", hardware=told.text))
    if count:
        parts.append(tr("the file's run is on {count} devices", count=f"{int(count):,}"))
    state = OPEN
    if (named & set(faster)) or (count and count >= devices):
        state = EXPLAINS
    elif name.id in named and count == case.point.get("g"):
        state = CANNOT
    return Explanation("hardware", state, joined(parts, en="; ", zh="；"))


def rate_of(hardware: Hardware, case: Case, basis: str) -> Fraction:
    """Bandwidth, or the dense peak of the scenario's format; 0 where there is none."""
    if basis == "bandwidth":
        return hardware.bandwidth.quantity.base
    found = hardware.peak.get(case.setting.bound.scenario.precision["compute"], {}).get("dense")
    return found.quantity.base if found else Fraction(0)


def percent(share: Fraction) -> str:
    """A share of one as a percentage."""
    return show(Quantity(share * 100, unit(""))).text + " %"


KNOWN: tuple[Callable[[Case], Explanation | None], ...] = (
    speculation, prefix_cache, precision, aggregate, lighter_load, other_hardware,
)  # fmt: skip


def explanations(
    phase: Phase, run: Run, setting: Setting, hardware: Sequence[Hardware]
) -> list[Explanation]:
    """Every known explanation of a phase that beats its bound."""
    with standing_in(setting.bound.variants):
        point = setting.bound.peak
        mean, read = get(point, "T_mean"), get(point, "W_stream")
        if mean is not None and phase.name == "TPOT":
            point = point.with_(T=mean)
        point = point.with_(W_read=min(read, point.get("W_read")) if read else point.get("W_read"))
        case = Case(phase, run, setting, point, hardware)
        return [found for one in KNOWN if (found := one(case)) is not None]
