"""GLM-5.3-Flash: delta attention, every fourth layer latent, indexed over pools of tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.families.deepseek import index_layers, network, shared_width
from derive.architecture.families.deepseek_v4 import hyper_connection
from derive.architecture.families.glm5_next_tower import tower
from derive.architecture.families.kimi_linear import delta
from derive.architecture.family import Family
from derive.architecture.layers.attention import Mixer
from derive.architecture.layers.decoder import (
    FULL,
    NO_ROLE,
    decoder_layer,
    dense_width,
    layer_types,
    note_rule,
    read_layers,
)
from derive.architecture.layers.ffn import gated, read_experts
from derive.architecture.layers.mla import index_heads, read_indexer
from derive.architecture.model import assemble, read_outer
from derive.architecture.nested import text_model
from derive.architecture.parts import Cache, linear, norm, vector
from derive.text import tr

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.model import Model
    from derive.architecture.parts import Layer

LINEAR, INDEXED, AT = "linear_attention", "indexed_attention", "self_attn."
DELTA = {"H_l": ("linear_num_heads", "num_heads"), "d_l": ("linear_head_dim", "head_dim"),
         "d_conv": ("linear_conv_kernel_dim", "short_conv_kernel_size")}  # fmt: skip


def text(c: Config) -> Model:
    """The first three layers dense unless the file lists them; parallel residual streams."""
    read_outer(c)
    read_attention(c)
    read_delta(c)
    read_experts(c)
    c.size("m_hc", "hc_mult")
    layers = read_layers(c)
    kinds = layer_types(c, layers, lambda i: LINEAR if i % 4 != 3 else INDEXED,
                        (LINEAR, INDEXED, FULL))  # fmt: skip
    sparse, indexed = expert_layers(c, layers), index_layers(c, layers)
    dense_width(c, sparse)
    shared = shared_width(c)
    bias = c.flag("attention_bias")
    made: dict[tuple[bool, bool, bool], Layer] = {}
    keys = [(kind == LINEAR, moe, index and kind != LINEAR)
            for kind, moe, index in zip(kinds, sparse, indexed, strict=True)]  # fmt: skip
    for key in dict.fromkeys(keys):
        slow, moe, index = key
        mixer = delta(f"{AT}forget_gate.") if slow else attention(bias=bias, index=index)
        ffn = network(shared=shared, bias=True) if moe else gated()
        ffn += (*hyper_connection("attn_hc"), *hyper_connection("ffn_hc"))
        name = f"{'delta' if slow else 'latent'} {'experts' if moe else 'dense'}"
        made[key] = decoder_layer(c.sheet, name, mixer, ffn)
    if c.has("num_nextn_predict_layers") and c.maybe("num_nextn_predict_layers", 0, 16):
        c.note(tr("a layer for further tokens, named by the config, is not counted"))
    return assemble(c, [made[key] for key in keys])


def read_attention(c: Config) -> None:
    """Latent attention without rotation, and the indexer over pools."""
    c.size("H_q", "num_attention_heads")
    c.pass_by(tr("latent attention has no key-value heads"), c.spelled("num_key_value_heads"))
    for symbol, name in (("r_q", "q_lora_rank"), ("r_kv", "kv_lora_rank"),
                         ("d_nope", "qk_nope_head_dim"), ("d_v", "v_head_dim"),
                         ("c_p", "index_kpool")):  # fmt: skip
        c.size(symbol, name)
    c.only("qk_rope_head_dim", 0)
    c.only("qk_head_dim", c.sheet["d_nope"])
    c.pass_by(tr("latent attention has its own head sizes"), "head_dim")
    c.pass_by(NO_ROLE, "index_kpool_always_select_tail")
    read_indexer(c)
    c.note(tr("the indexer's keys are counted as the library keeps them, a key and a weight for "
              "every token; an engine that keeps the pools alone holds one of {count}",
              count=c.sheet["c_p"]))  # fmt: skip


def read_delta(c: Config) -> None:
    """Sizes of delta attention; an object of their own prevails."""
    c.pass_by(NO_ROLE, "linear_lower_bound")
    inner = c.table("linear_attn_config") if c.data.get("linear_attn_config") is not None else None
    if inner is None:
        c.only("linear_attn_config", None)
    else:
        inner.pass_by(NO_ROLE, "gate_lower_bound", "safe_gate")
    for symbol, (own, nested) in DELTA.items():
        if inner is not None and inner.has(nested):
            inner.size(symbol, nested)
            c.used.add(own)
        else:
            c.size(symbol, own)


def expert_layers(c: Config, layers: int) -> list[bool]:
    """A list of kinds, or all layers but the first three."""
    if c.has("mlp_layer_types"):
        found = [k == "sparse" for k in c.words("mlp_layer_types", ("dense", "sparse"), layers)]
    else:
        c.only("mlp_layer_types", None)
        note_rule(c, "mlp_layer_types")
        found = [index > 2 for index in range(layers)]
    first = found.index(True) if True in found else layers
    c.only("first_k_dense_replace", *([first] if all(found[first:]) else []))
    return found


def attention(*, bias: bool, index: bool) -> Mixer:
    """The latent is the same for all heads and not rotated."""
    tensors = (
        *linear(f"{AT}q_a_proj", "d_model", "r_q", "attention", bias=bias),
        *norm(f"{AT}q_a_layernorm", "r_q"),
        *linear(f"{AT}q_b_proj", "r_q", "H_q * d_nope", "attention"),
        *linear(f"{AT}kv_a_proj_with_mqa", "d_model", "r_kv", "attention", bias=bias),
        *norm(f"{AT}kv_a_layernorm", "r_kv"),
        *linear(f"{AT}kv_b_proj", "r_kv", "H_q * (d_nope + d_v)", "attention"),
        *linear(f"{AT}o_proj", "H_q * d_v", "d_model", "attention", bias=bias),
    )
    if index:
        tensors += (
            *index_heads(AT),
            *vector(f"{AT}indexer", "indexer", "c_p", "d_i", leaf="index_kpool_compress_ape"),
            *linear(f"{AT}indexer.index_kpool_compress_gate", "d_model", "d_i", "indexer",
                    plain=False),
        )  # fmt: skip
    cache = Cache(
        "mla+indexer" if index else "mla",
        "r_kv",
        flops="2 * H_q * (d_nope + d_v)",
        absorbed="4 * H_q * r_kv",
        index="2 * d_i + 1" if index else "0",
        scores="2 * H_i * d_i" if index else "0",
        topk="k_i",
        shown=(("q_heads", "H_q"), ("kv_lora_rank", "r_kv")),
    )
    return Mixer(tensors, cache)


def build(c: Config) -> Model:
    """The text model and the tower."""
    inner, model = text_model(c, "glm5_next_text", allowed=("glm5_next_text",))
    tower(c, inner, model, "Glm5Next", "glm5_next_vision", "projection_intermediate_size")
    return model


FAMILIES = (
    Family(
        types=("glm5_next_text",),
        classes=("Glm5NextTextModel",),
        source="transformers 5.24.0, Glm5NextTextConfig",
        build=text,
        defaults={
            "vocab_size": 154880, "hidden_size": 4096, "intermediate_size": 12288,
            "moe_intermediate_size": 2048, "num_hidden_layers": 45, "num_attention_heads": 64,
            "num_key_value_heads": 64, "n_shared_experts": 1, "num_experts": 288,
            "num_experts_per_tok": 8, "kv_lora_rank": 512, "q_lora_rank": 1536,
            "v_head_dim": 256, "qk_nope_head_dim": 256, "index_topk": 2048,
            "index_head_dim": 128, "index_n_heads": 32, "index_kpool": 16,
            "linear_head_dim": 128, "linear_num_heads": 64, "linear_conv_kernel_dim": 4,
            "hc_mult": 4, "attention_bias": False, "tie_word_embeddings": False,
            "max_position_embeddings": 1048576,
        },
    ),
    Family(
        types=("glm5_next",),
        classes=("Glm5NextForConditionalGeneration",),
        source="transformers 5.24.0, Glm5NextConfig",
        build=build,
        defaults={"tie_word_embeddings": False},
    ),
)  # fmt: skip
