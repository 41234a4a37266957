"""Ling 3 (bailing_hybrid): delta attention, every sixth layer latent with a gate on each head."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.families.deepseek import network, shared_width
from derive.architecture.family import Family
from derive.architecture.layers.attention import Mixer
from derive.architecture.layers.decoder import (
    FULL,
    decoder_layer,
    dense_width,
    first_dense,
    layer_types,
    read_layers,
)
from derive.architecture.layers.ffn import gated, read_experts
from derive.architecture.layers.mla import latent, read_latent
from derive.architecture.layers.ssm import depthwise, half_step
from derive.architecture.model import assemble, read_outer
from derive.architecture.parts import Cache, linear, norm, vector
from derive.text import Text, tr

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.model import Model
    from derive.architecture.parts import Layer

LINEAR, WIDTH, AT = "linear_attention", "H_l * d_l", "self_attn."
GATE = Text("how the forget gate is bounded", "遗忘门的取值范围")


def build(c: Config) -> Model:
    """Experts behind the first dense layers; the correction bias is a buffer."""
    read_outer(c)
    c.only("tie_word_embeddings", False)  # the class builds two tables whatever it says
    read_latent(c)
    read_experts(c)
    read_delta(c)
    c.pass_by(GATE, "kda_safe_gate", "kda_lower_bound")
    layers, every = read_layers(c), c.integer("layer_group_size")
    kinds = layer_types(c, layers, lambda i: LINEAR if (i + 1) % every else FULL, (LINEAR, FULL))
    sparse = first_dense(c, layers)
    if c.has("mlp_layer_types"):
        sparse = [k == "sparse" for k in c.words("mlp_layer_types", ("dense", "sparse"), layers)]
    c.used.add("mlp_layer_types")
    dense_width(c, sparse)
    named = "num_shared_experts" if c.has("num_shared_experts") else "n_shared_experts"
    shared = shared_width(c, named)
    whole = latent(c, bias=c.flag("attention_bias"))
    gate = linear(f"{AT}g_proj", "d_model", "H_q", "attention")
    mixers = {FULL: Mixer((*whole.tensors, *gate), whole.cache), LINEAR: delta()}
    made: dict[tuple[str, bool], Layer] = {}
    for kind, moe in dict.fromkeys(zip(kinds, sparse, strict=True)):
        name = f"{'latent' if kind == FULL else 'delta'} {'experts' if moe else 'dense'}"
        ffn = network(shared=shared, bias=True) if moe else gated()
        made[kind, moe] = decoder_layer(c.sheet, name, mixers[kind], ffn)
    model = assemble(c, [made[key] for key in zip(kinds, sparse, strict=True)])
    if c.maybe("num_nextn_predict_layers", 0, 16):
        model.absent.append(tr("a layer for further tokens, named by the config, is not counted"))
    return model


def read_delta(c: Config) -> None:
    """Sizes of delta attention; what the library saves for it prevails over head_dim.

    A saved file holds in head_dim the rotated part of latent attention.
    """
    c.harmless.pop("head_dim", None)  # idle in latent attention alone
    for symbol, saved, field in (
        ("H_l", "linear_num_heads", "num_attention_heads"),
        ("d_l", "linear_head_dim", "head_dim"),
        ("d_conv", "linear_conv_kernel_dim", "short_conv_kernel_size"),
    ):
        c.used |= {saved, field}
        c.size(symbol, saved if c.has(saved) else field)


def delta() -> Mixer:
    """Kimi's delta attention with whole matrices for decay and gate."""
    tensors = (
        *(t for n in "qkv" for t in linear(f"{AT}{n}_proj", "d_model", WIDTH, "ssm")),
        *depthwise(f"{AT}conv1d", f"3 * {WIDTH}", bias=False),
        *vector(f"{AT}forget_gate", "ssm", WIDTH, leaf="dt_bias"),
        *vector(f"{AT}forget_gate", "ssm", "H_l", leaf="A_log"),
        *linear(f"{AT}forget_gate.f_proj", "d_model", WIDTH, "ssm"),
        *linear(f"{AT}b_proj", "d_model", "H_l", "ssm"),
        *linear(f"{AT}g_proj", "d_model", WIDTH, "ssm"),
        *norm(f"{AT}o_norm", "d_l"),
        *linear(f"{AT}o_proj", WIDTH, "d_model", "ssm"),
    )
    conv = f"3 * {WIDTH}"
    cache = Cache("kimi-delta", state="H_l * d_l * d_l", conv=half_step(conv),
                  conv_library=f"{conv} * d_conv")  # fmt: skip
    return Mixer(tensors, cache)


FAMILIES = (
    Family(
        types=("bailing_hybrid",),
        classes=("BailingHybridForCausalLM",),
        source="transformers 5.24.0, BailingHybridConfig",
        build=build,
        defaults={
            "q_lora_rank": None,
            "kv_lora_rank": 512,
            "qk_nope_head_dim": 128,
            "qk_rope_head_dim": 64,
            "v_head_dim": 128,
            "head_dim": 128,
            "short_conv_kernel_size": 4,
            "layer_group_size": 6,
            "n_shared_experts": 1,
            "first_k_dense_replace": 2,
            "attention_bias": False,
            "num_nextn_predict_layers": 1,
            "tie_word_embeddings": False,
            "max_position_embeddings": 262144,
        },
    ),
)
