"""The measured step and output against the bound at the batch that runs."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from derive.measured.against.bands import SOFTWARE
from derive.monitoring.alerts.kinds import (
    DERIVED,
    EXPECTED,
    GAINED,
    GROWN,
    PERCENT,
    PLAIN,
    REPLICA,
    RULE,
    Alert,
    Case,
    LeftOut,
    rule,
)
from derive.monitoring.deployment import Limit
from derive.monitoring.promql import number
from derive.monitoring.signals import NEAR, step_at
from derive.text import Text, same, tr


def software(case: Case) -> Alert | LeftOut:
    """Far from the bound while there is load."""
    name, limit = "FarFromBound", rule(SOFTWARE)
    if (why := no_bound(case)) is not None or not case.found.fits:
        return LeftOut(name, why or tr("the scenario does not fit, so it has no speed of its own"))
    batch = case.calm.running
    far = replace(case.calm, step=step_at(case.found, batch) / (SOFTWARE / 2))
    idle = step_at(case.found, Fraction(1)) / (SOFTWARE / 2)
    return Alert(
        name,
        f"{case.own('bound_share:ratio')} < {number(SOFTWARE)}\n"
        f"and {case.own('requests_running:mean5m')} >= 1",
        "warning",
        limit,
        tr("{replica} runs below {limit} of its bound", replica=REPLICA, limit=limit.shown),
        tr(
            "a step at peak rates would take {value} of the measured one, at the batch and context that run now; there "
            "is load, so the time goes to software",
            value=PERCENT,
        ),
        tr(
            "look at CPU overhead between steps, CUDA graphs, kernels of attention and quantization, prefill mixed into "
            "decode steps; a faster card will not help"
        ),
        (far,),
        (
            (replace(far, step=step_at(case.found, batch) / NEAR),),
            (replace(far, running=Fraction(2, 5), step=idle),),
        ),
        "15m",
    )


def faster(case: Case) -> Alert | LeftOut:
    """Below the time that the bytes take: an assumption is wrong."""
    name, limit = "FasterThanBound", Limit(Fraction(1), same("1"), DERIVED)
    if (why := no_bound(case)) is not None:
        return LeftOut(name, why)
    bound = step_at(case.found, case.calm.running, "t_step")
    return Alert(
        name,
        f"{case.own('least_step_share:ratio')} > 1\nand {case.own('requests_running:mean5m')} >= 1",
        "info",
        limit,
        tr("{replica} is faster than its bound, so an assumption is wrong", replica=REPLICA),
        tr(
            "the bytes and operations of a step take {value} of the measured time even at peak rates, without tables that "
            "are only looked up",
            value=PERCENT,
        ),
        uneven(case),
        (replace(case.calm, step=bound / 4),),
        ((replace(case.calm, step=step_at(case.found, case.calm.running) / NEAR),),),
    )


def uneven(case: Case) -> Text:
    """What to look for where a step is shorter than its bytes."""
    told = tr(
        "compare hardware, number of devices, precision of weights and KV cache with the ledger; look for prefixes that "
        "requests share in a batch; then derive the thresholds anew"
    )
    if case.found.get("E") is None:
        return told
    return tr(
        "{told}; the bound counts experts chosen evenly, and a batch that chooses alike reads fewer",
        told=told,
    )


def flat(case: Case) -> Alert | LeftOut:
    """The batch grew and the output did not, though the bound says it should."""
    name = "ThroughputFlat"
    if (why := no_bound(case)) is not None:
        return LeftOut(name, why)
    one, two = step_at(case.found, Fraction(1)), step_at(case.found, Fraction(2))
    if 2 * one / two < EXPECTED:
        return LeftOut(name, tr("by the bound itself a larger batch brings no more output"))
    batch, output, bound = (
        f"{case.own(n)} / {case.own(n)} offset 30m"
        for n in ("requests_running:mean5m", "output_tokens:rate5m", "output_tokens:bound")
    )
    before = replace(case.calm, running=Fraction(1), step=one / NEAR)
    return Alert(
        name,
        f"({output}) < {number(GAINED)}\nand ({batch}) >= {number(GROWN)}\n"
        f"and ({bound}) >= {number(EXPECTED)}",
        "warning",
        Limit(GAINED, same("1.1"), RULE),
        tr("output of {replica} does not grow with its batch", replica=REPLICA),
        tr(
            "within 30 minutes the batch grew by half or more and the output by a factor of {value}; the bound gains at "
            "least 1.2",
            value=PLAIN,
        ),
        tr(
            "look for what is serial in the software: scheduling, sampling, tokenization, transfers; and for prefill "
            "that displaces decode"
        ),
        (before, replace(before, running=Fraction(2), step=2 * one / NEAR)),
        ((before, replace(before, running=Fraction(2), step=two / NEAR)),),
    )


def no_bound(case: Case) -> Text | None:
    """Why there is no step time to compare with."""
    if case.found.opened(case.found.step) is not None:
        return None
    return case.found.why_not("t_step") or tr("the ledger has no step time")
