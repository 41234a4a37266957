"""Files of claims: YAML with fields, or plain text with one claim a line.

A file is read as a whole before anything is judged: what is wrong with any of its claims is told in
one error with file, line and column, and no verdict is printed, so that none goes missing unseen.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from derive.audit.fields.conditions import phrases
from derive.audit.fields.given import read_given
from derive.audit.formula.equations import equations
from derive.audit.standard_input import is_stdin, stdin_text
from derive.audit.types import VERDICTS, Entry
from derive.errors import DeriveError, Place, Problem, printable
from derive.specs.claims_fields import CLAIMS
from derive.specs.document import Limits, file_text, parsed
from derive.specs.faults import Faults, nearest
from derive.specs.nodes import Document, Table
from derive.specs.reader import Reader
from derive.text import Text, tr

LIMITS = Limits(bytes=16_000_000, nodes=2_000_000, list_key="claims")
LISTS = ("claims", "cases", "figures")
KEYED = re.compile(rf"^(?:{'|'.join(LISTS)}) ?:", re.MULTILINE)  # YAML of standard input
SAYS = ("text", "value", "printed", "formula")  # one of them makes a claim
SAME = (("value", "printed"), ("expect", "verdict"))


@dataclass(frozen=True)
class Stated:
    """One claim of a file: its words, its fields, where it stands."""

    text: str
    place: Place
    entry: Entry | None = None
    paraphrases: tuple[str, ...] = ()


def read_claims(path: Path) -> list[Stated]:
    """Every claim of a file; DeriveError with all that is wrong."""
    text = stdin_text() if is_stdin(path) else file_text(path, largest=LIMITS.bytes)
    if path.suffix.lower() not in (".yaml", ".yml") and not (is_stdin(path) and KEYED.search(text)):
        return list(lines(text, str(path)))
    document = parsed(text, str(path), LIMITS)
    faults = Faults()
    faults.knows(document)
    found = list(claims(document, Reader(faults, tuple), faults))
    faults.raise_any()
    return found


def title_of(path: Path) -> Text | None:
    """The title that a file of claims gives itself; nothing where it has none or cannot be read."""
    if path.suffix.lower() not in (".yaml", ".yml"):
        return None
    document = parsed(file_text(path, largest=LIMITS.bytes), str(path), LIMITS)
    title = Reader(Faults(), tuple).table(document.root, CLAIMS).get("title")
    return title if isinstance(title, Text) else None


def lines(text: str, file: str) -> Iterator[Stated]:
    """One claim a line; empty lines are passed over, a file without others is refused."""
    if not text.strip("\ufeff \t\r\n"):
        raise DeriveError(Problem("A103", tr("the file holds no claims: one a line"), Place(file)))
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        if line.strip():
            yield Stated(line.strip(), Place(file, number))


def claims(document: Document, reader: Reader, faults: Faults) -> Iterator[Stated]:
    """The claims of a document under any of the keys that hold a list of them."""
    read = reader.table(document.root, CLAIMS)
    if not faults.found and not any(read.get(key) for key in LISTS):
        what = tr("the file holds no claims: list them under {key}", key="claims:")
        faults.add("A103", what, Place(document.file, 1))
    for key in LISTS:
        for node, fields in read.get(key, ()):
            for one, other in SAME:
                if one in fields and other in fields:
                    what = tr(
                        "{one} and {other} say the same thing: keep one", one=one, other=other
                    )
                    faults.add("A104", what, node.place_of(other), mark=other)
                fields[one] = fields.get(one) or fields.pop(other, None)
            yield stated(node, fields, faults)


def stated(node: Table, fields: dict[str, Any], faults: Faults) -> Stated:
    """One claim, checked for what would leave it without anything to judge."""
    text, value, formula = (fields.get(k) or "" for k in ("text", "value", "formula"))
    place = first_place(node)
    if not (text or value or formula):
        if not any(key in node.entries for key in SAYS):  # else its own fault is noted
            what = tr("a claim needs one of {keys}", keys="text, value, formula")
            faults.add("A105", what, place)
    elif value and not text and not fields.get("quantity"):
        what = tr("a value without text needs quantity: what it is a figure of")
        faults.add("A106", what, node.place_of("value" if "value" in node.entries else "printed"))
    expect = tuple(fields.get("expect") or ())
    for word in expect:
        if word not in VERDICTS:
            what = tr("{word} is no verdict", word=printable(word, 40))
            key = "expect" if "expect" in node.entries else "verdict"
            hint = nearest(word, VERDICTS, 0.6)
            faults.add("A107", what, node.place_of(key), hint, mark=word)
    given = dict(fields.get("given") or {})
    conditions = tuple(fields.get("conditions") or ())
    if isinstance(table := node.entries.get("conditions"), Table):
        conditions = phrases(table, faults)
    entry = Entry(
        id=fields.get("id") or "",
        subject=fields.get("subject") or "",
        quantity=fields.get("quantity") or "",
        value=value,
        given=given,
        conditions=conditions,
        formula=formula,
        source=tuple(fields.get("source") or ()),
        note=fields.get("note") or "",
        exact=fields.get("exact") or "",
        expect=expect,
    )
    if entry.quantity and value and given:
        readable(node, given, faults)
    if formula:
        try:
            equations(formula)
        except DeriveError as error:
            at = node.entries["formula"].place
            for problem in error.problems:
                faults.add(problem.code, problem.what, at, problem.hint, mark=formula)
    return Stated(text, place, entry, tuple(fields.get("paraphrases") or ()))


def readable(node: Table, given: dict[str, str], faults: Faults) -> None:
    """Note every given value that cannot be read, where it stands."""
    try:
        read_given(given)
    except DeriveError as error:
        table = node.entries["given"]
        assert isinstance(table, Table)
        for problem in error.problems:
            key = problem.place.key if problem.place else ""
            at = table.entries[key].place
            faults.add(problem.code, problem.what, at, problem.hint, mark=given[key])


def first_place(node: Table) -> Place:
    """Where a claim begins: at its first key."""
    places = [p for p in node.places.values() if p.line]
    return replace(min(places, key=lambda p: (p.line, p.column)), key="") if places else node.place
