"""GLM-OCR: GLM-4 without biases under the tower that GLM-5.3-Flash has too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.families.glm import FUSED
from derive.architecture.families.glm5_next_tower import tower
from derive.architecture.family import Family
from derive.architecture.layers.attention import grouped_query, read_heads
from derive.architecture.layers.decoder import TWO_NORMS, decoder_layer, read_layers
from derive.architecture.layers.ffn import gated
from derive.architecture.model import assemble, read_outer
from derive.architecture.nested import text_model

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.model import Model

NORMS = (*TWO_NORMS, "post_self_attn_layernorm", "post_mlp_layernorm")


def text(c: Config) -> Model:
    """Norms also after attention and network; gate and up stored as one."""
    read_outer(c)
    read_heads(c, head_dim="head_dim" if "head_dim" in c.data else "")
    c.size("d_ff", "intermediate_size")
    c.only("attention_bias", False)
    one = decoder_layer(c.sheet, "decoder", grouped_query(c.sheet), gated(names=FUSED), norms=NORMS)
    return assemble(c, [one] * read_layers(c))


def build(c: Config) -> Model:
    """The text model and the tower."""
    inner, model = text_model(c, "glm_ocr_text", allowed=("glm_ocr_text",))
    tower(c, inner, model, "GlmOcr", "glm_ocr_vision")
    return model


FAMILIES = (
    Family(
        types=("glm_ocr_text",),
        classes=("GlmOcrTextModel",),
        source="transformers 5.24.0, GlmOcrTextConfig",
        build=text,
        defaults={
            "vocab_size": 59392, "hidden_size": 1024, "intermediate_size": 4096,
            "num_hidden_layers": 16, "num_attention_heads": 16, "num_key_value_heads": 8,
            "tie_word_embeddings": False, "max_position_embeddings": 131072,
        },
    ),
    Family(
        types=("glm_ocr",),
        classes=("GlmOcrForConditionalGeneration",),
        source="transformers 5.24.0, GlmOcrConfig",
        build=build,
        defaults={"tie_word_embeddings": False},
    ),
)  # fmt: skip
