"""GLM-4 and ChatGLM: two key-value heads, biases on q, k, v, gate and up stored as one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.family import Family
from derive.architecture.layers.attention import Names, grouped_query, read_heads, set_kv_heads
from derive.architecture.layers.decoder import TWO_NORMS, decoder_layer, read_layers
from derive.architecture.layers.ffn import gated
from derive.architecture.model import Naming, assemble, read_outer

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.model import Model

FUSED = ("mlp.gate_up_proj", "mlp.down_proj")
CHATGLM = Names(qkv="self_attention.query_key_value", o="self_attention.dense")


def glm(c: Config, norms: tuple[str, ...] = TWO_NORMS) -> Model:
    """GLM-4-9B as the library has it."""
    read_outer(c)
    read_heads(c)
    c.size("d_ff", "intermediate_size")
    mixer = grouped_query(c.sheet, bias=c.flag("attention_bias"), o_bias=False)
    one = decoder_layer(c.sheet, "decoder", mixer, gated(names=FUSED), norms=norms)
    return assemble(c, [one] * read_layers(c))


def glm4(c: Config) -> Model:
    """GLM-4-0414: norms also after attention and network."""
    return glm(c, (*TWO_NORMS, "post_self_attn_layernorm", "post_mlp_layernorm"))


def chatglm(c: Config) -> Model:
    """ChatGLM 2, 3 and GLM-4 of the remote code: names of their own."""
    read_outer(c)
    c.size("H_q", "num_attention_heads")
    grouped = c.flag("multi_query_attention")
    groups = c.integer("multi_query_group_num") if grouped else None
    c.used.add("multi_query_group_num")
    set_kv_heads(c, groups, c.origin("multi_query_group_num"))
    c.size("d_head", "kv_channels")
    c.size("d_ff", "intermediate_size")
    c.only("rmsnorm", True)
    c.only("post_layer_norm", True)
    c.only("pre_seq_len", None)
    c.only("prefix_projection", False)
    c.only("quantization_bit", 0)
    c.only("interleaved_qkv", False)
    c.only("apply_residual_connection_post_layernorm", False)
    bias = c.flag("add_bias_linear")
    mixer = grouped_query(c.sheet, bias=bias or c.flag("add_qkv_bias"), o_bias=bias, names=CHATGLM)
    network = gated(names=("mlp.dense_h_to_4h", "mlp.dense_4h_to_h"), bias=bias)
    naming = Naming(
        ("transformer.encoder.layers.{i}.",),
        "transformer.embedding.word_embeddings",
        "transformer.encoder.final_layernorm",
        "transformer.output_layer",
    )
    one = decoder_layer(c.sheet, "decoder", mixer, network)
    return assemble(c, [one] * read_layers(c), naming=naming)


DEFAULTS: dict[str, object] = {
    "num_key_value_heads": 2,
    "head_dim": 128,
    "attention_bias": True,
    "tie_word_embeddings": False,
    "max_position_embeddings": 131072,
}

FAMILIES = (
    Family(("glm",), ("GlmForCausalLM",), "transformers 5.24.0, GlmConfig", glm, DEFAULTS),
    Family(("glm4",), ("Glm4ForCausalLM",), "transformers 5.24.0, Glm4Config", glm4, DEFAULTS),
    Family(
        ("chatglm",),
        ("ChatGLMModel", "ChatGLMForConditionalGeneration"),
        "THUDM/glm-4-9b, configuration_chatglm.py",
        chatglm,
        {
            "multi_query_attention": False,
            "kv_channels": 128,
            "add_bias_linear": False,
            "add_qkv_bias": False,
            "tie_word_embeddings": False,
            "max_position_embeddings": 2048,
        },
    ),
)
