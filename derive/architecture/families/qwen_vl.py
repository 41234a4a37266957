"""Qwen models that see: 2-VL, 2.5-VL, 3-VL and 3.5."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.families import qwen2, qwen3_next, qwen_moe
from derive.architecture.family import Family
from derive.architecture.layers.tower import (
    TEXT_NAMES,
    absent_tower,
    block,
    conv,
    dense,
    table,
    text_table,
    vision_table,
)
from derive.architecture.model import Naming, read_tied
from derive.architecture.parts import layer, norm
from derive.text import Text, tr

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.model import Model
    from derive.architecture.parts import Tensors

NAMING = Naming(
    ("model.language_model.layers.{i}.", "model.layers.{i}.", "language_model.model.layers.{i}."),
    "model.language_model.embed_tokens",
    "model.language_model.norm",
)
BLOCK_NORMS, BLOCK_ATTENTION = ("norm1", "norm2"), ("attn.qkv", "attn.proj")
WINDOWS = Text("which layers of the tower look at windows", "视觉塔中哪些层使用窗口")


def read_vision(v: Config, width: str, out: str) -> None:
    """Sizes that all of these towers have."""
    for symbol, name in (
        ("d_vit", width), ("d_out", out), ("p", "patch_size"), ("t", "temporal_patch_size"),
        ("s", "spatial_merge_size"), ("c_in", "in_channels"),
    ):  # fmt: skip
        v.size(symbol, name)
    v.only("in_chans", v.sheet["c_in"])  # what older files call it, and the class passes over
    v.size("H_v", "num_heads")


def merger(at: str, *, names: tuple[str, str], wide: bool = False) -> Tensors:
    """S x s patches side by side, through two layers."""
    across = "s * s * d_vit"
    return (
        *norm(f"{at}norm", across if wide else "d_vit", bias=True),
        *dense(f"{at}{names[0]}", across, across),
        *dense(f"{at}{names[1]}", across, "d_out"),
    )


def vision2(model: Model, c: Config) -> None:
    """The tower of Qwen2-VL."""
    v = vision_table(c, VISION2, "transformers 5.24.0, Qwen2VLVisionConfig")
    if v is None:
        model.absent.append(absent_tower())
        return
    read_vision(v, "embed_dim", "hidden_size")
    v.only("spatial_patch_size", v.sheet["p"])
    v.sheet.let("d_vff", v.integer("mlp_ratio", 1, 64) * v.sheet["d_vit"],
                f"{v.origin('mlp_ratio')} * {v.origin('embed_dim')}")  # fmt: skip
    start = conv("patch_embed.proj", "d_vit", "c_in", "t", "p", "p", bias=False)
    each = block(norms=BLOCK_NORMS, attention=BLOCK_ATTENTION, mlp=("mlp.fc1", "mlp.fc2"))
    add(model, v, start, each, merger("merger.", names=("mlp.0", "mlp.2")))


def vision25(model: Model, c: Config) -> None:
    """The tower of Qwen2.5-VL: a gated network, norms without shift."""
    v = vision_table(c, VISION25, "transformers 5.24.0, Qwen2_5_VLVisionConfig")
    if v is None:
        model.absent.append(absent_tower())
        return
    read_vision(v, "hidden_size", "out_hidden_size")
    v.only("spatial_patch_size", v.sheet["p"])
    v.size("d_vff", "intermediate_size")
    v.pass_by(WINDOWS, "window_size", "fullatt_block_indexes", "tokens_per_second")
    start = conv("patch_embed.proj", "d_vit", "c_in", "t", "p", "p", bias=False)
    gate = ("mlp.gate_proj", "mlp.up_proj", "mlp.down_proj")
    each = block(norms=BLOCK_NORMS, attention=BLOCK_ATTENTION, mlp=gate, norm_bias=False)
    last = (
        *norm("merger.ln_q", "d_vit"),
        *dense("merger.mlp.0", "s * s * d_vit", "s * s * d_vit"),
        *dense("merger.mlp.2", "s * s * d_vit", "d_out"),
    )
    add(model, v, start, each, last)


def vision3(model: Model, c: Config, *, deep: bool) -> None:
    """The tower of Qwen3-VL, from some of whose layers a merger of its own leads on; of 3.5."""
    c.only("language_model_only", False)
    v = vision_table(c, VISION3, "transformers 5.24.0, Qwen3VLVisionConfig")
    if v is None:
        model.absent.append(absent_tower())
        return
    read_vision(v, "hidden_size", "out_hidden_size")
    v.size("d_vff", "intermediate_size")
    v.size("n_p", "num_position_embeddings")
    start = (
        *conv("patch_embed.proj", "d_vit", "c_in", "t", "p", "p", bias=True),
        *table("pos_embed", "n_p", "d_vit"),
    )
    each = block(
        norms=BLOCK_NORMS, attention=BLOCK_ATTENTION, mlp=("mlp.linear_fc1", "mlp.linear_fc2")
    )
    names = ("linear_fc1", "linear_fc2")
    add(model, v, start, each, merger("merger.", names=names))
    if not deep:
        v.only("deepstack_visual_indexes", [])
        return
    count = len(v.integers("deepstack_visual_indexes", None, 0, v.integer("depth")))
    if count:
        one = layer(v.sheet, "deepstack merger", merger("", names=names, wide=True))
        model.tower(one, count, "visual.deepstack_merger_list.{i}.")


def add(model: Model, v: Config, start: Tensors, each: Tensors, last: Tensors) -> None:
    """Patch embedding, layers, merger."""
    depth = v.size("L_v", "depth", high=1024)
    if v.sheet["d_vit"] % v.sheet["H_v"]:
        v.reject("num_heads", tr("{name} does not divide the width", name="num_heads"), code="M107")
    model.tower(layer(v.sheet, "vision input", start), 1, "visual.")
    model.tower(layer(v.sheet, "vision layer", each), depth, "visual.blocks.{i}.")
    model.tower(layer(v.sheet, "vision merger", last), 1, "visual.")


def flat(c: Config, owner: str, defaults: dict[str, object]) -> tuple[Config, Config | None]:
    """The text config: nested, or the file itself."""
    if any(c.data.get(n) is not None for n in TEXT_NAMES):
        return text_table(c, defaults, owner), c
    return c, None


def qwen2_vl(c: Config) -> Model:
    """Qwen2-VL."""
    text, outer = flat(c, "transformers 5.24.0, Qwen2VLTextConfig", TEXT2)
    model = qwen2.stack(text, bias=True, o_bias=False, head_dim="", naming=NAMING,
                        tied=read_tied(text, outer))  # fmt: skip
    vision2(model, c)
    return model


def qwen25_vl(c: Config) -> Model:
    """Qwen2.5-VL."""
    text, outer = flat(c, "transformers 5.24.0, Qwen2_5_VLTextConfig", TEXT2)
    model = qwen2.stack(text, bias=True, o_bias=False, head_dim="", naming=NAMING,
                        tied=read_tied(text, outer))  # fmt: skip
    vision25(model, c)
    return model


def qwen3_vl(c: Config) -> Model:
    """Qwen3-VL, dense."""
    text = text_table(c, TEXT3, "transformers 5.24.0, Qwen3VLTextConfig")
    bias = text.flag("attention_bias")
    model = qwen2.stack(text, bias=bias, o_bias=bias, qk_norm="head", head_dim="head_dim",
                        naming=NAMING, tied=read_tied(text, c))  # fmt: skip
    vision3(model, c, deep=True)
    return model


def qwen3_vl_moe(c: Config) -> Model:
    """Qwen3-VL with experts."""
    text = text_table(c, MOE3, "transformers 5.24.0, Qwen3VLMoeTextConfig")
    bias = text.flag("attention_bias")
    model = qwen_moe.stack(text, bias=bias, o_bias=bias, qk_norm="head", head_dim="head_dim",
                           shared=False, naming=NAMING, tied=read_tied(text, c))  # fmt: skip
    vision3(model, c, deep=True)
    return model


def qwen3_5(c: Config) -> Model:
    """Qwen 3.5, dense."""
    text = text_table(c, qwen3_next.TEXT_3_5, "transformers 5.24.0, Qwen3_5TextConfig")
    model = qwen3_next.qwen3_5(text, NAMING, read_tied(text, c))
    vision3(model, c, deep=False)
    return model


def qwen3_5_moe(c: Config) -> Model:
    """Qwen 3.5 with experts."""
    text = text_table(c, qwen3_next.MOE_3_5, "transformers 5.24.0, Qwen3_5MoeTextConfig")
    model = qwen3_next.qwen3_5_moe(text, NAMING, read_tied(text, c))
    vision3(model, c, deep=False)
    return model


COMMON: dict[str, object] = {"in_channels": 3, "spatial_merge_size": 2, "temporal_patch_size": 2}
VISION2: dict[str, object] = {
    **COMMON, "depth": 32, "embed_dim": 1280, "hidden_size": 3584, "mlp_ratio": 4,
    "num_heads": 16, "patch_size": 14,
}  # fmt: skip
VISION25: dict[str, object] = {
    **COMMON, "depth": 32, "hidden_size": 3584, "intermediate_size": 3420, "num_heads": 16,
    "patch_size": 14, "out_hidden_size": 3584,
}  # fmt: skip
VISION3: dict[str, object] = {
    **COMMON, "depth": 27, "hidden_size": 1152, "intermediate_size": 4304, "num_heads": 16,
    "patch_size": 16, "out_hidden_size": 3584, "num_position_embeddings": 2304,
    "deepstack_visual_indexes": [8, 16, 24],
}  # fmt: skip
TEXT2: dict[str, object] = {
    **qwen2.QWEN2, "vocab_size": 152064, "hidden_size": 8192, "intermediate_size": 29568,
    "num_hidden_layers": 80, "num_attention_heads": 64, "num_key_value_heads": 8,
    "max_window_layers": 80,
}  # fmt: skip
TEXT3: dict[str, object] = {
    **qwen2.QWEN3, "vocab_size": 151936, "hidden_size": 4096, "intermediate_size": 22016,
    "num_hidden_layers": 32, "num_attention_heads": 32, "max_position_embeddings": 128000,
}  # fmt: skip
MOE3: dict[str, object] = {
    **qwen_moe.QWEN3, "vocab_size": 151936, "hidden_size": 2048, "intermediate_size": 5632,
    "num_hidden_layers": 24, "num_attention_heads": 16, "num_key_value_heads": 16,
    "moe_intermediate_size": 1408, "num_experts": 60, "num_experts_per_tok": 4,
    "max_position_embeddings": 128000,
}  # fmt: skip


def family(name: str, title: str, build: object, defaults: dict[str, object]) -> Family:
    """A family of this file."""
    assert callable(build)
    source = f"transformers 5.24.0, {title}Config"
    return Family((name,), (f"{title}ForConditionalGeneration",), source, build, defaults)


OUTER: dict[str, object] = {"tie_word_embeddings": False}

FAMILIES = (
    family("qwen2_vl", "Qwen2VL", qwen2_vl, qwen2.QWEN2),
    family("qwen2_5_vl", "Qwen2_5_VL", qwen25_vl, qwen2.QWEN2),
    family("qwen3_vl", "Qwen3VL", qwen3_vl, OUTER),
    family("qwen3_vl_moe", "Qwen3VLMoe", qwen3_vl_moe, OUTER),
    family("qwen3_5", "Qwen3_5", qwen3_5, OUTER),
    family("qwen3_5_moe", "Qwen3_5Moe", qwen3_5_moe, OUTER),
)
