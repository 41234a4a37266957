"""DBRX: attention and experts in nested objects, fused projections."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.family import Family
from derive.architecture.layers.attention import Names, grouped_query, read_heads, set_kv_heads
from derive.architecture.layers.decoder import decoder_layer, read_layers
from derive.architecture.layers.ffn import experts, read_experts, router
from derive.architecture.model import Naming, assemble, read_outer

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.model import Model

NAMES = Names(qkv="norm_attn_norm.attn.Wqkv", o="norm_attn_norm.attn.out_proj")
NORMS = ("norm_attn_norm.norm_1", "norm_attn_norm.norm_2")
EXPERTS = ("ffn.experts.mlp.{e}.w1", "ffn.experts.mlp.{e}.v1", "ffn.experts.mlp.{e}.w2")
NAMING = Naming(("transformer.blocks.{i}.",), "transformer.wte", "transformer.norm_f")


def build(c: Config) -> Model:
    """Every layer with experts."""
    read_outer(c)
    read_heads(c, head_dim="", kv="")
    attention = c.table("attn_config")
    set_kv_heads(attention, attention.integer("kv_n_heads"), attention.origin("kv_n_heads"))
    ffn = c.table("ffn_config")
    read_experts(ffn, "ffn_hidden_size")
    for part in (attention, ffn):
        part.used |= {"model_type", "hidden_size", "num_experts_per_tok"}
    mixer = grouped_query(c.sheet, names=NAMES)
    network = (*router("ffn.router.layer"), *experts(names=EXPERTS))
    one = decoder_layer(c.sheet, "decoder", mixer, network, norms=NORMS)
    return assemble(c, [one] * read_layers(c), naming=NAMING)


FAMILIES = (
    Family(
        types=("dbrx",),
        classes=("DbrxForCausalLM",),
        source="transformers 5.24.0, DbrxConfig",
        build=build,
        defaults={"tie_word_embeddings": False, "max_position_embeddings": 2048},
    ),
)
