"""What `--over` reads."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from derive.asked import units_of_symbols
from derive.sweep.axes import Numbers, Words, read_axes
from derive.sweep.evaluate import axis_values


def values(text: str) -> list[Fraction]:
    (axis,) = read_axes([text], units_of_symbols())
    assert isinstance(axis, Numbers)
    found = [axis.exact(i) for i in range(len(axis))]
    doubles = axis_values(axis, 0, len(axis), base=False)
    assert doubles.tolist() == [float(value) for value in found]
    middle = len(axis) // 2
    assert axis_values(axis, middle, len(axis), base=True).tolist() == [
        float(axis.base(i)) for i in range(middle, len(axis))
    ]
    return found


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("b=1:5", [1, 2, 3, 4, 5]),
        ("b=1:10:4", [1, 5, 9]),
        ("b=1:100:x3", [1, 3, 9, 27, 81]),
        ("arrival=1:5:x2 request/s", [1, 2, 4]),
        ("T=1024, 8192", [1024, 8192]),
        ("T=1:3,8,3:4", [1, 2, 3, 8, 3, 4]),
        ("T=8,8,9", [8, 9]),
        ("workload.requests=2:3", [2, 3]),
        ("MFU=0.3:0.5:0.1", [Fraction(3, 10), Fraction(4, 10), Fraction(5, 10)]),
        ("B_peak=2:3 TB/s/device:500 GB/s/device", [2, Fraction(5, 2), 3]),
        ("slo.TPOT=20:22 ms/token", [Fraction(2, 100), Fraction(21, 1000), Fraction(22, 1000)]),
        ("arrival=0.5:1.5:0.5 request/s", [Fraction(1, 2), 1, Fraction(3, 2)]),
    ],
)
def test_values_are_exact_and_their_doubles_correctly_rounded(text: str, wanted: list[int]) -> None:
    unit = 10**12 if text.startswith("B_peak") else 1
    (axis,) = read_axes([text], units_of_symbols())
    assert isinstance(axis, Numbers)
    assert [v * axis.unit.factor for v in values(text)] == [w * unit for w in wanted]


def test_a_value_is_set_as_it_was_swept() -> None:
    (axis,) = read_axes(["slo.TPOT=20:22:0.25 ms/token"], units_of_symbols())
    assert axis.text(1) == "0.02025 s*request/token"
    (axis,) = read_axes(["b=1:5"], units_of_symbols())
    assert axis.text(4) == "5"


def test_words_are_loaded_each() -> None:
    (axis,) = read_axes(["hardware=a,b,a"], units_of_symbols())
    assert axis == Words("hardware", ("a", "b"))


def test_a_long_axis_is_not_written_out() -> None:
    (axis,) = read_axes(["T=1:900000000"], units_of_symbols())
    assert len(axis) == 900_000_000
    assert isinstance(axis, Numbers)
    last = axis_values(axis, len(axis) - 3, len(axis), base=True)
    assert np.array_equal(last, [899_999_998.0, 899_999_999.0, 900_000_000.0])
