"""Gemma 3: norms on q and k, five layers with a window to one without; the larger ones see."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.families.gemma import GEMMA2
from derive.architecture.family import Family
from derive.architecture.layers.attention import grouped_query, read_heads
from derive.architecture.layers.decoder import FOUR_NORMS, NO_ROLE, decoder_layer, sliding_layers
from derive.architecture.layers.encoders import encoder
from derive.architecture.layers.ffn import gated
from derive.architecture.layers.tower import table, text_table
from derive.architecture.model import Naming, assemble, read_outer, read_tied
from derive.architecture.parts import layer, norm

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.model import Model
    from derive.architecture.parts import Layer

NAMING = Naming(
    ("model.language_model.layers.{i}.", "language_model.model.layers.{i}."),
    "model.language_model.embed_tokens",
    "model.language_model.norm",
)


def text(c: Config, naming: Naming | None = None, tied: bool | None = None) -> Model:
    """The language model."""
    read_outer(c)
    read_heads(c)
    c.size("d_ff", "intermediate_size")
    bias, pattern = c.flag("attention_bias"), c.integer("sliding_window_pattern")
    c.used.add("_sliding_window_pattern")

    def make(name: str, window: str) -> Layer:
        mixer = grouped_query(c.sheet, bias=bias, qk_norm="head", window=window)
        return decoder_layer(c.sheet, name, mixer, gated(), norms=FOUR_NORMS)

    layers = sliding_layers(c, lambda i: (i + 1) % pattern != 0, make)
    return assemble(c, layers, naming=naming, tied=tied)


def gemma3(c: Config) -> Model:
    """With the tower, if the file describes it."""
    inner = text_table(c, TEXT, "transformers 5.24.0, Gemma3TextConfig")
    inner.only("model_type", "gemma3_text")
    model = text(inner, NAMING, read_tied(inner, c))
    c.pass_by(NO_ROLE, "mm_tokens_per_image")
    v = encoder(c, model, "siglip_vision_model")
    if v is None:
        return model
    v.sheet.let("d_model", inner.sheet["d_model"], inner.origin("hidden_size"))
    projector = (
        *table("mm_input_projection_weight", "d_vit", "d_model", leaf=""),
        *norm("mm_soft_emb_norm", "d_vit"),
    )
    model.tower(layer(v.sheet, "projector", projector), 1, "multi_modal_projector.")
    return model


TEXT: dict[str, object] = {
    **GEMMA2,
    "vocab_size": 262208,
    "hidden_size": 2304,
    "intermediate_size": 9216,
    "num_hidden_layers": 26,
    "num_attention_heads": 8,
    "sliding_window_pattern": 6,
    "max_position_embeddings": 131072,
}
FAMILIES = (
    Family(
        ("gemma3_text",),
        ("Gemma3ForCausalLM",),
        "transformers 5.24.0, Gemma3TextConfig",
        text,
        TEXT,
    ),
    Family(
        ("gemma3",),
        ("Gemma3ForConditionalGeneration",),
        "transformers 5.24.0, Gemma3Config",
        gemma3,
        {"tie_word_embeddings": True},
    ),
)
