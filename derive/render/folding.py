"""Sentences folded to the width of a terminal; Chinese breaks anywhere but before marks."""

from __future__ import annotations

import re
import shutil

from derive.errors import width

NARROWEST, USUAL, WIDEST = 60, 100, 120
CHINESE = "\u2e80-\u9fff\uac00-\uffef"
CLOSING = "，。；：、）》”’！？,.;:!?)"  # never begins a line
PIECE = re.compile(rf"\s+|[（《“]?(?:[{CHINESE}]|[^\s{CHINESE}]+)[{CLOSING}]*")
KEPT = re.compile(r"(?<=[≈≤≥<>×=]) (?=\d)|(?<=\d) (?=[A-Za-z%µ])|(?<=[A-Za-z_]) (?==)")  # one word


def terminal_width() -> int:
    """Columns to write in."""
    return max(NARROWEST, min(WIDEST, shutil.get_terminal_size((USUAL, 24)).columns))


def folded(text: str, start: str = "", limit: int | None = None) -> list[str]:
    """Lines of at most `limit` columns; later ones stand under the text after `start`."""
    limit = terminal_width() if limit is None else limit
    under = " " * width(start)
    lines, line, room = [], start, limit - width(start)
    taken = 0
    for piece in PIECE.findall(KEPT.sub("\0", text)):
        wide = width(piece.replace("\0", " "))
        if taken and taken + wide > room and not piece.isspace():
            lines.append(line.rstrip())
            line, taken = under, 0
        if piece.isspace() and not taken:
            continue
        line, taken = line + piece, taken + wide
    return [one.replace("\0", " ") for one in (*lines, line.rstrip())]
