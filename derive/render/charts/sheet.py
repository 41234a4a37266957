"""The drawing surface: SVG elements as text, and the boxes they take."""

from __future__ import annotations

from html import escape
from typing import Literal

from derive.render.charts.figure import Item
from derive.render.charts.place import Box, Spot
from derive.render.charts.words import ASCENT, LEADING, TICK, Run, Words, width

Theme = Literal["light", "dark", "css"]

# Text colours keep a contrast of 4.5 to 1 on the paper (tested).
PALETTES: dict[str, dict[str, str]] = {
    "light": {
        "paper": "#ffffff",
        "ink": "#1b1f24",
        "grid": "#e4e7eb",
        "memory": "#1f5fa8",
        "compute": "#b04a00",
        "met": "#1a7f37",
        "missed": "#b3261e",
    },
    "dark": {
        "paper": "#15181c",
        "ink": "#e6e9ee",
        "grid": "#30363e",
        "memory": "#74b3ff",
        "compute": "#ffac5f",
        "met": "#62d08c",
        "missed": "#ff8f86",
    },
}
# Roles differ by more than colour: dashes of lines (plain, and of lines marked as dashed), markers.
DASHES = {
    "memory": ("", "5 3"),
    "compute": ("14 3", "3 3"),
    "met": ("9 3 2 3", "2 2"),
    "missed": ("6 3", "6 3 2 3 2 3"),
    "neutral": ("", "4 4"),
}
GUIDE = "2 3"
ANCHORS = {-1: ' text-anchor="end"', 0: ' text-anchor="middle"', 1: ""}


def paints(theme: Theme) -> dict[str, str]:
    """Role to paint. In theme `css` the page's own variables decide."""
    roles = PALETTES.get(theme) or {name: f"var(--{name})" for name in PALETTES["light"]}
    return {**roles, "neutral": roles["ink"]}


class Sheet:
    """Collects elements in drawing order."""

    def __init__(self, theme: Theme) -> None:
        self.paint = paints(theme)
        self.theme = theme
        self.parts: list[str] = []
        self.texts: list[Box] = []
        self.markers: list[Box] = []

    def rect(self, box: Box, role: str, opacity: str = "") -> None:
        """A filled area."""
        fade = f' fill-opacity="{opacity}"' if opacity else ""
        self.parts.append(
            f'<rect x="{n(box.left)}" y="{n(box.top)}" width='
            f'"{n(box.right - box.left)}" height="{n(box.bottom - box.top)}" '
            f'fill="{self.paint[role]}"{fade}/>'
        )

    def path(self, data: str, role: str, thick: str = "1.5", dash: str = "") -> None:
        """A stroked line."""
        broken = f' stroke-dasharray="{dash}"' if dash else ""
        self.parts.append(
            f'<path d="{data}" fill="none" stroke="{self.paint[role]}" '
            f'stroke-width="{thick}" stroke-linejoin="round"{broken}/>'
        )

    def line(self, item: Item, pieces: list[list[Spot]]) -> None:
        """A data line."""
        if pieces:
            self.path("".join(map(path_data, pieces)), item.role, dash=DASHES[item.role][item.dash])

    def marker(self, role: str, spot: Spot, size: float = 1.0) -> None:
        """A point: each role has its own shape, rimmed with the paper's colour."""
        x, y = spot
        half = 4 * size
        self.markers.append(Box(x - half, y - half, x + half, y + half))
        rim = f'fill="{self.paint[role]}" stroke="{self.paint["paper"]}" stroke-width="1.2"'
        if role == "memory":
            self.parts.append(f'<circle cx="{n(x)}" cy="{n(y)}" r="{n(4.2 * size)}" {rim}/>')
            return
        if role == "missed":
            arm, across = 3.5 * size, n(7 * size)
            cross = f"M{n(x - arm)} {n(y - arm)}l{across} {across}m0-{across}l-{across} {across}"
            self.path(cross, role, "2")
            return
        shapes: dict[str, list[Spot]] = {
            "compute": [(-3.8, -3.8), (3.8, -3.8), (3.8, 3.8), (-3.8, 3.8)],
            "met": [(0, -4.8), (4.6, 3.4), (-4.6, 3.4)],
            "neutral": [(0, -5), (5, 0), (0, 5), (-5, 0)],
        }
        data = "L".join(f"{n(x + size * dx)} {n(y + size * dy)}" for dx, dy in shapes[role])
        self.parts.append(f'<path d="M{data}z" {rim}/>')

    def tick(self, text: str, x: float, y: float, side: int) -> None:
        """A value beside an axis."""
        wide = width(text, TICK)
        left = {-1: x - wide, 0: x - wide / 2, 1: x}[side]
        self.texts.append(Box(left, y - 9, left + wide, y + 2))
        self.parts.append(
            f'<text x="{n(x)}" y="{n(y)}" font-size="{n(TICK)}" fill-opacity=".75"'
            f"{ANCHORS[side]}>{escape(text)}</text>"
        )

    def words(self, words: Words, box: Box, side: int, role: str) -> None:
        """Lines of text in a box."""
        x = {-1: box.right, 0: (box.left + box.right) / 2, 1: box.left}[side]
        fill = "" if role == "neutral" else f' fill="{self.paint[role]}"'
        self.texts.append(box)
        for row, line in enumerate(words.lines):
            y = box.top + ASCENT + row * LEADING
            tag = _language(line[0][0]) if len(line) == 1 else ""
            self.parts.append(
                f'<text x="{n(x)}" y="{n(y)}"{fill}{ANCHORS[side]}{tag}>{self._runs(line)}</text>'
            )

    def _runs(self, line: tuple[Run, ...]) -> str:
        """Where a page can hide a language, each keeps its own span, and so does the slash."""
        if len(line) == 1 or self.theme != "css":
            return escape("".join(text for _, text in line), quote=False)
        spans = {
            "": "{}",
            "zh": '<tspan class="zh" lang="zh">{}</tspan>',
            "en": '<tspan class="en" lang="en">{}</tspan>',
            "sep": '<tspan class="zh"><tspan class="en">{}</tspan></tspan>',
        }
        return "".join(spans[lang].replace("{}", escape(text, quote=False)) for lang, text in line)


def _language(lang: str) -> str:
    return f' class="{lang}" lang="{lang}"' if lang else ""


def n(value: float) -> str:
    """A coordinate: one decimal, no trailing zero, no negative zero."""
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def path_data(line: list[Spot]) -> str:
    """Path commands; level and upright parts, as of steps, take one number."""
    x, y = n(line[0][0]), n(line[0][1])
    data = [f"M{x} {y}"]
    for nx, ny in ((n(a), n(b)) for a, b in line[1:]):
        if nx != x and ny != y:
            data.append(f"L{nx} {ny}")
        elif nx != x:
            data.append(f"H{nx}")
        elif ny != y:
            data.append(f"V{ny}")
        x, y = nx, ny
    return "".join(data)
