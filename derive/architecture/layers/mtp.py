"""Layers for predicting further tokens: stored in the checkpoint, not part of the model class."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.architecture.model import Placed
from derive.architecture.parts import Tensor, layer, linear, norm

if TYPE_CHECKING:
    from derive.architecture.config import Config
    from derive.architecture.model import Model
    from derive.architecture.parts import Layer


def next_token_layers(
    c: Config, model: Model, body: Layer, count: int, *, copies: bool = True
) -> None:
    """Add layers in the form of DeepSeek-V3.

    Each is one decoder layer, a projection of embedding and hidden state side by side, and three
    norms; with `copies` the checkpoint stores embedding and head again.
    """
    if count == 0:
        return
    extra = (
        *norm("enorm"), *norm("hnorm"), *norm("shared_head.norm"),
        *linear("eh_proj", "2 * d_model", "d_model", "mtp", plain=False),
    )  # fmt: skip
    tables = (
        Tensor("embed_tokens", "embedding", ("V", "d_model")),
        Tensor("shared_head.head", "lm_head", ("d_model", "V")),
    )
    layers = c.sheet["L"]
    at = tuple(range(layers, layers + count))
    prefixes = model.naming.layers
    joined = layer(c.sheet, "mtp", (*extra, *tables) if copies else extra)
    model.mtp += [
        Placed(body, count, count, at, "mtp", prefixes),
        Placed(joined, count, count, at, "mtp", prefixes),
    ]


def with_projection(
    c: Config,
    model: Model,
    body: Layer,
    count: int,
    *,
    at: str,
    norms: tuple[str, ...],
    projection: str,
    once: str = "",
) -> None:
    """Decoder layers, each with norms and a projection of embedding and hidden state.

    `once` is the path of a projection that all of them share.
    """
    extra = (
        *(t for name in norms for t in norm(name)),
        *linear(projection, "2 * d_model", "d_model", "mtp"),
    )
    places = tuple(range(count))
    joined = layer(c.sheet, "mtp", extra)
    model.mtp = [
        Placed(body, count, count, places, "mtp", (at,)),
        Placed(joined, 1, 1, (0,), "mtp", (once,))
        if once
        else Placed(joined, count, count, places, "mtp", (at,)),
    ]
