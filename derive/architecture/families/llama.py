"""Llama and releases that are Llama layer for layer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.family import Family
from derive.architecture.layers.attention import Names, grouped_query, read_heads
from derive.architecture.layers.decoder import NO_WINDOW, decoder_layer, read_layers
from derive.architecture.layers.ffn import GATED, gated
from derive.architecture.model import Naming, assemble, read_outer
from derive.text import Text

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.model import Model

LAYERS = ("model.layers.{i}.",)
INTERNLM2 = Names(qkv="attention.wqkv", o="attention.wo")
QWEN = Names(qkv="attn.c_attn", o="attn.c_proj")
NO_SHAPE = Text("no shape", "与形状无关")
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


def qwen(c: Config) -> Model:
    """Qwen 1: intermediate_size counts gate and up together, biases on q, k, v."""
    c.data = {k: v for k, v in c.data.items() if k != "seq_length"}  # what it was trained on
    read_outer(c)
    read_heads(c, head_dim="kv_channels", kv="")
    width = c.integer("intermediate_size")
    c.sheet.let("d_ff", width // 2, f"{c.origin('intermediate_size')} / 2")
    c.only("no_bias", True)
    c.pass_by(NO_SHAPE, "onnx_safe", "attn_dropout_prob", "emb_dropout_prob")
    mixer = grouped_query(c.sheet, bias=True, o_bias=False, names=QWEN)
    one = decoder_layer(c.sheet, "decoder", mixer, gated(names=("mlp.w1", "mlp.w2", "mlp.c_proj")),
                        norms=("ln_1", "ln_2"))  # fmt: skip
    naming = Naming(("transformer.h.{i}.",), "transformer.wte", "transformer.ln_f")
    return assemble(c, [one] * read_layers(c), naming=naming)


def xverse(c: Config) -> Model:
    """XVERSE: Llama."""
    c.pass_by(NO_SHAPE, "max_tokenizer_truncation")
    return llama(c)


def iquestcoder(c: Config) -> Model:
    """IQuest-Coder: Llama; the class refuses the window that its release can name."""
    if "use_sliding_window" in c.data:
        c.only("use_sliding_window", False)
        c.pass_by(NO_WINDOW, "sliding_window", "max_window_layers")
    return build(c)


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
    names = (("attention_bias", "qkv_bias"), ("mlp_bias", "bias"))  # of the library, of the release
    bias, other = (c.flag(own if c.has(own) else released) for own, released in names)
    return llama(c, bias=bias, o_bias=other, mlp_bias=other)


def baichuan(c: Config) -> Model:
    """Baichuan: q, k and v stored as one matrix."""
    return llama(c, names=BAICHUAN)


FAMILIES = (
    Family(
        types=("xverse",),
        classes=("XverseForCausalLM",),
        source="xverse/XVERSE-7B, configuration_xverse.py",
        build=xverse,
        defaults=DEFAULTS,
    ),
    Family(
        types=("qwen",),
        classes=("QWenLMHeadModel",),
        source="Qwen/Qwen-7B, configuration_qwen.py",
        build=qwen,
        defaults={
            "kv_channels": 128,
            "tie_word_embeddings": False,
            "max_position_embeddings": 8192,
        },
    ),
    Family(
        types=("llama", "Yi", "yi"),
        classes=("LlamaForCausalLM", "LLaMAForCausalLM", "YiForCausalLM"),
        source="transformers 5.24.0, LlamaConfig",
        build=build,
        defaults=DEFAULTS,
    ),
    Family(
        types=("iquestcoder",),
        classes=("IQuestCoderForCausalLM",),
        source="transformers 5.24.0, IQuestCoderConfig",
        build=iquestcoder,
        defaults={
            **DEFAULTS,
            "num_key_value_heads": 8,
            "head_dim": 128,
            "max_position_embeddings": 131072,
        },
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
        # the classes of library and release differ in heads, so a file must name them
        defaults={
            "bias": False,
            "qkv_bias": False,
            "tie_word_embeddings": False,
            "max_position_embeddings": 32768,
        },
    ),
    Family(
        types=("baichuan",),
        classes=("BaichuanForCausalLM", "BaiChuanForCausalLM"),
        source="baichuan-inc/Baichuan2-7B-Base, configuration_baichuan.py",
        build=baichuan,
        defaults=DEFAULTS,
    ),
)
