"""Jamba: one attention layer in eight, Mamba in the others, experts in every other layer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.families.mamba import read_inner, read_step_rank
from derive.architecture.family import Family
from derive.architecture.layers.attention import grouped_query, read_heads
from derive.architecture.layers.decoder import decoder_layer, read_layers
from derive.architecture.layers.ffn import experts, gated, read_experts, router
from derive.architecture.layers.ssm import mamba1
from derive.architecture.model import Naming, assemble, read_outer
from derive.architecture.parts import norm

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.model import Model

NORMS = ("input_layernorm", "pre_ff_layernorm")
FFN = tuple(f"feed_forward.{n}_proj" for n in ("gate", "up", "down"))
EXPERTS = tuple(f"feed_forward.experts.{{e}}.{n}_proj" for n in ("gate", "up", "down"))
NAMING = Naming(norm="model.final_layernorm")


def build(c: Config) -> Model:
    """Period and offset say which layers have attention, and which have experts."""
    read_outer(c)
    read_heads(c, head_dim="")
    c.size("d_ff", "intermediate_size")
    read_experts(c, "")
    c.sheet.let("d_e", c.sheet["d_ff"], c.origin("intermediate_size"))
    inner = read_inner(c, "mamba_expand")
    c.sheet.let("d_inner", inner, f"{c.origin('mamba_expand')} * {c.origin('hidden_size')}")
    c.size("d_state", "mamba_d_state")
    c.size("d_conv", "mamba_d_conv")
    read_step_rank(c, "mamba_dt_rank")
    c.only("sliding_window", None)
    c.used |= {"layers_block_type", "layer_types"}
    layers = read_layers(c)
    attends, sparse = periodic(c, "attn", layers), periodic(c, "expert", layers)
    scan = mamba1("mamba.", bias=c.flag("mamba_proj_bias"), conv_bias=c.flag("mamba_conv_bias"),
                  inner_norms=True)  # fmt: skip
    mixers = {False: scan, True: grouped_query(c.sheet)}
    wide = c.sheet["E"] > 1
    networks = {
        True: (*router("feed_forward.router"), *experts(names=EXPERTS)),
        False: gated(names=FFN),
    }
    made = {
        key: decoder_layer(
            c.sheet,
            f"{'attention' if key[0] else 'mamba'} {'experts' if key[1] else 'dense'}",
            mixers[key[0]],
            networks[key[1] and wide],
            norms=NORMS,
        )
        for key in sorted(set(zip(attends, sparse, strict=True)))
    }
    stack = [made[key] for key in zip(attends, sparse, strict=True)]
    return assemble(c, stack, naming=NAMING, final=norm(NAMING.norm))


def periodic(c: Config, what: str, layers: int) -> list[bool]:
    """Layers whose number leaves the offset when divided by the period."""
    period = c.integer(f"{what}_layer_period")
    offset = c.integer(f"{what}_layer_offset", 0, period - 1)
    return [i % period == offset for i in range(layers)]


FAMILIES = (
    Family(
        types=("jamba",),
        classes=("JambaForCausalLM",),
        source="transformers 5.24.0, JambaConfig",
        build=build,
        defaults={
            "num_key_value_heads": 8,
            "expert_layer_period": 2,
            "expert_layer_offset": 1,
            "attn_layer_period": 8,
            "attn_layer_offset": 4,
            "mamba_d_state": 16,
            "mamba_d_conv": 4,
            "mamba_expand": 2,
            "mamba_dt_rank": "auto",
            "mamba_conv_bias": True,
            "mamba_proj_bias": False,
            "tie_word_embeddings": False,
            "max_position_embeddings": 262144,
        },
    ),
)
