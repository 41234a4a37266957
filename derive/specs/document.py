"""YAML as a tree of texts with places: strict, bounded, and nothing is converted on the way.

The parser's event stream is used, not its composer: depth is counted while reading, so that no
input can exhaust a stack, and anchors, tags and other cleverness are refused where they stand.
"""

from __future__ import annotations

import stat
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from derive.errors import DeriveError, Place, Problem, printable, reason
from derive.specs.faults import excerpt
from derive.specs.nodes import Broken, Document, Items, Node, Scalar, Table, fault
from derive.specs.syntax import BREAKS, complaint
from derive.text import Text, tr

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LARGEST = 1_000_000  # bytes
DEEPEST = 20  # nested mappings and lists
MOST_NODES = 20_000


@dataclass(frozen=True)
class Limits:
    """How much a file may hold; `list_key` is the key under which a list alone is read."""

    bytes: int = LARGEST
    nodes: int = MOST_NODES
    list_key: str = ""


SPEC = Limits()


def read_file(path: Path, place: Place | None = None, limits: Limits = SPEC) -> Document:
    """Read one spec file; every way in which it can be unusable has its own error.

    `place` is where the file is named. Faults that let the reading go on are left in `problems`.
    """
    return parsed(file_text(path, place, limits.bytes), str(path), limits)


def file_text(path: Path, place: Place | None = None, largest: int = LARGEST) -> str:
    """The text of one file of a bounded size."""
    name = str(path)
    shown, where = printable(name), place or Place(name)
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            raise fault("S103", tr("{file} is a directory", file=shown), where)
        if not stat.S_ISREG(mode):
            raise fault("S103", tr("{file} is not a regular file", file=shown), where)
        with path.open("rb") as file:
            raw = file.read(largest + 1)
    except FileNotFoundError:
        raise fault("S101", tr("no such file: {file}", file=shown), where) from None
    except OSError as error:
        what = tr("cannot read {file}: {why}", file=shown, why=reason(error))
        raise fault("S102", what, where) from None
    except ValueError:  # a NUL in the name
        raise fault("S102", tr("{file} is no file name", file=shown), where) from None
    if len(raw) > largest:
        what = tr("{file} is larger than {limit} bytes", file=shown, limit=f"{largest:,}")
        raise fault("S104", what, where)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        if raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
            raise fault("S105", tr("the file is UTF-16: save it as UTF-8"), Place(name)) from None
        line = raw.count(b"\n", 0, error.start) + 1
        what = tr("the file is not UTF-8 text: byte {byte}", byte=f"0x{raw[error.start]:02X}")
        raise fault("S105", what, Place(name, line)) from None


def read_text(text: str, file: str) -> Document:
    """Read YAML text in which nothing is refused; `file` is the name that errors show."""
    return checked(parsed(text, file))


def checked(document: Document) -> Document:
    """A document of which nothing was refused; DeriveError otherwise."""
    if document.problems:
        raise DeriveError(document.problems)
    return document


def parsed(text: str, file: str, limits: Limits = SPEC) -> Document:
    """Read YAML text; what is refused but lets the reading go on is left in `problems`."""
    text = text.removeprefix("\ufeff")
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise fault("S105", tr("the file holds a NUL character"), Place(file, line))
    return _Builder(file, tuple(BREAKS.split(text)), limits).build(text)


def events(text: str, file: str) -> Iterator[Any]:
    """The parser's events; its complaints become ours."""
    import yaml

    loader: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    try:
        yield from yaml.parse(text, Loader=loader)
    except yaml.MarkedYAMLError as error:
        lines = tuple(BREAKS.split(text))
        what, line, column, hint = complaint(error, lines)
        place = Place(file, line, column)
        problem = Problem("S106", what, place, excerpt(lines, place), hint=hint)
        raise DeriveError(problem) from None
    except yaml.YAMLError as error:  # unprintable characters
        position = getattr(error, "position", None)
        line = text.count("\n", 0, position) + 1 if isinstance(position, int) else 0
        char = getattr(error, "character", None)
        number = char if isinstance(char, int) else ord(char) if char else 0
        what = tr("the file holds a control character: {char}", char=f"U+{number:04X}")
        raise fault("S105", what, Place(file, line)) from None


@dataclass
class _Open:
    """A collection that is being filled."""

    place: Place
    is_table: bool
    entries: dict[str, Node] = field(default_factory=dict)
    places: dict[str, Place] = field(default_factory=dict)
    items: list[Node] = field(default_factory=list)
    key: str | None = None

    def child(self) -> str:
        """Name the dotted path of the next node inside."""
        if not self.is_table:
            return f"{self.place.key}[{len(self.items)}]"
        return ".".join(part for part in (self.place.key, self.key or "") if part)


class _Builder:
    """Events to nodes, with an explicit stack."""

    def __init__(self, file: str, lines: tuple[str, ...], limits: Limits) -> None:
        self.file = file
        self.lines = lines
        self.limits = limits
        self.open: list[_Open] = []
        self.root: Node | None = None
        self.documents = 0
        self.nodes = 0
        self.problems: list[Problem] = []

    def build(self, text: str) -> Document:
        try:
            for event in events(text, self.file):
                self.take(event, type(event).__name__)
        except DeriveError as error:
            raise DeriveError([*self.problems, *error.problems]) from None
        if isinstance(self.root, Items) and self.limits.list_key:
            self.root = Table({self.limits.list_key: self.root}, self.root.place)
        if not isinstance(self.root, Table):
            place = Place(self.file, 1)
            what = tr("the file holds no keys: a spec is a mapping of keys to values")
            raise fault("S115", what, self.root.place if self.root else place)
        return Document(self.root, self.file, self.lines, tuple(self.problems))

    def refuse(self, code: str, what: Text, place: Place, mark: str = "") -> None:
        """Note what is refused; the reading goes on."""
        self.problems.append(Problem(code, what, place, excerpt(self.lines, place, mark)))

    def stop(self, code: str, what: Text, place: Place) -> DeriveError:
        """The error that ends the reading."""
        return DeriveError(Problem(code, what, place, excerpt(self.lines, place)))

    def take(self, event: Any, kind: str) -> None:
        if kind == "DocumentStartEvent":
            self.start_document(event)
        elif kind == "AliasEvent":
            shown = printable(event.anchor, 60)
            what = tr("aliases (*{name}) are not read: write it out", name=shown)
            self.refuse("S108", what, self.at(event), "*" + event.anchor)
            self.alias(event)
        elif kind in ("MappingEndEvent", "SequenceEndEvent"):
            self.close()
        elif kind in ("ScalarEvent", "MappingStartEvent", "SequenceStartEvent"):
            self.refuse_cleverness(event, kind)
            if kind == "ScalarEvent":
                self.scalar(event)
            else:
                self.start(event, kind)

    def at(self, event: Any, key: str = "") -> Place:
        mark = event.start_mark
        return Place(self.file, mark.line + 1, mark.column + 1, key)

    def start_document(self, event: Any) -> None:
        self.documents += 1
        if self.documents > 1:
            what = tr("a file holds one document; a second one starts here")
            raise self.stop("S112", what, self.at(event))
        if event.version or event.tags:
            self.refuse("S117", tr("YAML directives are not read"), self.at(event))

    def refuse_cleverness(self, event: Any, kind: str) -> None:
        self.nodes += 1
        if self.nodes > self.limits.nodes:
            what = tr("more than {limit} values in one file", limit=f"{self.limits.nodes:,}")
            raise self.stop("S114", what, self.at(event))
        if event.anchor:
            what = tr("anchors (&{name}) are not read", name=printable(event.anchor, 60))
            self.refuse("S107", what, self.at(event), "&" + event.anchor)
        if event.tag:
            what = tr("tags (!…) are not read: every value is text")
            self.refuse("S110", what, self.at(event))
        top = self.open[-1] if self.open else None
        if kind != "ScalarEvent" and top and top.is_table and top.key is None:
            raise self.stop("S116", tr("a key must be a plain word"), self.at(event))

    def alias(self, event: Any) -> None:
        """A node that stands elsewhere: nothing to read here."""
        top = self.open[-1] if self.open else None
        if top and top.is_table and top.key is None:
            raise self.stop("S116", tr("a key must be a plain word"), self.at(event))
        self.add(Broken(self.at(event, top.child() if top else "")))

    def scalar(self, event: Any) -> None:
        top = self.open[-1] if self.open else None
        if top and top.is_table and top.key is None:
            self.new_key(top, event)
        else:
            place = self.at(event, top.child() if top else "")
            self.add(Scalar(event.value, place, not event.style))

    def new_key(self, top: _Open, event: Any) -> None:
        key: str = event.value
        place = self.at(event, ".".join(part for part in (top.place.key, key) if part))
        top.key = key
        if key == "<<":
            what = tr("merge keys (<<) are not read: write the values out")
            self.refuse("S109", what, place, key)
        elif key in top.places:
            what = tr(
                "key {key} stands twice, first in line {line}",
                key=printable(key, 60),
                line=top.places[key].line,
            )
            self.refuse("S111", what, place, key)
        else:
            top.places[key] = place

    def start(self, event: Any, kind: str) -> None:
        if len(self.open) >= DEEPEST:
            what = tr("nested more than {limit} levels deep", limit=DEEPEST)
            raise self.stop("S113", what, self.at(event))
        top = self.open[-1] if self.open else None
        if top and top.is_table and top.key in top.places:
            place = top.places[top.key]  # a collection stands where its key stands
        else:
            place = self.at(event, top.child() if top else "")
        self.open.append(_Open(place, kind == "MappingStartEvent"))

    def close(self) -> None:
        done = self.open.pop()
        if done.is_table:
            self.add(Table(done.entries, done.place, done.places))
        else:
            self.add(Items(tuple(done.items), done.place))

    def add(self, node: Node) -> None:
        if not self.open:
            self.root = node
            return
        top = self.open[-1]
        if top.is_table:
            if top.key is not None and top.key in top.places:  # a merge key has no place
                top.entries.setdefault(top.key, node)  # of a key that stands twice the first counts
            top.key = None
        else:
            top.items.append(node)
