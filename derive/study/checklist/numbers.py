"""The numbers next to the pager: bytes per token, ridge, critical batch, memory-limited batch."""

from __future__ import annotations

from collections.abc import Iterator

from derive.study.checklist.case import DERIVED, Case, Row, row
from derive.study.concurrency import beyond_memory, critical, reached
from derive.study.finding import Results, text, value
from derive.study.products import critical_by_products
from derive.text import Text, tr


def numbers(case: Case) -> Iterator[Row]:
    """What is looked up first."""
    results = case.results
    yield row(
        "bytes", "numbers", tr("Bytes per output token"), bytes_answer(case), DERIVED,
        ("bytes_per_token", case.moved("Q_step")),
    )  # fmt: skip
    yield row(
        "ridge", "numbers", tr("Ridge of this hardware"), ridge_answer(case), DERIVED, ("I_ridge",)
    )
    yield row(
        "critical", "numbers", tr("Critical batch: an upper limit, not a target"),
        tr("at {T}: {critical}", T=case.given("T"), critical=critical_answer(results)),
        DERIVED, (reached(results), "b_crit", "I_decode_inf"),
    )  # fmt: skip
    yield row(
        "memory", "numbers", tr("Batch that memory holds"), memory_answer(case), DERIVED,
        ("b_max", "b_max_reserved"),
    )  # fmt: skip


def bytes_answer(case: Case) -> Text:
    """The line that a launch document fills first."""
    if case.value("bytes_per_token") is None:
        return case.why("bytes_per_token")
    return tr(
        "{q}: weights {w}, KV cache {kv} in each step of {b}",
        q=text(case.results, "bytes_per_token"),
        w=text(case.results, case.moved("W_read")),
        kv=text(case.results, case.moved("KV_total")),
        b=case.given("b"),
    )


def ridge_answer(case: Case) -> Text:
    """The quotient of the two peaks, unless it was set by hand."""
    ridge = text(case.results, "I_ridge")
    if "I_ridge" in case.bound.derived:
        return tr("{ridge}, set by hand", ridge=ridge)
    return tr(
        "{ridge}: {compute} over {bandwidth}",
        ridge=ridge,
        compute=case.given("P_peak"),
        bandwidth=case.given("B_peak"),
    )


def memory_answer(case: Case) -> Text:
    """How many requests fit: live bytes, and what an engine sets aside."""
    results = case.results
    if case.value("b_max") is None:
        return case.why("b_max")
    told = tr("{limit} by live bytes", limit=text(results, "b_max"))
    if case.value("tokens_max"):
        told = tr("{told} (pool {tokens})", told=told, tokens=text(results, "tokens_max"))
    if case.value("b_max_reserved") is not None:
        reserved = text(results, "b_max_reserved")
        told = tr("{limit}, {reserved} as an engine reserves", limit=told, reserved=reserved)
    group = case.bound.inputs.get("g_tp")
    if group is not None and group.quantity.value > 1 and case.value("b_max_tp") is not None:
        told = tr(
            "{limit}, every byte stored once, which is a bound; {group} under tensor parallelism",
            limit=told,
            group=text(results, "b_max_tp"),
        )
    if not case.fits:
        return tr("{told}: fewer than the {b} asked for", told=told, b=case.given("b"))
    return told


def critical_answer(results: Results) -> Text:
    """The batch at which decode reaches the ridge, held also with attention operations counted."""
    if told := critical_by_products(results):
        return told
    wall, full, ridge = (value(results, n) for n in ("I_decode_inf", "I_wall_att", "I_ridge"))
    name = reached(results)
    memory = beyond_memory(results, name)
    if value(results, "b_crit_T") is not None or (wall and ridge and wall > ridge):
        told = critical(results, name)
        if name == "b_crit_att":
            told = tr("with attention operations counted, {critical}", critical=told)
    elif full is not None and ridge is not None and full > ridge:
        told = tr(
            "past the KV wall of the first order; with attention operations counted, {critical}",
            critical=critical(results, name),
        )
    elif value(results, "b_crit") is None:
        return tr("no batch reaches the ridge")
    else:
        return tr(
            "no batch reaches the ridge ({b} if context were zero)", b=text(results, "b_crit")
        )
    return tr("{told}; {memory}", told=told, memory=memory) if memory else told
