"""Falcon 7B, 40B, 180B: which field counts for the key-value heads depends on a switch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.family import Family
from derive.architecture.layers.attention import Names, grouped_query, read_heads, set_kv_heads
from derive.architecture.layers.decoder import NO_ROLE, decoder_layer, read_layers
from derive.architecture.layers.ffn import plain
from derive.architecture.model import Naming, assemble, read_outer
from derive.architecture.parts import norm

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.model import Model

NAMES = Names(qkv="self_attention.query_key_value", o="self_attention.dense")
NAMING = Naming(("transformer.h.{i}.",), "transformer.word_embeddings", "transformer.ln_f")


def build(c: Config) -> Model:
    """With the new architecture num_kv_heads rules; without it multi_query means one head."""
    read_outer(c)
    read_heads(c, head_dim="", kv="")
    new, single = c.flag("new_decoder_architecture"), c.flag("multi_query")
    heads = c.maybe("num_key_value_heads")
    if new:
        set_kv_heads(c, heads, c.origin("num_key_value_heads"))
    elif single:
        set_kv_heads(c, 1, c.origin("multi_query"))
    width = c.maybe("intermediate_size")
    source = c.origin("intermediate_size") if width else f"4 * {c.origin('hidden_size')}"
    c.sheet.let("d_ff", width or 4 * c.sheet["d_model"], source)
    c.pass_by(NO_ROLE, "alibi", "apply_residual_connection_post_layernorm")
    if single and not new:
        c.pass_by(NO_ROLE, c.spelled("num_key_value_heads"))
    bias, count = c.flag("bias"), norms(c, new=new)
    mixer = grouped_query(c.sheet, bias=bias, names=NAMES)
    network = plain(names=("mlp.dense_h_to_4h", "mlp.dense_4h_to_h"), bias=bias)
    one = decoder_layer(c.sheet, "decoder", mixer, network, norms=count, norm_bias=True)
    return assemble(c, [one] * read_layers(c), naming=NAMING, final=norm(NAMING.norm, bias=True))


def norms(c: Config, *, new: bool) -> tuple[str, ...]:
    """One norm for both branches, or one for each."""
    count = c.maybe("num_ln_in_parallel_attn", 1, 2)
    if not c.flag("parallel_attn"):
        return ("input_layernorm", "post_attention_layernorm")
    if count == 2 or (count is None and new):
        return ("ln_attn", "ln_mlp")
    return ("input_layernorm",)


FAMILIES = (
    Family(
        types=("falcon",),
        classes=("FalconForCausalLM", "RWForCausalLM"),
        source="transformers 5.24.0, FalconConfig",
        build=build,
        defaults={
            "num_key_value_heads": None,
            "num_ln_in_parallel_attn": None,
            "new_decoder_architecture": False,
            "multi_query": True,
            "parallel_attn": True,
            "bias": False,
            "intermediate_size": None,
            "tie_word_embeddings": True,
            "max_position_embeddings": 2048,
        },
    ),
)
