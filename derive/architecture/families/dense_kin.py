"""Dense models, a norm, a sink or a window away: BitNet, NanoChat, HyperCLOVA X, CWM, Orion."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.families.dense import family, start
from derive.architecture.family import Family
from derive.architecture.layers.attention import Mixer, grouped_query
from derive.architecture.layers.decoder import (
    TWO_NORMS,
    decoder_layer,
    read_layers,
    sliding_layers,
)
from derive.architecture.layers.ffn import gated, plain
from derive.architecture.model import assemble
from derive.architecture.parts import norm, vector

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.model import Model
    from derive.architecture.parts import Layer


def bitnet(c: Config) -> Model:
    """Norms before the output of attention and of the network, whose weights are ternary."""
    start(c)
    c.only("mlp_bias", False)
    made = grouped_query(c.sheet, bias=c.flag("attention_bias"))
    mixer = Mixer((*made.tensors, *norm("self_attn.attn_sub_norm")), made.cache)
    ffn = (*gated(), *norm("mlp.ffn_sub_norm", "d_ff"))
    return assemble(c, [decoder_layer(c.sheet, "decoder", mixer, ffn)] * read_layers(c))


def nanochat(c: Config) -> Model:
    """No norm has a scale; a plain network."""
    start(c)
    c.only("mlp_bias", False)
    mixer = grouped_query(c.sheet, bias=c.flag("attention_bias"))
    ffn = plain(names=("mlp.fc1", "mlp.fc2"))
    one = decoder_layer(c.sheet, "decoder", mixer, ffn, norms=())
    return assemble(c, [one] * read_layers(c), final=())


def hyperclovax(c: Config) -> Model:
    """Granite with norms behind attention and network, by switch."""
    start(c, "head_dim")
    more = ("post_norm1", "post_norm2") if c.flag("use_post_norm") else ()
    mixer = grouped_query(c.sheet, bias=c.flag("attention_bias"))
    one = decoder_layer(c.sheet, "decoder", mixer, gated(bias=c.flag("mlp_bias")),
                        norms=(*TWO_NORMS, *more))  # fmt: skip
    return assemble(c, [one] * read_layers(c))


def granite_swa(c: Config) -> Model:
    """Granite with learned sinks, and a window on all but every fourth layer."""
    start(c)
    c.used.add("layer_rope_theta")
    bias, network = c.flag("attention_bias"), gated(bias=c.flag("mlp_bias"))

    def make(name: str, window: str) -> Layer:
        made = grouped_query(c.sheet, bias=bias, window=window)
        sinks = vector("self_attn", "attention", "H_q", leaf="sinks")
        return decoder_layer(c.sheet, name, Mixer((*made.tensors, *sinks), made.cache), network)

    return assemble(c, sliding_layers(c, lambda i: i % 4 != 0, make))


def cwm(c: Config) -> Model:
    """Llama without biases on attention, a window on all but every fourth layer."""
    start(c, "head_dim")
    c.only("attention_bias", False)
    network = gated(bias=c.flag("mlp_bias"))

    def make(name: str, window: str) -> Layer:
        return decoder_layer(c.sheet, name, grouped_query(c.sheet, window=window), network)

    return assemble(c, sliding_layers(c, lambda i: i % 4 != 0, make))


def orion(c: Config) -> Model:
    """Llama with layer norms that have a shift."""
    start(c)
    c.only("attention_bias", False)
    c.only("mlp_bias", False)
    one = decoder_layer(c.sheet, "decoder", grouped_query(c.sheet), gated(), norm_bias=True)
    return assemble(c, [one] * read_layers(c), final=norm("model.norm", bias=True))


ORION = Family(
    ("orion",),
    ("OrionForCausalLM",),
    "OrionStarAI/Orion-14B-Base, configuration_orion.py",
    orion,
    {
        "num_key_value_heads": None,
        "tie_word_embeddings": False,
        "max_position_embeddings": 4096,
    },
)
FAMILIES = (
    ORION,
    family("cwm", "Cwm", cwm, 131072, num_key_value_heads=8, head_dim=128, sliding_window=8192),
    family("bitnet", "BitNet", bitnet, 2048, num_key_value_heads=5),
    family("nanochat", "NanoChat", nanochat, 2048),
    family("hyperclovax", "HyperCLOVAX", hyperclovax, 2048, head_dim=None, use_post_norm=True),
    family("granite_swa", "GraniteSWA", granite_swa, 8192, tied=True, num_key_value_heads=4,
           sliding_window=128),
)  # fmt: skip
