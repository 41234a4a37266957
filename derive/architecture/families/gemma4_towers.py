"""The towers of Gemma 4: a transformer for images, a conformer for sound."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.layers.tower import absent_tower, block, dense, table, vision_table
from derive.architecture.parts import Tensor, layer, norm
from derive.architecture.symbols import Sheet
from derive.text import Text, tr

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.model import Model

TOWER = tuple(f"self_attn.{n}_proj" for n in "qkvo")
GATE = ("mlp.gate_proj", "mlp.up_proj", "mlp.down_proj")
MELS = 128  # bins of the spectrum, by the feature extractor
RUN = Text("how the tower runs, not what it holds", "只影响该塔的运行方式，不影响内容")


def vision(model: Model, c: Config, text: Config) -> None:
    """Four norms and a gate in every layer; positions as two tables."""
    v = vision_table(c, VISION, "transformers 5.24.0, Gemma4VisionConfig")
    if v is None:
        model.absent.append(absent_tower())
        return
    for symbol, name in (
        ("d_vit", "hidden_size"), ("d_vff", "intermediate_size"), ("p", "patch_size"),
        ("n_p", "position_embedding_size"), ("d_hv", "head_dim"),
    ):  # fmt: skip
        v.size(symbol, name)
    heads = v.integer("num_attention_heads")
    grouped = v.integer("num_key_value_heads")
    if grouped != heads:
        what = tr("{name} is {value}, which is not understood",
                  name=v.where("num_key_value_heads"), value=grouped)  # fmt: skip
        v.reject("num_key_value_heads", what, code="M107")
    v.only("attention_bias", False)
    v.only("global_head_dim", v.sheet["d_hv"])
    if heads * v.sheet["d_hv"] != v.sheet["d_vit"]:
        what = tr("heads and head size do not make the width of the tower")
        v.reject("head_dim", what, code="M107")
    v.pass_by(
        RUN,
        "pooling_kernel_size",
        "default_output_length",
        "use_clipped_linears",
        "max_position_embeddings",
        "image_seq_length",
        "video_seq_length",
    )
    start = (
        *table("patch_embedder.position_embedding_table", "2", "n_p", "d_vit", leaf=""),
        *dense("patch_embedder.input_proj", "3 * p * p", "d_vit", bias=False),
    )
    each = (
        *block(norms=("input_layernorm", "post_attention_layernorm"), norm_bias=False,
               attention=TOWER, attention_bias=False, mlp=GATE, mlp_bias=False),
        *norm("pre_feedforward_layernorm", "d_vit"),
        *norm("post_feedforward_layernorm", "d_vit"),
        *norm("self_attn.q_norm", "d_hv"),
        *norm("self_attn.k_norm", "d_hv"),
    )  # fmt: skip
    if v.flag("standardize"):
        start += tuple(Tensor(f"std_{n}", "buffer", ("d_vit",), leaf="") for n in ("bias", "scale"))
    depth = v.size("L_v", "num_hidden_layers", high=1024)
    model.tower(layer(v.sheet, "vision input", start), 1, "model.vision_tower.")
    at = "model.vision_tower.encoder.layers.{i}."
    model.tower(layer(v.sheet, "vision layer", each), depth, at)
    project(model, v, text, "d_vit", "model.embed_vision.", "vision")


def project(model: Model, v: Config, text: Config, width: str, at: str, role: str) -> None:
    """From a tower to the language model."""
    v.sheet.let("d_model", text.sheet["d_model"], text.origin("hidden_size"))
    tensors = dense("embedding_projection", width, "d_model", bias=False)
    model.tower(layer(v.sheet, f"{role} projector", tensors), 1, at, role)


def audio(model: Model, c: Config, text: Config) -> None:
    """Two convolutions, then layers of network, attention, convolution, network."""
    if not isinstance(c.data.get("audio_config"), dict):
        c.only("audio_config", None)
        return
    a = c.table("audio_config", AUDIO, "transformers 5.24.0, Gemma4AudioConfig")
    a.sheet = Sheet()
    for symbol, name in (("d_aud", "hidden_size"), ("H_a", "num_attention_heads"),
                         ("c_k", "conv_kernel_size"), ("d_ao", "output_proj_dims")):  # fmt: skip
        a.size(symbol, name)
    channels = a.integers("subsampling_conv_channels", 2, 1)
    for symbol, count in zip(("c_1", "c_2"), channels, strict=True):
        a.sheet.let(symbol, count, a.origin("subsampling_conv_channels"))
    a.sheet.let("n_mel", MELS, "bins of the feature extractor")
    if a.sheet["d_aud"] % a.sheet["H_a"]:
        what = tr("{name} does not divide the width", name="num_attention_heads")
        a.reject("num_attention_heads", what, code="M107")
    a.pass_by(RUN, "residual_weight", "attention_chunk_size", "attention_context_left",
              "attention_context_right", "attention_logit_cap", "attention_invalid_logits_value",
              "use_clipped_linears", "gradient_clipping")  # fmt: skip
    at = "model.audio_tower."
    start = (
        *table("subsample_conv_projection.layer0.conv", "c_1", "3", "3"),
        *norm("subsample_conv_projection.layer0.norm", "c_1"),
        *table("subsample_conv_projection.layer1.conv", "c_2", "c_1", "3", "3"),
        *norm("subsample_conv_projection.layer1.norm", "c_2"),
        *dense("subsample_conv_projection.input_proj_linear", "c_2 * n_mel / 4", "d_aud",
               bias=False),
        *dense("output_proj", "d_aud", "d_ao"),
    )  # fmt: skip
    each = (*network("feed_forward1"), *network("feed_forward2"), *attention(), *convolution())
    depth = a.size("L_a", "num_hidden_layers", high=1024)
    model.tower(layer(a.sheet, "audio input", start), 1, at, "audio")
    model.tower(layer(a.sheet, "audio layer", each), depth, f"{at}layers.{{i}}.", "audio")
    project(model, a, text, "d_ao", "model.embed_audio.", "audio")


def network(name: str) -> tuple[Tensor, ...]:
    """A network of two matrices between two norms."""
    return (
        *norm(f"{name}.pre_layer_norm", "d_aud"), *norm(f"{name}.post_layer_norm", "d_aud"),
        *dense(f"{name}.ffw_layer_1", "d_aud", "4 * d_aud", bias=False),
        *dense(f"{name}.ffw_layer_2", "4 * d_aud", "d_aud", bias=False),
    )  # fmt: skip


def attention() -> tuple[Tensor, ...]:
    """Attention with relative positions."""
    names = ("q_proj", "k_proj", "v_proj", "post", "relative_k_proj")
    return (
        *table("self_attn", "d_aud / H_a", leaf="per_dim_scale"),
        *(t for n in names for t in dense(f"self_attn.{n}", "d_aud", "d_aud", bias=False)),
        *(t for n in ("norm_pre_attn", "norm_post_attn", "norm_out") for t in norm(n, "d_aud")),
    )


def convolution() -> tuple[Tensor, ...]:
    """A gated convolution over time."""
    return (
        *dense("lconv1d.linear_start", "d_aud", "2 * d_aud", bias=False),
        *dense("lconv1d.linear_end", "d_aud", "d_aud", bias=False),
        *table("lconv1d.depthwise_conv1d", "d_aud", "c_k"),
        *norm("lconv1d.pre_layer_norm", "d_aud"),
        *norm("lconv1d.conv_norm", "d_aud"),
    )


VISION: dict[str, object] = {
    "hidden_size": 768, "intermediate_size": 3072, "num_hidden_layers": 16,
    "num_attention_heads": 12, "num_key_value_heads": 12, "head_dim": 64, "patch_size": 16,
    "position_embedding_size": 10240, "standardize": False,
}  # fmt: skip
AUDIO: dict[str, object] = {
    "hidden_size": 1024, "num_hidden_layers": 12, "num_attention_heads": 8,
    "subsampling_conv_channels": [128, 32], "conv_kernel_size": 5, "output_proj_dims": 1536,
}  # fmt: skip
