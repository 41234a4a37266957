"""Qwen3-Next and the text part of Qwen 3.5: three delta-net layers, then gated attention."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.families.qwen_moe import network
from derive.architecture.family import Family
from derive.architecture.layers.attention import grouped_query, read_heads
from derive.architecture.layers.decoder import (
    FULL,
    LISTED,
    decoder_layer,
    dense_width,
    layer_types,
    read_layers,
    sparse_steps,
)
from derive.architecture.layers.ffn import gated, read_experts
from derive.architecture.layers.ssm import delta_net, read_delta
from derive.architecture.model import Placed, assemble, read_outer
from derive.architecture.parts import layer, linear, norm
from derive.text import tr

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.model import Model, Naming
    from derive.architecture.parts import Layer

LINEAR = "linear_attention"


def qwen3_next(c: Config) -> Model:
    """Experts in every layer unless the file says otherwise."""
    c.only("use_sliding_window", False)
    layers = read_layers(c)
    model = stack(c, sparse_steps(c, layers), fused=True)
    further_tokens(c, model, 1)
    what = tr("the released checkpoints hold one layer for further tokens, which this config "
              "does not name; it is counted on a line of its own")  # fmt: skip
    model.absent.append(what)
    return model


def qwen3_5(c: Config, naming: Naming | None = None, tied: bool | None = None) -> Model:
    """Dense networks."""
    c.only("mlp_only_layers", [])
    return with_further(
        c, stack(c, [False] * read_layers(c), fused=False, naming=naming, tied=tied)
    )


def qwen3_5_moe(c: Config, naming: Naming | None = None, tied: bool | None = None) -> Model:
    """Experts in every layer."""
    c.only("mlp_only_layers", [])
    c.only("decoder_sparse_step", 1)
    return with_further(c, stack(c, [True] * read_layers(c), fused=False, naming=naming, tied=tied))


def with_further(c: Config, model: Model) -> Model:
    """Layers for further tokens as the config numbers them."""
    c.only("mtp_use_dedicated_embeddings", False)
    further_tokens(c, model, c.maybe("mtp_num_hidden_layers", 0, 16) or 0)
    return model


def stack(
    c: Config,
    sparse: list[bool],
    *,
    fused: bool,
    naming: Naming | None = None,
    tied: bool | None = None,
) -> Model:
    """Every full_attention_interval-th layer is full, unless the file lists the kinds."""
    read_outer(c)
    read_heads(c)
    read_delta(c)
    c.only("attn_output_gate", True)
    c.only("output_gate_type", "swish", "sigmoid")
    if any(sparse):
        read_experts(c)
        c.size("d_s", "shared_expert_intermediate_size")
    dense_width(c, sparse)
    every = c.integer("full_attention_interval")
    if c.has("layer_types"):
        c.pass_by(LISTED, "full_attention_interval")
    kinds = layer_types(c, len(sparse), lambda i: LINEAR if (i + 1) % every else FULL,
                        (LINEAR, FULL))  # fmt: skip
    attention = grouped_query(c.sheet, bias=c.flag("attention_bias"), qk_norm="head", gate=True)
    mixers = {FULL: attention, LINEAR: delta_net("linear_attn.", fused=fused)}
    made: dict[tuple[str, bool], Layer] = {}
    for kind, moe in [(FULL, sparse[-1]), *zip(kinds, sparse, strict=True)]:
        name = "full" if kind == FULL else "delta-net"
        ffn = network(shared=True) if moe else gated()
        made[kind, moe] = decoder_layer(c.sheet, name, mixers[kind], ffn)
    model = assemble(c, [made[key] for key in zip(kinds, sparse, strict=True)], naming=naming,
                     tied=tied)  # fmt: skip
    model.mtp = [Placed(made[FULL, sparse[-1]], 0, 0, role="mtp", prefixes=("mtp.layers.{i}.",))]
    return model


def further_tokens(c: Config, model: Model, count: int) -> None:
    """A full layer, a projection of embedding and hidden state side by side, three norms."""
    body, model.mtp = model.mtp[0].layer, []
    if not count:
        return
    joined = (
        *norm("mtp.pre_fc_norm_embedding"), *norm("mtp.pre_fc_norm_hidden"), *norm("mtp.norm"),
        *linear("mtp.fc", "2 * d_model", "d_model", "mtp"),
    )  # fmt: skip
    at = tuple(range(count))
    model.mtp = [
        Placed(body, count, count, at, "mtp", ("mtp.layers.{i}.",)),
        Placed(layer(c.sheet, "mtp", joined), 1, 1, (0,), "mtp"),
    ]


DEFAULTS: dict[str, object] = {
    "num_key_value_heads": 2,
    "head_dim": 256,
    "attention_bias": False,
    "linear_conv_kernel_dim": 4,
    "linear_key_head_dim": 128,
    "linear_value_head_dim": 128,
    "linear_num_key_heads": 16,
    "linear_num_value_heads": 32,
    "full_attention_interval": 4,
    "decoder_sparse_step": 1,
    "mlp_only_layers": None,
    "mtp_num_hidden_layers": None,
    "tie_word_embeddings": False,
    "max_position_embeddings": 32768,
}
TEXT_3_5: dict[str, object] = {
    **DEFAULTS,
    "vocab_size": 248320,
    "hidden_size": 4096,
    "intermediate_size": 12288,
    "num_hidden_layers": 32,
    "num_attention_heads": 16,
    "num_key_value_heads": 4,
}
MOE_3_5: dict[str, object] = {
    **DEFAULTS,
    "vocab_size": 248320,
    "hidden_size": 2048,
    "num_hidden_layers": 40,
    "num_attention_heads": 16,
    "num_experts": 256,
    "num_experts_per_tok": 8,
    "moe_intermediate_size": 512,
    "shared_expert_intermediate_size": 512,
}

FAMILIES = (
    Family(
        ("qwen3_next",),
        ("Qwen3NextForCausalLM",),
        "transformers 5.24.0, Qwen3NextConfig",
        qwen3_next,
        DEFAULTS,
    ),
    Family(
        ("qwen3_5_text",),
        ("Qwen3_5ForCausalLM",),
        "transformers 5.24.0, Qwen3_5TextConfig",
        qwen3_5,
        TEXT_3_5,
    ),
    Family(
        ("qwen3_5_moe_text",),
        ("Qwen3_5MoeForCausalLM",),
        "transformers 5.24.0, Qwen3_5MoeTextConfig",
        qwen3_5_moe,
        MOE_3_5,
    ),
)
