"""A waterfall: one row a term, its bar from where the sum stood to where it stands then."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from derive.render.charts.figure import Axis, axis_of, label, number
from derive.render.charts.place import Box
from derive.render.charts.scale import Scale
from derive.render.charts.sheet import Sheet, Theme, n
from derive.render.charts.words import TICK, Mode, axis_title, width, words

EDGE, GAP = 4.0, 10.0
NAMES = 0.36  # the share of the width that names take at most
ROOM = 62.0  # for the change that is printed behind a bar
BAR, SPACE = 13.0, 7.0
HAIR = 1.2  # a bar of almost nothing is still seen
ROLES = ("memory", "compute")


def waterfall(
    figure: Mapping[str, Any], mode: Mode, theme: Theme, wide: float
) -> tuple[Sheet, float]:
    """The drawing and its height."""
    sheet, axis = Sheet(theme), axis_of(figure["x"])
    bars = [(bar, number(bar["from"]), number(bar["to"])) for bar in figure["bars"]]
    texts = [[cell.replace("-", "−") for cell in row] for row in figure["table"]["rows"]]
    names = [words(label(bar.get("label")), mode, wide * NAMES) for bar, *_ in bars]
    left = EDGE + max((name.width for name in names), default=0.0) + GAP
    scale = Scale(stretched(axis, bars), wide - left - ROOM)
    top, ends = EDGE, list[tuple[float, float]]()
    for (bar, low, high), name, row in zip(bars, names, texts, strict=True):
        tall = max(name.height, BAR)
        middle = top + tall / 2
        box = Box(EDGE, middle - name.height / 2, left - GAP, middle + name.height / 2)
        sheet.words(name, box, -1, "neutral")
        start, end = sorted((left + scale.at(low), left + scale.at(high)))
        total = bar.get("role") == "total"
        role = str(bar.get("role")) if bar.get("role") in ROLES else "ink"
        shape = Box(start, middle - BAR / 2, max(end, start + HAIR), middle + BAR / 2)
        sheet.rect(shape, role, "" if total or high >= low else ".45")
        sign = "" if low == 0 or high < low else "+"
        sheet.tick(sign + row[1 if total else 0], max(end, start + HAIR) + 5, middle + 4, 1)
        ends.append((left + scale.at(high), middle))
        top += tall + SPACE
    for (x, above), (_, below) in pairwise(ends):
        sheet.path(f"M{n(x)} {n(above + BAR / 2)}V{n(below - BAR / 2)}", "ink", ".75")
    sheet.path(f"M{n(left)} {n(top)}h{n(scale.length)}", "ink", "1")
    for at, text in scale.ticks(lambda text: width(text, TICK) + 10):
        sheet.tick(text, left + at, top + 5 + TICK, 0)
    top += 12 + TICK
    title = axis_title(axis.label, axis.unit, mode, wide - left)
    centre = left + scale.length / 2
    place = Box(centre - title.width / 2, top, centre + title.width / 2, top + title.height)
    sheet.words(title, place, 0, "neutral")
    return sheet, top + title.height


def stretched(axis: Axis, bars: list[tuple[Any, float, float]]) -> Axis:
    """The axis from nought to the longest bar."""
    most = max((max(low, high) for _, low, high in bars), default=1.0)
    return Axis(axis.label, axis.unit, False, 0.0, most or 1.0)
