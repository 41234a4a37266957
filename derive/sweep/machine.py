"""Running a program: NumPy arrays in registers, fractions where a double could decide wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from derive.expression.tree import Call, Node
from derive.sweep.program import Program, Search, Step

Array = NDArray[Any]
# rounding and comparing are decided exactly where a double is this near to the edge
NEAR, NEAR_OF_SIZE = 1e-9, 1e-12
# register, its tree or formula, position on the block, searched symbols -> exact value
Exactly = Callable[[int, Node | str, tuple[int, ...], dict[str, int]], Fraction | None]
Spans = tuple[tuple[int, int], ...]
Still = dict[
    int, tuple[Spans, Any]
]  # by register: where on its axes it was computed, and its value

PLAIN: dict[str, Callable[..., Array]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "min": np.minimum,
    "max": np.maximum,
    "pow": np.power,
    "negative": np.negative,
    "and": np.logical_and,
}
ROUND = {"floor": np.floor, "ceil": np.ceil}
COMPARE: dict[str, Callable[..., Array]] = {
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
}


class Machine:
    """One run of a program over one block."""

    def __init__(
        self, program: Program, axes: Sequence[Array], exactly: Exactly, still: Still, spans: Spans
    ) -> None:
        self.program, self.exactly, self.still, self.spans = program, exactly, still, spans
        self.registers: list[Any] = [None] * program.registers
        self.loops: dict[str, int] = {}  # symbol that a search varies -> its register
        for place, number in program.constants:
            self.registers[place] = number
        for place, axis in program.axes:
            self.registers[place] = axes[axis]

    def run(self) -> list[Any]:
        """The outputs: arrays in their own shape, single numbers, None where there is nothing."""
        with np.errstate(all="ignore"):
            known = self.program
            for step, free, axes in zip(known.steps, known.last_use, known.moved_by, strict=True):
                if len(axes) < len(self.spans):
                    self.once(step, tuple(self.spans[a] for a in axes))
                else:
                    self.do(step)
                for place in free:
                    self.registers[place] = None
        return [None if r is None else self.registers[r] for _, r in self.program.outputs]

    def once(self, step: Step, spans: Spans) -> None:
        """A step that does not change with every axis: the block before may have the same."""
        before = self.still.get(step.out)
        if before is None or before[0] != spans:
            self.do(step)
            self.still[step.out] = (spans, self.registers[step.out])
        else:
            self.registers[step.out] = before[1]

    def do(self, step: Step) -> None:
        """One step."""
        args = [self.registers[a] for a in step.args]
        if step.op in PLAIN:
            made = PLAIN[step.op](*args)
        elif step.op == "/0":
            made = np.where(np.equal(args[1], 0), np.nan, np.divide(*args))
        elif step.op in ROUND:
            made = self.round(step, args[0])
        elif step.op == "compare":
            made = self.compare(step, *args)
        elif step.op == "where":
            made = args[0] if np.all(args[1]) else np.where(args[1], args[0], np.nan)
        elif step.op == "at_least":
            held = np.greater_equal(args[0], args[1])
            made = args[0] if held.all() else np.where(held, args[0], np.nan)
        else:
            assert step.search
            made = self.search(step.search, args)
        self.registers[step.out] = made

    def exact(self, register: int, asked: Node | str, place: tuple[int, ...]) -> float:
        """One exact value as the nearest double, NaN where there is none."""
        at = {
            name: int(r.item() if np.ndim(r) == 0 else r[within(place, r.shape)])
            for name, register in self.loops.items()
            if (r := self.registers[register]) is not None
        }
        found = self.exactly(register, asked, place, at)
        return float("nan") if found is None else float(found)

    def round(self, step: Step, x: Array) -> Array:
        """Floor or ceil; near a whole number the exact argument decides."""
        made = ROUND[step.op](x)
        if step.detail != "sure":
            near = np.abs(x - np.rint(x)) <= NEAR + NEAR_OF_SIZE * np.abs(x)
            if near.any():
                assert step.tree is not None
                exact = Call(step.op, (step.tree,))  # rounded before it becomes a double
                for place in zip(*np.nonzero(near), strict=True):
                    made[place] = self.exact(step.out, exact, place)
        return np.asarray(made)

    def compare(self, step: Step, a: Any, b: Any) -> Array:
        """A comparison; where both sides are as good as equal the exact difference decides."""
        sign, _, sure = step.detail.partition(" ")
        made = np.asarray(COMPARE[sign](a, b))
        if not sure:
            near = np.abs(np.subtract(a, b)) <= NEAR_OF_SIZE * np.abs(b)
            if near.any():
                assert step.tree is not None
                for place in zip(*np.nonzero(near), strict=True):
                    made[place] = COMPARE[sign](self.exact(step.out, step.tree, place), 0.0)
        return made

    def search(self, asked: Search, args: Sequence[Any]) -> Array:
        """Doubling, then halving, all points together; doubtful ends are searched exactly."""
        shape = np.broadcast_shapes(*(np.shape(a) for a in args))
        self.loops[asked.variable] = asked.loop
        lost = np.zeros(shape, dtype=bool)

        def meets(numbers: Array, active: Array) -> Array:
            nonlocal lost
            left, right = self.sides(asked, numbers)
            lost |= active & (np.isnan(left) | np.isnan(right))
            return np.asarray(left <= right if asked.at_most else left >= right)

        everywhere = np.ones(shape, dtype=bool)
        low, high = np.ones(shape), np.full(shape, 2.0)
        start = meets(low, everywhere)
        if asked.largest:
            lost |= ~start
        # where 1 meets a target there is no smaller one
        active = ~lost & ~start if asked.smallest else ~lost
        number = 2.0  # the same for every point that still doubles
        while active.any():
            active &= meets(np.full((1,) * len(shape), number), active) == start
            low, number = np.where(active, number, low), number * 2
            high = np.where(active, number, high)
            lost |= active & (number > asked.farthest)
            active &= ~lost
        while (active := ~lost & (high - low > 1)).any():
            middle = np.floor((low + high) / 2)
            same = meets(middle, active) == start
            low = np.where(active & same, middle, low)
            high = np.where(active & ~same, middle, high)
        doubtful = np.zeros(shape, dtype=bool)
        for end in (low, high):
            left, right = self.sides(asked, end)
            doubtful |= np.abs(left - right) <= NEAR * np.abs(right)
        made = np.where(lost, np.nan, np.where(start, low, high))
        del self.loops[asked.variable]
        for step in asked.steps:
            self.registers[step.out] = None
        self.registers[asked.loop] = None
        for place in zip(*np.nonzero(doubtful), strict=True):
            made[place] = self.exact(asked.loop, asked.name, place)
        return made

    def sides(self, asked: Search, numbers: Array) -> tuple[Any, Any]:
        """Both sides of an equation for one number each."""
        self.registers[asked.loop] = numbers
        for step in asked.steps:
            self.do(step)
        return self.registers[asked.left], self.registers[asked.right]


def within(place: tuple[int, ...], shape: Sequence[int]) -> tuple[int, ...]:
    """A position of a block in an array that does not change along every axis."""
    return tuple(p if size > 1 else 0 for p, size in zip(place, shape, strict=True))
