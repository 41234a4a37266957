"""RecurrentGemma: two recurrent layers, then one with attention in a window."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.family import Family
from derive.architecture.layers.attention import Names, grouped_query, read_heads
from derive.architecture.layers.decoder import decoder_layer, read_layers
from derive.architecture.layers.ffn import gated
from derive.architecture.layers.ssm import rg_lru
from derive.architecture.model import Naming, assemble, read_outer
from derive.architecture.parts import norm
from derive.text import tr

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.model import Model

NAMES = Names(*(f"temporal_block.{p}_proj" for p in "qkvo"))
FFN = tuple(f"mlp_block.{n}_proj" for n in ("gate", "up", "down"))
NORMS = ("temporal_pre_norm", "channel_pre_norm")
NAMING = Naming(norm="model.final_norm")


def build(c: Config) -> Model:
    """The network is half as wide as intermediate_size says."""
    read_outer(c)
    read_heads(c)
    width = c.integer("intermediate_size")
    if width % 2:
        c.reject("intermediate_size", tr("{name} must be even", name="intermediate_size"))
    c.sheet.let("d_ff", width // 2, f"{c.origin('intermediate_size')} / 2")
    lru = c.maybe("lru_width")
    source = c.origin("lru_width" if lru else "hidden_size")
    lru = c.sheet.let("d_lru", lru or c.sheet["d_model"], source)
    if lru % c.sheet["H_q"]:
        c.reject("lru_width", tr("{name} does not divide the heads", name="lru_width"), code="M107")
    c.size("d_conv", "conv1d_width")
    c.size("W", "attention_window_size")
    c.used |= {"w_init_variance_scale", "final_w_init_variance_scale", "layers_block_type",
               "layer_types"}  # fmt: skip
    layers = read_layers(c)
    names = [n for n in ("block_types", "_block_types") if c.data.get(n) is not None]
    c.used |= {"block_types", "_block_types"}
    kinds = c.words(names[0], ("recurrent", "attention")) if names else list(PATTERN)
    if not kinds:
        c.reject(names[0], tr("{name} must be a list", name=names[0]))
    attention = grouped_query(c.sheet, bias=c.flag("attention_bias"), o_bias=True, window="W",
                              names=NAMES)  # fmt: skip
    mixers = {"recurrent": rg_lru("temporal_block."), "attention": attention}
    ffn = gated(names=FFN, bias=True)
    made = {k: decoder_layer(c.sheet, k, m, ffn, norms=NORMS) for k, m in mixers.items()}
    stack = [made[kinds[i % len(kinds)]] for i in range(layers)]
    return assemble(c, stack, naming=NAMING, final=norm(NAMING.norm))


PATTERN = ("recurrent", "recurrent", "attention")

FAMILIES = (
    Family(
        types=("recurrent_gemma",),
        classes=("RecurrentGemmaForCausalLM",),
        source="transformers 5.24.0, RecurrentGemmaConfig",
        build=build,
        defaults={
            "num_key_value_heads": None,
            "head_dim": None,
            "lru_width": None,
            "attention_window_size": 2048,
            "conv1d_width": 4,
            "attention_bias": False,
            "tie_word_embeddings": True,
            "max_position_embeddings": None,
        },
    ),
)
