"""Findings on what a scenario switches on, and on the formats of its weights and KV cache."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from derive.derivation.points import in_contract
from derive.formula import unit_of
from derive.specs.precision import BYTES
from derive.study.bind import Bound
from derive.study.finding import Finding, Results, text, times, value
from derive.study.results import said
from derive.text import Text, same, tr
from derive.units import show

KV_WIDE = Fraction(2)  # bytes of an element of a cache that is not quantized
ONE = Fraction(1)


def speculation(bound: Bound, results: Results) -> Iterator[Finding]:
    """What a round yields and costs, against plain decoding, and up to which batch it pays."""
    gain = value(results, "gain_spec")
    if gain is None or "alpha" not in bound.inputs:
        return
    point = bound.typical
    parts = {
        "k": said(point.quantity("k_draft")),
        "alpha": same(show(point.quantity("alpha")).number),
        "yields": text(results, "n_gain"),
        "round": text(results, "t_round"),
        "tpot": text(results, "TPOT"),
        "plain": text(results, "TPOT_plain"),
        "gain": times(gain),
        "limit": until(bound, results, gain),
    }
    if results["t_draft"].value is None:
        told = tr(
            "With {k} drafted a round and an acceptance of {alpha}, a round yields {yields} and takes {round}, drafts looked up "
            "at no cost: TPOT {tpot} instead of {plain}, {gain} times as fast. {limit}",
            **parts,
        )
    else:
        drafts = point.get("k_draft") * point.get("t_draft")
        told = tr(
            "With {k} drafted a round and an acceptance of {alpha}, a round yields {yields} and takes {round}, of which drafts "
            "take {drafts}: TPOT {tpot} instead of {plain}, {gain} times as fast. {limit}",
            drafts=said(in_contract(drafts, unit_of("t_draft"))),
            **parts,
        )
    yield Finding("speculation", "info" if gain > 1 else "warning", told)


def until(bound: Bound, results: Results, gain: Fraction) -> Text:
    """On which side of which batch speculation pays."""
    limit = value(results, "b_spec")
    if limit is None:
        if gain > 1:
            return tr("It pays at every batch.")
        return tr("It costs more than it yields at every batch.")
    below, where = bound.typical.get("b") < limit, {"b": text(results, "b_spec")}
    if gain > 1:
        told = tr("It stops paying at {b}.", **where)
        return told if below else tr("Up to {b} it would cost more than it yields.", **where)
    if below:
        return tr("It costs more than it yields up to {b}.", **where)
    return tr("It costs more than it yields from {b} on.", **where)


def speculation_experts(bound: Bound, results: Results) -> Iterator[Finding]:
    """Verification reads more experts than decode does."""
    hit = value(results, "E_hit")
    if hit is None or "alpha" not in bound.inputs:
        return
    point = bound.typical
    plain = point.with_(n=ONE)
    yield Finding(
        "speculation_experts",
        "info",
        tr(
            "One token of each request hits {plain} of {all} experts in a layer, verification hits {hit}: it reads {read} of "
            "weights instead of {one}.",
            plain=said(plain.quantity("E_hit")),
            all=said(point.quantity("E")),
            hit=text(results, "E_hit"),
            read=text(results, "W_read"),
            one=said(plain.quantity("W_read")),
        ),
    )


def prefix_cache(bound: Bound, results: Results) -> Iterator[Finding]:
    """What a hit spares, and what a miss takes."""
    found = value(results, "T_hit")
    if not found or value(results, "TTFT") is None:
        return
    miss = bound.typical.with_(hit=Fraction(0))
    yield Finding(
        "prefix_cache",
        "info",
        tr(
            "The prefix cache holds {hit} of {all}: prefill computes {new} and reads {kv} of KV cache. TTFT {ttft}; a request "
            "that finds nothing takes {miss}.",
            hit=text(results, "T_hit"),
            all=said(bound.typical.quantity("T_in")),
            new=text(results, "T_new"),
            kv=text(results, "KV_hit"),
            ttft=text(results, "TTFT"),
            miss=said(miss.quantity("TTFT")),
        ),
    )


def chunked_prefill(bound: Bound, results: Results) -> Iterator[Finding]:
    """TPOT while a prompt is prefilled, and the chunk that the target allows."""
    mixed, target = value(results, "TPOT_mix"), bound.inputs.get("target_TPOT")
    if mixed is None:
        return
    parts = {
        "chunk": text(results, "T_pass"),
        "mix": text(results, "t_mix"),
        "plain": text(results, "t_step_eff"),
        "during": text(results, "TPOT_mix"),
        "tpot": text(results, "TPOT"),
        "passes": int(bound.typical.get("N_pass")),
        "ttft": text(results, "TTFT_mix"),
        "alone": text(results, "TTFT"),
    }
    told = (
        tr(
            "A step in which each micro-batch carries a chunk of {chunk} takes {mix} instead of {plain}: TPOT is {during} "
            "while prompts are prefilled, {tpot} otherwise. A prompt rides on {passes} micro-batches one after another, its "
            "first token comes after {ttft}; alone on the replica after {alone}.",
            **parts,
        )
        if "N_par" in bound.inputs
        else tr(
            "A step that carries a chunk of {chunk} takes {mix} instead of {plain}: TPOT is {during} while a prompt is "
            "prefilled, {tpot} otherwise. The prompt rides on {passes} steps, its first token comes after {ttft}; alone on "
            "the replica after {alone}.",
            **parts,
        )
    )
    beside = value(results, "b_mix")
    if beside is not None and beside < bound.typical.get("b"):
        told = tr(
            "{told} Its chunks are more than the steps of decode that a full batch has for it: on a busy replica every step "
            "carries a chunk, the batch that decodes beside it is {beside} on average, and a prompt takes {load} of the replica "
            "besides its decode.",
            told=told, beside=text(results, "b_mix"), load=text(results, "t_load"),
        )  # fmt: skip
    missed = target is not None and mixed > target.quantity.base
    if target is not None and missed and results["T_chunk_slo"].value is not None:
        told = tr(
            "{told} The target of {target} is missed meanwhile; a chunk of {chunk} keeps it.",
            told=told, target=said(target.quantity), chunk=text(results, "T_chunk_slo"),
        )  # fmt: skip
    elif target is not None and missed:
        told = tr(
            "{told} The target of {target} is missed meanwhile, by any chunk.",
            told=told, target=said(target.quantity),
        )  # fmt: skip
    yield Finding("chunked_prefill", "warning" if missed else "info", told)


def disaggregation(bound: Bound, results: Results) -> Iterator[Finding]:
    """Both pools, the hand-over between them, and which of link and prefill sets the pace."""
    if "g_pre" not in bound.inputs:
        return
    need, point = value(results, "g_fit_pre"), bound.typical
    if need is not None and point.get("g_pre") < need:
        yield Finding(
            "prefill_does_not_fit",
            "error",
            tr(
                "{g} of prefill given, at least {fit} needed for the weights and one prompt: bounds keep their values, reachable speeds are withheld.",
                g=said(point.quantity("g_pre")),
                fit=text(results, "g_fit_pre"),
            ),
        )
    if value(results, "TTFT") is None:
        return
    told = tr(
        "Prefill on {g} of its own takes {fill}; {kv} of KV cache then move to decode in {move}: TTFT {ttft}, and no step of "
        "decode waits for a prompt.",
        g=said(point.quantity("g_pre")),
        fill=text(results, "t_fill"),
        kv=text(results, "KV_move"),
        move=text(results, "t_move"),
        ttft=text(results, "TTFT"),
    )
    if point.get("g_pre") > 1:
        told = tr(
            "{told} The {g} of prefill count as one tensor-parallel group; TP, PP and DP are those of decode.",
            told=told, g=said(point.quantity("g_pre")),
        )  # fmt: skip
    pools = [results[n].value for n in ("replicas_pre", "replicas")]
    if pools[0] is not None and pools[1] is not None:
        told = tr(
            "{told} The offered load takes {prefill} × prefill and {decode} × decode.",
            told=told, prefill=int(pools[0].value), decode=int(pools[1].value),
        )  # fmt: skip
    yield Finding("disaggregation", "info", told)
    fill, move = value(results, "t_fill"), value(results, "t_move")
    if fill is not None and move is not None and move > fill:
        yield Finding(
            "link_bottleneck",
            "warning",
            tr(
                "The link is the bottleneck of prefill: the hand-over takes {move}, the prompt {fill}. {need} would keep up; "
                "{link} are given.",
                move=text(results, "t_move"),
                fill=text(results, "t_fill"),
                need=text(results, "B_need"),
                link=said(point.quantity("B_pd")),
            ),
        )


def kv_format(bound: Bound, results: Results) -> Iterator[Finding]:
    """A quantized KV cache: what it spares; the products are not taken in its format."""
    w_kv = bound.inputs.get("w_kv")
    if w_kv is None or w_kv.quantity.base >= KV_WIDE or value(results, "KV_total") is None:
        return
    wide = bound.typical.with_(w_kv=KV_WIDE)
    parts = {
        "size": said(w_kv.quantity),
        "kv": text(results, "KV_total"),
        "wide": said(wide.quantity("KV_total")),
    }
    if value(results, "TPOT") is None:
        told = tr(
            "The KV cache takes {size}: {kv} for the batch instead of {wide} at 16 bit. Its scales are not counted; "
            "the operations of attention stay the same.",
            **parts,
        )
    else:
        told = tr(
            "The KV cache takes {size}: {kv} for the batch instead of {wide} at 16 bit, read in each step; TPOT {tpot} instead "
            "of {other}. Its scales are not counted; the operations of attention stay the same.",
            tpot=text(results, "TPOT"),
            other=said(wide.quantity("TPOT")),
            **parts,
        )
    yield Finding("kv_format", "info", told)


def weights_widened(bound: Bound, results: Results) -> Iterator[Finding]:
    """Weights narrower than the format of the products: fewer bytes, the same operations."""
    weights, compute = (bound.scenario.precision[k] for k in ("weights", "compute"))
    w, peak = bound.inputs.get("w"), bound.inputs.get("P_peak")
    if w is None or peak is None or compute not in BYTES or w.quantity.base >= BYTES[compute]:
        return
    parts = {"w": said(w.quantity), "weights": same(weights), "compute": same(compute)}
    parts["peak"] = said(peak.quantity)
    if results["b_crit"].value is None:
        told = tr(
            "Weights of {w} are widened before they are multiplied: decode reads fewer bytes, but the products are taken in "
            "{compute}, at {peak}. Prefill gains nothing.",
            **parts,
        )
    else:
        told = tr(
            "Weights of {w} are widened before they are multiplied: decode reads fewer bytes, but the products are taken in "
            "{compute}, at {peak}. Prefill gains nothing, and the critical batch is {b}.",
            b=text(results, "b_crit"),
            **parts,
        )
    yield Finding("weights_widened", "info", told)


RULES = (
    speculation, speculation_experts, prefix_cache, chunked_prefill, disaggregation, kv_format,
    weights_widened,
)  # fmt: skip


__all__ = ["RULES"]
