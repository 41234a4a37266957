"""Granite with experts (3.x), with a shared expert, and Granite 4 with Mamba-2 layers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.families.mamba import read_inner
from derive.architecture.family import Family
from derive.architecture.layers.attention import Mixer, grouped_query, read_heads
from derive.architecture.layers.decoder import decoder_layer, read_layers, sliding_layers
from derive.architecture.layers.ffn import experts, gated, read_experts, router
from derive.architecture.layers.ssm import mamba2, read_mamba2
from derive.architecture.model import assemble, read_outer
from derive.architecture.parts import vector
from derive.text import Text

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.model import Model
    from derive.architecture.parts import Layer, Tensors

EXPERTS = ("block_sparse_moe.input_linear.{e}", "block_sparse_moe.output_linear.{e}")
SHARED = ("shared_mlp.input_linear", "shared_mlp.output_linear")
KINDS = {"mamba": False, "linear_attention": False, "attention": True, "full_attention": True}
NO_EXPERTS = Text("width of the experts; there are none", "专家宽度，此处没有专家")
NO_SCAN = Text("a field of scan layers; there are none", "扫描层的字段，此处没有扫描层")


def network(c: Config, *, shared: bool) -> Tensors:
    """Routed experts where there are any, and the shared network beside them."""
    made: Tensors = ()
    if c.integer("num_experts", 0):
        read_experts(c, "intermediate_size")
        made += (*router("block_sparse_moe.router.layer"), *experts(names=EXPERTS))
    else:
        c.pass_by(NO_EXPERTS, c.spelled("num_experts_per_tok"), c.spelled("intermediate_size"))
    width = c.maybe("shared_intermediate_size", 0) if shared else 0
    if width:
        c.size("d_s", "shared_intermediate_size")
        made += gated("d_s", kind="shared_expert", names=SHARED)
    return made


def granitemoe(c: Config) -> Model:
    """Every layer with attention and experts."""
    return attention_only(c, shared=False)


def granitemoeshared(c: Config) -> Model:
    """With a shared expert."""
    return attention_only(c, shared=True)


def attention_only(c: Config, *, shared: bool) -> Model:
    """One kind of layer."""
    read_outer(c)
    read_heads(c, head_dim="")
    mixer = grouped_query(c.sheet, bias=c.flag("attention_bias"))
    one = decoder_layer(c.sheet, "decoder", mixer, network(c, shared=shared))
    return assemble(c, [one] * read_layers(c))


def granitemoe_swa(c: Config) -> Model:
    """Learned sinks, and a window on all but every fourth layer."""
    read_outer(c)
    read_heads(c, head_dim="")
    c.used.add("layer_rope_theta")
    bias, ffn = c.flag("attention_bias"), network(c, shared=True)

    def make(name: str, window: str) -> Layer:
        made = grouped_query(c.sheet, bias=bias, window=window)
        sinks = vector("self_attn", "attention", "H_q", leaf="sinks")
        return decoder_layer(c.sheet, name, Mixer((*made.tensors, *sinks), made.cache), ffn)

    return assemble(c, sliding_layers(c, lambda i: i % 4 != 0, make))


def granitemoehybrid(c: Config) -> Model:
    """Attention in the layers that the file names, Mamba-2 in the others."""
    read_outer(c)
    layers = read_layers(c)
    name = "layers_block_type" if c.data.get("layers_block_type") is not None else "layer_types"
    listed = c.value(name)
    kinds = [KINDS[w] for w in c.words(name, KINDS, layers)] if listed else [False] * layers
    c.only("position_embedding_type", "nope", "rope")
    c.used |= {"layer_types", "layers_block_type", "init_method"}
    ffn = network(c, shared=True)
    mixers: dict[bool, Mixer] = {}
    read_heads(c, head_dim="")
    bias = c.flag("attention_bias")
    if True in kinds:
        mixers[True] = grouped_query(c.sheet, bias=bias)
    if False in kinds:
        read_mamba2(c, inner=read_inner(c, "mamba_expand"))
        mixers[False] = mamba2("mamba.", bias=c.flag("mamba_proj_bias"),
                               conv_bias=c.flag("mamba_conv_bias"))  # fmt: skip
    else:
        c.pass_by(NO_SCAN, *(f"mamba_{n}" for n in ("n_heads", "d_head", "d_state", "n_groups",
                  "d_conv", "expand", "conv_bias", "proj_bias")))  # fmt: skip
    made = {
        k: decoder_layer(c.sheet, "attention" if k else "mamba2", mixer, ffn)
        for k, mixer in mixers.items()
    }
    return assemble(c, [made[kind] for kind in kinds])


DEFAULTS: dict[str, object] = {
    "num_key_value_heads": None,
    "attention_bias": False,
    "shared_intermediate_size": 0,
    "tie_word_embeddings": False,
    "max_position_embeddings": 2048,
}
HYBRID: dict[str, object] = {
    **DEFAULTS,
    "shared_intermediate_size": 1024,
    "layer_types": None,
    "mamba_n_heads": 128,
    "mamba_d_head": "auto",
    "mamba_n_groups": 1,
    "mamba_d_state": 256,
    "mamba_d_conv": 4,
    "mamba_expand": 2,
    "mamba_conv_bias": True,
    "mamba_proj_bias": False,
}

FAMILIES = (
    Family(
        ("granitemoe",),
        ("GraniteMoeForCausalLM",),
        "transformers 5.24.0, GraniteMoeConfig",
        granitemoe,
        DEFAULTS,
    ),
    Family(
        ("granitemoeshared",),
        ("GraniteMoeSharedForCausalLM",),
        "transformers 5.24.0, GraniteMoeSharedConfig",
        granitemoeshared,
        DEFAULTS,
    ),
    Family(
        ("granitemoe_swa",),
        ("GraniteMoeSWAForCausalLM",),
        "transformers 5.24.0, GraniteMoeSWAConfig",
        granitemoe_swa,
        {**DEFAULTS, "sliding_window": 128},
    ),
    Family(
        ("granitemoehybrid",),
        ("GraniteMoeHybridForCausalLM",),
        "transformers 5.24.0, GraniteMoeHybridConfig",
        granitemoehybrid,
        HYBRID,
    ),
)
