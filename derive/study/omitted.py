"""Terms that the model leaves out and that are too large to be left to the table of assumptions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from derive.derivation.points import Absent, Undefined
from derive.study.bind import Bound
from derive.study.finding import Finding, Results, percent, value
from derive.study.results import said
from derive.text import Text, tr
from derive.units import Quantity

LARGE = Fraction(1, 5)  # a share from which a result is not to be read without it


@dataclass(frozen=True)
class Omitted:
    """One term left out: the result that lacks it, its note on the cover, its sentence."""

    id: str
    target: str
    note: Text
    text: Text


def would_be(bound: Bound) -> Quantity:
    """The latency of a step's all-reduces at 10 µs each, for scale."""
    return bound.typical.with_(t_hop=Fraction(1, 10**5)).quantity("t_latency")


def omitted(bound: Bound, results: Results) -> list[Omitted]:
    """Every term above the share that has a value here; none where the result has none."""
    found = [*of_prefill(results), *of_decode(bound, results)]
    return [one for one in found if value(results, one.target) is not None]


def large(results: Results, name: str) -> str:
    """A share as a percentage where it is large, else nothing."""
    share = value(results, name)
    return percent(share) if share is not None and share > LARGE else ""


def compute_bound(results: Results, intensity: str) -> bool:
    """Whether a phase is on the compute side of the ridge."""
    found, ridge = value(results, intensity), value(results, "I_ridge")
    return found is not None and ridge is not None and found >= ridge


def of_prefill(results: Results) -> Iterator[Omitted]:
    """What TTFT lacks."""
    if share := large(results, "share_comm_prefill"):
        yield Omitted(
            "share_comm_prefill",
            "TTFT",
            tr("not counted: all-reduce, {share} of prefill at peak", share=share),
            tr(
                "TTFT leaves out the all-reduces of prefill: their transfer alone is {share} of the prefill time at peak where "
                "it does not overlap. TTFT is a lower figure.",
                share=share,
            ),
        )
    # with a prefix cache the new tokens alone are computed, and these see the longest contexts
    attention = "share_att_new" if value(results, "share_att_new") else "share_att_prefill"
    if compute_bound(results, "I_prefill") and (share := large(results, attention)):
        yield Omitted(
            "share_att_prefill",
            "TTFT",
            tr("not counted: attention, {share} more operations", share=share),
            tr(
                "TTFT leaves out the attention operations of prefill, {share} on top of those counted. TTFT is a lower figure.",
                share=share,
            ),
        )


def of_decode(bound: Bound, results: Results) -> Iterator[Omitted]:
    """What TPOT lacks, or counts too much of."""
    if share := large(results, "share_comm"):
        yield Omitted(
            "share_comm",
            "TPOT",
            tr("not counted: all-reduce, {share} of the step at peak", share=share),
            tr(
                "TPOT leaves out the transfer of the all-reduces, {share} of the step at peak. TPOT is a lower figure.",
                share=share,
            ),
        )
    yield from latency(bound, results)
    if not compute_bound(results, "I_decode") and (share := large(results, "share_state")):
        yield Omitted(
            "share_state",
            "TPOT",
            tr("not counted: writing states back, {share} more bytes", share=share),
            tr(
                "TPOT leaves out that each step writes the constant states back, {share} on top of the bytes counted. "
                "TPOT is a lower figure.",
                share=share,
            ),
        )
    if compute_bound(results, "I_decode") and (share := large(results, "share_att")):
        yield Omitted(
            "share_att",
            "TPOT",
            tr("not counted: attention, {share} more operations", share=share),
            tr(
                "Decode is compute-bound and TPOT leaves out its attention operations, {share} on top of those counted. TPOT is "
                "a lower figure.",
                share=share,
            ),
        )
    if share := large(results, "share_embedding"):
        yield Omitted(
            "share_embedding",
            "TPOT",
            tr("counted but not read: tables, {share}", share=share),
            tr(
                "TPOT counts tables that decode only looks up, {share} of the weights. TPOT is an upper figure.",
                share=share,
            ),
        )
    if (
        (share := large(results, "share_prefill"))
        and (busy := value(results, "share_prefill"))
        and busy < 1
    ):
        tpot = bound.typical.quantity("TPOT")
        mean = Quantity(tpot.value / (1 - busy), tpot.unit)
        yield Omitted(
            "share_prefill",
            "TPOT",
            tr("with prefill interleaved {tpot}", tpot=said(mean)),
            tr(
                "Prefill takes {share} of a replica's time: with prefill interleaved, TPOT is {tpot} on average.",
                share=share,
                tpot=said(mean),
            ),
        )


def latency(bound: Bound, results: Results) -> Iterator[Omitted]:
    """The fixed latency of a step's all-reduces, as given or at 10 µs each for scale."""
    tpot = value(results, "TPOT")
    given = value(results, "t_latency") is not None
    try:
        time = bound.typical.quantity("t_latency") if given else would_be(bound)
        step = bound.typical.get("t_step_eff")
    except (Absent, Undefined):
        return
    if tpot is None or time.base / step <= LARGE:
        return
    parts = {"time": said(time), "share": percent(time.base / step)}
    yield Omitted(
        "t_latency",
        "TPOT",
        tr("not counted: all-reduce latency, {share}", share=parts["share"])
        if given
        else tr("not counted: all-reduce latency, {share} at 10 µs each", share=parts["share"]),
        tr(
            "TPOT leaves out the fixed latency of the all-reduces, {time} a step or {share} of TPOT. TPOT is a lower figure.",
            **parts,
        )
        if given
        else tr(
            "TPOT leaves out the fixed latency of the all-reduces, which is not given: 10 µs each would be {time} a step or "
            "{share} of TPOT. Measure it and set t_hop; TPOT is a lower figure.",
            **parts,
        ),
    )


def left_out(bound: Bound, results: Results) -> Iterator[Finding]:
    """A caution for each large term."""
    for one in omitted(bound, results):
        yield Finding(f"left_out_{one.id}", "warning", one.text)


def notes(bound: Bound, results: Results, target: str) -> list[Text]:
    """The marks on the cover's number."""
    return [one.note for one in omitted(bound, results) if one.target == target]


__all__ = ["left_out", "notes", "omitted", "would_be"]
