"""What a reader declares, and which one reads a file: told by its content, never by its name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any

from derive.errors import DeriveError, Place, Problem
from derive.measured.files import Found, Progress, Table, refuse
from derive.text import Text, tr

if TYPE_CHECKING:
    from derive.measured.record import Run

OBJECT, ARRAY, TABLE, TEXT, TRACE = "object", "array", "table", "text", "trace"
RECORDS = "records"


@dataclass(frozen=True)
class Reader:
    """One tool's file format.

    `form` says what `read` is given: a `Document` that holds an object (once for each object of
    the file) or an array, all objects of the file (records: one a request), the file's tables (from
    the one that fits on: what a profiled program printed may stand before), or the file itself
    (text, trace). `signature` holds alternatives; a file is this tool's where every item of one is
    there: dotted keys of the object (or of the array's first object), columns of a table, patterns
    of the text, patterns of a trace's head.
    """

    id: str
    tool: str
    form: str
    signature: tuple[tuple[str, ...], ...]
    read: Callable[[Any], list[Run]]
    about: Text


@cache
def readers() -> tuple[Reader, ...]:
    """Every module of readers/ declares READERS."""
    from derive.measured import readers as folder

    found: list[Reader] = []
    for module in sorted(m.name for m in iter_modules(folder.__path__)):
        found += import_module(f"{folder.__name__}.{module}").READERS
    return tuple(found)


def read(path: Path, progress: Progress | None = None) -> list[Run]:
    """The runs in a file; DeriveError B104 where no tool writes such a file.

    `progress` is told how many of the file's bytes were read, and how many there are.
    """
    found = Found(path, progress)
    made: list[Run] = []
    for reader, given in matches(found):
        made += reader.read(given)
    if not made:
        refuse("B105", tr("the file holds no run"), found.place)
    return made


def matches(found: Found) -> Iterator[tuple[Reader, Any]]:
    """Readers with what each is given; DeriveError where there is none."""
    if reader := first(TRACE, lambda pattern: re.search(pattern, found.head)):
        yield reader, found
        return
    if found.is_json:
        one = found.documents[0].data
        if reader := first(RECORDS, lambda key: has(one, key)):
            yield reader, found.documents
            return
        for document in found.documents:
            form = ARRAY if isinstance(document.data, list) else OBJECT
            sample = document.data[0] if form == ARRAY and document.data else document.data  # type: ignore[index]
            reader = first(form, lambda key, of=sample: has(of, key))  # type: ignore[misc]
            if reader is None:
                raise DeriveError(unknown(document.place(), form, sample))
            yield reader, document
        return
    # tables last: nearly any text can be taken for one
    if reader := first(TEXT, lambda pattern: re.search(pattern, found.text)):
        yield reader, found
        return
    for number, table in enumerate(found.tables):
        if reader := first(TABLE, lambda column, of=table: column in of.header):  # type: ignore[misc]
            yield reader, whole(found.tables[number:])
            return
    raise DeriveError(unknown(found.place, TEXT, None))


def whole(tables: tuple[Table, ...]) -> tuple[Table, ...]:
    """The tables; DeriveError where a row lacks cells."""
    if torn := [t.torn for t in tables if t.torn]:
        raise DeriveError(torn)
    return tables


def first(form: str, there: Callable[[str], object]) -> Reader | None:
    """The reader of that form with the longest signature that is all there."""
    fitting = [
        (len(alternative), reader)
        for reader in readers()
        if reader.form == form
        for alternative in reader.signature
        if all(there(item) for item in alternative)
    ]
    return max(fitting, key=lambda pair: pair[0])[1] if fitting else None


def has(data: object, key: str) -> bool:
    """Whether a dotted key is there, be it empty."""
    if isinstance(data, dict) and key in data:
        return True
    head, _, rest = key.partition(".")
    return bool(rest) and isinstance(data, dict) and has(data.get(head), rest)


def unknown(place: Place, form: str, data: object) -> Problem:
    """No tool's file; with what lacks to the nearest one, else all that can be read."""
    what = tr("no tool that derive reads writes such a file")
    best: tuple[int, Reader, tuple[str, ...]] | None = None
    for reader in readers():
        for alternative in reader.signature if reader.form == form and data is not None else ():
            there = sum(has(data, key) for key in alternative)
            lacking = tuple(k for k in alternative if not has(data, k))
            if there and (best is None or (there, -len(lacking)) > (best[0], -len(best[2]))):
                best = there, reader, lacking
    if best:
        hint = tr("{tool} writes {keys} too", tool=best[1].tool, keys=", ".join(best[2]))
        return Problem("B104", what, place, hint=hint)
    rows: dict[tuple[str, str], tuple[str | Text, ...]] = {
        (r.tool, r.about.en): (r.tool, r.about) for r in readers()
    }
    return Problem("B104", what, place, rows=tuple(rows.values()))
