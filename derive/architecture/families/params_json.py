"""params.json beside original Meta and Mistral weights: other names, no model_type."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.family import Family
from derive.architecture.layers.attention import Names, grouped_query, read_heads
from derive.architecture.layers.decoder import decoder_layer, read_layers, read_window
from derive.architecture.layers.ffn import experts, gated, read_experts, router
from derive.architecture.model import Naming, assemble, read_outer
from derive.text import Text, tr

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.model import Model

TYPE = "params.json"
NAMES = Names("attention.wq", "attention.wk", "attention.wv", "attention.wo")
FFN = ("feed_forward.w1", "feed_forward.w3", "feed_forward.w2")
EXPERTS = ("feed_forward.experts.{e}.w1", "feed_forward.experts.{e}.w3",
           "feed_forward.experts.{e}.w2")  # fmt: skip
NAMING = Naming(("layers.{i}.",), "tok_embeddings", "norm", "output")
PLACES = Text("position encoding by rotation has no weights", "旋转位置编码没有权重")


def build(c: Config) -> Model:
    """Llama layers; Mistral states the width, Meta a factor."""
    if c.data.get("vocab_size") == -1:
        c.reject("vocab_size", tr("{name} is -1: the tokenizer decides, which is not read",
                                name="vocab_size"))  # fmt: skip
    read_outer(c)
    read_heads(c)
    c.pass_by(PLACES, "use_scaled_rope", "rope_theta", "yarn", "llama_4_scaling")
    mixer = grouped_query(c.sheet, names=NAMES, window=read_window(c))
    if c.data.get("moe") is not None:
        moe = c.table("moe")
        read_experts(moe, "")
        c.sheet.let("d_e", c.integer("intermediate_size"), c.origin("intermediate_size"))
        network = (*router("feed_forward.gate"), *experts(names=EXPERTS))
    else:
        c.only("moe", None)
        read_width(c)
        network = gated(names=FFN)
    one = decoder_layer(c.sheet, "decoder", mixer, network, norms=("attention_norm", "ffn_norm"))
    tied = c.data.get("tied_embeddings") is True
    c.only("tied_embeddings", True, False)
    if "tied_embeddings" not in c.data:
        c.note(tr("params.json does not say whether the tables are tied: two tables are counted"))
    return assemble(c, [one] * read_layers(c), naming=NAMING, tied=tied)


def read_width(c: Config) -> None:
    """d_ff: stated, or 8/3 of the width times a factor, up to a multiple."""
    if c.has("intermediate_size"):
        c.size("d_ff", "intermediate_size")
        return
    multiple = c.integer("multiple_of")
    width = int(8 * c.sheet["d_model"] / 3)
    factor = c.value("ffn_dim_multiplier")
    if factor is not None:
        width = int(c.fraction("ffn_dim_multiplier") * width)
    source = f"8/3 * dim * ffn_dim_multiplier, up to a multiple of {multiple}"
    c.sheet.let("d_ff", -(-width // multiple) * multiple, source)


FAMILIES = (
    Family(
        types=(TYPE,),
        classes=(),
        source="llama-models and mistral-inference",
        build=build,
        defaults={
            "num_key_value_heads": None,
            "head_dim": None,
            "sliding_window": None,
            "ffn_dim_multiplier": None,
            "multiple_of": 256,
            "tie_word_embeddings": False,
            "max_position_embeddings": None,
        },
    ),
)
