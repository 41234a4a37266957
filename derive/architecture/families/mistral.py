"""Mistral and Ministral: Llama layers, every one with the window where one is given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.family import Family
from derive.architecture.layers.attention import grouped_query, read_heads
from derive.architecture.layers.decoder import (
    FULL,
    SLIDING,
    decoder_layer,
    layer_types,
    read_layers,
    read_window,
    two_kinds,
    uniform_types,
    windowed,
)
from derive.architecture.layers.ffn import gated
from derive.architecture.model import assemble, read_outer

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.model import Model, Naming
    from derive.architecture.parts import Layer

DEFAULTS: dict[str, object] = {
    "num_key_value_heads": 8,
    "head_dim": None,
    "sliding_window": 4096,
    "tie_word_embeddings": False,
    "max_position_embeddings": 131072,
}


def build(c: Config, naming: Naming | None = None, tied: bool | None = None) -> Model:
    """Llama layers with a window on all of them."""
    read_outer(c)
    read_heads(c)
    c.size("d_ff", "intermediate_size")
    window = read_window(c)
    layers = read_layers(c)
    uniform_types(c, layers, SLIDING if window else FULL)
    mixer = grouped_query(c.sheet, window=window)
    one = decoder_layer(c.sheet, "sliding" if window else "decoder", mixer, gated())
    return assemble(c, [one] * layers, naming=naming, tied=tied)


def ministral(c: Config) -> Model:
    """A window on the layers that the file names."""
    read_outer(c)
    read_heads(c)
    c.size("d_ff", "intermediate_size")
    window, layers = read_window(c), read_layers(c)
    types = layer_types(c, layers, lambda _: SLIDING if window else FULL)

    def make(name: str, slide: bool) -> Layer:
        mixer = grouped_query(c.sheet, window=window if slide else "")
        return decoder_layer(c.sheet, name, mixer, gated())

    return assemble(c, two_kinds(windowed(c, types, window), make, ("sliding", "full")))


MINISTRAL3: dict[str, object] = {
    **DEFAULTS,
    "head_dim": 128,
    "sliding_window": None,
    "max_position_embeddings": 262144,
}

FAMILIES = (
    Family(
        types=("mistral",),
        classes=("MistralForCausalLM",),
        source="transformers 5.24.0, MistralConfig",
        build=build,
        defaults=DEFAULTS,
    ),
    Family(
        types=("ministral",),
        classes=("MinistralForCausalLM",),
        source="transformers 5.24.0, MinistralConfig",
        build=ministral,
        defaults=DEFAULTS,
    ),
    Family(
        types=("ministral3",),
        classes=("Ministral3ForCausalLM",),
        source="transformers 5.24.0, Ministral3Config",
        build=build,
        defaults=MINISTRAL3,
    ),
)
