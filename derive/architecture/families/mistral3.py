"""Mistral Small 3.1 and Ministral 3 with a Pixtral tower."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.families import mistral
from derive.architecture.family import Family
from derive.architecture.layers.tower import (
    absent_tower,
    block,
    conv,
    dense,
    text_table,
    vision_table,
    whole_patch,
)
from derive.architecture.model import Naming, read_tied
from derive.architecture.parts import layer, norm
from derive.text import Text, tr

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.model import Model

NAMING = Naming(
    ("language_model.model.layers.{i}.", "model.language_model.layers.{i}."),
    "language_model.model.embed_tokens",
    "language_model.model.norm",
    "language_model.lm_head",
)
TOWER = tuple(f"attention.{n}_proj" for n in "qkvo")
GATE = tuple(f"feed_forward.{n}_proj" for n in ("gate", "up", "down"))
SIZE = Text("largest image, for positions without weights", "最大图像尺寸，位置编码没有权重")


def build(c: Config) -> Model:
    """The text model is Mistral's or Ministral's; where nothing is said the tables are two."""
    inner = text_table(c, mistral.DEFAULTS, "transformers 5.24.0, MistralConfig")
    kind = inner.data.get("model_type")
    inner.only("model_type", "mistral", "ministral3")
    if kind == "ministral3":
        inner.defaults, inner.owner = (
            dict(mistral.MINISTRAL3),
            "transformers 5.24.0, Ministral3Config",
        )
    said = c if c.has("tie_word_embeddings") else None
    model = mistral.build(inner, NAMING, read_tied(inner, said))
    c.only("vision_feature_layer", -1)
    v = vision_table(c, VISION, "transformers 5.24.0, PixtralVisionConfig")
    merge = c.integer("spatial_merge_size")
    bias = c.flag("multimodal_projector_bias")
    c.used.add("projector_hidden_act")
    if v is None:
        model.absent.append(absent_tower())
        return model
    v.only("model_type", "pixtral")
    for symbol, name in (("d_vit", "hidden_size"), ("d_vff", "intermediate_size"),
                         ("c_in", "num_channels"), ("H_v", "num_attention_heads")):  # fmt: skip
        v.size(symbol, name)
    whole_patch(v)
    if (
        v.data.get("head_dim") is not None
        and v.integer("head_dim") * v.sheet["H_v"] != v.sheet["d_vit"]
    ):
        v.reject("head_dim", tr("heads and head size do not make the width of the tower"))
    v.only("head_dim", v.data.get("head_dim"))
    v.pass_by(SIZE, "image_size", "vocab_size")
    start = (
        *conv("patch_conv", "d_vit", "c_in", "p", "p", bias=False),
        *norm("ln_pre", "d_vit"),
    )
    each = block(norms=("attention_norm", "ffn_norm"), norm_bias=False, attention=TOWER,
                 attention_bias=False, mlp=GATE, mlp_bias=False)  # fmt: skip
    depth = v.size("L_v", "num_hidden_layers", high=1024)
    model.tower(layer(v.sheet, "vision input", start), 1, "vision_tower.")
    at = "vision_tower.transformer.layers.{i}."
    model.tower(layer(v.sheet, "vision layer", each), depth, at)
    v.sheet.let("s", merge, c.origin("spatial_merge_size"))
    v.sheet.let("d_model", inner.sheet["d_model"], inner.origin("hidden_size"))
    projector = (
        *norm("norm", "d_vit"),
        *dense("patch_merger.merging_layer", "s * s * d_vit", "d_vit", bias=False),
        *dense("linear_1", "d_vit", "d_model", bias=bias),
        *dense("linear_2", "d_model", "d_model", bias=bias),
    )
    model.tower(layer(v.sheet, "projector", projector), 1, "multi_modal_projector.")
    return model


VISION: dict[str, object] = {
    "hidden_size": 1024,
    "intermediate_size": 4096,
    "num_hidden_layers": 24,
    "num_attention_heads": 16,
    "num_channels": 3,
    "patch_size": 16,
}

FAMILIES = (
    Family(
        types=("mistral3",),
        classes=("Mistral3ForConditionalGeneration",),
        source="transformers 5.24.0, Mistral3Config",
        build=build,
        defaults={
            "tie_word_embeddings": False,
            "spatial_merge_size": 2,
            "multimodal_projector_bias": False,
        },
    ),
)
