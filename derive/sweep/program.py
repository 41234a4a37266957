"""The code reading: formula trees as a list of array operations, each subexpression once.

What does not change over the grid is computed here, exactly, and becomes a constant. Registers
hold arrays at run time; bounds known beforehand (sign, size, whole numbers) spare checks there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, floor, inf

from derive.expression.tree import Node

WHOLE_LIMIT = 2.0**53  # whole numbers below are exact in a double
SLACK = 1e-9  # bounds are computed in doubles: a difference that small may be none


@dataclass(frozen=True)
class Bounds:
    """What is known of all values of a register: least, largest, whether they are whole."""

    low: float = -inf
    high: float = inf
    whole: bool = False

    @property
    def exact(self) -> bool:
        """Whether doubles hold the values without rounding."""
        return self.whole and self.low > -WHOLE_LIMIT and self.high < WHOLE_LIMIT


@dataclass(frozen=True)
class Operand:
    """A constant, a register, or neither: a value that exists nowhere on the grid."""

    constant: Fraction | None = None
    register: int | None = None
    bounds: Bounds = field(default_factory=Bounds)

    @property
    def nowhere(self) -> bool:
        """Whether the value does not exist."""
        return self.constant is None and self.register is None


NOWHERE = Operand()


def fixed(value: Fraction) -> Operand:
    """A constant."""
    number = as_float(value)
    return Operand(value, None, Bounds(number, number, value.denominator == 1))


def as_float(value: Fraction) -> float:
    """The nearest double; beyond all doubles infinite."""
    try:
        return float(value)
    except OverflowError:
        return inf if value > 0 else -inf


@dataclass(frozen=True)
class Step:
    """One operation: registers in, one register out; `tree` is what an exact decision evaluates."""

    op: str
    out: int
    args: tuple[int, ...]
    tree: Node | None = None
    detail: str = ""  # the sign of a comparison; "sure" where rounding needs no exact decision
    exponent: int = 0
    search: Search | None = None


@dataclass(frozen=True)
class Search:
    """A whole value looked for by doubling and halving: the steps that compute both sides."""

    name: str
    variable: str
    loop: int
    steps: tuple[Step, ...]
    left: int
    right: int
    largest: bool
    smallest: bool
    farthest: int

    @property
    def at_most(self) -> bool:
        """Whether the left side is to stay at or below the right one."""
        return self.largest or self.smallest


@dataclass(frozen=True)
class Program:
    """Steps in order, the constants and axes they start from, and the outputs' registers."""

    registers: int
    constants: tuple[tuple[int, float], ...]
    axes: tuple[tuple[int, int], ...]  # register, number of the axis
    steps: tuple[Step, ...]
    outputs: tuple[tuple[str, int | None], ...]
    last_use: tuple[tuple[int, ...], ...]  # registers that no later step needs, by step
    moved_by: tuple[tuple[int, ...], ...]  # numbers of the axes that each step's value changes with


class Code:
    """What all scopes share: the count of registers, the constants, the axes."""

    def __init__(self) -> None:
        self.count = 0
        self.constants: dict[float, int] = {}
        self.axes: list[tuple[int, int]] = []

    def new(self) -> int:
        """A fresh register."""
        self.count += 1
        return self.count - 1

    def register(self, operand: Operand) -> int:
        """Where an operand lies at run time."""
        if operand.register is not None:
            return operand.register
        assert operand.constant is not None
        value = as_float(operand.constant)
        if value not in self.constants:
            self.constants[value] = self.new()
        return self.constants[value]

    def axis(self, number: int, bounds: Bounds) -> Operand:
        """The register that an axis fills."""
        place = self.new()
        self.axes.append((place, number))
        return Operand(None, place, bounds)


class Scope:
    """A list of steps under construction; the body of a search has one of its own within it."""

    def __init__(self, code: Code, outer: Scope | None = None) -> None:
        self.code, self.outer = code, outer
        self.steps: list[Step] = []
        self.known: dict[tuple[object, ...], Operand] = {}
        self.own: set[int] = set()

    def loop(self, bounds: Bounds) -> Operand:
        """The register of the value that a search varies."""
        place = self.code.new()
        self.own.add(place)
        return Operand(None, place, bounds)

    def emit(
        self,
        op: str,
        args: Sequence[Operand],
        bounds: Bounds,
        *,
        tree: Node | None = None,
        detail: str = "",
        exponent: int = 0,
        search: Search | None = None,
    ) -> Operand:
        """The operand of an operation, the same as before where it was made before."""
        places = tuple(self.code.register(a) for a in args)
        if self.outer and self.own.isdisjoint(places):  # the same in every round of the search
            return self.outer.emit(op, args, bounds, tree=tree, detail=detail,
                                   exponent=exponent, search=search)  # fmt: skip
        key = (op, places, detail, exponent, search and search.name)
        if key not in self.known:
            made = Step(op, self.code.new(), places, tree, detail, exponent, search)
            self.steps.append(made)
            self.own.add(made.out)
            self.known[key] = Operand(None, made.out, bounds)
        return self.known[key]

    @property
    def needs(self) -> list[Operand]:
        """What the steps read from outside."""
        constant = set(self.code.constants.values())
        read = dict.fromkeys(a for step in self.steps for a in step.args)
        return [Operand(None, a) for a in read if a not in self.own and a not in constant]


def add(a: Bounds, b: Bounds) -> Bounds:
    """The bounds of a sum."""
    return settled(a.low + b.low, a.high + b.high, a.whole and b.whole)


def subtract(a: Bounds, b: Bounds) -> Bounds:
    """The bounds of a difference; one that may be rounding alone is not above zero."""
    low, high = a.low - b.high, a.high - b.low
    whole = a.whole and b.whole
    if not whole:
        low -= SLACK * max(abs(a.low), abs(b.high))
        high += SLACK * max(abs(a.high), abs(b.low))
    return settled(low, high, whole)


def multiply(a: Bounds, b: Bounds) -> Bounds:
    """The bounds of a product."""
    ends = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
    return settled(min(ends), max(ends), a.whole and b.whole)


def divide(a: Bounds, b: Bounds) -> Bounds:
    """The bounds of a quotient: none where the divisor may be zero."""
    if not b.low > 0:
        return Bounds()
    ends = [x / y for x in (a.low, a.high) for y in (b.low, b.high)]
    return settled(min(ends), max(ends), False)


def settled(low: float, high: float, whole: bool) -> Bounds:
    """Bounds, or none where infinities met."""
    if low != low or high != high:
        return Bounds()
    return Bounds(low, high, whole)


def rounded(op: str, a: Bounds) -> Bounds:
    """The bounds of floor or ceil; rounding may go to the neighbour of a bound's own value."""
    if a.low == -inf or a.high == inf:
        return Bounds(whole=True)
    to = floor if op == "floor" else ceil
    slack = SLACK * max(1.0, abs(a.low), abs(a.high))
    return Bounds(float(to(a.low - slack)), float(to(a.high + slack)), True)


def finished(scope: Scope, outputs: Sequence[tuple[str, Operand]]) -> Program:
    """The program; where each register is used last, so that its array can go."""
    code = scope.code
    places = [(name, None if o.nowhere else code.register(o)) for name, o in outputs]
    kept = {place for _, place in places} | set(code.constants.values())
    kept |= {place for place, _ in code.axes}
    last: dict[int, int] = {}
    for number, step in enumerate(scope.steps):
        last |= dict.fromkeys((*step.args, step.out), number)
    free: list[list[int]] = [[] for _ in scope.steps]
    for place, number in last.items():
        if place not in kept:
            free[number].append(place)
    constants = tuple((place, value) for value, place in code.constants.items())
    return Program(
        code.count, constants, tuple(code.axes), tuple(scope.steps), tuple(places),
        tuple(tuple(sorted(f)) for f in free), moved(code, scope.steps),
    )  # fmt: skip


def moved(code: Code, steps: Sequence[Step]) -> tuple[tuple[int, ...], ...]:
    """The axes behind each step."""
    axes = {place: {number} for place, number in code.axes}
    for step in steps:
        axes[step.out] = set[int]().union(*(axes.get(a, ()) for a in step.args))
    return tuple(tuple(sorted(axes[step.out])) for step in steps)
