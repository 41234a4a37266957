"""gpt-oss: attention sinks, biases, experts stored fused, every other layer slides."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.family import Family
from derive.architecture.layers.attention import Mixer, grouped_query, read_heads
from derive.architecture.layers.decoder import decoder_layer, sliding_layers
from derive.architecture.layers.ffn import experts, read_experts, router
from derive.architecture.model import assemble, read_outer
from derive.architecture.parts import vector

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.model import Model
    from derive.architecture.parts import Layer, Tensors
    from derive.architecture.symbols import Sheet

EXPERTS = ("mlp.experts.gate_up_proj", "mlp.experts.down_proj")


def build(c: Config) -> Model:
    """Layers 0, 2, 4 … slide unless the file lists the kinds."""
    read_outer(c)
    read_heads(c)
    read_experts(c, "intermediate_size")
    bias, experts_of = c.flag("attention_bias"), network()

    def make(name: str, window: str) -> Layer:
        return one_layer(c.sheet, name, window, experts_of, bias=bias)

    return assemble(c, sliding_layers(c, lambda i: i % 2 == 0, make))


def network() -> Tensors:
    """Router and experts, all with biases."""
    return (*router("mlp.router", bias=True), *experts(names=EXPERTS, bias=True))


def one_layer(sheet: Sheet, name: str, window: str, experts_of: Tensors, *, bias: bool) -> Layer:
    """Attention with a sink for each head, and the experts."""
    mixer = grouped_query(sheet, bias=bias, window=window)
    sinks = vector("self_attn", "attention", "H_q", leaf="sinks")
    return decoder_layer(sheet, name, Mixer((*mixer.tensors, *sinks), mixer.cache), experts_of)


DEFAULTS: dict[str, object] = {
    "num_key_value_heads": 8,
    "head_dim": 64,
    "attention_bias": True,
    "tie_word_embeddings": False,
    "max_position_embeddings": 131072,
}

FAMILIES = (
    Family(
        types=("gpt_oss",),
        classes=("GptOssForCausalLM",),
        source="transformers 5.24.0, GptOssConfig",
        build=build,
        defaults={**DEFAULTS, "sliding_window": 128},
    ),
)
