"""Ling and Ring (bailing): fine-grained experts, in version 2 with norms on q and k."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.families.deepseek import shared_width
from derive.architecture.family import Family
from derive.architecture.layers.attention import Names, grouped_query, read_heads
from derive.architecture.layers.decoder import (
    NO_WINDOW,
    decoder_layer,
    dense_width,
    first_dense,
    read_layers,
    two_kinds,
)
from derive.architecture.layers.ffn import SHARED, correction, experts, gated, read_experts, router
from derive.architecture.layers.mtp import next_token_layers
from derive.architecture.model import Naming, assemble, read_outer
from derive.text import Text, tr

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.model import Model
    from derive.architecture.parts import Layer

NAMES = Names(
    qkv="attention.query_key_value",
    o="attention.dense",
    q_norm="attention.query_layernorm",
    k_norm="attention.key_layernorm",
)
NAMING = Naming(embedding="model.word_embeddings")
HEAD = Text("the head is normalised when it is loaded", "加载时对输出层做归一化，不改变形状")


def version2(c: Config) -> Model:
    """Its networks have no biases, and the releases no bias at all."""
    if c.flag("use_bias"):
        what = tr("{name} is {value}, which is not understood", name="use_bias", value="true")
        c.reject("use_bias", what)
    return build(c)


def build(c: Config) -> Model:
    """Layers with experts after the first dense ones; shared experts as one."""
    read_outer(c)
    read_heads(c)
    read_experts(c)
    layers = read_layers(c)
    sparse = first_dense(c, layers)
    dense_width(c, sparse)
    bias = c.flag("use_bias")
    shared = shared_width(c, "num_shared_experts")
    c.only("moe_shared_expert_intermediate_size", None, c.sheet["d_e"])
    c.only("use_sliding_window", False)
    c.only("use_rmsnorm", True)
    c.only("multi_gate", False)
    c.pass_by(NO_WINDOW, "sliding_window", "max_window_layers")
    c.pass_by(HEAD, "norm_head", "norm_softmax")
    c.pass_by(Text("how experts are scored", "专家的打分方式"), "score_function")
    qk_norm = "head" if c.flag("use_qk_norm") else ""
    mixer = grouped_query(c.sheet, bias=bias or c.flag("use_qkv_bias"), o_bias=bias,
                          qk_norm=qk_norm, names=NAMES)  # fmt: skip
    ffn = (*router(), *experts())
    ffn += gated("n_s * d_e", kind="shared_expert", names=SHARED, bias=bias) if shared else ()
    ffn += correction("mlp.gate.expert_bias") if c.flag("moe_router_enable_expert_bias") else ()

    def make(name: str, moe: bool) -> Layer:
        return decoder_layer(c.sheet, name, mixer, ffn if moe else gated(bias=bias))

    model = assemble(c, two_kinds(sparse, make, ("experts", "dense")), naming=NAMING)
    count = c.maybe("num_nextn_predict_layers", 0, 16)
    if count and any(sparse):
        next_token_layers(c, model, make("experts", True), count, copies=False)
    return model


DEFAULTS: dict[str, object] = {
    "head_dim": None,
    "use_bias": True,
    "use_qkv_bias": False,
    "use_qk_norm": False,
    "num_shared_experts": 0,
    "first_k_dense_replace": 0,
    "moe_router_enable_expert_bias": False,
    "num_nextn_predict_layers": None,
    "tie_word_embeddings": False,
    "max_position_embeddings": 16384,
}
FAMILIES = (
    Family(
        ("bailing_moe",),
        ("BailingMoeForCausalLM",),
        "inclusionAI/Ling-lite, configuration_bailing_moe.py",
        build,
        DEFAULTS,
    ),
    Family(
        ("bailing_moe_v2",),
        ("BailingMoeV2ForCausalLM",),
        "inclusionAI/Ling-mini-2.0, configuration_bailing_moe_v2.py",
        version2,
        DEFAULTS,
    ),
)
