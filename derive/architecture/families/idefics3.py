"""Idefics 3, SmolVLM and LFM2-VL: SigLIP, patches side by side, one or two matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.family import Family
from derive.architecture.layers.encoders import NAMES, pooling_head, read_sizes
from derive.architecture.layers.tower import (
    absent_tower,
    block,
    conv,
    dense,
    patches,
    table,
    vision_table,
    whole_patch,
)
from derive.architecture.nested import text_model
from derive.architecture.parts import layer, norm
from derive.text import Text

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.model import Model

RUN = Text("how images are cut, not what is stored", "只影响图像如何切分，不影响存储")
AGAIN = Text("said again by the text part", "文本部分已给出")


def idefics3(c: Config) -> Model:
    """One matrix without a bias."""
    inner, model = text_model(c, "llama")
    side = c.integer("scale_factor")
    c.pass_by(AGAIN, "vocab_size", "pixel_shuffle_factor")
    v = vision_table(c, VISION, "transformers 5.24.0, Idefics3VisionConfig")
    if v is None:
        model.absent.append(absent_tower())
        return model
    v.only("model_type", "idefics3", "idefics3_vision", "smolvlm_vision", "siglip_vision_model")
    v.pass_by(RUN, "size", "max_image_size", "tie_word_embeddings", "use_base_siglip")
    patches(v)
    tower(model, v, "n_p", patch=None)
    v.sheet.let("s", side, c.origin("scale_factor"))
    v.sheet.let("d_model", inner.sheet["d_model"], inner.origin("hidden_size"))
    last = dense("modality_projection.proj", "s * s * d_vit", "d_model", bias=False)
    model.tower(layer(v.sheet, "connector", last), 1, "model.connector.")
    return model


def lfm2_vl(c: Config) -> Model:
    """SigLIP 2, whose patches come as rows; two layers, a norm before by switch."""
    if c.data.get("tie_embedding") is None:
        c.used.add("tie_embedding")
    inner, model = text_model(c, "lfm2", allowed=("lfm2", "lfm2_moe"))
    c.pass_by(RUN, "do_image_splitting", "encoder_patch_size", "max_image_tokens",
              "max_num_patches", "max_pixels_tolerance", "max_tiles", "min_image_tokens",
              "min_tiles", "tile_size", "use_image_special_tokens", "use_thumbnail",
              "vision_feature_layer", "projector_hidden_act")  # fmt: skip
    side = c.integer("downsample_factor")
    c.size("d_pj", "projector_hidden_size")
    bias, first = c.flag("projector_bias"), c.flag("projector_use_layernorm")
    v = vision_table(c, SIGLIP2, "transformers 5.24.0, Siglip2VisionConfig")
    if v is None:
        model.absent.append(absent_tower())
        return model
    v.only("model_type", "siglip2_vision_model")
    head = v.flag("vision_use_head")
    v.size("n_p", "num_patches")
    whole_patch(v)
    tower(model, v, "n_p", patch="c_in * p * p")
    if head:
        pooling_head(model, v, "model.vision_model.")
    v.sheet.let("s", side, c.origin("downsample_factor"))
    v.sheet.let("d_pj", c.sheet["d_pj"], c.origin("projector_hidden_size"))
    v.sheet.let("d_model", inner.sheet["d_model"], inner.origin("hidden_size"))
    last = (
        *(norm("layer_norm", "s * s * d_vit", bias=True) if first else ()),
        *dense("linear_1", "s * s * d_vit", "d_pj", bias=bias),
        *dense("linear_2", "d_pj", "d_model", bias=bias),
    )
    model.tower(layer(v.sheet, "projector", last), 1, "model.multi_modal_projector.")
    return model


def tower(model: Model, v: Config, rows: str, *, patch: str | None) -> None:
    """SigLIP; `patch` is the width of a patch as a row, None where a convolution cuts it."""
    read_sizes(v)
    depth = v.size("L_v", "num_hidden_layers", high=1024)
    name = "embeddings.patch_embedding"
    start = (
        *(dense(name, patch, "d_vit") if patch
          else conv(name, "d_vit", "c_in", "p", "p", bias=True)),
        *table("embeddings.position_embedding", rows, "d_vit"),
        *norm("post_layernorm", "d_vit", bias=True),
    )  # fmt: skip
    each = block(norms=("layer_norm1", "layer_norm2"), attention=NAMES, mlp=("mlp.fc1", "mlp.fc2"))
    model.tower(layer(v.sheet, "vision input", start), 1, "model.vision_model.")
    at = "model.vision_model.encoder.layers.{i}."
    model.tower(layer(v.sheet, "vision layer", each), depth, at)


VISION: dict[str, object] = {
    "hidden_size": 1152,
    "intermediate_size": 3072,
    "num_hidden_layers": 12,
    "num_attention_heads": 16,
    "num_channels": 3,
    "image_size": 224,
    "patch_size": 32,
}
SIGLIP2: dict[str, object] = {
    "hidden_size": 768,
    "intermediate_size": 3072,
    "num_hidden_layers": 12,
    "num_attention_heads": 12,
    "num_channels": 3,
    "num_patches": 256,
    "patch_size": 16,
    "vision_use_head": True,
}
OUTER: dict[str, object] = {"tie_word_embeddings": False, "scale_factor": 2}

FAMILIES = (
    Family(
        ("idefics3",),
        ("Idefics3ForConditionalGeneration",),
        "transformers 5.24.0, Idefics3Config",
        idefics3,
        OUTER,
    ),
    Family(
        ("smolvlm",),
        ("SmolVLMForConditionalGeneration",),
        "transformers 5.24.0, SmolVLMConfig",
        idefics3,
        OUTER,
    ),
    Family(
        ("lfm2_vl",),
        ("Lfm2VlForConditionalGeneration",),
        "transformers 5.24.0, Lfm2VlConfig",
        lfm2_vl,
        {
            "tie_word_embeddings": True,
            "projector_hidden_size": 2560,
            "projector_bias": True,
            "projector_use_layernorm": True,
            "downsample_factor": 2,
        },
    ),
)
