"""Phi-3, Phi-3.5, Phi-4 (q, k, v and gate, up stored as one) and Phi-1, Phi-1.5, Phi-2."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.family import Family
from derive.architecture.layers.attention import Names, grouped_query, read_heads
from derive.architecture.layers.decoder import decoder_layer, read_layers, read_window
from derive.architecture.layers.ffn import gated, plain
from derive.architecture.model import Naming, assemble, read_outer
from derive.architecture.parts import norm

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.model import Model


def phi3(c: Config) -> Model:
    """Llama layers with fused projections and a window that seldom bites."""
    read_outer(c)
    read_heads(c, head_dim="")
    c.size("d_ff", "intermediate_size")
    c.only("attention_bias", False)
    c.only("mlp_bias", False)
    c.only("lm_head_bias", False)
    mixer = grouped_query(c.sheet, names=Names(qkv="self_attn.qkv_proj"), window=read_window(c))
    network = gated(names=("mlp.gate_up_proj", "mlp.down_proj"))
    return assemble(c, [decoder_layer(c.sheet, "decoder", mixer, network)] * read_layers(c))


def phi(c: Config) -> Model:
    """One norm per layer, biases everywhere, also on the head."""
    read_outer(c)
    read_heads(c, head_dim="")
    c.size("d_ff", "intermediate_size")
    names = Names(o="self_attn.dense", q_norm="self_attn.q_layernorm",
                  k_norm="self_attn.k_layernorm")  # fmt: skip
    qk_norm = "head" if c.flag("qk_layernorm") else ""
    mixer = grouped_query(c.sheet, bias=True, names=names, qk_norm=qk_norm, norm_bias=True)
    network = plain(names=("mlp.fc1", "mlp.fc2"), bias=True)
    one = decoder_layer(c.sheet, "decoder", mixer, network, norms=TWO[:1], norm_bias=True)
    final = norm("model.final_layernorm", bias=True)
    return assemble(c, [one] * read_layers(c), final=final, head_bias=True,
                    naming=Naming(norm="model.final_layernorm"))  # fmt: skip


TWO = ("input_layernorm", "post_attention_layernorm")

FAMILIES = (
    Family(
        types=("phi3",),
        classes=("Phi3ForCausalLM",),
        source="transformers 5.24.0, Phi3Config",
        build=phi3,
        defaults={
            "num_key_value_heads": None,
            "sliding_window": None,
            "tie_word_embeddings": False,
            "max_position_embeddings": 4096,
        },
    ),
    Family(
        types=("phi",),
        classes=("PhiForCausalLM",),
        source="transformers 5.24.0, PhiConfig",
        build=phi,
        defaults={
            "num_key_value_heads": None,
            "qk_layernorm": False,
            "tie_word_embeddings": False,
            "max_position_embeddings": 2048,
        },
    ),
)
