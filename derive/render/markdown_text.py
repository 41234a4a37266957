"""Pieces of Markdown: text that shows as it is, code spans, tables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

SPECIAL = re.compile(r"[\\`*{}\[\]|~#!]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")
LEADING = re.compile(r"\A(\d*)([-+=.)])(?=\s|\Z|[-=])")
SPACES = str.maketrans({"\u2007": "", "\u2008": "", "✗": "×"})
IN_UNIT = re.compile(r"(?<=[A-Za-z])[*](?=[A-Za-z])")
ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


def escape(text: object) -> str:
    """Text that Markdown shows as it is: one line, no markup, no tag."""
    line = " ".join(str(text).translate(SPACES).split()).translate(ENTITIES)
    return LEADING.sub(r"\1\\\2", SPECIAL.sub(r"\\\g<0>", line))


def code(text: object) -> str:
    """A code span, whatever the text holds."""
    line = " ".join(str(text).split())
    if not line:
        return ""
    ticks = "`" * (1 + max((len(run) for run in re.findall("`+", line)), default=0))
    pad = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{ticks}{pad}{line}{pad}{ticks}".replace("|", "\\|")


def signed(line: str) -> str:
    """A formula with the signs of print; it still reads back."""
    return IN_UNIT.sub("·", line.replace("-", "−"))


def table(heads: Iterable[str], rows: Iterable[Sequence[str]], right: Sequence[int] = ()) -> str:
    """A table; the columns of `right` hold numbers."""
    names = list(heads)
    rule = ["---:" if n in right else "---" for n in range(len(names))]
    return "\n".join("| " + " | ".join(line) + " |" for line in (names, rule, *rows))


def anchor(heading: str) -> str:
    """The fragment that repositories give a heading of plain text."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def linked(text: str, fragment: str) -> str:
    """A code span that leads to a heading."""
    return f"[{code(text)}](#{fragment})"
