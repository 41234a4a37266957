"""To sympy and back: the same value, the author's order, no sign that is not there."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
import sympy
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from derive.derivation.resolve import rank
from derive.expression.algebra import SIGNED, from_sympy, symbol, to_sympy
from derive.expression.grammar import HEAVIEST, parse, weight
from derive.expression.text import plain
from derive.expression.tree import Measure, Name, Node, Number, names
from derive.expression.value import value
from derive.formula import catalogue
from derive.notation import CONSTANTS, SYMBOLS
from derive.units import Quantity, unit
from tests.strategies import NAMES, numbers, symbolic, trees

small = trees(
    st.one_of(st.builds(Name, st.sampled_from(NAMES)), st.builds(Number, numbers)), most=5
)
ZOO = (sympy.zoo, sympy.nan, sympy.oo, -sympy.oo)


def at(seed: int) -> dict[str, Fraction]:
    draw = random.Random(seed)
    return {name: Fraction(draw.randint(1, 999), draw.randint(1, 99)) for name in NAMES}


def same_value(one: Node, two: Node, seed: int) -> bool:
    try:
        wanted = value(one, at(seed).__getitem__)
    except ZeroDivisionError:
        return True  # sympy may cancel what divides by zero at this point
    return value(two, at(seed).__getitem__) == wanted


@settings(max_examples=80)
@given(small, st.integers(0, 3))
def test_there_and_back_keeps_the_value(tree: Node, seed: int) -> None:
    try:
        expression = to_sympy(tree)
    except (ZeroDivisionError, TypeError):
        assume(False)
    assume(not expression.has(*ZOO))
    again = from_sympy(expression, rank)
    assert same_value(tree, again, seed)
    if weight(again) <= HEAVIEST:
        assert parse(plain(again)) == again


BACK = {
    "b * N": "N · b",
    "w * I_ridge": "I_ridge · w",
    "W_read / (n * F_tok - kappa * I_ridge)": "W_read / (F_tok · n - I_ridge · kappa)",
    "N * b * 2 / (w * 2)": "N · b / w",
    "T_out / 2 + T_in": "T_in + T_out / 2",
    "T_in - T_out": "T_in - T_out",
    "w - N": "w - N",
    "-(N * w)": "-(N · w)",
    "N * w - T * b * 2": "N · w - 2 · b · T",
    "(N^4)^5": "N^8 · N^8 · N^4",
    "(N^3)^3": "N^8 · N",
    "max(w, N)": "max(N, w)",
    "floor(N / w)": "floor(N / w)",
    "1 / (N * w)": "1 / (N · w)",
    "3/4 * N": "3 · N / 4",
}


@pytest.mark.parametrize("text", BACK)
def test_what_algebra_returns_is_written_in_the_order_of_the_field(text: str) -> None:
    found = plain(from_sympy(to_sympy(parse(text)), rank))
    assert found == BACK[text]


def test_roots_logarithms_and_infinity_are_no_expressions_of_ours() -> None:
    x = symbol("N")
    for foreign in (
        sympy.sqrt(x),
        sympy.log(x),
        sympy.oo,
        sympy.zoo,
        sympy.pi * x,
        sympy.I,
        sympy.nan,
    ):
        with pytest.raises(ArithmeticError):
            from_sympy(foreign, rank)


def test_a_number_with_a_unit_is_no_algebra_but_nought_is() -> None:
    assert to_sympy(Measure(Quantity(Fraction(0), unit("byte")))) == 0
    with pytest.raises(TypeError):
        to_sympy(parse("2 byte"))


def test_reserved_letters_of_sympy_are_plain_symbols() -> None:
    for name in ("N", "S", "E", "I", "Q", "O", "C", "beta", "gamma", "zeta", "lambda"):
        assert to_sympy(parse(name)).is_Symbol


def test_max_of_a_signed_quantity_is_not_simplified_away() -> None:
    """M_free is negative where the weights do not fit; max(0, M_free / kappa) must stay."""
    assert from_sympy(to_sympy(parse("max(0, M_free / kappa)")), rank) == parse(
        "max(0, M_free / kappa)"
    )


def test_every_symbol_taken_for_positive_is_positive() -> None:
    """A difference may be negative: it is listed as signed, or known to be above zero."""
    differences = {
        "E2E",
        "replicas",
        "cost_token",
        "cost_out",  # an answer has one token at least
        "t_queue",  # exists while prefill leaves time to decode
        "T_new",  # one token of a prompt at least is computed
        "T_hit",
        "KV_seen",
        "T_near",  # nought at least, as KV_seen
        "T_near2",
        "g_fit_pre",
        "n_gain",  # the acceptance is below one
        "W_mix",  # as E_hit
        "W_last",
        "T_last",  # the full chunks before it leave something
        "b_mix",  # an answer has one token at least
        "TTFT_mix",  # one pass at least
        "t_load",  # t_add at least
        "t_add",  # a step with a chunk in it takes no less than one without
        "t_mix_exp",
        "TTFT_mix_exp",  # one pass at least
        "t_link_token",  # launches are a part of the overheads
        "energy_token",
        "b_crit_T",
        "W_stream",
        "t_ring",  # a group has one device at least
        "t_a2a",
        "t_send",
        "t_send_pre",
        "t_wait",
        "Q_pre_dev_last",  # what a chunk spares is a part of what it reads
        "t_turn_pre",  # the same
        "N_turn",  # one stage at least
        "N_end",  # a turn before the last is full
        "N_end_pre",
        "W_turn",  # as E_hit
        "W_end",
        "W_end_pre",
        "F_end",  # the routed experts are a part of the model
        "N_mat_draft",  # the table is a part of the draft model
        "Q_stream_draft",
        "t_bubble",
        "share_comm_prefill",
        "share_over_pre",  # the first order counts every parameter for every token
        "b_max_dev",  # nought at least, as b_max
        "F_matmul_pre",  # the head is one of the matrices
        "W_stream_dev",  # what is only looked up is a part of what is read
        "g_min",
        "g_fit",
        "E_hit",  # k experts of E, never more
        "E_hit2",
        "W_prefill",
        "KV_read_request",  # what an indexer picks from is a part of the whole
        "TPOT_tp",  # a step reads no less than its weights
    }
    for name, formula in catalogue().items():
        tree = formula.tree
        if tree is not None and " - " in plain(tree):
            assert name in SIGNED | differences, f"{name}: may it be negative?"
    assert set(catalogue()) >= SIGNED
    assert not SIGNED & {*SYMBOLS, *CONSTANTS}


@given(symbolic)
def test_names_survive(tree: Node) -> None:
    try:
        expression = to_sympy(tree)
    except (ZeroDivisionError, TypeError):
        assume(False)
    assert {s.name for s in expression.free_symbols} <= set(names(tree))
