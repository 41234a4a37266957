"""Text of a chart: measured with the font's own advances, broken into lines."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Literal

from derive.render.charts.figure import Label

Mode = Literal["en", "zh", "both"]
Run = tuple[str, str]  # language ("" where both read alike, "sep" between both) and text

SIZE = 12.0  # CSS pixels: 9 pt
TICK = 11.0
LEADING = 14.5
ASCENT, DESCENT = 10.5, 3.0  # what ink of a 12 px line needs above and below its base line
MOST_LINES = 3  # of one language; a longer label is cut, its words stand in the table
# a Chinese character with the closing marks after it, a word with its space; a sign between two
# of them belongs to both
HAN = r"\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef"
SIGN = r"(?:\s[=≈×·+−–]\s)"
PIECE = re.compile(
    rf"(?:[{HAN}]|[^\s{HAN}]+)(?:{SIGN}(?:[{HAN}]|[^\s{HAN}]+))*[、。〉》」』】〕，！：；？）”’]*\s*|\s+"
)


@dataclass(frozen=True)
class Words:
    """Lines of text with the space they take, in pixels."""

    lines: tuple[tuple[Run, ...], ...]

    @property
    def width(self) -> float:
        """Of the longest line."""
        return max((width("".join(t for _, t in line)) for line in self.lines), default=0.0)

    @property
    def height(self) -> float:
        """From the top of the first line's ink to the bottom of the last line's."""
        return ASCENT + DESCENT + LEADING * (len(self.lines) - 1)


def words(label: Label, mode: Mode, most: float) -> Words:
    """A label, Chinese above English in mode `both`, no line longer than `most` pixels."""
    return Words(
        tuple(
            ((lang, line),) for lang, text in _languages(label, mode) for line in broken(text, most)
        )
    )


def axis_title(label: Label, unit: str, mode: Mode, most: float) -> Words:
    """An axis' name and unit on one line where that fits, else a line or more a language."""
    texts, tail = _languages(label, mode), f"  [{unit}]" if unit else ""
    runs = [run for lang, text in texts for run in (("sep", " / "), (lang, text))][1:]
    one = Words(((*runs, *([("", tail)] if tail else ())),))
    if one.width <= most:
        return one
    return Words(
        tuple(((lang, line),) for lang, text in texts for line in broken(text + tail, most))
    )


def _languages(label: Label, mode: Mode) -> list[Run]:
    if mode == "both" and label.en != label.zh:
        return [("zh", label.zh), ("en", label.en)]
    return [("" if label.en == label.zh else mode, label.zh if mode == "zh" else label.en)]


@lru_cache(maxsize=4096)
def broken(text: str, most: float) -> tuple[str, ...]:
    """Lines no longer than `most`, about equally long, at most three; "…" ends a cut text."""
    lines = _filled(text, most)
    if len(lines) > MOST_LINES:
        last = lines[MOST_LINES - 1]
        while last and width(last + "…") > most:
            last = last[:-1]
        return (*lines[: MOST_LINES - 1], last.rstrip() + "…")
    narrow = most
    pieces = (width(piece.rstrip()) for piece in PIECE.findall(text))
    least = max((wide for wide in pieces if wide <= most), default=0.0)
    least = max(24, least + 8)  # no word is cut for it
    while len(lines) > 1 and narrow > least and len(_filled(text, narrow - 8)) == len(lines):
        narrow -= 8
    return tuple(_filled(text, narrow))


def _filled(text: str, most: float) -> list[str]:
    lines = [""]
    for piece in PIECE.findall(text):
        if len(lines) > MOST_LINES:
            break  # will be cut anyway
        if width((lines[-1] + piece).rstrip()) <= most:
            lines[-1] += piece
        elif width(piece.rstrip()) <= most:
            lines.append(piece)
        else:  # a word longer than a line
            for character in piece:
                if width(lines[-1] + character) > most:
                    lines.append("")
                lines[-1] += character
    return [line.strip() for line in lines if line.strip()] or [""]


def width(text: str, size: float = SIZE) -> float:
    """How far a line of text reaches, in pixels."""
    return sum(map(_advance, text)) * size


@lru_cache(maxsize=8192)
def _advance(character: str) -> float:
    """In ems; one em where the font lacks the character."""
    return _font()(character)


@cache
def _font() -> Callable[[str], float]:
    from io import BytesIO

    from fontTools.ttLib import TTFont

    from derive.render.fonts import MATH, SANS, faces

    wanted = [f for f in faces() if f.weight == 400 and f.family in (SANS, MATH)]
    fonts = [TTFont(BytesIO(face.data), lazy=True) for face in wanted]
    tables = [(font.getBestCmap(), font["hmtx"], font["head"].unitsPerEm) for font in fonts]

    def advance(character: str) -> float:
        for names, metrics, em in tables:
            if name := names.get(ord(character)):
                return float(metrics[name][0]) / float(em)
        return 1.0

    return advance
