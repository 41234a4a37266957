"""GLM-4.1V, 4.5V and 4.6V: a tower with gated layers that halves the grid of patches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.families import glm, glm_moe
from derive.architecture.family import Family
from derive.architecture.layers.tower import (
    absent_tower,
    block,
    conv,
    dense,
    heads_divide,
    patches,
    table,
    vision_table,
)
from derive.architecture.nested import text_model
from derive.architecture.parts import layer, norm
from derive.text import tr

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.model import Model

GATE = tuple(f"mlp.{n}_proj" for n in ("gate", "up", "down"))


def text(c: Config) -> Model:
    """GLM-4-0414 with biases on q, k, v and heads that share the width, whatever is said."""
    c.only("attention_bias", True)
    c.only("head_dim", c.integer("hidden_size") // c.integer("num_attention_heads"))
    c.data = {n: v for n, v in c.data.items() if n not in ("attention_bias", "head_dim")}
    return glm.glm4(c)


def moe_text(c: Config) -> Model:
    """GLM-4.5 without norms on q and k."""
    c.only("use_qk_norm", False)
    return glm_moe.glm4_moe(c)


def dense_model(c: Config) -> Model:
    """GLM-4.1V-9B and 4.6V-Flash."""
    return seeing(c, "glm4v_text")


def moe_model(c: Config) -> Model:
    """GLM-4.5V and 4.6V."""
    return seeing(c, "glm4v_moe_text")


def seeing(c: Config, default: str) -> Model:
    """The text model and the tower."""
    inner, model = text_model(c, default, allowed=(default,))
    v = vision_table(c, VISION, "transformers 5.24.0, Glm4vVisionConfig")
    if v is None:
        model.absent.append(absent_tower())
        return model
    v.only("model_type", "glm4v_vision", "glm4v_moe_vision", "glm4v", "glm4v_moe")
    tower(model, v)
    if v.sheet["d_out"] != inner.sheet["d_model"]:
        what = tr("{name} is {value}, which is not understood", name=v.where("out_hidden_size"),
                  value=v.sheet["d_out"])  # fmt: skip
        v.reject("out_hidden_size", what, code="M107")
    return model


def tower(model: Model, v: Config) -> None:
    """The layers' networks have the width of the output, the merger's that of the text's."""
    for symbol, name in (
        ("d_vit", "hidden_size"), ("d_out", "out_hidden_size"), ("d_vff", "intermediate_size"),
        ("c_in", "in_channels"), ("t", "temporal_patch_size"), ("s", "spatial_merge_size"),
        ("H_v", "num_heads"),
    ):  # fmt: skip
        v.size(symbol, name)
    heads_divide(v, "num_heads")
    patches(v)
    depth = v.size("L_v", "depth", high=1024)
    start = (
        *conv("patch_embed.proj", "d_vit", "c_in", "t", "p", "p", bias=True),
        *table("embeddings.position_embedding", "n_p", "d_vit"),
        *norm("post_conv_layernorm", "d_vit"),
    )
    each = block(norms=("norm1", "norm2"), norm_bias=False, attention=("attn.qkv", "attn.proj"),
                 attention_bias=v.flag("attention_bias"), out_bias=False, mlp=GATE,
                 mlp_bias=False, width="d_out")  # fmt: skip
    last = (
        *norm("post_layernorm", "d_vit"),
        *conv("downsample", "d_out", "d_vit", "s", "s", bias=True),
        *dense("merger.proj", "d_out", "d_out", bias=False),
        *norm("merger.post_projection_norm", "d_out", bias=True),
        *dense("merger.gate_proj", "d_out", "d_vff", bias=False),
        *dense("merger.up_proj", "d_out", "d_vff", bias=False),
        *dense("merger.down_proj", "d_vff", "d_out", bias=False),
    )
    model.tower(layer(v.sheet, "vision input", start), 1, "visual.")
    model.tower(layer(v.sheet, "vision layer", each), depth, "visual.blocks.{i}.")
    model.tower(layer(v.sheet, "merger", last), 1, "visual.")


VISION: dict[str, object] = {
    "depth": 24,
    "hidden_size": 1536,
    "attention_bias": False,
    "num_heads": 12,
    "in_channels": 3,
    "image_size": 336,
    "patch_size": 14,
    "spatial_merge_size": 2,
    "temporal_patch_size": 2,
    "out_hidden_size": 4096,
    "intermediate_size": 13696,
}
TEXT: dict[str, object] = {
    **glm.DEFAULTS,
    "vocab_size": 151552,
    "hidden_size": 4096,
    "intermediate_size": 13696,
    "num_hidden_layers": 40,
    "num_attention_heads": 32,
    "head_dim": None,
    "max_position_embeddings": 32768,
}
MOE: dict[str, object] = {
    **glm_moe.DEFAULTS,
    "vocab_size": 151424,
    "hidden_size": 4096,
    "intermediate_size": 10944,
    "num_hidden_layers": 46,
    "num_attention_heads": 96,
    "moe_intermediate_size": 1408,
    "num_experts": 128,
    "num_experts_per_tok": 8,
    "attention_bias": True,
    "max_position_embeddings": 65536,
}
OUTER: dict[str, object] = {"tie_word_embeddings": False}


def source(name: str) -> str:
    """The class whose defaults are taken."""
    return f"transformers 5.24.0, {name}Config"


FAMILIES = (
    Family(("glm4v_text",), ("Glm4vTextModel",), source("Glm4vText"), text, TEXT),
    Family(("glm4v_moe_text",), ("Glm4vMoeTextModel",), source("Glm4vMoeText"), moe_text, MOE),
    Family(
        ("glm4v", "glm46v"),
        ("Glm4vForConditionalGeneration", "Glm46VForConditionalGeneration"),
        source("Glm4v"),
        dense_model,
        OUTER,
    ),
    Family(
        ("glm4v_moe",),
        ("Glm4vMoeForConditionalGeneration",),
        source("Glm4vMoe"),
        moe_model,
        OUTER,
    ),
)
