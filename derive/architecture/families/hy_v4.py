"""Hy4: latent attention with an indexer, gates and sinks; parallel residual streams; experts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.families.deepseek import index_layers, network, shared_width
from derive.architecture.families.deepseek_v4 import stream_head
from derive.architecture.family import Family
from derive.architecture.layers.attention import Mixer
from derive.architecture.layers.decoder import decoder_layer, dense_width, note_rule, read_layers
from derive.architecture.layers.ffn import gated, read_experts
from derive.architecture.layers.mla import latent, read_indexer, read_latent
from derive.architecture.model import assemble, read_outer
from derive.architecture.parts import Tensors, linear, norm, vector
from derive.text import Text, tr

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.model import Model
    from derive.architecture.parts import Layer

STREAMS = "2 * m_hc"
START = Text("a scale, or what a tensor starts from", "缩放系数或张量的初始值")


def build(c: Config) -> Model:
    """The first layer dense; an indexer in the first, the second and every fourth behind it."""
    read_outer(c)
    read_latent(c)
    read_experts(c)
    read_indexer(c)
    c.size("m_hc", "hc_mult")
    c.pass_by(START, "hc_magnitude", "learnable_sink_init")
    layers = read_layers(c)
    if c.has("layer_types"):
        c.words("layer_types", ("indexed_attention",), layers)
    c.used.add("layer_types")
    sparse = expert_layers(c, layers)
    indexed = indexers(c, layers)
    dense_width(c, sparse)
    shared = shared_width(c)
    made: dict[tuple[bool, bool], Layer] = {}
    for moe, index in sorted(set(zip(sparse, indexed, strict=True))):
        name, ffn = ("experts", network(shared=shared, bias=True)) if moe else ("dense", gated())
        streams = (*streamed("attn_hc"), *streamed("ffn_hc"))
        made[moe, index] = decoder_layer(c.sheet, name, attention(c, index), (*ffn, *streams))
    stack = [made[key] for key in zip(sparse, indexed, strict=True)]
    last = (*norm("model.norm"), *stream_head("model.hc_head"))
    model = assemble(c, stack, final=last)
    model.absent.append(tr("layers for further tokens are not counted: the checkpoint holds them, "
                           "but neither its config nor the library describes them"))  # fmt: skip
    return model


def expert_layers(c: Config, layers: int) -> list[bool]:
    """A list of kinds, or all layers but the first."""
    if c.has("mlp_layer_types"):
        return [k == "sparse" for k in c.words("mlp_layer_types", ("dense", "sparse"), layers)]
    c.only("mlp_layer_types", None)
    note_rule(c, "mlp_layer_types")
    return [index > 0 for index in range(layers)]


def indexers(c: Config, layers: int) -> list[bool]:
    """Which layers choose tokens by themselves; the others reuse the choice before."""
    if c.has("indexer_types"):
        found = index_layers(c, layers)
        if not found[0]:
            what = tr("{name}: the first layer has no earlier choice to reuse",
                      name=c.where("indexer_types"))  # fmt: skip
            c.reject("indexer_types", what, code="M107")
        return found
    c.only("indexer_types", None)
    note_rule(c, "indexer_types")
    return [index == 0 or (index - 1) % 4 == 0 for index in range(layers)]


def attention(c: Config, index: bool) -> Mixer:
    """A gate as wide as the values, and a sink for each head."""
    whole = latent(c, bias=c.flag("attention_bias"), indexer=True, index=index)
    more: Tensors = (
        *linear("self_attn.gate_proj", "d_model", "H_q * d_v", "attention"),
        *vector("self_attn", "attention", "H_q", leaf="sinks"),
    )
    return Mixer((*whole.tensors, *more), whole.cache)


def streamed(name: str) -> Tensors:
    """Mixing of the parallel residual streams, without the matrix between them."""
    return (
        *vector(name, "other", STREAMS, "m_hc", "d_model", leaf="fn"),
        *vector(name, "other", STREAMS, leaf="base"),
        *vector(name, "other", "2", leaf="scale"),
    )


DEFAULTS: dict[str, object] = {
    "num_key_value_heads": 32,
    "q_lora_rank": 1536,
    "kv_lora_rank": 512,
    "qk_nope_head_dim": 192,
    "qk_rope_head_dim": 64,
    "v_head_dim": 256,
    "index_n_heads": 16,
    "index_head_dim": 128,
    "index_topk": 2048,
    "hc_mult": 4,
    "n_shared_experts": 1,
    "attention_bias": False,
    "tie_word_embeddings": False,
    "max_position_embeddings": 262144,
}
FAMILIES = (
    Family(
        types=("hy_v4",),
        classes=("HYV4ForCausalLM",),
        source="transformers 5.24.0, HYV4Config",
        build=build,
        defaults=DEFAULTS,
    ),
)
