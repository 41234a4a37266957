"""LFM2: short convolutions with a few attention layers, dense or with experts."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from derive.architecture.family import Family
from derive.architecture.layers.attention import Mixer, Names, grouped_query, read_heads
from derive.architecture.layers.decoder import decoder_layer, dense_width, note_rule, read_layers
from derive.architecture.layers.ffn import correction, experts, gated, read_experts, router
from derive.architecture.layers.ssm import short_conv
from derive.architecture.model import Naming, assemble, read_outer
from derive.architecture.parts import norm

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.model import Model
    from derive.architecture.parts import Layer

NAMES = Names(o="self_attn.out_proj", q_norm="self_attn.q_layernorm",
              k_norm="self_attn.k_layernorm")  # fmt: skip
FFN = ("feed_forward.w1", "feed_forward.w3", "feed_forward.w2")
EXPERTS = tuple(f"feed_forward.experts.{{e}}.w{n}" for n in (1, 3, 2))
NORMS = ("operator_norm", "ffn_norm")
NAMING = Naming(norm="model.embedding_norm")
CONV, FULL = "conv", "full_attention"


def mixers(c: Config) -> tuple[list[str], dict[str, Mixer]]:
    """The kind of each layer, and the mixers."""
    read_outer(c)
    read_heads(c, head_dim="")
    layers = read_layers(c)
    c.size("d_conv", "conv_L_cache")
    c.only("conv_dim", c.sheet["d_model"])
    c.only("conv_dim_out", c.sheet["d_model"])
    c.only("conv_use_xavier_init", True, False)
    if c.has("layer_types"):
        c.used.add("full_attn_idxs")
        kinds = c.words("layer_types", (CONV, FULL), layers)
    else:
        c.only("layer_types", None)
        note_rule(c, "layer_types")
        every = c.value("full_attn_idxs") is None
        full = range(layers) if every else c.integers("full_attn_idxs", None, 0, layers - 1)
        kinds = [FULL if i in full else CONV for i in range(layers)]
    attention = grouped_query(c.sheet, qk_norm="head", names=NAMES)
    return kinds, {CONV: short_conv("conv.", bias=c.flag("conv_bias")), FULL: attention}


def lfm2(c: Config) -> Model:
    """The width may have to shrink by 2/3, as Llama 1 did."""
    kinds, made = mixers(c)
    read_width(c)
    ffn = gated(names=FFN)
    layers = {k: decoder_layer(c.sheet, k, m, ffn, norms=NORMS) for k, m in made.items()}
    return assemble(c, [layers[kind] for kind in kinds], naming=NAMING, final=norm(NAMING.norm))


def read_width(c: Config) -> None:
    """d_ff: with block_auto_adjust_ff_dim two thirds of the field, to a multiple above."""
    name = "block_ff_dim" if c.has("block_ff_dim") else "intermediate_size"
    c.used.add("intermediate_size")
    width = c.integer(name)
    times, multiple = c.fraction("block_ffn_dim_multiplier"), c.integer("block_multiple_of")
    c.used |= {"block_dim", "block_mlp_init_scale", "block_out_init_scale", "block_use_swiglu",
               "block_norm_eps", "block_use_xavier_init"}  # fmt: skip
    if not c.flag("block_auto_adjust_ff_dim"):
        c.sheet.let("d_ff", width, c.origin(name))
        return
    narrow = Fraction(int(times * int(2 * width / 3)))
    rounded = -(-int(narrow) // multiple) * multiple
    c.sheet.let("d_ff", rounded, f"2/3 * {c.origin(name)}, up to a multiple of {multiple}")


def lfm2_moe(c: Config) -> Model:
    """The first layers dense, then experts of their own width."""
    kinds, made = mixers(c)
    read_experts(c)
    first = c.integer("num_dense_layers", 0)
    sparse = [i >= first for i in range(len(kinds))]
    dense_width(c, sparse)
    network = (*router("feed_forward.gate"), *experts(names=EXPERTS))
    network += correction("feed_forward.expert_bias") if c.flag("use_expert_bias") else ()
    layers: dict[tuple[str, bool], Layer] = {}
    for kind, moe in sorted(set(zip(kinds, sparse, strict=True))):
        name = f"{kind} {'experts' if moe else 'dense'}"
        ffn = network if moe else gated(names=FFN)
        layers[kind, moe] = decoder_layer(c.sheet, name, made[kind], ffn, norms=NORMS)
    stack = [layers[key] for key in zip(kinds, sparse, strict=True)]
    return assemble(c, stack, naming=NAMING, final=norm(NAMING.norm))


DEFAULTS: dict[str, object] = {
    "num_key_value_heads": 8,
    "conv_bias": False,
    "conv_L_cache": 3,
    "full_attn_idxs": None,
    "tie_word_embeddings": True,
    "max_position_embeddings": 128000,
}

FAMILIES = (
    Family(
        ("lfm2",),
        ("Lfm2ForCausalLM", "LFM2ForCausalLM"),
        "transformers 5.24.0, Lfm2Config",
        lfm2,
        {
            **DEFAULTS,
            "block_auto_adjust_ff_dim": True,
            "block_ffn_dim_multiplier": 1.0,
            "block_multiple_of": 256,
        },
    ),
    Family(
        ("lfm2_moe",),
        ("Lfm2MoeForCausalLM",),
        "transformers 5.24.0, Lfm2MoeConfig",
        lfm2_moe,
        {**DEFAULTS, "num_dense_layers": 2, "use_expert_bias": True},
    ),
)
