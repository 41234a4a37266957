"""Vision encoders that several models share: CLIP, SigLIP, Pixtral."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.layers.tower import block, conv, dense, patches, table, whole_patch
from derive.architecture.parts import layer, norm
from derive.text import Text, tr

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.model import Model

NAMES = ("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj", "self_attn.out_proj")
NORMS, MLP = ("layer_norm1", "layer_norm2"), ("mlp.fc1", "mlp.fc2")
PIXTRAL = tuple(f"attention.{n}_proj" for n in "qkvo")
GATE = tuple(f"feed_forward.{n}_proj" for n in ("gate", "up", "down"))
SIZE = Text("largest image, for positions without weights", "最大图像尺寸，位置编码没有权重")
UNUSED = Text("a size of a part that is not built here", "此处未构建部分的尺寸")


def read_sizes(v: Config) -> None:
    """Widths, channels, heads."""
    for symbol, name in (("d_vit", "hidden_size"), ("d_vff", "intermediate_size"),
                         ("c_in", "num_channels"), ("H_v", "num_attention_heads")):  # fmt: skip
        v.size(symbol, name)
    if v.sheet["d_vit"] % v.sheet["H_v"]:
        what = tr("{name} does not divide the width", name="num_attention_heads")
        v.reject("num_attention_heads", what, code="M107")


def clip(model: Model, v: Config) -> None:
    """CLIP: a class token, norms before and after the layers."""
    read_sizes(v)
    patches(v)
    v.pass_by(UNUSED, "vocab_size", "projection_dim")
    start = (
        *table("embeddings.class_embedding", "d_vit", leaf=""),
        *conv("embeddings.patch_embedding", "d_vit", "c_in", "p", "p", bias=False),
        *table("embeddings.position_embedding", "n_p + 1", "d_vit"),
        *norm("pre_layrnorm", "d_vit", bias=True),
        *norm("post_layernorm", "d_vit", bias=True),
    )
    each = block(norms=NORMS, attention=NAMES, mlp=MLP)
    at = "vision_tower.vision_model."
    model.tower(layer(v.sheet, "vision input", start), 1, at)
    depth = v.size("L_v", "num_hidden_layers", high=1024)
    model.tower(layer(v.sheet, "vision layer", each), depth, f"{at}encoder.layers.{{i}}.")


def siglip(model: Model, v: Config, at: str = "vision_tower.vision_model.", *, head: bool) -> None:
    """SigLIP, with its pooling head or without."""
    read_sizes(v)
    patches(v)
    v.pass_by(UNUSED, "vocab_size", "projection_dim", "num_image_tokens", "projector_hidden_act")
    start = (
        *conv("embeddings.patch_embedding", "d_vit", "c_in", "p", "p", bias=True),
        *table("embeddings.position_embedding", "n_p", "d_vit"),
    )
    each = block(norms=NORMS, attention=NAMES, mlp=MLP)
    model.tower(layer(v.sheet, "vision input", start), 1, at)
    depth = v.size("L_v", "num_hidden_layers", high=1024)
    model.tower(layer(v.sheet, "vision layer", each), depth, f"{at}encoder.layers.{{i}}.")
    model.tower(layer(v.sheet, "vision norm", norm("post_layernorm", "d_vit", bias=True)), 1, at)
    if head:
        pooling_head(model, v, at)


def pooling_head(model: Model, v: Config, at: str) -> None:
    """The pooling head of SigLIP, stored though language models do not use its output."""
    pooling = (
        *table("head.probe", "d_vit", leaf=""),
        *dense("head.attention.in_proj", "d_vit", "3 * d_vit"),
        *dense("head.attention.out_proj", "d_vit", "d_vit"),
        *norm("head.layernorm", "d_vit", bias=True),
        *dense("head.mlp.fc1", "d_vit", "d_vff"),
        *dense("head.mlp.fc2", "d_vff", "d_vit"),
    )
    model.tower(layer(v.sheet, "vision pooling", pooling), 1, at)


def pixtral(model: Model, v: Config) -> None:
    """Pixtral: rotated positions, gated networks, no biases."""
    read_sizes(v)
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
    each = block(norms=("attention_norm", "ffn_norm"), norm_bias=False, attention=PIXTRAL,
                 attention_bias=False, mlp=GATE, mlp_bias=False)  # fmt: skip
    depth = v.size("L_v", "num_hidden_layers", high=1024)
    model.tower(layer(v.sheet, "vision input", start), 1, "vision_tower.")
    at = "vision_tower.transformer.layers.{i}."
    model.tower(layer(v.sheet, "vision layer", each), depth, at)


COMMON: dict[str, object] = {
    "hidden_size": 768,
    "intermediate_size": 3072,
    "num_hidden_layers": 12,
    "num_attention_heads": 12,
    "num_channels": 3,
    "image_size": 224,
}
DEFAULTS: dict[str, tuple[str, dict[str, object]]] = {
    "clip_vision_model": ("CLIPVisionConfig", {**COMMON, "patch_size": 32}),
    "siglip_vision_model": (
        "SiglipVisionConfig",
        {**COMMON, "patch_size": 16, "vision_use_head": True},
    ),
    "pixtral": (
        "PixtralVisionConfig",
        {**COMMON, "hidden_size": 1024, "intermediate_size": 4096, "num_hidden_layers": 24,
         "num_attention_heads": 16, "patch_size": 16},
    ),
}  # fmt: skip


def encoder(c: Config, model: Model, default: str) -> Config | None:
    """Add the encoder that vision_config names; its config, None where the file has none."""
    found = c.data.get("vision_config")
    if not isinstance(found, dict) or not found:
        c.only("vision_config", None, {})
        model.absent.append(tr("the vision tower: the config does not describe it"))
        return None
    kind = found.get("model_type") or default
    kind = "siglip_vision_model" if kind == "siglip" else kind
    if not isinstance(kind, str) or kind not in DEFAULTS:
        what = tr("{name} is {value}, which is not understood", name="vision_config.model_type",
                  value=str(kind)[:40])  # fmt: skip
        c.reject("vision_config", what, code="M108")
    name, defaults = DEFAULTS[kind]
    v = c.table("vision_config", defaults, f"transformers 5.24.0, {name}")
    v.sheet = type(v.sheet)()
    v.used.add("model_type")
    if kind == "clip_vision_model":
        clip(model, v)
    elif kind == "pixtral":
        pixtral(model, v)
    else:
        siglip(model, v, head=v.flag("vision_use_head"))
    return v
