"""Low and high of reachable values: the same formulas at every combination of the calibration.

`derive eval` states the smallest and the largest of those combinations; so does a block of a sweep.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from derive.formula import catalogue
from derive.study.bind import Bound
from derive.sweep.evaluate import Job, Spans, job_at
from derive.sweep.grid import Grid

ENDS = ("low", "high")


def has_range(name: str) -> bool:
    """Whether a value is reached only in part, and stated with a range."""
    return name in catalogue() and catalogue()[name].calibre == "reachable"


@dataclass(frozen=True)
class Ranged:
    """A combination with its ranges: one job at the typical calibration, one at each other."""

    typical: Job
    others: tuple[Job, ...]  # of the outputs that have a range
    ranged: tuple[bool, ...]  # by output of the typical job

    def run(self, spans: Spans) -> list[Any]:
        """The outputs of a block; low and high stand behind each that has a range."""
        found = self.typical.run(spans)
        middle = [value for value, both in zip(found, self.ranged, strict=True) if both]
        lows, highs = list(middle), list(middle)
        for other in self.others:
            _, *there = other.run(spans)  # whether it fits stands first
            lows = [lower(a, b) for a, b in zip(lows, there, strict=True)]
            highs = [upper(a, b) for a, b in zip(highs, there, strict=True)]
        ends = zip(middle, lows, highs, strict=True)
        made = []
        for value, both in zip(found, self.ranged, strict=True):
            made.append(value)
            made += [where(value, end) for end in next(ends)[1:]] if both else []
        return made


def lower(a: Any, b: Any) -> Any:
    """The smaller one of two values; a combination without a value has none to range over."""
    return b if a is None else a if b is None else np.fmin(a, b)


def upper(a: Any, b: Any) -> Any:
    """The larger one."""
    return b if a is None else a if b is None else np.fmax(a, b)


def where(value: Any, end: Any) -> Any:
    """An end of a range where there is a value at all."""
    return None if value is None else np.where(np.isnan(value), np.nan, end)[()]


def ranged_job(grid: Grid, bound: Bound, outputs: Sequence[str]) -> Ranged:
    """A combination compiled at every calibration, each once."""
    typical = job_at(grid, bound, bound.typical, outputs)
    ranged = (False, *(has_range(name) for name in outputs))
    several = [name for name in outputs if has_range(name)]
    points = {frozenset(p.given.items()): p for p in bound.corners}
    points.pop(frozenset(bound.typical.given.items()), None)
    others = tuple(job_at(grid, bound, point, several) for point in points.values())
    return Ranged(typical, others if several else (), ranged)
