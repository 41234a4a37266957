"""Many spellings at one place of a text, the first that fits; small patterns, compiled when met."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Generic, TypeVar

T = TypeVar("T")
# behind the start, a bracket, a bar or a "?" may stand the first character, else one too many
FIRST = re.compile(r"(?:^|(?<=[:|)?]))(?:\\?(.)|\[([^\]]+)\])")


class Spellings(Generic[T]):
    """Regular expressions in the order in which they are tried, each with what it stands for.

    One alternation of hundreds takes a long time to compile and to fail at each word of a text, so
    there is one for each character with which a spelling may begin.
    """

    def __init__(self, rows: Iterable[tuple[str, T]]) -> None:
        self.rows: dict[str, list[tuple[str, T]]] = {}
        self.patterns: dict[str, re.Pattern[str]] = {}
        for row in rows:
            for first in firsts(row[0]):
                self.rows.setdefault(first, []).append(row)

    def at(self, text: str, start: int, end: int = 2**31) -> tuple[int, T] | None:
        """Where the first spelling that begins here ends, and what it stands for."""
        first = text[start : start + 1].casefold()
        if first not in self.rows:
            return None
        if first not in self.patterns:
            parts = (f"(?:{spelling})()" for spelling, _ in self.rows[first])
            made = re.compile("|".join(parts), re.IGNORECASE)
            assert made.groups == len(self.rows[first]), "a spelling has a group of its own"
            self.patterns[first] = made
        found = self.patterns[first].match(text, start, end)
        return (found.end(), self.rows[first][(found.lastindex or 1) - 1][1]) if found else None


def firsts(spelling: str) -> set[str]:
    """The characters with which a spelling may begin; some more do no harm."""
    found = FIRST.findall(spelling)
    return {c.casefold() for one, several in found for c in (several or one)}
