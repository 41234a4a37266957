"""Grouped attention with fine-grained experts and a correction bias: GLM-4.5, dots, Solar, Hy3."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.families.deepseek import network, shared_width, sparse_layers
from derive.architecture.family import Family
from derive.architecture.layers.attention import grouped_query, read_heads
from derive.architecture.layers.decoder import (
    NO_WINDOW,
    decoder_layer,
    dense_width,
    read_layers,
    two_kinds,
    uniform_types,
)
from derive.architecture.layers.ffn import gated, read_experts
from derive.architecture.layers.mtp import next_token_layers
from derive.architecture.model import assemble, read_outer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from derive.architecture.config import Config
    from derive.architecture.model import Model
    from derive.architecture.parts import Layer


def stack(
    c: Config, sparse: Sequence[bool], *, o_bias: bool | None, qk_norm: str, shared: str
) -> Model:
    """Dense layers and layers with experts, all with full attention."""
    read_outer(c)
    read_heads(c)
    read_experts(c)
    dense_width(c, sparse)
    c.only("mlp_bias", False)
    beside = shared_width(c, shared)
    bias = c.flag("attention_bias")
    mixer = grouped_query(c.sheet, bias=bias, o_bias=bias if o_bias is None else o_bias,
                          qk_norm=qk_norm)  # fmt: skip

    def make(name: str, moe: bool) -> Layer:
        ffn = network(shared=beside, bias=True) if moe else gated()
        return decoder_layer(c.sheet, name, mixer, ffn)

    model = assemble(c, two_kinds(sparse, make, ("experts", "dense")))
    count = c.maybe("num_nextn_predict_layers", 0, 16)
    if count and any(sparse):
        next_token_layers(c, model, make("experts", True), count)
    return model


def glm4_moe(c: Config) -> Model:
    """GLM-4.5 and 4.6: biases on q, k, v but not on the output; norms on q, k by switch."""
    qk_norm = "head" if c.flag("use_qk_norm") else ""
    sparse = sparse_layers(c, read_layers(c))
    return stack(c, sparse, o_bias=False, qk_norm=qk_norm, shared="n_shared_experts")


def sarvam(c: Config) -> Model:
    """Sarvam 30B: GLM-4.5 under the names of its release."""
    if "use_qkv_bias" in c.data:
        c.data = {"attention_bias": c.data["use_qkv_bias"], **c.data}
    c.only("use_qkv_bias", c.flag("attention_bias"))
    c.only("use_bias", False)
    shared = "num_shared_experts" if c.has("num_shared_experts") else "n_shared_experts"
    qk_norm = "head" if c.flag("use_qk_norm") else ""
    sparse = sparse_layers(c, read_layers(c))
    return stack(c, sparse, o_bias=False, qk_norm=qk_norm, shared=shared)


def dots1(c: Config) -> Model:
    """dots.llm1: norms on q, k."""
    layers = read_layers(c)
    uniform_types(c, layers)
    if (c.maybe("max_window_layers", 0) or 0) < layers:
        c.only("sliding_window", None)
    c.pass_by(NO_WINDOW, "sliding_window")
    sparse = sparse_layers(c, layers)
    return stack(c, sparse, o_bias=None, qk_norm="head", shared="n_shared_experts")


def solar_open(c: Config) -> Model:
    """Solar Open: every layer with experts."""
    c.only("use_qk_norm", False)
    layers = read_layers(c)
    c.only("first_k_dense_replace", 0)
    return stack(c, [True] * layers, o_bias=False, qk_norm="", shared="n_shared_experts")


def hy3(c: Config) -> Model:
    """Hy3: norms on q, k; the first layer dense."""
    c.only("qk_norm", True)
    c.integer("num_shared_experts")  # without one the class builds a network as wide as dense ones
    layers = read_layers(c)
    sparse = sparse_layers(c, layers)
    return stack(c, sparse, o_bias=None, qk_norm="head", shared="num_shared_experts")


DEFAULTS: dict[str, object] = {
    "num_key_value_heads": 8,
    "head_dim": None,
    "attention_bias": False,
    "n_shared_experts": 1,
    "first_k_dense_replace": 1,
    "num_nextn_predict_layers": None,
    "use_qk_norm": False,
    "tie_word_embeddings": False,
    "max_position_embeddings": 131072,
}

FAMILIES = (
    Family(
        ("glm4_moe",),
        ("Glm4MoeForCausalLM",),
        "transformers 5.24.0, Glm4MoeConfig",
        glm4_moe,
        DEFAULTS,
    ),
    Family(
        ("dots1",),
        ("Dots1ForCausalLM",),
        "transformers 5.24.0, Dots1Config",
        dots1,
        {
            **DEFAULTS,
            "num_key_value_heads": 32,
            "n_shared_experts": None,
            "first_k_dense_replace": 0,
            "max_window_layers": 62,
            "max_position_embeddings": 2048,
        },
    ),
    Family(
        ("solar_open",),
        ("SolarOpenForCausalLM",),
        "transformers 5.24.0, SolarOpenConfig",
        solar_open,
        {**DEFAULTS, "head_dim": 128},
    ),
    Family(
        ("sarvam_moe",),
        ("SarvamMoEForCausalLM",),
        "transformers 5.24.0, SarvamMoEConfig",
        sarvam,
        {**DEFAULTS, "num_key_value_heads": 4, "head_dim": 64, "use_qk_norm": True},
    ),
    Family(
        ("hy_v3",),
        ("HYV3ForCausalLM",),
        "transformers 5.24.0, HYV3Config",
        hy3,
        {**DEFAULTS, "head_dim": 128, "num_shared_experts": 1},
    ),
)
