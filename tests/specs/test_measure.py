"""The quick tables of unit sizes say exactly what the registry says."""

from __future__ import annotations

import pytest

from derive.specs.measure import amount, measure
from derive.units import Quantity, Unit, read_quantity, unit
from derive.units.names import symbols


@pytest.mark.parametrize("symbol", sorted(symbols()))
def test_every_symbol_agrees_with_the_registry(symbol: str) -> None:
    one = Unit(((symbol, 1),))
    assert measure(one) == (one.factor, one.dimension)


@pytest.mark.parametrize(
    "text", ["TB/s/device", "USD/hour/device", "s*request/token", "J/token", ""]
)
def test_products_agree_with_the_registry(text: str) -> None:
    product = unit(text)
    assert measure(product) == (product.factor, product.dimension)


def test_amount_is_the_base_value() -> None:
    quantity: Quantity = read_quantity("81559 MiB")
    assert amount(quantity) == quantity.base == 85_520_809_984
