"""Kimi K2.5 and Kimi-VL: a language model of DeepSeek-V3's class with a MoonViT tower."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.families import deepseek
from derive.architecture.family import Family
from derive.architecture.layers.tower import (
    absent_tower,
    block,
    conv,
    dense,
    table,
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
    ("language_model.model.layers.{i}.", "model.layers.{i}.", "model.language_model.layers.{i}."),
    "language_model.model.embed_tokens",
    "language_model.model.norm",
    "language_model.lm_head",
)
RUN = Text("how images are cut and merged, not what is stored", "只影响图像如何切分与合并")
# how the library and how the release call a field
NAMES = {
    "d_vit": ("hidden_size", "vt_hidden_size"),
    "d_vff": ("intermediate_size", "vt_intermediate_size"),
    "L_v": ("num_hidden_layers", "vt_num_hidden_layers"),
    "h_p": ("pos_emb_height", "init_pos_emb_height"),
    "w_p": ("pos_emb_width", "init_pos_emb_width"),
}


def build(c: Config) -> Model:
    """With the tower, if the file describes it."""
    inner, model = language(c)
    c.pass_by(RUN, "ignore_index", "use_unified_vision_chunk", "video_placeholder",
              "projection_layer_norm_eps")  # fmt: skip
    v = vision_table(c, VISION, "transformers 5.24.0, Kimi_K25VisionConfig")
    if v is None:
        model.absent.append(absent_tower())
        return model
    v.only("mm_projector_type", "patchmerger")
    v.only("pos_emb_type", "divided_fixed")
    tower(model, v)
    v.only("text_hidden_size", inner.sheet["d_model"])
    v.only("mm_hidden_size", v.sheet["d_vit"])
    c.only("projection_hidden_size", v.sheet["d_vit"])
    projector(model, v, inner, ("proj.0", "proj.2"))
    return model


def kimi_vl(c: Config) -> Model:
    """Kimi-VL: the same tower for single images."""
    inner, model = language(c)
    c.pass_by(RUN, "ignore_index")
    v = vision_table(c, VISION, "moonshotai/Kimi-VL-A3B-Instruct, configuration_kimi_vl.py")
    if v is None:
        model.absent.append(absent_tower())
        return model
    v.only("model_type", "moonvit")
    tower(model, v)
    projector(model, v, inner, ("linear_1", "linear_2"))
    return model


def language(c: Config) -> tuple[Config, Model]:
    """The text model."""
    inner = text_table(c, deepseek.V3, "transformers 5.24.0, DeepseekV3Config")
    inner.only("model_type", "kimi_k2", "deepseek_v3")
    said = c if c.has("tie_word_embeddings") else None
    return inner, deepseek.stack(inner, bias=True, naming=NAMING, tied=read_tied(inner, said))


def projector(model: Model, v: Config, inner: Config, names: tuple[str, str]) -> None:
    """Patches side by side, through two layers."""
    v.sheet.let("d_model", inner.sheet["d_model"], inner.origin("hidden_size"))
    merged = "s * s * d_vit"
    tensors = (
        *norm("pre_norm", "d_vit", bias=True),
        *dense(names[0], merged, merged),
        *dense(names[1], merged, "d_model"),
    )
    model.tower(layer(v.sheet, "projector", tensors), 1, "mm_projector.")


def tower(model: Model, v: Config) -> None:
    """Layers with biases; a table of positions by height and width."""
    for symbol, names in NAMES.items():
        v.size(symbol, next((n for n in names if n in v.data), names[0]), high=65536)
    v.used |= {n for pair in NAMES.values() for n in pair}
    sides = v.integers("merge_kernel_size", 2, 1)
    if sides[0] != sides[1]:
        v.reject("merge_kernel_size", tr("{name} is not understood", name="merge_kernel_size"))
    v.sheet.let("s", sides[0], v.origin("merge_kernel_size"))
    whole_patch(v)
    v.pass_by(RUN, "init_pos_emb_time", "pos_emb_time", "merge_type", "video_attn_type",
              "vt_num_attention_heads", "num_attention_heads", "projector_ln_eps",
              "projector_hidden_act")  # fmt: skip
    start = (
        *conv("patch_embed.proj", "d_vit", "3", "p", "p", bias=True),
        *table("patch_embed.pos_emb", "h_p", "w_p", "d_vit"),
        *norm("encoder.final_layernorm", "d_vit", bias=True),
    )
    each = block(norms=("norm0", "norm1"), attention=("wqkv", "wo"), mlp=("mlp.fc0", "mlp.fc1"))
    model.tower(layer(v.sheet, "vision input", start), 1, "vision_tower.")
    at = "vision_tower.encoder.blocks.{i}."
    model.tower(layer(v.sheet, "vision layer", each), v.sheet["L_v"], at)


VISION: dict[str, object] = {
    "hidden_size": 1152,
    "intermediate_size": 4304,
    "num_hidden_layers": 27,
    "pos_emb_height": 64,
    "pos_emb_width": 64,
    "patch_size": 14,
    "merge_kernel_size": [2, 2],
}

FAMILIES = (
    Family(
        types=("kimi_k25",),
        classes=("KimiK25ForConditionalGeneration", "Kimi_K25ForConditionalGeneration"),
        source="transformers 5.24.0, Kimi_K25Config",
        build=build,
        defaults={"tie_word_embeddings": False},
    ),
    Family(
        types=("kimi_vl",),
        classes=("KimiVLForConditionalGeneration",),
        source="moonshotai/Kimi-VL-A3B-Instruct, configuration_kimi_vl.py",
        build=kimi_vl,
        defaults={"tie_word_embeddings": False},
    ),
)
