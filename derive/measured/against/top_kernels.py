"""The longest kernels of a profile as rows; with a point, the time each needs on one device."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from derive.derivation.points import Point
from derive.measured.record import Kernel
from derive.study.results import exact_text, friendly
from derive.units import Quantity, show, unit

Record = dict[str, Any]
MOST = 12  # rows; the others are counted, their time is in the total


def longest(found: Sequence[Kernel]) -> list[Kernel]:
    """By time, then by name."""
    return sorted((k for k in found if k.time), key=lambda k: (-k.time, k.name))


def roof(point: Point, intensity: Fraction) -> Fraction:
    """FLOP/s that the devices of a point attain at an intensity."""
    peak, rate = point.get("P_peak"), point.get("B_peak")
    return point.get("g") * min(peak, intensity * rate)


def kernels_record(found: Sequence[Kernel], point: Point | None = None) -> Record | None:
    """The table of a profile; None where nothing took time."""
    every = longest(found)
    if not every:
        return None
    total = sum((k.time for k in every), Fraction(0))
    return {
        "count": len(every),
        "total": written(total, "ms"),
        "rows": [kernel_record(k, total, point) for k in every[:MOST]],
    }


def kernel_record(kernel: Kernel, total: Fraction, point: Point | None) -> Record:
    """One kernel; what its file does not tell is None."""
    known = kernel.flops and kernel.traffic
    bound = bound_of(kernel, point) if point else None
    return {
        "name": kernel.name,
        "calls": kernel.calls,
        "time": written(kernel.time, "µs"),
        "share": written(kernel.time / total, ""),
        "flops": written(kernel.flops, "GFLOP"),
        "traffic": written(kernel.traffic, "MB"),
        "intensity": written(kernel.flops / kernel.traffic, "FLOP/byte") if known else None,  # type: ignore[operator]
        "bound": written(bound, "µs"),
        "reached": written(bound / kernel.time, "") if bound else None,
        "how": kernel.how.json() if kernel.how else None,
    }


def bound_of(kernel: Kernel, point: Point) -> Fraction | None:
    """The longer of its operations and of its bytes at the roofs of one device."""
    if not kernel.flops or not kernel.traffic:
        return None
    return max(kernel.flops / point.get("P_peak"), kernel.traffic / point.get("B_peak"))


def written(base: Fraction | None, units: str) -> Record | None:
    """A value of base units, exact and as printed."""
    if base is None:
        return None
    quantity = Quantity(base / unit(units).factor, unit(units))
    return {
        "value": float(quantity.value),
        "unit": units,
        "exact": exact_text(quantity.value),
        "display": friendly(show(quantity).text),
    }
