"""The definitions file read by our few lines is what the registry makes of it."""

from fractions import Fraction

import pytest

from derive.units.definitions import base_of
from derive.units.names import symbols
from derive.units.registry import registry


@pytest.mark.parametrize("name", sorted({entry[0] for entry in symbols().values()}))
def test_size_and_dimension_are_those_of_the_registry(name: str) -> None:
    factor, _ = registry().get_base_units(name)
    powers = {str(k)[1:-1]: int(v) for k, v in registry().get_dimensionality(name).items()}
    assert base_of(name) == (Fraction(factor), tuple(sorted(powers.items())))
