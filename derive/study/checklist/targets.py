"""What keeps a target and what to do once it is passed; nothing where no target is set."""

from __future__ import annotations

from collections.abc import Iterator

from derive.study.checklist.case import DERIVED, Case, Row, row
from derive.study.finding import text
from derive.text import Text, tr


def targets(case: Case) -> Iterator[Row]:
    """The largest batch and the longest prompt that keep the targets."""
    if "target_TPOT" in case.bound.inputs:
        yield row(
            "slo-TPOT", "alerts", tr("TPOT target: batch"), batch(case),
            DERIVED, ("b_slo", "TPOT", "b_max"),
        )  # fmt: skip
    if "target_TTFT" in case.bound.inputs:
        yield row(
            "slo-TTFT", "alerts", tr("TTFT target: prompt"), prompt(case),
            DERIVED, ("T_in_slo", "TTFT"),
        )  # fmt: skip


def batch(case: Case) -> Text:
    """The batch by latency, or the one of memory where that ends first."""
    limit, room = case.value("b_slo"), case.value("b_max")
    if limit is None or room is None:
        return case.why("b_slo" if limit is None else "b_max")
    parts = {"b": text(case.results, "b_slo"), "room": text(case.results, "b_max")}
    if room < limit:
        told = tr(
            "kept up to {b}; {room} fit, so memory ends first. Passed: look at the software",
            **parts,
        )
    else:
        told = tr(
            "kept up to {b}; {room} fit. Passed: cap running requests, then add replicas", **parts
        )
    if case.value("TPOT_mix") is None:
        return told
    if case.value("T_chunk_slo") is None:
        return tr("{told}. Of decode alone: steps that carry a chunk are longer", told=told)
    return tr(
        "{told}. Of decode alone: beside prefill a chunk of {chunk} keeps it at {b}",
        told=told, chunk=text(case.results, "T_chunk_slo"), b=case.given("b"),
    )  # fmt: skip


def prompt(case: Case) -> Text:
    """The prompt on an idle replica: what waits before it is not in the number."""
    if case.value("T_in_slo") is None:
        return case.why("T_in_slo")
    told = tr(
        "kept up to {T}, idle. Passed: waiting requests first, then shorter prompts",
        T=text(case.results, "T_in_slo"),
    )
    if case.value("TTFT_mix") is None:
        return told
    return tr(
        "{told}. Beside {b} in decode the planned prompt takes {mix}",
        told=told, b=case.given("b"), mix=text(case.results, "TTFT_mix"),
    )  # fmt: skip


__all__ = ["targets"]
