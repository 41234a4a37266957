"""The towers of Muse Spark: a transformer for images, a pyramid of convolutions for sound."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.layers.decoder import NO_ROLE
from derive.architecture.layers.tower import (
    absent_tower,
    block,
    dense,
    heads_divide,
    table,
    vision_table,
)
from derive.architecture.parts import Tensors, layer, linear, norm, vector
from derive.architecture.symbols import Sheet
from derive.text import tr

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.model import Model

AUDIO, MOST_STAGES = "audio", 16
ATTENTION = ("attn.q_proj", "attn.k_proj", "attn.v_proj", "attn.proj")
SIZES = (
    ("d_vit", "hidden_size"), ("d_vff", "intermediate_size"), ("H_v", "num_attention_heads"),
    ("p", "patch_size"), ("t", "patch_temporal"), ("h_p", "pos_emb_height"),
    ("w_p", "pos_emb_width"),
)  # fmt: skip


def see(c: Config, inner: Config, model: Model) -> None:
    """Layers with biases, a table of positions, an adapter and a projection without."""
    v = vision_table(c, VISION, "transformers 5.24.0, MuseSparkVisionConfig")
    if v is None:
        c.pass_by(NO_ROLE, "out_hidden_size", "projector_hidden_size", "projector_hidden_act")
        model.absent.append(absent_tower())
        return
    v.only("model_type", "muse_spark_vision")
    for symbol, name in SIZES:
        v.size(symbol, name, high=65536)
    heads_divide(v, "num_attention_heads")
    v.pass_by(NO_ROLE, "merge_size", "max_position_embeddings", "layer_types")
    v.sheet.let("d_vo", c.integer("out_hidden_size"), c.origin("out_hidden_size"))
    v.sheet.let("d_pj", c.integer("projector_hidden_size"), c.origin("projector_hidden_size"))
    c.pass_by(NO_ROLE, "projector_hidden_act")
    v.sheet.let("d_model", inner.sheet["d_model"], inner.origin("hidden_size"))
    start = (
        *dense("patch_embedder.patch_embedding", "3 * t * p * p", "d_vit", bias=False),
        *table("patch_embedder.position_embedding_table", "h_p * w_p", "d_vit"),
        *norm("ln_pre", "d_vit", bias=True),
    )
    each = block(norms=("norm1", "norm2"), attention=ATTENTION, mlp=("mlp.fc1", "mlp.fc2"))
    last = (
        *dense("vision_adapter.fc1", "d_vo", "d_pj", bias=False),
        *dense("vision_adapter.fc2", "d_pj", "d_pj", bias=False),
        *dense("vision_projection", "d_pj", "d_model", bias=False),
    )
    depth = v.size("L_v", "num_hidden_layers", high=1024)
    at = "vision_tower."
    model.tower(layer(v.sheet, "vision input", start), 1, at)
    model.tower(layer(v.sheet, "vision layer", each), depth, f"{at}layers.{{i}}.")
    model.tower(layer(v.sheet, "vision norm", norm("ln_post", "d_vit", bias=True)), 1, at)
    model.tower(layer(v.sheet, "vision adapter", last), 1, "")


def hear(c: Config, inner: Config, model: Model) -> None:
    """Stages of convolutions, each over patches of the one before."""
    if not isinstance(c.data.get("audio_config"), dict) or not c.data["audio_config"]:
        c.only("audio_config", None, {})
        model.absent.append(tr("the audio tower: the config does not describe it"))
        return
    a = c.table("audio_config", HEARING, "transformers 5.24.0, MuseSparkAudioConfig")
    a.only("model_type", "muse_spark_audio")
    stages = a.integer("num_hidden_layers", 1, MOST_STAGES)
    patches, widths, depths = (a.integers(n, stages, 1) for n in
                               ("patch_sizes", "hidden_sizes", "depths"))  # fmt: skip
    kernel, times = a.integer("conv_kernel_size"), float(a.fraction("mlp_ratio"))
    a.only("out_hidden_size", inner.sheet["d_model"])
    before = 1
    for stage, (patch, width, depth) in enumerate(zip(patches, widths, depths, strict=True)):
        sheet = Sheet()
        sheet.let("c_1", before * patch, f"{a.where('patch_sizes')}[{stage}] * width before")
        sheet.let("d_aud", width, f"{a.where('hidden_sizes')}[{stage}]")
        sheet.let("d_aff", int(width * times), a.origin("mlp_ratio"))
        sheet.let("c_k", kernel, a.origin("conv_kernel_size"))
        start = (*linear("patch_embedder.proj", "c_1", "d_aud", AUDIO, bias=True),
                 *vector("patch_embedder.norm", AUDIO, "d_aud"))  # fmt: skip
        at = f"audio_tower.layers.{stage}."
        model.tower(layer(sheet, "audio input", start), 1, at, role=AUDIO)
        model.tower(layer(sheet, "audio layer", stage_block()), depth,
                    f"{at}conv_blocks.{{i}}.", role=AUDIO)  # fmt: skip
        before = width
    sheet.let("d_model", inner.sheet["d_model"], inner.origin("hidden_size"))
    last = (
        *vector("norm", AUDIO, "d_aud"),
        *linear("proj", "d_aud", "d_model", AUDIO, bias=True),
        *vector("post_proj_norm", AUDIO, "d_model"),
    )
    model.tower(layer(sheet, "audio projector", last), 1, "audio_tower.", role=AUDIO)


def stage_block() -> Tensors:
    """A convolution over time for each channel, a norm, two matrices."""
    return (
        *vector("conv", AUDIO, "d_aud", "c_k"),
        *vector("conv", AUDIO, "d_aud", leaf="bias"),
        *vector("norm", AUDIO, "d_aud"),
        *linear("mlp.fc1", "d_aud", "d_aff", AUDIO, bias=True),
        *linear("mlp.fc2", "d_aff", "d_aud", AUDIO, bias=True),
    )


VISION: dict[str, object] = {
    "patch_size": 14, "pos_emb_height": 32, "pos_emb_width": 32, "num_attention_heads": 16,
    "num_hidden_layers": 50, "hidden_size": 1536, "intermediate_size": 8960, "patch_temporal": 2,
}  # fmt: skip
HEARING: dict[str, object] = {
    "patch_sizes": [16, 6, 5, 4], "hidden_sizes": [256, 512, 1024, 2048], "depths": [2, 2, 2, 2],
    "num_hidden_layers": 4, "mlp_ratio": 4.0, "conv_kernel_size": 7,
}  # fmt: skip
