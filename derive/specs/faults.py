"""Collecting every problem of one reading, each with its place and the line it stands in."""

from __future__ import annotations

import difflib
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from derive.errors import DeriveError, Problem, printable, width
from derive.text import Text, tr

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from derive.errors import Place
    from derive.specs.nodes import Document

WIDEST = 96  # characters of an excerpt
LONGEST_NAME = 60  # of a word for which a suggestion is looked for


def plain(name: str) -> str:
    """A name without case, spaces, hyphens and underscores: `H100-SXM5` is `h100sxm5`."""
    return re.sub(r"[\s_-]+", "", name).casefold()


def closest(word: str, known: Iterable[str], likeness: float = 0.75) -> str | None:
    """The one known word that is likely meant."""
    if not 0 < len(word) <= LONGEST_NAME:
        return None
    choices = {plain(k): k for k in reversed(list(known))}
    near = difflib.get_close_matches(plain(word), list(choices), 1, likeness)
    if not near and len(plain(word)) > 1:
        near = [k for k in choices if k.startswith(plain(word))]  # the beginning of one alone
    return choices[near[0]] if len(near) == 1 else None


def nearest(word: str, known: Iterable[str], likeness: float = 0.75) -> Text | None:
    """One suggestion, or none where nothing is close."""
    near = closest(word, known, likeness)
    return tr("did you mean {near}?", near=near) if near else None


def excerpt(lines: Sequence[str], place: Place, mark: str = "") -> tuple[str, ...]:
    """The line of a place with a mark under the written text; nothing outside of the lines."""
    if not 1 <= place.line <= len(lines) or not place.column:
        return ()
    line = lines[place.line - 1].replace("\t", "→")
    start = max(0, place.column - 1 - WIDEST // 2) if len(line) > WIDEST else 0
    shown = printable(line[start : start + WIDEST])
    before = shown[: place.column - 1 - start]
    wide = width(mark.splitlines()[0]) if mark.strip() else 1
    room = max(1, width(shown) - width(before))
    lead = len(shown) - len(shown.lstrip())
    marks = " " * (width(before) - lead) + "^" * min(wide, room)
    return (shown[lead:].rstrip(), marks) if shown.strip() else ()


class Faults:
    """The problems of one reading; `raise_any` raises them all together."""

    def __init__(self) -> None:
        self.found: list[Problem] = []
        self._lines: dict[str, tuple[str, ...]] = {}

    def knows(self, document: Document) -> None:
        """Take over what was refused in a file, and remember its lines for excerpts."""
        self._lines[document.file] = document.lines
        self.found += document.problems

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
        return excerpt(self._lines.get(place.file, ()), place, mark)

    def raise_any(self) -> None:
        """Raise what was found, file by file in the order of their lines."""
        files = list(dict.fromkeys(p.place.file for p in self.found if p.place))

        def order(problem: Problem) -> tuple[int, int, int]:
            place = problem.place
            return (files.index(place.file), place.line, place.column) if place else (-1, 0, 0)

        if self.found:  # one value for three is wrong three times, and said once
            raise DeriveError(sorted(dict.fromkeys(self.found), key=order))
