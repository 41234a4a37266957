"""Bamba (Mamba-2 with a few attention layers) and Falcon-H1 (both side by side in every layer)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.families.mamba import read_inner
from derive.architecture.family import Family
from derive.architecture.layers.attention import grouped_query, read_heads
from derive.architecture.layers.decoder import NO_ROLE, decoder_layer, read_layers
from derive.architecture.layers.ffn import gated
from derive.architecture.layers.ssm import mamba2, read_mamba2, side_by_side
from derive.architecture.model import Naming, assemble, read_outer
from derive.architecture.parts import norm

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.model import Model
    from derive.architecture.parts import Tensors

NORMS = ("input_layernorm", "pre_ff_layernorm")
FFN = tuple(f"feed_forward.{n}_proj" for n in ("gate", "up", "down"))
NAMING = Naming(norm="model.final_layernorm")


def start(c: Config, head_dim: str) -> Tensors:
    """Sizes that both read; the network."""
    read_outer(c)
    read_heads(c, head_dim=head_dim)
    c.size("d_ff", "intermediate_size")
    return gated(names=FFN, bias=c.flag("mlp_bias"))


def bamba(c: Config) -> Model:
    """attn_layer_indices names the layers with attention."""
    network = start(c, "")
    read_mamba2(c, inner=read_inner(c, "mamba_expand"))
    c.used |= {"layers_block_type", "layer_types", "z_loss_coefficient"}
    layers = read_layers(c)
    listed = c.value("attn_layer_indices")
    attends = set(c.integers("attn_layer_indices", None, 0, layers - 1)) if listed else set()
    scan = mamba2("mamba.", bias=c.flag("mamba_proj_bias"), conv_bias=c.flag("mamba_conv_bias"))
    attention = grouped_query(c.sheet, bias=c.flag("attention_bias"))
    made = {
        True: decoder_layer(c.sheet, "attention", attention, network, norms=NORMS),
        False: decoder_layer(c.sheet, "mamba2", scan, network, norms=NORMS),
    }
    stack = [made[i in attends] for i in range(layers)]
    return assemble(c, stack, naming=NAMING, final=norm(NAMING.norm))


def falcon_h1(c: Config) -> Model:
    """mamba_d_ssm, where given, beats mamba_expand."""
    network = start(c, "head_dim")
    read_mamba2(c, inner=read_inner(c, "mamba_expand", explicit="mamba_d_ssm"))
    c.only("projectors_bias", False)
    c.only("mamba_use_mlp", True)
    c.only("attn_layer_indices", None)
    c.pass_by(NO_ROLE, "mamba_norm_before_gate")
    c.used |= {"layers_block_type", "layer_types"}
    scan = mamba2(
        "mamba.",
        bias=c.flag("mamba_proj_bias"),
        out_bias=False,
        conv_bias=c.flag("mamba_conv_bias"),
        gated_norm=c.flag("mamba_rms_norm"),
    )
    attention = grouped_query(c.sheet, bias=c.flag("attention_bias"))
    one = decoder_layer(c.sheet, "hybrid", side_by_side(attention, scan), network, norms=NORMS)
    return assemble(c, [one] * read_layers(c), naming=NAMING, final=norm(NAMING.norm))


DEFAULTS: dict[str, object] = {
    "num_key_value_heads": 8,
    "attention_bias": False,
    "mlp_bias": False,
    "mamba_n_heads": 128,
    "mamba_d_head": "auto",
    "mamba_n_groups": 1,
    "mamba_d_state": 256,
    "mamba_d_conv": 4,
    "mamba_expand": 2,
    "mamba_conv_bias": True,
    "mamba_proj_bias": False,
    "tie_word_embeddings": False,
    "max_position_embeddings": 262144,
}

FAMILIES = (
    Family(
        ("bamba",),
        ("BambaForCausalLM",),
        "transformers 5.24.0, BambaConfig",
        bamba,
        {**DEFAULTS, "attn_layer_indices": None},
    ),
    Family(
        ("falcon_h1",),
        ("FalconH1ForCausalLM",),
        "transformers 5.24.0, FalconH1Config",
        falcon_h1,
        {
            **DEFAULTS,
            "head_dim": None,
            "mamba_d_ssm": 1024,
            "mamba_rms_norm": False,
            "max_position_embeddings": 8192,
        },
    ),
)
