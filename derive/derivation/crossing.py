"""What algebra cannot solve is searched: a whole value, proved by evaluating both sides of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from derive.expression.tree import Node

FARTHEST = 2**30


@dataclass(frozen=True)
class Crossing:
    """What algebra cannot solve: the whole value of a symbol at which two sides meet.

    `largest` asks for the largest value with left ≤ right, `smallest` for the smallest; else for
    the value next to the meeting on the side where left ≥ right.
    """

    left: Node
    right: Node
    variable: str
    largest: bool = False
    smallest: bool = False

    @property
    def at_most(self) -> bool:
        """Whether the left side is to stay at or below the right one."""
        return self.largest or self.smallest


def search(meets: Callable[[int], bool], farthest: int = FARTHEST) -> tuple[int, int] | None:
    """Neighbouring whole values between which a condition changes; None where it never does."""
    start = meets(1)
    low, high = 1, 2
    while meets(high) == start:
        low, high = high, high * 2
        if high > farthest:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        if meets(middle) == start:
            low = middle
        else:
            high = middle
    return low, high
