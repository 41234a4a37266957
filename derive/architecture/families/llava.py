"""Images through an encoder and a projector into a language model: LLaVA and its kin."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.family import Family
from derive.architecture.layers.encoders import encoder
from derive.architecture.layers.tower import dense, table
from derive.architecture.nested import text_model
from derive.architecture.parts import layer, norm
from derive.text import Text, tr

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.model import Model
    from derive.architecture.parts import Tensors

CUT = Text("how images are cut and which layer is read", "只影响图像如何切分与读取哪一层")

POOLED = Text("how frames are averaged, no weights", "只说明如何合并视频帧，没有权重")
PREFIX = Text("which tokens of the prompt see each other", "只决定提示中的 token 彼此可见的范围")


def image_fields(c: Config) -> None:
    """Fields that say how an image becomes tokens."""
    c.pass_by(CUT, "image_grid_pinpoints", "vision_feature_select_strategy", "image_seq_length",
              "vision_aspect_ratio", "projector_hidden_act", "ignore_index",
              "use_image_newline_parameter", "image_split_resolution",
              "projector_layernorm_eps")  # fmt: skip


def read_layers(c: Config) -> int:
    """How many layers of the encoder the projector reads side by side."""
    found = c.value("vision_feature_layer")
    if not isinstance(found, list):
        c.integer("vision_feature_layer", -1024)
        return 1
    listed = c.integers("vision_feature_layer", None, -1024)
    if not listed:
        what = tr("{name} is not understood", name="vision_feature_layer")
        c.reject("vision_feature_layer", what)
    return len(listed)


def projected(model: Model, v: Config, inner: Config, tensors: Tensors) -> None:
    """Add what leads from encoder to text; d_model is that of the text."""
    v.sheet.let("d_model", inner.sheet["d_model"], inner.origin("hidden_size"))
    model.tower(layer(v.sheet, "projector", tensors), 1, "multi_modal_projector.")


def llava(c: Config, *, text: str = "llama", tower: str = "clip_vision_model",
          newline: bool = False, first_norm: bool = False) -> Model:  # fmt: skip
    """Two layers, from so many layers of the encoder at once."""
    inner, model = text_model(c, text)
    image_fields(c)
    count = read_layers(c)
    bias = True if first_norm else c.flag("multimodal_projector_bias")
    v = encoder(c, model, tower)
    if v is None:
        return model
    wide = f"{count} * d_vit" if count > 1 else "d_vit"
    tensors = (
        *(norm("projector_layernorm", wide, bias=True) if first_norm else ()),
        *dense("linear_1", wide, "d_model", bias=bias),
        *dense("linear_2", "d_model", "d_model", bias=bias),
        *(table("image_newline", "d_model", leaf="") if newline else ()),
    )
    projected(model, v, inner, tensors)
    return model


def llava_next(c: Config) -> Model:
    """With a learned end of a row of images."""
    return llava(c, newline=True)


def llava_next_video(c: Config) -> Model:
    """The same; frames of a video are averaged."""
    c.pass_by(POOLED, "spatial_pool_mode", "spatial_pool_stride", "video_seq_length")
    return llava_next(c)


def onevision(c: Config) -> Model:
    """SigLIP and Qwen 2 by default."""
    return llava(c, text="qwen2", tower="siglip_vision_model", newline=True)


def vipllava(c: Config) -> Model:
    """A norm over the layers that are read."""
    return llava(c, first_norm=True)


def paligemma(c: Config) -> Model:
    """One matrix, to the width that projection_dim names."""
    inner, model = text_model(c, "gemma", allowed=("gemma", "gemma2"))
    inner.pass_by(PREFIX, "use_bidirectional_attention", "num_image_tokens")
    image_fields(c)
    width = c.integer("projection_dim")
    if width != inner.sheet["d_model"]:
        what = tr("{name} is {value}, which is not understood", name="projection_dim",
                  value=width)  # fmt: skip
        c.reject("projection_dim", what, code="M107")
    c.pass_by(Text("said again by the text part", "文本部分已给出"), "vocab_size", "hidden_size")
    v = encoder(c, model, "siglip_vision_model")
    if v is not None:
        v.only("projection_dim", None, width)
        projected(model, v, inner, dense("linear", "d_vit", "d_model"))
    return model


def merged(c: Config, field: str, width: str, *, first_norm: bool) -> Model:
    """Patches side by side; the first of two layers is a gate and what it gates."""
    inner, model = text_model(c, "cohere2")
    image_fields(c)
    read_layers(c)
    side = c.integer(field)
    wide = c.maybe(width) or inner.sheet["d_model"]
    c.pass_by(Text("a small constant of a normalisation", "归一化中的小常数"),
              "adapter_layer_norm_eps")  # fmt: skip
    v = encoder(c, model, "siglip_vision_model")
    if v is None:
        return model
    v.sheet.let("s", side, c.origin(field))
    v.sheet.let("d_pj", wide, c.origin(width) if c.has(width) else inner.origin("hidden_size"))
    if wide % 2:
        c.reject(width, tr("{name} must be even", name=width))
    tensors = (
        *(norm("layernorm", "s * s * d_vit", bias=True) if first_norm else ()),
        *dense("linear_1", "s * s * d_vit", "d_pj"),
        *dense("linear_2", "d_pj / 2", "d_model"),
    )
    projected(model, v, inner, tensors)
    return model


def aya(c: Config) -> Model:
    """Aya Vision."""
    return merged(c, "downsample_factor", "alignment_intermediate_size", first_norm=True)


def command(c: Config) -> Model:
    """Command A Vision."""
    return merged(c, "downsample_factor", "alignment_intermediate_size", first_norm=False)


def family(name: str, title: str, build: object, *, tied: bool = False, **more: object) -> Family:
    """A family with the defaults that all of these share."""
    assert callable(build)
    defaults = {"tie_word_embeddings": tied, "vision_feature_layer": -1, **more}
    classes = (f"{title}ForConditionalGeneration",)
    return Family((name,), classes, f"transformers 5.24.0, {title}Config", build, defaults)


FAMILIES = (
    family("llava", "Llava", llava, vision_feature_layer=-2, multimodal_projector_bias=True),
    family("llava_next", "LlavaNext", llava_next, vision_feature_layer=-2,
           multimodal_projector_bias=True),
    family("llava_next_video", "LlavaNextVideo", llava_next_video, vision_feature_layer=-2,
           multimodal_projector_bias=True),
    family("llava_onevision", "LlavaOnevision", onevision, multimodal_projector_bias=True),
    family("vipllava", "VipLlava", vipllava, vision_feature_layer=[-2, -5, -8, -11, 6]),
    family("paligemma", "PaliGemma", paligemma, tied=True, projection_dim=2048),
    family("aya_vision", "AyaVision", aya, tied=True, downsample_factor=2,
           alignment_intermediate_size=None),
    family("cohere2_vision", "Cohere2Vision", command, tied=True, downsample_factor=2,
           alignment_intermediate_size=36864),
)  # fmt: skip
