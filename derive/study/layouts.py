"""Findings on layouts: what engines refuse or part unevenly, and weights that are read again."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from derive.derivation.points import Absent, Point
from derive.formula import standing_in
from derive.specs.types import Scenario
from derive.study.bind import Bound, bind
from derive.study.finding import Finding, Results, text, value
from derive.text import Text, tr
from derive.units import Quantity, show, unit


def refused_layouts(bound: Bound, _: Results) -> Iterator[Finding]:
    """Query heads and layers against the devices that share them."""
    point = bound.typical
    shared, stages, heads = (size(point, name) for name in ("TP", "PP", "H_q"))
    if shared is not None and heads is not None and heads % shared:
        parts = {"g": int(shared), "heads": int(heads)}
        yield Finding(
            "query_heads_split",
            "warning",
            tr(
                "{g} devices share each layer, more than its {heads} query heads: engines refuse such a TP. The figures "
                "here split all but the KV cache evenly and are bounds.",
                **parts,
            )
            if shared > heads
            else tr(
                "{heads} query heads do not divide evenly over the {g} devices that share each layer: engines mostly refuse "
                "such a TP. The figures here split all but the KV cache evenly and are bounds.",
                **parts,
            ),
        )
    layers = size(point, "L")
    if stages is not None and layers is not None and layers % stages:
        yield Finding(
            "stages_uneven",
            "warning",
            tr(
                "{layers} layers do not part evenly over {stages} stages: the longest holds {most}, which paces the others; "
                "the figures here count {even} in each.",
                layers=int(layers), stages=int(stages), most=-(-int(layers) // int(stages)),
                even=even(layers / stages),
            ),
        )  # fmt: skip


def layout_cautions(scenario: Scenario) -> list[Text]:
    """The same for commands that print values without findings."""
    bound = bind(scenario)
    with standing_in(bound.variants):
        return [finding.text for finding in refused_layouts(bound, {})]


def weights_read_again(_: Bound, results: Results) -> Iterator[Finding]:
    """Stages and groups read weights again that the least bytes of a step count once."""
    if all(value(results, name) for name in ("Q_laid", "Q_step", "I_decode")):
        yield Finding(
            "weights_read_again",
            "info",
            tr(
                "A step of this layout moves {laid}, {once} with every byte counted once: each micro-batch reads the weights "
                "of its stage again, each group its own copy. Its intensity of {decode}, the critical batches and the times "
                "count that.",
                laid=text(results, "Q_laid"), once=text(results, "Q_step"), decode=text(results, "I_decode"),
            ),
        )  # fmt: skip


def size(point: Point, name: str) -> Fraction | None:
    """A count, or None where it is not given."""
    try:
        return point.get(name)
    except Absent:
        return None


def even(share: Fraction) -> str:
    """Layers of a stage on average."""
    return show(Quantity(share, unit(""))).text


def usual(devices: Fraction, heads: Fraction) -> Fraction | None:
    """The next number of devices that divides the query heads; None past them."""
    tried = range(int(devices), int(heads) + 1)
    return next((Fraction(n) for n in tried if heads % n == 0), None)


__all__ = ["layout_cautions", "refused_layouts", "size", "usual", "weights_read_again"]
