"""The grammar takes formulas and nothing else, within bounds, and marks what it cannot read."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from derive.errors import DeriveError, Place, render
from derive.expression.dimension import dimension
from derive.expression.grammar import parse
from derive.expression.text import plain
from derive.expression.tree import Binary, Name, Node, Number, Power, substitute, walk
from derive.expression.value import value
from tests.clock import within


def amount(text: str, **names: int) -> Fraction:
    return value(parse(text), lambda name: Fraction(names[name]))


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("2 + 3 * 4", "14"),
        ("(2 + 3) * 4", "20"),
        ("2 - 3 - 4", "-5"),
        ("8/4/2", "1"),
        ("8 / 4 / 2", "1"),
        ("8 / 4/2", "4"),  # a fraction follows a space: 8 over four halves
        ("2*3/4", "3/2"),
        ("2^3", "8"),
        ("2**3", "8"),
        ("-2^2", "-4"),
        ("2^-1", "1/2"),
        ("2^3/4", "2"),
        ("6 ÷ 3 × 2 · 5 − 1", "19"),
        ("1/3 + 1/6", "1/2"),
        ("1,234 + 1", "1235"),
        ("7e9 / 7e8", "10"),
        ("1.5e-3 * 2", "3/1000"),
        ("max(1, 2, 3) + min(4, 5)", "7"),
        ("max(1,200, 3)", "1200"),
        ("floor(7 / 2) + ceil(7 / 2)", "7"),
        ("2 GB + 3 MB", "2003000000"),
        ("8 request * 2,304 token/request * 327,680 byte/token", "6039797760"),
        ("  2\n+\t2 ", "4"),
    ],
)
def test_reads(text: str, result: str) -> None:
    assert amount(text) == Fraction(result)


def test_a_fraction_is_one_number_only_where_it_stands_apart() -> None:
    assert parse("N/3/4") == Binary(
        "/", Binary("/", Name("N"), Number(Fraction(3))), Number(Fraction(4))
    )
    assert parse("N / 3/4") == Binary("/", Name("N"), Number(Fraction(3, 4)))


REFUSED = {
    # text -> what is marked
    "": "",
    "   ": "",
    "N +": "",
    "(N": "",
    "max(N, w": "",
    "N w": "w",
    "2b": "b",
    "2 (3)": "(",
    "N)": ")",
    "N + + w": "+",
    "* N": "*",
    "N ^ w": "w",
    "N^9": "9",
    "N^2.5": "2.5",
    "N^10000000000": "10000000000",
    "N^(2)": "(",
    "N^2^3": "^",
    "N^-": "",
    "sin(N)": "sin",
    "eval(N)": "eval",
    "__import__(N)": "__import__",
    "lambda x: x": ":",
    "N.real": ".",
    "N[0]": "[",
    "'text'": "'",
    '"text"': '"',
    "N = w": "=",
    "N < w": "<",
    "N if w else L": "if",
    "N; w": ";",
    "{N}": "{",
    "N @ w": "@",
    "N // w": "/",
    "N % w": "%",
    "~N": "~",
    "N!": "!",
    "$N": "$",
    "\\frac": "\\",
    "max(N)": "max(N)",
    "floor(N, w)": "floor(N, w)",
    "max(1,234)": "max(1,234)",
    "max()": ")",
    "1/0": "1/0",
    "0/0 byte": "0/0 byte",
    "1e99": "1e99",
    "9" * 61: "9" * 61,
    "1.2.3": ".",
    "1_000": "_000",
    "5 parsec": "parsec",
    "5 TFLOPS": "TFLOPS",
    "5 Gb/s": "Gb/s",
    "5 N": "N",
    "κ + N": "κ",
    "N + 带宽": "带",
    "N\x00": "\x00",
    "N \u202e": "\u202e",
    "Ν + 1": "Ν",
    "１ + 1": "１",
    "٣ + 1": "٣",
    "5 " + "/".join(["s"] * 9): "/".join(["s"] * 9),
    "5 GB^99": "GB",
}


@pytest.mark.parametrize("text", REFUSED)
def test_refused_and_marked(text: str) -> None:
    with pytest.raises(DeriveError) as caught:
        parse(text, Place("claims.yaml", 4, 2, "formula"))
    (problem,) = caught.value.problems
    assert problem.code == "E101"
    if problem.excerpt:
        line, marks = problem.excerpt
        start, end = marks.index("^"), len(marks)
        marked = REFUSED[text]
        if marked in ("带", "１"):
            assert end - start == 2  # of the columns of a terminal
            assert start == text.index(marked)
        elif marked:
            assert text[start:end] == marked or len(marked) > 40
        else:
            assert start >= len(text.rstrip())  # behind the end
        assert line.startswith(text[:2].replace("\x00", "�"))
    for lang in ("en", "zh"):
        assert "claims.yaml:4:2" in render(caught.value, lang)


TOWERS = {
    "a tower of powers": "((((2*b)^8)^8)^8)",
    "nested brackets": "(" * 2000 + "1" + ")" * 2000,
    "nested brackets, unclosed": "(" * 3999,
    "nested functions": "max(1," * 300 + "1" + ")" * 300,
    "minus signs": "-" * 3000 + "1",
    "a hundred minus signs": "-" * 100 + "1",
    "long sum": " + ".join(["b"] * 900),
    "long product of powers": " * ".join(["b^8"] * 190),
    "long numbers": " * ".join(["9" * 60] * 120),
    "long text": "b" * 4001,
    "spaces": " " * 5000 + "b",
    "digits": "9" * 3999,
    "commas": "1" + ",234" * 900,
}


@pytest.mark.parametrize("kind", TOWERS)
def test_what_grows_is_refused_at_once(kind: str) -> None:
    with within(0.5):
        with pytest.raises(DeriveError) as caught:
            parse(TOWERS[kind])
        assert caught.value.problems[0].code == "E101"


def deepest() -> list[str]:
    """The largest expressions of each shape that are still read."""
    return [
        " + ".join(["1"] * 200),
        " * ".join(["b"] * 130),
        " / ".join(["7"] * 200),
        "(" * 58 + "b" + ")" * 58,
        "-" * 60 + "b",
        "b - " + "-(b - " * 29 + "b" + ")" * 29,
        "min(1, " * 58 + "b" + ")" * 58,
        "(b + " * 29 + "(b - " * 29 + "b" + ")" * 58 + " + b" * 60,
        "((2 * b)^8)^8",
    ]


@pytest.mark.parametrize("number", range(len(deepest())))
def test_the_largest_that_is_read_can_be_used(number: int) -> None:
    """No reading of an accepted tree runs out of stack or time."""
    from derive.expression.algebra import to_sympy
    from derive.expression.recompute import recompute
    from derive.expression.wrapped import settings
    from derive.units import NUMBER, Quantity, Unit

    text = deepest()[number]
    with within(3):
        tree = parse(text)
        assert parse(plain(tree)) == tree
        assert hash(tree) == hash(parse(text))
        assert amount(text, b=3) == value(
            substitute(tree, {"b": Number(Fraction(3))}), lambda _: Fraction(0)
        )
        assert dimension(tree, lambda _: NUMBER) == NUMBER
        assert settings("x =", tree, str)
        assert to_sympy(tree) is not None
        three = Quantity(Fraction(3), Unit())
        assert recompute(tree, lambda _: three).magnitude == amount(text, b=3)
        assert len(list(walk(tree))) <= 400


PIECES = st.sampled_from(
    [
        "N",
        "w",
        "2",
        "1/2",
        "3.5",
        "8 request",
        "GB",
        " ",
        " + ",
        " - ",
        "*",
        "/",
        "^",
        "^2",
        "(",
        ")",
        ",",
        "max(",
        "floor(",
        "-",
        "e",
        "_",
        "__",
        ".",
        "%",
        "1,000",
        "κ",
        "\x00",
        "\u202e",
        "带",
    ]
)


@given(st.one_of(st.text(max_size=80), st.lists(PIECES, max_size=25).map("".join)))
@example("max(" * 70)
@example("1/" * 200)
@example("((2^8)^8)^8^8")
def test_any_text_is_a_tree_or_a_marked_error(text: str) -> None:
    with within(0.5):
        try:
            tree = parse(text)
        except DeriveError as error:
            render(error, "zh")
        else:
            assert parse(plain(tree)) == tree


def test_spans_are_the_places_in_the_text() -> None:
    text = "N * (w + L) / max(T, n)"
    tree = parse(text)
    assert isinstance(tree, Binary)
    assert text[slice(*tree.span)] == text
    assert text[slice(*tree.left.span)] == "N * (w + L)"
    assert text[slice(*tree.right.span)] == "max(T, n)"
    power = parse("  b^2 ")
    assert isinstance(power, Power)
    assert power.span == (2, 5)


def test_dunder_names_are_names_and_nothing_more() -> None:
    """A symbol may be called anything; the catalogue decides whether it exists."""
    tree: Node = parse("__class__ + N")
    with pytest.raises(KeyError):
        value(tree, {"N": Fraction(1)}.__getitem__)
