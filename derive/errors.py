"""One class for everything a user can get wrong, and its one renderer."""

from __future__ import annotations

import errno
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field

from derive.text import Text, tr

MOST = 25  # problems shown of one reading
REASONS = {
    errno.ENOENT: Text("no such file or directory", "文件或目录不存在"),
    errno.EACCES: Text("permission denied", "权限不足"),
    errno.EPERM: Text("operation not permitted", "操作不被允许"),
    errno.EEXIST: Text("a file of this name exists", "已有同名文件"),
    errno.ENOTDIR: Text("a part of the path is no directory", "路径中有一段不是目录"),
    errno.EISDIR: Text("it is a directory", "这是目录"),
    errno.ENOSPC: Text("no space is left on the device", "磁盘空间不足"),
    errno.EROFS: Text("the file system is read-only", "文件系统只读"),
    errno.ELOOP: Text("symbolic links go in a circle", "符号链接形成循环"),
    errno.ENAMETOOLONG: Text("the name is too long", "名称过长"),
}


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
    if not table:
        return []
    widths = [max(width(r[i]) for r in table if i < len(r)) for i in range(max(map(len, table)))]
    return [
        "   ".join(padded(c, w) for c, w in zip(r, widths, strict=False)).rstrip() for r in table
    ]


def harmless(char: str) -> bool:
    """Whether a character only draws itself: no control, no change of direction, no surrogate."""
    return char.isprintable() or unicodedata.category(char) == "Zs"


def printable(text: str, limit: int = 200) -> str:
    """User text made safe for a terminal: no control characters, bounded length."""
    kept = text if len(text) <= limit else text[: limit - 1]
    clean = kept if kept.isprintable() else "".join(c if harmless(c) else "�" for c in kept)
    return clean if len(text) <= limit else clean + "…"


def reason(error: OSError) -> Text:
    """What the system says, in both languages where it is one of the usual things."""
    said = printable(error.strerror or str(error))
    return REASONS.get(error.errno or 0, Text(said, said))


# what Python's reader says -> the same in both languages
WHY = {
    "Expecting value": Text("a value is missing here", "此处缺少值"),
    "Expecting property name enclosed in double quotes": Text(
        "a key in double quotes is missing here", "此处缺少双引号括起的键"
    ),
    "Expecting ':' delimiter": Text("a colon is missing here", "此处缺少冒号"),
    "Expecting ',' delimiter": Text("a comma is missing here", "此处缺少逗号"),
    "Extra data": Text("the object ends before the file does", "对象结束后仍有内容"),
    "Unterminated string starting at": Text("a text that does not end", "字符串没有结束"),
    "Invalid control character at": Text(
        "a control character inside a text", "字符串中有控制字符"
    ),
    "Invalid \\escape": Text("an unknown escape behind a backslash", "反斜杠后的转义无效"),
    "Invalid \\uXXXX escape": Text(
        "four hex digits are missing behind \\u", "\\u 后缺少四位十六进制数"
    ),
    "Illegal trailing comma before end of object": Text(
        "a comma before the end of the object", "对象末尾多一个逗号"
    ),
    "Illegal trailing comma before end of array": Text(
        "a comma before the end of the list", "列表末尾多一个逗号"
    ),
}  # fmt: skip


def why_no_json(said: str) -> Text:
    """The reader's complaint in both languages."""
    return WHY.get(said.removesuffix(": "), tr("the text cannot be read from here"))


def render_problem(problem: Problem, lang: str = "en") -> str:
    """A problem as the terminal shows it."""
    indent = " " * 6
    lines = [f"{problem.code}  {problem.what.in_(lang)}"]
    if problem.place and not said(problem.place, problem.what):
        parts = [part for part in (str(problem.place), problem.place.key) if part]
        lines.append(indent + tr("in {where}", where="  ".join(parts)).in_(lang))
    lines += [indent + line for line in problem.excerpt]
    rows = [tuple(c.in_(lang) if isinstance(c, Text) else c for c in r) for r in problem.rows]
    lines += [indent + line for line in columns(rows)] if rows else []
    if problem.hint:
        lines.append(indent + tr("hint: {hint}", hint=problem.hint).in_(lang))
    return "\n".join(printable(line, 400) for line in lines)


def said(place: Place, what: Text) -> bool:
    """Whether the sentence names all that the place would add."""
    parts = [printable(part) for part in (place.file, place.key) if part]
    return not place.line and all(part in what.en for part in parts)


def render(error: DeriveError, lang: str = "en") -> str:
    """All problems of an error, one after the other."""
    lines = [render_problem(problem, lang) for problem in error.problems[:MOST]]
    if len(error.problems) > MOST:
        more = tr("and {count} problems more", count=len(error.problems) - MOST)
        lines.append(more.in_(lang))
    return "\n".join(lines)
