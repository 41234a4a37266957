"""Every formula: its worked example, its languages, its sources, its place in the contract."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import yaml

from derive.derivation.points import Absent, Point, Undefined, valid_points
from derive.derivation.resolve import resolve
from derive.expression.grammar import parse
from derive.expression.tree import Call, Name, Number, names, walk
from derive.expression.value import value
from derive.formula import CATALOGUE, Formula, bare_digits, catalogue, letters, unit_of
from derive.notation import CONSTANTS, SYMBOLS, known
from derive.text import Text
from derive.units import read, read_quantity, unit

ROOT = Path(__file__).resolve().parents[2]
CONTRACT = yaml.safe_load((ROOT / "tests/golden/notation.yaml").read_text(encoding="utf-8"))
SOURCES = yaml.safe_load((ROOT / "specs/sources.yaml").read_text(encoding="utf-8"))
FORMULAS = list(catalogue().values())
every = pytest.mark.parametrize("formula", FORMULAS, ids=[f.id for f in FORMULAS])
CHINESE = re.compile(r"[\u4e00-\u9fff]")


def half_unit(number: str) -> Fraction:
    """Half a unit of the last printed digit."""
    _, dot, decimals = number.replace(",", "").partition(".")
    return Fraction(1, 2) / 10 ** len(decimals) if dot else Fraction(1, 2)


def example_point(formula: Formula) -> Point:
    given = {n: read(text).quantity.base for n, text in formula.example.given.items()}
    return Point({"n": Fraction(1), **given})


@every
def test_the_worked_example_comes_out(formula: Formula) -> None:
    found = example_point(formula).get(formula.id)
    wanted = read(formula.example.result).quantity
    assert wanted.dimension == formula.unit.dimension
    number = formula.example.result.split(" ")[0]
    assert abs(found / wanted.unit.factor - wanted.value) <= half_unit(number)


@every
def test_the_worked_example_gives_units_and_nothing_idle(formula: Formula) -> None:
    point = example_point(formula)
    result = point.get(formula.id)
    for name, text in formula.example.given.items():
        assert read(text).quantity.dimension == unit_of(name).dimension, name
        without = {n: v for n, v in point.given.items() if n != name}
        change = point.given[name] * 7 / 5 + Fraction(1, 10**6)
        if takes_powers(formula.id):
            change = point.given[name] * 2  # an exponent must stay whole
        try:
            moved = Point({**without, name: change}).get(formula.id)
        except Undefined:
            continue
        used = {name} & used_by(formula.id)
        assert used or moved != result, f"{name} is given but not used"


def takes_powers(name: str) -> bool:
    """Whether a formula, or one that it rests on, has a symbol in an exponent."""
    opened = {name, *(n for n in used_by(name) if n in CATALOGUE)}
    parts = [part for one in opened for part in walk_all(one)]
    return any(isinstance(part, Call) and part.function == "pow" for part in parts)


def walk_all(name: str) -> list[object]:
    """Every part of what gives a formula's value: its tree, or the two sides of a search."""
    made = resolve(name)
    sides = (made.crossing.left, made.crossing.right) if made.crossing else (made.tree,)
    return [part for side in sides for part in walk(side)]


def used_by(name: str) -> set[str]:
    """Everything that a formula's value rests on."""
    found = {part.id for part in walk_all(name) if isinstance(part, Name)}
    found |= {CATALOGUE[name].switch} - {""}
    condition = CATALOGUE[name].exists if name in CATALOGUE else None
    if condition:
        left, _, right = condition.parts
        found |= {*names(left), *names(right)}
    return found | {m for n in found if n in CATALOGUE for m in used_by(n)}


@every
def test_both_languages_say_something_and_chinese_is_chinese(formula: Formula) -> None:
    texts = [formula.name, formula.reason, *(c.meaning for c in formula.valid)]
    texts += [formula.reading] if formula.reading else []
    texts += [formula.exists.meaning] if formula.exists else []
    for text in texts:
        assert text.en.strip() == text.en != ""
        assert text.zh.strip() == text.zh != ""
        assert not CHINESE.search(text.en), text.en
        assert CHINESE.search(text.zh), text.zh
        assert not re.search(r"[\u4e00-\u9fff][,;:!?]", text.zh), f"half-width mark: {text.zh}"


@pytest.mark.parametrize("name", sorted(known()))
def test_symbols_and_constants_have_both_languages(name: str) -> None:
    row = known()[name]
    text: Text = row.meaning if name in SYMBOLS else row.reason  # type: ignore[union-attr]
    assert text.en
    assert not CHINESE.search(text.en)
    assert CHINESE.search(text.zh)


@every
def test_the_sources_exist(formula: Formula) -> None:
    assert formula.sources
    for key in formula.sources:
        assert key in SOURCES, f"{key} is not in specs/sources.yaml"


def test_ids_and_letters_are_told_apart() -> None:
    ids = [*known(), *catalogue()]
    assert len(set(ids)) == len(ids)
    shown: dict[str, list[str]] = {}
    for name in ids:
        shown.setdefault(letters(name), []).append(name)
    assert [same for same in shown.values() if len(same) > 1] == []


# Pure numbers that stand in formulas, each with the reason why it may be bare.
BARE = {
    ("R_max", "1"): "a reciprocal",
    ("T_mean", "2"): "half of the output: the mean of an even growth",
    ("share_att_prefill", "2"): "the causal mask hides half of the pairs",
    ("tokens_max", "0"): "nought has every unit",
    ("b_max", "0"): "nought has every unit",
    ("b_max_reserved", "0"): "nought has every unit",
    ("b_max_tp", "0"): "nought has every unit",
    ("E_hit", "1"): "a share and its complement",
    ("E_hit2", "1"): "a share and its complement",
    ("W_prefill", "1"): "a share and its complement",
    ("W_turn", "1"): "a share and its complement",
    ("W_end", "1"): "a share and its complement",
    ("W_end_pre", "1"): "a share and its complement",
    ("N_end", "1"): "turns before the last: one fewer than turns",
    ("b_max_dev", "0"): "nought has every unit",
    ("share_over_pre", "1"): "a share and its complement",
    ("kappa_dev", "1"): "one whole head at least",
    ("F_att_whole", "2"): "n (n + 1) / 2 pairs under the causal mask",
    ("t_send", "1"): "links between stages: one fewer than stages",
    ("t_wait", "1"): "links between stages, and collectives there or not",
    ("t_bubble", "1"): "links between stages, and the busy time itself",
    ("margin_TTFT", "1"): "a share and its complement",
    ("margin_TPOT", "1"): "a share and its complement",
    ("t_queue", "1"): "a spread of none, a share and its complement",
    ("t_queue", "2"): "halves of the mean wait: residual times",
    ("W_mix", "1"): "a share and its complement",
    ("T_new", "1"): "a share and its complement",
    ("n_gain", "1"): "a geometric sum",
    ("N_turn", "1"): "links between stages: one fewer than stages",
    ("t_send_pre", "1"): "links between turns, and stages there or not",
    ("KV_seen", "1"): "the first pass reads nothing of the prompt",
    ("T_last", "1"): "all passes but the last are full",
    ("TTFT_mix", "1"): "the same",
    ("TTFT_mix_exp", "1"): "the same",
    ("t_add", "1"): "the same",
    ("t_load", "1"): "the same",
    ("W_last", "1"): "a share and its complement",
    ("t_turn_pre", "1"): "the stages before the last",
    ("KV_seen", "2"): "half: the mean of an even growth",
    ("T_near", "1"): "the first pass reads nothing of the prompt; m (m + 1) / 2",
    ("T_near", "2"): "m (m + 1) / 2",
    ("T_near2", "1"): "the same",
    ("T_near2", "2"): "the same",
}


@every
def test_a_bare_digit_stands_only_where_it_is_a_pure_number(formula: Formula) -> None:
    tree = formula.tree
    found = {str(n.value) for n in bare_digits(tree) if isinstance(n, Number)} if tree else set()
    assert found == {digit for name, digit in BARE if name == formula.id}


def test_every_reason_for_a_bare_digit_is_needed() -> None:
    assert {name for name, _ in BARE} <= set(catalogue())


# --- the contract ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CONTRACT["symbols"])
def test_a_symbol_of_the_contract(name: str) -> None:
    assert SYMBOLS[name].unit.text == CONTRACT["symbols"][name]["unit"]


@pytest.mark.parametrize("name", CONTRACT["constants"])
def test_a_constant_of_the_contract(name: str) -> None:
    wanted = read(str(CONTRACT["constants"][name]["value"])).quantity
    assert CONSTANTS[name].value.base == wanted.base
    assert CONSTANTS[name].unit.dimension == wanted.dimension
    assert CONSTANTS[name].reason.en


def test_no_formula_of_the_contract_is_missing() -> None:
    assert set(CONTRACT["formulas"]) <= set(catalogue())


@pytest.mark.parametrize("name", CONTRACT["formulas"])
def test_a_formula_of_the_contract(name: str) -> None:
    row, ours = CONTRACT["formulas"][name], catalogue()[name]
    assert ours.unit.text == row["unit"]
    assert ours.unit == unit(row["unit"])
    assert ours.calibre == row.get("calibre", "peak")


def contract_value(name: str, point: Point) -> Fraction:
    """The contract's own expression at a point, with what it holds fixed."""
    row: dict[str, Any] = CONTRACT["formulas"][name]
    at = row.get("at", {})
    held = {n: Fraction(0) if str(t) == "0" else point.value(parse(str(t))) for n, t in at.items()}
    there = point.with_(**held)
    if "is" in row:
        return value(parse(str(row["is"])), there.get)
    if "of" in row:
        return there.get(row["of"])
    return value(parse(str(row["closed"])), there.get)


@pytest.mark.parametrize("name", [n for n in CONTRACT["formulas"] if n != "b_slo"])
def test_a_formula_has_the_value_of_the_contract_expression(name: str) -> None:
    for point in valid_points(name, 3):
        assert point.get(name) == contract_value(name, point)


# --- closed forms ------------------------------------------------------------------------------

CLOSED = [f for f in FORMULAS if f.closed]


@pytest.mark.parametrize("formula", CLOSED, ids=[f.id for f in CLOSED])
def test_what_algebra_found_is_the_closed_form(formula: Formula) -> None:
    import sympy

    from derive.derivation.resolve import expand_all
    from derive.expression.algebra import symbol, to_sympy

    one = {symbol("n"): symbol("one_token")}
    found = to_sympy(expand_all(resolve(formula.id).tree)).subs(one)
    closed = to_sympy(expand_all(parse(formula.closed))).subs(one)
    assert sympy.cancel(found - closed) == 0
    contract = CONTRACT["formulas"].get(formula.id, {})
    if "closed" in contract:
        again = to_sympy(expand_all(parse(contract["closed"]))).subs(one)
        assert sympy.cancel(found - again) == 0


@pytest.mark.parametrize(
    "name", [n for n, row in CONTRACT["formulas"].items() if {"limit", "solve"} & set(row)]
)
def test_what_algebra_must_find_is_typed_in_nowhere(name: str) -> None:
    formula = catalogue()[name]
    assert formula.tree is None
    assert formula.text == ""
    assert formula.limit or formula.solve or formula.largest


def test_past_the_wall_there_is_no_critical_batch() -> None:
    """A negative number of requests must not be printed as an answer."""
    for point in valid_points("T_wall", 3):
        wall = point.get("T_wall")
        beyond, before = point.with_(T=wall * 2), point.with_(T=wall / 2)
        assert before.get("b_crit_T") > before.get("b_crit") > 0
        with pytest.raises(Undefined):
            beyond.get("b_crit_T")
        with pytest.raises(Undefined):
            point.with_(T=wall).get("b_crit_T")


def test_what_is_not_given_is_named() -> None:
    with pytest.raises(Absent) as caught:
        Point({}).get("I_ridge")
    assert caught.value.name == "P_peak"


def test_every_unit_of_a_formula_prints_as_the_contract_writes_it() -> None:
    for formula in FORMULAS:
        assert unit(formula.unit.text) == formula.unit
        assert (
            not formula.unit.terms or read_quantity(f"1 {formula.unit.text}").unit == formula.unit
        )


def test_walks_end_at_symbols() -> None:
    for formula in FORMULAS:
        for part in walk(resolve(formula.id).tree):
            for name in names(part):
                assert name in known() or name in catalogue()
