"""Gemma 3n: per-layer embeddings, four residual streams, the last layers share keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.family import Family
from derive.architecture.layers.attention import grouped_query, read_heads
from derive.architecture.layers.decoder import (
    FOUR_NORMS,
    FULL,
    SLIDING,
    decoder_layer,
    layer_types,
    read_layers,
    windowed,
)
from derive.architecture.layers.ffn import gated
from derive.architecture.layers.tower import text_table
from derive.architecture.model import Naming, assemble, read_outer, read_tied
from derive.architecture.parts import Tensor, Tensors, linear, norm, vector
from derive.architecture.symbols import Symbol
from derive.text import Text, tr

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.model import Model
    from derive.architecture.parts import Layer

NAMING = Naming(
    ("model.language_model.layers.{i}.", "model.layers.{i}."),
    "model.language_model.embed_tokens",
    "model.language_model.norm",
)
KIND = "other"
PRUNED = Text("which activations are set to nought", "哪些激活被置零")


def text(c: Config, naming: Naming | None = None, tied: bool | None = None) -> Model:
    """The language model."""
    read_outer(c)
    read_heads(c)
    layers = read_layers(c)
    c.size("V_pl", "vocab_size_per_layer_input")
    c.size("d_pl", "hidden_size_per_layer_input")
    c.size("n_alt", "altup_num_inputs", 2)
    c.size("r_lau", "laurel_rank")
    c.only("altup_correct_scale", True)
    c.pass_by(PRUNED, "activation_sparsity_pattern", "altup_active_idx", "altup_coef_clip",
              "altup_lr_multiplier")  # fmt: skip
    c.size("W", "sliding_window")
    types = layer_types(c, layers, lambda i: FULL if (i + 1) % 5 == 0 else SLIDING)
    slides = windowed(c, types, "W")
    owners = layers - c.integer("num_kv_shared_layers", 0, layers - 1)
    if set(types[owners:]) - set(types[:owners]):
        what = tr("the shared layers are of a kind that no earlier layer has")
        c.reject("num_kv_shared_layers", what, code="M107")
    made: dict[tuple[bool, bool, int], Layer] = {}
    stack = []
    for index, (slide, width) in enumerate(zip(slides, widths(c, layers), strict=True)):
        key = (slide, index < owners, width)
        if key not in made:
            made[key] = one_layer(c, *key)
        stack.append(made[key])
    model = assemble(c, stack, naming=naming, tied=tied, tables=per_layer_table(),
                     before=around())  # fmt: skip
    if owners < layers:
        model.absent.append(tr("keys and values of the {count} layers that share them: the "
                               "checkpoint stores such projections, the class has none",
                               count=layers - owners))  # fmt: skip
    return model


def widths(c: Config, layers: int) -> list[int]:
    """One width for all layers, or a list."""
    if isinstance(c.data.get("intermediate_size"), list):
        return c.integers("intermediate_size", layers, 1)
    return [c.integer("intermediate_size")] * layers


def one_layer(c: Config, slide: bool, own: bool, width: int) -> Layer:
    """Attention, network, streams, low-rank branch, per-layer input."""
    sheet = c.sheet.child(d_ff=Symbol(width, c.origin("intermediate_size")))
    mixer = grouped_query(sheet, bias=c.flag("attention_bias"), qk_norm="head", own_kv=own,
                          window="W" if slide else "")  # fmt: skip
    name = f"{'sliding' if slide else 'full'}{'' if own else ' with shared keys and values'}"
    return decoder_layer(sheet, name, mixer, (*gated(), *beside()), norms=FOUR_NORMS)


def beside() -> Tensors:
    """Alternating updates of the streams, LAuReL, the gate of the per-layer input."""
    return (
        *vector("altup", KIND, "d_model", leaf="correct_output_scale"),
        *linear("altup.correction_coefs", "n_alt", "n_alt", KIND, plain=False),
        *linear("altup.prediction_coefs", "n_alt", "n_alt * n_alt", KIND, plain=False),
        *linear("altup.modality_router", "d_model", "n_alt", KIND, plain=False),
        *norm("altup.router_norm"),
        *linear("laurel.linear_left", "d_model", "r_lau", KIND),
        *linear("laurel.linear_right", "r_lau", "d_model", KIND),
        *norm("laurel.post_laurel_norm"),
        *linear("per_layer_input_gate", "d_model", "d_pl", KIND),
        *linear("per_layer_projection", "d_pl", "d_model", KIND),
        *norm("post_per_layer_input_norm"),
    )


def per_layer_table() -> Tensors:
    """A row for every token and layer, read by lookup."""
    return (Tensor("model.embed_tokens_per_layer", "embedding_per_layer", ("V_pl", "L", "d_pl")),)


def around() -> Tensors:
    """Projections into and out of the streams, and of the per-layer input."""
    made = (
        *linear("model.per_layer_model_projection", "d_model", "L * d_pl", KIND),
        *norm("model.per_layer_projection_norm", "d_pl"),
    )
    for name in ("altup_projections", "altup_unembed_projections"):
        made += (Tensor(f"model.{name}", KIND, ("d_model", "d_model"), copies="(n_alt - 1)",
                        used="(n_alt - 1)", matmul=True, quantized=True),)  # fmt: skip
    return made


def gemma3n(c: Config) -> Model:
    """Text only: the towers are not understood and must be left out of the file."""
    inner = text_table(c, TEXT, "transformers 5.24.0, Gemma3nTextConfig")
    inner.only("model_type", "gemma3n_text")
    model = text(inner, NAMING, read_tied(inner, c))
    model.absent.append(tr("vision and audio towers: the config does not describe them"))
    return model


TEXT: dict[str, object] = {
    "vocab_size": 262400,
    "hidden_size": 2048,
    "intermediate_size": 16384,
    "num_hidden_layers": 35,
    "num_attention_heads": 8,
    "num_key_value_heads": 2,
    "head_dim": 256,
    "sliding_window": 512,
    "attention_bias": False,
    "vocab_size_per_layer_input": 262144,
    "hidden_size_per_layer_input": 256,
    "altup_num_inputs": 4,
    "num_kv_shared_layers": 15,
    "laurel_rank": 64,
    "tie_word_embeddings": True,
    "max_position_embeddings": 32768,
}

FAMILIES = (
    Family(
        ("gemma3n_text",),
        ("Gemma3nForCausalLM",),
        "transformers 5.24.0, Gemma3nTextConfig",
        text,
        TEXT,
    ),
    Family(
        ("gemma3n",),
        ("Gemma3nForConditionalGeneration", "Gemma3nForCausalLM"),
        "transformers 5.24.0, Gemma3nConfig",
        gemma3n,
        {"tie_word_embeddings": True},
    ),
)
