"""What a spec file may say: one table per kind, from which validation and JSON Schema follow."""

from __future__ import annotations

from dataclasses import dataclass

from derive.specs.words import ENGINES, KINDS_OF_EVIDENCE, TERMS
from derive.text import Text


@dataclass(frozen=True)
class Field:
    """One key: how its value is read, its unit, whether it must be there, and what it means.

    kind: text, id, choice, bool, date, year, bilingual, notes, texts, keys (source keys), how,
    number (unit optional), quantity (unit required), triple (low, typical, high), table,
    reference (a name or a path), either (a name or the table of `fields`), choices (some of
    `choices`), rows (a list of tables), entries (with the place of each), others (of other sources),
    pairs (a mapping of texts) or words (a text, a list or a mapping of texts).
    """

    key: str
    kind: str
    means: Text
    required: bool = False
    unit: str = ""  # contract unit of the value, `implied` included
    implied: str = ""  # unit that the key adds: /device in hardware files, *request for TPOT
    likely: tuple[str, ...] = ()  # units to suggest for a bare number
    whole: bool = False
    quantiles: bool = False  # may be a mapping of quantiles: {p50: 512, p99: 16384}
    zero: bool = False
    least: int = 0  # smallest sensible value in `unit`
    most: int = 0  # largest sensible value in `unit`; 0 where there is none
    figure: bool = False  # may be a mapping: the value with its provenance
    disputed: bool = False  # the mapping may list what other sources print
    choices: tuple[str, ...] = ()
    fields: tuple[Field, ...] = ()
    basis: tuple[Text, ...] = ()
    bases: tuple[str, ...] = ()  # keys of the table that say what its figure means


DENSE = Text("dense", "稠密")
SPARSE = Text("with sparsity", "带稀疏")
ONE_WAY = Text("one direction", "单方向")
BOTH = Text("both directions", "双向合计")
PEAK = Text("datasheet peak", "标称峰值")
PER_DEVICE = Text("per device", "单设备")

ID = Field("id", "id", Text("name of this file", "文件名，即标识"), required=True)
NAME = Field("name", "bilingual", Text("display name", "显示名称"), required=True)
ALIASES = Field("aliases", "texts", Text("other names people type", "常用别名"))
NOTES = Field("notes", "notes", Text("remarks, disagreements of sources", "备注，来源之间的分歧"))

# Where a figure comes from: the keys beside `value`.
PROVENANCE = (
    Field("printed", "text", Text("as the source prints it", "来源原文")),
    Field("from", "how", Text("what a computed figure was computed from", "推算数值的由来")),
    Field("source", "keys", Text("keys of sources.yaml", "sources.yaml 中的来源键")),
    Field(
        "grade", "choice",
        Text("A vendor text, B two tables, C one", "A 厂商原文，B 两表一致，C 单一来源"),
        choices=("A", "B", "C"),
    ),
    Field("term", "choice", Text("what the source calls it", "来源的称呼"), choices=tuple(TERMS)),
    Field("basis", "choice", Text("evidence", "依据"), choices=tuple(KINDS_OF_EVIDENCE)),
    Field("note", "bilingual", Text("condition or remark", "条件或备注")),
)  # fmt: skip


# What another source prints for a figure: the keys beside its `value`.
OTHER = (
    *(f for f in PROVENANCE if f.key in ("printed", "note")),
    Field("source", "keys", Text("keys of sources.yaml", "sources.yaml 中的来源键"), required=True),
    Field(
        "same", "bool",
        Text("the same in another unit convention or rounding", "同一数值，只是单位约定或取整不同"),
    ),
    Field(
        "engine", "choice", Text("the other kind of units that it is the rate of", "该算力所属的另一类计算单元"),
        choices=tuple(ENGINES),
    ),
)  # fmt: skip
ALSO = Text("what other sources print", "其他来源的数值")


def figure(key: str, unit: str, means: Text, **more: object) -> Field:
    """A figure with its unit and, where given as a mapping, its provenance."""
    return Field(key, "quantity", means, unit=unit, figure=True, **more)  # type: ignore[arg-type]


def per_device(
    key: str, unit: str, means: Text, *, basis: tuple[Text, ...] = (), **more: object
) -> Field:
    """A figure of a hardware file: the key adds `/device`."""
    stated = (*basis, PER_DEVICE)
    return figure(
        key, f"{unit}/device", means, implied="1/device", basis=stated, disputed=True, **more
    )


def count(key: str, unit: str, means: Text, **more: object) -> Field:
    """A count: whole, at least 1, with or without its unit."""
    return Field(key, "number", means, unit=unit, whole=True, **more)  # type: ignore[arg-type]


def length(key: str, means: Text, **more: object) -> Field:
    """A length in tokens, with or without its unit; a mean may be a fraction."""
    return Field(key, "number", means, unit="token/request", most=10**9, **more)  # type: ignore[arg-type]


def lengths(key: str, means: Text) -> Field:
    """A length in tokens, or quantiles of it: {p50: 512, p90: 4096}."""
    return length(key, means, required=True, least=1, quantiles=True)


def share(key: str, means: Text, **more: object) -> Field:
    """A ratio above 0 up to 1."""
    return Field(key, "number", means, most=1, **more)  # type: ignore[arg-type]


def table(key: str, means: Text, *fields: Field, **more: object) -> Field:
    """A nested mapping."""
    return Field(key, "table", means, fields=fields, **more)  # type: ignore[arg-type]
