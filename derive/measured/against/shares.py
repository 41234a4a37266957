"""The numbers of a comparison: bounds at the run's load, and the measured value's share of each."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from derive.derivation.points import Absent, Point, Undefined
from derive.formula import standing_in
from derive.measured.against.setting import Setting
from derive.study.bind import Bound

MEMORY, COMPUTE = "memory", "compute"


@dataclass(frozen=True)
class Phase:
    """One measured time beside its bounds, all in seconds (TPOT: per token of a request).

    `bound` is the first-order step or prefill at peak, `streamed` the same with the bytes really
    read, `weights` the article's floor of the weights alone, `floor` that of the weights really
    read alone; None where there is none.
    """

    name: str  # TPOT or TTFT
    measured: Fraction
    bound: Fraction
    streamed: Fraction
    weights: Fraction | None
    side: str
    floor: Fraction | None = None
    MBU: Fraction | None = None
    MFU: Fraction | None = None
    head: Fraction | None = None  # parameters of the head, which a prompt uses once

    judged: Fraction | None = None  # the share by what was really done, where that is less

    @property
    def share(self) -> Fraction:
        """The bound over the measured time: 1 is the roof."""
        return self.bound / self.measured

    @property
    def beats(self) -> bool:
        """Faster than the bytes and operations allow."""
        return self.measured < self.streamed


def get(point: Point, name: str) -> Fraction | None:
    """A value, or None where it does not exist."""
    try:
        return point.get(name)
    except (Absent, Undefined):
        return None


def decode(setting: Setting) -> Phase | None:
    """TPOT against a step at the mean context."""
    bound = setting.bound
    with standing_in(bound.variants):
        point = bound.peak
        measured, mean = get(point, "TPOT_meas"), get(point, "T_mean")
        there = point.with_(T=mean) if mean is not None else point
        step, n = get(there, "t_step"), get(there, "n")
        if not measured or step is None or not n:
            return None
        read = get(there, "W_stream")
        finer = there.with_(W_read=min(read, there.get("W_read"))) if read is not None else there
        rate = there.get("g") * there.get("B_peak") * n
        floor = read / rate if read is not None else None
        return Phase(
            "TPOT", measured, step / n, finer.get("t_step") / n, get(there, "TPOT_floor"),
            side_of(there, "I_decode"), floor, get(point, "MBU_meas"), get(point, "MFU_meas"),
            judged=of_a_step(step / n / measured, setting.accepted),
        )  # fmt: skip


def of_a_step(share: Fraction, accepted: Fraction | None) -> Fraction | None:
    """With speculation a step brings several tokens: its own share is less than that of TPOT."""
    return share / accepted if accepted and accepted > 1 else None


def of_what_was_computed(point: Point, measured: Fraction, hit: Fraction | None) -> Fraction | None:
    """Prompt tokens that a cache held cost no operations."""
    if not hit or hit >= 1:
        return None
    time = get(point.with_(T_in=point.get("T_in") * (1 - hit)), "t_prefill")
    return None if time is None else time / measured


def prefill(setting: Setting) -> Phase | None:
    """TTFT against the prefill of one prompt."""
    bound = setting.bound
    with standing_in(bound.variants):
        point = bound.peak
        measured, time = get(point, "TTFT_meas"), get(point, "t_prefill")
        if not measured or time is None:
            return None
        use = get(point, "MFU_prefill_meas")
        finer = min(time, needed(bound, point))
        return Phase("TTFT", measured, time, finer, None, side_of(point, "I_prefill"),
                     use * measured if use is not None else None, MFU=use,
                     head=head_of(bound),
                     judged=of_what_was_computed(point, measured, setting.hit))  # fmt: skip


def needed(bound: Bound, point: Point) -> Fraction:
    """The least a prompt takes: products really made, the head once, tables not read."""
    g, prompt = point.get("g"), point.get("T_in")
    products = get(point, "N_mat")
    each = point.get("F_tok")
    if products is not None:
        each = point.get("c_op") * (products - head_of(bound))
    read = get(point, "W_stream") or point.get("W_read")
    spent = each * prompt / (g * point.get("P_peak"))
    return max(spent, min(read, point.get("W_read")) / (g * point.get("B_peak")))


def head_of(bound: Bound) -> Fraction:
    """Parameters of the head: as many as the input table has, tied to it or not."""
    table = bound.scenario.model.embedding
    return table.quantity.base if table else Fraction(0)


def side_of(point: Point, intensity: str) -> str:
    """Which roof is over a phase."""
    found, ridge = get(point, intensity), get(point, "I_ridge")
    return COMPUTE if found is not None and ridge is not None and found >= ridge else MEMORY


def phases(setting: Setting) -> list[Phase]:
    """Those the run has."""
    return [p for p in (decode(setting), prefill(setting)) if p is not None]


def latency_of_links(bound: Bound) -> Fraction | None:
    """The fixed latency of a step's all-reduces, at 10 µs each where none is given; else None."""
    with standing_in(bound.variants):
        point = bound.typical
        given = get(point, "t_latency")
        return (
            given if given is not None else get(point.with_(t_hop=Fraction(1, 10**5)), "t_latency")
        )
