"""DeepSeek V4: one latent serves as key and value, older tokens are kept compressed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.family import Family
from derive.architecture.layers.attention import Mixer
from derive.architecture.layers.decoder import note_rule, read_layers
from derive.architecture.layers.ffn import SHARED, correction, experts, gated, read_experts, router
from derive.architecture.model import Placed, assemble, read_outer
from derive.architecture.parts import Cache, Tensor, Tensors, layer, linear, norm, vector
from derive.text import Text, tr

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.model import Model
    from derive.architecture.parts import Layer

ROTATION = Text("which part of a head is rotated and how", "只说明每头中旋转的部分与方式")
KINDS = {0: "sliding_attention", 4: "compressed_sparse_attention",
         128: "heavily_compressed_attention"}  # fmt: skip
AT = "self_attn."
STREAMS = "(2 + m_hc) * m_hc"


def build(c: Config) -> Model:
    """Window layers, layers compressed 4 to 1 with an indexer, layers compressed 128 to 1."""
    read_outer(c)
    read_sizes(c)
    layers = read_layers(c)
    kinds, hashed = attention_kinds(c, layers), hash_layers(c, layers)
    made: dict[tuple[str, bool], Layer] = {}
    for key in zip(kinds, hashed, strict=True):
        if key not in made:
            made[key] = one_layer(c, *key)
    head = stream_head("model.hc_head")
    stack = [made[key] for key in zip(kinds, hashed, strict=True)]
    model = assemble(c, stack, final=(*norm("model.norm"), *head))
    further_tokens(c, model, layers)
    return model


def further_tokens(c: Config, model: Model, layers: int) -> None:
    """Layers whose kind the last ratios name, with two projections and a head of streams."""
    count = c.maybe("num_nextn_predict_layers", 0, 16) or 0
    ratios = c.integers("compress_ratios")[layers:] if c.has("compress_ratios") else []
    extra = (
        *norm("enorm"), *norm("hnorm"), *norm("norm"), *stream_head("hc_head"),
        *linear("e_proj", "d_model", "d_model", "mtp"),
        *linear("h_proj", "d_model", "d_model", "mtp"),
    )  # fmt: skip
    model.mtp_layers = count
    for index, ratio in enumerate((*ratios, *[0] * count)[:count]):
        for part in (one_layer(c, KINDS[ratio], hashed=False), layer(c.sheet, "mtp", extra)):
            model.mtp.append(Placed(part, 1, 1, (index,), "mtp", ("mtp.{i}.",)))


def stream_head(name: str) -> Tensors:
    """The parallel residual streams made one again."""
    return (
        *vector(name, "other", "m_hc", "m_hc", "d_model", leaf="hc_fn"),
        *vector(name, "other", "m_hc", leaf="hc_base"),
        *vector(name, "other", "1", leaf="hc_scale"),
    )


def read_sizes(c: Config) -> None:
    """Head counts, ranks, indexer, streams and window."""
    c.size("H_q", "num_attention_heads")
    c.only("num_key_value_heads", 1)
    for symbol, name in (
        ("d_head", "head_dim"), ("r_q", "q_lora_rank"), ("g_o", "o_groups"),
        ("r_o", "o_lora_rank"), ("H_i", "index_n_heads"), ("d_i", "index_head_dim"),
        ("k_i", "index_topk"), ("m_hc", "hc_mult"), ("W", "sliding_window"),
    ):  # fmt: skip
        c.size(symbol, name)
    if c.sheet["H_q"] * c.sheet["d_head"] % c.sheet["g_o"]:
        c.reject("o_groups", tr("{name} does not divide the heads", name="o_groups"), code="M107")
    read_experts(c)
    c.size("n_s", "n_shared_experts", 1, 1)
    c.only("attention_bias", False)
    c.only("mlp_bias", False)
    c.pass_by(ROTATION, "qk_rope_head_dim", "compress_rope_theta")
    c.sheet.let("c_4", 4, "compressed_sparse_attention: 4")
    c.sheet.let("c_128", 128, "heavily_compressed_attention: 128")


def attention_kinds(c: Config, layers: int) -> list[str]:
    """The kind of each layer; the list of ratios has one entry more for the extra layer."""
    c.only("compress_rates", None, {KINDS[4]: 4, KINDS[128]: 128})
    if c.has("layer_types"):
        c.used.add("compress_ratios")
        return c.words("layer_types", KINDS.values(), layers)
    c.only("layer_types", None)
    if not c.has("compress_ratios"):
        c.only("compress_ratios", None)
        note_rule(c, "compress_ratios")
        rest = [KINDS[4] if i % 2 else KINDS[128] for i in range(max(layers - 2, 0))]
        return [KINDS[128]] * min(layers, 2) + rest
    ratios = c.integers("compress_ratios")
    more = c.maybe("num_nextn_predict_layers", 0) or 0
    if not layers <= len(ratios) <= layers + more or set(ratios) - set(KINDS):
        c.reject("compress_ratios", tr("{name} is not understood", name="compress_ratios"))
    return [KINDS[r] for r in ratios[:layers]]


def hash_layers(c: Config, layers: int) -> list[bool]:
    """The first layers choose experts by the token's id, from a table."""
    if c.has("mlp_layer_types"):
        return [k == "hash_moe" for k in c.words("mlp_layer_types", ("hash_moe", "moe"), layers)]
    c.only("mlp_layer_types", None)
    first = c.integer("num_hash_layers", 0)
    return [i < first for i in range(layers)]


def one_layer(c: Config, kind: str, hashed: bool) -> Layer:
    """Norms, two hyper-connections, attention, experts."""
    mixer = attention(kind)
    table = (Tensor("mlp.gate.tid2eid", "buffer", ("V", "k"), leaf=""),)
    tensors = (
        *norm("input_layernorm"), *norm("post_attention_layernorm"),
        *hyper_connection("attn_hc"), *hyper_connection("ffn_hc"),
        *mixer.tensors, *router(), *experts(),
        *gated("n_s * d_e", kind="shared_expert", names=SHARED),
        *(table if hashed else correction()),
    )  # fmt: skip
    return layer(c.sheet, kind.removesuffix("_attention"), tensors, mixer.cache)


def hyper_connection(name: str) -> Tensors:
    """Mixing of the parallel residual streams."""
    return (
        *vector(name, "other", STREAMS, "m_hc", "d_model", leaf="fn"),
        *vector(name, "other", STREAMS, leaf="base"),
        *vector(name, "other", "3", leaf="scale"),
    )


def attention(kind: str) -> Mixer:
    """Queries through a rank, one latent, output in groups through a rank."""
    tensors = (
        *vector("self_attn", "attention", "H_q", leaf="sinks"),
        *linear(f"{AT}q_a_proj", "d_model", "r_q", "attention"),
        *norm(f"{AT}q_a_norm", "r_q"),
        *linear(f"{AT}q_b_proj", "r_q", "H_q * d_head", "attention"),
        *linear(f"{AT}kv_proj", "d_model", "d_head", "attention"),
        *norm(f"{AT}kv_norm", "d_head"),
        *linear(f"{AT}o_a_proj", "H_q * d_head / g_o", "g_o * r_o", "attention"),
        *linear(f"{AT}o_b_proj", "g_o * r_o", "d_model", "attention"),
    )
    flops = "4 * H_q * d_head"
    if kind == KINDS[0]:
        return Mixer(tensors, Cache("mqa-latent-sliding", "d_head", "W", flops=flops))
    if kind == KINDS[128]:
        tensors += compressor(f"{AT}compressor.", "attention", "d_head", "d_head", "c_128")
        cache = Cache("heavily-compressed(1/128)", "d_head", "W", flops=flops,
                      compressed=(("c_128", "d_head"),))  # fmt: skip
        return Mixer(tensors, cache)
    tensors += (
        *compressor(f"{AT}compressor.", "attention", "2 * d_head", "d_head", "c_4"),
        *compressor(f"{AT}compressor.indexer.", "indexer", "2 * d_i", "d_i", "c_4"),
        *linear(f"{AT}compressor.indexer.q_b_proj", "r_q", "H_i * d_i", "indexer"),
        *linear(f"{AT}compressor.indexer.scorer.weights_proj", "d_model", "H_i", "indexer",
                plain=False),
    )  # fmt: skip
    cache = Cache("compressed-sparse(1/4)+indexer", "d_head", "W", flops=flops, topk="k_i",
                  scores="2 * H_i * d_i",
                  compressed=(("c_4", "d_head"), ("c_4", "d_i")))  # fmt: skip
    return Mixer(tensors, cache)


def compressor(at: str, kind: str, width: str, size: str, rate: str) -> Tensors:
    """Weighted sums of a run of tokens: values, weights, a bias by position, a norm."""
    return (
        *linear(f"{at}kv_proj", "d_model", width, kind),
        *linear(f"{at}gate_proj", "d_model", width, kind),
        *vector(at.removesuffix("."), kind, rate, width, leaf="position_bias"),
        *norm(f"{at}kv_norm", size),
    )


FAMILIES = (
    Family(
        types=("deepseek_v4",),
        classes=("DeepseekV4ForCausalLM",),
        source="transformers 5.24.0, DeepseekV4Config",
        build=build,
        defaults={
            "head_dim": 512,
            "q_lora_rank": 1024,
            "o_groups": 8,
            "o_lora_rank": 1024,
            "index_n_heads": 64,
            "index_head_dim": 128,
            "index_topk": 512,
            "hc_mult": 4,
            "sliding_window": 128,
            "n_shared_experts": 1,
            "num_hash_layers": 3,
            "num_nextn_predict_layers": 1,
            "tie_word_embeddings": False,
            "max_position_embeddings": 1048576,
        },
    ),
)
