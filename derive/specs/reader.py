"""The generic reader: a table of nodes against a table of fields, every fault collected."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from derive.errors import Place, printable
from derive.specs.amounts import QUANTILES, in_contract, read_amount
from derive.specs.faults import closest
from derive.specs.fields import ALSO, OTHER, PROVENANCE, Field
from derive.specs.lengths import Lengths, rising, share_of
from derive.specs.nodes import Broken, Items, Node, Scalar, Table
from derive.specs.texts import Basis, TextReader, mark_of
from derive.specs.types import Other, Value
from derive.specs.words import ENGINES, KINDS_OF_EVIDENCE, TERMS
from derive.text import tr

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from fractions import Fraction

FEWEST = 2  # quantiles of a distribution
TRIPLE = ("low", "typical", "high")


class Reader(TextReader):
    """Reads one document: texts as its base does, figures and tables."""

    def table(self, node: Table, fields: tuple[Field, ...], basis: Basis = ()) -> dict[str, Any]:
        """Every known key of a table, read; unknown and missing keys are faults."""
        known = {f.key: f for f in fields}
        misspelt = self.unknown_keys(node, known)
        read: dict[str, Any] = {}
        for key, field in known.items():
            found = node.entries.get(key)
            if found is None:
                if field.required and key not in misspelt:
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

    def unknown_keys(self, node: Table, known: Collection[str]) -> set[str]:
        """Note every key that is none, and say which known ones were likely meant."""
        meant: set[str] = set()
        for key in node.entries:
            if key not in known:
                near = closest(key, known)
                hint = tr("did you mean {near}?", near=near) if near else None
                what = tr("unknown key {key}", key=printable(key, 60))
                self.faults.add("S201", what, node.place_of(key), hint, mark=key)
                meant |= {near} if near else set()
        return meant

    def node(self, node: Node, field: Field, basis: Basis) -> Any:
        """One value by the kind of its field; None where a fault was noted."""
        if isinstance(node, Broken):
            return None
        if field.kind in ("quantity", "number"):
            return self.figure(node, field, basis)
        reader = getattr(self, f"read_{field.kind}")
        return reader(node, field, basis)

    def figure(self, node: Node, field: Field, basis: Basis) -> Any:
        """A figure: its text alone, or a mapping of the text and its provenance."""
        if isinstance(node, Table) and field.quantiles:
            return self.quantiles(node, field, basis)
        if isinstance(node, Table) and field.figure:
            stands = node.entries.get("value")
            if isinstance(stands, Scalar):  # errors name the figure, not its `value`
                named = replace(stands, place=replace(stands.place, key=node.place.key))
                node = replace(node, entries={**node.entries, "value": named})
            inner = replace(field, key="value", required=True, figure=False, basis=())
            beside: tuple[Field, ...] = PROVENANCE
            if field.disputed:
                also = replace(
                    field, key="also", kind="others", means=ALSO, required=False, basis=()
                )
                beside = (*beside, also)
            read = self.table(node, (inner, *beside), basis)
            value: Value | None = read.get("value")
            return self.with_provenance(value, read) if value else None
        found = self.scalar(node, field)
        quantity = read_amount(field, found, self.faults) if found else None
        if found is None or quantity is None:
            return None
        return Value(quantity, found.text, found.place, basis=basis)

    def quantiles(self, node: Table, field: Field, basis: Basis) -> Lengths | None:
        """Quantiles of a length, in rising order."""
        found: list[tuple[Fraction, Value]] = []
        plain = replace(field, quantiles=False)
        for key, entry in node.entries.items():
            share = share_of(key)
            if share is None:
                what = tr("unknown key {key}", key=printable(key, 60))
                hint = tr("quantiles are p1 to p100, for example {example}", example=QUANTILES)
                self.faults.add("S201", what, node.place_of(key), hint, mark=key)
            elif value := self.figure(entry, plain, basis):
                found.append((share, value))
        found.sort(key=lambda pair: pair[0])
        if len(found) < len(node.entries):
            return None
        if len(found) < FEWEST or not rising(found):
            what = tr("{key}: two quantiles or more, none shorter than a lower one",
                      key=node.place.key or field.key)  # fmt: skip
            self.faults.add(
                "S306", what, node.place, tr("for example {example}", example=QUANTILES)
            )
            return None
        return Lengths(tuple(found))

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
            also=tuple(read.get("also", ())),
        )

    def read_others(self, node: Node, field: Field, basis: Basis) -> list[Other]:
        """What other sources print for a figure."""
        inner = replace(field, key="value", kind="quantity", required=True, figure=False)
        found: list[Other] = []
        for read in self.read_rows(node, replace(field, fields=(inner, *OTHER)), basis):
            if "value" in read:
                value = self.with_provenance(read["value"], read)
                found.append(Other(value, read.get("same", False), read.get("engine", "")))
        return found

    def read_rows(self, node: Node, field: Field, basis: Basis) -> list[dict[str, Any]]:
        """A list of tables."""
        if not isinstance(node, Items):
            self.wrong_type(node, field, tr("a list"))
            return []
        rows: list[dict[str, Any]] = []
        for entry in node.entries:
            if isinstance(entry, Table):
                rows.append(self.table(entry, field.fields, basis))
            else:
                self.wrong_type(entry, field, tr("a mapping"))
        return rows

    def read_triple(self, node: Node, field: Field, basis: Basis) -> tuple[Value, ...] | None:
        """Low, typical and high, in order."""
        if isinstance(node, Items):
            entries: list[Node] = list(node.entries)
        elif isinstance(node, Table):
            self.unknown_keys(node, TRIPLE)
            if not set(TRIPLE).issuperset(node.entries):
                return None
            entries = [node.entries[k] for k in TRIPLE if k in node.entries]
        else:
            entries = []
        if len(entries) != len(TRIPLE):
            what = tr(
                "{key} needs three values: low, typical, high", key=node.place.key or field.key
            )
            hint = tr("for example [0.40, 0.50, 0.60]")
            self.faults.add("S307", what, node.place, hint, mark=mark_of(node))
            return None
        if isinstance(node, Items) and entries[0] is not entries[1]:  # else one value for all
            keys = (f"{node.place.key}.{name}" for name in TRIPLE)
            entries = [named(entry, key) for entry, key in zip(entries, keys, strict=True)]
        kind = "quantity" if field.unit else "number"
        number = replace(field, kind=kind, required=False)
        values = [self.figure(entry, number, basis) for entry in entries]
        found = [v for v in values if v is not None]
        if len(found) < len(TRIPLE):
            return None
        low, typical, high = (in_contract(number, v.quantity) for v in found)
        if not low <= typical <= high:
            what = tr(
                "{key}: low, typical and high are not in order", key=node.place.key or field.key
            )
            self.faults.add("S306", what, node.place, mark=mark_of(node))
            return None
        return tuple(found)

    def read_table(self, node: Node, field: Field, basis: Basis) -> dict[str, Any] | None:
        """A nested mapping; an `engine` beside the figures belongs to their basis."""
        if isinstance(node, Scalar) and field.bases:
            self.no_basis(node, field.bases)
            return None
        if not isinstance(node, Table):
            self.wrong_type(node, field, tr("a mapping"))
            return None
        engine = node.entries.get("engine")
        if isinstance(engine, Scalar) and engine.text in ENGINES:
            basis = (*basis, ENGINES[engine.text])
        return self.table(node, field.fields, basis)

    def read_entries(
        self, node: Node, field: Field, basis: Basis
    ) -> list[tuple[Table, dict[str, Any]]]:
        """A list of tables, each with what was read of it."""
        if not isinstance(node, Items):
            self.wrong_type(node, field, tr("a list"))
            return []
        made = []
        for entry in node.entries:
            if isinstance(entry, Table):
                made.append((entry, self.table(entry, field.fields, basis)))
            else:
                self.wrong_type(entry, field, tr("a mapping"))
        return made

    def read_either(self, node: Node, field: Field, basis: Basis) -> Scalar | dict[str, Any] | None:
        """A name, or the table of the field."""
        return node if isinstance(node, Scalar) else self.read_table(node, field, basis)

    def no_basis(self, node: Scalar, bases: Sequence[str]) -> None:
        """Note a figure that stands where its basis must be said."""
        text = printable(node.text, 40)
        what = tr(
            "{key}: {text} states no basis: {one} or {two}",
            key=node.place.key, text=text, one=bases[0], two=bases[1],
        )  # fmt: skip
        one, two = (f"{{{basis}: {text}}}" for basis in bases)
        hint = tr("write {one} or {two}", one=one, two=two)
        self.faults.add("S207", what, node.place, hint, mark=node.text)


def named(node: Node, key: str) -> Node:
    """The same node under another key."""
    return replace(node, place=replace(node.place, key=key))
