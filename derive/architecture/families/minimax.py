"""MiniMax: M2 with full attention, Text-01 and M1 with lightning attention in most layers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.family import Family
from derive.architecture.layers.attention import Mixer, grouped_query, read_heads
from derive.architecture.layers.decoder import (
    FULL,
    NO_ROLE,
    decoder_layer,
    layer_types,
    read_layers,
)
from derive.architecture.layers.ffn import correction, experts, read_experts, router
from derive.architecture.model import assemble, read_outer
from derive.architecture.parts import Cache, linear, norm
from derive.text import tr

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.model import Model

EXPERTS = ("block_sparse_moe.experts.{e}.w1", "block_sparse_moe.experts.{e}.w3",
           "block_sparse_moe.experts.{e}.w2")  # fmt: skip
GATE = "block_sparse_moe.gate"
LINEAR = "linear_attention"


def minimax_m2(c: Config) -> Model:
    """Norms over the whole projections of q and k, correction bias on the router."""
    read_outer(c)
    read_heads(c)
    read_experts(c, "intermediate_size")
    c.only("use_qk_norm", True)
    c.only("sliding_window", None)
    c.only("qk_norm_type", "per_layer")
    c.only("use_routing_bias", True)
    c.only("shared_intermediate_size", 0)
    c.only("attn_type_list", None, [1] * c.integer("num_hidden_layers", high=4096))
    c.pass_by(tr("settings of layers for further tokens"), "use_mtp", "mtp_transformer_layers")
    mixer = grouped_query(c.sheet, qk_norm="full")
    bias = correction("block_sparse_moe.e_score_correction_bias")
    network = (*router(GATE), *experts(names=EXPERTS), *bias)
    one = decoder_layer(c.sheet, "decoder", mixer, network)
    model = assemble(c, [one] * read_layers(c))
    count = c.maybe("num_mtp_modules", 0)
    if count:
        what = tr("{count} modules for further tokens, named by num_mtp_modules, are not counted",
                  count=count)  # fmt: skip
        model.absent.append(what)
    return model


def lightning() -> Mixer:
    """Linear attention with a decay per head: a square matrix per head is all that is kept."""
    width = "H_q * d_head"
    tensors = (
        *linear("self_attn.qkv_proj", "d_model", f"3 * {width}", "ssm"),
        *norm("self_attn.norm", width),
        *linear("self_attn.output_gate", "d_model", width, "ssm"),
        *linear("self_attn.out_proj", width, "d_model", "ssm"),
    )
    return Mixer(tensors, Cache("lightning", state="H_q * d_head * d_head"))


def minimax(c: Config) -> Model:
    """One layer in so many has full attention."""
    read_outer(c)
    read_heads(c)
    read_experts(c, "intermediate_size")
    c.only("sliding_window", None)
    c.only("shared_intermediate_size", 0)
    c.pass_by(NO_ROLE, "postnorm", "block_size", "shared_moe_mode")
    c.used.add("attn_type_list")
    for part in ("full_attn", "linear_attn", "mlp", "layernorm_full_attention",
                 "layernorm_linear_attention", "layernorm_mlp"):  # fmt: skip
        ends = ("_alpha_factor", "_beta_factor", "_alpha", "_beta")
        c.pass_by(tr("a factor of the residual"), *[part + end for end in ends])
    layers = read_layers(c)
    if c.data.get("attn_type_list") is not None:
        kinds = [FULL if t else LINEAR for t in c.integers("attn_type_list", layers, 0, 1)]
        if c.has("layer_types") and c.words("layer_types", (FULL, LINEAR), layers) != kinds:
            what = tr("{first} and {second} mean the same and differ", first="attn_type_list",
                      second="layer_types")  # fmt: skip
            c.reject("layer_types", what, code="M107")
    else:
        kinds = layer_types(c, layers, lambda i: LINEAR if i % 2 else FULL, (FULL, LINEAR))
    network = (*router(GATE), *experts(names=EXPERTS))
    made = {
        FULL: decoder_layer(c.sheet, "full", grouped_query(c.sheet), network),
        LINEAR: decoder_layer(c.sheet, "lightning", lightning(), network),
    }
    return assemble(c, [made[kind] for kind in kinds])


FAMILIES = (
    Family(
        types=("minimax_m2",),
        classes=("MiniMaxM2ForCausalLM",),
        source="transformers 5.24.0, MiniMaxM2Config",
        build=minimax_m2,
        defaults={
            "num_key_value_heads": 8,
            "head_dim": 128,
            "num_mtp_modules": None,
            "tie_word_embeddings": False,
            "max_position_embeddings": 196608,
        },
    ),
    Family(
        types=("minimax", "minimax_m1", "minimax_text_01", "MiniMaxM1", "MiniMaxText01"),
        classes=("MiniMaxForCausalLM", "MiniMaxM1ForCausalLM", "MiniMaxText01ForCausalLM"),
        source="transformers 5.24.0, MiniMaxConfig",
        build=minimax,
        defaults={
            "num_key_value_heads": 8,
            "head_dim": None,
            "tie_word_embeddings": False,
            "max_position_embeddings": 131072,
        },
    ),
)
