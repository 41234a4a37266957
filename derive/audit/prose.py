"""Markdown or plain text cut into what is read as one claim: sentences, table cells, headings.

Code, comments, front matter and definitions of references are no prose and are passed over. Every
piece knows its line and, where it stands on one line, the columns from which to which it reaches.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

FENCE = re.compile(r" {0,3}(```+|~~~+)")
FRONT_MATTER = ("---", "+++")
HEADING = re.compile(r" {0,3}(?P<marks>#{1,6})(?: +|$)(?P<title>.*?)#* *$")
ROW = re.compile(r" *\|(?P<cells>.*)\| *$")
RULE = re.compile(r"[ |:-]+$")
ITEM = re.compile(r"^ *(?:[-*+]|[0-9]{1,3}[.)]) +")
INDENTED = re.compile(r" {4}|\t")
DEFINITION = re.compile(r" {0,3}\[(?!\^)[^\]\n]{1,300}\]:")
LINK = re.compile(r"!?\[([^\]\n]{0,300})\]\([^)\n]{0,600}\)")
EMPHASIS = re.compile(r"(?<![\w*])(\*{1,3}|_{1,3})(?=\S)([^*_\n]{1,300}?)(?<=\S)\1(?![\w*])")
MARKUP = re.compile(r"\[\^[^\]\n]{1,60}\]:?|`|</?[A-Za-z!][^<>\n]{0,200}>|^ *>+ ?")
MARKED = re.compile(r"[`<>*_\[]")
COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
SCRIPT = re.compile(r"<(script|style)\b[^>]*>.*?(?:</\1 *>|\Z)", re.DOTALL | re.IGNORECASE)
STOP = re.compile(r"[.!?](?=\s|$)|[。！？；]|;(?=\s)")
ABBREVIATION = re.compile(
    r"(?:(?<![A-Za-z0-9])(?:e\.g|i\.e|vs|approx|ca|cf|max|min|no|fig|resp)|^[0-9]{1,3})$",
    re.IGNORECASE,
)
LONGEST_ABBREVIATION = 8  # characters, with the one before it
DIGIT = re.compile(r"[0-9０-９一二两三四五六七八九十]")


@dataclass(frozen=True)
class Piece:
    """A stretch of text that is read as one claim; `level` is that of a heading.

    `columns` are the first column and the one behind the last (from 1) on the one line it is on.
    """

    text: str
    line: int
    level: int = 0
    columns: tuple[int, int] | None = None
    cell: bool = False


@dataclass(frozen=True)
class Stretch:
    """A line without Markdown's marks; `at` is where each character stood in the line."""

    line: int
    text: str
    at: Sequence[int] = field(repr=False)

    def columns(self, start: int, end: int) -> tuple[int, int]:
        """The columns of some of its characters."""
        return self.at[start] + 1, self.at[end - 1] + 2


def pieces(text: str) -> Iterator[Piece]:
    """Headings, table cells and sentences in their order."""
    held: list[Stretch] = []
    head: list[str] = []
    fence, listed, blank = "", False, True
    for number, line in enumerate(lines_of(text), 1):
        mark = FENCE.match(line)
        row, heading, item = ROW.match(line), HEADING.match(line), ITEM.match(line)
        code = blank and not listed and INDENTED.match(line)
        if mark or fence or row or heading or item or not line.strip():
            yield from sentences(held)
            held = []
        if mark and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
        elif fence or DEFINITION.match(line) or (code and line.strip()):
            pass
        elif row:
            cells = [plain(c).strip() for c in row["cells"].split("|")]
            if not RULE.match(line):
                if head:
                    yield from table_row(head, cells, number)
                head = head or cells
        elif heading:
            yield Piece(plain(heading["title"]).strip(), number, len(heading["marks"]))
        elif line.strip():
            listed = bool(item) or (listed and not (blank and line[:1] not in " \t"))
            held.append(stretch(number, line, item.end() if item else 0))
        head = head if row else []
        blank = not line.strip() or bool(code) or bool(heading)
    yield from sentences(held)


def lines_of(text: str) -> list[str]:
    """The lines as editors count them; comments, scripts and front matter are blanked."""
    for hidden in (COMMENT, SCRIPT):
        if "<" in text:
            text = hidden.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)
    lines = re.split(r"\r\n|\r|\n", text)
    if lines[0].rstrip() in FRONT_MATTER:
        mark = lines[0].rstrip()
        closed = next((i for i, line in enumerate(lines[1:], 1) if line.rstrip() == mark), 0)
        lines[: closed + 1] = [""] * (closed + 1) if closed else lines[:1]
    return lines


def table_row(head: list[str], cells: list[str], line: int) -> Iterator[Piece]:
    """A row's cells, each behind the row's name and under its column's head."""
    for name, cell in zip(head[1:], cells[1:], strict=False):
        if DIGIT.search(cell):
            yield Piece(f"{cells[0]}, {name}: {with_unit(cell, name, cells[0])}", line, cell=True)


def with_unit(cell: str, *names: str) -> str:
    """A bare number takes the unit in the brackets of its column's head or its row's name."""
    if not re.fullmatch(r"[≈~<>≤≥]? ?[0-9][0-9., ]*\*?", cell):
        return cell
    units = (re.search(r"[(（]([^()（）]{1,20})[)）]\s*$", name) for name in names)
    return next((f"{cell} {found[1]}" for found in units if found), cell)


def plain(line: str) -> str:
    """A line without Markdown's marks; an asterisk behind a number stays."""
    return stretch(0, line, 0).text


def stretch(number: int, line: str, start: int) -> Stretch:
    """A line from a place on, without Markdown's marks."""
    text, at = line[start:], range(start, len(line))
    if not MARKED.search(text):
        return Stretch(number, text, at)
    places: Sequence[int] = at
    for mark, group in ((LINK, 1), (EMPHASIS, 2), (MARKUP, 0)):
        text, places = without(mark, group, text, places)
    return Stretch(number, text, places)


def without(
    mark: re.Pattern[str], group: int, text: str, places: Sequence[int]
) -> tuple[str, Sequence[int]]:
    """A text where a mark is replaced by one of its groups (0: by nothing)."""
    words, kept, at = [], list[int](), 0
    for found in mark.finditer(text):
        start, end = found.span(group) if group else (found.end(), found.end())
        for a, b in ((at, found.start()), (start, end)):
            words.append(text[a:b])
            kept += places[a:b]
        at = found.end()
    return "".join([*words, text[at:]]), [*kept, *places[at:]]


def sentences(held: Sequence[Stretch]) -> Iterator[Piece]:
    """The sentences of a paragraph, each with the line where it begins."""
    starts, parts, length = list[int](), list[str](), 0
    for each in held:
        starts.append(length)
        parts.append(each.text)
        length += len(each.text) + 1
    text, begin = " ".join(parts), 0
    for end in [*ends(text), len(text)]:
        sentence = text[begin:end]
        if words := sentence.strip():
            low = begin + len(sentence) - len(sentence.lstrip())
            yield placed(words, low, held, starts)
        begin = end


def placed(words: str, low: int, held: Sequence[Stretch], starts: Sequence[int]) -> Piece:
    """A sentence with its line and columns; it begins at `low` of its paragraph."""
    index = bisect_right(starts, low) - 1
    line, start = held[index], low - starts[index]
    end = start + len(words)
    columns = line.columns(start, end) if end <= len(line.text) else None
    return Piece(words, line.line, columns=columns)


def ends(text: str) -> Iterator[int]:
    """Where sentences end: behind a full stop that belongs to no abbreviation or item number."""
    begin = 0
    for stop in STOP.finditer(text):
        before = text[max(begin, stop.start() - LONGEST_ABBREVIATION) : stop.start()]
        if begin < stop.start() - LONGEST_ABBREVIATION:
            before = "." + before[1:]  # so that no number seems to begin the sentence
        if not ABBREVIATION.search(before):
            yield stop.end()
            begin = stop.end()
