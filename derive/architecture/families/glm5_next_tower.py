"""The tower of GLM-5.3-Flash and GLM-OCR: rotated positions, norms on q and k, gated networks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.layers.decoder import NO_ROLE
from derive.architecture.layers.tower import (
    absent_tower,
    block,
    conv,
    dense,
    heads_divide,
    table,
    vision_table,
    whole_patch,
)
from derive.architecture.parts import layer, norm
from derive.text import tr

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.model import Model

GATE = tuple(f"mlp.{n}_proj" for n in ("gate", "up", "down"))
SIZES = (
    ("d_vit", "hidden_size"), ("d_out", "out_hidden_size"), ("d_vff", "intermediate_size"),
    ("c_in", "in_channels"), ("t", "temporal_patch_size"), ("s", "spatial_merge_size"),
    ("H_v", "num_heads"),
)  # fmt: skip


def tower(c: Config, inner: Config, model: Model, title: str, kind: str, merger: str = "") -> None:
    """Add the tower, whose output must be as wide as the text.

    `merger` is the field with the width of the last network; without one it is as many times the
    output as an image has channels.
    """
    v = vision_table(c, VISION, f"transformers 5.24.0, {title}VisionConfig")
    if v is None:
        model.absent.append(absent_tower())
        return
    v.only("model_type", kind)
    for symbol, name in SIZES:
        v.size(symbol, name)
    if merger:
        v.size("d_vp", merger)
    else:
        times = v.sheet["d_out"] * v.sheet["c_in"]
        v.sheet.let("d_vp", times, "out_hidden_size * in_channels")
    heads_divide(v, "num_heads")
    if v.sheet["d_out"] != inner.sheet["d_model"]:
        what = tr("{name} is {value}, which is not understood", name=v.where("out_hidden_size"),
                  value=v.sheet["d_out"])  # fmt: skip
        v.reject("out_hidden_size", what, code="M107")
    whole_patch(v)
    v.pass_by(NO_ROLE, "image_size")
    v.sheet.let("d_hv", v.sheet["d_vit"] // v.sheet["H_v"], "hidden_size / num_heads")
    bias = v.flag("attention_bias")
    depth = v.size("L_v", "depth", high=1024)
    start = conv("patch_embed.proj", "d_vit", "c_in", "t", "p", "p", bias=True)
    each = (
        *block(norms=("norm1", "norm2"), norm_bias=False, attention=("attn.qkv", "attn.proj"),
               attention_bias=bias, mlp=GATE, mlp_bias=bias),
        *table("attn.q_norm", "d_hv"), *table("attn.k_norm", "d_hv"),
    )  # fmt: skip
    last = (
        *norm("post_layernorm", "d_vit"),
        *conv("downsample", "d_out", "d_vit", "s", "s", bias=True),
        *dense("merger.proj", "d_out", "d_out", bias=False),
        *norm("merger.post_projection_norm", "d_out", bias=True),
        *dense("merger.gate_proj", "d_out", "d_vp", bias=False),
        *dense("merger.up_proj", "d_out", "d_vp", bias=False),
        *dense("merger.down_proj", "d_vp", "d_out", bias=False),
    )
    model.tower(layer(v.sheet, "vision input", start), 1, "visual.")
    model.tower(layer(v.sheet, "vision layer", each), depth, "visual.blocks.{i}.")
    model.tower(layer(v.sheet, "merger", last), 1, "visual.")


VISION: dict[str, object] = {
    "depth": 24, "hidden_size": 1024, "attention_bias": True, "num_heads": 16, "in_channels": 3,
    "patch_size": 14, "spatial_merge_size": 2, "temporal_patch_size": 2, "out_hidden_size": 1536,
    "intermediate_size": 4096, "projection_intermediate_size": 10240,
}  # fmt: skip
