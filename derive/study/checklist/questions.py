"""The six questions of the self-test, answered for this deployment."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from derive.derivation.points import Absent, Undefined, in_contract
from derive.formula import unit_of
from derive.study.checklist.bands import at_peak
from derive.study.checklist.case import DERIVED, HARDLY, RULE, Case, Row, row
from derive.study.checklist.experiments import fewer_bits
from derive.study.finding import percent, text, times
from derive.study.results import said
from derive.study.verdict import per_percent, wall
from derive.text import Text, same, tr

GROUP = "questions"
SOFTWARE, HARDWARE = 3, 2  # measured over the step at peak: rules of thumb; near 1.6 is below 2


def questions(case: Case) -> Iterator[Row]:
    """Six lines; where a question has no answer, why."""
    yield row(
        "floor", GROUP, tr("How far is measured TPOT from the floor?"), floor_answer(case), RULE,
        ("t_step", "TPOT_floor"),
    )  # fmt: skip
    yield row(
        "side", GROUP, tr("Which side of the ridge is the service on?"), side_answer(case),
        DERIVED, ("I_decode", "I_prefill"),
    )  # fmt: skip
    yield row(
        "kv", GROUP, tr("Has the KV cache overtaken the weights?"), kv_answer(case), DERIVED,
        ("KV_total", "T_cross"),
    )  # fmt: skip
    yield row(
        "batch", GROUP, tr("Is a larger batch still free?"), batch_answer(case), DERIVED,
        ("X", "b_slo", case.pool_limit),
    )  # fmt: skip
    yield row(
        "compute", GROUP, tr("Would a card with more compute help?"), compute_answer(case),
        DERIVED, ("TPOT", "TTFT"),
    )  # fmt: skip
    yield row(
        "quantization", GROUP, tr("What does weight quantization bring?"),
        quantization_answer(case), RULE, ("TPOT", "W_read"),
    )  # fmt: skip


def floor_answer(case: Case) -> Text:
    """Measured TPOT over the step at peak with all its bytes, at the mean context."""
    there = case.mean
    try:
        best, floor = at_peak(there), there.get("TPOT_floor")
    except (Absent, Undefined):
        return case.why("t_step")
    step = there.quantity("t_step")
    if "alpha" in there.given:  # a round yields several tokens: its time for each is compared
        step = in_contract(best, unit_of("TPOT"))
    parts = {"step": said(step), "T": said(there.quantity("T"))}
    parts["floor"] = text(case.results, "TPOT_floor")
    measured = case.bound.inputs.get("TPOT_meas")
    if measured is not None:
        return tr(
            "a step takes {step} at peak rates at the mean context of {T}; measured {measured} is {times} times that: "
            "{verdict}; {weights} times the floor of {floor}, weights alone",
            measured=said(measured.quantity),
            times=times(measured.quantity.base / best),
            weights=times(measured.quantity.base / floor),
            verdict=band(measured.quantity.base / best),
            **parts,
        )
    rule = tr(
        "a step takes {step} at peak rates at the mean context of {T}; measured above 3 times that: software first; near "
        "1.6 times: the hardware is the limit",
        **parts,
    )
    if case.value("TPOT") is None:
        return tr("{rule}; floor {floor}, weights alone", rule=rule, floor=parts["floor"])
    return tr(
        "{rule}; expected here: {times} times, and {weights} times the floor of {floor}, weights alone",
        rule=rule,
        times=times(there.get("TPOT") / best),
        weights=times(there.get("TPOT") / floor),
        floor=parts["floor"],
    )


def band(ratio: Fraction) -> Text:
    """What a measured ratio says."""
    if ratio < 1:
        return tr("faster than the bytes allow, so another model, precision or batch than assumed")
    if ratio > SOFTWARE:
        return tr("look at the software first")
    if ratio <= HARDWARE:
        return tr("the hardware is the limit")
    return tr("between both: software and hardware each have a part")


def side_answer(case: Case) -> Text:
    """Both phases against the ridge."""
    prefill, ridge = case.value("I_prefill"), case.value("I_ridge")
    if case.value("I_decode") is None or ridge is None:
        return case.why("I_decode" if ridge is not None else "I_ridge")
    told = tr(
        "ridge {ridge}, decode {decode}: {wall}",
        ridge=text(case.results, "I_ridge"),
        decode=text(case.results, "I_decode"),
        wall=wall(case.results)[1],
    )
    if prefill is None:
        return told
    return tr(
        "{told}; prefill {prefill}: {side}",
        told=told,
        prefill=text(case.results, "I_prefill"),
        side=tr("compute-bound") if prefill >= ridge else tr("memory-bound"),
    )


def kv_answer(case: Case) -> Text:
    """KV bytes against weight bytes at this batch."""
    kept = case.moved("KV_total")
    kv, weights = case.value(kept), case.value(case.moved("W_read"))
    if kv is None or not weights:
        return tr("no KV cache is counted")
    verdict = tr("yes: shrink the KV cache first") if kv > weights else tr("no")
    share = percent(kv / weights)
    cross = case.results["T_cross"]
    if cross.value is None:
        return tr("{verdict}; KV is {share} of the weight bytes", verdict=verdict, share=share)
    told = tr(
        "{verdict}; KV is {share} of the weight bytes, they break even at {T_cross}",
        verdict=verdict,
        share=share,
        T_cross=text(case.results, "T_cross"),
    )
    longest, free = case.bound.inputs.get("T_max"), case.value("M_free")
    if longest is not None and cross.value.base > longest.quantity.base:
        return tr(
            "{told}, beyond this model's context of {longest}",
            told=told,
            longest=said(longest.quantity),
        )
    if free is not None and case.point.with_(T=cross.value.base).get("KV_total") > free:
        return tr("{told}, where memory does not hold {b}", told=told, b=case.given("b"))
    return told


def batch_answer(case: Case) -> Text:
    """What twice the batch gives, and what ends it first: memory or the TPOT target."""
    b, limit = case.point.get("b"), case.value(case.pool_limit)
    slo = slo_limit(case)
    tpot, throughput = (case.ratio(name, b=b * 2) for name in ("TPOT", "X"))
    if limit is None or tpot is None or throughput is None:
        return case.why(case.pool_limit if limit is None else "TPOT")
    parts = {"limit": text(case.results, case.pool_limit), "slo": slo}
    if limit < b:
        return tr("no: memory holds {limit}; {slo}", **parts)
    if limit < 2 * b:
        return tr("up to memory: it holds {limit}; {slo}", **parts)
    verdict = tr("yes") if tpot < 1 + HARDLY else tr("no, each request pays")
    return tr(
        "{verdict}: twice the batch gives {X} at {TPOT}; memory holds {limit}; {slo}",
        verdict=verdict,
        X=same(f"X × {times(throughput)}"),
        TPOT=same(f"TPOT × {times(tpot)}"),
        **parts,
    )


def slo_limit(case: Case) -> Text:
    """The batch that the TPOT target allows, or what there is instead of one."""
    if case.results["b_slo"].value:
        return tr("the TPOT target allows {b}", b=text(case.results, "b_slo"))
    if "target_TPOT" not in case.bound.inputs:
        return tr("no TPOT target is set")
    return tr("for the TPOT target: {why}", why=case.why("b_slo"))


def compute_answer(case: Case) -> Text:
    """What more compute does to TPOT and to TTFT."""
    found = {e.target: e.value for e in case.levers if e.lever == "P_peak"}
    if len(found) == 2 and len(set(found.values())) == 1:
        change = per_percent(next(iter(found.values())))
        return (
            tr("no: neither TPOT nor TTFT changes")
            if change == "0 %"
            else tr("TPOT and TTFT each change by {change} for 1 % more compute", change=change)
        )
    parts = [
        tr(
            "{target} changes by {change} for 1 % more compute",
            target=same(t),
            change=per_percent(v),
        )
        for t, v in found.items()
    ]
    if not parts:
        return tr("cannot be told: speeds are withheld")
    return parts[0] if len(parts) == 1 else tr("{one}; {two}", one=parts[0], two=parts[1])


def quantization_answer(case: Case) -> Text:
    """What the formulas give for the next smaller format, and what runs usually reach of it."""
    trial = next(iter(fewer_bits(case.point)), None)
    if trial is None:
        return tr("the weights are in 4 bits or fewer already: no smaller format is counted")
    factor = case.ratio("TPOT", **trial.change)
    if factor is None:
        return case.why("TPOT")
    parts = {"bits": trial.bits, "TPOT": same(f"TPOT × {times(factor)}")}
    if factor > 1 - HARDLY:
        return tr("hardly anything for TPOT: {bits} bits give {TPOT}", **parts)
    return tr(
        "{bits} bits give {TPOT} by the bytes moved; where the bytes halve, runs often gain 1.4 to 1.8 times",
        **parts,
    )
