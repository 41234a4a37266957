"""Dense models that differ from Llama in a bias, a norm or the network: one function each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.family import Family
from derive.architecture.layers.attention import Names, grouped_query, read_heads
from derive.architecture.layers.decoder import (
    NO_WINDOW,
    TWO_NORMS,
    decoder_layer,
    read_layers,
    read_window,
    uniform_types,
)
from derive.architecture.layers.ffn import gated, plain
from derive.architecture.model import Naming, assemble, read_outer
from derive.architecture.parts import norm, vector
from derive.text import tr

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.model import Model

STARCODER = ("mlp.c_fc", "mlp.c_proj")
PERSIMMON = Names(
    qkv="self_attn.query_key_value",
    o="self_attn.dense",
    q_norm="self_attn.q_layernorm",
    k_norm="self_attn.k_layernorm",
)


def start(c: Config, head_dim: str = "") -> None:
    """Sizes that all of these read."""
    read_outer(c)
    read_heads(c, head_dim=head_dim)
    c.size("d_ff", "intermediate_size")


def granite(c: Config) -> Model:
    """Llama with multipliers."""
    start(c)
    bias = c.flag("attention_bias")
    one = decoder_layer(c.sheet, "decoder", grouped_query(c.sheet, bias=bias),
                        gated(bias=c.flag("mlp_bias")))  # fmt: skip
    return assemble(c, [one] * read_layers(c))


def seed_oss(c: Config) -> Model:
    """Biases on q, k, v by default; those of the output by a switch of their own."""
    start(c, "head_dim")
    mixer = grouped_query(
        c.sheet, bias=c.flag("attention_bias"), o_bias=c.flag("attention_out_bias")
    )
    one = decoder_layer(c.sheet, "decoder", mixer, gated(bias=c.flag("mlp_bias")))
    return assemble(c, [one] * read_layers(c))


def smollm3(c: Config) -> Model:
    """Llama, some layers without rotation."""
    start(c, "head_dim" if "head_dim" in c.data else "")
    c.only("use_sliding_window", False)
    uniform_types(c, c.integer("num_hidden_layers"))
    c.pass_by(NO_WINDOW, "sliding_window", "max_window_layers")
    c.used |= {"no_rope_layers", "no_rope_layer_interval"}
    mixer = grouped_query(c.sheet, bias=c.flag("attention_bias"))
    one = decoder_layer(c.sheet, "decoder", mixer, gated(bias=c.flag("mlp_bias")))
    return assemble(c, [one] * read_layers(c))


def helium(c: Config) -> Model:
    """No bias on the output of attention."""
    start(c, "head_dim")
    if c.sheet["H_q"] * c.sheet["d_head"] != c.sheet["d_model"]:
        what = tr("heads and head size do not make the hidden size")
        c.reject("head_dim", what, code="M107")
    mixer = grouped_query(c.sheet, bias=c.flag("attention_bias"), o_bias=False)
    one = decoder_layer(c.sheet, "decoder", mixer, gated(bias=c.flag("mlp_bias")))
    return assemble(c, [one] * read_layers(c))


def arcee(c: Config) -> Model:
    """A plain network of two matrices."""
    start(c, "head_dim")
    mixer = grouped_query(c.sheet, bias=c.flag("attention_bias"))
    one = decoder_layer(c.sheet, "decoder", mixer, plain(bias=c.flag("mlp_bias")))
    return assemble(c, [one] * read_layers(c))


def jais2(c: Config) -> Model:
    """Plain network, layer norms with a shift, biases by default."""
    start(c, "head_dim")
    mixer = grouped_query(c.sheet, bias=c.flag("attention_bias"))
    one = decoder_layer(c.sheet, "decoder", mixer, plain(bias=c.flag("mlp_bias")), norm_bias=True)
    return assemble(c, [one] * read_layers(c), final=norm("model.norm", bias=True))


def apertus(c: Config) -> Model:
    """Plain network whose activation has two learned numbers; norms on q and k."""
    start(c)
    c.only("hidden_act", "xielu")
    c.only("mlp_bias", False)
    c.only("post_norm", False)
    c.only("qk_norm", True)
    mixer = grouped_query(c.sheet, bias=c.flag("attention_bias"), qk_norm="head")
    alphas = (*vector("mlp.act_fn", "mlp", "1", leaf="alpha_p"),
              *vector("mlp.act_fn", "mlp", "1", leaf="alpha_n"))  # fmt: skip
    one = decoder_layer(c.sheet, "decoder", mixer, (*plain(), *alphas),
                        norms=("attention_layernorm", "feedforward_layernorm"))  # fmt: skip
    return assemble(c, [one] * read_layers(c))


def nemotron(c: Config) -> Model:
    """Plain network (squared ReLU), layer norms with a shift."""
    start(c, "head_dim" if "head_dim" in c.data else "")
    bias = c.flag("attention_bias")
    one = decoder_layer(c.sheet, "decoder", grouped_query(c.sheet, bias=bias),
                        plain(bias=c.flag("mlp_bias")), norm_bias=True)  # fmt: skip
    return assemble(c, [one] * read_layers(c), final=norm("model.norm", bias=True))


def starcoder2(c: Config) -> Model:
    """Plain network, biases everywhere by default, a window on every layer where one is given."""
    start(c)
    bias = c.flag("use_bias")
    c.only("mlp_type", "default")
    c.only("norm_type", "layer_norm")
    mixer = grouped_query(c.sheet, bias=bias, window=read_window(c))
    one = decoder_layer(c.sheet, "decoder", mixer, plain(names=STARCODER, bias=bias),
                        norm_bias=True)  # fmt: skip
    return assemble(c, [one] * read_layers(c), final=norm("model.norm", bias=True))


def stablelm(c: Config) -> Model:
    """Layer norms with a shift; StableLM 2 12B with norms on each head and parallel branches."""
    start(c)
    c.only("use_norm_bias", True)
    parallel = c.flag("use_parallel_residual")
    qk_norm = "full" if c.flag("qk_layernorm") else ""
    names = Names(q_norm="self_attn.q_layernorm", k_norm="self_attn.k_layernorm")
    mixer = grouped_query(c.sheet, bias=c.flag("use_qkv_bias"), o_bias=False, qk_norm=qk_norm,
                          names=names)  # fmt: skip
    norms = TWO_NORMS[:1] if parallel else TWO_NORMS
    one = decoder_layer(c.sheet, "decoder", mixer, gated(), norms=norms, norm_bias=True)
    return assemble(c, [one] * read_layers(c), final=norm("model.norm", bias=True))


def persimmon(c: Config) -> Model:
    """Biases everywhere, q, k and v stored as one matrix."""
    read_outer(c)
    read_heads(c, head_dim="", kv="")
    c.size("d_ff", "intermediate_size")
    qk_norm = "head" if c.flag("qk_layernorm") else ""
    mixer = grouped_query(c.sheet, bias=True, names=PERSIMMON, qk_norm=qk_norm, norm_bias=True)
    network = plain(names=("mlp.dense_h_to_4h", "mlp.dense_4h_to_h"), bias=True)
    one = decoder_layer(c.sheet, "decoder", mixer, network, norm_bias=True)
    return assemble(c, [one] * read_layers(c), final=norm("model.final_layernorm", bias=True),
                    naming=Naming(norm="model.final_layernorm"))  # fmt: skip


def family(
    name: str, title: str, build: object, position: int, *, tied: bool = False, **more: object
) -> Family:
    """A family with the defaults that all of these share."""
    assert callable(build)
    defaults = {
        "num_key_value_heads": None,
        "attention_bias": False,
        "mlp_bias": False,
        "tie_word_embeddings": tied,
        "max_position_embeddings": position,
        **more,
    }
    source = f"transformers 5.24.0, {title}Config"
    return Family((name,), (f"{title}ForCausalLM",), source, build, defaults)


FAMILIES = (
    family("granite", "Granite", granite, 2048),
    family("seed_oss", "SeedOss", seed_oss, 524288, num_key_value_heads=8, head_dim=128,
           attention_bias=True, attention_out_bias=False),
    family("smollm3", "SmolLM3", smollm3, 32768, tied=True, num_key_value_heads=4),
    family("helium", "Helium", helium, 4096, num_key_value_heads=20, head_dim=128),
    family("arcee", "Arcee", arcee, 4096, head_dim=None),
    family("jais2", "Jais2", jais2, 8192, head_dim=None, attention_bias=True, mlp_bias=True),
    family("apertus", "Apertus", apertus, 65536),
    family("nemotron", "Nemotron", nemotron, 4096),
    family("starcoder2", "Starcoder2", starcoder2, 4096, tied=True, num_key_value_heads=2,
           sliding_window=None, use_bias=True),
    family("stablelm", "StableLm", stablelm, 4096, num_key_value_heads=32, use_qkv_bias=False,
           qk_layernorm=False, use_parallel_residual=False),
    family("persimmon", "Persimmon", persimmon, 16384, qk_layernorm=True),
)  # fmt: skip
