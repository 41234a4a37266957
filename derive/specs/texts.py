"""Reading of what is not a figure: names, choices, dates, texts in both languages, source keys."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from datetime import date
from typing import TYPE_CHECKING, Any

from derive.errors import harmless, printable
from derive.specs.faults import Faults, nearest
from derive.specs.fields import Field
from derive.specs.nodes import Broken, Items, Node, Scalar, Table
from derive.specs.words import HOW
from derive.text import Text, tr

if TYPE_CHECKING:
    from collections.abc import Callable, Collection


NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,99}")
DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
LONGEST_TEXT = 2_000  # characters
BILINGUAL = (
    Field("en", "text", Text("English", "英文"), required=True),
    Field("zh", "text", Text("Chinese", "中文"), required=True),
)
Basis = tuple[Text, ...]


class TextReader(ABC):
    """Reads texts of one document; `sources` gives the known source keys when one is met."""

    def __init__(self, faults: Faults, sources: Callable[[], Collection[str]]) -> None:
        self.faults = faults
        self.sources = sources

    @abstractmethod
    def table(self, node: Table, fields: tuple[Field, ...], basis: Basis = ()) -> dict[str, Any]:
        """Every known key of a table, read; unknown and missing keys are faults."""

    def scalar(self, node: Node, field: Field) -> Scalar | None:
        """A single value, or a fault."""
        if isinstance(node, Scalar):
            return node
        self.wrong_type(node, field, tr("a single value"))
        return None

    def wrong_type(self, node: Node, field: Field, expected: Text) -> None:
        """Note that a node has another shape than its field."""
        if isinstance(node, Broken):
            return
        names = {Scalar: tr("a single value"), Items: tr("a list"), Table: tr("a mapping")}
        key = node.place.key or field.key
        what = tr(
            "{key} must be {expected}, found {found}",
            key=printable(key), expected=expected, found=names[type(node)],
        )  # fmt: skip
        self.faults.add("S203", what, node.place, mark=mark_of(node))

    def read_text(self, node: Node, field: Field, _basis: Basis) -> str | None:
        """Any text of a bounded length, on one line and without control characters."""
        found = self.scalar(node, field)
        if found is None:
            return None
        text = re.sub(r"\s*\n\s*", " ", found.text).strip()
        bad = next((c for c in text if not harmless(c)), "")
        key = found.place.key or field.key
        if bad:
            char = f"U+{ord(bad):04X}"
            what = tr("{key} holds a control character: {char}", key=key, char=char)
            self.faults.add("S206", what, found.place, mark=found.text)
            return None
        if len(text) > LONGEST_TEXT:
            limit = f"{LONGEST_TEXT:,}"
            what = tr("{key} is longer than {limit} characters", key=key, limit=limit)
            self.faults.add("S206", what, found.place)
            return None
        return text

    def read_reference(self, node: Node, field: Field, _basis: Basis) -> Scalar | None:
        """A name or a path, with its place."""
        return self.scalar(node, field)

    def read_id(self, node: Node, field: Field, _basis: Basis) -> str | None:
        """A name that is safe as a file name."""
        found = self.scalar(node, field)
        if found and not NAME.fullmatch(found.text):
            what = tr("{key}: {text} is no name", key=field.key, text=printable(found.text, 60))
            hint = tr("letters, digits, dot, hyphen and underscore, at most 100")
            self.faults.add("S209", what, found.place, hint, mark=found.text)
            return None
        return found.text if found else None

    def read_choice(self, node: Node, field: Field, _basis: Basis) -> str | None:
        """One of a closed list."""
        found = self.scalar(node, field)
        if found and found.text not in field.choices:
            text = printable(found.text, 60)
            what = tr(
                "{key}: {text} is not among {choices}",
                key=found.place.key or field.key,
                text=text,
                choices=", ".join(field.choices),
            )
            self.faults.add(
                "S205", what, found.place, nearest(found.text, field.choices, 0.6), mark=found.text
            )
            return None
        return found.text if found else None

    def read_choices(self, node: Node, field: Field, _basis: Basis) -> tuple[str, ...]:
        """Some of a closed list."""
        if not isinstance(node, Items):
            self.wrong_type(node, field, tr("a list"))
            return ()
        found = [self.read_choice(entry, field, ()) for entry in node.entries]
        return tuple(c for c in found if c)

    def read_bool(self, node: Node, field: Field, _basis: Basis) -> bool | None:
        """True or false."""
        found = self.read_choice(
            node, Field(field.key, "choice", field.means, choices=("true", "false")), ()
        )
        return None if found is None else found == "true"

    def read_date(self, node: Node, field: Field, _basis: Basis) -> str | None:
        """A calendar date, YYYY-MM-DD."""
        found = self.scalar(node, field)
        if found is None:
            return None
        well_formed = DATE.fullmatch(found.text)
        try:
            if well_formed:
                return date.fromisoformat(found.text).isoformat()
        except ValueError:
            pass  # the thirtieth of February
        what = tr("{key}: {text} is no date", key=field.key, text=printable(found.text, 40))
        hint = None if well_formed else tr("write it as 2026-11-30")
        self.faults.add("S208", what, found.place, hint, mark=found.text)
        return None

    def read_year(self, node: Node, field: Field, _basis: Basis) -> int | None:
        """A year."""
        found = self.scalar(node, field)
        if found and not re.fullmatch(r"(19|20)\d\d", found.text):
            what = tr("{key}: {text} is no year", key=field.key, text=printable(found.text, 40))
            self.faults.add("S208", what, found.place, mark=found.text)
            return None
        return int(found.text) if found else None

    def read_bilingual(self, node: Node, field: Field, _basis: Basis) -> Text | None:
        """A text in both languages."""
        if not isinstance(node, Table):
            self.wrong_type(node, field, tr("a mapping with en and zh"))
            return None
        read = self.table(node, BILINGUAL)
        return Text(read["en"], read["zh"]) if len(read) == len(BILINGUAL) else None

    def read_notes(self, node: Node, field: Field, _basis: Basis) -> tuple[Text, ...]:
        """A list of texts in both languages."""
        if not isinstance(node, Items):
            self.wrong_type(node, field, tr("a list"))
            return ()
        texts = [self.read_bilingual(entry, field, ()) for entry in node.entries]
        return tuple(t for t in texts if t is not None)

    def read_texts(self, node: Node, field: Field, _basis: Basis) -> tuple[str, ...]:
        """A list of plain texts."""
        if not isinstance(node, Items):
            self.wrong_type(node, field, tr("a list"))
            return ()
        found = [self.read_text(entry, field, ()) for entry in node.entries]
        return tuple(t for t in found if t)

    def read_words(self, node: Node, field: Field, _basis: Basis) -> tuple[str, ...]:
        """A text, a list of texts, or a mapping of which keys and texts are read as one phrase."""
        if isinstance(node, Scalar):
            found = self.read_text(node, field, ())
            return (found,) if found else ()
        if isinstance(node, Table):
            return tuple(f"{k} {v}" for k, v in self.read_pairs(node, field, ()).items())
        return self.read_texts(node, field, ())

    def read_pairs(self, node: Node, field: Field, _basis: Basis) -> dict[str, str]:
        """A mapping of texts whose keys are the writer's own."""
        if not isinstance(node, Table):
            self.wrong_type(node, field, tr("a mapping"))
            return {}
        found = {k: self.read_text(v, field, ()) for k, v in node.entries.items()}
        return {k: v for k, v in found.items() if v is not None}

    def read_keys(self, node: Node, field: Field, _basis: Basis) -> tuple[str, ...]:
        """Source keys, one or a list; each must stand in sources.yaml."""
        nodes = node.entries if isinstance(node, Items) else (node,)
        keys: list[str] = []
        for entry in nodes:
            found = self.scalar(entry, field)
            if found is None:
                continue
            if found.text not in self.sources():
                what = tr("unknown source {key}", key=printable(found.text, 60))
                hint = nearest(found.text, self.sources()) or tr(
                    "add it to sources.yaml beside the specs"
                )
                self.faults.add("S405", what, found.place, hint, mark=found.text)
            keys.append(found.text)
        return tuple(keys)

    def read_how(self, node: Node, field: Field, _basis: Basis) -> Text | None:
        """What a figure was computed from: a known phrase, or a text in both languages."""
        if isinstance(node, Scalar):
            if node.text in HOW:
                return HOW[node.text]
            what = tr("from: {text} is no known phrase", text=printable(node.text, 60))
            hint = nearest(node.text, HOW) or tr(
                "give it in both languages: {both}", both="{en: …, zh: …}"
            )
            self.faults.add("S205", what, node.place, hint, mark=node.text)
            return None
        return self.read_bilingual(node, field, ())


def mark_of(node: Node) -> str:
    """What to underline: the text of a value, the key of a collection, which stands at its key."""
    return node.text if isinstance(node, Scalar) else node.place.key.rpartition(".")[2]
