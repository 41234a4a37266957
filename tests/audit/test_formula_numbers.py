"""Formulas with numbers on both sides are computed; digits that must count something are told."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from derive.audit.fields.stated import stated_claims
from derive.audit.judge import judge
from derive.audit.library import Library
from derive.audit.types import Judged
from derive.specs.lookup import spec_roots

ROOTS = spec_roots()
LIBRARY = Library(ROOTS)


def audit(formula: str) -> Judged:
    (claim,) = stated_claims([], [formula], ROOTS)
    return judge(claim, LIBRARY)


CASES = [
    ("141 GB / 4.8 TB/s = 29.4 ms", "consistent"),
    ("141 GB / 4.8 TB/s = 2.94 ms", "contradicted"),
    ("2 + 2 = 5", "contradicted"),
    ("1/0 = 3", "contradicted"),
    ("80 GB * 8 = 640 GB", "consistent"),
    ("80 GB * 8 = 320 GB", "contradicted"),
    ("1 TB / 10 ms = 100 s", "unit_error"),
    ("3.35 TB/s / 140 GB = 41.8 ms", "unit_error"),
    ("2 × 80 × 8 × 128 × 2 = 327680 bytes", "ambiguous"),
    ("2 × 80 × 8 × 128 × 2 = 160 KiB", "contradicted"),
    ("2 * 70e9 * 2000 / 989 TFLOP/s = 283 ms", "ambiguous"),
    ("TPOT = 141 GB / 4.8 TB/s = 2.94 ms", "contradicted"),
    ("floor(7/2) = 3", "consistent"),
    ("ceil(7/2) = 3", "contradicted"),
    ("2^-2 = 0.25", "consistent"),
    (r"\frac{989\,\text{TFLOP/s}}{3.35\,\text{TB/s}} = 295\ \text{FLOP/byte}", "consistent"),
    (r"\frac{140\,\mathrm{GB}}{3.35~\mathrm{TB/s}} \approx 4.18\ \text{ms}", "contradicted"),
]


@pytest.mark.parametrize(("formula", "verdict"), CASES)
def test_numbers_of_both_sides_are_held_against_each_other(formula: str, verdict: str) -> None:
    found = audit(formula)
    assert found.verdict == verdict, [f.message.en for f in found.findings]


def test_what_was_wrong_and_what_follows_is_said_in_both_languages() -> None:
    found = audit("141 GB / 4.8 TB/s = 2.94 ms").findings[0]
    assert found.rule == "FORM003"
    assert found.message.en.startswith("141 GB / 4.8 TB/s = 29.375 ms, not 2.94 ms")
    assert "而不是 2.94 ms" in found.message.zh
    assert found.corrected
    assert "29.375 ms" in found.corrected.zh
    zero = audit("1/0 = 3").findings[0]
    assert "除数为零" in zero.message.zh
    lacking = audit("2 × 80 × 8 × 128 × 2 = 320 KiB").findings[0]
    assert lacking.corrected
    assert lacking.corrected.en.endswith("· 1 byte = 320 KiB")
    assert "byte" in lacking.message.zh


@given(st.integers(1, 10**6), st.integers(1, 10**6), st.integers(2, 50))
def test_a_right_product_is_consistent_and_a_multiple_of_it_is_not(a: int, b: int, k: int) -> None:
    assert audit(f"{a} * {b} = {a * b}").verdict == "consistent"
    assert audit(f"{a} * {b} = {a * b * k}").verdict == "contradicted"


@given(st.integers(1, 999), st.integers(1, 999))
def test_a_quotient_agrees_within_the_digits_that_are_printed(size: int, rate: int) -> None:
    time = Fraction(size, rate)
    right = f"{float(time):.3f}"
    assert audit(f"{size} GB / {rate} GB/s = {right} s").verdict == "consistent"
