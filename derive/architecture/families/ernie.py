"""ERNIE 4.5: dense, and with experts between two layers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.families.llama import llama
from derive.architecture.family import Family
from derive.architecture.layers.attention import grouped_query, read_heads
from derive.architecture.layers.decoder import decoder_layer, dense_width, read_layers, two_kinds
from derive.architecture.layers.ffn import SHARED, experts, gated, read_experts, router
from derive.architecture.layers.mtp import with_projection
from derive.architecture.model import assemble, read_outer
from derive.architecture.parts import vector
from derive.text import Text

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.model import Model
    from derive.architecture.parts import Layer


SPREAD = Text("how tokens are spread over experts", "只影响 token 如何分到各专家")


def ernie(c: Config) -> Model:
    """Llama; one switch for all biases."""
    bias = c.flag("use_bias")
    return llama(c, bias=bias, o_bias=bias, mlp_bias=bias)


def ernie_moe(c: Config) -> Model:
    """The correction bias is a learned tensor here, counted with the router.

    The switch for biases is one for the head too, but not for the experts.
    """
    read_outer(c)
    read_heads(c)
    read_experts(c)
    layers = read_layers(c)
    first, step = c.integer("moe_layer_start_index", 0), c.integer("moe_layer_interval")
    last = c.integer("moe_layer_end_index", -1)
    last = layers - 1 if last == -1 else last
    sparse = [first <= i <= last and (i + 1) % step == 0 for i in range(layers)]
    dense_width(c, sparse)
    c.only("moe_use_aux_free", True)
    c.pass_by(SPREAD, "moe_capacity", "moe_gate", "moe_norm_min")
    bias = c.flag("use_bias")
    mixer = grouped_query(c.sheet, bias=bias)
    shared = c.maybe("moe_num_shared_experts", 0)
    if shared:
        c.sheet.let("n_s", shared, c.origin("moe_num_shared_experts"))
    network = (*router(), *vector("mlp.gate.moe_statics", "router", "E"), *experts())
    if shared:
        network += gated("n_s * d_e", kind="shared_expert", names=SHARED, bias=bias)

    def make(name: str, moe: bool) -> Layer:
        return decoder_layer(c.sheet, name, mixer, network if moe else gated(bias=bias))

    model = assemble(c, two_kinds(sparse, make, ("experts", "dense")), head_bias=bias)
    count = c.maybe("num_nextn_predict_layers", 0, 16)
    if count:  # a dense layer, though the model has experts
        c.size("d_ff", "intermediate_size")
        with_projection(c, model, make("mtp", False), count, at="model.mtp_block.{i}.",
                        norms=("mtp_emb_norm", "mtp_hidden_norm"),
                        projection="mtp_linear_proj")  # fmt: skip
    return model


FAMILIES = (
    Family(
        ("ernie4_5",),
        ("Ernie4_5ForCausalLM", "Ernie4_5_ForCausalLM"),
        "transformers 5.24.0, Ernie4_5Config",
        ernie,
        {
            "num_key_value_heads": 2,
            "head_dim": 128,
            "use_bias": False,
            "tie_word_embeddings": True,
            "max_position_embeddings": 131072,
        },
    ),
    Family(
        ("ernie4_5_moe",),
        ("Ernie4_5_MoeForCausalLM", "Ernie4_5_MoEForCausalLM"),
        "transformers 5.24.0, Ernie4_5_MoeConfig",
        ernie_moe,
        {
            "num_key_value_heads": 4,
            "head_dim": None,
            "use_bias": False,
            "moe_num_shared_experts": 2,
            "moe_layer_start_index": 1,
            "moe_layer_end_index": -1,
            "moe_layer_interval": 1,
            "num_nextn_predict_layers": None,
            "tie_word_embeddings": True,
            "max_position_embeddings": 131072,
        },
    ),
)
