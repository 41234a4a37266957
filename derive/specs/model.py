"""A model file to a Model, and a calibration file to a Calibration."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from derive.errors import printable
from derive.specs.model_fields import CALIBRATION, MODEL
from derive.specs.types import Calibration, Model, Stored, Value
from derive.text import Text, tr
from derive.units import Quantity, unit

if TYPE_CHECKING:
    from derive.specs.nodes import Document, Table
    from derive.specs.reader import Reader

# symbol id -> key of the file
SYMBOLS = {
    "N": "parameters",
    "N_act": "active_parameters",
    "N_mat": "matrix_parameters",
    "L": "layers",
    "d_model": "d_model",
    "H_q": "query_heads",
    "H_kv": "kv_heads",
    "d_head": "d_head",
}
STRUCTURE = {
    "E": "experts",
    "k_exp": "experts_per_token",
    "N_exp": "expert_parameters",
    "L_exp": "expert_layers",
    "E2": "experts_2",
    "k_exp2": "experts_2_per_token",
    "N_exp2": "expert_2_parameters",
    "N_side": "tower_parameters",
    "e_full": "cache_elements",
    "e_pick": "picked_elements",
    "T_pick": "picked_tokens",
    "a_pick": "picked_attention",
    "e_again": "shared_elements",
    "e_again_win": "shared_window_elements",
    "e_win": "window_elements",
    "T_win": "window",
    "e_win2": "window_2_elements",
    "T_win2": "window_2",
    "e_cmp": "compressed_elements",
    "T_cmp": "tokens_per_entry",
    "e_cmp2": "compressed_2_elements",
    "T_cmp2": "tokens_per_entry_2",
    "S_kv": "state",
    "a_full": "attention",
    "a_pre": "prefill_attention",
    "a_win": "window_attention",
    "a_win2": "window_2_attention",
    "a_cmp": "compressed_attention",
    "a_cmp2": "compressed_2_attention",
}
# keys that only say something together
TOGETHER = (
    ("experts", "experts_per_token", "expert_parameters", "cache_elements"),
    ("expert_layers", "experts"),
    ("experts_2", "experts_2_per_token", "expert_2_parameters", "experts"),
    ("cache_elements", "attention", "prefill_attention"),
    ("picked_elements", "picked_tokens", "picked_attention", "cache_elements"),
    ("state", "cache_elements"),
    ("shared_elements", "shared_window_elements", "window_elements", "state"),
    ("shared_window_elements", "shared_elements"),
    ("window_elements", "window", "window_attention", "cache_elements"),
    ("window_2_elements", "window_2", "window_2_attention", "window_elements", "state"),
    (
        "compressed_elements", "tokens_per_entry", "compressed_attention", "compressed_2_elements",
        "tokens_per_entry_2", "compressed_2_attention", "window_elements",
    ),
)  # fmt: skip
# the first key is not read where the second is given: one of them would be lost without a word
STORED = {
    "total": "stored_bytes",
    "unread": "stored_unread_bytes",
    "experts": "stored_expert_bytes",
    "towers": "stored_tower_bytes",
}
APART = (
    ("window_2_elements", "compressed_elements"),
    ("state", "compressed_elements"),
    ("picked_elements", "state"),
    ("picked_elements", "shared_elements"),
    ("shared_elements", "window_2_elements"),
)
# of a pair the first cannot be above the second
PARTS_OF = (
    ("experts_per_token", "experts"),
    ("experts_2_per_token", "experts_2"),
    ("expert_2_parameters", "expert_parameters"),
)
NOT_EXPERTS = Text(
    "parameters less those of the routed experts and of towers", "总参数减去路由专家与各塔的参数"
)
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
    parts = read.get("structure", {})
    structure = structure_of(parts, values, sources)
    check_structure(root, parts, values, reader)
    stored = stored_of(figures, values, structure, root, reader)
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
        structure=structure,
        latent=bool(parts.get("latent")),
        stored=stored,
        head=head_of(values, vocab, figures.get("embedding_parameters")),
        unread=figures.get("unread_parameters"),
        compute=read.get("compute", ""),
        cache=read.get("kv_cache", ""),
    )


HEAD = Text(
    "vocabulary × hidden size: one row of the output head for each token of the vocabulary",
    "词表大小 × 隐藏维度：词表中每个 token 在输出头中占一行",
)
LIKE_TABLE = Text("as large as the input table", "与输入词表同样大小")


def head_of(values: dict[str, Value], vocab: Value | None, table: Value | None) -> Value | None:
    """The parameters of the output head, by the vocabulary or by the input table."""
    if vocab is not None and "d_model" in values:
        number = vocab.quantity.base * values["d_model"].quantity.base
        quantity = Quantity(number, unit("param"))
        return replace(vocab, quantity=quantity, text=f"{number} param", how=HEAD)
    return replace(table, how=LIKE_TABLE) if table is not None else None


def stored_of(
    figures: dict[str, Value],
    values: dict[str, Value],
    structure: dict[str, Value],
    root: Table,
    reader: Reader,
) -> Stored | None:
    """The bytes of the published weights where the file gives them."""
    found = {name: figures[key] for name, key in STORED.items() if key in figures}
    if not found:
        return None
    needed = {"total", "unread"}
    needed |= {n for n, part in (("experts", "N_exp"), ("towers", "N_side")) if part in structure}
    for name in sorted(needed - found.keys()):
        other = STORED[next(iter(found))]
        what = tr("{key} is missing beside {other}", key=STORED[name], other=other)
        reader.faults.add("S206", what, root.place)
    if needed - found.keys():
        return None
    total = found.pop("total")
    if sum((part.quantity.base for part in found.values()), Fraction(0)) > total.quantity.base:
        what = tr("the parts of {large} are more than it", large=STORED["total"])
        reader.faults.add("S308", what, total.place, mark=total.text)
    return Stored(values["N"].quantity.base, total, **found) if "N" in values else None


def structure_of(
    parts: dict[str, Any], values: dict[str, Value], sources: tuple[str, ...]
) -> dict[str, Value]:
    """What is not alike in every layer, by symbol id."""
    made = {s: sourced(parts[key], sources) for s, key in STRUCTURE.items() if key in parts}
    if "N_exp" in made and "N" in values:
        tower = made["N_side"].quantity.base if "N_side" in made else 0
        rest = values["N"].quantity.base - made["N_exp"].quantity.base - tower
        quantity = Quantity(rest, values["N"].quantity.unit)
        text = f"{rest} {quantity.unit.text}"
        made["N_fix"] = replace(made["N_exp"], quantity=quantity, text=text, how=NOT_EXPERTS)
    return made


def check_structure(
    root: Table, parts: dict[str, Any], values: dict[str, Value], reader: Reader
) -> None:
    """Keys that belong together, and heads where no elements are given."""
    place = root.place_of("structure") if parts else root.place
    for group in TOGETHER:
        if group[0] in parts:
            for key in (k for k in group if k not in parts):
                what = tr("structure.{key} is missing beside {other}", key=key, other=group[0])
                reader.faults.add("S206", what, place)
    if "window_elements" in parts and not {"state", "compressed_elements"} & parts.keys():
        what = tr("structure.{key} is missing beside {other}", key="state", other="window_elements")
        reader.faults.add("S206", what, place)
    for key, other in APART:
        if key in parts and other in parts:
            what = tr("structure.{key} cannot stand beside {other}", key=key, other=other)
            reader.faults.add("S308", what, parts[key].place)
    pair = ("picked_elements", "window_elements")
    if set(pair) <= parts.keys() and "compressed_elements" not in parts:
        what = tr("structure.{key} cannot stand beside {other}", key=pair[0], other=pair[1])
        reader.faults.add("S308", what, parts["picked_elements"].place)
    if "cache_elements" not in parts:
        for symbol in ("H_kv", "d_head"):
            if symbol not in values and not reader.faults.found:
                key = SYMBOLS[symbol]
                what = tr(
                    "{key} is missing: without structure.cache_elements it is needed", key=key
                )
                reader.faults.add("S206", what, root.place)
    some, every = parts.get("expert_layers"), values.get("L")
    if some and every and some.quantity.base > every.quantity.base:
        what = tr("{small} is above {large}", small="expert_layers", large="layers")
        reader.faults.add("S308", what, some.place, mark=some.text)
    for small, large in PARTS_OF:
        if small in parts and large in parts:
            few, most = (parts[k].quantity.base for k in (small, large))
            if few > most:
                what = tr("{small} is above {large}", small=small, large=large)
                reader.faults.add("S308", what, parts[small].place)


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
        launch=read.get("launch"),
        notes=read.get("notes", ()),
        place=document.root.place,
    )
