"""EXAONE 4.5: EXAONE 4 with the tower of Qwen2.5-VL, whose key-value heads are fewer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.families.qwen_vl import VISION25, WINDOWS, read_vision
from derive.architecture.family import Family
from derive.architecture.layers.tower import absent_tower, conv, dense, vision_table
from derive.architecture.nested import text_model
from derive.architecture.parts import layer, norm
from derive.text import tr

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.model import Model


def build(c: Config) -> Model:
    """The first releases name the text part by a type of its own."""
    text = c.data.get("text_config")
    if isinstance(text, dict) and text.get("model_type") == "exaone4_5_text":
        c.data = {**c.data, "text_config": {**text, "model_type": "exaone4"}}
    inner, model = text_model(c, "exaone4", allowed=("exaone4",))
    further = inner.data.get("num_nextn_predict_layers")
    inner.used |= {"num_nextn_predict_layers", "mtp_layer_types"}
    if further:
        model.absent.append(tr("a layer for further tokens, named by the config, is not counted"))
    v = vision_table(c, {**VISION25, "num_key_value_heads": 8}, OWNER)
    if v is None:
        model.absent.append(absent_tower())
        return model
    v.only("model_type", "exaone4_5_vision")
    tower(model, v)
    if v.sheet["d_out"] != inner.sheet["d_model"]:
        what = tr("{name} is {value}, which is not understood", name=v.where("out_hidden_size"),
                  value=v.sheet["d_out"])  # fmt: skip
        v.reject("out_hidden_size", what, code="M107")
    return model


def tower(model: Model, v: Config) -> None:
    """Gated networks with biases, norms without a shift, grouped queries."""
    read_vision(v, "hidden_size", "out_hidden_size")
    v.size("d_vff", "intermediate_size")
    v.pass_by(WINDOWS, "window_size", "fullatt_block_indexes", "tokens_per_second")
    heads, width = v.sheet["H_v"], v.sheet["d_vit"]
    grouped = v.integer("num_key_value_heads")
    if width % heads or heads % grouped:
        v.reject("num_heads", tr("{name} does not divide the width", name="num_heads"), code="M107")
    v.sheet.let("d_hv", width // heads, f"{v.origin('hidden_size')} / {v.origin('num_heads')}")
    v.sheet.let("H_vkv", grouped, v.origin("num_key_value_heads"))
    depth = v.size("L_v", "depth", high=1024)
    start = conv("patch_embed.proj", "d_vit", "c_in", "t", "p", "p", bias=False)
    each = (
        *norm("norm1", "d_vit"), *norm("norm2", "d_vit"),
        *dense("attn.qkv", "d_vit", "(H_v + 2 * H_vkv) * d_hv"),
        *dense("attn.proj", "d_vit", "d_vit"),
        *dense("mlp.gate_proj", "d_vit", "d_vff"), *dense("mlp.up_proj", "d_vit", "d_vff"),
        *dense("mlp.down_proj", "d_vff", "d_vit"),
    )  # fmt: skip
    last = (
        *norm("merger.ln_q", "d_vit"),
        *dense("merger.mlp.0", "s * s * d_vit", "s * s * d_vit"),
        *dense("merger.mlp.2", "s * s * d_vit", "d_out"),
    )
    model.tower(layer(v.sheet, "vision input", start), 1, "model.visual.")
    model.tower(layer(v.sheet, "vision layer", each), depth, "model.visual.blocks.{i}.")
    model.tower(layer(v.sheet, "merger", last), 1, "model.visual.")


OWNER = "transformers 5.24.0, Exaone4_5_VisionConfig"
FAMILIES = (
    Family(
        types=("exaone4_5",),
        classes=("Exaone4_5_ForConditionalGeneration",),
        source="transformers 5.24.0, Exaone4_5_Config",
        build=build,
        defaults={"tie_word_embeddings": False},
    ),
)
