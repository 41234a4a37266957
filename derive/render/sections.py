"""The parts of the capacity document: their order, titles and opening words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from derive.text import Text, same, tr

BYTES = "bytes"  # the group of derivations that stands in a section of its own


@dataclass(frozen=True)
class Part:
    """A section or a group of derivations: its key, its title, one or two opening sentences."""

    key: str
    title: Text
    lead: Text | None = None


def parts(*, checklist: bool, measured: bool = False, audit: bool = False) -> list[Part]:
    """The numbered sections; checklist, measured and audit only where the ledger has one."""
    inputs = tr(
        "Every value with its basis and its source. Small numbers point to the sources at the end."
    )
    moved = tr(
        "The line that every launch document fills first: what one decode step reads from memory, "
        "and what each output token pays for it."
    )
    cards = tr(
        "One card a quantity, one row a step; the numbers below a line are those of this scenario."
    )
    drawn = tr("Drawn from the formulas of this document at peak and reachable rates.")
    levers = tr(
        "The elasticity says by how many percent the target changes when one input grows by one "
        "percent. It is derived from the branch that decides here, and holds near this operating "
        "point."
    )
    left_out = tr(
        "What the first-order model leaves out, each with its share in this case or the reason why "
        "none can be given."
    )
    asked = tr(
        "The questions that decide an incident, answered with the numbers of this deployment."
    )
    ran = tr(
        "Each run beside the bound at its own load; the edges 0.3 and 0.6 of the bands are rules "
        "of thumb."
    )
    printed = tr(
        "What the vendor prints of the figures used here, held against every reading that the "
        "cited spec has for it."
    )
    return [
        Part("verdict", tr("Verdict and findings")),
        Part("inputs", tr("Inputs and notation"), inputs),
        Part("bytes", tr("Bytes moved per token"), moved),
        Part("derivations", tr("Derivations"), cards),
        Part("figures", tr("Figures"), drawn),
        Part("levers", tr("Levers"), levers),
        Part("assumptions", tr("Assumptions and their size"), left_out),
        *([Part("checklist", tr("On-call checklist"), asked)] if checklist else []),
        *([Part("measured", tr("Measured against the bound"), ran)] if measured else []),
        *([Part("audit", tr("The vendor's figures, audited"), printed)] if audit else []),
        Part("sources", tr("Sources and reproduction")),
    ]


def groups() -> list[Part]:
    """The groups of derivations, in the order of reading."""
    return [
        Part("ridge", tr("The ridge point and the two roofs")),
        Part("intensity", tr("Arithmetic intensity of prefill and decode")),
        Part("kv", tr("Bytes of the KV cache")),
        Part("floor", tr("The floor of TPOT")),
        Part("ttft", tr("Time to first token")),
        Part("step", tr("Step time, TPOT and throughput")),
        Part("batch", tr("Critical batch")),
        Part("wall", tr("The KV wall")),
        Part("memory", tr("Memory and concurrency")),
        Part("targets", tr("Targets and margins")),
        Part("measured", tr("Measured figures and utilization")),
        Part("fleet", tr("Fleet, cost and energy")),
        Part("queue", tr("Queueing: an estimate beside the bound")),
        Part("second", tr("Second-order terms")),
        Part("parallel", tr("Several devices")),
    ]


def group(key: str) -> Part:
    """A group by its key; one that is not known here keeps its key as title."""
    return next((g for g in groups() if g.key == key), Part(key, same(key)))


def checklist_groups() -> list[Part]:
    """The groups of the checklist, in the order of its lines."""
    return [
        Part("numbers", tr("Numbers next to the pager")),
        Part("alerts", tr("Alert thresholds")),
        Part("questions", tr("Six questions")),
        Part("levers", tr("Which lever helps")),
        Part("experiments", tr("Three experiments")),
        Part("symptoms", tr("What a symptom means, and the first action")),
        Part("bands", tr("Bands of the measured ratio")),
        Part("trust", tr("Whom to trust")),
    ]


def grouped(rows: Sequence[Mapping[str, Any]]) -> list[tuple[Part, list[Mapping[str, Any]]]]:
    """The lines of the checklist by group, empty groups left out; unknown groups come last."""
    known = checklist_groups()
    others = {row["group"] for row in rows} - {part.key for part in known}
    every = [*known, *(Part(key, same(key)) for key in sorted(others))]
    found = [(part, [row for row in rows if row["group"] == part.key]) for part in every]
    return [(part, lines) for part, lines in found if lines]


def line_heads(group: str) -> tuple[Text, Text]:
    """What the first two columns of a group hold."""
    if group == "symptoms":
        return tr("symptom"), tr("what it means here, and the first action")
    if group == "experiments":
        return tr("change"), tr("what the formulas expect")
    if group == "questions":
        return tr("question"), tr("answer here")
    return tr("line"), tr("here")


def checklist_kind() -> Text:
    """What a checklist on its own is."""
    return tr("On-call checklist")


def bases() -> dict[str, Text]:
    """Where a threshold is from."""
    return {
        "derived": tr("derived"),
        "rule of thumb": tr("rule of thumb"),
        "measured": tr("measured"),
        "target": tr("target"),
    }


def document_kind() -> Text:
    """What this document is."""
    return tr("Capacity document")


def severities() -> dict[str, Text]:
    """The names of a finding's severities."""
    return {"error": tr("error"), "warning": tr("caution"), "info": tr("note")}


def guide() -> list[tuple[Text, Text]]:
    """How to read the document: a word and its explanation."""
    calibres = tr(
        "Peak is the datasheet's rate. Reachable multiplies it by MFU or MBU, a range with "
        "sources. Measured is what a run printed. The three are never mixed."
    )
    signs = tr(
        "= is exact, ≈ is rounded for display; every calculation runs on exact fractions. "
        "✓ is met or holds, × is missed or does not hold, – has no value and says why. "
        "A time per token is that of one request: ms/token in results is ms·request/token among "
        "inserted values."
    )
    colours = tr("Blue is the memory side, orange the compute side, green met, red missed.")
    checks = tr(
        "sympy: the step is proved symbolically. points: both sides, read back from their printed "
        "text, agree at exact points. pint: the unit. recomputed: the value, a second time on an "
        "independent path."
    )
    ledger = tr(
        "The path at the foot of a card leads to its record in the attached JSON ledger, which "
        "anyone can prove again."
    )
    return [
        (tr("basis"), calibres),
        (tr("signs"), signs),
        (tr("colours"), colours),
        (tr("checks"), checks),
        (tr("ledger"), ledger),
    ]
