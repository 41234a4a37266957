"""Laguna: a gate on each head, query heads by a list of the layers, a learned correction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.families.step import LIMITS, read_head_counts, stack
from derive.architecture.family import Family
from derive.architecture.layers.decoder import (
    FULL,
    dense_width,
    layer_types,
    read_layers,
    read_window,
    windowed,
)
from derive.architecture.layers.ffn import SHARED, experts, gated, read_experts, router
from derive.architecture.model import read_outer
from derive.architecture.parts import vector
from derive.text import tr

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.model import Model


def build(c: Config) -> Model:
    """All layers of one kind of attention must have the same number of heads."""
    read_outer(c)
    read_experts(c)
    c.size("d_s", "shared_expert_intermediate_size")
    layers, window = read_layers(c), read_window(c)
    slides = windowed(c, layer_types(c, layers, lambda _: FULL), window)
    sparse = [i > 0 for i in range(layers)]
    if c.has("mlp_layer_types"):
        sparse = [k == "sparse" for k in c.words("mlp_layer_types", ("dense", "sparse"), layers)]
    c.used.add("mlp_layer_types")
    dense_width(c, sparse)
    sliding = c.integer("num_attention_heads")
    if c.value("num_attention_heads_per_layer") is not None:
        counts = c.integers("num_attention_heads_per_layer", layers, 1)
        kinds = {s: {n for n, at in zip(counts, slides, strict=True) if at == s} for s in slides}
        full = kinds.get(False, {sliding})
        if any(len(k) != 1 for k in kinds.values()) or full != {c.integer("num_attention_heads")}:
            what = tr("{name} differs between layers, which is not understood",
                      name="num_attention_heads_per_layer")  # fmt: skip
            c.reject("num_attention_heads_per_layer", what)
        sliding = next(iter(kinds.get(True, {sliding})))
    c.used |= {"num_attention_heads_per_layer", "decoder_sparse_step", "mlp_only_layers"}
    read_head_counts(c, sliding, c.origin("num_attention_heads_per_layer"))
    c.only("qkv_bias", False)
    c.pass_by(LIMITS, "moe_router_logit_softcapping", "moe_apply_router_weight_on_input",
              "moe_routed_scaling_factor")  # fmt: skip
    wide = "head" if c.value("gating") is True else c.word("gating", ("per-head", "per-element"))
    network = (*router(), *vector("mlp.gate", "router", "E", leaf="e_score_correction_bias"),
               *experts(), *gated("d_s", kind="shared_expert", names=SHARED))  # fmt: skip
    gate = "head" if wide in ("head", "per-head") else "element"
    return stack(c, slides, sparse, network, window, gate)


FAMILIES = (
    Family(
        ("laguna",),
        ("LagunaForCausalLM",),
        "transformers 5.24.0, LagunaConfig",
        build,
        {
            "num_key_value_heads": 8,
            "head_dim": 128,
            "sliding_window": 512,
            "num_attention_heads_per_layer": None,
            "gating": True,
            "attention_bias": False,
            "tie_word_embeddings": False,
            "max_position_embeddings": 131072,
        },
    ),
)
