"""Mistral Small 3.1 and Ministral 3 with a Pixtral tower."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.families import deepseek_kin, mistral
from derive.architecture.family import Family
from derive.architecture.layers.decoder import NO_ROLE
from derive.architecture.layers.encoders import encoder
from derive.architecture.layers.tower import dense, text_table
from derive.architecture.model import Naming, read_tied
from derive.architecture.parts import layer, norm

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.model import Model

NAMING = Naming(
    ("language_model.model.layers.{i}.", "model.language_model.layers.{i}."),
    "language_model.model.embed_tokens",
    "language_model.model.norm",
    "language_model.lm_head",
)
TEXTS = {
    "mistral": (mistral.build, mistral.DEFAULTS, "MistralConfig"),
    "ministral3": (mistral.build, mistral.MINISTRAL3, "Ministral3Config"),
    "mistral4": (deepseek_kin.mistral4, deepseek_kin.MISTRAL4, "Mistral4Config"),
}


def build(c: Config) -> Model:
    """The text model is a Mistral of some version; where nothing is said the tables are two."""
    inner = text_table(c, mistral.DEFAULTS, "transformers 5.24.0, MistralConfig")
    inner.only("model_type", *TEXTS)
    kind = inner.data.get("model_type") or "mistral"
    make, defaults, owner = TEXTS[str(kind)]
    inner.defaults, inner.owner = dict(defaults), f"transformers 5.24.0, {owner}"
    said = c if c.has("tie_word_embeddings") else None
    return seeing(c, inner, make(inner, NAMING, read_tied(inner, said)))


def seeing(c: Config, inner: Config, model: Model) -> Model:
    """The model with its tower and projector, if the file describes them."""
    c.only("vision_feature_layer", -1)
    merge = c.integer("spatial_merge_size")
    bias = c.flag("multimodal_projector_bias")
    c.pass_by(NO_ROLE, "projector_hidden_act")
    v = encoder(c, model, "pixtral")
    if v is None:
        return model
    v.only("model_type", "pixtral")
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
