"""Llama 4: three layers attend in chunks, the fourth to everything; experts beside a shared one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.family import Family
from derive.architecture.layers.attention import grouped_query, read_heads
from derive.architecture.layers.decoder import (
    FULL,
    NO_DENSE,
    NO_ROLE,
    decoder_layer,
    layer_types,
    read_layers,
)
from derive.architecture.layers.ffn import experts, gated, read_experts, router
from derive.architecture.layers.tower import (
    absent_tower,
    block,
    conv,
    dense,
    heads_divide,
    patches,
    table,
    text_table,
    vision_table,
)
from derive.architecture.model import Naming, assemble, read_outer, read_tied
from derive.architecture.parts import layer, norm
from derive.text import tr

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.model import Model
    from derive.architecture.parts import Layer

CHUNKED = "chunked_attention"
NAMING = Naming().under("language_model.")
AT = "feed_forward."
FFN = tuple(f"{AT}{n}_proj" for n in ("gate", "up", "down"))
EXPERTS = tuple(f"{AT}experts.{{e}}.{n}_proj" for n in ("gate", "up", "down"))
SHARED = tuple(f"{AT}shared_expert.{n}_proj" for n in ("gate", "up", "down"))
TOWER = tuple(f"self_attn.{n}_proj" for n in "qkvo")


def text(c: Config, naming: Naming | None = None, tied: bool | None = None) -> Model:
    """The language model; a dense layer is intermediate_size_mlp wide."""
    read_outer(c)
    read_heads(c)
    read_experts(c, "intermediate_size")
    layers = read_layers(c)
    chunks, sparse = chunk_layers(c, layers), expert_layers(c, layers)
    if all(sparse):
        c.pass_by(NO_DENSE, "intermediate_size_mlp")
    else:
        c.size("d_ff", "intermediate_size_mlp")
    c.pass_by(NO_ROLE, "use_qk_norm", "for_llm_compressor")  # the norm of q and k has no weight
    bias = c.flag("attention_bias")
    mixture = (
        *router(f"{AT}router"), *experts(names=EXPERTS),
        *gated("d_e", kind="shared_expert", names=SHARED),
    )  # fmt: skip
    made: dict[tuple[bool, bool], Layer] = {}
    for chunk, moe in sorted(set(zip(chunks, sparse, strict=True))):
        mixer = grouped_query(c.sheet, bias=bias, window="W" if chunk else "", chunked=chunk)
        name = f"{'chunked' if chunk else 'full'} {'experts' if moe else 'dense'}"
        made[chunk, moe] = decoder_layer(c.sheet, name, mixer, mixture if moe else gated(names=FFN))
    stack = [made[key] for key in zip(chunks, sparse, strict=True)]
    return assemble(c, stack, naming=naming, tied=tied)


def chunk_layers(c: Config, layers: int) -> list[bool]:
    """Layers with rotation attend in chunks; every fourth has none and sees everything."""
    size = c.maybe("attention_chunk_size")
    if size is not None:
        c.sheet.let("W", size, c.origin("attention_chunk_size"))
    every = c.integer("no_rope_layer_interval")
    c.only("nope_layer_interval", every)
    rotated = c.value("no_rope_layers")  # 1 is with rotation, by the class
    flags = c.integers("no_rope_layers", layers, 0, 1) if rotated else [
        int((i + 1) % every != 0) for i in range(layers)
    ]  # fmt: skip
    types = layer_types(c, layers, lambda i: CHUNKED if flags[i] and size else FULL,
                        (CHUNKED, FULL))  # fmt: skip
    if CHUNKED in types and size is None:
        what = tr("layers slide, but {name} is null", name="attention_chunk_size")
        c.reject("attention_chunk_size", what, code="M107")
    return [kind == CHUNKED for kind in types]


def expert_layers(c: Config, layers: int) -> list[bool]:
    """A list of the layers, or every interleave_moe_layer_step-th."""
    step = c.integer("interleave_moe_layer_step")
    if c.value("moe_layers") is not None:
        listed = set(c.integers("moe_layers", None, 0, layers - 1))
        return [i in listed for i in range(layers)]
    return [(i + 1) % step == 0 for i in range(layers)]


def llama4(c: Config) -> Model:
    """With the tower, if the file describes it."""
    inner = text_table(c, TEXT, "transformers 5.24.0, Llama4TextConfig")
    inner.only("model_type", "llama4_text")
    c.only("tie_word_embeddings", False)  # the class ties nothing
    model = text(inner, NAMING, read_tied(inner, c))
    v = vision_table(c, VISION, "transformers 5.24.0, Llama4VisionConfig")
    if v is None:
        model.absent.append(absent_tower())
        return model
    tower(model, v)
    v.sheet.let("d_model", inner.sheet["d_model"], inner.origin("hidden_size"))
    v.only("multi_modal_projector_bias", False)  # the class builds none
    projector = dense("linear_1", "d_vo", "d_model", bias=False)
    model.tower(layer(v.sheet, "projector", projector), 1, "multi_modal_projector.")
    return model


def check_shuffle(v: Config) -> None:
    """Patches that are shuffled together make the vector that the adapter takes."""
    if not v.has("pixel_shuffle_ratio"):
        v.only("pixel_shuffle_ratio", None)
        return
    if v.integer("intermediate_size") * v.fraction("pixel_shuffle_ratio") ** 2 != v.integer(
        "hidden_size"
    ):
        what = tr("{first} and {second} differ", first=v.where("pixel_shuffle_ratio"),
                  second=v.where("intermediate_size"))  # fmt: skip
        v.reject("pixel_shuffle_ratio", what, code="M107")


def tower(model: Model, v: Config) -> None:
    """Layers with biases, then patches shuffled together and narrowed."""
    v.size("d_vit", "hidden_size")
    v.size("d_vff", "intermediate_size")
    v.size("c_in", "num_channels")
    v.size("d_vp", "projector_input_dim")
    v.size("d_pj", "projector_output_dim")
    v.size("d_vo", "vision_output_dim")
    heads_divide(v, "num_attention_heads")
    v.pass_by(NO_ROLE, "vision_feature_select_strategy", "vision_feature_layer",
              "projector_dropout", "num_attention_heads")  # fmt: skip
    check_shuffle(v)
    patches(v)
    depth = v.size("L_v", "num_hidden_layers", high=1024)
    start = (
        *table("class_embedding", "d_vit", leaf=""),
        *table("positional_embedding_vlm", "n_p + 1", "d_vit", leaf=""),
        *conv("patch_embedding.linear", "d_vit", "c_in", "p", "p", bias=False),
        *norm("layernorm_pre", "d_vit", bias=True),
        *norm("layernorm_post", "d_vit", bias=True),
    )
    each = block(norms=("input_layernorm", "post_attention_layernorm"), attention=TOWER,
                 mlp=("mlp.fc1", "mlp.fc2"))  # fmt: skip
    last = (
        *dense("vision_adapter.mlp.fc1", "d_vff", "d_vp", bias=False),
        *dense("vision_adapter.mlp.fc2", "d_pj", "d_pj", bias=False),
    )
    model.tower(layer(v.sheet, "vision input", start), 1, "vision_model.")
    model.tower(layer(v.sheet, "vision layer", each), depth, "vision_model.model.layers.{i}.")
    model.tower(layer(v.sheet, "vision adapter", last), 1, "vision_model.")


TEXT: dict[str, object] = {
    "vocab_size": 202048, "hidden_size": 5120, "intermediate_size": 8192,
    "intermediate_size_mlp": 16384, "num_hidden_layers": 48, "num_attention_heads": 40,
    "num_key_value_heads": 8, "head_dim": 128, "num_experts_per_tok": 1, "num_experts": 16,
    "moe_layers": None, "interleave_moe_layer_step": 1, "no_rope_layers": None,
    "no_rope_layer_interval": 4, "attention_chunk_size": 8192, "attention_bias": False,
    "tie_word_embeddings": False, "max_position_embeddings": 131072,
}  # fmt: skip
VISION: dict[str, object] = {
    "hidden_size": 768, "num_hidden_layers": 34, "num_attention_heads": 16, "num_channels": 3,
    "intermediate_size": 5632, "vision_output_dim": 7680, "image_size": 448, "patch_size": 14,
    "projector_input_dim": 4096, "projector_output_dim": 4096,
}  # fmt: skip

FAMILIES = (
    Family(
        ("llama4_text",),
        ("Llama4ForCausalLM",),
        "transformers 5.24.0, Llama4TextConfig",
        text,
        TEXT,
    ),
    Family(
        ("llama4",),
        ("Llama4ForConditionalGeneration",),
        "transformers 5.24.0, Llama4Config",
        llama4,
        {"tie_word_embeddings": False},
    ),
)
