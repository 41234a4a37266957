"""LFM3: short convolutions, attention in a window and in full, a gate on each head."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.families.lfm2 import CONV, FFN, NAMING, NORMS
from derive.architecture.family import Family
from derive.architecture.layers.attention import Mixer, grouped_query, read_heads
from derive.architecture.layers.decoder import (
    FULL,
    SLIDING,
    decoder_layer,
    layer_types,
    read_layers,
    read_window,
    windowed,
)
from derive.architecture.layers.ffn import gated
from derive.architecture.layers.ssm import short_conv
from derive.architecture.model import assemble, read_outer
from derive.architecture.parts import linear, norm

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.model import Model

BEHIND = ("post_operator_norm", "post_ffn_norm")


def build(c: Config) -> Model:
    """Without a list, full attention every fourth layer from the third, a window in between."""
    read_outer(c)
    read_heads(c)
    c.size("d_ff", "intermediate_size")
    c.size("d_conv", "conv_L_cache")
    window, layers = read_window(c), read_layers(c)
    kinds = layer_types(c, layers, rule, (CONV, SLIDING, FULL))
    windowed(c, [FULL if kind == CONV else kind for kind in kinds], window)
    mixers = {
        CONV: short_conv("conv.", bias=c.flag("conv_bias")),
        SLIDING: attention(c, window),
        FULL: attention(c),
    }
    norms = (*NORMS, *BEHIND) if c.flag("use_sandwich_norm") else NORMS
    made = {k: decoder_layer(c.sheet, k.removesuffix("_attention"), mixers[k], gated(names=FFN),
                             norms=norms) for k in sorted(set(kinds))}  # fmt: skip
    return assemble(c, [made[k] for k in kinds], naming=NAMING, final=norm(NAMING.norm))


def rule(index: int) -> str:
    """The kind of a layer where the file has no list."""
    if index % 4 == 2:
        return FULL
    return SLIDING if index and index % 4 == 0 else CONV


def attention(c: Config, window: str = "") -> Mixer:
    """Norms on q and k; one gate a head, from the input of the layer."""
    mixer = grouped_query(c.sheet, bias=c.flag("attention_bias"), qk_norm="head", window=window)
    gates = linear("self_attn.g_proj", "d_model", "H_q", "attention")
    return Mixer((*mixer.tensors, *(gates if c.flag("use_attention_gate") else ())), mixer.cache)


FAMILIES = (
    Family(
        types=("lfm3",),
        classes=("Lfm3ForCausalLM",),
        source="transformers 5.24.0, Lfm3Config",
        build=build,
        defaults={
            "num_key_value_heads": 4,
            "head_dim": 128,
            "conv_bias": False,
            "conv_L_cache": 7,
            "sliding_window": 256,
            "use_sandwich_norm": True,
            "use_attention_gate": True,
            "attention_bias": False,
            "tie_word_embeddings": True,
            "max_position_embeddings": 128000,
        },
    ),
)
