"""A model file to a Model, and a calibration file to a Calibration."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from derive.specs.fields import CALIBRATION, MODEL
from derive.specs.measure import amount
from derive.specs.types import Calibration, Model, Value
from derive.text import Text, tr

if TYPE_CHECKING:
    from derive.specs.document import Document
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

    def above(part: str, whole: str) -> bool:
        return (
            part in values
            and whole in values
            and amount(values[part].quantity) > amount(values[whole].quantity)
        )

    for part, whole in (("N_act", "N"), ("H_kv", "H_q")):
        if above(part, whole):
            small, large = SYMBOLS[part], SYMBOLS[whole]
            what = tr("{small} is above {large}", small=small, large=large)
            reader.faults.add("S308", what, values[part].place, mark=values[part].text)
    if embedding and "N" in values and amount(embedding.quantity) > amount(values["N"].quantity):
        what = tr("{small} is above {large}", small="embedding_parameters", large="parameters")
        reader.faults.add("S308", what, embedding.place, mark=embedding.text)
    if "H_q" in values and "H_kv" in values and not above("H_kv", "H_q"):
        queries, keys = amount(values["H_q"].quantity), amount(values["H_kv"].quantity)
        if queries % keys:
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
