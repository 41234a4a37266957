"""Devices counted as each language counts them: one H100, 一张 H100, 4 × TPU v5e, 4 颗 TPU v5e."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.specs.words import MEASURES
from derive.text import Text

if TYPE_CHECKING:
    from derive.specs.types import Hardware


def counted(product: Hardware, count: int) -> Text:
    """So many of a product, inside a sentence."""
    name, measure = product.name, MEASURES[product.sold_as]
    if count == 1:
        return Text(f"one {name.en}", f"一{measure} {name.zh}")
    return Text(f"{count:,} × {name.en}", f"{count:,} {measure} {name.zh}")
