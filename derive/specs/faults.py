"""Collecting every problem of one reading, each with its place and the line it stands in."""

from __future__ import annotations

import difflib
import unicodedata
from dataclasses import replace
from typing import TYPE_CHECKING

from derive.errors import DeriveError, Problem, printable
from derive.text import Text, tr

if TYPE_CHECKING:
    from collections.abc import Iterable

    from derive.errors import Place
    from derive.specs.document import Document

WIDEST = 96  # characters of an excerpt


def nearest(word: str, known: Iterable[str]) -> Text | None:
    """One suggestion, or none where nothing is close."""
    choices = list(known)
    by_case = [k for k in choices if k.lower() == word.lower()]
    near = by_case or difflib.get_close_matches(word, choices, 1, 0.6)
    return tr("did you mean {near}?", near=near[0]) if near else None


def columns_of(text: str) -> int:
    """Terminal columns of a text: wide characters take two."""
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


class Faults:
    """The problems of one reading; `raise_any` raises them all together."""

    def __init__(self) -> None:
        self.found: list[Problem] = []
        self._lines: dict[str, tuple[str, ...]] = {}

    def knows(self, document: Document) -> None:
        """Remember the lines of a file for excerpts."""
        self._lines[document.file] = document.lines

    def add(
        self,
        code: str,
        what: Text,
        place: Place,
        hint: Text | None = None,
        rows: tuple[tuple[str | Text, ...], ...] = (),
        mark: str = "",
    ) -> None:
        """Note a problem; `mark` is the written text to underline in its line."""
        excerpt = self.excerpt(place, mark)
        self.found.append(Problem(code, what, place, excerpt, rows, hint))

    def adopt(self, error: DeriveError, place: Place, mark: str = "") -> None:
        """Note the problems of another reader; those about our place get its line."""
        for p in error.problems:
            ours = p.place is None or p.place == place
            excerpt = p.excerpt or (self.excerpt(place, mark) if ours else ())
            self.found.append(replace(p, place=p.place or place, excerpt=excerpt))

    def excerpt(self, place: Place, mark: str = "") -> tuple[str, ...]:
        """The line of a place with a mark under it; nothing for places outside files."""
        lines = self._lines.get(place.file, ())
        if not 1 <= place.line <= len(lines) or not place.column:
            return ()
        line = lines[place.line - 1]
        start = max(0, place.column - 1 - WIDEST // 2) if len(line) > WIDEST else 0
        shown = printable(line[start : start + WIDEST])
        before = shown[: place.column - 1 - start]
        width = columns_of(mark.splitlines()[0]) if mark.strip() else 1
        room = max(1, columns_of(shown) - columns_of(before))
        lead = len(shown) - len(shown.lstrip())
        marks = " " * (columns_of(before) - lead) + "^" * min(width, room)
        return (shown[lead:], marks)

    def raise_any(self) -> None:
        """Raise what was found, in the order of the file."""
        if self.found:
            raise DeriveError(self.found)
