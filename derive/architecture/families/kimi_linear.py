"""Kimi Linear: three layers of delta attention with a decay per channel, then latent attention."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.families.deepseek import network, shared_width
from derive.architecture.family import Family
from derive.architecture.layers.attention import Mixer
from derive.architecture.layers.decoder import (
    FULL,
    decoder_layer,
    dense_width,
    layer_types,
    read_layers,
)
from derive.architecture.layers.ffn import gated, read_experts
from derive.architecture.layers.mla import latent, read_latent
from derive.architecture.layers.ssm import depthwise, half_step
from derive.architecture.model import assemble, read_outer
from derive.architecture.parts import Cache, linear, norm, vector
from derive.text import tr

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.model import Model
    from derive.architecture.parts import Layer

LINEAR = "linear_attention"
WIDTH = "H_l * d_l"
SPARSE = {"dense": False, "sparse": True}


def build(c: Config) -> Model:
    """The kinds of layers are listed from 1 in linear_attn_config, or from 0 in layer_types."""
    c.data = {"max_position_embeddings": c.data.get("model_max_length"), **c.data}
    read_outer(c)
    c.only("tie_word_embeddings", False)  # the class builds two tables whatever it says
    read_latent(c)
    read_experts(c)
    layers = read_layers(c)
    kinds = attention_kinds(c, layers)
    if c.data.get("mlp_layer_types") is not None:
        c.used.add("first_k_dense_replace")
        sparse = [SPARSE[k] for k in c.words("mlp_layer_types", SPARSE, layers)]
    else:
        c.only("mlp_layer_types", None)
        first = c.integer("first_k_dense_replace", 0)
        sparse = [i >= first for i in range(layers)]
    c.only("moe_layer_freq", 1)
    c.only("mla_use_nope", True)
    c.only("num_nextn_predict_layers", 0)
    dense_width(c, sparse)
    shared = shared_width(c, "num_shared_experts")
    mixers = {FULL: latent(c, bias=c.flag("attention_bias")), LINEAR: delta()}
    made: dict[tuple[str, bool], Layer] = {}
    for kind, moe in dict.fromkeys(zip(kinds, sparse, strict=True)):
        name = f"{'latent' if kind == FULL else 'delta'} {'experts' if moe else 'dense'}"
        ffn = network(shared=shared, bias=True) if moe else gated()
        made[kind, moe] = decoder_layer(c.sheet, name, mixers[kind], ffn)
    return assemble(c, [made[key] for key in zip(kinds, sparse, strict=True)])


def attention_kinds(c: Config, layers: int) -> list[str]:
    """Sizes of the delta attention, and the kind of each layer."""
    names = {
        "H_l": "linear_num_heads",
        "d_l": "linear_head_dim",
        "d_conv": "linear_conv_kernel_dim",
    }
    if c.data.get("linear_attn_config") is None:
        for symbol, name in names.items():
            c.size(symbol, name)
        return layer_types(
            c, layers, lambda i: FULL if i and i % 4 == 0 else LINEAR, (LINEAR, FULL)
        )
    c.used |= {*names.values(), "layer_types"}
    inner = c.table("linear_attn_config")
    inner.size("H_l", "num_heads")
    inner.size("d_l", "head_dim")
    inner.size("d_conv", "short_conv_kernel_size")
    full = set(inner.integers("full_attn_layers", None, 1, layers))
    delta_layers = set(inner.integers("kda_layers", None, 1, layers))
    if full | delta_layers != set(range(1, layers + 1)) or full & delta_layers:
        what = tr("{name} has {count} entries for {length} layers", name=inner.path,
                  count=len(full) + len(delta_layers), length=layers)  # fmt: skip
        inner.reject("full_attn_layers", what, code="M107")
    return [FULL if i + 1 in full else LINEAR for i in range(layers)]


def delta(forget: str = "self_attn.") -> Mixer:
    """q, k, v through a convolution, a decay and a gate through a rank of one head's size.

    `forget` is the path of the decay.
    """
    at = "self_attn."
    tensors = (
        *(t for n in "qkv" for t in linear(f"{at}{n}_proj", "d_model", WIDTH, "ssm")),
        *depthwise(f"{at}conv1d", f"3 * {WIDTH}", bias=False),
        *vector(forget.rstrip("."), "ssm", WIDTH, leaf="dt_bias"),
        *vector(forget.rstrip("."), "ssm", "H_l", leaf="A_log"),
        *linear(f"{forget}f_a_proj", "d_model", "d_l", "ssm"),
        *linear(f"{forget}f_b_proj", "d_l", WIDTH, "ssm"),
        *linear(f"{at}b_proj", "d_model", "H_l", "ssm"),
        *linear(f"{at}g_a_proj", "d_model", "d_l", "ssm"),
        *linear(f"{at}g_b_proj", "d_l", WIDTH, "ssm"),
        *norm(f"{at}o_norm", "d_l"),
        *linear(f"{at}o_proj", WIDTH, "d_model", "ssm"),
    )
    conv = f"3 * {WIDTH}"
    cache = Cache("kimi-delta", state="H_l * d_l * d_l", conv=half_step(conv),
                  conv_library=f"{conv} * d_conv")  # fmt: skip
    return Mixer(tensors, cache)


FAMILIES = (
    Family(
        types=("kimi_linear",),
        classes=("KimiLinearForCausalLM",),
        source="transformers 5.24.0, KimiLinearConfig",
        build=build,
        defaults={
            "q_lora_rank": None,
            "kv_lora_rank": 512,
            "qk_nope_head_dim": 128,
            "qk_rope_head_dim": 64,
            "v_head_dim": 128,
            "linear_num_heads": 32,
            "linear_head_dim": 128,
            "linear_conv_kernel_dim": 4,
            "num_shared_experts": 1,
            "first_k_dense_replace": 1,
            "attention_bias": False,
            "tie_word_embeddings": False,
            "max_position_embeddings": 1048576,
        },
    ),
)
