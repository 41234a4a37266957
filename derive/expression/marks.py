"""A line of text with marks under its parts, as error messages show it."""

from __future__ import annotations

from collections.abc import Sequence

from derive.errors import printable, width

WIDEST = 120
BEFORE = 40  # characters kept before the first mark of a long line


def underlined(text: str, spans: Sequence[tuple[int, int]]) -> tuple[str, ...]:
    """The text and a line of marks below; a long text is cut around its first mark."""
    if not text:
        return ()
    first = min(start for start, _ in spans)
    cut = max(0, first - BEFORE) if len(text) > WIDEST else 0
    line = printable(text[cut : cut + WIDEST], WIDEST)
    marked = {i - cut for start, end in spans for i in range(start, max(end, start + 1))}
    marks = "".join(("^" if i in marked else " ") * width(c) for i, c in enumerate(line))
    marks += "^" if len(line) in marked else ""
    before, behind = "…" if cut else "", "…" if cut + WIDEST < len(text) else ""
    return (before + line + behind, (" " * len(before) + marks).rstrip())
