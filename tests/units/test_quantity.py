"""Units, dimensions and quantities: exact, closed, printed by our own code."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from derive.units import NUMBER, Dimension, Quantity, Unit, pint_error, unit
from derive.units.names import UNITS, spellings, symbols, unclear
from derive.units.quantity import BASE_SYMBOLS, BASES
from derive.units.registry import registry
from tests.strategies import quantities, units

FACTORS = {
    "GB": 10**9,
    "GiB": 2**30,
    "MiB": 2**20,
    "bit": Fraction(1, 8),
    "Gbit": Fraction(10**9, 8),
    "kB": 1000,
    "KiB": 1024,
    "ms": Fraction(1, 1000),
    "µs": Fraction(1, 10**6),
    "hour": 3600,
    "day": 86400,
    "min": 60,
    "TFLOP/s": 10**12,
    "TOP": 10**12,
    "Mtoken": 10**6,
    "W": 1,
    "kWh": 3_600_000,
    "%": Fraction(1, 100),
    "USD/hour/device": Fraction(1, 3600),
    "1/s": 1,
    "byte/s^2": 1,
    "": 1,
}


@pytest.mark.parametrize("text", FACTORS)
def test_factors_are_exact(text: str) -> None:
    assert unit(text).factor == FACTORS[text]
    assert isinstance(unit(text).factor, Fraction)


@pytest.mark.parametrize(
    "text",
    [
        "GB*",
        "/s",
        "GB//s",
        "byte s",
        "Gb",
        "TFLOPS",
        "GB^99",
        "GB^",
        "s^-1",
        "GB.s",
        "é",
        "byte/1",
        "2 GB",
        "/".join(["s"] * 9),
        "__class__",
        "GB\n",
        "GB;s",
    ],
)
def test_the_strict_reader_refuses(text: str) -> None:
    with pytest.raises(KeyError):
        unit(text)


@pytest.mark.parametrize(
    "text",
    ["token/s/device", "s*request/token", "1/s", "FLOP*request/element/token", "byte/s^2", ""],
)
def test_a_unit_prints_as_it_was_written(text: str) -> None:
    assert unit(text).text == text


@given(units)
def test_every_unit_reads_back(one: Unit) -> None:
    assert unit(one.text) == one


def test_no_base_dimension_is_just_a_number() -> None:
    assert {b: unit(s).dimension.powers for b, s in BASE_SYMBOLS.items()} == {
        b: ((b, 1),) for b in BASES
    }


def test_the_registry_holds_our_definitions_and_nothing_else() -> None:
    """pint's own registry makes bytes dimensionless and knows the millibit; ours must not."""
    for foreign in ("meter", "m", "Gb", "mb", "millibar", "pixel", "radian", "octet"):
        with pytest.raises(pint_error()):
            registry().get_base_units(foreign)
    ours = registry()
    byte, second = ours.Quantity(Fraction(1), "byte"), ours.Quantity(Fraction(1), "second")
    with pytest.raises(pint_error()):
        byte + second
    with pytest.raises(pint_error()):
        byte + ours.Quantity(Fraction(1), "token")
    with pytest.raises(pint_error()):
        byte + ours.Quantity(Fraction(1))


def test_every_symbol_is_known_to_the_registry() -> None:
    for symbol, (name, stem, prefix) in symbols().items():
        assert symbol == prefix + stem
        assert unit(symbol).factor > 0
        assert stem in UNITS
        assert name


def test_no_spelling_is_both_clear_and_unclear() -> None:
    assert not set(spellings()) & set(unclear())


@given(quantities)
def test_pint_agrees_with_our_own_factor(quantity: Quantity) -> None:
    base = quantity.pint.to_base_units()
    assert base.magnitude == quantity.base
    assert isinstance(base.magnitude, Fraction)


@given(quantities, units)
def test_conversion_keeps_the_amount_or_refuses(quantity: Quantity, other: Unit) -> None:
    if other.dimension == quantity.dimension:
        assert quantity.to(other).base == quantity.base
    else:
        with pytest.raises(ValueError, match="is not"):
            quantity.to(other)


def test_dimensions_print_in_both_languages() -> None:
    rate = unit("FLOP/s/device").dimension
    assert rate.in_("en") == "operation / time / device"
    assert rate.in_("zh") == "运算 / 时间 / 设备"
    assert NUMBER.in_("en") == "a pure number"
    assert unit("1/s").dimension.in_("en") == "1 / time"
    assert unit("s*request/token").dimension.in_("en") == "request · time / token"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("FLOP/s/device", "a compute rate"),
        ("TB/s", "a data rate"),
        ("FLOP/byte", "an arithmetic intensity"),
        ("token/s/request", "a token rate per request"),
        ("device", "a number of devices"),
        ("byte*device", None),
        ("", None),
        ("FLOP/s^2", None),
    ],
)
def test_everyday_names(text: str, name: str | None) -> None:
    found = unit(text).dimension.everyday
    assert (found.en if found else None) == name


@given(units, units, st.integers(-3, 3))
def test_the_algebra_of_units_is_that_of_dimensions(one: Unit, two: Unit, power: int) -> None:
    assert (one * two).dimension == one.dimension * two.dimension
    assert (one * two).factor == one.factor * two.factor
    assert (one**power).dimension == one.dimension**power
    assert one.dimension / one.dimension == Dimension()
    assert one.dimension.unit.factor == 1
