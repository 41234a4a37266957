"""A language model inside another config: any declared family, under a path of its own."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from derive.architecture.family import families
from derive.architecture.layers.tower import TEXT_NAMES
from derive.architecture.model import read_tied
from derive.errors import printable
from derive.text import tr

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.model import Model, Placed

UNDER = ("language_model.", "model.language_model.")


def text_model(c: Config, default: str, *, allowed: tuple[str, ...] = ()) -> tuple[Config, Model]:
    """The nested config and its model; `default` is the type where the file names none."""
    name = next((n for n in TEXT_NAMES if isinstance(c.data.get(n), dict)), TEXT_NAMES[0])
    found = c.data.get(name)
    said = found.get("model_type") if isinstance(found, dict) else None
    kind = default if said is None else said
    family = families().get(kind) if isinstance(kind, str) else None
    if family is None or (allowed and kind not in allowed):
        what = tr("{name} is {value}, which is not understood", name=f"{name}.model_type",
                  value=printable(str(kind), 40))  # fmt: skip
        c.reject(name, what, code="M108")
    inner = c.table(name, family.defaults, family.source)
    inner.data = {**inner.data, "tie_word_embeddings": read_tied(inner, c)}
    inner.used |= {"model_type"}
    model = family.build(inner)
    model.placed = [moved(p) for p in model.placed]
    model.mtp = [moved(p) for p in model.mtp]
    return inner, model


def moved(placed: Placed) -> Placed:
    """The same layer under the path of the language model."""
    return replace(placed, prefixes=tuple(u + p for u in UNDER for p in placed.prefixes))
