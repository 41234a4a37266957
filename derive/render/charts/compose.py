"""A whole figure: panels over one another, axes, the key, and the SVG around them."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

from derive.render.charts.figure import Item, Label, Panel, label, panels
from derive.render.charts.place import Box, tie
from derive.render.charts.plan import GAP, Plan, across, heights, named_above, plan, up
from derive.render.charts.scale import tick_text
from derive.render.charts.sheet import GUIDE, Sheet, Theme, n, path_data
from derive.render.charts.waterfall import waterfall
from derive.render.charts.words import TICK, Mode, axis_title, width, words
from derive.render.fonts import SANS_STACK

EDGE = 4.0
RIGHT = 22.0
NARROWEST = 240.0
HEIGHTS = {1: 290.0, 2: 190.0}


def compose(figure: Mapping[str, Any], mode: Mode, theme: Theme, wide: float) -> tuple[str, Sheet]:
    """The SVG text of a figure, and the sheet with the boxes of its texts."""
    if wide < NARROWEST:
        raise ValueError(f"a chart needs {NARROWEST:g} pixels")
    if "bars" in figure:
        sheet, bottom = waterfall(figure, mode, theme, wide)
        return _document(figure, mode, sheet, wide, bottom + EDGE), sheet
    parts = panels(figure)
    high = HEIGHTS.get(len(parts), 150.0)
    left, right = _margins(parts, high, wide)
    size = (wide - left - right, high)
    sheet, named = Sheet(theme), set[str]()
    top, left_over = EDGE, []
    for number, part in enumerate(parts):
        one = plan(part, size, (left - EDGE, right - EDGE), mode, named)
        named |= {i.id for i in named_above(part)} - {""}
        title = axis_title(part.y.label, part.y.unit, mode, wide - 2 * EDGE)
        sheet.words(title, Box(EDGE, top, EDGE + title.width, top + title.height), 1, "neutral")
        top += title.height + max(one.head + 9, 12)
        _paint(sheet, one, left, top, last=number == len(parts) - 1)
        top += high + 16
        left_over += one.left_over
    top += TICK
    title = axis_title(parts[0].x.label, parts[0].x.unit, mode, size[0])
    middle = left + size[0] / 2
    sheet.words(
        title,
        Box(middle - title.width / 2, top, middle + title.width / 2, top + title.height),
        0,
        "neutral",
    )
    bottom = _key(sheet, left_over, mode, (left, top + title.height), size[0])
    return _document(figure, mode, sheet, wide, bottom + EDGE), sheet


def _margins(parts: tuple[Panel, ...], high: float, wide: float) -> tuple[float, float]:
    """Room for the values beside the vertical axes, and for half of the outer values below."""
    axes = [axis for part in parts for axis in heights(part)]
    texts = [text for axis in axes for _, text in up(axis, high)]
    left = EDGE + 9 + max((width(text, TICK) for text in texts), default=0.0)
    below = across(parts[0].x, wide - left - RIGHT)
    ends = [EDGE + width(text, TICK) / 2 for _, text in (*below[:1], *below[-1:])]
    return max([left, *ends[:1]]), max([RIGHT, *ends[1:]])


def _paint(sheet: Sheet, one: Plan, left: float, top: float, last: bool) -> None:
    wide, high = one.x.length, one.y.length
    for band in one.panel.of("band"):
        start, end = sorted(min(max(one.x.at(v), 0.0), wide) for v in band.at[0])
        sheet.rect(Box(left + start, top, left + end, top + high), band.role, ".09")
        sheet.rect(Box(left + start, top - 2, left + end, top), band.role)
    grid = "".join(f"M{n(left + at)} {n(top)}v{n(high)}" for at, _ in one.across)
    grid += "".join(f"M{n(left)} {n(top + at)}h{n(wide)}" for at, _ in one.up)
    sheet.path(grid, "grid", "1")
    sheet.path(f"M{n(left)} {n(top + high)}h{n(wide)}", "ink", "1")
    for at, text in one.up:
        sheet.tick(text, left - 7, top + at + 4, -1)
    for at, text in one.across if last else ():
        sheet.tick(text, left + at, top + high + GAP + TICK, 0)
    for number, item in enumerate(one.panel.items):
        if item.kind != "mark":
            continue
        if item.axis == "x":
            at, stem = left + one.x.at(item.at[0][0]), one.stems.get(number, 0.0)
            data = f"M{n(at)} {n(top + high)}V{n(top - stem)}"
        else:
            data = f"M{n(left)} {n(top + one.y.at(item.at[0][0]))}h{n(wide)}"
        sheet.path(data, item.role, "1.2", GUIDE)
    for item, pieces in one.paths:
        sheet.line(item, [[(left + x, top + y) for x, y in piece] for piece in pieces])
    for item in one.panel.of("point"):
        x, y = one.spot(item.at[0])
        sheet.marker(item.role, (left + x, top + y), item.size)
    for placed in one.labels:
        ends = tie(placed.where.box, placed.where.anchor)
        if ends:
            sheet.path(path_data([(left + x, top + y) for x, y in ends]), placed.item.role, ".75")
        sheet.words(
            placed.words, placed.where.box.moved(left, top), placed.where.side, placed.item.role
        )


def _key(
    sheet: Sheet, items: list[Item], mode: Mode, corner: tuple[float, float], wide: float
) -> float:
    """What found no place on the drawing, named below it with its line or marker; the bottom."""
    left, top = corner
    for item in items:
        place = f" ({', '.join(map(tick_text, item.at[0]))})" if item.kind == "point" else ""
        text = words(Label(item.label.en + place, item.label.zh + place), mode, wide - 30)
        top += 8
        middle = top + text.height / 2  # also where a page hides one of two languages
        if item.kind == "point":
            sheet.marker(item.role, (left + 11, middle))
        elif item.kind == "band":
            sheet.rect(Box(left, middle - 5, left + 22, middle + 5), item.role, ".2")
        elif item.kind == "line":
            sheet.line(item, [[(left, middle), (left + 22, middle)]])
        else:
            sheet.path(path_data([(left, middle), (left + 22, middle)]), item.role, "1.2", GUIDE)
        sheet.words(
            text, Box(left + 30, top, left + 30 + text.width, top + text.height), 1, item.role
        )
        top += text.height
    return top


def _document(figure: Mapping[str, Any], mode: Mode, sheet: Sheet, wide: float, high: float) -> str:
    def said(words: Label) -> str:
        both = words.en if words.en == words.zh else f"{words.zh} / {words.en}"
        return escape({"en": words.en, "zh": words.zh, "both": both}[mode], quote=False)

    family = SANS_STACK.replace('"', "'") + ",sans-serif"
    lang = "" if mode == "both" else f' lang="{mode}"'
    # No ids at all: several charts can stand in one page. Digits of the font are tabular as drawn.
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="chart" role="img"{lang} '
        f'viewBox="0 0 {n(wide)} {n(high)}" width="{n(wide)}" height="{n(high)}" '
        f'font-family="{family}" font-size="12" '
        f'fill="{sheet.paint["ink"]}">'
        f"<title>{said(label(figure.get('title')))}</title>"
        f"<desc>{said(label(figure.get('alt')))}</desc>"
    )
    paper = (
        ""
        if sheet.theme == "css"
        else (f'<rect width="100%" height="100%" fill="{sheet.paint["paper"]}"/>')
    )
    return f"{head}{paper}{''.join(sheet.parts)}</svg>\n"
