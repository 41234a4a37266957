"""Parameters and matrix work of a model, every part as a formula with its numbers."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

from derive.architecture.parts import Tensor, Tensors, product, total
from derive.architecture.symbols import Values, names, whole

if TYPE_CHECKING:
    from collections.abc import Iterator

    from derive.architecture.model import Model, Placed

# Stored beside the weights, not learned: counted by hubs, not by the class.
BUFFERS = ("correction", "buffer")
# Parts that a token of text does not pass, each a kind of its own.
ASIDE = ("vision", "audio", "image")


@dataclass(frozen=True)
class Derivation:
    """One line of a sum: a formula, the values of its symbols, and how many times it is there."""

    quantity: str
    part: str
    kind: str
    formula: str
    values: Values
    times: int

    @property
    def one(self) -> int:
        """The value of the formula."""
        return whole(self.formula, self.values)

    @property
    def sum(self) -> int:
        """The value times how often it is there."""
        return self.times * self.one

    def json(self) -> dict[str, object]:
        """The record's form."""
        return {
            "quantity": self.quantity,
            "part": self.part,
            "kind": self.kind,
            "formula": self.formula,
            "values": {name: symbol.value for name, symbol in self.values},
            "value": self.one,
            "times": self.times,
            "count": self.sum,
            "fields": {name: symbol.source for name, symbol in self.values},
        }


@dataclass
class Totals:
    """The counts of a model; `by_kind` and `matmul` sum to the totals beside them."""

    by_kind: dict[str, int] = field(default_factory=dict)
    matmul: dict[str, int] = field(default_factory=dict)
    buffers: dict[str, int] = field(default_factory=dict)
    total_unique: int = 0
    text_only: int = 0
    active: Fraction = Fraction(0)
    table: int = 0  # the input embedding table, a lookup
    per_layer_tables: int = 0
    head: int = 0  # what an output head of its own holds, or would hold
    correction: int = 0
    tied: bool = False

    @property
    def total_if_untied(self) -> int:
        """With a second table where one serves twice."""
        return self.total_unique + (self.head if self.tied else 0)

    @property
    def active_per_token(self) -> int:
        """All weights that one token uses, both tables counted."""
        assert self.active.denominator == 1
        return self.active.numerator

    @property
    def active_without_table(self) -> int:
        """Without the input table where it is a table of its own: that is a lookup."""
        return self.active_per_token - self.per_layer_tables - (0 if self.tied else self.table)

    @property
    def active_without_tables(self) -> int:
        """Without input table and output head."""
        left = self.active_per_token - self.per_layer_tables - self.table
        return left if self.tied else left - self.head

    @property
    def matmul_sum(self) -> int:
        """Weights that multiply an activation for every token."""
        return sum(self.matmul.values())

    @property
    def linear_flops(self) -> int:
        """A multiplication and an addition for each of them."""
        return 2 * self.matmul_sum


def kind_of(one: Tensor, placed: Placed) -> str:
    """The kind under which a tensor is counted: parts that stand aside are one kind each."""
    return placed.role if placed.role in ASIDE else one.kind


def count(model: Model) -> Totals:
    """Count a model."""
    made = Totals(tied=model.tied)
    for placed in model.placed:
        text = placed.role == "text"
        for one in placed.layer.tensors:
            kind, size = kind_of(one, placed), placed.layer.count(one.count)
            stored = placed.stored * size
            if one.kind in BUFFERS:
                made.buffers[one.module] = made.buffers.get(one.module, 0) + stored
                made.correction += stored if one.kind == "correction" else 0
                continue
            if stored:
                made.by_kind[kind] = made.by_kind.get(kind, 0) + stored
            made.total_unique += stored
            if not text:
                continue
            made.text_only += stored
            made.active += placed.stored * placed.layer.fraction(one.active)
            if one.matmul:
                used = placed.used * placed.layer.count(one.active)
                made.matmul[kind] = made.matmul.get(kind, 0) + used
            if one.module == model.naming.embedding:
                made.table = size
            if one.module == model.naming.head and one.matmul:
                made.head = size
            if kind == "embedding_per_layer":
                made.per_layer_tables += stored
    return made


def derivations(model: Model) -> list[Derivation]:
    """The parameters of every part, alike parts of different layers in one line."""
    merged: dict[tuple[str, Tensors, Values], tuple[list[str], int]] = {}
    for placed in model.placed:
        for kind, tensors in by_kind(placed):
            used = {n for t in tensors for n in names(t.count)}
            values = tuple(v for v in placed.layer.values if v[0] in used)
            where, times = merged.setdefault((kind, tensors, values), ([], 0))
            if placed.layer.name not in where:
                where.append(placed.layer.name)
            merged[kind, tensors, values] = (where, times + placed.stored)
    return [
        Derivation("parameters", ", ".join(where), kind, total([t.count for t in tensors]),
                   values, times)
        for (kind, tensors, values), (where, times) in merged.items()
        if times
    ]  # fmt: skip


def matmul_derivations(model: Model) -> list[Derivation]:
    """The weights that multiply a token, part by part."""
    found = []
    for placed in model.placed:
        if placed.role != "text":
            continue
        for kind, tensors in by_kind(placed):
            texts = [t.active for t in tensors if t.matmul]
            if texts:
                text = total(texts)
                values = tuple(v for v in placed.layer.values if v[0] in names(text))
                found.append(Derivation("matmul_weights_per_token", placed.layer.name, kind,
                                        text, values, placed.used))  # fmt: skip
    merged: dict[tuple[str, str, Values], Derivation] = {}
    for one in found:
        key = (one.kind, one.formula, one.values)
        before = merged.get(key)
        parts = before.part.split(", ") if before else []
        where = ", ".join(dict.fromkeys([*parts, one.part]))
        times = one.times + (before.times if before else 0)
        merged[key] = Derivation(one.quantity, where, one.kind, one.formula, one.values, times)
    return list(merged.values())


def by_kind(placed: Placed) -> Iterator[tuple[str, Tensors]]:
    """The learned tensors of a layer, gathered by kind."""
    kinds: dict[str, list[Tensor]] = {}
    for one in placed.layer.tensors:
        if one.kind not in BUFFERS:
            kinds.setdefault(kind_of(one, placed), []).append(one)
    for kind, tensors in kinds.items():
        yield kind, tuple(tensors)


__all__ = ["Derivation", "Totals", "count", "derivations", "matmul_derivations", "product"]
