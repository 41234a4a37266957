"""JSON as it is found in the wild, read safely: bounded, no key twice, bare Infinity marked."""

from __future__ import annotations

import json
import re
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NoReturn

from derive.errors import MOST, DeriveError, Place, Problem, printable, reason, why_no_json
from derive.text import Text, tr

if TYPE_CHECKING:
    from pathlib import Path

LARGEST = 8_000_000  # bytes of a config; the largest known has 0.1 MB
LARGEST_INDEX = 128_000_000  # bytes of a weight index: one line a tensor
DEEPEST = 32


@dataclass(frozen=True)
class Odd:
    """A token that strict JSON does not know: Infinity, -Infinity, NaN."""

    token: str


@dataclass(frozen=True)
class Source:
    """A JSON object with the text it came from; `labels` are names of fields as the file has them.

    Only what is no JSON, and carries the fields under other names, has labels.
    """

    data: dict[str, object]
    file: str
    text: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)

    def place(self, path: str) -> Place:
        """Where a dotted key stands in the file, as far as a search can tell.

        Every call searches the text: whoever has many problems asks for the first ones.
        """
        at = line = 0
        for key in path.split("."):
            spelled = {json.dumps(key), json.dumps(key, ensure_ascii=False)}
            names = "|".join(re.escape(name) for name in spelled)
            found = re.compile(rf"(?:{names})\s*:").search(self.text, at)
            if not found:
                break
            at, line = found.end(), self.text.count("\n", 0, found.start()) + 1
        return Place(self.file, line, 0, path)


def read_json(path: Path, largest: int = LARGEST) -> Source:
    """The object in a file; DeriveError M101 (cannot be read) or M102 (too large)."""
    place = Place(str(path))
    try:
        about = path.stat()
        if not stat.S_ISREG(about.st_mode):
            refuse("M101", tr("{path} is no file", path=printable(str(path), 120)), place)
        if about.st_size > largest:
            what = tr("the file has {size} bytes; a config has at most {largest}",
                      size=about.st_size, largest=largest)  # fmt: skip
            refuse("M102", what, place)
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as fault:
        what = tr("{path} cannot be read: {why}", path=printable(str(path), 120),
                  why=reason(fault))  # fmt: skip
        refuse("M101", what, place)
    except UnicodeDecodeError:
        refuse("M101", tr("the file is not UTF-8 text"), place)
    return read_text(text, str(path))


def read_text(text: str, file: str) -> Source:
    """The object in a text; DeriveError where it is not one readable JSON object."""
    twice: list[str] = []

    def table(pairs: list[tuple[str, object]]) -> dict[str, object]:
        made = dict(pairs)
        if len(made) < len(pairs):
            seen: set[str] = set()
            twice.extend(k for k, _ in pairs if k in seen or seen.add(k))  # type: ignore[func-returns-value]
        return made

    place = Place(file)
    try:
        data = json.loads(text, object_pairs_hook=table, parse_constant=Odd)
    except json.JSONDecodeError as fault:
        place = Place(file, fault.lineno, fault.colno)
        refuse("M101", tr("this is not JSON: {why}", why=why_no_json(fault.msg)), place)
    except RecursionError:
        refuse("M102", tr("the file is nested too deeply"), place)
    except ValueError:  # a number of thousands of digits
        refuse("M101", tr("a number in the file is too long to be read"), place)
    if not isinstance(data, dict):
        refuse("M101", tr("the file holds no JSON object"), place)
    if depth(data) > DEEPEST:
        refuse("M102", tr("the file is nested too deeply"), place)
    source = Source(data, file, text)
    if twice:
        raise DeriveError(repeated(source, list(dict.fromkeys(twice))))
    return source


def repeated(source: Source, keys: list[str]) -> Iterator[Problem]:
    """Keys that stand twice: the first ones each, the rest by their number."""
    for key in keys[: MOST - 1]:
        yield Problem("M103", tr("{key} stands twice", key=printable(key, 60)), source.place(key))
    if len(keys) >= MOST:
        what = tr("{count} keys more stand twice", count=f"{len(keys) - MOST + 1:,}")
        yield Problem("M103", what, Place(source.file))


def depth(data: object) -> int:
    """How deep a tree of objects and lists is; stops counting just past the bound."""
    level, deep = [data], 0
    while level and deep <= DEEPEST:
        deep += 1
        below: list[object] = []
        for node in level:
            if isinstance(node, dict):
                below.extend(v for v in node.values() if isinstance(v, (dict, list)))
            elif isinstance(node, list):
                below.extend(v for v in node if isinstance(v, (dict, list)))
        level = below
    return deep


def refuse(code: str, what: Text, place: Place, hint: Text | None = None) -> NoReturn:
    """Raise one problem."""
    raise DeriveError(Problem(code, what, place, hint=hint))
