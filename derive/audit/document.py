"""Claims of a Markdown or text document: every sentence with a number, with its line.

A sentence that names no product or model speaks of the last one named in the same section, not far
before it. A
table's cell is read with its row's first cell and its column's head. Code blocks are passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from derive.audit.reading.claim import read_claim
from derive.audit.reading.normal import LONGEST
from derive.errors import DeriveError, Place, Problem, harmless, printable, reason
from derive.text import tr

if TYPE_CHECKING:
    from pathlib import Path

    from derive.audit.types import Claim

LASTS = 6  # sentences that a name is remembered for
LARGEST = 16 * 1024 * 1024  # bytes of a document
FENCE = re.compile(r" {0,3}(```|~~~)")
HEADING = re.compile(r" {0,3}#{1,6} +(?P<title>.*?)#* *$")
ROW = re.compile(r" *\|(?P<cells>.*)\| *$")
RULE = re.compile(r"[ |:-]+$")
ITEM = re.compile(r"^ *(?:[-*+]|[0-9]{1,3}[.)]) +")
LINK = re.compile(r"!?\[([^\]\n]{0,300})\]\([^)\n]{0,600}\)")
EMPHASIS = re.compile(r"(?<![\w*])(\*{1,3}|_{1,3})(?=\S)([^*_\n]{1,300}?)(?<=\S)\1(?![\w*])")
MARKUP = re.compile(r"`|<[^>\n]{1,200}>|^ *>+ ?")
STOP = re.compile(r"[.!?](?=\s|$)|[。！？；]|;(?=\s)")
ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|vs|approx|ca|cf|max|min|no|fig|resp)|^[0-9]{1,3})$", re.IGNORECASE
)
DIGIT = re.compile(r"[0-9０-９一二两三四五六七八九十]")


@dataclass
class Piece:
    """A stretch of text that is read as one claim, with the line where it begins."""

    text: str
    line: int


@dataclass
class Section:
    """What the sentences since the last heading have named."""

    hardware: list[str] = field(default_factory=list)
    models: list[str] = field(default_factory=list)
    since: int = 0  # sentences since the last name


def claims_of(path: Path, roots: tuple[Path, ...]) -> Iterator[Claim]:
    """Every claim of a document; DeriveError where the file cannot be read."""
    section = Section()
    for piece in pieces(read_lines(path)):
        section.since += 1
        if HEADING.match(piece.text) or section.since > LASTS:
            section = Section()
        if not DIGIT.search(piece.text) and not HEADING.match(piece.text):
            remember(section, read(piece, path, roots))
            continue
        claim = read(piece, path, roots)
        yield from told(claim, section, piece, path, roots)
        remember(section, claim)


def told(
    claim: Claim, section: Section, piece: Piece, path: Path, roots: tuple[Path, ...]
) -> Iterator[Claim]:
    """A claim with figures; where it names nothing, read again behind what the section names."""
    if not claim.figures or HEADING.match(piece.text):
        return
    missing = ([] if claim.hardware else section.hardware[-1:]) + (
        [] if claim.models else section.models[-1:]
    )
    if not missing:
        yield claim
        return
    head = ", ".join(missing) + ": "
    again = read(replace(piece, text=head + piece.text), path, roots)
    yield shifted(again, len(head), piece.text)


def shifted(claim: Claim, by: int, text: str) -> Claim:
    """A claim whose spans count from the sentence itself, what was put before it left out."""

    def back(span: tuple[int, int]) -> tuple[int, int]:
        return (max(0, span[0] - by), max(0, span[1] - by))

    hardware = tuple(replace(n, span=back(n.span)) for n in claim.hardware)
    models = tuple(replace(n, span=back(n.span)) for n in claim.models)
    figures = tuple(
        replace(
            f, span=back(f.span),
            hardware=f.hardware and replace(f.hardware, span=back(f.hardware.span)),
            model=f.model and replace(f.model, span=back(f.model.span)),
        )
        for f in claim.figures if f.span[0] >= by
    )  # fmt: skip
    terms = tuple(replace(t, span=back(t.span)) for t in claim.terms)
    unread = tuple(back(s) for s in claim.unread if s[0] >= by)
    named = replace(claim, hardware=hardware, models=models)
    return replace(named, text=text, figures=figures, terms=terms, unread=unread)


def read(piece: Piece, path: Path, roots: tuple[Path, ...]) -> Claim:
    """One piece; what cannot be seen in it is passed over, a document is not a command line."""
    text = "".join(c if harmless(c) else " " for c in piece.text)[:LONGEST]
    return read_claim(text, roots, Place(path.as_posix(), piece.line))


def remember(section: Section, claim: Claim) -> None:
    """Keep the names of a sentence for those behind it."""
    if claim.hardware or claim.models:
        section.since = 0
    section.hardware += [n.text for n in claim.hardware if n.ids]
    section.models += [n.text for n in claim.models]


def read_lines(path: Path) -> list[str]:
    """The document's lines; DeriveError A201 to A203."""
    shown = printable(str(path), 120)
    try:
        if path.stat().st_size > LARGEST:
            what = tr("{file} is larger than {most} MiB", file=shown, most=LARGEST // 2**20)
            raise DeriveError(Problem("A202", what, Place(str(path))))
        return path.read_bytes().decode("utf-8-sig").splitlines()
    except OSError as error:
        what = tr("cannot read {file}: {why}", file=shown, why=reason(error))
        raise DeriveError(Problem("A201", what, Place(str(path)))) from None
    except UnicodeDecodeError:
        what = tr("{file} is no text in UTF-8", file=shown)
        raise DeriveError(Problem("A203", what, Place(str(path)))) from None


def pieces(lines: list[str]) -> Iterator[Piece]:
    """Headings, table cells and sentences, each with its line."""
    fenced, head, held = False, list[str](), list[tuple[int, str]]()
    for number, line in enumerate(lines, 1):
        row = ROW.match(line)
        breaks = not line.strip() or row or HEADING.match(line) or ITEM.match(line)
        if FENCE.match(line) or fenced or breaks:
            yield from sentences(held)
            held = []
        if FENCE.match(line):
            fenced = not fenced
        elif fenced:
            continue
        elif row and not fenced:
            cells = [plain(c).strip() for c in row["cells"].split("|")]
            if RULE.match(line):
                continue
            if not head:
                head = cells
                continue
            yield from table_row(head, cells, number)
        elif HEADING.match(line):
            yield Piece("# " + plain(HEADING.sub(r"\g<title>", line)), number)
        elif line.strip():
            held.append((number, plain(ITEM.sub("", line))))
        if not row:
            head = []
    yield from sentences(held)


def table_row(head: list[str], cells: list[str], line: int) -> Iterator[Piece]:
    """A row's cells, each behind the row's name and under its column's head."""
    for name, cell in zip(head[1:], cells[1:], strict=False):
        if DIGIT.search(cell):
            inside = unit_of_head(name, cell)
            yield Piece(f"{cells[0]}, {name}: {inside}", line)


def unit_of_head(name: str, cell: str) -> str:
    """A bare number takes the unit in the brackets of its column's head."""
    found = re.search(r"[(（]([^()（）]{1,20})[)）]\s*$", name)
    return f"{cell} {found[1]}" if found and re.fullmatch(r"[0-9][0-9., ]*\*?", cell) else cell


def plain(line: str) -> str:
    """A line without Markdown's marks; an asterisk behind a number stays."""
    return MARKUP.sub("", EMPHASIS.sub(r"\2", LINK.sub(r"\1", line)))


def sentences(held: list[tuple[int, str]]) -> Iterator[Piece]:
    """The sentences of a paragraph, each with the line where it begins."""
    if not held:
        return
    text, starts = "", list[tuple[int, int]]()
    for number, line in held:
        starts.append((len(text), number))
        text += line.strip() + " "
    begin = 0
    ends = [
        m.end() for m in STOP.finditer(text) if not ABBREVIATION.search(text[begin : m.start()])
    ]
    for end in [*ends, len(text)]:
        sentence = text[begin:end].strip()
        if sentence:
            at = begin + len(text[begin:end]) - len(text[begin:end].lstrip())
            yield Piece(sentence, max(n for start, n in starts if start <= at))
        begin = end
