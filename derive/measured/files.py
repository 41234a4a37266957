"""Files as tools leave them, opened safely: what form a file has tells who may read it."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
import stat
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import NoReturn

from derive.errors import DeriveError, Place, Problem, printable, reason, why_no_json
from derive.text import Text, tr

LARGEST = 256_000_000  # bytes of a file that is read whole; traces are streamed
HEAD = 65_536
GZIP = b"\x1f\x8b"
DEEPEST = 64
INFINITE = {"Infinity", "-Infinity", "NaN"}
LONGEST_EXPONENT = 40
# an array of objects or arrays; a log may begin with `[2025-01-02` or `[INFO]`
JSON = re.compile(r"\s*(\{|\[\s*([\[{\]]|$))")
Progress = Callable[[int, int], None]  # bytes of the file that were read, and its size


@dataclass(frozen=True)
class Odd:
    """A word that some tools write for a number: Infinity, NaN."""

    token: str


@dataclass(frozen=True)
class Document:
    """One JSON value of a file, with the line it starts on.

    Rows of tables and lines of reports are read as such values too: `lines` then says where each
    of their fields stands. `prefix` is the path to a part of a larger value.
    """

    data: object
    file: str
    line: int = 0
    prefix: str = ""
    lines: Mapping[str, int] = field(default_factory=dict)

    def place(self, key: str = "") -> Place:
        """Where a field stands."""
        line = self.lines.get(key.partition(".")[0], self.line)
        return Place(self.file, line, 0, (self.prefix + key).rstrip("."))

    def part(self, step: str, data: object) -> Document:
        """What stands under a step of the path."""
        return Document(data, self.file, self.line, f"{self.prefix}{step}.", self.lines)


@dataclass(frozen=True)
class Table:
    """Rows of a comma-separated table; each with its line."""

    header: tuple[str, ...]
    rows: tuple[tuple[int, Mapping[str, str]], ...]
    file: str
    torn: Problem | None = None  # the first row that has more or fewer cells than the header

    def place(self, line: int, column: str = "") -> Place:
        """Where a cell stands."""
        return Place(self.file, line, 0, column)


class Found:
    """A file that exists, can be read and is within bounds; forms are made when asked for."""

    def __init__(self, path: Path, progress: Progress | None = None) -> None:
        self.path, self.name, self.progress = path, str(path), progress
        self.place = Place(self.name)
        try:
            about = path.stat()
            if not stat.S_ISREG(about.st_mode):
                refuse("B101", tr("{path} is no file", path=printable(self.name, 120)), self.place)
            with path.open("rb") as stream:
                raw = stream.read(HEAD)
        except OSError as fault:
            what = tr("{path} cannot be read: {why}", path=printable(self.name, 120),
                      why=reason(fault))  # fmt: skip
            refuse("B101", what, self.place)
        self.size, self.zipped = about.st_size, raw.startswith(GZIP)
        self.head = (unzipped_head(raw) if self.zipped else raw).decode("utf-8-sig", "replace")
        if not self.head.strip():
            refuse("B101", tr("the file is empty"), self.place)

    @cached_property
    def text(self) -> str:
        """All of it; DeriveError B102 where it is too large, B101 where it is no text."""
        data = b"".join(self.chunks(LARGEST))
        try:
            return data.decode("utf-8-sig")
        except UnicodeDecodeError:
            refuse("B101", tr("the file is not UTF-8 text"), self.place)

    def chunks(self, largest: int | None = None) -> Iterator[bytes]:
        """The bytes piece by piece, unpacked; DeriveError B102 beyond `largest`."""
        passed = 0
        if largest is not None and not self.zipped and self.size > largest:
            self.too_large(largest)
        try:
            with (
                self.path.open("rb") as packed,
                gzip.GzipFile(fileobj=packed) if self.zipped else packed as stream,
            ):
                while piece := stream.read(1 << 20):
                    passed += len(piece)
                    if self.progress:
                        self.progress(min(packed.tell(), self.size), self.size)
                    if largest is not None and passed > largest:
                        self.too_large(largest)
                    yield piece
        except EOFError:
            refuse("B103", tr("the file is packed with gzip and ends too early"), self.place)
        except (gzip.BadGzipFile, zlib.error):
            refuse("B103", tr("the file is packed with gzip and damaged"), self.place)
        except OSError as fault:
            what = tr("{path} cannot be read: {why}", path=printable(self.name, 120),
                      why=reason(fault))  # fmt: skip
            refuse("B101", what, self.place)

    def too_large(self, largest: int) -> NoReturn:
        """More bytes than are read whole."""
        what = tr("the file has more than {largest} bytes", largest=f"{largest:,}")
        refuse("B102", what, self.place)

    @property
    def is_json(self) -> bool:
        """Whether it looks like JSON."""
        return JSON.match(self.head) is not None

    @cached_property
    def documents(self) -> tuple[Document, ...]:
        """The JSON values of the file: usually one, one a line where runs were appended."""
        return tuple(self._documents())

    def _documents(self) -> Iterator[Document]:
        text, at, line = self.text, 0, 1
        decoder = json.JSONDecoder(
            parse_float=exact, parse_int=whole, parse_constant=Odd, object_pairs_hook=once
        )
        while at < len(text):
            blank = re.compile(r"\s*").match(text, at)
            skipped = blank.end() if blank else at
            line += text.count("\n", at, skipped)
            at = skipped
            if at >= len(text):
                return
            try:
                data, end = decoder.raw_decode(text, at)
            except json.JSONDecodeError as fault:
                self.no_json(fault)
            except RecursionError:
                refuse("B102", tr("the file is nested too deeply"), self.place)
            except ValueError as fault:
                refuse("B103", twice_or_long(fault), Place(self.name, line))
            yield Document(data, self.name, line)
            line += text.count("\n", at, end)
            at = end

    def no_json(self, fault: json.JSONDecodeError) -> NoReturn:
        """Broken or cut off, with its place."""
        place = Place(self.name, fault.lineno, fault.colno)
        if fault.pos >= len(fault.doc.rstrip()) - 1 or "Unterminated" in fault.msg:
            refuse("B103", tr("the file ends in the middle of a JSON value: it was cut off"), place)
        refuse("B103", tr("this is not JSON: {why}", why=why_no_json(fault.msg)), place)

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """Its lines."""
        return tuple(self.text.splitlines())

    @cached_property
    def tables(self) -> tuple[Table, ...]:
        """Comma-separated tables, divided by blank lines; lines of `==` before them are skipped."""
        made, start = [], 0
        lines = self.text.splitlines(keepends=True)
        for number in range(len(lines) + 1):
            ends = number == len(lines) or not lines[number].strip()
            if not ends and not lines[number].startswith("=="):
                continue
            if number > start:
                made.append(self._table(lines[start:number], start + 1))
            start = number + 1
        return tuple(t for t in made if t is not None)

    def _table(self, lines: list[str], first: int) -> Table | None:
        reader = csv.reader(io.StringIO("".join(lines)))
        try:
            header = tuple(cell.strip() for cell in next(reader))
            rows = []
            torn = None
            for cells in reader:
                line = first + reader.line_num - 1
                if len(cells) == len(header):
                    rows.append((line, dict(zip(header, cells, strict=True))))
                elif torn is None:
                    what = tr("the row has {found} cells, the header has {wanted}",
                              found=len(cells), wanted=len(header))  # fmt: skip
                    torn = Problem("B103", what, Place(self.name, line))
        except csv.Error:
            return None
        return Table(header, tuple(rows), self.name, torn) if len(header) > 1 else None


def exact(text: str) -> Decimal:
    """A decimal as it is written; ValueError where its exponent is beyond any measurement."""
    made = Decimal(text)
    if made and abs(made.adjusted()) > LONGEST_EXPONENT:
        raise ValueError("long")
    return made


def whole(text: str) -> int:
    """An integer; ValueError where it has more digits than anything counted."""
    if len(text) > LONGEST_EXPONENT:
        raise ValueError("long")
    return int(text)


def once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """An object whose keys stand once; ValueError where one stands twice."""
    made = dict(pairs)
    if len(made) < len(pairs):
        seen: set[str] = set()
        raise ValueError(next(k for k, _ in pairs if k in seen or seen.add(k)))  # type: ignore[func-returns-value]
    return made


def twice_or_long(fault: ValueError) -> Text:
    """Which of the two it was."""
    key = str(fault.args[0]) if fault.args else ""
    if key == "long" or "digits" in key:
        return tr("a number in the file is too long to be read")
    return tr("{key} stands twice", key=printable(key, 60))


def unzipped_head(raw: bytes) -> bytes:
    """The start of what was packed."""
    try:
        return zlib.decompressobj(31).decompress(raw, HEAD)
    except zlib.error:
        return b""


def refuse(code: str, what: Text, place: Place, hint: Text | None = None) -> NoReturn:
    """Raise one problem."""
    raise DeriveError(Problem(code, what, place, hint=hint))
