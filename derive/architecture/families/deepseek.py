"""DeepSeek V2, V3, V3.2 and models of their class: latent attention, fine-grained experts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.family import Family
from derive.architecture.layers.attention import grouped_query, read_heads
from derive.architecture.layers.decoder import (
    decoder_layer,
    dense_width,
    first_dense,
    read_layers,
)
from derive.architecture.layers.ffn import SHARED, correction, experts, gated, read_experts, router
from derive.architecture.layers.mla import latent, read_indexer, read_latent
from derive.architecture.layers.mtp import next_token_layers
from derive.architecture.model import assemble, read_outer
from derive.architecture.parts import norm
from derive.text import tr

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.model import Model, Naming
    from derive.architecture.parts import Layer, Tensors


LATENT = ("qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim")


def sparse_layers(c: Config, layers: int) -> list[bool]:
    """Which layers have experts: a list of kinds, a list of the frequency, or all but the first."""
    c.used |= {"moe_layer_freq", "first_k_dense_replace"}
    if c.data.get("mlp_layer_types") is not None:
        kinds = c.words("mlp_layer_types", ("dense", "sparse"), layers)
        sparse = [kind == "sparse" for kind in kinds]
        if "first_k_dense_replace" in c.data and first_dense(c, layers) != sparse:
            what = tr("{first} and {second} mean the same and differ",
                      first="first_k_dense_replace", second="mlp_layer_types")  # fmt: skip
            c.reject("mlp_layer_types", what, code="M107")
        return sparse
    c.only("mlp_layer_types", None)
    if isinstance(c.data.get("moe_layer_freq"), list):
        frequency = c.integers("moe_layer_freq", layers, 0, 1)
        return [bool(f) for f in frequency]
    c.only("moe_layer_freq", 1)  # other steps mean different things to release and library
    return first_dense(c, layers)


def shared_width(c: Config, name: str = "n_shared_experts") -> bool:
    """d_s of the shared experts, which are stored as one; False where there are none."""
    count = c.maybe(name, 0)
    if not count:
        return False
    c.sheet.let("n_s", count, c.origin(name))
    return True


def network(*, shared: bool, bias: bool) -> Tensors:
    """Router, experts, shared expert, correction bias."""
    made = (*router(), *experts())
    made += gated("n_s * d_e", kind="shared_expert", names=SHARED) if shared else ()
    return made + correction() if bias else made


def stack(
    c: Config,
    *,
    bias: bool,
    indexer: bool = False,
    after: str = "",
    naming: Naming | None = None,
    tied: bool | None = None,
) -> Model:
    """Dense layers first, then layers with experts; `bias` is the router's correction.

    `after` is the path of a norm behind the experts.
    """
    read_outer(c)
    dense_heads = bool(c.data.get("use_mla") is False)
    c.only("use_mla", True, False)
    if dense_heads:  # the smallest VL2 has plain attention and says so by noughts
        read_heads(c, head_dim="")
        c.used |= {"q_lora_rank", "kv_lora_rank", *LATENT}
    else:
        read_latent(c)
    read_experts(c)
    if indexer:
        read_indexer(c)
    layers = read_layers(c)
    sparse = sparse_layers(c, layers)
    dense_width(c, sparse)
    shared = shared_width(c)
    c.only("mlp_bias", False)
    if c.has("layer_types"):
        c.words("layer_types", ("indexed_attention", "deepseek_sparse_attention"), layers)
    c.only("layer_types", *([c.data.get("layer_types")] if indexer else []), None)
    attention = c.flag("attention_bias")
    indexed = index_layers(c, layers) if indexer else [False] * layers

    def make(moe: bool, index: bool) -> Layer:
        mixer = (
            grouped_query(c.sheet, bias=attention)
            if dense_heads
            else latent(c, bias=attention, indexer=indexer, index=index)
        )
        ffn = network(shared=shared, bias=bias) if moe else gated()
        ffn += norm(after) if moe and after else ()
        return decoder_layer(c.sheet, "experts" if moe else "dense", mixer, ffn)

    made = {key: make(*key) for key in sorted(set(zip(sparse, indexed, strict=True)))}
    stacked = [made[key] for key in zip(sparse, indexed, strict=True)]
    model = assemble(c, stacked, naming=naming, tied=tied)
    count = c.maybe("num_nextn_predict_layers", 0, 16)
    if count and any(sparse):
        next_token_layers(c, model, make(True, indexer), count)
    return model


def index_layers(c: Config, layers: int) -> list[bool]:
    """Which layers run an indexer of their own; GLM lets some reuse an earlier choice."""
    c.used |= {"index_topk_freq", "index_topk_pattern", "index_skip_topk_offset", "indexer_types",
               "index_share_for_mtp_iteration", "indexer_rope_interleave"}  # fmt: skip
    pattern = c.data.get("index_topk_pattern")
    if c.data.get("indexer_types") is not None:
        return [k == "full" for k in c.words("indexer_types", ("full", "shared"), layers)]
    if pattern is not None:
        if not isinstance(pattern, str) or len(pattern) != layers or set(pattern) - {"F", "S"}:
            c.reject(
                "index_topk_pattern", tr("{name} is not understood", name="index_topk_pattern")
            )
        return [letter == "F" for letter in pattern]
    every = c.integer("index_topk_freq") if c.data.get("index_topk_freq") is not None else 1
    named = c.data.get("index_skip_topk_offset") is not None
    first = c.integer("index_skip_topk_offset", 0) if named else 2
    return [max(i - first + 1, 0) % every == 0 for i in range(layers)]


def deepseek_v2(c: Config) -> Model:
    """No correction bias on the router."""
    return stack(c, bias=False)


def deepseek_v3(c: Config) -> Model:
    """A correction bias on the router, and layers for further tokens in the checkpoint."""
    return stack(c, bias=True)


def deepseek_v32(c: Config) -> Model:
    """V3 with a sparse indexer."""
    return stack(c, bias=True, indexer=True)


V2: dict[str, object] = {
    "num_key_value_heads": None,
    "q_lora_rank": 1536,
    "kv_lora_rank": 512,
    "qk_nope_head_dim": 128,
    "qk_rope_head_dim": 64,
    "v_head_dim": 128,
    "n_shared_experts": 2,
    "first_k_dense_replace": 0,
    "attention_bias": False,
    "num_nextn_predict_layers": None,
    "tie_word_embeddings": False,
    "max_position_embeddings": 2048,
}
V3: dict[str, object] = {
    **V2,
    "n_shared_experts": 1,
    "first_k_dense_replace": 3,
    "max_position_embeddings": 4096,
}
V32: dict[str, object] = {
    **V3,
    "index_n_heads": 64,
    "index_head_dim": 128,
    "index_topk": 2048,
    "max_position_embeddings": 163840,
}
GLM_DSA: dict[str, object] = {
    **V32,
    "q_lora_rank": 2048,
    "qk_nope_head_dim": 192,
    "v_head_dim": 256,
    "index_n_heads": 32,
    "max_position_embeddings": 202752,
}
GLM_LITE: dict[str, object] = {
    **V3,
    "q_lora_rank": 768,
    "qk_nope_head_dim": 192,
    "v_head_dim": 256,
    "first_k_dense_replace": 1,
    "max_position_embeddings": 202752,
}


def source(name: str) -> str:
    """The class whose defaults are taken."""
    return f"transformers 5.24.0, {name}Config"


FAMILIES = (
    Family(
        ("deepseek_v2",), ("DeepseekV2ForCausalLM",), source("DeepseekV2"), deepseek_v2, V2
    ),
    Family(
        ("deepseek_v3", "kimi_k2"),
        ("DeepseekV3ForCausalLM", "KimiK2ForCausalLM"),
        source("DeepseekV3"),
        deepseek_v3,
        V3,
    ),
    Family(
        ("deepseek_v32",), ("DeepseekV32ForCausalLM",), source("DeepseekV32"), deepseek_v32, V32
    ),
    Family(
        ("glm_moe_dsa",), ("GlmMoeDsaForCausalLM",), source("GlmMoeDsa"), deepseek_v32, GLM_DSA
    ),
    Family(
        ("glm4_moe_lite",),
        ("Glm4MoeLiteForCausalLM",),
        source("Glm4MoeLite"),
        deepseek_v3,
        GLM_LITE,
    ),
)  # fmt: skip
