"""What a printed number stands for: the interval of half a unit of its last significant digit."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

DIGITS = re.compile(r"[0-9][0-9,]*(?:\.[0-9]+)?")


@dataclass(frozen=True)
class Interval:
    """Closed interval of exact numbers in base units."""

    low: Fraction
    high: Fraction

    @staticmethod
    def of(value: Fraction, half: Fraction = Fraction(0)) -> Interval:
        """A value with what it may be off by."""
        return Interval(value - half, value + half) if half else Interval(value, value)

    @property
    def middle(self) -> Fraction:
        """The centre."""
        exact = self.low is self.high or self.low == self.high
        return self.low if exact else (self.low + self.high) / 2

    def meets(self, other: Interval) -> bool:
        """Whether the two have a number in common."""
        return self.low <= other.high and other.low <= self.high

    def __add__(self, other: Interval) -> Interval:
        return Interval(self.low + other.low, self.high + other.high)

    def __sub__(self, other: Interval) -> Interval:
        return Interval(self.low - other.high, self.high - other.low)

    def __mul__(self, other: Interval) -> Interval:
        ends = [a * b for a in (self.low, self.high) for b in (other.low, other.high)]
        return Interval(min(ends), max(ends))

    def __truediv__(self, other: Interval) -> Interval:
        if other.low <= 0 <= other.high:
            raise ZeroDivisionError("the divisor may be zero")
        return self * Interval(1 / other.high, 1 / other.low)

    def scaled(self, factor: Fraction | int) -> Interval:
        """Every number of it times an exact factor."""
        if self.low is self.high:
            return Interval.of(self.low * factor)
        ends = self.low * factor, self.high * factor
        return Interval(*ends) if factor >= 0 else Interval(*reversed(ends))


def half_unit(digits: str, *, rounded: bool = False) -> Fraction:
    """Half a unit of the last significant digit of plain digits (`1979`, `3.35`, `1,000`).

    Trailing zeros of an integer count, unless the text says that the number is rounded.
    """
    plain = digits.replace(",", "").lstrip("+-")
    whole, _, decimals = plain.partition(".")
    if decimals:
        return Fraction(1, 2 * 10 ** len(decimals))
    if rounded:
        kept = whole.rstrip("0") or whole[:1]
        return Fraction(10 ** (len(whole) - len(kept)), 2)
    return Fraction(1, 2)


@lru_cache(maxsize=4096)
def half_of(text: str, value: Fraction | None = None, *, about: bool = False) -> Fraction:
    """Half a unit of the last digit of a written number (`989.5 TFLOP/s`), in its own unit.

    `value` is what the text was read as, where words like million multiply its digits.
    """
    digits = DIGITS.search(text)
    if digits is None:
        return Fraction(0)
    half, shown = half_unit(digits[0], rounded=about), Fraction(digits[0].replace(",", ""))
    return half if value is None or not shown else half * abs(value) / shown
