"""Command with experts: dense layers first, then experts, windows by two patterns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.families.cohere import DEFAULTS, ONE_NORM
from derive.architecture.family import Family
from derive.architecture.layers.attention import grouped_query, read_heads
from derive.architecture.layers.decoder import (
    FULL,
    SLIDING,
    decoder_layer,
    layer_types,
    read_layers,
    read_window,
    windowed,
)
from derive.architecture.layers.ffn import SHARED, experts, gated, read_experts, router
from derive.architecture.model import assemble, read_outer

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.model import Model
    from derive.architecture.parts import Layer


def build(c: Config) -> Model:
    """The first layers are dense and follow a pattern of windows of their own."""
    read_outer(c)
    read_heads(c)
    read_experts(c, "intermediate_size")
    layers, window = read_layers(c), read_window(c)
    first = c.integer("first_k_dense_replace", 0)
    early = c.integer("prefix_dense_sliding_window_pattern")
    late = c.integer("sliding_window_pattern")

    def rule(i: int) -> str:
        place, pattern = (i + 1, early) if i < first else (i - first + 1, late)
        return SLIDING if window and place % pattern else FULL

    slides = windowed(c, layer_types(c, layers, rule), window)
    sparse = [i >= first for i in range(layers)]
    if c.has("mlp_layer_types"):
        sparse = [k == "sparse" for k in c.words("mlp_layer_types", ("dense", "sparse"), layers)]
    c.used.add("mlp_layer_types")
    if not all(sparse):  # the width of the experts where no other is named
        named = c.value("prefix_dense_intermediate_size") is not None
        c.size("d_ff", "prefix_dense_intermediate_size" if named else "intermediate_size")
    c.used.add("prefix_dense_intermediate_size")
    shared = c.maybe("num_shared_experts", 0)
    c.only("shared_expert_combination_strategy", "average", "sum")
    network = (*router(), *experts())
    if shared:
        c.sheet.let("n_s", shared, c.origin("num_shared_experts"))
        network += gated("n_s * d_e", kind="shared_expert", names=SHARED)
    bias = c.flag("attention_bias")

    def make(slide: bool, moe: bool) -> Layer:
        mixer = grouped_query(c.sheet, bias=bias, window=window if slide else "")
        name = f"{'sliding' if slide else 'full'} {'experts' if moe else 'dense'}"
        return decoder_layer(c.sheet, name, mixer, network if moe else gated(), norms=ONE_NORM)

    made = {key: make(*key) for key in sorted(set(zip(slides, sparse, strict=True)))}
    return assemble(c, [made[key] for key in zip(slides, sparse, strict=True)])


FAMILIES = (
    Family(
        ("cohere2_moe",),
        ("Cohere2MoeForCausalLM",),
        "transformers 5.24.0, Cohere2MoeConfig",
        build,
        {
            **DEFAULTS,
            "head_dim": 128,
            "sliding_window": 4096,
            "sliding_window_pattern": 4,
            "first_k_dense_replace": 0,
            "prefix_dense_sliding_window_pattern": 1,
            "prefix_dense_intermediate_size": None,
            "num_experts": 8,
            "num_experts_per_tok": 2,
            "num_shared_experts": 0,
        },
    ),
)
