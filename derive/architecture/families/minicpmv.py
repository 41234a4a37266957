"""MiniCPM-V: a language model that its version names, SigLIP, and queries that sample the image."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from derive.architecture.config import brief
from derive.architecture.families import llama, qwen2
from derive.architecture.family import Family
from derive.architecture.layers.encoders import siglip
from derive.architecture.layers.tower import dense, table, vision_table
from derive.architecture.parts import layer, norm
from derive.text import Text, tr

if TYPE_CHECKING:
    from collections.abc import Callable

    from derive.architecture.config import Config
    from derive.architecture.model import Model

SLICES = Text("how an image is cut into slices", "图像如何切分成块")
RUN = Text("how the program runs, not what it holds", "只影响运行方式，不影响内容")
LANGUAGE: dict[str, tuple[Callable[[Config], Model], dict[str, object]]] = {
    "2.5": (llama.build, llama.DEFAULTS),
    "2.6": (qwen2.qwen2, qwen2.QWEN2),
    "4.0": (llama.build, llama.DEFAULTS),
    "4.5": (qwen2.qwen3, qwen2.QWEN3),
}
VISION: dict[str, object] = {
    "hidden_size": 1152, "image_size": 980, "intermediate_size": 4304, "num_attention_heads": 16,
    "num_hidden_layers": 27, "patch_size": 14, "num_channels": 3,
}  # fmt: skip


def build(c: Config) -> Model:
    """The file is that of the language model with further fields."""
    version = brief(c.value("version"))
    if version not in LANGUAGE:
        what = tr("{name} is {value}, which is not understood", name="version", value=version)
        c.reject("version", what, tr("known are {known}", known=", ".join(LANGUAGE)))
    make, defaults = LANGUAGE[version]
    c.defaults = {**c.defaults, **defaults}
    queries = c.integer("query_num")
    c.only("drop_vision_last_layer", False)
    c.pass_by(SLICES, "image_size", "patch_size", "slice_mode", "use_image_id")
    slices = c.table("slice_config")
    slices.pass_by(SLICES, "max_slice_nums", "patch_size", "scale_resolution")
    c.pass_by(RUN, "batch_vision_input", "vision_batch_size", "batch_3d_resampler", "torch_dtype")
    model = make(c)
    model.placed = [replace(p, prefixes=tuple(f"llm.{at}" for at in p.prefixes))
                    for p in model.placed]  # fmt: skip
    v = vision_table(c, VISION, c.owner)
    if v is None:
        c.reject("vision_config", tr("{name} is missing", name="vision_config"), code="M104")
    v.only("model_type", "siglip", "siglip_vision_model")
    siglip(model, v, at="vpm.", head=False)
    sheet = v.sheet
    sheet.let("n_q", queries, c.origin("query_num"))
    sheet.let("d_model", c.sheet["d_model"], c.origin("hidden_size"))
    sampler = (
        *table("query", "n_q", "d_model", leaf=""),
        *dense("kv_proj", "d_vit", "d_model", bias=False),
        *dense("attn.in_proj", "d_model", "3 * d_model"),
        *dense("attn.out_proj", "d_model", "d_model"),
        *(one for name in ("ln_q", "ln_kv", "ln_post") for one in norm(name, bias=True)),
        *table("proj", "d_model", "d_model", leaf=""),
    )
    model.tower(layer(sheet, "resampler", sampler), 1, "resampler.")
    return model


FAMILIES = (
    Family(
        ("minicpmv",),
        ("MiniCPMV",),
        "openbmb/MiniCPM-V-2_6, configuration_minicpm.py",
        build,
        {"query_num": 64},
    ),
)
