"""Gemma, Gemma 2 and VaultGemma: tied tables, wide heads; from 2 on every other layer slides."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.family import Family
from derive.architecture.layers.attention import grouped_query, read_heads
from derive.architecture.layers.decoder import (
    FOUR_NORMS,
    decoder_layer,
    read_layers,
    sliding_layers,
)
from derive.architecture.layers.ffn import gated
from derive.architecture.model import assemble, read_outer

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.model import Model
    from derive.architecture.parts import Layer

VAULT_NORMS = ("input_layernorm", "pre_feedforward_layernorm")


def gemma(c: Config) -> Model:
    """Two norms, no window."""
    read_outer(c)
    read_heads(c)
    c.size("d_ff", "intermediate_size")
    mixer = grouped_query(c.sheet, bias=c.flag("attention_bias"))
    return assemble(c, [decoder_layer(c.sheet, "decoder", mixer, gated())] * read_layers(c))


def gemma2(c: Config, norms: tuple[str, ...] = FOUR_NORMS) -> Model:
    """Norms before and after attention and network; layers 0, 2, 4 … slide."""
    read_outer(c)
    read_heads(c)
    c.size("d_ff", "intermediate_size")
    bias = c.flag("attention_bias")
    c.only("sliding_window_size", c.maybe("sliding_window"))

    def make(name: str, window: str) -> Layer:
        mixer = grouped_query(c.sheet, bias=bias, window=window)
        return decoder_layer(c.sheet, name, mixer, gated(), norms=norms)

    return assemble(c, sliding_layers(c, lambda i: i % 2 == 0, make))


def vaultgemma(c: Config) -> Model:
    """Gemma 2 without the norms after."""
    return gemma2(c, VAULT_NORMS)


GEMMA: dict[str, object] = {
    "num_key_value_heads": 16,
    "head_dim": 256,
    "attention_bias": False,
    "tie_word_embeddings": True,
    "max_position_embeddings": 8192,
}
GEMMA2: dict[str, object] = {**GEMMA, "num_key_value_heads": 4, "sliding_window": 4096}

FAMILIES = (
    Family(("gemma",), ("GemmaForCausalLM",), "transformers 5.24.0, GemmaConfig", gemma, GEMMA),
    Family(
        ("gemma2",), ("Gemma2ForCausalLM",), "transformers 5.24.0, Gemma2Config", gemma2, GEMMA2
    ),
    Family(
        ("vaultgemma",),
        ("VaultGemmaForCausalLM",),
        "transformers 5.24.0, VaultGemmaConfig",
        vaultgemma,
        GEMMA2,
    ),
)
