"""Attention with keys and values: multi-head, grouped and multi-query, full or in a window."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from derive.architecture.parts import Cache, Tensors, linear, norm
from derive.text import tr

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.symbols import Sheet


@dataclass(frozen=True)
class Names:
    """Paths of the projections inside a layer; `qkv` where they are stored as one matrix."""

    q: str = "self_attn.q_proj"
    k: str = "self_attn.k_proj"
    v: str = "self_attn.v_proj"
    o: str = "self_attn.o_proj"
    q_norm: str = "self_attn.q_norm"
    k_norm: str = "self_attn.k_norm"
    qkv: str = ""


@dataclass(frozen=True)
class Heads:
    """Symbols of one kind of attention: query heads, key-value heads, head sizes."""

    q: str = "H_q"
    kv: str = "H_kv"
    size: str = "d_head"
    v_size: str = ""  # size of a value head where it is not that of a key head

    @property
    def value(self) -> str:
        """Symbol of the size of a value head."""
        return self.v_size or self.size


@dataclass(frozen=True)
class Mixer:
    """What mixes tokens in a layer: its tensors and what it keeps."""

    tensors: Tensors
    cache: Cache


STANDARD = Heads()


def read_heads(c: Config, *, head_dim: str = "head_dim", kv: str = "num_key_value_heads") -> None:
    """H_q, H_kv and d_head by the common rules: no KV heads given, one per query head.

    A missing head size is hidden_size / heads, which must divide.
    """
    queries = c.size("H_q", "num_attention_heads")
    set_kv_heads(c, c.maybe(kv) if kv else None, c.origin(kv) if kv else "")
    size = c.maybe(head_dim) if head_dim else None
    if size is not None:
        c.sheet.let("d_head", size, c.origin(head_dim))
        return
    hidden = c.integer("hidden_size")
    if hidden % queries:
        what = tr("{name} is no multiple of the number of heads, {heads}",
                  name=c.where("hidden_size"), heads=queries)  # fmt: skip
        c.reject("hidden_size", what, code="M107")
    source = f"{c.origin('hidden_size')} / {c.origin('num_attention_heads')}"
    c.sheet.let("d_head", hidden // queries, source)


def set_kv_heads(c: Config, heads: int | None, origin: str) -> None:
    """H_kv; None means one per query head."""
    queries = c.sheet["H_q"]
    if heads is None:
        c.sheet.let("H_kv", queries, c.origin("num_attention_heads"))
        return
    if queries % heads:
        what = tr("{queries} query heads are no multiple of {heads} key-value heads",
                  queries=queries, heads=heads)  # fmt: skip
        c.reject("num_key_value_heads", what, code="M107")
    c.sheet.let("H_kv", heads, origin)


def grouped_query(
    sheet: Sheet,
    *,
    bias: bool = False,
    o_bias: bool | None = None,
    qk_norm: str = "",
    window: str = "",
    chunked: bool = False,
    heads: Heads = STANDARD,
    names: Names | None = None,
    gate: bool = False,
    value: bool = True,
    own_kv: bool = True,
    fused: bool = False,
    norm_bias: bool = False,
) -> Mixer:
    """Projections and cache of one layer.

    `qk_norm` is `head` (one scale per element of a head) or `full` (over the whole projection);
    `gate` doubles the queries; without `value` the keys serve as values; without `own_kv` the
    keys and values of an earlier layer are read.
    """
    n, h = names or Names(), heads
    queries = f"{h.q} * {h.size}"
    keys = f"{h.kv} * {h.size}"
    values = f"{h.kv} * {h.value}"
    out = f"{h.q} * {h.value}"
    tensors: Tensors = ()
    if n.qkv or fused:
        width = f"{queries} + {keys} + {values}" if h.v_size else f"({h.q} + 2 * {h.kv}) * {h.size}"
        tensors += linear(n.qkv, "d_model", width, "attention", bias=bias)
    else:
        width = f"2 * {queries}" if gate else queries
        tensors += linear(n.q, "d_model", width, "attention", bias=bias)
        if own_kv:
            tensors += linear(n.k, "d_model", keys, "attention", bias=bias)
        if own_kv and value:
            tensors += linear(n.v, "d_model", values, "attention", bias=bias)
    tensors += linear(n.o, out, "d_model", "attention", bias=bias if o_bias is None else o_bias)
    if qk_norm:
        sizes = (h.size, h.size) if qk_norm == "head" else (queries, keys)
        tensors += norm(n.q_norm, sizes[0], bias=norm_bias)
        tensors += norm(n.k_norm, sizes[1], bias=norm_bias) if own_kv else ()
    return Mixer(tensors, key_value_cache(sheet, h, window, chunked=chunked, own_kv=own_kv))


def key_value_cache(
    sheet: Sheet, h: Heads, window: str = "", *, chunked: bool = False, own_kv: bool = True
) -> Cache:
    """Keys and values of a layer."""
    queries, kv = sheet[h.q], sheet[h.kv]
    kind = "mha" if kv == queries else "mqa" if kv == 1 else "gqa"
    kind += ("-chunked" if chunked else "-sliding") if window else ""
    both = f"2 * {h.kv} * {h.size}" if not h.v_size else f"{h.kv} * ({h.size} + {h.v_size})"
    flops = f"4 * {h.q} * {h.size}" if not h.v_size else f"2 * {h.q} * ({h.size} + {h.v_size})"
    shown = (("kv_heads", h.kv), ("q_heads", h.q), ("head_dim", h.size), ("v_head_dim", h.value))
    if not own_kv:
        return Cache("kv-shared", "0", window, flops=flops, shared=True, again=both, shown=shown)
    return Cache(kind, both, window, chunked, flops, shown=shown)
