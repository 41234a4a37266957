"""Pieces of a figure as plain data: coordinates, axes, curves, marks, tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from derive.derivation.points import Absent, Point, Undefined
from derive.text import Text, tr
from derive.units.writing import digits, significant

Figure = dict[str, Any]


PER_DECADE = 16  # points of a smooth curve on a logarithmic axis


def plain(value: Fraction, figures: int = 6) -> str:
    """A coordinate as a short decimal; whole numbers keep every digit."""
    return str(value) if value.denominator == 1 else significant(value, figures)


def written(value: Fraction) -> str:
    """A number inside a label, as prose prints it."""
    return digits(value)[0]


def ladder(low: int, high: int) -> list[int]:
    """1-2-3-5-7 values of each decade between two integers, ends included."""
    values = {low, high}
    decade = 1
    while decade <= high:
        values |= {
            decade * m // 2
            for m in (2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 18)
            if low <= decade * m // 2 <= high
        }
        decade *= 10
    return sorted(values)


def sampled(low: int, high: int, knees: Iterable[Fraction | None]) -> list[int]:
    """Whole values close enough for a smooth curve, with both neighbours of each knee."""
    found = {low, high, *ladder(low, high)}
    found |= {round(10 ** (Fraction(k, PER_DECADE))) for k in range(6 * PER_DECADE)}
    for knee in knees:
        found |= {int(knee), int(knee) + 1} if knee else set()
    return sorted(x for x in found if low <= x <= high)


def get(point: Point, name: str) -> Fraction | None:
    """A value or None."""
    try:
        return point.get(name)
    except (Absent, Undefined):
        return None


def axis(label: Text, unit: str, scale: str, values: list[Fraction]) -> dict[str, Any]:
    """An axis around its values; logarithmic ones end at 1-2-5 steps."""
    low, high = min(values), max(values)
    if scale == "log":
        return {
            "label": label.json(),
            "unit": unit,
            "scale": scale,
            "min": plain(low),
            "max": plain(high),
        }
    return {
        "label": label.json(),
        "unit": unit,
        "scale": scale,
        "min": "0",
        "max": plain(high * Fraction(11, 10)),
    }


def line(
    name: str, label: Text, role: str, points: list[tuple[Fraction, Fraction]], dash: bool = False
) -> dict[str, Any]:
    """A curve."""
    return {
        "id": name,
        "label": label.json(),
        "role": role,
        "dash": dash,
        "points": [[plain(x), plain(y)] for x, y in points],
    }


def mark(name: str, label: Text, role: str, axis_name: str, at: Fraction) -> dict[str, Any]:
    """A guide line."""
    return {"id": name, "label": label.json(), "role": role, "axis": axis_name, "at": plain(at)}


def dot(name: str, label: Text, role: str, x: Fraction, y: Fraction) -> dict[str, Any]:
    """A point."""
    return {"id": name, "label": label.json(), "role": role, "x": plain(x), "y": plain(y)}


def table(
    columns: list[tuple[Text, str]], rows: Sequence[Sequence[Fraction | None]]
) -> dict[str, Any]:
    """The data beside the drawing."""
    return {
        "columns": [{"label": label.json(), "unit": unit} for label, unit in columns],
        "rows": [["–" if v is None else plain(v, 4) for v in row] for row in rows],
    }


def here(point: Point, name: str) -> dict[str, Any]:
    """The guide of the scenario's own place on an axis."""
    at = point.get(name)
    return mark(name, tr("this scenario {value}", value=written(at)), "neutral", "x", at)
