"""The four-step template's end: which wall, what to try first, what not to bother with."""

from __future__ import annotations

from fractions import Fraction

from derive.derivation.points import Point
from derive.formula import standing_in
from derive.measured.against.bands import BEATS, BETWEEN, LIMIT, SLACK
from derive.measured.against.beats import amount, percent
from derive.measured.against.setting import Setting
from derive.measured.against.shares import COMPUTE, Phase, get, latency_of_links
from derive.study.results import fitting
from derive.text import Text, tr

LARGE = Fraction(1, 2)  # a share of the measured time that names its cause
Advice = tuple[list[Text], list[Text]]  # to try first, not to bother with


def advice(phase: Phase, name: str, setting: Setting) -> Advice:
    """Both lists for a phase in a band."""
    if name == BEATS:
        return ([tr("find out what is not as assumed before anything else")],
                [tr("tuning: a number above the bound measures something else")])  # fmt: skip
    with standing_in(setting.bound.variants):
        point = setting.bound.peak
        mean = get(point, "T_mean")
        there = point.with_(T=mean) if mean is not None else point
        if phase.name == "TTFT":
            return of_prefill(phase, name, there, setting.flight)
        return of_decode(phase, name, there, setting)


def of_decode(phase: Phase, name: str, point: Point, setting: Setting) -> Advice:
    """TPOT: bytes on the memory side, operations on the compute side, overheads below both."""
    first: list[Text] = []
    skip: list[Text] = []
    if fitting(setting.bound) is False:
        first.append(tr("capacity: weights and KV cache do not fit these devices: something is "
                        "swapped or left out, and no kernel mends that"))  # fmt: skip
    links = latency_of_links(setting.bound)
    if name != LIMIT and links is not None and links > LARGE * phase.bound:
        first.append(tr("the collectives: their fixed latency alone, {time} a step, is {times} "
                        "times the bound, which is therefore not what limits here: fewer devices "
                        "in the group, or one node", time=amount(links, "ms"),
                        times=amount(links / phase.bound, "")))  # fmt: skip
    if name in (SLACK, BETWEEN):
        first.append(tr("kernels, launches and the host: CUDA graphs, fused kernels, scheduling "
                        "between steps"))  # fmt: skip
    if phase.side == COMPUTE:
        if name != SLACK:
            first.append(tr("fewer requests in a step, narrower products, or more compute"))
        skip.append(tr("weight-only quantization and bandwidth: this decode is compute-bound"))
        return first, skip
    kv, weights = get(point, "KV_total"), get(point, "W_read")
    if kv is not None and weights and kv > weights:
        first.append(tr("the KV cache: {share} of the bytes of a step; narrower KV, fewer or "
                        "shorter contexts", share=percent(kv / (kv + weights))))  # fmt: skip
    elif name != SLACK:
        first.append(fewer_bytes(point))
    if name == SLACK:
        skip.append(tr("other hardware and quantization, before the software is mended"))
    else:
        skip.append(tr("more compute: this decode waits for memory"))
    if name == LIMIT:
        skip.append(tr("kernel tuning: at most {left} of the time is left to gain",
                       left=percent(max(Fraction(0), 1 - phase.share))))  # fmt: skip
    return first, skip


def fewer_bytes(point: Point) -> Text:
    """Weights in the next smaller format, with what the formulas expect of it."""
    stored, read = get(point, "w"), get(point, "W_read")
    before = get(point, "t_step")
    for name, width in (("8", Fraction(1)), ("4", Fraction(1, 2))):
        if stored and read and before and stored > width * Fraction(3, 2):
            after = get(point.with_(W_read=read * width / stored), "t_step")
            if after:
                ratio = amount(after / before, "")
                return tr("fewer bytes: weights in {bits} bits would take the step to {ratio} of "
                          "its time at peak", bits=name, ratio=ratio)  # fmt: skip
    return tr("fewer bytes a step, or more bandwidth")


def of_prefill(phase: Phase, name: str, point: Point, flight: Fraction | None) -> Advice:
    """TTFT: operations of the prompt on the compute side; queueing is in every measured TTFT."""
    first: list[Text] = []
    skip: list[Text] = []
    b = get(point, "b") if flight is None else Fraction(round(flight))
    if name != LIMIT and b is not None and b > 1:
        burst = get(point.with_(b=b), "TTFT_burst")
        first.append(
            tr("the queue: TTFT under load contains waiting; {b} prompts that arrive together take "
               "{time} at peak; measure one request alone", b=f"{int(b):,}",
               time=amount(burst, "ms"))
            if burst is not None
            else tr("the queue: TTFT under load contains waiting; measure one request alone")
        )  # fmt: skip
    if name in (SLACK, BETWEEN):
        first.append(tr("batching of prefill, chunk size, tokenizer and network before the GPU"))
    if phase.side == COMPUTE:
        if name != SLACK:
            first.append(tr("shorter prompts, a prefix cache, narrower products or more compute"))
        skip.append(tr("bandwidth and weight-only quantization: this prefill is compute-bound"))
    else:
        first.append(tr("the prompt is short of the ridge: fewer weight bytes or more bandwidth"))
        skip.append(tr("more compute: this prefill waits for memory"))
    return first, skip
