"""gpt-oss-puzzle: gpt-oss with a number of experts and a window of its own in every layer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.families.gpt_oss import DEFAULTS, network, one_layer
from derive.architecture.family import Family
from derive.architecture.layers.attention import read_heads
from derive.architecture.layers.decoder import FULL, SLIDING, read_layers
from derive.architecture.model import assemble, read_outer
from derive.architecture.symbols import Symbol
from derive.text import Text, tr

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.model import Model
    from derive.architecture.parts import Layer

BLOCKS = "block_configs"
PER_BLOCK = Text("every block says its own", "由各块自行给出")


def build(c: Config) -> Model:
    """One entry of block_configs for each layer; a list of layer kinds must agree with them."""
    read_outer(c)
    read_heads(c)
    c.size("k", "num_experts_per_tok")
    c.size("d_e", "intermediate_size")
    c.pass_by(PER_BLOCK, "num_local_experts", "sliding_window")
    layers, bias = read_layers(c), c.flag("attention_bias")
    blocks = c.items(BLOCKS, layers)
    stack = [one_block(c, i, block, bias=bias) for i, block in enumerate(blocks)]
    if c.has("layer_types"):
        kinds = [SLIDING if one.caches[0].window else FULL for one in stack]
        if c.words("layer_types", (SLIDING, FULL), layers) != kinds:
            what = tr("{first} and {second} differ", first=c.where("layer_types"), second=BLOCKS)
            c.reject("layer_types", what, code="M107")
    return assemble(c, stack)


def one_block(c: Config, index: int, block: object, *, bias: bool) -> Layer:
    """A layer of gpt-oss with the experts and the window of its block; null is no window."""
    if not isinstance(block, dict):
        c.reject(BLOCKS, tr("{name} must hold objects", name=BLOCKS))
    b = c.nested(block, f"{BLOCKS}[{index}]")
    c.children.append(b)
    count, window = b.integer("num_local_experts"), b.maybe("sliding_window")
    if c.sheet["k"] > count:
        what = tr("{top} experts per token of {count} experts", top=c.sheet["k"], count=count)
        b.reject("num_local_experts", what, code="M107")
    sheet = c.sheet.child(E=Symbol(count, f"{BLOCKS}[*].num_local_experts"))
    if window is not None:
        sheet.let("W", window, f"{BLOCKS}[*].sliding_window")
    name = "sliding" if window is not None else "full"
    return one_layer(sheet, name, "W" if window is not None else "", network(), bias=bias)


FAMILIES = (
    Family(
        types=("gpt_oss_puzzle",),
        classes=("GptOssPuzzleForCausalLM",),
        source="vLLM pull request 38135, gpt_oss_puzzle.py; transformers 5.24.0, GptOssConfig",
        build=build,
        defaults=DEFAULTS,
    ),
)
