"""YAML as a tree of texts with places: strict, bounded, and nothing is converted on the way.

The parser's event stream is used, not its composer: depth is counted while reading, so that no
input can exhaust a stack, and anchors, tags and other cleverness are refused where they stand.
"""

from __future__ import annotations

import stat
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from derive.errors import DeriveError, Place, Problem, printable
from derive.text import Text, tr

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

LARGEST = 1_000_000  # bytes
DEEPEST = 20  # nested mappings and lists
MOST_NODES = 20_000


@dataclass(frozen=True)
class Scalar:
    """A value exactly as written; `plain` when it stood without quotes."""

    text: str
    place: Place
    plain: bool = True

    @property
    def empty(self) -> bool:
        """True for a key with nothing behind it, `~` and `null`."""
        return self.plain and self.text.lower() in ("", "~", "null")


@dataclass(frozen=True)
class Items:
    """A list."""

    entries: tuple[Node, ...]
    place: Place


@dataclass(frozen=True)
class Table:
    """A mapping from text keys to nodes, in the order of the file."""

    entries: Mapping[str, Node]
    place: Place
    places: Mapping[str, Place] = field(default_factory=dict)

    def place_of(self, key: str) -> Place:
        """Say where a key stands; the place of the table where it has none."""
        return self.places.get(key, self.place)


Node = Scalar | Items | Table


@dataclass(frozen=True)
class Document:
    """One file: its root table and its lines, for excerpts."""

    root: Table
    file: str
    lines: tuple[str, ...]


def fault(code: str, what: Text, place: Place, hint: Text | None = None) -> DeriveError:
    """One problem as an error."""
    return DeriveError(Problem(code, what, place, hint=hint))


def read_file(path: Path) -> Document:
    """Read one spec file; every way in which it can be unusable has its own error."""
    name = str(path)
    place = Place(name)
    try:
        mode = path.stat().st_mode
        if not stat.S_ISREG(mode):
            kind = tr("a directory") if stat.S_ISDIR(mode) else tr("not a regular file")
            raise fault("S103", tr("{file} is {kind}", file=printable(name), kind=kind), place)
        with path.open("rb") as file:
            raw = file.read(LARGEST + 1)
    except FileNotFoundError:
        raise fault("S101", tr("no such file: {file}", file=printable(name)), place) from None
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        what = tr("cannot read {file}: {why}", file=printable(name), why=why)
        raise fault("S102", what, place) from None
    if len(raw) > LARGEST:
        what = tr("{file} is larger than {limit} bytes", file=printable(name), limit=f"{LARGEST:,}")
        raise fault("S104", what, place)
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise fault("S105", tr("the file is not UTF-8 text"), Place(name, line)) from None
    return read_text(text, name)


def read_text(text: str, file: str) -> Document:
    """Read YAML text; `file` is the name that errors show."""
    text = text.removeprefix("\ufeff")
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise fault("S105", tr("the file holds a NUL character"), Place(file, line))
    return Document(_Builder(file).build(text), file, tuple(text.splitlines()))


def events(text: str, file: str) -> Iterator[Any]:
    """The parser's events; its complaints become ours."""
    import yaml

    loader: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    try:
        yield from yaml.parse(text, Loader=loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = Place(file, mark.line + 1, mark.column + 1) if mark else Place(file)
        why = printable(error.problem or error.context or "")
        raise fault("S106", tr("not valid YAML: {why}", why=why), place) from None
    except yaml.YAMLError as error:  # unprintable characters
        position = getattr(error, "position", None)
        line = text.count("\n", 0, position) + 1 if isinstance(position, int) else 0
        why = printable(str(getattr(error, "reason", error)))
        what = tr("unreadable characters: {why}", why=why)
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

    def __init__(self, file: str) -> None:
        self.file = file
        self.open: list[_Open] = []
        self.root: Node | None = None
        self.documents = 0
        self.nodes = 0

    def build(self, text: str) -> Table:
        for event in events(text, self.file):
            self.take(event, type(event).__name__)
        if not isinstance(self.root, Table):
            place = self.root.place if self.root else Place(self.file, 1)
            what = tr("the file holds no keys: a spec is a mapping of keys to values")
            raise fault("S115", what, place)
        return self.root

    def take(self, event: Any, kind: str) -> None:
        if kind == "DocumentStartEvent":
            self.start_document(event)
        elif kind == "AliasEvent":
            what = tr(
                "aliases (*{name}) are not read: write it out", name=printable(event.anchor, 60)
            )
            raise fault("S108", what, self.at(event))
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
            raise fault("S112", what, self.at(event))
        if event.version or event.tags:
            raise fault("S117", tr("YAML directives are not read"), self.at(event))

    def refuse_cleverness(self, event: Any, kind: str) -> None:
        self.nodes += 1
        if self.nodes > MOST_NODES:
            what = tr("more than {limit} values in one file", limit=f"{MOST_NODES:,}")
            raise fault("S114", what, self.at(event))
        if event.anchor:
            what = tr("anchors (&{name}) are not read", name=printable(event.anchor, 60))
            raise fault("S107", what, self.at(event))
        if event.tag:
            tag = printable(event.tag, 60)
            what = tr("tags ({tag}) are not read: every value is text", tag=tag)
            raise fault("S110", what, self.at(event))
        top = self.open[-1] if self.open else None
        if kind != "ScalarEvent" and top and top.is_table and top.key is None:
            raise fault("S116", tr("a key must be a plain word"), self.at(event))

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
        if key == "<<":
            raise fault("S109", tr("merge keys (<<) are not read: write the values out"), place)
        if key in top.entries:
            first = top.places[key]
            what = tr("key {key} stands twice", key=printable(key, 60))
            hint = tr("it first stands in line {line}", line=first.line)
            raise fault("S111", what, place, hint)
        top.key = key
        top.places[key] = place

    def start(self, event: Any, kind: str) -> None:
        if len(self.open) >= DEEPEST:
            what = tr("nested more than {limit} levels deep", limit=DEEPEST)
            raise fault("S113", what, self.at(event))
        top = self.open[-1] if self.open else None
        if top and top.is_table and top.key is not None:
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
            assert top.key is not None
            top.entries[top.key] = node
            top.key = None
        else:
            top.items.append(node)
