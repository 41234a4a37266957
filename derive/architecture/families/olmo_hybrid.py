"""OLMo Hybrid: gated delta-nets, and every fourth layer OLMo 3's attention."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.family import Family
from derive.architecture.layers.attention import Mixer, grouped_query, read_heads
from derive.architecture.layers.decoder import (
    FULL,
    POST_NORMS,
    TWO_NORMS,
    decoder_layer,
    layer_types,
    read_layers,
)
from derive.architecture.layers.ffn import gated
from derive.architecture.layers.ssm import depthwise, half_step
from derive.architecture.model import assemble, read_outer
from derive.architecture.parts import Cache, linear, norm, vector
from derive.text import Text, tr

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.model import Model

LINEAR = "linear_attention"
START = Text("where training starts", "训练的初始值")
AT = "linear_attn."


def build(c: Config) -> Model:
    """Norms after attention and network in full layers, before them in the others."""
    read_outer(c)
    read_heads(c, head_dim="head_dim" if "head_dim" in c.data else "")
    c.size("d_ff", "intermediate_size")
    c.only("mlp_bias", False)
    c.pass_by(START, "linear_a_log_min", "linear_a_log_max", "linear_dt_min", "linear_dt_max",
              "linear_dt_init_floor", "linear_allow_neg_eigval")  # fmt: skip
    read_delta(c)
    layers = read_layers(c)

    def rule(i: int) -> str:
        return FULL if i % 4 == 3 or (layers < 4 and i == layers - 1) else LINEAR

    kinds = layer_types(c, layers, rule, (LINEAR, FULL))
    attention = grouped_query(c.sheet, bias=c.flag("attention_bias"), qk_norm="full")
    made = {
        FULL: decoder_layer(c.sheet, "full", attention, gated(), norms=POST_NORMS),
        LINEAR: decoder_layer(c.sheet, "delta-net", delta(), gated(), norms=TWO_NORMS),
    }
    return assemble(c, [made[kind] for kind in kinds])


def read_delta(c: Config) -> None:
    """Sizes that are null follow from the width and the heads, as the class computes them."""
    for symbol, name in (("H_lk", "linear_num_key_heads"), ("H_lv", "linear_num_value_heads")):
        said = c.maybe(name)
        origin = c.origin(name if said else "num_attention_heads")
        c.sheet.let(symbol, said or c.sheet["H_q"], origin)
    keys = c.maybe("linear_key_head_dim")
    width = 3 * c.sheet["d_model"] // (4 * c.sheet["H_lk"])
    rule = f"3/4 * {c.origin('hidden_size')} / H_lk"
    c.sheet.let("d_lk", keys or width, c.origin("linear_key_head_dim") if keys else rule)
    values = c.maybe("linear_value_head_dim")
    c.sheet.let("d_lv", values or 2 * c.sheet["d_lk"],
                c.origin("linear_value_head_dim") if values else "2 * d_lk")  # fmt: skip
    c.size("d_conv", "linear_conv_kernel_dim")
    if not c.sheet["d_lk"] or c.sheet["H_lv"] % c.sheet["H_lk"]:
        what = tr("{queries} query heads are no multiple of {heads} key-value heads",
                  queries=c.sheet["H_lv"], heads=c.sheet["H_lk"])  # fmt: skip
        c.reject("linear_num_key_heads", what, code="M107")


def delta() -> Mixer:
    """Every input through a matrix of its own, and a gate as wide as the values."""
    keys, values = "H_lk * d_lk", "H_lv * d_lv"
    conv = f"2 * {keys} + {values}"
    tensors = (
        *linear(f"{AT}q_proj", "d_model", keys, "ssm"),
        *linear(f"{AT}k_proj", "d_model", keys, "ssm"),
        *linear(f"{AT}v_proj", "d_model", values, "ssm"),
        *linear(f"{AT}a_proj", "d_model", "H_lv", "ssm"),
        *linear(f"{AT}b_proj", "d_model", "H_lv", "ssm"),
        *linear(f"{AT}g_proj", "d_model", values, "ssm"),
        *depthwise(f"{AT}conv1d", conv, bias=False),
        *vector(AT.rstrip("."), "ssm", "2 * H_lv", leaf="A_log, dt_bias"),
        *norm(f"{AT}o_norm", "d_lv"),
        *linear(f"{AT}o_proj", values, "d_model", "ssm"),
    )
    cache = Cache("gated-deltanet", state="H_lv * d_lk * d_lv", conv=half_step(conv),
                  conv_library=f"({conv}) * d_conv")  # fmt: skip
    return Mixer(tensors, cache)


FAMILIES = (
    Family(
        types=("olmo_hybrid",),
        classes=("OlmoHybridForCausalLM",),
        source="transformers 5.24.0, OlmoHybridConfig",
        build=build,
        defaults={
            "num_key_value_heads": None,
            "attention_bias": False,
            "linear_num_key_heads": None,
            "linear_num_value_heads": None,
            "linear_key_head_dim": None,
            "linear_value_head_dim": None,
            "linear_conv_kernel_dim": 4,
            "tie_word_embeddings": False,
            "max_position_embeddings": 65536,
        },
    ),
)
