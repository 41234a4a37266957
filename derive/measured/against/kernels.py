"""Profiled kernels as a record: the longest first, each with its place under the roof."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from derive.derivation.points import Point
from derive.measured.record import Kernel
from derive.study.results import exact_text, friendly
from derive.units import Quantity, show, unit

Record = dict[str, Any]
MOST = 20  # rows; the others are counted, their time is in the total
MILLI = Fraction(1, 1000)


def longest(found: Sequence[Kernel]) -> list[Kernel]:
    """By time, then by name."""
    return sorted(found, key=lambda k: (-k.time, k.name))


def roof(point: Point, intensity: Fraction) -> Fraction:
    """FLOP/s that the devices of a point attain at an intensity."""
    peak, rate = point.get("P_peak"), point.get("B_peak")
    return point.get("g") * min(peak, intensity * rate)


def kernels_record(found: Sequence[Kernel], point: Point | None = None) -> Record | None:
    """The table of a profile; with a point also the roof of one device over each kernel."""
    whole = sum((k.time for k in found), Fraction(0))
    if not whole:
        return None
    times = "ms" if whole >= MILLI else "µs"  # one unit for the column
    one = point.with_(g=Fraction(1)) if point else None
    rows = [kernel_record(k, whole, times, one) for k in longest(found)[:MOST]]
    return {
        "count": len(found),
        "time": written(whole, times),
        "shown": written(sum((k.time for k in longest(found)[:MOST]), Fraction(0)) / whole, ""),
        "rows": rows,
    }


def kernel_record(kernel: Kernel, whole: Fraction, times: str, point: Point | None) -> Record:
    """One kernel; what its file does not tell is None."""
    placed = kernel.flops and kernel.traffic and kernel.time
    intensity = kernel.flops / kernel.traffic if placed else None  # type: ignore[operator]
    rate = kernel.flops / kernel.time if kernel.flops and kernel.time else None
    top = roof(point, intensity) if point and intensity else None
    side = None
    if point and intensity:
        side = "compute" if intensity >= point.get("I_ridge") else "memory"
    return {
        "name": kernel.name,
        "calls": kernel.calls,
        "time": written(kernel.time, times),
        "share": written(kernel.time / whole, ""),
        "intensity": written(intensity, "FLOP/byte") if intensity else None,
        "compute": written(rate, "TFLOP/s") if rate else None,
        "roof": written(top, "TFLOP/s") if top else None,
        "of_roof": written(rate / top, "") if rate and top else None,
        "side": side,
        "how": kernel.how.json() if kernel.how else None,
    }


def written(base: Fraction, units: str) -> Record:
    """A value of base units, exact and as printed."""
    quantity = Quantity(base / unit(units).factor, unit(units))
    return {
        "value": float(quantity.value),
        "unit": units,
        "exact": exact_text(quantity.value),
        "display": friendly(show(quantity).text),
    }
