"""What is printed reads back: the same tree, the same value, in every reading of it."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from derive.expression.grammar import parse
from derive.expression.latex import latex
from derive.expression.text import plain
from derive.expression.tree import Binary, Measure, Name, Negative, Node, Number, Power, names
from derive.expression.value import value
from derive.expression.wrapped import settings
from derive.formula import letters
from derive.units import Quantity, unit
from tests.strategies import NAMES, symbolic, with_values


def at(seed: int) -> dict[str, Fraction]:
    """An exact positive value for each name."""
    draw = random.Random(seed)
    return {name: Fraction(draw.randint(1, 99), draw.randint(1, 9)) for name in NAMES}


def evaluated(tree: Node, seed: int = 1) -> Fraction | None:
    """The value of a tree at a point, None where a divisor is zero."""
    try:
        return value(tree, at(seed).__getitem__)
    except ZeroDivisionError:
        return None


@given(symbolic, st.sampled_from(("·", "×", "*")))
def test_a_formula_reads_back_as_the_same_tree(tree: Node, dot: str) -> None:
    again = parse(plain(tree, dot=dot))
    assert again == tree
    assert plain(again, dot=dot) == plain(tree, dot=dot)


@given(symbolic)
def test_a_formula_reads_back_with_the_same_value(tree: Node) -> None:
    assert evaluated(parse(plain(tree))) == evaluated(tree)


@given(with_values)
def test_a_line_of_values_reads_back(tree: Node) -> None:
    again = parse(plain(tree, dot="×"))
    assert again == tree
    assert evaluated(again) == evaluated(tree)


def test_a_bracket_lost_in_print_is_noticed() -> None:
    """The worst bug of this kind of program: a · (b + c) printed as a · b + c."""
    tree = Binary("*", Name("N"), Binary("+", Name("w"), Name("L")))
    assert plain(tree) == "N · (w + L)"
    assert evaluated(parse(plain(tree).replace("(", "").replace(")", ""))) != evaluated(tree)


HALF, THREE = Number(Fraction(1, 3)), Number(Fraction(3))
N, w = Name("N"), Name("w")
PRINTS = [
    (Binary("-", N, Binary("-", w, THREE)), "N - (w - 3)"),
    (Binary("/", N, Binary("*", w, THREE)), "N / (w · 3)"),
    (Binary("*", Binary("/", N, w), THREE), "N / w · 3"),
    (Binary("/", N, HALF), "N / (1/3)"),
    (Binary("*", N, HALF), "N · 1/3"),
    (Binary("/", HALF, N), "1/3 / N"),
    (Power(HALF, 2), "(1/3)^2"),
    (Power(Negative(N), 2), "(-N)^2"),
    (Negative(Power(N, 2)), "-N^2"),
    (Binary("*", N, Negative(w)), "N · (-w)"),
    (Binary("*", Negative(N), w), "-N · w"),
    (Negative(Binary("*", N, w)), "-(N · w)"),
    (Negative(Negative(N)), "-(-N)"),
    (Power(Measure(Quantity(Fraction(2), unit("byte"))), 2), "(2 byte)^2"),
    (Power(Power(N, 2), 3), "(N^2)^3"),
    (Power(N, -2), "N^-2"),
]


@pytest.mark.parametrize(("tree", "text"), PRINTS, ids=[text for _, text in PRINTS])
def test_brackets_stand_where_they_are_needed_and_nowhere_else(tree: Node, text: str) -> None:
    assert plain(tree) == text
    assert parse(text) == tree


@pytest.mark.parametrize("digits", ["6.040", "0.50", "1,000.0", "30"])
def test_the_digits_of_a_rounded_value_are_kept(digits: str) -> None:
    amount = Fraction(digits.replace(",", ""))
    tree = Measure(Quantity(amount, unit("GB")), digits=digits)
    assert plain(tree) == f"{digits} GB"
    assert plain(parse(plain(tree))) == plain(tree)
    assert rf"\text{{{digits}}}" in latex(tree, letters)
    assert parse(plain(tree)) == Measure(Quantity(amount, unit("GB")))


@given(st.one_of(symbolic, with_values))
def test_latex_is_whole(tree: Node) -> None:
    for text in settings("x =", tree, letters):
        plain_text = text.replace(r"\{", "").replace(r"\}", "")
        depth = 0
        for char in plain_text:
            depth += {"{": 1, "}": -1}.get(char, 0)
            assert depth >= 0
        assert depth == 0
        assert text.count(r"\left") == text.count(r"\right")
        assert text.count(r"\begin{") == text.count(r"\end{")
        assert "%" not in text.replace(r"\%", "")
        for name in names(tree):
            assert letters(name) in text


LATEX = {
    "N * (w + L)": r"N \cdot \left(w + L\right)",
    "(N + w) / L": r"\frac{N + w}{L}",
    "(N / w)^2": r"{\left(\frac{N}{w}\right)}^{2}",
    "N / (1/3)": r"\frac{N}{\frac{\text{1}}{\text{3}}}",
    "N - (w - L)": r"N - \left(w - L\right)",
    "-(N + w)": r"-\left(N + w\right)",
    "floor(N / w)": r"\left\lfloor \frac{N}{w} \right\rfloor",
    "max(0, N)": r"\max\left(\text{0} ,\; N\right)",
    "8 * 2 GB/s^2/device": r"\text{8} \times \text{2}\ \text{GB/s}^{2}\text{/device}",
    "40 %": r"\text{40}\ \text{\%}",
    "2 s*request/token": r"\text{2}\ \text{s·request/token}",
    "7e9 * N": r"\text{7,000,000,000} \cdot N",
}


@pytest.mark.parametrize("text", LATEX)
def test_latex(text: str) -> None:
    assert latex(parse(text), letters) == LATEX[text]


@given(with_values, st.integers(0, 5))
def test_substituting_values_changes_nothing(tree: Node, seed: int) -> None:
    from derive.expression.tree import substitute

    point = at(seed)
    named = Binary("+", tree, Name("N"))
    inserted = substitute(named, {"N": Number(point["N"])})
    assume(evaluated(named, seed) is not None)
    assert evaluated(inserted, seed) == evaluated(named, seed)
