"""Zamba2: Mamba-2 layers, and a few transformer blocks that many of them share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.families.mamba import read_inner
from derive.architecture.family import Family
from derive.architecture.layers.attention import Heads, key_value_cache, set_kv_heads
from derive.architecture.layers.decoder import NO_ROLE, decoder_layer, read_layers
from derive.architecture.layers.ffn import gated
from derive.architecture.layers.ssm import mamba2
from derive.architecture.model import Naming, Placed, assemble, read_outer
from derive.architecture.parts import layer, linear, norm
from derive.text import Text, tr

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.model import Model
    from derive.architecture.parts import Layer, Tensors

NAMING = Naming(norm="model.final_layernorm")
WORDS = {"mamba": False, "linear_attention": False, "hybrid": True}
COPY = Text("a copy of sizes that the class computes", "类自行计算的尺寸的副本")


def build(c: Config) -> Model:
    """Parameters of a shared block count once, its work and its cache once for each use."""
    read_outer(c)
    c.only("tie_word_embeddings", True)  # without it the class does not share the blocks either
    layers = read_layers(c)
    hybrid = [WORDS[w] for w in c.words("layers_block_type", WORDS, layers)]
    c.only("hybrid_layer_ids", [i for i, h in enumerate(hybrid) if h])
    read_scan(c)
    read_attention(c)
    c.only("attention_hidden_size", 2 * c.sheet["d_model"])
    c.pass_by(COPY, "kv_channels", "num_query_groups",
              "layer_types", "lora_rank", "use_mem_eff_path",
              "use_mem_rope", "use_long_context", "use_shared_mlp_adapter")  # fmt: skip
    c.only("use_shared_mlp_adapter", True)
    c.pass_by(NO_ROLE, "use_conv_bias")
    scan = mamba2("mamba.", bias=c.flag("add_bias_linear"))
    plain = decoder_layer(c.sheet, "mamba2", scan, (), norms=("input_layernorm",))
    joined = decoder_layer(c.sheet, "mamba2 after a shared block", scan, own_parts(c),
                           norms=("input_layernorm",))  # fmt: skip
    uses, blocks = sum(hybrid), c.integer("num_mem_blocks", 1, 64)
    shared = [] if not uses else [
        Placed(shared_block(c), min(blocks, uses), uses,
               tuple(i for i, h in enumerate(hybrid) if h), prefixes=NAMING.layers)
    ]  # fmt: skip
    stack = [joined if h else plain for h in hybrid]
    return assemble(c, stack, naming=NAMING, shared=shared, final=norm(NAMING.norm))


def read_scan(c: Config) -> None:
    """Heads of the scan; the class works their size out, so a field with it must agree."""
    inner = read_inner(c, "mamba_expand")
    heads = c.integer("n_mamba_heads")
    size, rest = divmod(inner, heads)
    source = c.origin("n_mamba_heads")
    c.only("mamba_headdim", size)
    if rest:
        what = tr("{name} does not divide the inner width", name="n_mamba_heads")
        c.reject("n_mamba_heads", what, code="M107")
    c.sheet.let("H_m", heads, source)
    c.sheet.let("d_hm", size, "inner width / heads")
    c.sheet.let("d_inner", inner, f"{c.origin('mamba_expand')} * {c.origin('hidden_size')}")
    c.size("d_state", "mamba_d_state")
    c.size("n_g", "mamba_ngroups")
    c.size("d_conv", "mamba_d_conv")


def read_attention(c: Config) -> None:
    """Attention of the shared block works on twice the width."""
    queries = c.size("H_q", "num_attention_heads")
    set_kv_heads(c, c.maybe("num_key_value_heads"), c.origin("num_key_value_heads"))
    size, rest = divmod(2 * c.sheet["d_model"], queries)
    if rest:
        what = tr("{name} is no multiple of the number of heads, {heads}",
                  name=c.where("hidden_size"), heads=queries)  # fmt: skip
        c.reject("hidden_size", what, code="M107")
    c.only("attention_head_dim", size)
    c.sheet.let(
        "d_head", size, f"2 * {c.origin('hidden_size')} / {c.origin('num_attention_heads')}"
    )
    width = c.maybe("intermediate_size")
    source = c.origin("intermediate_size") if width else f"4 * {c.origin('hidden_size')}"
    c.sheet.let("d_ff", width or 4 * c.sheet["d_model"], source)
    c.size("r_a", "adapter_rank")


def own_parts(c: Config) -> Tensors:
    """What each use has for itself: a projection and low-rank adapters."""
    made = (
        *linear("linear", "d_model", "d_model", "other"),
        *linear("shared_transformer.gate_up_proj_adapter.0", "d_model", "r_a", "mlp"),
        *linear("shared_transformer.gate_up_proj_adapter.1", "r_a", "2 * d_ff", "mlp"),
    )
    if c.flag("use_shared_attention_adapter"):
        for name in "qkv":
            at = f"shared_transformer.linear_{name}_adapter"
            made += linear(f"{at}.0", "2 * d_model", "r_a", "attention")
            made += linear(f"{at}.1", "r_a", "2 * d_model", "attention")
    return made


def shared_block(c: Config) -> Layer:
    """Attention over the state and the embedding side by side, then a network."""
    at, wide, bias = "shared_transformer.", "2 * d_model", c.flag("add_bias_linear")
    tensors = (
        *norm(f"{at}input_layernorm", wide),
        *norm(f"{at}pre_ff_layernorm"),
        *linear(f"{at}self_attn.q_proj", wide, "H_q * d_head", "attention"),
        *linear(f"{at}self_attn.k_proj", wide, "H_kv * d_head", "attention"),
        *linear(f"{at}self_attn.v_proj", wide, "H_kv * d_head", "attention"),
        *linear(f"{at}self_attn.o_proj", "H_q * d_head", "d_model", "attention"),
        *gated(names=(f"{at}feed_forward.gate_up_proj", f"{at}feed_forward.down_proj"), bias=bias),
    )
    return layer(c.sheet, "shared block", tensors, key_value_cache(c.sheet, Heads()))


FAMILIES = (
    Family(
        types=("zamba2",),
        classes=("Zamba2ForCausalLM",),
        source="transformers 5.24.0, Zamba2Config",
        build=build,
        defaults={
            "num_key_value_heads": None,
            "n_mamba_heads": 8,
            "mamba_d_state": 64,
            "mamba_d_conv": 4,
            "mamba_expand": 2,
            "mamba_ngroups": 1,
            "add_bias_linear": False,
            "intermediate_size": None,
            "num_mem_blocks": 1,
            "use_shared_attention_adapter": False,
            "adapter_rank": 128,
            "tie_word_embeddings": True,
            "max_position_embeddings": 4096,
        },
    ),
)
