"""Qwen 2, 2.5 and 3, dense: biases on q, k, v (2) or norms on q, k (3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.family import Family
from derive.architecture.layers.attention import grouped_query, read_heads
from derive.architecture.layers.decoder import (
    FULL,
    NO_WINDOW,
    SLIDING,
    decoder_layer,
    layer_types,
    read_layers,
    read_window,
    two_kinds,
    windowed,
)
from derive.architecture.layers.ffn import gated
from derive.architecture.model import Placed, assemble, read_outer
from derive.architecture.parts import layer, linear, norm

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.model import Model, Naming
    from derive.architecture.parts import Layer


def read_slides(c: Config, layers: int) -> tuple[list[bool], str]:
    """Layers from max_window_layers on slide, and only where the switch says so."""
    if not c.flag("use_sliding_window"):
        c.pass_by(NO_WINDOW, "sliding_window", "max_window_layers")
        types = layer_types(c, layers, lambda _: FULL)
        return windowed(c, types, ""), ""
    window, first = read_window(c), c.integer("max_window_layers", 0)
    types = layer_types(c, layers, lambda i: SLIDING if window and i >= first else FULL)
    return windowed(c, types, window), window


def qwen2(c: Config, *, head_dim: str = "") -> Model:
    """Qwen 2: biases on q, k and v by the class."""
    return stack(c, bias=True, o_bias=False, head_dim=head_dim)


def mimo(c: Config) -> Model:
    """MiMo-7B: Qwen 2 with a layer for further tokens of its own form."""
    c.only("attention_bias", True)
    model = stack(c, bias=True, o_bias=False, head_dim="head_dim")
    count = c.maybe("num_nextn_predict_layers", 0, 16)
    if count:
        body = next(p.layer for p in model.placed if p.indices)
        extra = (
            *norm("token_layernorm"), *norm("hidden_layernorm"), *norm("final_layernorm"),
            *linear("input_proj", "2 * d_model", "d_model", "mtp"),
        )  # fmt: skip
        at = ("model.mtp_layers.{i}.",)
        indices = tuple(range(count))
        joined = layer(c.sheet, "mtp", extra)
        model.mtp = [Placed(p, count, count, indices, "mtp", at) for p in (body, joined)]
    return model


def qwen3(c: Config) -> Model:
    """Qwen 3: a norm on each head of q and k."""
    bias = c.flag("attention_bias")
    return stack(c, bias=bias, o_bias=bias, qk_norm="head", head_dim="head_dim")


def stack(
    c: Config,
    *,
    bias: bool,
    o_bias: bool,
    head_dim: str,
    qk_norm: str = "",
    naming: Naming | None = None,
    tied: bool | None = None,
) -> Model:
    """The layers, with and without a window."""
    read_outer(c)
    read_heads(c, head_dim=head_dim)
    c.size("d_ff", "intermediate_size")
    slides, window = read_slides(c, read_layers(c))

    def make(name: str, slide: bool) -> Layer:
        mixer = grouped_query(c.sheet, bias=bias, o_bias=o_bias, qk_norm=qk_norm,
                              window=window if slide else "")  # fmt: skip
        return decoder_layer(c.sheet, name, mixer, gated())

    stacked = two_kinds(slides, make, ("sliding", "decoder"))
    return assemble(c, stacked, naming=naming, tied=tied)


QWEN2: dict[str, object] = {
    "num_key_value_heads": 32,
    "use_sliding_window": False,
    "sliding_window": 4096,
    "max_window_layers": 28,
    "tie_word_embeddings": False,
    "max_position_embeddings": 32768,
}
QWEN3: dict[str, object] = {**QWEN2, "head_dim": 128, "attention_bias": False}

FAMILIES = (
    Family(
        types=("mimo",),
        classes=("MiMoForCausalLM",),
        source="XiaomiMiMo/MiMo-7B-Base, configuration_mimo.py",
        build=mimo,
        defaults={**QWEN2, "head_dim": None, "num_nextn_predict_layers": 0},
    ),
    Family(
        types=("qwen2",),
        classes=("Qwen2ForCausalLM",),
        source="transformers 5.24.0, Qwen2Config",
        build=qwen2,
        defaults=QWEN2,
    ),
    Family(
        types=("qwen3",),
        classes=("Qwen3ForCausalLM",),
        source="transformers 5.24.0, Qwen3Config",
        build=qwen3,
        defaults=QWEN3,
    ),
)
