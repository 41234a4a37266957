"""What a spec file is once read: a tree of texts with places, and the file around it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from derive.errors import DeriveError, Problem

if TYPE_CHECKING:
    from collections.abc import Mapping

    from derive.errors import Place
    from derive.text import Text


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


@dataclass(frozen=True)
class Broken:
    """A value whose fault is noted already: readers pass over it."""

    place: Place


Node = Scalar | Items | Table | Broken


@dataclass(frozen=True)
class Document:
    """One file: its root table, its lines for excerpts, and what was refused while reading on."""

    root: Table
    file: str
    lines: tuple[str, ...]
    problems: tuple[Problem, ...] = ()


def fault(code: str, what: Text, place: Place, hint: Text | None = None) -> DeriveError:
    """One problem as an error."""
    return DeriveError(Problem(code, what, place, hint=hint))
