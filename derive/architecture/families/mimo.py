"""MiMo-V2-Flash: keys wider than values, more key-value heads where there is a window."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.families.deepseek import network, shared_width
from derive.architecture.family import Family
from derive.architecture.layers.attention import Heads, Mixer, grouped_query
from derive.architecture.layers.decoder import (
    FULL,
    SLIDING,
    decoder_layer,
    dense_width,
    layer_types,
    read_layers,
)
from derive.architecture.layers.ffn import gated, read_experts
from derive.architecture.layers.mtp import with_projection
from derive.architecture.model import assemble, read_outer
from derive.architecture.parts import vector
from derive.text import tr

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.model import Model
    from derive.architecture.parts import Layer

HEADS = {
    False: Heads("H_q", "H_kv", "d_head", "d_v"),
    True: Heads("H_swa", "H_kv_swa", "d_swa", "d_v_swa"),
}
SIZES = {
    False: ("num_attention_heads", "num_key_value_heads", "head_dim", "v_head_dim"),
    True: ("swa_num_attention_heads", "swa_num_key_value_heads", "swa_head_dim",
           "swa_v_head_dim"),
}  # fmt: skip
RELEASED = 3  # layers for further tokens in XiaomiMiMo/MiMo-V2-Flash
SINKS = {False: "add_full_attention_sink_bias", True: "add_swa_attention_sink_bias"}


def build(c: Config) -> Model:
    """Full attention in the first layer and every sixth; the first layer dense."""
    read_outer(c)
    for window, h in HEADS.items():
        symbols = (h.q, h.kv, h.size, h.v_size)
        for symbol, name, full in zip(symbols, SIZES[window], SIZES[False], strict=True):
            if c.has(name) or not window:
                c.size(symbol, name)
                continue
            times = 2 if symbol == h.kv else 1  # the rule of the class
            value = times * c.integer(full)
            c.sheet.let(symbol, value, f"{times} * {c.origin(full)}")
        if c.sheet[h.q] % c.sheet[h.kv]:
            what = tr("{queries} query heads are no multiple of {heads} key-value heads",
                      queries=c.sheet[h.q], heads=c.sheet[h.kv])  # fmt: skip
            c.reject(SIZES[window][1], what, code="M107")
    read_experts(c)
    layers = read_layers(c)
    slides = window_layers(c, layers)
    sparse = expert_layers(c, layers)
    dense_width(c, sparse)
    shared = shared_width(c)
    made: dict[tuple[bool, bool], Layer] = {}
    for slide, moe in sorted(set(zip(slides, sparse, strict=True))):
        ffn = network(shared=shared, bias=True) if moe else gated()
        name = f"{'sliding' if slide else 'full'} {'experts' if moe else 'dense'}"
        made[slide, moe] = decoder_layer(c.sheet, name, attention(c, slide=slide), ffn)
    model = assemble(c, [made[key] for key in zip(slides, sparse, strict=True)])
    further_tokens(c, model)
    return model


def further_tokens(c: Config, model: Model) -> None:
    """Dense layers with a window; the release holds three, whatever the config says."""
    said = c.maybe("num_nextn_predict_layers", 0, 16)
    count = RELEASED if said is None else said
    if said is None:
        what = tr("the released checkpoints hold {count} layers for further tokens, which this "
                  "config does not name; they are counted on a line of their own",
                  count=count)  # fmt: skip
        model.absent.append(what)
    if not count:
        return
    c.size("d_ff", "intermediate_size")
    body = decoder_layer(c.sheet, "mtp", attention(c, slide=True), gated())
    with_projection(c, model, body, count, at="model.mtp.layers.{i}.",
                    norms=("enorm", "hnorm", "final_layernorm"), projection="eh_proj")  # fmt: skip


def attention(c: Config, *, slide: bool) -> Mixer:
    """Attention of one kind, with learned sinks where the file says so."""
    h = HEADS[slide]
    mixer = grouped_query(c.sheet, bias=c.flag("attention_bias"), o_bias=False, heads=h,
                          window="W" if slide else "")  # fmt: skip
    sinks = vector("self_attn", "attention", h.q, leaf="sinks") if c.flag(SINKS[slide]) else ()
    return Mixer((*mixer.tensors, *sinks), mixer.cache)


def window_layers(c: Config, layers: int) -> list[bool]:
    """A list of 0 and 1, a list of kinds, or the rule of the class.

    sliding_window_size counts the tokens before the one that asks, sliding_window this one too.
    """
    if c.has("sliding_window_size"):
        before = c.integer("sliding_window_size")
        c.sheet.let("W", before + 1, f"{c.origin('sliding_window_size')} + 1")
        c.only("sliding_window", before, before + 1)
        c.only("attention_chunk_size", before, before + 1)
    else:
        window = c.size("W", "sliding_window")
        c.only("attention_chunk_size", window - 1, window)
    if c.has("hybrid_layer_pattern"):
        c.used |= {"layer_types", "hybrid_block_size"}
        return [bool(p) for p in c.integers("hybrid_layer_pattern", layers, 0, 1)]
    c.only("hybrid_layer_pattern", None)
    c.only("hybrid_block_size", None)
    types = layer_types(c, layers, lambda i: FULL if i == 0 or (i + 1) % 6 == 0 else SLIDING)
    return [kind == SLIDING for kind in types]


def expert_layers(c: Config, layers: int) -> list[bool]:
    """A list of 0 and 1, a list of kinds, or all layers but the first."""
    if isinstance(c.data.get("moe_layer_freq"), list):
        c.used.add("mlp_layer_types")
        return [bool(f) for f in c.integers("moe_layer_freq", layers, 0, 1)]
    c.only("moe_layer_freq", None)
    if c.has("mlp_layer_types"):
        return [k == "sparse" for k in c.words("mlp_layer_types", ("dense", "sparse"), layers)]
    c.only("mlp_layer_types", None)
    return [i > 0 for i in range(layers)]


FAMILIES = (
    Family(
        types=("mimo_v2_flash",),
        classes=("MiMoV2FlashForCausalLM",),
        source="transformers 5.24.0, MiMoV2FlashConfig",
        build=build,
        defaults={
            "num_key_value_heads": 4,
            "head_dim": 192,
            "v_head_dim": 128,
            "sliding_window": 129,
            "attention_bias": False,
            "add_full_attention_sink_bias": False,
            "add_swa_attention_sink_bias": True,
            "n_shared_experts": None,
            "num_nextn_predict_layers": None,
            "tie_word_embeddings": False,
            "max_position_embeddings": 131072,
        },
    ),
)
