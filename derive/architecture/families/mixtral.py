"""Mixtral and Phi-MoE: every layer with experts of the width of intermediate_size."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.family import Family
from derive.architecture.layers.attention import grouped_query, read_heads
from derive.architecture.layers.decoder import decoder_layer, read_layers, read_window
from derive.architecture.layers.ffn import experts, read_experts, router
from derive.architecture.model import assemble, read_outer
from derive.architecture.parts import norm

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.model import Model

NAMES = ("block_sparse_moe.experts.{e}.w1", "block_sparse_moe.experts.{e}.w3",
         "block_sparse_moe.experts.{e}.w2")  # fmt: skip


def build(c: Config, *, bias: bool = False, head_bias: bool = False, shift: bool = False) -> Model:
    """Grouped attention and experts in every layer."""
    read_outer(c)
    read_heads(c)
    read_experts(c, "intermediate_size")
    mixer = grouped_query(c.sheet, bias=bias, window=read_window(c))
    network = (*router("block_sparse_moe.gate"), *experts(names=NAMES))
    one = decoder_layer(c.sheet, "decoder", mixer, network, norm_bias=shift)
    return assemble(c, [one] * read_layers(c), head_bias=head_bias,
                    final=norm("model.norm", bias=shift))  # fmt: skip


def phimoe(c: Config) -> Model:
    """Phi-3.5-MoE: layer norms with a shift, biases by switch."""
    return build(c, bias=c.flag("attention_bias"), head_bias=c.flag("lm_head_bias"), shift=True)


DEFAULTS: dict[str, object] = {
    "num_key_value_heads": 8,
    "head_dim": None,
    "sliding_window": None,
    "tie_word_embeddings": False,
    "max_position_embeddings": 131072,
}

FAMILIES = (
    Family(
        types=("mixtral",),
        classes=("MixtralForCausalLM",),
        source="transformers 5.24.0, MixtralConfig",
        build=build,
        defaults=DEFAULTS,
    ),
    Family(
        types=("phimoe",),
        classes=("PhiMoEForCausalLM", "PhimoeForCausalLM"),
        source="transformers 5.24.0, PhimoeConfig",
        build=phimoe,
        defaults={**DEFAULTS, "attention_bias": False, "lm_head_bias": False},
    ),
)
