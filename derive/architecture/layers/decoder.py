"""The common layer of a decoder, and which layers have a window or experts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.config import MOST_LAYERS
from derive.architecture.parts import Tensors, layer, norm
from derive.text import Text, tr

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from derive.architecture.config import Config
    from derive.architecture.layers.attention import Mixer
    from derive.architecture.parts import Layer
    from derive.architecture.symbols import Sheet

TWO_NORMS = ("input_layernorm", "post_attention_layernorm")
FOUR_NORMS = (*TWO_NORMS, "pre_feedforward_layernorm", "post_feedforward_layernorm")
POST_NORMS = ("post_attention_layernorm", "post_feedforward_layernorm")
SLIDING, FULL = "sliding_attention", "full_attention"
NO_DENSE = Text("width of a dense network; no layer has one", "稠密网络的宽度，这里没有这样的层")
NO_ROLE = Text("no weight of this class depends on it", "该类模型的权重与它无关")
LISTED = Text("the list of layer kinds says it", "已由各层类型的列表给出")
NO_WINDOW = Text("a window that is switched off", "未启用的窗口")


def decoder_layer(
    sheet: Sheet,
    name: str,
    mixer: Mixer,
    network: Tensors,
    *,
    norms: Sequence[str] = TWO_NORMS,
    norm_bias: bool = False,
) -> Layer:
    """Norms, token mixer and network of one layer."""
    before = [t for n in norms for t in norm(n, bias=norm_bias)]
    return layer(sheet, name, (*before, *mixer.tensors, *network), mixer.cache)


def read_layers(c: Config) -> int:
    """L, the number of layers."""
    return c.size("L", "num_hidden_layers", high=MOST_LAYERS)


def layer_types(
    c: Config, layers: int, default: Callable[[int], str], known: Sequence[str] = (SLIDING, FULL)
) -> list[str]:
    """The kind of each layer: the list of the file, else the rule of the class."""
    if c.has("layer_types"):
        return c.words("layer_types", known, layers)
    c.only("layer_types", None)
    note_rule(c, "layer_types")
    return [default(index) for index in range(layers)]


def note_rule(c: Config, name: str) -> None:
    """Say that a list which the file may have, and has not, follows a rule."""
    c.note(tr("{field} is not in the file: the rule of {owner} says the kind of each layer",
              field=c.where(name), owner=c.owner))  # fmt: skip


def uniform_types(c: Config, layers: int, kind: str = FULL) -> None:
    """A list of layer kinds, where the file has one, must hold the one kind of the class."""
    if c.has("layer_types"):
        c.words("layer_types", (kind,), layers)
    else:
        c.only("layer_types", None)


def read_window(c: Config, name: str = "sliding_window", symbol: str = "W") -> str:
    """The symbol of the window, empty where there is none."""
    size = c.maybe(name)
    if size is None:
        return ""
    c.sheet.let(symbol, size, c.origin(name))
    return symbol


def windowed(c: Config, types: Sequence[str], window: str, full: str = FULL) -> list[bool]:
    """Which layers have the window; a sliding layer without a window is refused."""
    slides = [kind != full for kind in types]
    if any(slides) and not window:
        what = tr("layers slide, but {name} is null", name=c.where("sliding_window"))
        c.reject("sliding_window", what, code="M107")
    return slides


def two_kinds(
    slides: Sequence[bool], make: Callable[[str, bool], Layer], names: tuple[str, str]
) -> list[Layer]:
    """The layers of a stack of two kinds, each made once."""
    made = {slide: make(names[0 if slide else 1], slide) for slide in sorted(set(slides))}
    return [made[slide] for slide in slides]


def sliding_layers(
    c: Config, rule: Callable[[int], bool], make: Callable[[str, str], Layer]
) -> list[Layer]:
    """Layers with a window, by the list of the file or a rule; `make` takes name and window."""
    window, layers = read_window(c), read_layers(c)
    types = layer_types(c, layers, lambda i: SLIDING if window and rule(i) else FULL)
    return two_kinds(
        windowed(c, types, window),
        lambda name, slide: make(name, window if slide else ""),
        ("sliding", "full"),
    )


def sparse_steps(c: Config, layers: int) -> list[bool]:
    """Which layers have experts: every decoder_sparse_step-th but those of mlp_only_layers."""
    step = c.integer("decoder_sparse_step")
    only = set(c.integers("mlp_only_layers")) if c.value("mlp_only_layers") is not None else set()
    return [index not in only and (index + 1) % step == 0 for index in range(layers)]


def first_dense(c: Config, layers: int, name: str = "first_k_dense_replace") -> list[bool]:
    """Which layers have experts: all but the first ones."""
    first = c.integer(name, 0)
    return [index >= first for index in range(layers)]


def dense_width(c: Config, sparse: Sequence[bool], name: str = "intermediate_size") -> None:
    """d_ff where a layer is dense; else the field is said to be of no use."""
    if all(sparse):
        c.pass_by(NO_DENSE, *[n for n in (c.spelled(name),) if n])
    else:
        c.size("d_ff", name)
