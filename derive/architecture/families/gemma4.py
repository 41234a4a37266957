"""Gemma 4: wider heads in full layers, keys that serve as values, experts beside a network."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from derive.architecture.families.gemma4_towers import audio, vision
from derive.architecture.family import Family
from derive.architecture.layers.attention import Heads, grouped_query, read_heads
from derive.architecture.layers.decoder import (
    FOUR_NORMS,
    FULL,
    NO_ROLE,
    SLIDING,
    decoder_layer,
    layer_types,
    read_layers,
)
from derive.architecture.layers.ffn import experts, gated, read_experts, router
from derive.architecture.layers.tower import text_table
from derive.architecture.model import Naming, assemble, read_outer, read_tied
from derive.architecture.parts import Tensor, Tensors, linear, norm, vector
from derive.text import tr

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.model import Model
    from derive.architecture.parts import Layer

NAMING = Naming(
    ("model.language_model.layers.{i}.", "model.layers.{i}."),
    "model.language_model.embed_tokens",
    "model.language_model.norm",
)
GLOBAL = Heads("H_q", "H_kv_full", "d_full")
EXPERTS = tuple(f"experts.{{e}}.{n}_proj" for n in ("gate", "up", "down"))
MOE_NORMS = ("post_feedforward_layernorm_1", "post_feedforward_layernorm_2",
             "pre_feedforward_layernorm_2")  # fmt: skip


@dataclass(frozen=True)
class Kind:
    """What tells the layers apart."""

    slide: bool
    own: bool
    wide: bool


def text(c: Config, naming: Naming | None = None, tied: bool | None = None) -> Model:
    """The language model."""
    names = naming or Naming()
    read_outer(c)
    read_heads(c)
    c.size("d_ff", "intermediate_size")
    layers = read_layers(c)
    c.size("W", "sliding_window")
    c.only("use_bidirectional_attention", None, "vision")
    moe = c.flag("enable_moe_block")
    if moe:
        read_experts(c)
    else:
        c.only("num_experts", None)
        c.only("top_k_experts", None)
        c.only("moe_intermediate_size", None)
        c.only("num_experts_per_tok", None)
        c.only("expert_intermediate_size", None)
    per_layer = c.integer("hidden_size_per_layer_input", 0)
    if per_layer:
        c.size("d_pl", "hidden_size_per_layer_input")
        c.size("V_pl", "vocab_size_per_layer_input")
    if not per_layer:
        c.pass_by(NO_ROLE, "vocab_size_per_layer_input")
    types = layer_types(c, layers, lambda i: SLIDING if (i + 1) % 6 else FULL)
    if types[-1] != FULL:
        types[-1] = FULL
        c.note(tr("the last layer has full attention, whatever the list says, by the class"))
    read_global(c, [i for i, t in enumerate(types) if t == FULL])
    owners = layers - c.integer("num_kv_shared_layers", 0, layers)
    if set(types[owners:]) - set(types[:owners]):
        what = tr("the shared layers are of a kind that no earlier layer has")
        c.reject("num_kv_shared_layers", what, code="M107")
    double = c.flag("use_double_wide_mlp")
    kinds = [Kind(t == SLIDING, i < owners, double and i >= owners) for i, t in enumerate(types)]
    made = {k: one_layer(c, k, moe=moe, per_layer=bool(per_layer)) for k in dict.fromkeys(kinds)}
    at = names.embedding.removesuffix("embed_tokens")
    tables, before = around(at) if per_layer else ((), ())
    model = assemble(c, [made[k] for k in kinds], naming=names, tied=tied, tables=tables,
                     before=before)  # fmt: skip
    if owners < layers:
        model.absent.append(tr("keys and values of the {count} layers that share them: the "
                               "checkpoint stores such projections, the class has none",
                               count=layers - owners))  # fmt: skip
    return model


def read_global(c: Config, full: list[int]) -> None:
    """Head size and key-value heads of layers with full attention."""
    size = c.maybe("global_head_dim")
    heads = c.maybe("num_global_key_value_heads") if c.flag("attention_k_eq_v") else None
    origins = [c.origin("global_head_dim"), c.origin("num_global_key_value_heads")]
    c.used.add("num_global_key_value_heads")
    if c.data.get("per_layer_config"):
        over = overrides(c, full)
        size, heads = over.get("head_dim", size), over.get("num_key_value_heads", heads)
        origins = [f"{c.where('per_layer_config')}[*].{n}" for n in over]
    c.used.add("per_layer_config")
    if size is None:
        c.reject("global_head_dim", tr("{name} is missing", name="global_head_dim"), code="M104")
    c.sheet.let("d_full", size, origins[0])
    origin = origins[-1] if heads else c.origin("num_key_value_heads")
    c.sheet.let("H_kv_full", heads or c.sheet["H_kv"], origin)
    if c.sheet["H_q"] % c.sheet["H_kv_full"]:
        what = tr("{queries} query heads are no multiple of {heads} key-value heads",
                  queries=c.sheet["H_q"], heads=c.sheet["H_kv_full"])  # fmt: skip
        c.reject("num_global_key_value_heads", what, code="M107")


def overrides(c: Config, full: list[int]) -> dict[str, int]:
    """The same entry for each full layer, as the library writes it."""
    found = c.data["per_layer_config"]
    entries = list(found.items()) if isinstance(found, dict) else []
    first = entries[0][1] if entries else None
    good = isinstance(first, dict) and all(e == first for _, e in entries)
    places = [str(k).isdigit() and int(k) for k, _ in entries]
    values = first if isinstance(first, dict) else {}
    known = {"head_dim", "num_key_value_heads"}
    sound = all(type(v) is int and 0 < v < 65536 for v in values.values())
    if not good or places != full or not set(values) <= known or not sound:
        what = tr("{name} is not understood", name=c.where("per_layer_config"))
        c.reject("per_layer_config", what)
    return dict(values)


def one_layer(c: Config, kind: Kind, *, moe: bool, per_layer: bool) -> Layer:
    """Attention, dense network, experts beside it, per-layer input."""
    heads = Heads() if kind.slide else GLOBAL
    same = c.flag("attention_k_eq_v") and not kind.slide
    mixer = grouped_query(c.sheet, bias=c.flag("attention_bias"), qk_norm="head", heads=heads,
                          window="W" if kind.slide else "", value=not same,
                          own_kv=kind.own)  # fmt: skip
    network = gated("2 * d_ff" if kind.wide else "d_ff")
    if moe:
        network += mixture()
    if per_layer:
        network += (
            *linear("per_layer_input_gate", "d_model", "d_pl", "other"),
            *linear("per_layer_projection", "d_pl", "d_model", "other"),
            *norm("post_per_layer_input_norm"),
        )
    network += (Tensor("layer_scalar", "buffer", ("1",), leaf=""),)
    name = (
        f"{'sliding' if kind.slide else 'full'}{'' if kind.own else ' with shared keys and values'}"
    )
    return decoder_layer(c.sheet, name, mixer, network, norms=FOUR_NORMS)


def mixture() -> Tensors:
    """Experts; the router has a scale for its input and one for each expert."""
    return (
        *router("router.proj"),
        *vector("router", "router", "d_model", leaf="scale"),
        *vector("router", "router", "E", leaf="per_expert_scale"),
        *experts(names=EXPERTS),
        *(t for name in MOE_NORMS for t in norm(name)),
    )


def around(at: str) -> tuple[Tensors, Tensors]:
    """The table of per-layer embeddings, and the projection beside it."""
    table = Tensor(f"{at}embed_tokens_per_layer", "embedding_per_layer", ("V_pl", "L", "d_pl"))
    projection = (
        *linear(f"{at}per_layer_model_projection", "d_model", "L * d_pl", "other"),
        *norm(f"{at}per_layer_projection_norm", "d_pl"),
    )
    return (table,), projection


def gemma4(c: Config) -> Model:
    """With the towers that the file describes."""
    inner = text_table(c, TEXT, "transformers 5.24.0, Gemma4TextConfig")
    inner.only("model_type", "gemma4_text")
    model = text(inner, NAMING, read_tied(inner, c))
    c.pass_by(NO_ROLE, "vision_soft_tokens_per_image", "audio_ms_per_token",
              "audio_soft_tokens_per_second")  # fmt: skip
    vision(model, c, inner)
    audio(model, c, inner)
    return model


TEXT: dict[str, object] = {
    "vocab_size": 262144, "hidden_size": 2304, "intermediate_size": 9216,
    "num_hidden_layers": 30, "num_attention_heads": 8, "num_key_value_heads": 4, "head_dim": 256,
    "global_head_dim": 512, "num_global_key_value_heads": None, "sliding_window": 512,
    "vocab_size_per_layer_input": 262144, "hidden_size_per_layer_input": 256,
    "attention_k_eq_v": False, "num_kv_shared_layers": 0, "enable_moe_block": False,
    "use_double_wide_mlp": False, "attention_bias": False, "tie_word_embeddings": True,
    "max_position_embeddings": 131072,
}  # fmt: skip

FAMILIES = (
    Family(
        ("gemma4_text",),
        ("Gemma4ForCausalLM",),
        "transformers 5.24.0, Gemma4TextConfig",
        text,
        TEXT,
    ),
    Family(
        ("gemma4",),
        ("Gemma4ForConditionalGeneration",),
        "transformers 5.24.0, Gemma4Config",
        gemma4,
        {"tie_word_embeddings": True},
    ),
)
