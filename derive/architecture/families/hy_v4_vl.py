"""Hy4 that sees: the layers of Hy4 under a tower with a table of positions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.families import hy_v4
from derive.architecture.family import Family
from derive.architecture.layers.decoder import NO_ROLE
from derive.architecture.layers.tower import (
    absent_tower,
    block,
    conv,
    dense,
    heads_divide,
    table,
    vision_table,
)
from derive.architecture.nested import text_model
from derive.architecture.parts import layer, norm
from derive.text import tr

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.model import Model

ATTENTION = tuple(f"self_attn.{n}_proj" for n in "qkvo")
SIZES = (
    ("d_vit", "hidden_size"), ("d_vff", "intermediate_size"), ("H_v", "num_attention_heads"),
    ("c_in", "num_channels"), ("p", "patch_size"), ("s", "spatial_merge_size"),
    ("d_out", "out_hidden_size"),
)  # fmt: skip


def build(c: Config) -> Model:
    """The text model and the tower."""
    inner, model = text_model(c, "hy_v4_vl_text", allowed=("hy_v4_vl_text",))
    v = vision_table(c, VISION, "transformers 5.24.0, HYV4VLVisionConfig")
    if v is None:
        model.absent.append(absent_tower())
        return model
    v.only("model_type", "hy_v4_vl_vision")
    for symbol, name in SIZES:
        v.size(symbol, name)
    heads_divide(v, "num_attention_heads")
    v.only("num_key_value_heads", v.sheet["H_v"])
    v.pass_by(NO_ROLE, "interpolate_mode")
    if v.sheet["d_out"] != inner.sheet["d_model"]:
        what = tr("{name} is {value}, which is not understood", name=v.where("out_hidden_size"),
                  value=v.sheet["d_out"])  # fmt: skip
        v.reject("out_hidden_size", what, code="M107")
    count = (v.integer("max_image_size") // v.sheet["p"]) ** 2
    v.sheet.let("n_p", count, f"({v.origin('max_image_size')} / {v.origin('patch_size')})^2")
    start = (
        *conv("embeddings.patch_embedding", "d_vit", "c_in", "p", "p", bias=True),
        *table("embeddings.position_embedding", "n_p + 1", "d_vit"),
    )
    each = block(norms=("layer_norm1", "layer_norm2"), attention=ATTENTION,
                 mlp=("mlp.fc1", "mlp.fc2"))  # fmt: skip
    last = (
        *norm("before_rms", "d_vit"),
        *conv("proj_conv", "s * s * d_vit", "d_vit", "s", "s", bias=True),
        *dense("proj_out", "s * s * d_vit", "d_out"),
        *table("image_newline", "d_out", leaf=""),
    )
    depth, at = v.size("L_v", "num_hidden_layers", high=1024), "model.vision_tower."
    model.tower(layer(v.sheet, "vision input", start), 1, at)
    model.tower(layer(v.sheet, "vision layer", each), depth, f"{at}layers.{{i}}.")
    model.tower(layer(v.sheet, "merger", last), 1, f"{at}patch_merger.")
    return model


VISION: dict[str, object] = {
    "hidden_size": 1536, "intermediate_size": 6144, "num_attention_heads": 16,
    "num_channels": 3, "num_hidden_layers": 40, "out_hidden_size": 6144, "patch_size": 16,
    "spatial_merge_size": 2, "max_image_size": 2048,
}  # fmt: skip
FAMILIES = (
    Family(
        types=("hy_v4_vl_text",),
        classes=("HYV4VLTextModel",),
        source="transformers 5.24.0, HYV4VLTextConfig",
        build=hy_v4.build,
        defaults={
            **hy_v4.DEFAULTS, "vocab_size": 120832, "hidden_size": 6144,
            "intermediate_size": 18432, "moe_intermediate_size": 2048, "num_hidden_layers": 78,
            "num_attention_heads": 64, "num_experts": 256, "num_experts_per_tok": 8,
            "q_lora_rank": 2048, "index_n_heads": 32,
        },
    ),
    Family(
        types=("hy_v4_vl",),
        classes=("HYV4VLForConditionalGeneration",),
        source="transformers 5.24.0, HYV4VLConfig",
        build=build,
        defaults={"tie_word_embeddings": False},
    ),
)  # fmt: skip
