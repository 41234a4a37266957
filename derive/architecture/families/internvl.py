"""InternVL 2 to 3.5: InternViT, patches side by side, two layers into any language model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.family import Family
from derive.architecture.layers.tower import (
    absent_tower,
    block,
    conv,
    dense,
    table,
    vision_table,
)
from derive.architecture.nested import text_model
from derive.architecture.parts import layer, norm
from derive.text import Text, tr

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.model import Model

RUN = Text("how images are cut and read, not what is stored", "只影响图像如何切分与读取")
NO_MOE = Text("a setting of experts that the tower does not have", "视觉塔没有专家，此为其设置")
MOE = """capacity_factor eval_capacity_factor laux_allreduce moe_coeff_ratio moe_intermediate_size
    moe_output_scale noisy_gate_policy num_experts num_routed_experts num_shared_experts
    shared_expert_intermediate_size use_residual use_rts use_weighted_residual"""
# paths and fields of the library and of the releases' own code
LIBRARY = (("layernorm_before", "layernorm_after"),
           ("attention.q_proj", "attention.k_proj", "attention.v_proj",
            "attention.projection_layer"), "attention.q_norm", "attention.k_norm")  # fmt: skip
REMOTE = (("norm1", "norm2"), ("attn.qkv", "attn.proj"), "attn.q_norm", "attn.k_norm")


def library(c: Config) -> Model:
    """The form of the library (names that end in -hf)."""
    return build(c, "transformers 5.24.0, InternVLVisionConfig", "use_qk_norm", "attention_bias")


def remote(c: Config) -> Model:
    """The form of the releases' own code."""
    c.only("use_backbone_lora", 0)
    c.only("use_llm_lora", 0)
    c.pass_by(RUN, "dynamic_image_size", "use_thumbnail", "ps_version", "min_dynamic_patch",
              "max_dynamic_patch", "template", "select_layer", "force_image_size",
              "pad2square", "system_message", "hidden_size")  # fmt: skip
    return build(c, "OpenGVLab/InternVL3-8B, configuration_intern_vit.py", "qk_normalization",
                 "qkv_bias")  # fmt: skip


def build(c: Config, owner: str, qk_norm: str, bias: str) -> Model:
    """The text model, the tower, the projector."""
    inner, model = text_model(c, "qwen2")
    inner.only("moe_config", None)
    c.pass_by(RUN, "vision_feature_layer", "vision_feature_select_strategy", "image_seq_length",
              "projector_hidden_act")  # fmt: skip
    side = int(1 / c.fraction("downsample_ratio"))  # the class rounds down
    v = vision_table(c, REMOTE_VISION if owner.startswith("OpenGV") else VISION, owner)
    if v is None:
        model.absent.append(absent_tower())
        return model
    v.only("model_type", "internvl_vision", "intern_vit_6b")
    tower(model, v, v.flag(qk_norm), v.flag(bias), LIBRARY if qk_norm == "use_qk_norm" else REMOTE)
    v.sheet.let("s", side, f"1 / {c.origin('downsample_ratio')}")
    v.sheet.let("d_model", inner.sheet["d_model"], inner.origin("hidden_size"))
    projector = (
        *norm("layer_norm", "s * s * d_vit", bias=True),
        *dense("linear_1", "s * s * d_vit", "d_model"),
        *dense("linear_2", "d_model", "d_model"),
    )
    model.tower(layer(v.sheet, "projector", projector), 1, "multi_modal_projector.")
    return model


def tower(model: Model, v: Config, normed: bool, bias: bool, names: tuple[object, ...]) -> None:
    """Layers whose two branches are scaled; norms over all heads where the file says so."""
    for symbol, name in (("d_vit", "hidden_size"), ("d_vff", "intermediate_size"),
                         ("c_in", "num_channels"), ("H_v", "num_attention_heads")):  # fmt: skip
        v.size(symbol, name)
    side, patch = square(v, "image_size"), square(v, "patch_size")
    v.sheet.let("p", patch, v.origin("patch_size"))
    v.sheet.let("n_p", (side // patch) ** 2,
                f"({v.origin('image_size')} / {v.origin('patch_size')})^2")  # fmt: skip
    v.only("use_absolute_position_embeddings", True)
    v.only("use_mean_pooling", True)
    v.only("use_mask_token", False)
    v.only("use_moe", False)
    v.pass_by(NO_MOE, *MOE.split())
    v.pass_by(RUN, "layer_scale_init_value", "drop_path_rate", "use_bfloat16", "output_scores",
              "projection_dropout")  # fmt: skip
    shift = v.word("norm_type", ("layer_norm", "rms_norm")) == "layer_norm"
    depth = v.size("L_v", "num_hidden_layers", high=1024)
    norms, attention, q_norm, k_norm = names
    assert isinstance(norms, tuple)
    assert isinstance(attention, tuple)
    start = (
        *table("embeddings.class_embedding", "d_vit", leaf=""),
        *conv("embeddings.patch_embedding", "d_vit", "c_in", "p", "p", bias=True),
        *table("embeddings.position_embedding", "n_p + 1", "d_vit", leaf=""),
    )
    each = (
        *block(norms=norms, norm_bias=shift, attention=attention, attention_bias=bias,
               out_bias=True, mlp=("mlp.fc1", "mlp.fc2")),
        *(norm(str(q_norm), "d_vit") if normed else ()),
        *(norm(str(k_norm), "d_vit") if normed else ()),
        *table("", "d_vit", leaf="ls1"), *table("", "d_vit", leaf="ls2"),
    )  # fmt: skip
    model.tower(layer(v.sheet, "vision input", start), 1, "vision_model.")
    model.tower(layer(v.sheet, "vision layer", each), depth, "vision_model.encoder.layers.{i}.")


def square(v: Config, name: str) -> int:
    """One number, or two that are alike."""
    if not isinstance(v.value(name), list):
        return v.integer(name)
    both = v.integers(name, 2, 1)
    if both[0] != both[1]:
        v.reject(name, tr("{name} is not understood", name=v.where(name)))
    return both[0]


REMOTE_VISION: dict[str, object] = {
    "hidden_size": 3200,
    "intermediate_size": 12800,
    "num_hidden_layers": 48,
    "num_attention_heads": 25,
    "num_channels": 3,
    "image_size": 224,
    "patch_size": 14,
    "norm_type": "rms_norm",
    "qkv_bias": False,
    "qk_normalization": True,
}
VISION: dict[str, object] = {
    "hidden_size": 1024,
    "intermediate_size": 4096,
    "num_hidden_layers": 24,
    "num_attention_heads": 16,
    "num_channels": 3,
    "image_size": [448, 448],
    "patch_size": [14, 14],
    "norm_type": "layer_norm",
    "use_qk_norm": False,
    "attention_bias": False,
}

FAMILIES = (
    Family(
        ("internvl",),
        ("InternVLForConditionalGeneration",),
        "transformers 5.24.0, InternVLConfig",
        library,
        {"downsample_ratio": 0.5, "tie_word_embeddings": True},
    ),
    Family(
        ("internvl_chat",),
        ("InternVLChatModel",),
        "OpenGVLab/InternVL3-8B, configuration_internvl_chat.py",
        remote,
        {"downsample_ratio": 0.5, "tie_word_embeddings": False},
    ),
)
