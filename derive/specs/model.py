"""A model file to a Model, and a calibration file to a Calibration."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from derive.errors import printable
from derive.specs.fields import CALIBRATION, MODEL
from derive.specs.types import Calibration, Model, Value
from derive.text import Text, tr

if TYPE_CHECKING:
    from derive.specs.nodes import Document
    from derive.specs.reader import Reader

# symbol id -> key of the file
SYMBOLS = {
    "N": "parameters",
    "N_act": "active_parameters",
    "L": "layers",
    "d_model": "d_model",
    "H_q": "query_heads",
    "H_kv": "kv_heads",
    "d_head": "d_head",
}
DENSE_MODEL = Text(
    "equals N: no active count is given, a dense model", "等于 N：未给出激活量，即稠密模型"
)


def build_model(document: Document, reader: Reader) -> Model | None:
    """The model of a file; None where a fault was noted."""
    root = document.root
    read = reader.table(root, MODEL)
    sources = read.get("source", ())
    figures = {k: sourced(v, sources) for k, v in read.items() if isinstance(v, Value)}
    values = {symbol: figures[key] for symbol, key in SYMBOLS.items() if key in figures}
    if "N" in values and "N_act" not in values:
        values["N_act"] = replace(values["N"], how=DENSE_MODEL)
    check_model(values, figures.get("embedding_parameters"), reader)
    if reader.faults.found:
        return None
    vocab = figures.get("vocab")
    return Model(
        id=read["id"],
        name=read["name"],
        aliases=read.get("aliases", ()),
        values=values,
        embedding=figures.get("embedding_parameters"),
        vocab=int(vocab.quantity.value) if vocab else None,
        tied_embeddings=read.get("tied_embeddings"),
        native=read["native"],
        context=figures.get("context"),
        notes=read.get("notes", ()),
        place=root.place,
    )


def sourced(value: Value, sources: tuple[str, ...]) -> Value:
    """A figure that names no source takes the file's."""
    return value if value.sources else replace(value, sources=sources)


def check_model(values: dict[str, Value], embedding: Value | None, reader: Reader) -> None:
    """Check that the parts of a model fit together."""
    written = {SYMBOLS[symbol]: value for symbol, value in values.items()}
    if embedding:
        written["embedding_parameters"] = embedding
    pairs = (
        ("active_parameters", "parameters"),
        ("kv_heads", "query_heads"),
        ("embedding_parameters", "parameters"),
    )
    for small, large in pairs:
        lower, upper = written.get(small), written.get(large)
        if lower and upper and lower.quantity.base > upper.quantity.base:
            what = tr("{small} is above {large}", small=small, large=large)
            rows = tuple((k, printable(written[k].text, 60)) for k in (small, large))
            reader.faults.add("S308", what, lower.place, rows=rows, mark=lower.text)
    if "H_q" in values and "H_kv" in values:
        queries, keys = values["H_q"].quantity.base, values["H_kv"].quantity.base
        if keys <= queries and queries % keys:
            what = tr("query_heads {q} is no multiple of kv_heads {kv}", q=queries, kv=keys)
            reader.faults.add("S308", what, values["H_kv"].place, mark=values["H_kv"].text)


def build_calibration(document: Document, reader: Reader) -> Calibration | None:
    """The calibration of a file; None where a fault was noted."""
    read = reader.table(document.root, CALIBRATION)
    if reader.faults.found:
        return None
    return Calibration(
        id=read["id"],
        name=read["name"],
        MFU=read["MFU"],
        MBU=read["MBU"],
        notes=read.get("notes", ()),
        place=document.root.place,
    )
