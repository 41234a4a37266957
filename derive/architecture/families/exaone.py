"""EXAONE 3, 3.5, 4 and K-EXAONE."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.families.deepseek import network, shared_width, sparse_layers
from derive.architecture.families.llama import llama
from derive.architecture.family import Family
from derive.architecture.layers.attention import Names, grouped_query, read_heads
from derive.architecture.layers.decoder import (
    FULL,
    POST_NORMS,
    SLIDING,
    decoder_layer,
    dense_width,
    layer_types,
    read_layers,
    read_window,
    two_kinds,
    windowed,
)
from derive.architecture.layers.ffn import gated, read_experts
from derive.architecture.layers.mtp import with_projection
from derive.architecture.model import Naming, assemble, read_outer
from derive.text import tr

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.model import Model
    from derive.architecture.parts import Layer

NAMES = Names(*(f"attn.attention.{p}" for p in ("q_proj", "k_proj", "v_proj", "out_proj")))
FFN = ("mlp.c_fc_0", "mlp.c_fc_1", "mlp.c_proj")
NAMING = Naming(("transformer.h.{i}.",), "transformer.wte", "transformer.ln_f")


def exaone(c: Config) -> Model:
    """EXAONE 3 and 3.5: Llama under other names."""
    c.only("attention_bias", False)
    c.only("mlp_bias", False)
    return llama(c, names=NAMES, ffn=FFN, naming=NAMING, norms=("ln_1", "ln_2"))


def slides(c: Config) -> tuple[list[bool], str]:
    """Every so many-th layer is full; the pattern may be a word like LLLG."""
    window, layers = read_window(c), read_layers(c)
    pattern = c.value("sliding_window_pattern")
    every = 0
    if isinstance(pattern, str):
        good = pattern and set(pattern[:-1]) <= {"L"} and pattern[-1] == "G"
        if not good:
            what = tr("{name} is not understood", name=c.where("sliding_window_pattern"))
            c.reject("sliding_window_pattern", what)
        every = len(pattern)
    elif pattern is not None:
        every = c.integer("sliding_window_pattern", 1)

    def rule(index: int) -> str:
        return SLIDING if window and every and (index + 1) % every else FULL

    types = layer_types(c, layers, rule)
    return windowed(c, types, window), window


def exaone4(c: Config) -> Model:
    """Norms after attention and network, norms on q and k."""
    read_outer(c)
    read_heads(c)
    c.size("d_ff", "intermediate_size")
    sliding, window = slides(c)

    def make(name: str, slide: bool) -> Layer:
        mixer = grouped_query(c.sheet, qk_norm="head", window=window if slide else "")
        return decoder_layer(c.sheet, name, mixer, gated(), norms=POST_NORMS)

    return assemble(c, two_kinds(sliding, make, ("sliding", "full")))


def exaone_moe(c: Config) -> Model:
    """EXAONE 4 attention, norms before, experts as DeepSeek has them."""
    read_outer(c)
    read_heads(c)
    read_experts(c)
    sliding, window = slides(c)
    sparse = sparse_layers(c, len(sliding))
    dense_width(c, sparse)
    shared = shared_width(c, "num_shared_experts")
    made: dict[tuple[bool, bool], Layer] = {}
    for slide, moe in sorted(set(zip(sliding, sparse, strict=True))):
        mixer = grouped_query(c.sheet, qk_norm="head", window=window if slide else "")
        ffn = network(shared=shared, bias=True) if moe else gated()
        name = f"{'sliding' if slide else 'full'} {'experts' if moe else 'dense'}"
        made[slide, moe] = decoder_layer(c.sheet, name, mixer, ffn)
    model = assemble(c, [made[key] for key in zip(sliding, sparse, strict=True)])
    further_tokens(c, model, window)
    return model


def further_tokens(c: Config, model: Model, window: str) -> None:
    """Dense layers, though the model has experts; one projection for all of them."""
    c.used |= {"mtp_layer_types", "mtp_sliding_windows", "mtp_share_layers"}
    count = c.maybe("num_nextn_predict_layers", 0, 16)
    if not count:
        return
    if c.has("mtp_layer_types"):
        kinds = c.words("mtp_layer_types", (SLIDING, FULL), count)
        window = window if SLIDING in kinds else ""
    c.size("d_ff", "intermediate_size")
    mixer = grouped_query(c.sheet, qk_norm="head", window=window)
    body = decoder_layer(c.sheet, "mtp", mixer, gated())
    norms = ("pre_fc_norm_embedding", "pre_fc_norm_hidden", "norm")
    with_projection(c, model, body, count, at="mtp.layers.{i}.", norms=norms, projection="fc",
                    once="mtp.")  # fmt: skip


EXAONE4: dict[str, object] = {
    "num_key_value_heads": 32,
    "head_dim": None,
    "sliding_window": 4096,
    "sliding_window_pattern": 4,
    "tie_word_embeddings": False,
    "max_position_embeddings": 2048,
}

FAMILIES = (
    Family(
        ("exaone",),
        ("ExaoneForCausalLM", "LlamaForCausalLM"),
        "transformers 5.24.0, ExaoneConfig",
        exaone,
        {
            "num_key_value_heads": 8,
            "head_dim": None,
            "tie_word_embeddings": False,
            "max_position_embeddings": 4096,
        },
    ),
    Family(
        ("exaone4",),
        ("Exaone4ForCausalLM",),
        "transformers 5.24.0, Exaone4Config",
        exaone4,
        EXAONE4,
    ),
    Family(
        ("exaone_moe",),
        ("ExaoneMoeForCausalLM", "ExaoneMoEForCausalLM"),
        "transformers 5.24.0, ExaoneMoeConfig",
        exaone_moe,
        {
            **EXAONE4,
            "first_k_dense_replace": 1,
            "num_shared_experts": 1,
            "num_nextn_predict_layers": None,
        },
    ),
)
