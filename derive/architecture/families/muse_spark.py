"""Muse Spark: gated attention, a window on three of four layers, experts in a narrower space."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.families import muse_spark_towers as towers
from derive.architecture.family import Family
from derive.architecture.layers.attention import Mixer, grouped_query, read_heads
from derive.architecture.layers.decoder import (
    FULL,
    NO_ROLE,
    SLIDING,
    decoder_layer,
    dense_width,
    layer_types,
    note_rule,
    read_layers,
    read_window,
    windowed,
)
from derive.architecture.layers.ffn import correction, experts, gated, read_experts, router
from derive.architecture.layers.tower import text_table
from derive.architecture.model import Naming, assemble, read_outer
from derive.architecture.parts import Tensors, linear, norm, vector

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.model import Model
    from derive.architecture.parts import Layer

NAMING = Naming().under("model.language_model.", "language_model.model.")
NORMS = ("input_layernorm", "pre_feedforward_layernorm", "post_feedforward_layernorm")
GATES = ("post_attention_residual_gate", "post_feedforward_residual_gate")


def text(c: Config) -> Model:
    """Full attention in the last layer and every fourth before it."""
    read_outer(c)
    read_heads(c)
    read_experts(c)
    c.size("d_lat", "moe_hidden_size")
    window, layers = read_window(c), read_layers(c)
    kinds = layer_types(c, layers, lambda i: SLIDING if (layers - 1 - i) % 4 else FULL)
    slides, sparse = windowed(c, kinds, window), expert_layers(c, layers)
    dense_width(c, sparse)
    c.pass_by(NO_ROLE, "layer_rope_theta", "qk_scale_factor", "output_multiplier",
              "post_norm_eps", "residual_gate_temperature")  # fmt: skip
    made: dict[tuple[bool, bool], Layer] = {}
    for slide, moe in dict.fromkeys(zip(slides, sparse, strict=True)):
        ffn = network() if moe else gated()
        ffn += tuple(t for name in GATES for t in vector(name, "other", "d_model", leaf="gate"))
        mixer = attention(c, window if slide else "")
        name = f"{'sliding' if slide else 'full'} {'experts' if moe else 'dense'}"
        made[slide, moe] = decoder_layer(c.sheet, name, mixer, ffn, norms=NORMS)
    stack = [made[key] for key in zip(slides, sparse, strict=True)]
    return assemble(c, stack, naming=NAMING, tied=False)


def expert_layers(c: Config, layers: int) -> list[bool]:
    """A list of kinds, or experts everywhere."""
    if c.has("mlp_layer_types"):
        return [k == "sparse" for k in c.words("mlp_layer_types", ("dense", "sparse"), layers)]
    c.only("mlp_layer_types", None)
    note_rule(c, "mlp_layer_types")
    return [True] * layers


def attention(c: Config, window: str) -> Mixer:
    """A gate as wide as the queries; the norms on q and k have no scale."""
    whole = grouped_query(c.sheet, bias=c.flag("attention_bias"), window=window)
    gate = linear("self_attn.gate_proj", "d_model", "H_q * d_head", "attention")
    return Mixer((*whole.tensors, *gate), whole.cache)


def network() -> Tensors:
    """Experts between two projections, each side with a norm."""
    return (
        *router(),
        *correction(),
        *linear("mlp.pre_expert_proj", "d_model", "d_lat", "mlp"),
        *norm("mlp.pre_expert_norm", "d_lat"),
        *experts(hidden="d_lat"),
        *norm("mlp.experts.post_expert_norm", "d_lat"),
        *linear("mlp.post_expert_proj", "d_lat", "d_model", "mlp"),
    )


def build(c: Config) -> Model:
    """With towers for images and sound; the class has two tables."""
    inner = text_table(c, TEXT, "transformers 5.24.0, MuseSparkTextConfig")
    inner.only("model_type", "muse_spark_text")
    for one in (c, inner):
        one.only("tie_word_embeddings", False)
    model = text(inner)
    towers.see(c, inner, model)
    towers.hear(c, inner, model)
    return model


TEXT: dict[str, object] = {
    "vocab_size": 202048, "hidden_size": 8192, "intermediate_size": 16384,
    "num_hidden_layers": 62, "num_attention_heads": 128, "num_key_value_heads": 16,
    "head_dim": 64, "sliding_window": 2048, "moe_intermediate_size": 4096, "num_experts": 256,
    "num_experts_per_tok": 8, "moe_hidden_size": 4096, "attention_bias": False,
    "max_position_embeddings": 1048576,
}  # fmt: skip
FAMILIES = (
    Family(
        types=("muse_spark",),
        classes=("MuseSparkForConditionalGeneration",),
        source="transformers 5.24.0, MuseSparkConfig",
        build=build,
        defaults={"out_hidden_size": 6144, "projector_hidden_size": 4096},
    ),
)
