"""OLMo 1 to 3 and OLMoE."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.family import Family
from derive.architecture.layers.attention import grouped_query, read_heads
from derive.architecture.layers.decoder import (
    POST_NORMS,
    TWO_NORMS,
    decoder_layer,
    read_layers,
    sliding_layers,
)
from derive.architecture.layers.ffn import experts, gated, read_experts, router
from derive.architecture.model import assemble, read_outer

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.model import Model
    from derive.architecture.parts import Layer


def olmo(c: Config) -> Model:
    """Norms without any weight."""
    read_outer(c)
    read_heads(c, head_dim="")
    c.size("d_ff", "intermediate_size")
    mixer = grouped_query(c.sheet, bias=c.flag("attention_bias"))
    one = decoder_layer(c.sheet, "decoder", mixer, gated(), norms=())
    return assemble(c, [one] * read_layers(c), final=())


def olmo2(c: Config) -> Model:
    """Norms after, and on q and k over the whole projection."""
    read_outer(c)
    read_heads(c, head_dim="")
    c.size("d_ff", "intermediate_size")
    mixer = grouped_query(c.sheet, bias=c.flag("attention_bias"), qk_norm="full")
    one = decoder_layer(c.sheet, "decoder", mixer, gated(), norms=POST_NORMS)
    return assemble(c, [one] * read_layers(c))


def olmo3(c: Config) -> Model:
    """OLMo 2 with a window on three layers of four."""
    read_outer(c)
    read_heads(c, head_dim="head_dim" if "head_dim" in c.data else "")
    c.size("d_ff", "intermediate_size")
    bias = c.flag("attention_bias")

    def make(name: str, window: str) -> Layer:
        mixer = grouped_query(c.sheet, bias=bias, qk_norm="full", window=window)
        return decoder_layer(c.sheet, name, mixer, gated(), norms=POST_NORMS)

    return assemble(c, sliding_layers(c, lambda i: (i + 1) % 4 != 0, make))


def olmoe(c: Config, norms: tuple[str, ...] = TWO_NORMS) -> Model:
    """Experts in every layer."""
    read_outer(c)
    read_heads(c, head_dim="")
    read_experts(c, "")
    c.size("d_e", "intermediate_size")
    mixer = grouped_query(c.sheet, bias=c.flag("attention_bias"), qk_norm="full")
    one = decoder_layer(c.sheet, "decoder", mixer, (*router(), *experts()), norms=norms)
    return assemble(c, [one] * read_layers(c))


def flex_olmo(c: Config) -> Model:
    """OLMoE with the norms of OLMo 2."""
    return olmoe(c, POST_NORMS)


DEFAULTS: dict[str, object] = {
    "num_key_value_heads": None,
    "attention_bias": False,
    "tie_word_embeddings": False,
    "max_position_embeddings": 2048,
}
LONGER: dict[str, object] = {**DEFAULTS, "max_position_embeddings": 4096}

FAMILIES = (
    Family(("olmo",), ("OlmoForCausalLM",), "transformers 5.24.0, OlmoConfig", olmo, DEFAULTS),
    Family(("olmo2",), ("Olmo2ForCausalLM",), "transformers 5.24.0, Olmo2Config", olmo2, DEFAULTS),
    Family(
        ("olmo3",),
        ("Olmo3ForCausalLM",),
        "transformers 5.24.0, Olmo3Config",
        olmo3,
        {**DEFAULTS, "sliding_window": 4096},
    ),
    Family(("olmoe",), ("OlmoeForCausalLM",), "transformers 5.24.0, OlmoeConfig", olmoe, LONGER),
    Family(
        ("flex_olmo",),
        ("FlexOlmoForCausalLM",),
        "transformers 5.24.0, FlexOlmoConfig",
        flex_olmo,
        LONGER,
    ),
)
