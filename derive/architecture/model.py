"""A whole model: its layers grouped by kind, and the parts before, after and beside them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from derive.architecture.parts import Cache, Layer, Tensor, Tensors, layer, linear, norm
from derive.text import tr

if TYPE_CHECKING:
    from collections.abc import Sequence

    from derive.architecture.config import Config
    from derive.text import Text


@dataclass(frozen=True)
class Naming:
    """Paths of the modules in the checkpoint; several where releases of the library differ."""

    layers: tuple[str, ...] = ("model.layers.{i}.",)
    embedding: str = "model.embed_tokens"
    norm: str = "model.norm"
    head: str = "lm_head"

    def under(self, *prefixes: str) -> Naming:
        """The same paths under one or more prefixes."""
        return Naming(
            tuple(p + name for p in prefixes for name in self.layers),
            prefixes[0] + self.embedding,
            prefixes[0] + self.norm,
            self.head,
        )


@dataclass(frozen=True)
class Placed:
    """A layer with the number of times it is stored and run, and its places in the stack."""

    layer: Layer
    stored: int = 1
    used: int = 1
    indices: tuple[int, ...] = ()
    role: str = "text"  # text, vision, audio, image (layers for images alone), mtp
    prefixes: tuple[str, ...] = ("",)


@dataclass
class Model:
    """Everything that is counted, in the order of the forward pass."""

    placed: list[Placed]
    tied: bool
    naming: Naming
    position: int | None = None
    mtp: list[Placed] = field(default_factory=list)
    mtp_layers: int = 0  # where it is not how often the first part of `mtp` is there
    absent: list[Text] = field(default_factory=list)

    def tower(self, made: Layer, count: int = 1, prefix: str = "", role: str = "vision") -> None:
        """Add the same layer of a tower, so many times."""
        self.placed.append(
            Placed(made, count, count, tuple(range(count)), role=role, prefixes=(prefix,))
        )


def grouped(layers: Sequence[Layer], naming: Naming) -> list[Placed]:
    """Equal layers together, in the order of their first appearance."""
    places: dict[Layer, list[int]] = {}
    for index, one in enumerate(layers):
        places.setdefault(one, []).append(index)
    return [
        Placed(one, len(at), len(at), tuple(at), prefixes=naming.layers)
        for one, at in places.items()
    ]


def read_outer(c: Config) -> None:
    """Read vocabulary and hidden size."""
    c.size("V", "vocab_size")
    c.size("d_model", "hidden_size")


# Outer classes that take a yes of the text part for their own.
HANDED_ON = frozenset(
    ("llava", "llava_onevision", "qwen2_vl", "qwen2_5_vl", "glm4v", "glm4v_moe", "minimax_m3_vl")
)


def read_tied(c: Config, outer: Config | None = None) -> bool:
    """Whether the output head is the embedding table; an outer object may say it too.

    The library asks the outer class alone, so its default must agree with what the text part says.
    Where both say something, a no outside prevails in files of version 5, which asks it first.
    """
    name = "tie_word_embeddings"
    said = [o for o in (outer, c) if o is not None and o.has(name)]
    values = {o.flag(name) for o in said}
    if outer is not None and outer not in said and name in outer.defaults:
        if values != {True} or outer.data.get("model_type") not in HANDED_ON:
            values.add(outer.flag(name))
        if not said and name in c.defaults:
            values.add(c.flag(name))
    if len(values) > 1 and outer in said and prevails(outer):
        return False
    if len(values) > 1:
        what = tr("tie_word_embeddings differs inside and outside {name}", name=c.path)
        c.reject(name, what, code="M107")
    return values.pop() if values else (outer or c).flag(name)


def prevails(outer: Config) -> bool:
    """Whether two tables, as the outer object says, are what its class would save and read."""
    version = str(outer.source.data.get("transformers_version", ""))
    handed_on = outer.data.get("model_type") in HANDED_ON
    return version.startswith("5.") and not handed_on and not outer.flag("tie_word_embeddings")


def assemble(
    c: Config,
    layers: Sequence[Layer],
    *,
    naming: Naming | None = None,
    tied: bool | None = None,
    tables: Tensors = (),
    rows: str = "V",
    head_rows: str = "V",
    before: Tensors = (),
    final: Tensors | None = None,
    head: bool = True,
    head_bias: bool = False,
    shared: Sequence[Placed] = (),
) -> Model:
    """A language model: embedding, layers, last norm, head; `tables` and `before` come in front."""
    names = naming or Naming()
    sheet = c.sheet
    tied = read_tied(c) if tied is None else tied
    table = Tensor(names.embedding, "embedding", (rows, "d_model"))
    last = norm(names.norm) if final is None else final
    output = linear(names.head, "d_model", head_rows, "lm_head", bias=head_bias)
    placed = [
        Placed(layer(sheet, "embedding", (table, *tables))),
        *([Placed(layer(sheet, "input", before))] if before else []),
        *grouped(layers, names),
        *shared,
        *([Placed(layer(sheet, "last norm", last))] if last else []),
    ]
    if head and tied:  # the matrix product takes place, the matrix is the embedding table
        placed.append(Placed(layer(sheet, "head", output[:1]), stored=0))
        if head_bias:
            placed.append(Placed(layer(sheet, "head", output[1:])))
    elif head:
        placed.append(Placed(layer(sheet, "head", output)))
    return Model(placed, tied, names, read_position(c))


def read_position(c: Config) -> int | None:
    """The longest context that the config states, if it states one."""
    known = c.has("max_position_embeddings") or "max_position_embeddings" in c.defaults
    return c.maybe("max_position_embeddings") if known else None


def no_cache(kind: str) -> Cache:
    """A layer that keeps nothing of the past."""
    return Cache(kind)
