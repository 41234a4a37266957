"""Gemma 3: norms on q and k, five layers with a window to one without; the larger ones see."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.families.gemma import GEMMA2
from derive.architecture.family import Family
from derive.architecture.layers.attention import grouped_query, read_heads
from derive.architecture.layers.decoder import FOUR_NORMS, decoder_layer, sliding_layers
from derive.architecture.layers.ffn import gated
from derive.architecture.layers.tower import (
    absent_tower,
    block,
    conv,
    patches,
    table,
    text_table,
    vision_table,
)
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
SIGLIP = ("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj", "self_attn.out_proj")


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
    c.used.add("mm_tokens_per_image")
    v = vision_table(c, VISION, "transformers 5.24.0, SiglipVisionConfig")
    if v is None:
        model.absent.append(absent_tower())
        return model
    siglip(model, v)
    v.sheet.let("d_model", inner.sheet["d_model"], inner.origin("hidden_size"))
    projector = (
        *table("mm_input_projection_weight", "d_vit", "d_model", leaf=""),
        *norm("mm_soft_emb_norm", "d_vit"),
    )
    model.tower(layer(v.sheet, "projector", projector), 1, "multi_modal_projector.")
    return model


def siglip(model: Model, v: Config) -> None:
    """SigLIP without the pooling head."""
    v.only("model_type", "siglip_vision_model", "siglip")
    v.only("vision_use_head", False)
    v.size("d_vit", "hidden_size")
    v.size("d_vff", "intermediate_size")
    v.size("c_in", "num_channels")
    v.integer("num_attention_heads")
    patches(v)
    start = (
        *conv("embeddings.patch_embedding", "d_vit", "c_in", "p", "p", bias=True),
        *table("embeddings.position_embedding", "n_p", "d_vit"),
    )
    each = block(norms=("layer_norm1", "layer_norm2"), attention=SIGLIP, mlp=("mlp.fc1", "mlp.fc2"))
    at = "vision_tower.vision_model."
    model.tower(layer(v.sheet, "vision input", start), 1, at)
    depth = v.size("L_v", "num_hidden_layers", high=1024)
    model.tower(layer(v.sheet, "vision layer", each), depth, f"{at}encoder.layers.{{i}}.")
    model.tower(layer(v.sheet, "vision norm", norm("post_layernorm", "d_vit", bias=True)), 1, at)


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
VISION: dict[str, object] = {
    "hidden_size": 768,
    "intermediate_size": 3072,
    "num_hidden_layers": 12,
    "num_attention_heads": 12,
    "num_channels": 3,
    "image_size": 224,
    "patch_size": 16,
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
