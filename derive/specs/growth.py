"""What a request of a model keeps of its past, from the figures of a spec: bytes at a context."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from derive.text import Text, tr

if TYPE_CHECKING:
    from collections.abc import Sequence

    from derive.specs.types import Model

CONTEXTS = (2048, 8192, 32768, 131072)  # tokens at which bytes are stated unless asked otherwise
BLOCK = 16  # tokens of a block of the cache in serving engines
ELEMENT = 2  # bytes of an element of the cache, by convention
WINDOWS = (("e_win", "T_win"), ("e_win2", "T_win2"))
ENTRIES = (("e_cmp", "T_cmp"), ("e_cmp2", "T_cmp2"))
Pairs = list[tuple[Fraction, int]]


@dataclass(frozen=True)
class Growth:
    """Elements of all layers: of every token, inside windows, in compressed entries; the state.

    A pair of a window is elements per token and tokens it keeps; one of entries is elements per
    token and tokens of an entry.
    """

    full: Fraction
    windows: Pairs
    entries: Pairs
    state: Fraction
    position: int | None

    @property
    def beyond(self) -> Fraction:
        """Elements that a token adds once every window is full."""
        return self.full + sum((e for e, _ in self.entries), Fraction(0))

    @property
    def inside(self) -> Fraction:
        """Elements that a token adds while no window is full."""
        return self.beyond + sum((e for e, _ in self.windows), Fraction(0))

    def at(self, context: int, *, block: int = 1, every_layer: bool = False) -> Fraction:
        """Bytes at a context without the state, in whole blocks of tokens."""

        def blocks(tokens: int) -> int:
            return -(-tokens // block) * block

        made = self.full * blocks(context)
        for elements, window in self.windows:
            made += elements * blocks(context if every_layer else min(context, window))
        for elements, tokens in self.entries:  # an entry that is begun has its place reserved
            count = context // tokens if block == 1 else -(-blocks(context) // tokens)
            made += elements * count * tokens
        return ELEMENT * made

    @property
    def expression(self) -> str:
        """Bytes of a request as a function of T, state included."""
        rows = [(self.full, "T")]
        rows += [(elements, f"min(T, {window})") for elements, window in self.windows]
        made = [f"{number(ELEMENT * e)} * {of}" for e, of in rows if e]
        made += [f"{number(ELEMENT * e * t)} * floor(T / {t})" for e, t in self.entries if e]
        made += [f"{number(self.state)}"] if self.state else []
        return " + ".join(made) or "0"

    def json(self, contexts: Sequence[int]) -> dict[str, Any]:
        """The keys that `derive model CONFIG.json` gives, as far as a spec knows them."""
        return {
            "dtype": "bf16 (2 bytes)",
            "bytes_per_token_unbounded_layers": number(ELEMENT * self.beyond),
            "bytes_per_token_while_inside_all_windows": number(ELEMENT * self.inside),
            "bytes_at_context": {str(t): number(self.at(t)) for t in contexts},
            "state_bytes_per_sequence": {"stated": number(self.state)},
            "state_bytes_as_declared": number(self.state),
            "expression": self.expression,
            "reserved_bytes_at_context": {
                "block_tokens": BLOCK,
                "whole_blocks": {str(t): number(self.at(t, block=BLOCK)) for t in contexts},
                "every_layer_in_full": {
                    str(t): number(self.at(t, block=BLOCK, every_layer=True)) for t in contexts
                },
            },
            "max_position": self.position,
            "contexts_beyond_max_position": [
                t for t in contexts if self.position is not None and t > self.position
            ],
        }


def growth(found: Model) -> Growth:
    """The cache of a model: by its structure, or alike in every layer."""
    parts = {name: v.quantity.value for name, v in found.structure.items()}
    position = int(found.context.quantity.value) if found.context else None
    if "e_full" not in parts:
        v = {name: found.values[name].quantity.value for name in ("L", "H_kv", "d_head")}
        return Growth(2 * v["L"] * v["H_kv"] * v["d_head"], [], [], Fraction(0), position)

    def pairs(names: tuple[tuple[str, str], ...]) -> Pairs:
        return [(parts[e], int(parts[t])) for e, t in names if parts.get(e)]

    state = parts.get("S_kv", Fraction(0))
    return Growth(parts["e_full"], pairs(WINDOWS), pairs(ENTRIES), state, position)


def number(value: Fraction) -> int | float:
    """A whole number as such, anything else as a float."""
    return value.numerator if value.denominator == 1 else float(value)


def weights(found: Model) -> dict[str, Any]:
    """Parameters and bytes of weights under the keys of a config's record."""
    total, active = (int(found.values[name].quantity.value) for name in ("N", "N_act"))
    table = int(found.embedding.quantity.value) if found.embedding else None
    tied = found.tied_embeddings
    params = {"total_unique": total, "tied_embeddings": tied, "active_per_token": active}
    if tied is False:
        params["total_if_untied"] = total
    elif tied and table:
        params["total_if_untied"] = total + table
    if tied:
        params["active_excluding_embedding_table"] = active
    elif tied is False and table:
        params["active_excluding_embedding_table"] = active - table
        params["active_excluding_both_tables"] = active - 2 * table
    made: dict[str, Any] = {"params": params, "weight_bytes_bf16": 2 * total}
    if found.stored:
        made["weight_bytes_stored"] = number(found.stored.total.quantity.base)
    elif found.native in PLAIN and "E" not in found.structure:  # routers may come with buffers
        made["weight_bytes_stored"] = PLAIN[found.native] * total
    return made


PLAIN = {"bf16": 2, "fp16": 2, "fp32": 4}  # formats without scales
# keys of a config's record -> why a spec cannot give them
ABSENT = {
    "params.by_kind": Text("a spec holds totals, not parts", "规格只给合计，不给各部分"),
    "matmul_weights_per_token": Text("a spec does not tell norms and biases from matrices",
                                     "规格不区分矩阵与归一化、偏置"),
    "linear_flops_per_token": Text("follows from matmul_weights_per_token",
                                   "由 matmul_weights_per_token 得出"),
    "kv.groups": Text("a spec adds up the layers of a kind", "规格已把同类层合并"),
    "mtp": Text("layers for further tokens stand in the notes", "多 token 预测层见备注"),
    "derivations": Text("they need the config: derive model config.json",
                        "推导需要配置：derive model config.json"),
}  # fmt: skip


def absent(made: dict[str, Any]) -> dict[str, Any]:
    """The keys that are left out, each with the reason."""
    why = dict(ABSENT)
    if "weight_bytes_stored" not in made:
        why["weight_bytes_stored"] = tr("the spec does not hold the bytes of scales and buffers")
    for key in ("total_if_untied", "active_excluding_embedding_table"):
        if key not in made["params"]:
            why[f"params.{key}"] = tr("the spec does not say whether tables are shared")
    return {key: text.json() for key, text in why.items()}
