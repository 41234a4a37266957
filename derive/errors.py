"""One class for everything a user can get wrong, and its one renderer."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field

from derive.text import Text, tr


@dataclass(frozen=True)
class Place:
    """Where a problem sits: file, line and column (from 1), dotted key."""

    file: str = ""
    line: int = 0
    column: int = 0
    key: str = ""

    def __str__(self) -> str:
        numbers = [str(n) for n in (self.line, self.column) if n]
        return ":".join([self.file, *numbers] if self.file else numbers)


@dataclass(frozen=True)
class Problem:
    """One fault: what is wrong, where, the evidence, and a hint only when sure."""

    code: str
    what: Text
    place: Place | None = None
    excerpt: tuple[str, ...] = ()
    rows: tuple[tuple[str | Text, ...], ...] = ()
    hint: Text | None = field(default=None)


class DeriveError(Exception):
    """Unusable input: all problems of one reading, found in one run."""

    def __init__(self, problems: Problem | Iterable[Problem]) -> None:
        self.problems = (problems,) if isinstance(problems, Problem) else tuple(problems)
        super().__init__("; ".join(f"{p.code} {p.what.en}" for p in self.problems))


def width(text: str) -> int:
    """Columns a text takes in a terminal: Chinese characters take two."""
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def padded(text: str, columns_wide: int) -> str:
    """Text filled with spaces to a width in the terminal."""
    return text + " " * max(0, columns_wide - width(text))


def columns(rows: Iterable[tuple[str, ...]]) -> list[str]:
    """Rows of cells, aligned on their widest cell."""
    table = list(rows)
    widths = [max(width(r[i]) for r in table if i < len(r)) for i in range(max(map(len, table)))]
    return [
        "   ".join(padded(c, w) for c, w in zip(r, widths, strict=False)).rstrip() for r in table
    ]


def printable(text: str, limit: int = 200) -> str:
    """User text made safe for a terminal: no control characters, bounded length."""
    clean = "".join(c if c.isprintable() else "�" for c in text)
    return clean if len(clean) <= limit else clean[: limit - 1] + "…"


def render_problem(problem: Problem, lang: str = "en") -> str:
    """A problem as the terminal shows it."""
    indent = " " * 6
    lines = [f"{problem.code}  {problem.what.in_(lang)}"]
    if problem.place:
        where = [str(problem.place)] if str(problem.place) else []
        where += [problem.place.key] if problem.place.key else []
        lines += [indent + tr("in {where}", where="  ".join(where)).in_(lang)] if where else []
    lines += [indent + line for line in problem.excerpt]
    rows = [tuple(c.in_(lang) if isinstance(c, Text) else c for c in r) for r in problem.rows]
    lines += [indent + line for line in columns(rows)] if rows else []
    if problem.hint:
        lines.append(indent + tr("hint: {hint}", hint=problem.hint).in_(lang))
    return "\n".join(printable(line, 400) for line in lines)


def render(error: DeriveError, lang: str = "en") -> str:
    """All problems of an error, one after the other."""
    return "\n".join(render_problem(problem, lang) for problem in error.problems)
