"""Mistral Large 4: indexed latent attention without a rank of queries, some layers unrotated."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.families.deepseek import (
    GLM_DSA,
    index_layers,
    network,
    shared_width,
    sparse_layers,
)
from derive.architecture.families.mistral3 import NAMING, seeing
from derive.architecture.family import Family
from derive.architecture.layers.attention import Mixer
from derive.architecture.layers.decoder import NO_ROLE, decoder_layer, dense_width, read_layers
from derive.architecture.layers.ffn import gated, read_experts
from derive.architecture.layers.mla import read_indexer, read_latent
from derive.architecture.layers.tower import text_table
from derive.architecture.model import assemble, read_outer, read_tied
from derive.architecture.parts import Cache, Tensors, linear, norm, vector
from derive.text import tr

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.model import Model, Naming
    from derive.architecture.parts import Layer

AT = "self_attn."
KV_ROTATED = {True: "r_kv + d_rope", False: "r_kv"}


def text(c: Config, naming: Naming, tied: bool) -> Model:
    """Layers of four choices: experts, an indexer, rotation, a latent of its own."""
    read_outer(c)
    c.data = {**c.data, "q_lora_rank": None}
    read_latent(c)
    read_experts(c)
    read_indexer(c, ranked=False)
    layers = read_layers(c)
    sparse, indexed = sparse_layers(c, layers), index_layers(c, layers)
    if c.has("layer_types"):
        c.words("layer_types", ("indexed_attention",), layers)
    c.used.add("layer_types")
    dense_width(c, sparse)
    shared = shared_width(c)
    bias = c.flag("attention_bias")
    c.only("mlp_bias", False)
    c.pass_by(NO_ROLE, "final_logit_softcapping")
    made: dict[tuple[bool, ...], Layer] = {}
    keys = list(zip(sparse, indexed, rotated(c, layers), own_latents(c, layers), strict=True))
    for key in dict.fromkeys(keys):
        moe, *rest = key
        name, ffn = ("experts", network(shared=shared, bias=True)) if moe else ("dense", gated())
        made[key] = decoder_layer(c.sheet, name, attention(*rest, bias=bias), ffn)
    stack = [made[key] for key in keys]
    frequencies = vector("model.rotary_emb", "other", "d_rope / 2", leaf="alpha")
    return assemble(c, stack, naming=naming, tied=tied, before=frequencies)


def rotated(c: Config, layers: int) -> list[bool]:
    """Which layers rotate a part of each head; where nothing is said, all but every fourth."""
    c.used |= {"no_rope_layers", "no_rope_layer_interval"}
    if c.has("no_rope_layers"):
        return [bool(r) for r in c.integers("no_rope_layers", layers, 0, 1)]
    every = c.integer("no_rope_layer_interval")
    return [(index + 1) % every != 0 for index in range(layers)]


def own_latents(c: Config, layers: int) -> list[bool]:
    """Which layers make a latent of their own; the others read that of an earlier one."""
    if not c.has("kv_source_layers"):
        c.only("kv_source_layers", None)
        return [True] * layers
    sources = c.integers("kv_source_layers", layers, 0, layers - 1)
    if any(at > index or sources[at] != at for index, at in enumerate(sources)):
        c.reject("kv_source_layers", tr("{name} is not understood", name="kv_source_layers"))
    return [at == index for index, at in enumerate(sources)]


def attention(index: bool, rotate: bool, own: bool, *, bias: bool) -> Mixer:
    """Learned scales on the queries; a layer without a latent keeps the matrix behind it."""
    kept = KV_ROTATED[rotate]
    behind = "d_nope + d_v" if rotate else "d_nope + d_rope + d_v"
    tensors: Tensors = linear(f"{AT}q_proj", "d_model", "H_q * (d_nope + d_rope)", "attention")
    if own:
        tensors += linear(f"{AT}kv_a_proj_with_mqa", "d_model", kept, "attention", bias=bias)
        tensors += norm(f"{AT}kv_a_layernorm", "r_kv")
    tensors += (
        *linear(f"{AT}kv_b_proj", "r_kv", f"H_q * ({behind})", "attention"),
        *linear(f"{AT}o_proj", "H_q * d_v", "d_model", "attention", bias=bias),
        *scaling(AT, "attention", "H_q"),
        *(index_heads() if index else ()),
    )
    cache = Cache(
        ("mla+indexer" if index else "mla") if own else "kv-shared",
        kept if own else "0",
        flops="2 * H_q * (d_nope + d_rope + d_v)",
        absorbed=f"2 * H_q * (r_kv + {kept})",
        index="d_i" if index else "0",
        scores="2 * H_i * d_i" if index else "0",
        topk="k_i",
        shared=not own,
        again="0" if own else kept,
        shown=(("q_heads", "H_q"), ("kv_lora_rank", "r_kv")),
    )
    return Mixer(tensors, cache)


def scaling(at: str, kind: str, heads: str) -> Tensors:
    """A scale and a shift of each head, for the logarithm of the position."""
    return (
        *vector(f"{at}softmax_scaling", kind, heads, leaf="scale"),
        *vector(f"{at}softmax_scaling", kind, heads, leaf="bias"),
    )


def index_heads() -> Tensors:
    """Queries of the indexer from the hidden state, behind a norm of their own."""
    at = f"{AT}indexer."
    return (
        *norm(f"{at}q_input_norm", "d_model", bias=True),
        *linear(f"{at}wq_b", "d_model", "H_i * d_i", "indexer"),
        *linear(f"{at}wk", "d_model", "d_i", "indexer"),
        *norm(f"{at}k_norm", "d_i", bias=True),
        *linear(f"{at}weights_proj", "d_model", "H_i", "indexer", plain=False),
        *scaling(at, "indexer", "H_i"),
    )


def build(c: Config) -> Model:
    """With the tower of Pixtral."""
    inner = text_table(c, TEXT, "transformers 5.24.0, MistralLarge4TextConfig")
    inner.only("model_type", "mistral_large4_text")
    return seeing(c, inner, text(inner, NAMING, read_tied(inner, c)))


TEXT: dict[str, object] = {
    **GLM_DSA,
    "vocab_size": 204800,
    "hidden_size": 6144,
    "intermediate_size": 24576,
    "moe_intermediate_size": 6144,
    "num_hidden_layers": 72,
    "num_attention_heads": 64,
    "num_experts": 128,
    "num_experts_per_tok": 4,
    "qk_nope_head_dim": 64,
    "v_head_dim": 128,
    "first_k_dense_replace": 1,
    "no_rope_layer_interval": 4,
    "max_position_embeddings": 1048576,
}
FAMILIES = (
    Family(
        types=("mistral_large4",),
        classes=("MistralLarge4ForConditionalGeneration",),
        source="transformers 5.24.0, MistralLarge4Config",
        build=build,
        defaults={
            "tie_word_embeddings": False,
            "spatial_merge_size": 2,
            "multimodal_projector_bias": False,
        },
    ),
)
