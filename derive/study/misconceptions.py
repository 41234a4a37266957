"""Nine common misconceptions, each held against the numbers of this deployment.

One function an item; it returns what is said here. Where the claim happens to be right for this
deployment, the sentence says so.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from derive.derivation.points import Absent, Undefined, in_contract
from derive.formula import unit_of
from derive.study.bind import Bound
from derive.study.checklist.case import Case, at, by, with_cards
from derive.study.checklist.numbers import critical_answer
from derive.study.finding import Results, percent, text, times
from derive.study.levers import Elasticity
from derive.study.results import said
from derive.text import Text, tr

Told = Callable[[Case], Text | None]


@dataclass(frozen=True)
class Misconception:
    """What is believed, why it misleads, what holds here, and where that is derived."""

    id: str
    claim: Text
    why: Text
    here: Told
    refs: tuple[str, ...]


def busy(case: Case) -> Text | None:
    """GPU utilization."""
    intensity, ridge = case.value("I_decode"), case.value("I_ridge")
    if not intensity or not ridge:
        return None
    if intensity < ridge:
        return tr(
            "decode with the bandwidth full keeps {share} of the compute busy, whatever the counter says",
            share=percent(intensity / ridge),
        )
    return tr(
        "here decode is compute-bound: with the compute full, {share} of the bandwidth is used; the counter "
        "reads the same on either side",
        share=percent(ridge / intensity),
    )


def cards(case: Case) -> Text | None:
    """More devices."""
    g = case.point.get("g")
    factor, double = case.ratio("TPOT", g=g * 2), case.point.with_(g=g * 2)
    more = at(double, "b_max")
    if factor is None or more is None or case.value("b_max") is None:
        return None
    told = tr(
        "right for TPOT in the first order: twice the devices give {TPOT}, at twice the price, collectives not counted; {more} fit "
        "instead of {limit}; the ridge stays at {ridge}",
        TPOT=by("TPOT", factor), more=more, limit=text(case.results, "b_max"),
        ridge=text(case.results, "I_ridge"),
    )  # fmt: skip
    transfer = at(double, "t_comm")
    if transfer is None:
        return told
    return tr("{told}; the all-reduces then take {time} a step", told=told, time=transfer)


def operations(case: Case) -> Text | None:
    """Fewer operations."""
    try:
        half = case.ratio("TPOT", F_tok=case.point.get("F_tok") / 2)
        bytes_ = case.ratio("TPOT", W_read=case.point.get("W_read") / 2)
    except (Absent, Undefined):
        return None
    if half is None or bytes_ is None:
        return None
    return tr(
        "half the operations a token: {half}; half the weight bytes: {bytes}",
        half=by("TPOT", half), bytes=by("TPOT", bytes_),
    )  # fmt: skip


def size(case: Case) -> Text | None:
    """A large model."""
    try:
        compute = case.point.get("F_step") / (case.point.get("g") * case.point.get("P_peak"))
        step = case.moved("Q_step")
        memory = case.point.get(step) / (case.point.get("g") * case.point.get("B_peak"))
    except (Absent, Undefined):
        return None
    parts = {
        "compute": said(in_contract(compute, unit_of("t_step"))),
        "memory": said(in_contract(memory, unit_of("t_step"))),
    }
    if memory > compute:
        return tr(
            "at peak a decode step needs {memory} for its bytes and {compute} for its operations, {times} times less",
            times=times(memory / compute), **parts,
        )  # fmt: skip
    return tr(
        "right here: at peak a decode step needs {compute} for its operations and {memory} for its bytes",
        **parts,
    )


def batch(case: Case) -> Text | None:
    """A larger batch."""
    b, limit = case.point.get("b"), case.value("b_max")
    tpot, throughput = (case.ratio(name, b=b * 2) for name in ("TPOT", "X"))
    if limit is None or tpot is None or throughput is None:
        return None
    told = tr(
        "twice the batch would give {X} at {TPOT}; memory holds {limit}; {critical}",
        X=by("X", throughput), TPOT=by("TPOT", tpot), limit=text(case.results, "b_max"),
        critical=critical_answer(case.results),
    )  # fmt: skip
    if not case.value("b_slo"):
        return told
    return tr("{told}; the TPOT target allows {b}", told=told, b=text(case.results, "b_slo"))


def alike(case: Case) -> Text | None:
    """Prefill and decode."""
    found = [case.value(n) for n in ("I_prefill", "I_decode", "I_ridge")]
    if any(f is None for f in found):
        return None
    prefill, decode, ridge = (f or Fraction(0) for f in found)
    parts = {n: text(case.results, n) for n in ("I_prefill", "I_decode", "I_ridge")}
    if (prefill >= ridge) != (decode >= ridge):
        return tr(
            "prefill at {I_prefill} and decode at {I_decode} are on different sides of the ridge at {I_ridge}",
            **parts,
        )
    return tr(
        "here both are on the same side of the ridge at {I_ridge}, prefill at {I_prefill}, decode at {I_decode}: the same "
        "rate limits both, the bytes and operations are still counted apart",
        **parts,
    )


def context(case: Case) -> Text | None:
    """A longer context."""
    longer = case.point.with_(T=case.point.get("T") * 2)
    cache, fit = at(longer, "KV_total"), at(longer, "b_max")
    factor = case.ratio("TPOT", T=case.point.get("T") * 2)
    if cache is None or fit is None or factor is None or case.value("b_max") is None:
        return None
    return tr(
        "twice the context: KV cache {cache} instead of {now}, {fit} fit instead of {limit}, {TPOT}",
        cache=cache, now=text(case.results, "KV_total"), fit=fit,
        limit=text(case.results, "b_max"), TPOT=by("TPOT", factor),
    )  # fmt: skip


def first_token(case: Case) -> Text | None:
    """A slow first token."""
    factor = case.ratio("TTFT", T_in=case.point.get("T_in") * 2)
    if case.value("TTFT") is None or factor is None:
        return None
    parts = {"TTFT": text(case.results, "TTFT"), "T_in": case.given("T_in")}
    if case.point.get("b") <= 1 or case.value("TTFT_burst") is None:
        return tr(
            "{TTFT} for {T_in} on an idle replica; twice the prompt {factor}; the rest is queueing",
            factor=by("TTFT", factor), **parts,
        )  # fmt: skip
    return tr(
        "{TTFT} for {T_in} on an idle replica; twice the prompt {factor}; the last of {b} that arrive together {burst}",
        factor=by("TTFT", factor), b=case.given("b"), burst=text(case.results, "TTFT_burst"), **parts,
    )  # fmt: skip


def vendor(case: Case) -> Text | None:
    """The datasheet's compute."""
    attained = case.results["P_attain"]
    if attained.value is None:
        return None
    usable = in_contract(case.point.get("MFU") * case.point.get("P_peak"), unit_of("P_peak"))
    return tr(
        "of {P} matrix products reach {usable} at an MFU of {MFU}; decode at this batch cannot use more than {attained}",
        P=case.given("P_peak"), usable=said(usable), MFU=percent(case.point.get("MFU")),
        attained=text(case.results, "P_attain"),
    )  # fmt: skip


def listed() -> tuple[Misconception, ...]:
    """All nine, in the order of reading."""
    return (
        Misconception(
            "utilization", tr("The GPU is 100 % utilized, so its compute is used up"),
            tr("the counter says that a kernel is running, not how many of its units work or wait for bytes"),
            busy, ("I_decode", "I_ridge"),
        ),
        Misconception(
            "devices", tr("More cards make it faster"),
            tr("each card then moves less, but both rates grow alike, and collectives come on top"),
            cards, ("TPOT", "b_max", "I_ridge", "t_comm"),
        ),
        Misconception(
            "operations", tr("Fewer operations are always faster"),
            tr("on the memory side the operations wait for the bytes"),
            operations, ("F_tok", "W_read", "TPOT"),
        ),
        Misconception(
            "size", tr("Large models are slow because they compute more"),
            tr("in decode it is usually the weights that take the time to be read"),
            size, ("F_step", "Q_step", "t_step"),
        ),
        Misconception(
            "batch", tr("The larger the batch, the better"),
            tr("past a wall throughput stays and every request waits longer; memory may end it before"),
            batch, ("X", "TPOT", "b_max", "b_slo"),
        ),
        Misconception(
            "phases", tr("What speeds up prefill speeds up decode"),
            tr("they differ in operations per byte, so a different rate may limit each: measure TTFT and TPOT apart"),
            alike, ("I_prefill", "I_decode", "I_ridge"),
        ),
        Misconception(
            "context", tr("A longer context costs only a little more compute"),
            tr("the KV cache grows with it, takes memory from the batch and is read in every step"),
            context, ("KV_total", "b_max", "TPOT"),
        ),
        Misconception(
            "first-token", tr("A slow first token means the model is too large"),
            tr("it is prefill, prompt length and whoever waits before"),
            first_token, ("TTFT", "TTFT_burst"),
        ),
        Misconception(
            "datasheet", tr("The TFLOPS of the datasheet are what I can use"),
            tr("they hold for one precision, with or without sparsity, and for ideal products"),
            vendor, ("P_attain",),
        ),
    )  # fmt: skip


def misconceptions(
    bound: Bound, results: Results, levers: list[Elasticity]
) -> list[dict[str, Any]]:
    """Each with this deployment's numbers; where there are none, that is said."""
    case = Case(bound, results, levers)
    made = []
    for one in listed():
        here = one.here(case) or tr("this scenario gives no numbers for it")
        row = {"id": one.id, "claim": one.claim.json(), "why": one.why.json(),
               "here": here.json(), "refs": list(one.refs)}  # fmt: skip
        made.append(with_cards(row, results))
    return made
