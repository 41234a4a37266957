"""Llama 3.2 Vision: some layers attend to the image instead of the text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.family import Family
from derive.architecture.layers.attention import Mixer, Names, grouped_query, read_heads
from derive.architecture.layers.decoder import NO_ROLE, decoder_layer, read_layers
from derive.architecture.layers.ffn import gated
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
from derive.architecture.parts import Cache, layer, norm, vector
from derive.text import tr

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.model import Model

NAMING = Naming(
    ("language_model.model.layers.{i}.", "model.language_model.layers.{i}."),
    "language_model.model.embed_tokens",
    "language_model.model.norm",
    "language_model.lm_head",
)
CROSS = Names(
    q="cross_attn.q_proj",
    k="cross_attn.k_proj",
    v="cross_attn.v_proj",
    o="cross_attn.o_proj",
    q_norm="cross_attn.q_norm",
    k_norm="cross_attn.k_norm",
)
TOWER = tuple(f"self_attn.{n}_proj" for n in "qkvo")
EXTRA = 8  # rows of the table for the image token


def text(c: Config, naming: Naming | None = None, tied: bool | None = None) -> Model:
    """Layers named in cross_attention_layers keep the image's keys and values, not the text's."""
    read_outer(c)
    c.only("tie_word_embeddings", False)  # the class builds two tables whatever it says
    read_heads(c, head_dim="")
    c.size("d_ff", "intermediate_size")
    layers = read_layers(c)
    crossing = set(c.integers("cross_attention_layers", None, 0, layers - 1))
    own = decoder_layer(c.sheet, "decoder", grouped_query(c.sheet), gated())
    plain = grouped_query(c.sheet, qk_norm="head", names=CROSS)
    shown = plain.cache.shown
    cache = Cache("cross-attn", cross="2 * H_kv * d_head", shown=(*shown, ("cross_e", ELEMENTS)))
    gates = (
        *vector("cross_attn_attn_gate", "other", "1", leaf=""),
        *vector("cross_attn_mlp_gate", "mlp", "1", leaf=""),
    )
    across = decoder_layer(c.sheet, "cross-attention", Mixer(plain.tensors, cache),
                           (*gated(), *gates))  # fmt: skip
    stack = [across if i in crossing else own for i in range(layers)]
    return assemble(c, stack, naming=naming, tied=tied, rows=f"V + {EXTRA}")


ELEMENTS = "2 * H_kv * d_head"


def mllama(c: Config) -> Model:
    """With the tower, if the file describes it."""
    inner = text_table(c, TEXT, "transformers 5.24.0, MllamaTextConfig")
    inner.only("model_type", "mllama_text_model")
    model = text(inner, NAMING, read_tied(inner, c if c.has("tie_word_embeddings") else None))
    v = vision_table(c, VISION, "transformers 5.24.0, MllamaVisionConfig")
    if v is None:
        model.absent.append(absent_tower())
        return model
    tower(model, v)
    v.sheet.let("d_model", inner.sheet["d_model"], inner.origin("hidden_size"))
    v.size("d_vo", "vision_output_dim")
    projector = dense("multi_modal_projector", "d_vo", "d_model")
    model.tower(layer(v.sheet, "projector", projector))
    return model


def check_outputs(v: Config) -> None:
    """The tower hands on its last output and one for each layer that is listed."""
    if not v.has("intermediate_layers_indices"):
        v.only("intermediate_layers_indices", None)
        return
    listed = v.integers("intermediate_layers_indices", None, 0, 1024)
    if v.integer("vision_output_dim") != v.integer("hidden_size") * (1 + len(listed)):
        what = tr("{first} and {second} differ", first=v.where("intermediate_layers_indices"),
                  second=v.where("vision_output_dim"))  # fmt: skip
        v.reject("vision_output_dim", what, code="M107")


def tower(model: Model, v: Config) -> None:
    """Layers, then global layers with gates; positions by tile."""
    for symbol, name in (("d_vit", "hidden_size"), ("d_vff", "intermediate_size"),
                         ("c_in", "num_channels"), ("n_t", "max_num_tiles")):  # fmt: skip
        v.size(symbol, name)
    heads_divide(v, "attention_heads")
    v.only("is_decoder", False)
    v.pass_by(NO_ROLE, "tie_word_embeddings", "attention_heads")
    check_outputs(v)
    ratios = len(v.items("supported_aspect_ratios", None, 64))
    v.sheet.let("n_a", ratios, v.origin("supported_aspect_ratios"))
    patches(v)
    at, tiles = "vision_model.", ("n_a + 1", "n_t", "d_vit")
    start = (
        *table("class_embedding", "d_vit", leaf=""),
        *conv("patch_embedding", "d_vit", "c_in", "p", "p", bias=False),
        *table("gated_positional_embedding", "n_p + 1", "d_vit", leaf="embedding"),
        *table("gated_positional_embedding.tile_embedding", "n_a + 1", "n_t", "n_p + 1", "d_vit"),
        *table("pre_tile_positional_embedding.embedding", *tiles),
        *table("post_tile_positional_embedding.embedding", *tiles),
        *table("positional_embeddings", "3", leaf="gates"),
        *norm("layernorm_pre", "d_vit", bias=True),
        *norm("layernorm_post", "d_vit", bias=True),
    )
    each = block(norms=("input_layernorm", "post_attention_layernorm"), attention=TOWER,
                 attention_bias=False, mlp=("mlp.fc1", "mlp.fc2"))  # fmt: skip
    gates = (*table("gate_attn", "1", leaf=""), *table("gate_ffn", "1", leaf=""))
    depth = v.size("L_v", "num_hidden_layers", high=1024)
    more = v.size("L_g", "num_global_layers", 0, 1024)
    model.tower(layer(v.sheet, "vision input", start), 1, at)
    model.tower(layer(v.sheet, "vision layer", each), depth, f"{at}transformer.layers.{{i}}.")
    if more:
        one = layer(v.sheet, "global vision layer", (*each, *gates))
        model.tower(one, more, f"{at}global_transformer.layers.{{i}}.")


TEXT: dict[str, object] = {
    "vocab_size": 128256, "hidden_size": 4096, "num_hidden_layers": 40, "num_attention_heads": 32,
    "num_key_value_heads": 8, "intermediate_size": 14336,
    "cross_attention_layers": [3, 8, 13, 18, 23, 28, 33, 38], "tie_word_embeddings": False,
    "max_position_embeddings": 131072,
}  # fmt: skip
VISION: dict[str, object] = {
    "hidden_size": 1280, "num_hidden_layers": 32, "num_global_layers": 8, "attention_heads": 16,
    "num_channels": 3, "intermediate_size": 5120, "vision_output_dim": 7680, "image_size": 448,
    "patch_size": 14, "max_num_tiles": 4,
    "supported_aspect_ratios": [[1, 1], [1, 2], [1, 3], [1, 4], [2, 1], [2, 2], [3, 1], [4, 1]],
}  # fmt: skip

FAMILIES = (
    Family(
        ("mllama_text_model",),
        ("MllamaForCausalLM",),
        "transformers 5.24.0, MllamaTextConfig",
        text,
        TEXT,
    ),
    Family(
        ("mllama",),
        ("MllamaForConditionalGeneration",),
        "transformers 5.24.0, MllamaConfig",
        mllama,
    ),
)
