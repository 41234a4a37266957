"""One block evaluated: what a process of any machine needs for it, and nothing else."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from threading import Lock
from typing import Any

import numpy as np

from derive.derivation.points import Absent, Point, Undefined
from derive.expression.tree import Node
from derive.expression.value import value
from derive.formula import standing_in
from derive.study.bind import Bound
from derive.sweep.axes import Numbers
from derive.sweep.grid import Grid
from derive.sweep.machine import Array, Machine, Still
from derive.sweep.program import Bounds, Program
from derive.sweep.reading import compiled

MOST_KEPT = 100_000  # exact decisions that are remembered between blocks
Spans = Sequence[tuple[int, int]]
DECIDING = Lock()  # which variants stand in is a state of the process


class Kept:
    """What blocks share: exact decisions, and values that their common axes give; never sent."""

    def __init__(self) -> None:
        self.decided: OrderedDict[tuple[Any, ...], Fraction | None] = OrderedDict()
        self.still: Still = {}

    def __reduce__(self) -> tuple[type[Kept], tuple[()]]:
        """Another process starts afresh."""
        return Kept, ()


@dataclass(frozen=True)
class Job:
    """A combination ready to be evaluated: program, exact inputs, axes."""

    program: Program
    given: Mapping[str, Fraction]
    variants: tuple[str, ...]
    axes: tuple[Numbers, ...]
    follow: Mapping[str, Node]
    kept: Kept = field(default_factory=Kept, compare=False)

    def run(self, spans: Spans) -> list[Any]:
        """The outputs of a block, each in the shape of the axes that it depends on."""
        axes = [
            shaped(axis_values(axis, start, stop, base=True), number, len(self.axes))
            for number, (axis, (start, stop)) in enumerate(zip(self.axes, spans, strict=True))
        ]
        starts = [start for start, _ in spans]

        def exactly(
            register: int, asked: Node | str, place: tuple[int, ...], at: Mapping[str, int]
        ) -> Fraction | None:
            index = tuple(p + s for p, s in zip(place, starts, strict=True))
            return self.exactly(register, asked, index, at)

        return Machine(self.program, axes, exactly, self.kept.still, tuple(spans)).run()

    def exactly(
        self, register: int, asked: Node | str, index: tuple[int, ...], at: Mapping[str, int]
    ) -> Fraction | None:
        """A tree's or a formula's exact value at one point, None where there is none."""
        given = self.given_at(index)
        given |= {name: Fraction(number) for name, number in at.items()}
        key = (register, *index, *at.items())
        kept = self.kept.decided
        if key not in kept:
            with DECIDING, standing_in(self.variants):
                point = Point(given)
                try:
                    kept[key] = value_at(point, asked)
                except (Absent, Undefined):
                    kept[key] = None
            if len(kept) > MOST_KEPT:
                kept.popitem(last=False)
        return kept[key]

    def given_at(self, index: Sequence[int]) -> dict[str, Fraction]:
        """The exact inputs at one point."""
        found = dict(self.given)
        for axis, place in zip(self.axes, index, strict=True):
            found[axis.symbol] = axis.base(place)
        for name, tree in self.follow.items():
            found[name] = value(tree, found.__getitem__)
        return found


def value_at(point: Point, asked: Node | str) -> Fraction:
    """A formula's value, or a tree's."""
    return point.get(asked) if isinstance(asked, str) else point.value(asked)


def job(grid: Grid, bound: Bound, outputs: Sequence[str]) -> Job:
    """A combination compiled, at its typical calibration."""
    return job_at(grid, bound, bound.typical, outputs)


def job_at(grid: Grid, bound: Bound, point: Point, outputs: Sequence[str]) -> Job:
    """A combination compiled at one calibration."""
    axes = {a.symbol: (n, bounds_of(a)) for n, a in enumerate(grid.inner)}
    with DECIDING, standing_in(bound.variants):
        program = compiled(point, axes, grid.follow, outputs, bound.derived)
    return Job(program, point.given, bound.variants, grid.inner, grid.follow)


def bounds_of(axis: Numbers) -> Bounds:
    """Least and largest value of an axis in base units."""
    ends = [e for s in axis.spans for e in (s.start, s.start + (s.count - 1) * s.step)]
    low, high = (float(end * axis.unit.factor) for end in (min(ends), max(ends)))
    return Bounds(low, high, axis.whole and axis.unit.factor.denominator == 1)


def axis_values(axis: Numbers, start: int, stop: int, *, base: bool) -> Array:
    """Values of an axis, correctly rounded, in base units or in the contract unit."""
    made, before = list[Array](), 0
    factor = axis.unit.factor if base else Fraction(1)
    for span in axis.spans:
        low, high = max(start - before, 0), min(stop - before, span.count)
        before += span.count
        if low >= high:
            continue
        first, step = span.start * factor, span.step * factor
        below = first.denominator * step.denominator
        top, rise = int(first * below), int(step * below)
        if max(below, top + rise * span.count) < 2**53:  # whole numbers: one rounding, at the end
            made.append((top + rise * np.arange(low, high, dtype=np.int64)) / below)
        else:
            made.append(np.array([float(first + step * i) for i in range(low, high)]))
    return np.concatenate(made) if len(made) > 1 else made[0]


def shaped(values: Array, number: int, axes: int) -> Array:
    """An axis laid along its own direction of the block."""
    return values.reshape([-1 if n == number else 1 for n in range(axes)])
