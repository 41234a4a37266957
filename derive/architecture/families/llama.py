"""Llama and releases that are Llama layer for layer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.family import Family
from derive.architecture.layers.attention import Names, grouped_query, read_heads
from derive.architecture.layers.decoder import decoder_layer, read_layers
from derive.architecture.layers.ffn import GATED, gated
from derive.architecture.model import Naming, assemble, read_outer

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.model import Model

LAYERS = ("model.layers.{i}.",)
INTERNLM2 = Names(qkv="attention.wqkv", o="attention.wo")
BAICHUAN = Names(qkv="self_attn.W_pack", o="self_attn.o_proj")
DEFAULTS: dict[str, object] = {
    "num_key_value_heads": None,
    "head_dim": None,
    "attention_bias": False,
    "mlp_bias": False,
    "tie_word_embeddings": False,
    "max_position_embeddings": 2048,
}


def build(c: Config) -> Model:
    """Two norms, grouped attention, gated network."""
    bias = c.flag("attention_bias")
    return llama(c, bias=bias, o_bias=bias, mlp_bias=c.flag("mlp_bias"))


def llama(
    c: Config,
    *,
    bias: bool = False,
    o_bias: bool = False,
    mlp_bias: bool = False,
    names: Names | None = None,
    ffn: tuple[str, ...] = GATED,
    naming: Naming | None = None,
    norms: tuple[str, ...] = ("input_layernorm", "post_attention_layernorm"),
    qk_norm: str = "",
) -> Model:
    """A stack of equal layers of this kind."""
    read_outer(c)
    read_heads(c)
    c.size("d_ff", "intermediate_size")
    mixer = grouped_query(c.sheet, bias=bias, o_bias=o_bias, names=names, qk_norm=qk_norm)
    one = decoder_layer(c.sheet, "decoder", mixer, gated(bias=mlp_bias, names=ffn), norms=norms)
    return assemble(c, [one] * read_layers(c), naming=naming)


def internlm(c: Config) -> Model:
    """InternLM: biases on all four projections of attention."""
    bias = c.flag("bias")
    return llama(c, bias=bias, o_bias=bias)


def internlm2(c: Config) -> Model:
    """InternLM 2: q, k and v stored as one matrix."""
    c.only("bias", False)
    naming = Naming(embedding="model.tok_embeddings", head="output")
    return llama(c, names=INTERNLM2, ffn=("feed_forward.w1", "feed_forward.w3", "feed_forward.w2"),
                 naming=naming, norms=("attention_norm", "ffn_norm"))  # fmt: skip


def internlm3(c: Config) -> Model:
    """InternLM 3: one switch for the biases of q, k, v and one for those of the output."""
    c.only("attention_bias", False)
    c.only("mlp_bias", False)
    bias, other = c.flag("qkv_bias"), c.flag("bias")
    return llama(c, bias=bias, o_bias=other, mlp_bias=other)


def baichuan(c: Config) -> Model:
    """Baichuan: q, k and v stored as one matrix."""
    return llama(c, names=BAICHUAN)


FAMILIES = (
    Family(
        types=("llama", "Yi", "yi"),
        classes=("LlamaForCausalLM", "LLaMAForCausalLM", "YiForCausalLM"),
        source="transformers 5.24.0, LlamaConfig",
        build=build,
        defaults=DEFAULTS,
    ),
    Family(
        types=("internlm",),
        classes=("InternLMForCausalLM",),
        source="internlm/internlm-7b, configuration_internlm.py",
        build=internlm,
        defaults={**DEFAULTS, "bias": True},
    ),
    Family(
        types=("internlm2",),
        classes=("InternLM2ForCausalLM",),
        source="internlm/internlm2-7b, configuration_internlm2.py",
        build=internlm2,
        defaults=DEFAULTS,
    ),
    Family(
        types=("internlm3",),
        classes=("InternLM3ForCausalLM", "LlamaForCausalLM"),
        source="internlm/internlm3-8b-instruct, configuration_internlm3.py",
        build=internlm3,
        defaults={**DEFAULTS, "bias": False, "qkv_bias": False, "head_dim": None},
    ),
    Family(
        types=("baichuan",),
        classes=("BaichuanForCausalLM", "BaiChuanForCausalLM"),
        source="baichuan-inc/Baichuan2-7B-Base, configuration_baichuan.py",
        build=baichuan,
        defaults=DEFAULTS,
    ),
)
