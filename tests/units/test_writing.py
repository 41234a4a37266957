"""What is printed: four significant figures, fitting prefixes, ≈ exactly where it is rounded."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from derive.units import Quantity, gib, read, show, unit
from derive.units.digits import digits, exact, significant
from tests.strategies import UNITS, numbers, quantities

SHOWN = {
    # prefixes
    ("140000000000", "byte"): "140 GB",
    ("3350000000000", "byte/s/device"): "3.35 TB/s/device",
    ("524288", "byte/token"): "524,288 byte/token",
    ("2097152", "byte/token"): "2,097,152 byte/token",
    ("147147210752", "byte"): "≈ 147.1 GB",
    ("1128859303936", "FLOP"): "≈ 1.129 TFLOP",
    ("989500000000000", "FLOP/s/device"): "989.5 TFLOP/s/device",
    ("3958", "TFLOP/s/device"): "3,958 TFLOP/s/device",
    ("3958", "TFLOP/s"): "3.958 PFLOP/s",
    ("1979", "TOP/s/device"): "1,979 TOP/s/device",
    ("0.0417910447761194", "s*request/token"): "≈ 41.79 ms*request/token",
    ("0.0000024", "s"): "2.4 µs",
    ("0.00000000024", "s"): "0.24 ns",
    ("2500", "ms"): "2.5 s",
    ("1", "s"): "1 s",
    ("700", "W/device"): "700 W/device",
    ("1400", "W/device"): "1,400 W/device",
    ("0.5", "byte/param"): "0.5 byte/param",
    ("0.3", "byte"): "0.3 byte",
    ("0.00001188118811881188", "USD/token"): "≈ 11.88 USD/Mtoken",
    ("0.001", "USD/s/device"): "3.6 USD/hour/device",
    ("81559", "MiB/device"): "81,559 MiB/device",
    ("24", "hour"): "24 hour",
    ("0", "byte"): "0 byte",
    ("0", "s"): "0 s",
    # figures
    ("295.373134328358", "FLOP/byte"): "≈ 295.4 FLOP/byte",
    ("7.67169", "FLOP/byte"): "7.67169 FLOP/byte",
    ("7.671692", "FLOP/byte"): "≈ 7.672 FLOP/byte",
    ("6039797760.5", "byte"): "≈ 6.040 GB",
    ("999960000001", "byte"): "≈ 1.000 TB",
    ("999.96001", "s"): "≈ 1,000 s",
    ("0.99996001", "s"): "≈ 1.000 s",
    ("999.960001", "TFLOP/s/device"): "≈ 1,000 TFLOP/s/device",
    ("1/3", ""): "≈ 0.3333",
    ("2/3", ""): "≈ 0.6667",
    ("0.00000001234567", ""): "≈ 0.00000001235",
    ("-1234567", "byte"): "-1,234,567 byte",
    ("-12345678.5", "byte"): "≈ -12.35 MB",
    # counts keep the digits before the point
    ("508934.03", "token"): "≈ 508,934 token",
    ("53828.25", "token/request"): "≈ 53,828 token/request",
    ("7629.39453125", "token"): "≈ 7,629 token",
    ("295.373134328", "request"): "≈ 295.4 request",
    ("226.009", "token/request"): "226.009 token/request",
    ("70553706496", "param"): "70,553,706,496 param",
    ("12345678901.75", "param"): "≈ 12,345,678,902 param",
    ("23928.571", "token/s"): "≈ 23,930 token/s",
}


@pytest.mark.parametrize("given_as", SHOWN, ids=[" ".join(k) for k in SHOWN])
def test_shown(given_as: tuple[str, str]) -> None:
    value, contract = given_as
    assert show(Quantity(Fraction(value), unit(contract))).text == SHOWN[given_as]


def test_a_capacity_in_gib_stands_beside_its_gb() -> None:
    memory = Quantity(Fraction(81559), unit("MiB/device"))
    assert gib(memory).text == "≈ 79.65 GiB/device"
    assert gib(Quantity(Fraction(16), unit("GB"))).text == "≈ 14.90 GiB"
    assert gib(Quantity(Fraction(2**34), unit("byte"))).text == "16 GiB"
    with pytest.raises(ValueError, match="is not"):
        gib(Quantity(Fraction(3), unit("s")))


def half_unit(number: str) -> Fraction:
    """Half a unit of the last figure printed: trailing zeros of a long integer may be padding."""
    _, dot, decimals = number.partition(".")
    if dot:
        return Fraction(1, 2) / 10 ** len(decimals)
    plain = number.replace(",", "").lstrip("-")
    return Fraction(10) ** max(0, len(plain) - 4) / 2


@given(quantities)
def test_shown_reads_back_within_half_a_unit_of_the_last_figure(quantity: Quantity) -> None:
    shown = show(quantity)
    again = read(f"{shown.number} {shown.unit}").quantity
    assert again == shown.quantity
    off = abs(again.value - quantity.to(again.unit).value)
    assert off <= half_unit(shown.number)
    assert shown.exact == (off == 0)
    assert (again.value == 0) == (quantity.value == 0)


@given(quantities)
def test_the_exact_text_reads_back_exactly(quantity: Quantity) -> None:
    again = read(quantity.text)
    assert again.value == quantity.value
    assert (again.unit or unit("")) == quantity.unit


@given(numbers, st.sampled_from([u for u in UNITS if u.terms]), st.sampled_from("kMGT"))
def test_the_prefix_of_the_input_does_not_change_what_is_printed(value, given_unit, prefix) -> None:  # type: ignore[no-untyped-def]
    from derive.units.names import BINARY, symbols

    symbol, power = given_unit.terms[0]
    _, stem, old = symbols()[symbol]
    if old in BINARY or prefix + stem not in symbols() or power != 1:
        return
    other = unit(
        "*".join([prefix + stem, *[f"{s}" for s, p in given_unit.terms[1:] if p == 1]])
        + "".join(f"/{s}" for s, p in given_unit.terms[1:] if p == -1)
    )
    one = Quantity(value, given_unit)
    assert show(one) == show(one.to(other))


@given(st.fractions(min_value=Fraction(1, 10**12), max_value=10**15), st.integers(1, 9))
def test_significant_figures(value: Fraction, figures: int) -> None:
    text = significant(value, figures)
    rounded = Fraction(text)
    assert rounded > 0
    kept = text.replace(".", "").lstrip("0")
    assert len(kept) >= figures
    assert "." not in text or len(kept) == figures
    assert abs(rounded - value) <= value / 10 ** (figures - 1) / 2
    assert significant(-value, figures) == "-" + text


@pytest.mark.parametrize(
    "value", [Fraction(10**900, 3), Fraction(1, 3 * 10**900), Fraction(2) ** 3000]
)
def test_very_large_and_very_small_numbers_print(value: Fraction) -> None:
    assert digits(value)[1] is False
    assert abs(Fraction(significant(value)) / value - 1) < Fraction(1, 1000)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("1/3", "1/3"),
        ("68900104/8981153", "68,900,104/8,981,153"),
        ("1234567.25", "1,234,567.25"),
        ("-5", "-5"),
        ("0.000001", "0.000001"),
        ("0", "0"),
    ],
)
def test_exact_numbers(value: str, text: str) -> None:
    assert exact(Fraction(value)) == text
