"""Dense models with norms more or fewer: BitNet, NanoChat, HyperCLOVA X, Granite SWA."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.families.dense import family, start
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


FAMILIES = (
    family("bitnet", "BitNet", bitnet, 2048, num_key_value_heads=5),
    family("nanochat", "NanoChat", nanochat, 2048),
    family("hyperclovax", "HyperCLOVAX", hyperclovax, 2048, head_dim=None, use_post_norm=True),
    family("granite_swa", "GraniteSWA", granite_swa, 8192, tied=True, num_key_value_heads=4,
           sliding_window=128),
)  # fmt: skip
