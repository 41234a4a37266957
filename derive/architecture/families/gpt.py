"""The GPT line: GPT-2, GPT-J, CodeGen, GPT-Neo, GPT-NeoX, Pythia, StarCoder 1, BLOOM, OPT, MPT."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.family import Family
from derive.architecture.layers.attention import Names, grouped_query, read_heads, set_kv_heads
from derive.architecture.layers.decoder import NO_ROLE, decoder_layer, read_layers, two_kinds
from derive.architecture.layers.ffn import plain
from derive.architecture.model import Naming, assemble, read_outer
from derive.architecture.parts import norm, vector
from derive.text import Text, tr

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.model import Model
    from derive.architecture.parts import Layer, Tensors

NAMING = Naming(("transformer.h.{i}.",), "transformer.wte", "transformer.ln_f")
NEOX = Naming(
    ("gpt_neox.layers.{i}.",), "gpt_neox.embed_in", "gpt_neox.final_layer_norm", "embed_out"
)
BLOOM = Naming(("transformer.h.{i}.",), "transformer.word_embeddings", "transformer.ln_f")
OPT = Naming(("model.decoder.layers.{i}.",), "model.decoder.embed_tokens",
             "model.decoder.final_layer_norm")  # fmt: skip
MPT = Naming(("transformer.blocks.{i}.",), "transformer.wte", "transformer.norm_f")
GPTJ = Names("attn.q_proj", "attn.k_proj", "attn.v_proj", "attn.out_proj")
FC = ("mlp.c_fc", "mlp.c_proj")
WIDE = ("mlp.dense_h_to_4h", "mlp.dense_4h_to_h")


def start(c: Config, *, four: bool = True) -> None:
    """Sizes; without a width of its own the network is four times as wide as the model."""
    read_outer(c)
    read_heads(c, head_dim="", kv="")
    width = c.maybe("intermediate_size") if four else c.integer("intermediate_size")
    source = c.origin("intermediate_size") if width else f"4 * {c.origin('hidden_size')}"
    c.sheet.let("d_ff", width or 4 * c.sheet["d_model"], source)


def positions(c: Config, module: str, more: int = 0) -> Tensors:
    """A learned table of positions."""
    c.sheet.let("P", c.integer("max_position_embeddings"), c.origin("max_position_embeddings"))
    return vector(module, "embedding", f"P + {more}" if more else "P", "d_model")


def gpt2(c: Config) -> Model:
    """Learned positions, biases everywhere, tied."""
    start(c)
    names = Names(qkv="attn.c_attn", o="attn.c_proj")
    mixer = grouped_query(c.sheet, bias=True, names=names)
    one = decoder_layer(c.sheet, "decoder", mixer, plain(names=FC, bias=True),
                        norms=("ln_1", "ln_2"), norm_bias=True)  # fmt: skip
    table = positions(c, "transformer.wpe")
    return assemble(c, [one] * read_layers(c), naming=NAMING, tables=table,
                    final=norm(NAMING.norm, bias=True))  # fmt: skip


def gpt_bigcode(c: Config) -> Model:
    """GPT-2 with one key-value head by default."""
    start(c)
    set_kv_heads(c, 1 if c.flag("multi_query") else None, c.origin("multi_query"))
    c.only("num_key_value_heads", c.sheet["H_kv"])
    names = Names(qkv="attn.c_attn", o="attn.c_proj")
    mixer = grouped_query(c.sheet, bias=True, names=names)
    one = decoder_layer(c.sheet, "decoder", mixer, plain(names=FC, bias=True),
                        norms=("ln_1", "ln_2"), norm_bias=True)  # fmt: skip
    table = positions(c, "transformer.wpe")
    return assemble(c, [one] * read_layers(c), naming=NAMING, tables=table,
                    final=norm(NAMING.norm, bias=True))  # fmt: skip


def gptj(c: Config, names: Names = GPTJ) -> Model:
    """One norm per layer, no biases in attention, a bias on the head."""
    start(c)
    one = decoder_layer(c.sheet, "decoder", grouped_query(c.sheet, names=names),
                        plain(names=("mlp.fc_in", "mlp.fc_out"), bias=True),
                        norms=("ln_1",), norm_bias=True)  # fmt: skip
    return assemble(c, [one] * read_layers(c), naming=NAMING, head_bias=True,
                    final=norm(NAMING.norm, bias=True))  # fmt: skip


def codegen(c: Config) -> Model:
    """GPT-J with queries, keys and values in one matrix."""
    return gptj(c, Names(qkv="attn.qkv_proj", o="attn.out_proj"))


def gpt_neo(c: Config) -> Model:
    """Every other layer looks back only window_size tokens."""
    c.sheet.let("H_q", c.integer("num_heads"), c.origin("num_heads"))
    read_outer(c)
    set_kv_heads_from(c)
    width = c.maybe("intermediate_size")
    source = c.origin("intermediate_size") if width else f"4 * {c.origin('hidden_size')}"
    c.sheet.let("d_ff", width or 4 * c.sheet["d_model"], source)
    c.size("W", "window_size")
    names = Names("attn.attention.q_proj", "attn.attention.k_proj", "attn.attention.v_proj",
                  "attn.attention.out_proj")  # fmt: skip
    layers = read_layers(c)

    def make(name: str, local: bool) -> Layer:
        mixer = grouped_query(c.sheet, o_bias=True, names=names, window="W" if local else "")
        return decoder_layer(c.sheet, name, mixer, plain(names=FC, bias=True),
                             norms=("ln_1", "ln_2"), norm_bias=True)  # fmt: skip

    stack = two_kinds(neo_kinds(c, layers), make, ("local", "global"))
    return assemble(c, stack, naming=NAMING, tables=positions(c, "transformer.wpe"),
                    final=norm(NAMING.norm, bias=True))  # fmt: skip


def set_kv_heads_from(c: Config) -> None:
    """As many key-value heads as query heads, which split the hidden size."""
    heads, hidden = c.sheet["H_q"], c.sheet["d_model"]
    if hidden % heads:
        what = tr("{name} is no multiple of the number of heads, {heads}",
                  name=c.where("hidden_size"), heads=heads)  # fmt: skip
        c.reject("hidden_size", what, code="M107")
    c.sheet.let("H_kv", heads, c.origin("num_heads"))
    c.sheet.let("d_head", hidden // heads, f"{c.origin('hidden_size')} / {c.origin('num_heads')}")


def neo_kinds(c: Config, layers: int) -> list[bool]:
    """Which layers are local: attention_types = [[["global", "local"], 12]]."""
    kinds: list[bool] = []
    c.used.add("attention_layers")
    for item in c.items("attention_types"):
        words, times = item if isinstance(item, list) and len(item) == 2 else (None, None)
        if not isinstance(words, list) or not {str(w) for w in words} <= {"global", "local"}:
            c.reject("attention_types", tr("{name} is not understood", name="attention_types"))
        repeated = times if isinstance(times, int) and 0 < times <= layers else 0
        kinds += [str(w) == "local" for w in words] * repeated
    if len(kinds) != layers:
        what = tr("{name} has {count} entries for {length} layers", name="attention_types",
                  count=len(kinds), length=layers)  # fmt: skip
        c.reject("attention_types", what, code="M107")
    return kinds


def gpt_neox(c: Config) -> Model:
    """Pythia: q, k, v stored as one, biases everywhere."""
    start(c, four=False)
    c.used.add("use_parallel_residual")  # both branches have their norm either way
    names = Names(qkv="attention.query_key_value", o="attention.dense")
    mixer = grouped_query(c.sheet, bias=c.flag("attention_bias"), names=names)
    one = decoder_layer(c.sheet, "decoder", mixer, plain(names=WIDE, bias=True), norm_bias=True)
    return assemble(c, [one] * read_layers(c), naming=NEOX, final=norm(NEOX.norm, bias=True))


def bloom(c: Config) -> Model:
    """A norm after the embedding, biases everywhere, tied; positions by bias."""
    start(c)
    c.used |= {"apply_residual_connection_post_layernorm", "slow_but_exact", "skip_bias_add",
               "skip_bias_add_qkv", "masked_softmax_fusion", "hidden_dropout"}  # fmt: skip
    c.only("bias_dropout_fusion", True, False)
    c.only("unk_token_id", *range(16))
    names = Names(qkv="self_attention.query_key_value", o="self_attention.dense")
    mixer = grouped_query(c.sheet, bias=True, names=names)
    one = decoder_layer(c.sheet, "decoder", mixer, plain(names=WIDE, bias=True), norm_bias=True)
    first = norm("transformer.word_embeddings_layernorm", bias=True)
    return assemble(c, [one] * read_layers(c), naming=BLOOM, before=first,
                    final=norm(BLOOM.norm, bias=True))  # fmt: skip


def opt(c: Config) -> Model:
    """Learned positions with two more rows, biases everywhere, tied."""
    read_outer(c)
    read_heads(c, head_dim="", kv="")
    c.size("d_ff", "intermediate_size")
    c.only("do_layer_norm_before", True)
    c.only("_remove_final_layer_norm", False)
    c.only("enable_bias", True)
    c.only("layer_norm_elementwise_affine", True)
    c.only("word_embed_proj_dim", None, c.sheet["d_model"])
    names = Names(o="self_attn.out_proj")
    mixer = grouped_query(c.sheet, bias=True, names=names)
    one = decoder_layer(c.sheet, "decoder", mixer, plain(names=("fc1", "fc2"), bias=True),
                        norms=("self_attn_layer_norm", "final_layer_norm"),
                        norm_bias=True)  # fmt: skip
    return assemble(c, [one] * read_layers(c), naming=OPT,
                    tables=positions(c, "model.decoder.embed_positions", 2),
                    final=norm(OPT.norm, bias=True))  # fmt: skip


def mpt(c: Config) -> Model:
    """Positions by bias, so no table although learned_pos_emb is true; no bias anywhere."""
    read_outer(c)
    read_heads(c, head_dim="", kv="")
    c.sheet.let("d_ff", c.integer("expansion_ratio", 4, 4) * c.sheet["d_model"],
                f"{c.origin('expansion_ratio')} * {c.origin('hidden_size')}")  # fmt: skip
    attention = c.table("attn_config")
    attention.only("alibi", True)
    attention.only("attn_type", "multihead_attention")
    attention.only("qk_ln", False)
    attention.pass_by(NO_ROLE, "alibi_bias_max", "model_type")
    c.only("no_bias", True)
    c.only("embedding_fraction", 1, 1.0)
    c.only("norm_type", "low_precision_layernorm", "layernorm")
    c.pass_by(Text("positions by bias take its place", "已改用偏置式位置编码"), "learned_pos_emb")
    names = Names(qkv="attn.Wqkv", o="attn.out_proj")
    one = decoder_layer(c.sheet, "decoder", grouped_query(c.sheet, names=names),
                        plain(names=("ffn.up_proj", "ffn.down_proj")),
                        norms=("norm_1", "norm_2"))  # fmt: skip
    return assemble(c, [one] * read_layers(c), naming=MPT)


TIED: dict[str, object] = {
    "intermediate_size": None,
    "tie_word_embeddings": True,
    "max_position_embeddings": 1024,
}


def source(name: str) -> str:
    """The class whose defaults are taken."""
    return f"transformers 5.24.0, {name}Config"


FAMILIES = (
    Family(("gpt2",), ("GPT2LMHeadModel",), source("GPT2"), gpt2, TIED),
    Family(
        ("gpt_bigcode",),
        ("GPTBigCodeForCausalLM", "GPTBigCodeLMHeadModel"),
        source("GPTBigCode"),
        gpt_bigcode,
        {**TIED, "multi_query": True},
    ),
    Family(
        ("gptj",),
        ("GPTJForCausalLM",),
        source("GPTJ"),
        gptj,
        {**TIED, "tie_word_embeddings": False, "max_position_embeddings": 2048},
    ),
    Family(
        ("codegen",),
        ("CodeGenForCausalLM",),
        source("CodeGen"),
        codegen,
        {**TIED, "tie_word_embeddings": False, "max_position_embeddings": 2048},
    ),
    Family(
        ("gpt_neo",),
        ("GPTNeoForCausalLM",),
        source("GPTNeo"),
        gpt_neo,
        {**TIED, "max_position_embeddings": 2048, "window_size": 256},
    ),
    Family(
        ("gpt_neox",),
        ("GPTNeoXForCausalLM",),
        source("GPTNeoX"),
        gpt_neox,
        {"attention_bias": True, "tie_word_embeddings": False, "max_position_embeddings": 2048},
    ),
    Family(
        ("bloom",),
        ("BloomForCausalLM", "BloomModel"),
        source("Bloom"),
        bloom,
        {"intermediate_size": None, "tie_word_embeddings": True, "max_position_embeddings": None},
    ),
    Family(
        ("opt",),
        ("OPTForCausalLM",),
        source("OPT"),
        opt,
        {"tie_word_embeddings": True, "max_position_embeddings": 2048},
    ),
    Family(
        ("mpt",),
        ("MPTForCausalLM", "MptForCausalLM"),
        source("Mpt"),
        mpt,
        {"expansion_ratio": 4, "tie_word_embeddings": True, "max_position_embeddings": 2048},
    ),
)
