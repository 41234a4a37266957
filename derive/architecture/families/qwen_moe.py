"""Qwen mixtures of experts: 1.5 and 2 (with a gated shared expert), 3 (without)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.family import Family
from derive.architecture.layers.attention import grouped_query, read_heads
from derive.architecture.layers.decoder import (
    NO_WINDOW,
    decoder_layer,
    dense_width,
    read_layers,
    sparse_steps,
    two_kinds,
    uniform_types,
)
from derive.architecture.layers.ffn import experts, gated, read_experts, router, shared_gate
from derive.architecture.model import assemble, read_outer

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.model import Model, Naming
    from derive.architecture.parts import Layer, Tensors

SHARED = tuple(f"mlp.shared_expert.{n}_proj" for n in ("gate", "up", "down"))


def no_window(c: Config) -> None:
    """These classes slide by rules of their own; no release uses them."""
    c.only("use_sliding_window", False)
    if "use_sliding_window" not in c.data:  # some have no such switch, and their cache has a window
        c.only("sliding_window", None)
    uniform_types(c, c.sheet["L"])
    c.pass_by(NO_WINDOW, "sliding_window", "max_window_layers")


def network(*, shared: bool) -> Tensors:
    """Router, experts and, in Qwen 2, the shared expert with its gate."""
    made = (*router(), *experts())
    if not shared:
        return made
    return (*made, *gated("d_s", kind="shared_expert", names=SHARED), *shared_gate())


def stack(
    c: Config,
    *,
    bias: bool,
    o_bias: bool,
    qk_norm: str,
    head_dim: str,
    shared: bool,
    naming: Naming | None = None,
    tied: bool | None = None,
) -> Model:
    """Layers with experts and, where the file says so, dense ones."""
    read_outer(c)
    read_heads(c, head_dim=head_dim)
    read_experts(c)
    sparse = sparse_steps(c, read_layers(c))
    dense_width(c, sparse)
    if shared:
        c.size("d_s", "shared_expert_intermediate_size")
    no_window(c)
    mixer = grouped_query(c.sheet, bias=bias, o_bias=o_bias, qk_norm=qk_norm)

    def make(name: str, moe: bool) -> Layer:
        return decoder_layer(c.sheet, name, mixer, network(shared=shared) if moe else gated())

    stacked = two_kinds(sparse, make, ("experts", "dense"))
    return assemble(c, stacked, naming=naming, tied=tied)


def qwen2_moe(c: Config) -> Model:
    """Biases on q, k, v unless switched off."""
    return stack(c, bias=c.flag("qkv_bias"), o_bias=False, qk_norm="", head_dim="", shared=True)


def qwen3_moe(c: Config) -> Model:
    """Norms on q and k; no shared expert."""
    c.only("use_qk_norm", True)
    c.only("qkv_bias", False)
    c.only("shared_expert_intermediate_size", 0)
    bias = c.flag("attention_bias")
    return stack(c, bias=bias, o_bias=bias, qk_norm="head", head_dim="head_dim", shared=False)


QWEN2: dict[str, object] = {
    "num_key_value_heads": 16,
    "decoder_sparse_step": 1,
    "mlp_only_layers": None,
    "qkv_bias": True,
    "tie_word_embeddings": False,
    "max_position_embeddings": 32768,
}
QWEN3: dict[str, object] = {
    "num_key_value_heads": 4,
    "head_dim": None,
    "attention_bias": False,
    "decoder_sparse_step": 1,
    "mlp_only_layers": None,
    "tie_word_embeddings": False,
    "max_position_embeddings": 32768,
}

FAMILIES = (
    Family(
        types=("qwen2_moe",),
        classes=("Qwen2MoeForCausalLM",),
        source="transformers 5.24.0, Qwen2MoeConfig",
        build=qwen2_moe,
        defaults=QWEN2,
    ),
    Family(
        types=("qwen3_moe",),
        classes=("Qwen3MoeForCausalLM",),
        source="transformers 5.24.0, Qwen3MoeConfig",
        build=qwen3_moe,
        defaults=QWEN3,
    ),
)
