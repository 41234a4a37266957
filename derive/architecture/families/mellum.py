"""Mellum 2: Qwen 3 experts, with a window on the layers that the file names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.families.qwen_moe import QWEN3, network
from derive.architecture.family import Family
from derive.architecture.layers.attention import grouped_query, read_heads
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
from derive.architecture.layers.ffn import gated, read_experts
from derive.architecture.layers.mtp import next_token_layers
from derive.architecture.model import assemble, read_outer

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.model import Model
    from derive.architecture.parts import Layer

SPARSE = {"dense": False, "sparse": True}


def build(c: Config) -> Model:
    """Kinds of attention and of network by lists; without them, full and sparse."""
    read_outer(c)
    read_heads(c)
    read_experts(c)
    layers, window = read_layers(c), read_window(c)
    slides = windowed(c, layer_types(c, layers, lambda _: FULL), window)
    sparse = [True] * layers
    if c.has("mlp_layer_types"):
        sparse = [SPARSE[k] for k in c.words("mlp_layer_types", SPARSE, layers)]
    c.only("mlp_layer_types", c.data.get("mlp_layer_types"))
    dense_width(c, sparse)
    bias = c.flag("attention_bias")

    def make(slide: bool, moe: bool) -> Layer:
        mixer = grouped_query(c.sheet, bias=bias, qk_norm="head", window=window if slide else "")
        name = f"{'sliding' if slide else 'full'} {'experts' if moe else 'dense'}"
        return decoder_layer(c.sheet, name, mixer, network(shared=False) if moe else gated())

    made = {key: make(*key) for key in sorted(set(zip(slides, sparse, strict=True)))}
    model = assemble(c, [made[key] for key in zip(slides, sparse, strict=True)])
    count = c.maybe("num_nextn_predict_layers", 0, 1)
    if count:
        kinds = c.words("mtp_layer_types", (SLIDING, FULL), 1) if c.has("mtp_layer_types") else []
        rest = c.words("mtp_mlp_layer_types", SPARSE, 1) if c.has("mtp_mlp_layer_types") else []
        moe = SPARSE[rest[0]] if rest else True
        if not moe:
            c.size("d_ff", "intermediate_size")
        body = make(kinds != [FULL] and bool(window), moe)
        next_token_layers(c, model, body, 1, copies=False)
    c.used |= {"mtp_layer_types", "mtp_mlp_layer_types"}
    return model


FAMILIES = (
    Family(
        types=("mellum",),
        classes=("MellumForCausalLM",),
        source="transformers 5.24.0, MellumConfig",
        build=build,
        defaults={
            **QWEN3,
            "head_dim": 128,
            "sliding_window": 1024,
            "num_nextn_predict_layers": None,
            "max_position_embeddings": 131072,
        },
    ),
)
