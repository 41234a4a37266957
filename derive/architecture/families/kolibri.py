"""Kolibri 1: experts in every layer, four norms, four layers with a window to one without."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.family import Family
from derive.architecture.layers.attention import grouped_query, read_heads
from derive.architecture.layers.decoder import TWO_NORMS, decoder_layer, sliding_layers
from derive.architecture.layers.ffn import (
    SHARED,
    correction,
    experts,
    gated,
    read_experts,
    router,
)
from derive.architecture.model import assemble, read_outer

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.model import Model
    from derive.architecture.parts import Layer

NORMS = (*TWO_NORMS, "post_self_attn_layernorm", "post_mlp_layernorm")


def build(c: Config) -> Model:
    """One shared expert of its own width; norms on q and k; no biases."""
    read_outer(c)
    read_heads(c)
    read_experts(c)
    c.size("d_s", "shared_expert_intermediate_size")
    network = (*router(), *experts(), *correction())
    network += gated("d_s", kind="shared_expert", names=SHARED)

    def make(name: str, window: str) -> Layer:
        mixer = grouped_query(c.sheet, qk_norm="head", window=window)
        return decoder_layer(c.sheet, name, mixer, network, norms=NORMS)

    return assemble(c, sliding_layers(c, lambda i: (i + 1) % 5 != 0, make))


FAMILIES = (
    Family(
        types=("kolibri1",),
        classes=("Kolibri1ForCausalLM",),
        source="transformers 5.24.0, Kolibri1Config",
        build=build,
        defaults={
            "num_key_value_heads": 4,
            "head_dim": 128,
            "sliding_window": 513,
            "shared_expert_intermediate_size": 512,
            "tie_word_embeddings": False,
            "max_position_embeddings": 262144,
        },
    ),
)
