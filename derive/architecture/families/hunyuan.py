"""Hunyuan: dense and with experts; Large shares keys and values between pairs of layers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.family import Family
from derive.architecture.layers.attention import Names, grouped_query, read_heads
from derive.architecture.layers.decoder import decoder_layer, read_layers
from derive.architecture.layers.ffn import experts, gated, router
from derive.architecture.model import assemble, read_outer
from derive.architecture.parts import norm
from derive.text import Text, tr

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.layers.attention import Mixer
    from derive.architecture.model import Model
    from derive.architecture.parts import Layer, Tensors

NAMES = Names(q_norm="self_attn.query_layernorm", k_norm="self_attn.key_layernorm")
SHARED = tuple(f"mlp.shared_mlp.{n}_proj" for n in ("gate", "up", "down"))
UNUSED = Text("a setting that no released model of this class switches on",
              "该类的已发布模型都未启用的设置")  # fmt: skip


def start(c: Config) -> None:
    """Sizes, and settings that must be as released."""
    read_outer(c)
    beside = c.data.get("head_dim") is None and c.data.get("attention_head_dim") is not None
    read_heads(c, head_dim="attention_head_dim" if beside else "head_dim")
    c.size("d_ff", "intermediate_size")
    c.only("use_qk_norm", True)
    c.only("attention_head_dim", c.sheet["d_head"])
    c.only("head_dim", c.sheet["d_head"])
    c.only("mlp_bias", False)
    c.only("use_mla", False)
    c.only("norm_type", "rms")
    for name in ("kv_lora_rank", "q_lora_rank", "qk_nope_head_dim", "qk_rope_head_dim",
                 "v_head_dim"):  # fmt: skip
        c.only(name, None)
    c.pass_by(UNUSED, "dense_list", "skip_cls_token", "sep_token_id")


def dense(c: Config) -> Model:
    """Llama layers with norms on q and k."""
    start(c)
    c.only("use_cla", False)
    c.pass_by(UNUSED, "cla_share_factor")
    mixer = grouped_query(c.sheet, bias=c.flag("attention_bias"), qk_norm="head", names=NAMES)
    return assemble(c, [decoder_layer(c.sheet, "decoder", mixer, gated())] * read_layers(c))


def network(c: Config, layers: int) -> Tensors:
    """Experts of the width of intermediate_size and one shared network."""
    for symbol, name in (("E", "num_experts"), ("k", "num_experts_per_tok")):
        c.sheet.let(symbol, same(c, name, layers), c.origin(name))
    if c.sheet["k"] > c.sheet["E"]:
        what = tr("{top} experts per token of {count} experts", top=c.sheet["k"],
                  count=c.sheet["E"])  # fmt: skip
        c.reject("num_experts_per_tok", what, code="M107")
    c.only("use_mixed_mlp_moe", True)
    c.only("moe_layer_num_skipped", 0)
    if c.value("moe_intermediate_size") is not None:
        c.sheet.let("d_e", same(c, "moe_intermediate_size", layers),
                    c.origin("moe_intermediate_size"))  # fmt: skip
    else:
        c.sheet.let("d_e", c.sheet["d_ff"], c.origin("intermediate_size"))
    c.sheet.let("n_s", same(c, "num_shared_expert", layers), c.origin("num_shared_expert"))
    c.pass_by(UNUSED, "moe_drop_tokens", "moe_random_routing_dropped_token", "capacity_factor",
              "moe_replicate", "unused")  # fmt: skip
    shared = gated("n_s * d_e", kind="shared_expert", names=SHARED)
    return (*router("mlp.gate.wg"), *experts(), *shared)


def same(c: Config, name: str, layers: int) -> int:
    """A number, or a list of one number for each layer that must be alike."""
    found = c.value(name)
    if not isinstance(found, list):
        return c.integer(name)
    listed = c.integers(name, None, 1)
    if len(listed) < layers or len(set(listed)) != 1:
        c.reject(name, tr("{name} differs between layers, which is not understood", name=name))
    return listed[0]


def mixture(c: Config) -> Model:
    """A13B; Large with use_cla, where only every cla_share_factor-th layer keeps its own."""
    start(c)
    layers = read_layers(c)
    ffn = network(c, layers)
    bias = c.flag("attention_bias")
    factor = c.integer("cla_share_factor") if c.flag("use_cla") else 1
    c.used.add("cla_share_factor")

    def make(own: bool) -> Layer:
        mixer: Mixer = grouped_query(c.sheet, bias=bias, qk_norm="head", names=NAMES, own_kv=own)
        if not own:  # the norm of k stays, though no keys are projected
            extra = norm(NAMES.k_norm, "d_head")
            mixer = type(mixer)((*mixer.tensors, *extra), mixer.cache)
        name = "decoder" if own else "shared keys and values"
        return decoder_layer(c.sheet, name, mixer, ffn)

    made = {own: make(own) for own in {i % factor == 0 for i in range(layers)}}
    return assemble(c, [made[i % factor == 0] for i in range(layers)])


DEFAULTS: dict[str, object] = {
    "num_key_value_heads": None,
    "head_dim": None,
    "attention_bias": False,
    "tie_word_embeddings": False,
    "max_position_embeddings": 2048,
}
MOE: dict[str, object] = {
    **DEFAULTS,
    "num_shared_expert": 1,
    "moe_intermediate_size": None,
    "use_cla": False,
    "cla_share_factor": 1,
}

FAMILIES = (
    Family(
        ("hunyuan_v1_dense",),
        ("HunYuanDenseV1ForCausalLM",),
        "transformers 5.24.0, HunYuanDenseV1Config",
        dense,
        DEFAULTS,
    ),
    Family(
        ("hunyuan_v1_moe",),
        ("HunYuanMoEV1ForCausalLM",),
        "transformers 5.24.0, HunYuanMoEV1Config",
        mixture,
        MOE,
    ),
    Family(
        ("hunyuan",),
        ("HunYuanForCausalLM", "HunYuanMoEV1ForCausalLM"),
        "tencent/Tencent-Hunyuan-Large, configuration_hunyuan.py",
        mixture,
        MOE,
    ),
)
