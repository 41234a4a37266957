"""Formulas are texts: what joins them keeps their value."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from derive.architecture.parts import factors, linear, product, total
from derive.architecture.symbols import Symbol, exact

NAMES = ("a", "b", "c_1", "d_model")
VALUES = tuple((name, Symbol(number, "")) for name, number in zip(NAMES, (2, 3, 5, 7), strict=True))
TERMS = (
    "a", "2", "3 * b", "a + b", "a * (b + 2)", "(a + 2 * b) * c_1", "a * b / 3", "d_model - a",
    "ceil(d_model / b)", "2 * a + 2 * b * c_1 + 1", "(a + b)", "min(a, b) * 2",
)  # fmt: skip
texts = st.lists(st.sampled_from(TERMS), min_size=1, max_size=4)


@given(texts)
def test_a_product_has_the_value_of_its_factors(parts: list[str]) -> None:
    expected = math.prod((exact(p, VALUES) for p in parts), start=1)
    assert exact(product(*parts), VALUES) == expected


@given(texts)
def test_a_sum_has_the_value_of_its_terms(parts: list[str]) -> None:
    assert exact(total(parts), VALUES) == sum(exact(p, VALUES) for p in parts)


def test_factors_split_only_at_the_outermost_signs() -> None:
    assert factors("2 * a * (b + c_1)") == ["2", "a", "(b + c_1)"]
    assert factors("2 * a + b") == ["2 * a + b"]


def test_like_terms_are_one() -> None:
    query = linear("q", "d_model", "a * b", "attention")[0].count
    key = linear("k", "d_model", "c_1 * b", "attention")[0].count
    assert total([query, key, key, query]) == "2 * d_model * a * b + 2 * d_model * c_1 * b"
