"""What a symptom means here, with the number to compare with and the first thing to do."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from derive.derivation.points import Absent
from derive.study.checklist.case import DERIVED, HARDLY, Case, Row, at, held, left_out, row
from derive.study.finding import percent, text, times
from derive.study.results import said
from derive.text import Text, same, tr

FEWER = Fraction(3, 2)  # a batch whose double gives less throughput than this has met a wall


def symptoms(case: Case) -> Iterator[Row]:
    """One line a symptom."""
    if not case.fits:
        yield left_out(case, "symptoms", tr("No symptoms here"))
        return
    told = (
        ("slow-ttft", tr("TTFT high, TPOT fine"), slow_ttft(case), ("TTFT", "TTFT_burst")),
        (
            "slow-tpot",
            tr("TPOT high, TTFT fine"),
            slow_tpot(case),
            tuple(map(case.moved, ("Q_step", "KV_total"))),
        ),
        ("grows-b", tr("TPOT grows with the batch"), grows_with_batch(case), ("TPOT", "KV_total")),
        ("grows-T", tr("TPOT grows with the context"), grows_with_context(case), ("TPOT",)),
        (
            "flat-X",
            tr("Throughput flat while the batch grows"),
            flat(case),
            ("X", case.pool_limit),
        ),
        (
            "pool",
            tr("Preemptions, KV pool full"),
            pool(case),
            ("b_max_reserved", "M_free"),
        ),
    )
    for name, question, answer, refs in told:
        yield row(name, "symptoms", question, answer, DERIVED, refs)


def slow_ttft(case: Case) -> Text:
    """Prefill or the queue before it."""
    found = case.results["TTFT"]
    if found.value is None:
        floor = text(case.results, "t_prefill")
        if case.value("t_prefill") is None:
            return case.why("t_prefill")
        return tr("prefill alone takes {floor} at peak; first check the queue", floor=floor)
    parts = {
        "low": said(found.low or found.value),
        "high": said(found.high or found.value),
        "T_in": case.given("T_in"),
    }
    if case.point.get("b") > 1 and case.value("TTFT_burst") is not None:
        return tr(
            "an idle replica needs {low} to {high} for {T_in}, the last of {b} together {burst}; more is queueing. First: "
            "waiting requests, prompt lengths, prefix-cache hits",
            b=case.given("b"), burst=text(case.results, "TTFT_burst"), **parts,
        )  # fmt: skip
    return tr(
        "an idle replica needs {low} to {high} for {T_in}; more is queueing. First: waiting requests, prompt lengths, "
        "prefix-cache hits",
        **parts,
    )


def slow_tpot(case: Case) -> Text:
    """More bytes than planned, or bytes read too slowly; operations on the compute side."""
    step = case.moved("Q_step")
    kv, moved = case.value(case.moved("KV_total")), case.value(step)
    if kv is None or not moved:
        return case.why(step)
    parts = {"b": case.given("b"), "T": case.given("T")}
    if not case.memory_side:
        return tr(
            "decode is compute-bound: planned {F} a step at {b}. First: running requests against that number, then MFU "
            "against {MFU}",
            F=text(case.results, "F_step"), MFU=percent(case.point.get("MFU")), b=parts["b"],
        )  # fmt: skip
    return tr(
        "planned: {Q} a step, {share} of it KV cache, at {b} of {T}. First: running requests and their context against "
        "these, then MBU against {MBU}",
        Q=text(case.results, step), share=percent(kv / moved),
        MBU=percent(case.point.get("MBU")), **parts,
    )  # fmt: skip


def grows_with_batch(case: Case) -> Text:
    """What twice the batch costs by the formulas, and what more than that says."""
    factor = case.ratio("TPOT", b=case.point.get("b") * 2)
    if factor is None:
        return case.why("TPOT")
    cost = same(f"TPOT × {times(factor)}")
    if factor < 1 + HARDLY:
        return tr(
            "twice the batch costs {TPOT} by the formulas; 10 % more than that: contexts are longer than {T}, or requests are "
            "preempted. First: context lengths, KV pool",
            TPOT=cost, T=case.given("T"),
        )  # fmt: skip
    if not case.memory_side:
        return tr(
            "expected: decode is compute-bound, twice the batch costs {TPOT}. First: a smaller batch",
            TPOT=cost,
        )
    return tr(
        "expected: twice the batch costs {TPOT}, as each request brings its KV cache or its experts. First: cap the "
        "batch, shorten the context",
        TPOT=cost,
    )


def grows_with_context(case: Case) -> Text:
    """What half the context gives, and what more than that says."""
    factor = case.ratio("TPOT", T=case.point.get("T") / 2)
    if factor is None:
        return case.why("TPOT")
    gain = same(f"TPOT × {times(factor)}")
    if factor > 1 - HARDLY:
        return tr(
            "half the context gives {TPOT} by the formulas; more than 10 % is not the KV cache counted here. First: KV "
            "format, attention kernel, preemptions",
            TPOT=gain,
        )
    return tr(
        "expected: half the context gives {TPOT}. First: limit the context, then fewer bits for the KV cache",
        TPOT=gain,
    )


def flat(case: Case) -> Text:
    """Whether a larger batch should have brought throughput."""
    factor = case.ratio("X", b=case.point.get("b") * 2)
    if factor is None or case.value("b_max") is None:
        return case.why("X" if factor is None else "b_max")
    gain, limit = same(f"X × {times(factor)}"), held(case, case.pool_limit)
    if factor >= FEWER:
        return tr(
            "twice the batch should give {X}: flat means the running batch does not grow. First: the engine's batch limit, "
            "then the KV pool ({limit} fit)",
            X=gain, limit=limit,
        )  # fmt: skip
    return tr(
        "expected: twice the batch gives only {X} and each request waits longer. First: stop adding to the batch; "
        "{limit} fit",
        X=gain, limit=limit,
    )  # fmt: skip


def pool(case: Case) -> Text:
    """What the KV pool holds, and what half the bytes of an element would hold."""
    limit = case.pool_limit
    if case.value("b_max") is None:
        return case.why("b_max")
    told = tr(
        "the pool holds {limit} of {T} in {free}. First: cap running requests below that, or shorten the context",
        limit=held(case, limit),
        T=case.given("T"),
        free=text(case.results, "M_free"),
    )
    try:
        w_kv = case.point.get("w_kv")
    except Absent:
        return told
    more = at(case.point.with_(w_kv=Fraction(1)), limit) if w_kv > 1 else None
    if more is None or case.ratio(limit, w_kv=Fraction(1)) in (None, 1):
        return told
    return tr("{told}; with an 8-bit KV cache {more}", told=told, more=more)
