"""Dimensions of trees, the second numeric reading, and what a stray unit does to them."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from derive.errors import DeriveError, Place, render
from derive.expression.dimension import dimension
from derive.expression.grammar import parse
from derive.expression.recompute import in_unit, recompute
from derive.expression.tree import Measure, Node, rebuild, walk
from derive.expression.value import value
from derive.formula import dimension_of
from derive.units import NUMBER, Dimension, Quantity, pint_error, unit
from tests.strategies import dimensions, measured


def no_names(name: str) -> Fraction:
    raise AssertionError(name)


any_dimension = dimensions.flatmap(lambda wanted: st.tuples(st.just(wanted), measured(wanted)))


@given(any_dimension)
def test_the_dimension_is_found_and_pint_agrees_on_value_and_unit(
    case: tuple[Dimension, Node],
) -> None:
    wanted, tree = case
    assert dimension(tree, dimension_of) == wanted
    try:
        expected = value(tree, no_names)
    except ZeroDivisionError:
        assume(False)
    assert in_unit(recompute(tree, no_names), wanted.unit) == expected


@given(any_dimension, st.data())
def test_a_stray_unit_is_refused_or_changes_the_dimension(
    case: tuple[Dimension, Node], data: st.DataObject
) -> None:
    """One value with one unit too many: the check must see it wherever it stands."""
    wanted, tree = case
    leaves = [n for n in walk(tree) if isinstance(n, Measure)]
    assume(leaves)
    victim = data.draw(st.sampled_from(leaves))
    stray = data.draw(
        st.sampled_from([unit(u) for u in ("byte", "token", "request", "1/s", "device")])
    )
    spoiled = replaced(
        tree, victim, Measure(Quantity(victim.quantity.value, victim.quantity.unit * stray))
    )
    assume(spoiled is not None)
    try:
        found = dimension(spoiled, dimension_of)
    except DeriveError as error:
        found = None
        refused = (error.problems[0].code, render(error))
    if found is None:
        assert refused[0] in ("U101", "U102")
        assert "  " in refused[1]
    else:
        assert found != wanted or cancels(tree, victim)


def replaced(tree: Node, victim: Node, by: Node) -> Node:
    """The tree with one part (the same object) replaced everywhere it stands."""
    return by if tree is victim else rebuild(tree, lambda part: replaced(part, victim, by))


def cancels(tree: Node, victim: Node) -> bool:
    """Whether the same part stands twice, or below a power of nought, so that a unit can cancel."""
    from derive.expression.tree import Power

    twice = sum(1 for n in walk(tree) if n is victim) > 1
    nought = any(isinstance(n, Power) and n.exponent == 0 and victim in walk(n) for n in walk(tree))
    return twice or nought


BASES = ["operation", "information", "token", "parameter", "element", "currency", "energy"]


@given(
    any_dimension,
    st.sampled_from(BASES),
    st.sampled_from((Fraction(2), Fraction(3), Fraction(1, 5))),
)
def test_scaling_one_base_unit_scales_the_value_by_its_power(
    case: tuple[Dimension, Node], base: str, factor: Fraction
) -> None:
    """The law that a formula with right units obeys, and one with a wrong one does not."""
    wanted, tree = case

    def scaled(part: Node) -> Node:
        if isinstance(part, Measure):
            power = dict(part.quantity.dimension.powers).get(base, 0)
            return Measure(Quantity(part.quantity.value * factor**power, part.quantity.unit))
        return rebuild(part, scaled)

    rounded = (
        {"token"}
        if any(getattr(n, "function", "") in ("floor", "ceil") for n in walk(tree))
        else set()
    )
    assume(base not in rounded)
    try:
        before, after = value(tree, no_names), value(scaled(tree), no_names)
    except ZeroDivisionError:
        assume(False)
    assert after == before * factor ** dict(wanted.powers).get(base, 0)


CLASHES = {
    "P_peak + B_peak": (
        "cannot add a compute rate and a data rate",
        ("P_peak + B_peak", "^^^^^^   ^^^^^^"),
        "a data rate times an arithmetic intensity is a compute rate",
    ),
    "I_ridge * w - I_ridge": (
        "cannot subtract an arithmetic intensity from operation / parameter",
        ("I_ridge * w - I_ridge", "^^^^^^^^^^^   ^^^^^^^"),
        "an arithmetic intensity times bytes per parameter is operation / parameter",
    ),
    "max(W, T)": (
        "cannot compare an amount of data with tokens per request",
        ("max(W, T)", "    ^  ^"),
        None,
    ),
    "M_dev + 2 * T": (
        "cannot add an amount of data and tokens per request",
        ("M_dev + 2 * T", "^^^^^   ^^^^^"),
        None,
    ),
    "R_max + TPOT_floor": (
        "cannot add a token rate per request and a time per output token",
        ("R_max + TPOT_floor", "^^^^^   ^^^^^^^^^^"),
        "one side is the reciprocal of the other",
    ),
    "N + 2": ("cannot add a parameter count and a pure number", ("N + 2", "^   ^"), None),
    "1 / (T + 0 * N)": (
        "cannot add tokens per request and a parameter count",
        ("1 / (T + 0 * N)", "     ^   ^^^^^"),
        None,
    ),
}


@pytest.mark.parametrize("text", CLASHES)
def test_a_clash_points_at_both_operands(text: str) -> None:
    what, excerpt, hint = CLASHES[text]
    with pytest.raises(DeriveError) as caught:
        dimension(parse(text), dimension_of, text, Place(key="bad_sum"))
    (problem,) = caught.value.problems
    assert problem.code == "U101"
    assert problem.what.en == what
    assert problem.excerpt == excerpt
    assert (problem.hint.en if problem.hint else None) == hint
    assert "bad_sum" in render(caught.value)


def test_a_clash_without_its_text_still_names_both_operands() -> None:
    with pytest.raises(DeriveError) as caught:
        dimension(parse("W * 2 + T"), dimension_of)
    assert [row[0] for row in caught.value.problems[0].rows] == ["W · 2", "T"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("floor(M_free / (T * kappa))", "request"),
        ("ceil(W / M_dev)", "device"),
        ("floor(M_free / kappa)", "token"),
        ("floor(T_in / T_out)", ""),
    ],
)
def test_rounding_is_for_what_is_counted(text: str, found: str) -> None:
    assert dimension(parse(text), dimension_of) == unit(found).dimension


@pytest.mark.parametrize(
    "text", ["floor(TPOT)", "ceil(W)", "floor(T)", "ceil(arrival)", "floor(N)"]
)
def test_rounding_anything_else_is_refused(text: str) -> None:
    with pytest.raises(DeriveError, match="U102"):
        dimension(parse(text), dimension_of, text)


@pytest.mark.parametrize(
    "text", ["max(0, W)", "W + 0", "0 - W", "min(W, 0, KV_total)", "0 + 0", "max(0, 0)"]
)
def test_nought_has_every_dimension_in_both_readings(text: str) -> None:
    tree = parse(text)
    wanted = NUMBER if "W" not in text else unit("byte").dimension

    def lookup(name: str) -> Quantity:
        return Quantity(Fraction(3), unit("GB"))

    assert dimension(tree, dimension_of) == wanted
    assert in_unit(recompute(tree, lookup), wanted.unit) == value(
        tree, lambda name: lookup(name).base
    )


@pytest.mark.parametrize(
    "text", ["2 byte + 3 token", "max(1 s, 2 byte)", "1 GB - 1", "1 request + 1 device"]
)
def test_pint_refuses_what_does_not_fit(text: str) -> None:
    """The second reading has its own guard: it does not rely on the first."""
    with pytest.raises(pint_error()):
        recompute(parse(text), no_names)


def test_readings_differ_where_a_prefix_is_lost() -> None:
    """The two numeric readings share no code: a wrong factor in one shows."""
    tree = parse("8 request * 2,304 token/request * 327.68 kB/token")
    assert in_unit(recompute(tree, no_names), unit("GB")) == value(tree, no_names) / 10**9
