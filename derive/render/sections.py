"""The parts of the capacity document: their order, titles and opening words."""

from __future__ import annotations

from dataclasses import dataclass

from derive.text import Text, same, tr


@dataclass(frozen=True)
class Part:
    """A section or a group of derivations: its key, its title, one or two opening sentences."""

    key: str
    title: Text
    lead: Text | None = None


def parts(checklist: bool) -> list[Part]:
    """The numbered sections; the checklist only where the ledger has one."""
    found = [
        Part("verdict", tr("Verdict and findings")),
        Part("inputs", tr("Inputs and notation"), tr(
            "Every value with its basis and its source. Small numbers point to the sources at the end.")),
        Part("bytes", tr("Bytes moved per token"), tr(
            "The line that every launch document fills first: what one decode step reads from memory, and what "
            "each output token pays for it.")),
        Part("derivations", tr("Derivations"), tr(
            "One card a quantity, one row a step; the numbers below a line are those of this scenario.")),
        Part("figures", tr("Figures"), tr(
            "Drawn from the formulas of this document at peak and reachable rates.")),
        Part("levers", tr("Levers"), tr(
            "The elasticity says by how many percent the target changes when one input grows by one percent. "
            "It is derived from the branch that decides here, and holds near this operating point.")),
        Part("assumptions", tr("Assumptions and their size"), tr(
            "What the first-order model leaves out, each with its share in this case or the reason why none can be given.")),
    ]  # fmt: skip
    if checklist:
        found.append(Part("checklist", tr("On-call checklist"), tr(
            "The questions that decide an incident, answered with the numbers of this deployment.")))
    found.append(Part("sources", tr("Sources and reproduction")))
    return found


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
        Part("measured", tr("Measured figures and utilization")),
        Part("fleet", tr("Fleet, cost and energy")),
        Part("second", tr("Second-order terms")),
    ]


def group(key: str) -> Part:
    """A group by its key; one that is not known here keeps its key as title."""
    return next((g for g in groups() if g.key == key), Part(key, same(key)))


def document_kind() -> Text:
    """What this document is."""
    return tr("Capacity document")


def guide() -> list[tuple[Text, Text]]:
    """How to read the document: a word and its explanation."""
    return [
        (tr("calibre"), tr(
            "Peak is the datasheet's rate. Reachable multiplies it by MFU or MBU, a range with sources. "
            "Measured is what a run printed. The three are never mixed.")),
        (tr("signs"), tr(
            "= is exact, ≈ is rounded for display; every calculation runs on exact fractions. "
            "✓ is met or holds, × is missed or does not hold, – has no value and says why.")),
        (tr("colours"), tr("Blue is the memory side, orange the compute side, green met, red missed.")),
        (tr("checks"), tr(
            "sympy: the step is proved symbolically. points: both sides, read back from their printed text, agree at exact "
            "points. pint: the unit. recomputed: the value, a second time on an independent path.")),
        (tr("ledger"), tr(
            "The path at the foot of a card leads to its record in the attached JSON ledger, which anyone can prove again.")),
    ]  # fmt: skip


SECTION_OF_BYTES = "bytes"
