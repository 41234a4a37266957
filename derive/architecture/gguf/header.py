"""The header of a GGUF file: keys with their values, tensors with shape and type.

Own code, because the reader of the library `gguf` makes an array of every token of the vocabulary
(12 s and 650 MB for 150,000 tokens), maps the weights, and sets no bounds; it is the tests' oracle.
"""

from __future__ import annotations

import stat
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

from derive.architecture.gguf.cursor import Cursor
from derive.architecture.gguf.types import ARRAY, BOOL, STRING, TENSORS, VALUES, Kind
from derive.architecture.json_file import refuse
from derive.errors import Place, printable
from derive.text import tr

if TYPE_CHECKING:
    from pathlib import Path

MAGIC = b"GGUF"
VERSIONS = (2, 3)
MOST_KEYS, MOST_TENSORS = 1_000, 100_000
LONGEST_NAME = 1024
KEPT = 4096  # characters of a text, entries of a list that are kept; longer ones have no shape
MOST_DIMS, LARGEST_DIM = 4, 2**31 - 1

Value = int | float | bool | str | list[int | float] | None


@dataclass(frozen=True)
class Passed:
    """A value that is too long to be kept: its kind, and how many entries it has."""

    kind: str
    count: int


@dataclass(frozen=True)
class Info:
    """A tensor: its name, its lengths from the innermost on, how it is stored, where."""

    name: str
    dims: tuple[int, ...]
    kind: Kind
    offset: int

    @property
    def elements(self) -> int:
        """How many numbers it holds."""
        return prod(self.dims)

    @property
    def bytes(self) -> int:
        """What it takes in the file, its scales included."""
        return self.elements // self.kind.block * self.kind.size


@dataclass(frozen=True)
class Header:
    """Everything that stands before the weights; `end` is where the last weight should end."""

    file: str
    values: dict[str, Value | Passed]
    tensors: tuple[Info, ...]
    size: int
    end: int


def read_header(path: Path) -> Header:
    """Read a header; DeriveError M101 (cannot be read), M102 (too large), M103, M105, M107."""
    place = Place(str(path))
    try:
        about = path.stat()
        if not stat.S_ISREG(about.st_mode):
            refuse("M101", tr("{path} is no file", path=printable(str(path), 120)), place)
        with path.open("rb") as stream:
            return parse(Cursor(stream, about.st_size, str(path)))
    except OSError as fault:
        why = fault.strerror or type(fault).__name__
        what = tr("{path} cannot be read: {why}", path=printable(str(path), 120), why=why)
        refuse("M101", what, place)


def parse(c: Cursor) -> Header:
    """The header at the start of a file."""
    begin(c)
    tensors, keys = c.whole("Q"), c.whole("Q")
    if tensors > MOST_TENSORS:
        what = tr("the header announces {count} tensors; at most {most} are read", count=tensors,
                  most=MOST_TENSORS)  # fmt: skip
        c.refuse("M102", what)
    if keys > MOST_KEYS:
        what = tr("the header announces {count} keys; at most {most} are read", count=keys,
                  most=MOST_KEYS)  # fmt: skip
        c.refuse("M102", what)
    values: dict[str, Value | Passed] = {}
    for _ in range(keys):
        key = name_of(c)
        if key in values:
            c.refuse("M103", tr("{key} stands twice", key=printable(key, 60)))
        values[key] = value_of(c)
    c.inside = ""
    infos: dict[str, Info] = {}
    for _ in range(tensors):
        info = tensor(c)
        if info.name in infos:
            c.refuse("M103", tr("{key} stands twice", key=printable(info.name, 60)))
        infos[info.name] = info
    alignment = values.get("general.alignment", 32)
    if isinstance(alignment, bool) or not isinstance(alignment, int) or not 0 < alignment < 2**20:
        what = tr("{name} must be a whole number", name="general.alignment")
        refuse("M105", what, c.place("general.alignment"))
    data = -(-c.at // alignment) * alignment
    end = max((data + i.offset + i.bytes for i in infos.values()), default=data)
    return Header(c.file, values, tuple(infos.values()), c.size, end)


def begin(c: Cursor) -> None:
    """Magic number, version, order of bytes: a version of 0 in its low half is the other order."""
    start = c.need(len(MAGIC)) if c.size >= len(MAGIC) else -1
    if start < 0 or c.held[start : start + len(MAGIC)] != MAGIC:
        c.refuse("M101", tr("this is no GGUF file: it does not begin with GGUF"))
    version = c.whole("I")
    if version and version % 65536 == 0:
        c.order, version = ">", int.from_bytes(version.to_bytes(4, "little"), "big")
    if version not in VERSIONS:
        what = tr("version {version} of GGUF is not read", version=version)
        c.refuse("M101", what, tr("known are {known}", known=", ".join(map(str, VERSIONS))))


def name_of(c: Cursor) -> str:
    """The name of a key or a tensor, from then on the place of messages."""
    start = c.at
    length = c.whole("Q")
    if length > LONGEST_NAME:
        what = tr("the name at byte {at} has {length} characters", at=start, length=length)
        c.refuse("M102", what)
    c.inside = c.text(length)
    return c.inside


def value_of(c: Cursor) -> Value | Passed:
    """The value of a key."""
    number = c.whole("I")
    if number == STRING:
        return string(c)
    if number == ARRAY:
        return array(c)
    return scalar(c, number)


def string(c: Cursor) -> str | Passed:
    """A text, kept where it is short."""
    length = c.whole("Q")
    if length > KEPT:
        c.need(length)
        return Passed("string", length)
    return c.text(length)


def scalar(c: Cursor, number: int) -> int | float | bool:
    """One number, or yes or no."""
    if number not in VALUES:
        c.refuse("M105", tr("the value has the unknown type {number}", number=number))
    found = c.number(VALUES[number][1])
    if number == BOOL:
        if found not in (0, 1):
            c.refuse("M105", tr("{name} must be true or false", name=printable(c.inside, 80)))
        return bool(found)
    return found


def array(c: Cursor) -> Value | Passed:
    """A list; of a long one, and of texts, only how many entries it has."""
    number, count = c.whole("I"), c.whole("Q")
    if number == ARRAY:
        c.refuse("M105", tr("a list of lists is not understood"))
    if number not in VALUES and number != STRING:
        c.refuse("M105", tr("the value has the unknown type {number}", number=number))
    if number == STRING:
        c.skip_texts(count)
        return Passed("string", count)
    name, letter = VALUES[number]
    if count > KEPT:
        c.need(count * {"B": 1, "b": 1, "H": 2, "h": 2, "I": 4, "i": 4, "f": 4}.get(letter, 8))
        return Passed(name, count)
    found = c.numbers(letter, count)
    return [bool(n) for n in found] if number == BOOL else list(found)


def tensor(c: Cursor) -> Info:
    """One tensor."""
    name, count = name_of(c), c.whole("I")
    if not 1 <= count <= MOST_DIMS:
        what = tr("a tensor has 1 to {most} dimensions, not {count}", most=MOST_DIMS, count=count)
        c.refuse("M105", what)
    dims = tuple(int(n) for n in c.numbers("Q", count))
    if not all(0 < d <= LARGEST_DIM for d in dims):
        c.refuse("M105", tr("a dimension must be between {low} and {high}", low=1,
                            high=LARGEST_DIM))  # fmt: skip
    number, offset = c.whole("I"), c.whole("Q")
    if number not in TENSORS:
        c.refuse("M109", tr("the tensor has the unknown type {number}", number=number))
    kind = TENSORS[number]
    if dims[0] % kind.block:
        what = tr("rows of {length} are no multiple of the {block} of a {kind} block",
                  length=dims[0], block=kind.block, kind=kind.name)  # fmt: skip
        c.refuse("M107", what)
    return Info(name, dims, kind, offset)
