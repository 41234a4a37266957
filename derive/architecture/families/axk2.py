"""A.X K2: indexed latent attention with a gate from the rank; norms followed by a narrow gate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.families.deepseek import V32, network, shared_width, sparse_layers
from derive.architecture.family import Family
from derive.architecture.layers.attention import Mixer
from derive.architecture.layers.decoder import dense_width, read_layers
from derive.architecture.layers.ffn import gated, read_experts
from derive.architecture.layers.mla import latent, read_indexer, read_latent
from derive.architecture.model import assemble, read_outer
from derive.architecture.parts import Tensors, layer, linear, norm

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.model import Model
    from derive.architecture.parts import Layer

BEFORE, BETWEEN = "input_layernorm", "post_attention_layernorm"


def build(c: Config) -> Model:
    """The first layer dense unless the file says otherwise; every layer chooses its tokens."""
    read_outer(c)
    read_latent(c)
    read_experts(c)
    read_indexer(c)
    c.size("r_g", "gated_norm_rank")
    layers = read_layers(c)
    sparse = sparse_layers(c, layers)
    if c.has("layer_types"):
        c.words("layer_types", ("indexed_attention",), layers)
    c.used.add("layer_types")
    dense_width(c, sparse)
    shared = shared_width(c)
    c.only("mlp_bias", False)
    mixer = attention(c)

    def make(moe: bool) -> Layer:
        between = gated_norm(BETWEEN) if moe else norm(BETWEEN)
        ffn = network(shared=shared, bias=True) if moe else gated()
        tensors = (*gated_norm(BEFORE), *mixer.tensors, *between, *ffn)
        return layer(c.sheet, "experts" if moe else "dense", tensors, mixer.cache)

    made = {moe: make(moe) for moe in sorted(set(sparse))}
    return assemble(c, [made[moe] for moe in sparse])


def gated_norm(name: str) -> Tensors:
    """A norm whose output is scaled by a gate through a small rank."""
    return (
        *norm(f"{name}.norm"),
        *linear(f"{name}.mlp.fc1", "d_model", "r_g", "other"),
        *linear(f"{name}.mlp.fc2", "r_g", "d_model", "other"),
    )


def attention(c: Config) -> Mixer:
    """One matrix makes queries and gate, from the rank before and behind its norm."""
    whole = latent(c, bias=c.flag("attention_bias"), indexer=True)
    rest = tuple(t for t in whole.tensors if t.module != "self_attn.q_b_proj")
    both = linear("self_attn.q_gate_proj", "2 * r_q", "H_q * (d_nope + d_rope + d_v)", "attention")
    return Mixer((*rest, *both), whole.cache)


FAMILIES = (
    Family(
        types=("axk2",),
        classes=("AXK2ForCausalLM",),
        source="transformers 5.24.0, AXK2Config",
        build=build,
        defaults={
            **V32,
            "q_lora_rank": 384,
            "kv_lora_rank": 128,
            "qk_nope_head_dim": 64,
            "qk_rope_head_dim": 32,
            "v_head_dim": 64,
            "index_n_heads": 16,
            "gated_norm_rank": 16,
            "first_k_dense_replace": 1,
            "max_position_embeddings": 131072,
        },
    ),
)
