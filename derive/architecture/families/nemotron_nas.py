"""Llama-Nemotron (DeciLM): every block of a width and a number of heads of its own, or skipped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.family import Family
from derive.architecture.layers.attention import grouped_query, read_heads
from derive.architecture.layers.decoder import read_layers
from derive.architecture.layers.ffn import gated
from derive.architecture.model import assemble, no_cache, read_outer
from derive.architecture.parts import layer, norm
from derive.architecture.symbols import Symbol
from derive.text import tr

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.model import Model
    from derive.architecture.parts import Layer, Tensors

MULTIPLE = 256  # widths are rounded up to it


def build(c: Config) -> Model:
    """One entry of block_configs for each layer."""
    read_outer(c)
    read_heads(c, kv="")
    c.only("intermediate_size", None)
    c.only("num_key_value_heads", None)
    layers = read_layers(c)
    stack = [one_block(c, index, block) for index, block in
             enumerate(c.items("block_configs", layers))]  # fmt: skip
    return assemble(c, stack)


def one_block(c: Config, index: int, block: object) -> Layer:
    """Attention and network of a block; what is a no_op is not there, nor is its norm."""
    if not isinstance(block, dict):
        c.reject("block_configs", tr("{name} must hold objects", name="block_configs"))
    b = c.nested(block, f"block_configs[{index}]")
    attention, ffn = b.table("attention"), b.table("ffn")
    c.children.append(b)
    for part in (attention, ffn):
        for name in ("replace_with_linear", "unshifted_sink",
                     "use_prefill_window_in_sink_attention"):  # fmt: skip
            part.only(name, False)
        for name in ("sparsify", "num_sink_tokens", "window_length"):
            part.only(name, None)
    tensors: Tensors = ()
    sheet, cache = c.sheet.child(), no_cache("none (no_op attention)")
    skipped = attention.flag("no_op")
    attention.used.add("n_heads_in_group")
    if not skipped:
        group = attention.integer("n_heads_in_group")
        if c.sheet["H_q"] % group:
            what = tr("{name} does not divide the heads", name="n_heads_in_group")
            attention.reject("n_heads_in_group", what, code="M107")
        source = f"{c.origin('num_attention_heads')} / block_configs[*].attention.n_heads_in_group"
        sheet.values["H_kv"] = Symbol(c.sheet["H_q"] // group, source)
        mixer = grouped_query(sheet, bias=c.flag("attention_bias"))
        tensors, cache = (*norm("input_layernorm"), *mixer.tensors), mixer.cache
    ffn.used.add("ffn_mult")
    if not ffn.flag("no_op"):
        times = ffn.fraction("ffn_mult")
        width = -(-int(2 * times * c.sheet["d_model"] / 3) // MULTIPLE) * MULTIPLE
        source = (
            f"2/3 * block_configs[*].ffn.ffn_mult * hidden_size, up to a multiple of {MULTIPLE}"
        )
        sheet.values["d_ff"] = Symbol(width, source)
        tensors += (*norm("post_attention_layernorm"), *gated(bias=c.flag("mlp_bias")))
    return layer(sheet, "network only" if skipped else "decoder", tensors, cache)


FAMILIES = (
    Family(
        types=("nemotron-nas", "deci", "nemotron_nas"),
        classes=("DeciLMForCausalLM",),
        source="nvidia/Llama-3_3-Nemotron-Super-49B-v1, configuration_decilm.py",
        build=build,
        defaults={
            "head_dim": None,
            "no_op": False,
            "attention_bias": False,
            "mlp_bias": False,
            "tie_word_embeddings": False,
            "max_position_embeddings": 2048,
        },
    ),
)
