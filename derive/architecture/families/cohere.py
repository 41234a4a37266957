"""Command: one norm per layer in front of attention and network, tied tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.family import Family
from derive.architecture.layers.attention import grouped_query, read_heads
from derive.architecture.layers.decoder import decoder_layer, read_layers, sliding_layers
from derive.architecture.layers.ffn import gated
from derive.architecture.model import assemble, read_outer

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.model import Model
    from derive.architecture.parts import Layer

ONE_NORM = ("input_layernorm",)


def cohere(c: Config) -> Model:
    """Command R: full attention, in R+ with norms on q and k."""
    read_outer(c)
    read_heads(c, head_dim="")
    c.size("d_ff", "intermediate_size")
    qk_norm = "full" if c.flag("use_qk_norm") else ""
    mixer = grouped_query(c.sheet, bias=c.flag("attention_bias"), qk_norm=qk_norm)
    one = decoder_layer(c.sheet, "decoder", mixer, gated(), norms=ONE_NORM)
    return assemble(c, [one] * read_layers(c))


def cohere2(c: Config) -> Model:
    """Command R7B and A: three layers with a window, then one without."""
    read_outer(c)
    read_heads(c, head_dim="head_dim" if "head_dim" in c.data else "")
    c.size("d_ff", "intermediate_size")
    bias, pattern = c.flag("attention_bias"), c.integer("sliding_window_pattern")

    def make(name: str, window: str) -> Layer:
        mixer = grouped_query(c.sheet, bias=bias, window=window)
        return decoder_layer(c.sheet, name, mixer, gated(), norms=ONE_NORM)

    return assemble(c, sliding_layers(c, lambda i: (i + 1) % pattern != 0, make))


DEFAULTS: dict[str, object] = {
    "num_key_value_heads": None,
    "attention_bias": False,
    "tie_word_embeddings": True,
    "max_position_embeddings": 8192,
}

FAMILIES = (
    Family(
        ("cohere",),
        ("CohereForCausalLM",),
        "transformers 5.24.0, CohereConfig",
        cohere,
        {**DEFAULTS, "use_qk_norm": False},
    ),
    Family(
        ("cohere2",),
        ("Cohere2ForCausalLM",),
        "transformers 5.24.0, Cohere2Config",
        cohere2,
        {**DEFAULTS, "sliding_window": 4096, "sliding_window_pattern": 4},
    ),
)
