"""MiniCPM: 3 with latent attention and Youtu with the same; 1 and 2 as Llama, tied."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.families.llama import llama
from derive.architecture.family import Family
from derive.architecture.layers.decoder import decoder_layer, read_layers
from derive.architecture.layers.ffn import gated
from derive.architecture.layers.mla import latent, read_latent
from derive.architecture.model import assemble, read_outer

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.model import Model


def dense_latent(c: Config) -> Model:
    """Latent attention and a gated network; a missing v_head_dim is hidden_size / heads."""
    read_outer(c)
    read_latent(c, split_value=True)
    c.size("d_ff", "intermediate_size")
    c.only("mlp_bias", False)
    mixer = latent(c, bias=c.flag("attention_bias"))
    return assemble(c, [decoder_layer(c.sheet, "decoder", mixer, gated())] * read_layers(c))


def minicpm(c: Config) -> Model:
    """MiniCPM 1, 2, 4: Llama with multipliers."""
    c.only("num_experts", 0)
    c.only("sparse_config", None)
    return llama(c)


DEFAULTS: dict[str, object] = {
    "q_lora_rank": 768,
    "kv_lora_rank": 256,
    "qk_nope_head_dim": 64,
    "qk_rope_head_dim": 32,
    "v_head_dim": None,
    "attention_bias": False,
    "tie_word_embeddings": True,
    "max_position_embeddings": 32768,
}

FAMILIES = (
    Family(
        ("minicpm3",),
        ("MiniCPM3ForCausalLM",),
        "transformers 5.24.0, MiniCPM3Config",
        dense_latent,
        DEFAULTS,
    ),
    Family(
        ("youtu", "youtu_llm"),
        ("YoutuForCausalLM",),
        "transformers 5.24.0, YoutuConfig",
        dense_latent,
        {
            **DEFAULTS,
            "q_lora_rank": 1536,
            "kv_lora_rank": 512,
            "qk_nope_head_dim": 128,
            "qk_rope_head_dim": 64,
            "v_head_dim": 128,
            "max_position_embeddings": 131072,
        },
    ),
    Family(
        ("minicpm",),
        ("MiniCPMForCausalLM",),
        "openbmb/MiniCPM-2B-sft-bf16, configuration_minicpm.py",
        minicpm,
        {
            "num_key_value_heads": None,
            "head_dim": None,
            "tie_word_embeddings": True,
            "max_position_embeddings": 2048,
        },
    ),
)
