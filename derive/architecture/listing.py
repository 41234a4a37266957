"""What `derive model CONFIG.json` prints: the counts, each with its formula, and the record."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from derive.architecture.part_names import kind_name, part_name
from derive.architecture.record import Architecture, read
from derive.errors import columns, printable
from derive.specs.cache_rows import cache_rows, sized
from derive.specs.growth import CONTEXTS
from derive.text import Text, tr
from derive.units import Quantity, show, unit

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from derive.architecture.totals import Derivation

HEADS = {
    "parameters": Text("Parameters, part by part", "参数量，逐项"),
    "matmul_weights_per_token": Text("Matrix weights per token", "每 token 参与矩阵乘的权重"),
    "kv_bytes_per_token": Text("KV-cache bytes per token", "每 token 的 KV cache 字节数"),
    "attention_flops_per_context_token": Text(
        "Attention FLOP per token and context token", "每 token、每上下文 token 的注意力运算量"
    ),
    "attention_flops_per_context_token_absorbed": Text(
        "The same in the absorbed form", "同上，吸收形式"
    ),
    "indexer_bytes_per_token": Text(
        "KV-cache bytes of the indexer per token", "索引器每 token 的 KV cache 字节数"
    ),
    "compressed_entry_bytes": Text(
        "KV-cache bytes of a compressed entry", "每个压缩条目的 KV cache 字节数"
    ),
    "state_elements": Text("Elements of the constant state", "常量状态的元素数"),
    "conv_elements": Text("Elements of the convolution's past", "卷积所保留的元素数"),
}


LONGEST = 100_000  # characters of a line; formulas of many layers are long
OF_PARTS = ("parameters", "matmul_weights_per_token")  # the rest is of caches, known by their kind


def config_listing(path: str | Path, contexts: Sequence[int], as_json: bool, lang: str) -> str:
    """A model as its config describes it; DeriveError where it is not understood."""
    found = read(path, contexts or CONTEXTS)
    if as_json:
        return json.dumps(clean(found.json()), ensure_ascii=False, indent=1)
    return "\n".join(printable(line, LONGEST) for line in lines(found, lang))


def clean(value: Any) -> Any:
    """A record whose texts can be printed and encoded, whatever the file holds."""
    if isinstance(value, str):
        return printable(value, LONGEST)
    if isinstance(value, dict):
        return {clean(key): clean(held) for key, held in value.items()}
    return [clean(held) for held in value] if isinstance(value, (list, tuple)) else value


def lines(found: Architecture, lang: str) -> list[str]:
    """The terminal's form: summary, then the derivation of every count."""
    record: dict[str, Any] = found.json()
    out = [f"{record['model_type']}", *columns([(a.in_(lang), b) for a, b in summary(record)])]
    groups: dict[str, list[Derivation]] = {}
    for each in found.derivations():
        groups.setdefault(each.quantity, []).append(each)
    for quantity, rows in groups.items():
        head = HEADS.get(quantity, Text(quantity, quantity)).in_(lang)
        total = f"{sum(r.sum for r in rows):,}"
        out += ["", f"{head} = {total}"]
        out += ["  " + line for line in columns([derived(r, lang) for r in rows])]
    notes = [n[lang] for n in (*record["not_included"], *record["assumptions"])]
    return [*out, *([""] if notes else []), *(f"- {n}" for n in notes), *checked(found, lang)]


def derived(row: Derivation, lang: str) -> tuple[str, ...]:
    """One count: part, formula, the same with numbers, how often, sum."""
    values = ", ".join(f"{name} {symbol.value:,}" for name, symbol in row.values)
    times = f"× {row.times}" if row.times != 1 else ""
    names = [kind_name(row.kind).in_(lang)]
    if row.quantity in OF_PARTS:
        names.insert(0, part_name(row.part).in_(lang))
    return (*names, row.formula.replace("*", "·"), values, times, f"= {row.sum:,}")


def checked(found: Architecture, lang: str) -> list[str]:
    """Comparisons with an index or with the name; what does not agree stands out."""
    return [
        f"- {c.text.in_(lang)}" if c.agrees else tr("! MISMATCH: {text}", text=c.text).in_(lang)
        for c in found.checks
    ]


def summary(record: dict[str, Any]) -> list[tuple[Text, str]]:
    """The totals, each under the name of its convention."""
    params, kv = record["params"], record["kv"]
    rows = [
        (tr("parameters, shared tensors once"), count(params["total_unique"])),
        (tr("parameters with a table of its own for the head"), count(params["total_if_untied"])),
        (tr("active per token, both tables counted"), count(params["active_per_token"])),
        (tr("active without the input table"), count(params["active_excluding_embedding_table"])),
        (tr("active without both tables"), count(params["active_excluding_both_tables"])),
        (tr("matrix weights per token"), count(record["matmul_weights_per_token"]["sum"])),
        (tr("linear operations per token"), amount(record["linear_flops_per_token"], "FLOP/token")),
        (tr("weights at 2 bytes"), sized(record["weight_bytes_bf16"])),
        (tr("weights as stored"), sized(record["weight_bytes_stored"])),
        *formats(record["quantization"]),
        (tr("KV cache per token, layers without a window"),
         amount(kv["bytes_per_token_unbounded_layers"], "byte/token")),
        *declared_rows(kv),
        *formula_rows(kv),
    ]  # fmt: skip
    rows += cache_rows(kv)
    rows += state_rows(kv)
    if record["mtp"]:
        rows.append(
            (tr("layers for further tokens (MTP), apart"), count(record["mtp"]["parameters"]))
        )
    return rows


def formats(said: dict[str, Any]) -> list[tuple[Text, str]]:
    """The bytes of each format of a GGUF file, which says them itself; the most first."""
    if said["method"] != "gguf":
        return []
    rows = sorted(said["by_format"].items(), key=lambda row: -row[1]["bytes"])
    return [(tr("of these in {format}", format=name), sized(row["bytes"])) for name, row in rows]


def formula_rows(kv: dict[str, Any]) -> list[tuple[Text, str]]:
    """The bytes of a request over T as counted here, and as the config declares its formats."""
    texts = {name: kv[name].replace("*", "·") + " byte" for name in
             ("expression", "expression_as_declared")}  # fmt: skip
    rows = [(tr("KV cache of a request, state included, 2-byte elements"), texts["expression"])]
    if len(set(texts.values())) > 1:
        rows.append((tr("the same in the formats that the config declares"),
                     texts["expression_as_declared"]))  # fmt: skip
    return rows


def declared_rows(kv: dict[str, Any]) -> list[tuple[Text, str]]:
    """The cache in the format that the recipe declares: eight bits, half of what is counted."""
    if "declared_kv_cache_dtype" not in kv:
        return []
    name = tr("the same in the declared format, {format}",
              format=kv["declared_kv_cache_dtype"].split()[0])  # fmt: skip
    half = Fraction(kv["bytes_per_token_unbounded_layers"]) / 2
    return [(name, amount(half, "byte/token"))]


def state_rows(kv: dict[str, Any]) -> list[tuple[Text, str]]:
    """The constant state in both widths in use, and which of them the config declares."""
    state = kv["state_bytes_per_sequence"]
    narrow, wide = state["all_bf16_conv_width_minus_1"], state["bf16_conv_fp32_recurrent"]
    if not narrow:
        return []
    rows = [(tr("constant state of a request, 2-byte elements"), sized(narrow))]
    if wide != narrow:
        rows.append((tr("the same, recurrent part in 4-byte elements"), sized(wide)))
    if said := kv.get("declared_state_dtype"):
        name = tr("the same as the config declares it: {field} {dtype}", field=said["field"],
                  dtype=said["dtype"])  # fmt: skip
        rows.append((name, sized(said["state_bytes_per_sequence"])))
    return rows


def count(number: int) -> str:
    """A parameter count, every digit."""
    return amount(number, "param")


def amount(number: float | Fraction, units: str) -> str:
    """A quantity as reports print it."""
    return show(Quantity(Fraction(number), unit(units))).text
