"""Values to pixels, and the round values that name an axis."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from derive.render.charts.figure import Axis

FAR = 1e5  # pixels; where a logarithmic axis puts zero


@dataclass(frozen=True)
class Scale:
    """One axis over `length` pixels; a rising axis counts from the bottom."""

    axis: Axis
    length: float
    rising: bool = False

    def at(self, value: float) -> float:
        """The pixel of a value, also outside the range."""
        if self.axis.log:
            low, high = math.log(self.axis.low), math.log(self.axis.high)
            share = (math.log(value) - low) / (high - low) if value > 0 else -FAR
        else:
            share = (value - self.axis.low) / (self.axis.high - self.axis.low)
        share = min(max(share, -FAR), FAR)
        return self.length * (1 - share if self.rising else share)

    def ticks(self, room: Callable[[str], float]) -> list[tuple[float, str]]:
        """The finest round values whose texts, each taking `room` pixels, stand apart."""
        chosen: list[tuple[float, str]] = []
        for values in self._choices():
            ticks = [(self.at(value), tick_text(value)) for value in values]
            if len(ticks) < 2:
                break
            chosen = ticks
            if self._apart(ticks, room):
                return ticks
        return chosen[:1]  # not even two fit: one still fixes the scale

    def _apart(self, ticks: list[tuple[float, str]], room: Callable[[str], float]) -> bool:
        placed = sorted(ticks)
        return len({text for _, text in placed}) == len(placed) and all(
            right - left >= (room(a) + room(b)) / 2 for (left, a), (right, b) in pairwise(placed)
        )

    def _choices(self) -> Iterator[list[float]]:
        """Sets of round values from fine to coarse: 1-2-5, decades, every other decade."""
        low, high = self.axis.low, self.axis.high
        if self.axis.log:
            first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
            sets: Iterable[tuple[tuple[int, ...], int]] = (
                ((1, 2, 5), 1),
                ((1,), 1),
                ((1,), 2),
                ((1,), 3),
                ((1,), 6),
                ((1,), 12),
            )
            for mantissas, step in sets:
                start = math.ceil(first / step) * step
                values = [
                    float(f"{m}e{d}") for d in range(start, last + 1, step) for m in mantissas
                ]
                inside = [v for v in values if low <= v <= high]
                if len(inside) >= (3 if len(mantissas) > 1 else 2):
                    yield inside
            if math.log10(high / low) > 2:
                return
        span = high - low
        power = math.floor(math.log10(span)) - 2
        for exponent in range(power, power + 4):
            for mantissa in (1, 2, 5):
                size = float(f"{mantissa}e{exponent}")
                start, end = math.ceil(low / size - 1e-9), math.floor(high / size + 1e-9)
                if end - start <= 24:
                    yield [_times(k, mantissa, exponent) for k in range(start, end + 1)]


def _times(count: int, mantissa: int, exponent: int) -> float:
    """A whole number × mantissa × 10^exponent, rounded once."""
    return float(f"{count * mantissa}e{exponent}")


def tick_text(value: float) -> str:
    """A tick's value, digits grouped by thousands; very large and small ones as 2e9."""
    if value == 0:
        return "0"
    if 1e-4 <= abs(value) < 1e7:
        return f"{value:,.10f}".rstrip("0").rstrip(".").replace("-", "−")
    mantissa, exponent = f"{value:.9e}".split("e")
    return f"{mantissa.rstrip('0').rstrip('.')}e{int(exponent)}".replace("-", "−")
