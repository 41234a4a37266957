"""Findings on targets: margins, what cannot be met here and why, what would have to change."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import ceil

from derive.derivation.points import Absent, Point, Undefined, in_contract
from derive.formula import unit_of
from derive.study.bind import Bound
from derive.study.finding import Finding, Results, percent, text, times, value
from derive.study.layouts import size, usual
from derive.study.results import Result, said
from derive.text import Text, same, tr
from derive.units import Quantity

MOST = 1024  # devices of one replica: beyond any domain of fast links

MUCH = Fraction(11, 10)  # of a target: what a first-order figure must be off by to be warned of


def margin(results: Results, name: str) -> tuple[str, str, str]:
    """A margin at the typical, low and high calibration, in percent."""
    found = results[f"margin_{name}"]
    ends = (found.value, found.low, found.high)
    typical, low, high = (percent(q.value) if q is not None else "–" for q in ends)
    return typical, low, high


def ttft_target(bound: Bound, results: Results) -> Iterator[Finding]:
    """TTFT of one prompt against its target, with the longest prompt that keeps it."""
    found, target = value(results, "TTFT"), bound.inputs.get("target_TTFT")
    if found is None or target is None:
        return
    met = found <= target.quantity.base
    typical, low, high = margin(results, "TTFT")
    longest = results["T_in_slo"]
    tail = (
        tr("the longest prompt that keeps it is {T}", T=text(results, "T_in_slo"))
        if longest.value
        else longest.why or same("")
    )
    yield Finding(
        "ttft_target",
        "info" if met else "warning",
        tr(
            "TTFT of {ttft} against a target of {target}: {verdict}, margin {typical} ({low} to "
            "{high}); {tail}.",
            ttft=text(results, "TTFT"), target=said(target.quantity),
            verdict=tr("met") if met else tr("missed"),
            typical=typical, low=low, high=high, tail=tail,
        ),
    )  # fmt: skip
    if attention_takes_it(bound, longest, target.quantity.base):
        yield Finding(
            "ttft_attention",
            "warning",
            tr(
                "{T} is a first-order figure: counted with attention operations, which grow with the "
                "square of a prompt, it takes more than a tenth longer than the TTFT target.",
                T=text(results, "T_in_slo"),
            ),
        )


def attention_takes_it(bound: Bound, longest: Result, target: Fraction) -> bool:
    """Whether the longest prompt misses its target by far once attention operations are counted."""
    if longest.value is None or {"hit", "g_pre"} & bound.inputs.keys():
        return False  # those switches change what prefill computes, and where
    there = bound.typical.with_(T_in=longest.value.base, b_pre=Fraction(1))
    try:
        idle = there.get("t_bubble") if "N_par" in bound.inputs else Fraction(0)
        return (there.get("t_ops_pre") + idle) / there.get("MFU") > MUCH * target
    except (Absent, Undefined):
        return False


def devices_for_targets(bound: Bound, results: Results) -> Iterator[Finding]:
    """The smallest replica that meets both targets."""
    need = value(results, "g_slo")
    if need is None:
        return
    short = bound.typical.get("g") < need
    parts = {
        "g": text(results, "g_slo"),
        "tpot": text(results, "g_tpot"),
        "fit": text(results, "g_fit"),
    }
    if value(results, "g_ttft") is None:
        told = tr(
            "The TPOT target needs at least {g} in a replica: {tpot} for TPOT at this batch, {fit} for memory; no number of "
            "devices meets the TTFT target. First order: collectives are not counted.",
            **parts,
        )
    else:
        told = tr(
            "Both targets need at least {g} in a replica: {ttft} for TTFT, {tpot} for TPOT at this batch, {fit} for "
            "memory. First order: collectives are not counted.",
            ttft=text(results, "g_ttft"), **parts,
        )  # fmt: skip
    more = with_collectives(bound, need)
    if more is not None:
        told = tr("{told} {more}", told=told, more=more)
    if (more := no_usual_size(bound, need)) is not None:
        told = tr("{told} {more}", told=told, more=more)
    yield Finding("devices_for_targets", "warning" if short else "info", told)


def no_usual_size(bound: Bound, need: Fraction) -> Text | None:
    """A number of devices that engines do not take as TP, and the next one that they do."""
    heads = size(bound.typical, "H_q")
    stages = bound.typical.get("PP") * bound.typical.get("DP")  # in all groups; need is whole ones
    if heads is None or heads % (need / stages) == 0:
        return None
    parts = {"g": said(in_contract(need, unit_of("g"))), "heads": int(heads)}
    found = usual(need / stages, heads)
    if found is None:
        return tr("{g} are more than the {heads} query heads: TP alone cannot use them.", **parts)
    parts["next"] = said(in_contract(found * stages, unit_of("g")))
    if stages > 1:
        return tr(
            "{g} in this layout do not share the {heads} query heads evenly: the next number that does is {next}.",
            **parts,
        )
    return tr(
        "{g} do not share the {heads} query heads evenly: as TP the next number that does is {next}.",
        **parts,
    )


def with_collectives(bound: Bound, first: Fraction) -> Text | None:
    """The devices that meet the targets to the second order; None where links are not in it.

    More devices send more, so what they meet need not grow with their number: every number of whole
    groups is tried from the first-order one on.
    """
    here = bound.typical
    if here.get("g") <= 1:  # its formulas know no link to other devices
        return None
    # prefill on devices of its own has a number of its own
    names = ("TPOT",) if "g_pre" in here.given else ("TPOT", "TTFT")
    try:
        step = here.get("PP") * here.get("DP")
        found, tried = None, ceil(first / step) * step
        while found is None and tried <= MOST:
            there = here.with_(g=tried, b_pre=Fraction(1))  # the target is of one prompt
            if all(there.get(f"{n}_exp") <= here.get(f"target_{n}") for n in names):
                found = there
            tried += step
    except (Absent, Undefined):
        return None
    if found is None:
        return tr(
            "To the second order, collectives counted, no number of devices from there to {most} meets them: what does not shrink "
            "with devices, such as collectives and kernel launches, is too much.",
            most=said(Quantity(Fraction(MOST), unit_of("g"))),
        )  # fmt: skip
    parts = {"TPOT": said(found.quantity("TPOT_exp"))}
    if len(names) > 1:
        parts["TTFT"] = said(found.quantity("TTFT_exp"))
    if found.get("g") == first:
        if len(names) > 1:
            return tr(
                "To the second order, collectives counted, they meet both as well: {TPOT} and {TTFT} are expected.",
                **parts,
            )
        return tr(
            "To the second order, collectives counted, they meet the one for TPOT as well: {TPOT} is expected.",
            **parts,
        )
    parts["g"] = said(found.quantity("g"))
    if len(names) > 1:
        return tr(
            "To the second order, collectives counted, it takes {g}: {TPOT} and {TTFT} are then expected.",
            **parts,
        )
    return tr(
        "To the second order, collectives counted, TPOT takes {g}: {TPOT} is then expected.",
        **parts,
    )


def cannot_be_met(bound: Bound, results: Results) -> Iterator[Finding]:
    """A target that nothing but other hardware or another model meets, and what binds."""
    for name, least, rule in (("TPOT", "TPOT_one", tpot_binds), ("TTFT", "TTFT_one", ttft_binds)):
        target, lowest = bound.inputs.get(f"target_{name}"), value(results, least)
        if target is None or lowest is None or lowest <= target.quantity.base:
            continue
        try:
            told = rule(bound.typical, target.quantity.base)
        except (Absent, Undefined):
            continue
        ratio = lowest / target.quantity.base
        need = results["g_ttft" if name == "TTFT" else "g_tpot"]
        devices = said(need.value) if need.value else need.why or same("–")
        yield Finding(
            f"{name.lower()}_unmet",
            "warning",
            tr(
                "The {name} target of {target} cannot be met on this hardware, because {why}. It would take "
                "{ratio} times the {rate}, or a smaller model; at this batch and prompt, {devices}.",
                name=same(name), target=said(target.quantity), why=told[0], ratio=times(ratio),
                rate=told[1], devices=devices,
            ),
        )  # fmt: skip


def tpot_binds(point: Point, target: Fraction) -> tuple[Text, Text]:
    """What keeps a single request above a TPOT target: the weights, the KV cache, the compute."""
    one = point.with_(b=Fraction(1))
    read = one.get("PP") * one.get("W_read_dev")
    weights = read / (one.get("MBU") * one.get("B_peak")) / one.get("n")
    compute = (
        one.get("F_step") / (one.get("TP") * one.get("MFU") * one.get("P_peak")) / one.get("n")
    )
    bandwidth, flops = tr("memory bandwidth"), tr("compute")
    if compute > target:
        bandwidth = tr("memory bandwidth and compute")
    shown = said(in_contract(weights, unit_of("TPOT")))
    if weights > target:
        return tr("reading the weights alone takes {time}", time=shown), bandwidth
    if compute > target:
        time = said(in_contract(compute, unit_of("TPOT")))
        return tr("the operations of a single request alone take {time}", time=time), flops
    whole = said(in_contract(one.get("TPOT"), unit_of("TPOT")))
    return tr(
        "reading the weights takes {weights}, with the KV cache of a single request at this context {whole}",
        weights=shown, whole=whole,
    ), bandwidth  # fmt: skip


def ttft_binds(point: Point, target: Fraction) -> tuple[Text, Text]:  # noqa: ARG001 - as the other
    """What keeps the shortest prompt above a TTFT target: one reading of the weights."""
    floor = said(in_contract(point.get("TTFT_one"), unit_of("TTFT")))
    told = tr("a prompt of one token already takes {time}, one reading of the weights", time=floor)
    return told, tr("memory bandwidth")


def queue(bound: Bound, results: Results) -> Iterator[Finding]:
    """TTFT with the estimated wait, apart from the bound."""
    with_wait, alone = value(results, "TTFT_queue"), value(results, "TTFT")
    if with_wait is None or alone is None:
        why = results["t_queue"].why
        if alone is not None and why is not None and not results["t_queue"].absent:
            yield Finding("ttft_queue", "warning", tr("{why}.", why=why))
        return
    target = bound.inputs.get("target_TTFT")
    lost = target is not None and alone <= target.quantity.base < with_wait
    parts = {"wait": text(results, "t_queue"), "ttft": text(results, "TTFT_queue")}
    if "g_pre" in bound.inputs:
        told = tr(
            "An estimate beside the bound: with Poisson arrivals spread over the replicas of prefill at random a prompt waits "
            "{wait} on average before its prefill, so TTFT is {ttft} on average (M/G/1, each of them busy {share} of its time).",
            share=percent(bound.typical.get("share_pool")), **parts,
        )  # fmt: skip
    elif "T_chunk" in bound.inputs:
        told = tr(
            "An estimate beside the bound: with Poisson arrivals spread at random a prompt waits {wait} on average until steps "
            "are free to carry its chunks, which then ride beside a batch of decode, so TTFT is {ttft} on average (M/G/1, steps "
            "carry chunks {share} of the time).",
            share=percent(bound.typical.get("share_slots")), **parts,
        )  # fmt: skip
    elif "N_par" in bound.inputs:
        told = tr(
            "An estimate beside the bound: with Poisson arrivals spread over the groups of all replicas at random a prompt "
            "waits {wait} on average before its prefill, so TTFT is {ttft} on average (M/G/1, a queue for each group, prefill "
            "ahead of decode).",
            **parts,
        )
    else:
        told = tr(
            "An estimate beside the bound: with Poisson arrivals spread over the replicas at random a prompt waits {wait} "
            "on average before its prefill, so TTFT is {ttft} on average (M/G/1, prefill ahead of decode).",
            **parts,
        )
    yield Finding("ttft_queue", "warning" if lost else "info", told)


def tails(bound: Bound, results: Results) -> Iterator[Finding]:
    """Lengths given as quantiles: memory and TTFT of the longest."""
    fits, most = value(results, "b_max_tail"), value(results, "b_max")
    if fits is None or most is None:
        return
    yield Finding(
        "lengths_tail",
        "warning" if fits < bound.typical.get("b") else "info",
        tr(
            "Lengths are quantiles: speeds are at their means, memory in the worst case. With every request at {tail} "
            "{fits} fit; at the mean of {mean}, {most}.",
            tail=said(bound.typical.quantity("T_tail")), fits=text(results, "b_max_tail"),
            mean=said(bound.typical.quantity("T")), most=text(results, "b_max"),
        ),
    )  # fmt: skip
    target, last = bound.inputs.get("target_TTFT"), value(results, "TTFT_tail")
    if target is not None and last is not None and last > target.quantity.base:
        yield Finding(
            "ttft_tail",
            "warning",
            tr(
                "A prompt of {T} has its first token after {ttft}, past the target of {target}.",
                T=said(bound.typical.quantity("T_in_tail")), ttft=text(results, "TTFT_tail"),
                target=said(target.quantity),
            ),
        )  # fmt: skip
