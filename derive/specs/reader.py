"""The generic reader: a table of nodes against a table of fields, every fault collected."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Any

from derive.errors import Place, printable
from derive.specs.amounts import in_contract, read_amount
from derive.specs.document import Items, Node, Scalar, Table
from derive.specs.faults import Faults, nearest
from derive.specs.fields import PROVENANCE, Field
from derive.specs.types import Value
from derive.specs.words import ENGINES, HOW, KINDS_OF_EVIDENCE, TERMS
from derive.text import Text, tr

if TYPE_CHECKING:
    from collections.abc import Callable, Collection


NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,99}")
TRIPLE = ("low", "typical", "high")
BILINGUAL = (
    Field("en", "text", Text("English", "英文"), required=True),
    Field("zh", "text", Text("Chinese", "中文"), required=True),
)
Basis = tuple[Text, ...]


class Reader:
    """Reads one document; `sources` gives the known source keys when one is met."""

    def __init__(self, faults: Faults, sources: Callable[[], Collection[str]]) -> None:
        self.faults = faults
        self.sources = sources

    def table(self, node: Table, fields: tuple[Field, ...], basis: Basis = ()) -> dict[str, Any]:
        """Every known key of a table, read; unknown and missing keys are faults."""
        known = {f.key: f for f in fields}
        for key in node.entries:
            if key not in known:
                what = tr("unknown key {key}", key=printable(key, 60))
                self.faults.add("S201", what, node.place_of(key), nearest(key, known), mark=key)
        read: dict[str, Any] = {}
        for key, field in known.items():
            found = node.entries.get(key)
            if found is None:
                if field.required:
                    what = tr("missing key {key}: {means}", key=key, means=field.means)
                    above = node.place.key.rpartition(".")[2]
                    place = node.place if above else Place(node.place.file)
                    self.faults.add("S202", what, place, mark=above)
            elif isinstance(found, Scalar) and found.empty:
                what = tr("{key} is empty", key=key)
                self.faults.add("S204", what, node.place_of(key), mark=key)
            else:
                value = self.node(found, field, (*basis, *field.basis))
                if value is not None:
                    read[key] = value
        return read

    def node(self, node: Node, field: Field, basis: Basis) -> Any:
        """One value by the kind of its field; None where a fault was noted."""
        if field.kind in ("quantity", "number"):
            return self.figure(node, field, basis)
        reader = getattr(self, f"read_{field.kind}")
        return reader(node, field, basis)

    # --- plain values

    def scalar(self, node: Node, field: Field) -> Scalar | None:
        """A single value, or a fault."""
        if isinstance(node, Scalar):
            return node
        self.wrong_type(node, field, tr("a single value"))
        return None

    def wrong_type(self, node: Node, field: Field, expected: Text) -> None:
        """Note that a node has another shape than its field."""
        names = {Scalar: tr("a single value"), Items: tr("a list"), Table: tr("a mapping")}
        what = tr(
            "{key} must be {expected}, found {found}",
            key=node.place.key or field.key, expected=expected, found=names[type(node)],
        )  # fmt: skip
        self.faults.add("S203", what, node.place, field.instead)

    def read_text(self, node: Node, field: Field, _basis: Basis) -> str | None:
        """Any text."""
        found = self.scalar(node, field)
        return found.text if found else None

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
                "S205", what, found.place, nearest(found.text, field.choices), mark=found.text
            )
            return None
        return found.text if found else None

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
        try:
            if re.fullmatch(r"\d{4}-\d\d-\d\d", found.text):
                return date.fromisoformat(found.text).isoformat()
        except ValueError:
            pass
        what = tr("{key}: {text} is no date", key=field.key, text=printable(found.text, 40))
        self.faults.add("S208", what, found.place, tr("write it as 2026-11-30"), mark=found.text)
        return None

    def read_year(self, node: Node, field: Field, _basis: Basis) -> int | None:
        """A year."""
        found = self.scalar(node, field)
        if found and not re.fullmatch(r"(19|20)\d\d", found.text):
            what = tr("{key}: {text} is no year", key=field.key, text=printable(found.text, 40))
            self.faults.add("S208", what, found.place, mark=found.text)
            return None
        return int(found.text) if found else None

    # --- texts

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

    # --- figures

    def figure(self, node: Node, field: Field, basis: Basis) -> Value | None:
        """A figure: its text alone, or a mapping of the text and its provenance."""
        if isinstance(node, Table) and field.figure:
            stands = node.entries.get("value")
            if isinstance(stands, Scalar):  # errors name the figure, not its `value`
                named = replace(stands, place=replace(stands.place, key=node.place.key))
                node = replace(node, entries={**node.entries, "value": named})
            inner = replace(field, key="value", required=True, figure=False, basis=())
            read = self.table(node, (inner, *PROVENANCE), basis)
            value: Value | None = read.get("value")
            return self.with_provenance(value, read) if value else None
        found = self.scalar(node, field)
        quantity = read_amount(field, found, self.faults) if found else None
        if found is None or quantity is None:
            return None
        return Value(quantity, found.text, found.place, basis=basis)

    def with_provenance(self, value: Value, read: dict[str, Any]) -> Value:
        """The value with what stood beside it."""
        basis = [*value.basis]
        if "term" in read:
            basis.append(TERMS[read["term"]])
        if "basis" in read:
            basis.append(KINDS_OF_EVIDENCE[read["basis"]])
        return replace(
            value,
            sources=read.get("source", ()),
            basis=tuple(basis),
            how=read.get("from"),
            printed=read.get("printed", ""),
            grade=read.get("grade", ""),
            note=read.get("note"),
        )

    def read_triple(self, node: Node, field: Field, basis: Basis) -> tuple[Value, ...] | None:
        """Low, typical and high, in order."""
        if isinstance(node, Items):
            entries: list[Node] = list(node.entries)
        elif isinstance(node, Table):
            entries = [node.entries[k] for k in TRIPLE if k in node.entries]
            for key in node.entries:
                if key not in TRIPLE:
                    what = tr("unknown key {key}", key=printable(key, 60))
                    self.faults.add("S201", what, node.places[key], nearest(key, TRIPLE), mark=key)
        else:
            entries = []
        if len(entries) != len(TRIPLE):
            what = tr(
                "{key} needs three values: low, typical, high", key=node.place.key or field.key
            )
            self.faults.add("S307", what, node.place, tr("for example [0.40, 0.50, 0.60]"))
            return None
        number = Field(field.key, "number", field.means, most=field.most, figure=field.figure)
        values = [self.figure(entry, number, basis) for entry in entries]
        found = [v for v in values if v is not None]
        if len(found) < len(TRIPLE):
            return None
        low, typical, high = (in_contract(number, v.quantity) for v in found)
        if not low <= typical <= high:
            what = tr(
                "{key}: low, typical and high are not in order", key=node.place.key or field.key
            )
            self.faults.add("S306", what, node.place)
            return None
        return tuple(found)

    # --- tables

    def read_table(self, node: Node, field: Field, basis: Basis) -> dict[str, Any] | None:
        """A nested mapping; an `engine` beside the figures belongs to their basis."""
        if not isinstance(node, Table):
            self.wrong_type(node, field, tr("a mapping"))
            return None
        engine = node.entries.get("engine")
        if isinstance(engine, Scalar) and engine.text in ENGINES:
            basis = (*basis, ENGINES[engine.text])
        return self.table(node, field.fields, basis)

    def read_either(self, node: Node, field: Field, basis: Basis) -> Scalar | dict[str, Any] | None:
        """A name, or the table of the field."""
        return node if isinstance(node, Scalar) else self.read_table(node, field, basis)
