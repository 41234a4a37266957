"""Trinity (AFMoE): gated attention, a window on three layers of four, experts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.families.deepseek import shared_width
from derive.architecture.family import Family
from derive.architecture.layers.attention import Mixer, grouped_query, read_heads
from derive.architecture.layers.decoder import (
    FULL,
    SLIDING,
    decoder_layer,
    dense_width,
    layer_types,
    read_layers,
    read_window,
    windowed,
)
from derive.architecture.layers.ffn import SHARED, experts, gated, read_experts, router
from derive.architecture.model import assemble, read_outer
from derive.architecture.parts import linear, vector

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.model import Model
    from derive.architecture.parts import Layer

NORMS = ("input_layernorm", "post_attention_layernorm", "pre_mlp_layernorm", "post_mlp_layernorm")


def build(c: Config) -> Model:
    """The first num_dense_layers dense; a correction bias that the class learns."""
    read_outer(c)
    read_heads(c)
    read_experts(c)
    layers, window = read_layers(c), read_window(c)
    every = c.integer("global_attn_every_n_layers")
    types = layer_types(c, layers, lambda i: SLIDING if window and (i + 1) % every else FULL)
    slides = windowed(c, types, window)
    first = c.integer("num_dense_layers", 0)
    sparse = [i >= first for i in range(layers)]
    dense_width(c, sparse)
    shared = shared_width(c, "num_shared_experts")
    c.used |= {"mup_enabled", "route_norm", "score_func", "load_balance_coeff"}
    bias = c.flag("attention_bias")
    mixture = (*router("mlp.router.gate"), *vector("mlp", "router", "E", leaf="expert_bias"),
               *experts())  # fmt: skip
    mixture += gated("n_s * d_e", kind="shared_expert", names=SHARED) if shared else ()
    made: dict[tuple[bool, bool], Layer] = {}
    for slide, moe in sorted(set(zip(slides, sparse, strict=True))):
        mixer = grouped_query(c.sheet, bias=bias, qk_norm="head", window=window if slide else "")
        gate = linear("self_attn.gate_proj", "d_model", "H_q * d_head", "attention")
        name = f"{'sliding' if slide else 'full'} {'experts' if moe else 'dense'}"
        both = Mixer((*mixer.tensors, *gate), mixer.cache)
        made[slide, moe] = decoder_layer(c.sheet, name, both, mixture if moe else gated(),
                                         norms=NORMS)  # fmt: skip
    return assemble(c, [made[key] for key in zip(slides, sparse, strict=True)])


FAMILIES = (
    Family(
        types=("afmoe",),
        classes=("AfmoeForCausalLM",),
        source="transformers 5.24.0, AfmoeConfig",
        build=build,
        defaults={
            "num_key_value_heads": None,
            "head_dim": 128,
            "num_dense_layers": 1,
            "num_shared_experts": 2,
            "global_attn_every_n_layers": 4,
            "sliding_window": 1024,
            "attention_bias": False,
            "tie_word_embeddings": False,
            "max_position_embeddings": 16384,
        },
    ),
)
