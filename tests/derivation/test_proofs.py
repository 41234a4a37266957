"""Every derivation is proved, and no check of the proof is idle: each sees a fault of its kind."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest

from derive.derivation import numeric, proof
from derive.derivation.points import RandomPoint, Undefined, valid_points
from derive.derivation.proof import prove, proved
from derive.derivation.resolve import Resolved, resolve
from derive.derivation.steps import Disproved, Step
from derive.expression import text as printer
from derive.expression.grammar import parse
from derive.expression.text import plain
from derive.expression.tree import Binary, Call, Measure, Node, Number
from derive.formula import CATALOGUE, catalogue
from derive.units import Quantity, unit

if TYPE_CHECKING:
    from collections.abc import Callable

IDS = list(catalogue())
every = pytest.mark.parametrize("name", IDS)


@every
def test_every_step_of_every_formula_is_proved(name: str) -> None:
    made = proved(name)
    for step in (*made.steps, *made.dense_steps):
        by = [check.by for check in step.checks]
        assert "points" in by
        assert "pint" in by
        # what is the declaration itself is read back from print; algebra has nothing to prove there
        declared = step.claim is None or step.rule in ("definition", "insert")
        assert ("sympy" in by) == (not declared or step.rule == "limit")


@every
def test_only_equations_and_what_is_held_go_without_a_claim(name: str) -> None:
    """An equality that nobody claims is an equality that nobody proves."""
    made = resolve(name)
    for step in (*made.steps, *made.dense_steps):
        if step.claim is None:
            found_by_search = made.formula.within and step is made.steps[-1]
            assert step.rule in ("equation", "fix", "limit", "case") or found_by_search


def changed(name: str, at: int, **by: Any) -> tuple[Step, list[RandomPoint]]:
    """A step of a derivation with something changed, and the points of the proof."""
    return replace(resolve(name).steps[at], **by), valid_points(name, 3)


def refused(step: Step, points: list[RandomPoint], by: str) -> None:
    with pytest.raises(Disproved, match=f"refused by {by}"):
        prove("planted", step, points)


def index(name: str, rule: str) -> int:
    """The last step of a rule."""
    return max(i for i, s in enumerate(resolve(name).steps) if s.rule == rule)


def doubled(tree: Node) -> Node:
    return Binary("*", Number(Fraction(2)), tree)


CLAIMED = [
    ("I_decode", "substitute"),
    ("I_prefill", "cancel"),
    ("I_decode_inf", "divide"),
    ("b_crit", "solve"),
    ("T_wall", "solve"),
]


def claims_the_double(name: str, rule: str) -> tuple[Step, list[RandomPoint]]:
    """A step with one side doubled, and the points of the proof."""
    place = index(name, rule)
    step = resolve(name).steps[place]
    assert step.claim
    left, right = step.claim
    if rule == "solve":
        ((variable, tree),) = step.held[-1:]
        return changed(name, place, held=(*step.held[:-1], (variable, doubled(tree))))
    return changed(name, place, claim=(left, doubled(right)))


@pytest.mark.parametrize(("name", "rule"), CLAIMED)
def test_sympy_refuses_a_wrong_equality(name: str, rule: str) -> None:
    refused(*claims_the_double(name, rule), "sympy")


@pytest.mark.parametrize(("name", "rule"), CLAIMED)
def test_exact_points_refuse_it_too(name: str, rule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sympy cancels while it builds, so its word alone proves nothing about a cancellation."""
    monkeypatch.setattr(proof, "equal", lambda *_: True)
    refused(*claims_the_double(name, rule), "points")


def test_a_wrong_cancellation_of_a_dense_model_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    step = resolve("I_decode_1").dense_steps[-1]
    assert step.rule == "cancel"
    assert step.claim
    wrong = replace(step, claim=(step.claim[0], Binary("/", step.claim[1], parse("N"))))
    refused(wrong, valid_points("I_decode_1", 3), "sympy")
    monkeypatch.setattr(proof, "equal", lambda *_: True)
    refused(wrong, valid_points("I_decode_1", 3), "points")


def test_a_wrong_limit_is_refused_by_sympy_and_at_points(monkeypatch: pytest.MonkeyPatch) -> None:
    place = index("I_decode_inf", "limit")
    wrong, points = changed("I_decode_inf", place, right=doubled(resolve("I_decode_inf").tree))
    refused(wrong, points, "sympy")
    monkeypatch.setattr(proof, "limit_holds", lambda *_: True)
    refused(wrong, points, "points")


@pytest.mark.parametrize("name", ["b_crit_T", "Q_step", "M_free", "E2E"])
def test_a_printer_that_loses_brackets_is_caught(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sympy sees the tree, not the print; the points are read back from the print."""
    monkeypatch.setattr(printer, "needs_brackets", lambda *_: False)
    proof._proved.cache_clear()
    try:
        made = resolve(name)
        if "(" in plain(made.tree):
            pytest.fail("the fault was not planted")
        bracketless = [s for s in made.steps if s.claim and parse(plain(s.right)) != s.right]
        for step in bracketless:
            refused(step, valid_points(name, 3), "points")
        assert bracketless or name == "Q_step"  # Q_step has no brackets to lose
    finally:
        proof._proved.cache_clear()


def test_a_printer_that_loses_a_sign_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proof, "plain", lambda tree: plain(tree).replace(" - ", " + "))
    refused(*changed("b_crit_T", index("b_crit_T", "solve")), "points")


def test_pint_refuses_a_side_of_another_dimension() -> None:
    place = index("b_crit", "equation")
    wrong, points = changed("b_crit", place, right=parse("I_ridge * kappa"))
    refused(wrong, points, "pint")


def rebuilt(name: str, tree: Node) -> Resolved:
    made = resolve(name)
    return Resolved(made.formula, made.steps, tree, made.dense_steps)


@pytest.fixture
def planted(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, Node], None]:
    """Another tree for a formula than its steps have found."""

    def plant(name: str, tree: Node) -> None:
        honest = resolve

        def lie(wanted: str) -> Resolved:
            return rebuilt(name, tree) if wanted == name else honest(wanted)

        monkeypatch.setattr(proof, "resolve", lie)

    proof._proved.cache_clear()
    yield plant
    proof._proved.cache_clear()


def test_the_whole_tree_is_recomputed_by_pint(planted: Callable[[str, Node], None]) -> None:
    planted("Q_step", doubled(resolve("Q_step").tree))
    with pytest.raises(Disproved, match="refused by pint"):
        proved("Q_step")


@pytest.mark.parametrize("sign", "+-")
@pytest.mark.parametrize(
    ("name", "one"),
    [("b_slo", "one_request"), ("T_in_slo", "one_token"), ("g_ttft", "one_device"),
     ("g_tpot", "one_device")],
)  # fmt: skip
def test_the_last_value_that_meets_a_target_is_neither_one_less_nor_one_more(
    name: str, one: str, sign: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = Binary(sign, resolve(name).tree, parse(one))
    points = [p for p in valid_points(name, 9) if p.get(name) > 1][:3]
    for point in points:
        monkeypatch.setitem(point.memo, name, point.value(wrong))
    assert not proof.last_that_holds(resolve(name), points)


def test_the_largest_batch_is_checked_on_both_sides_of_the_ridge() -> None:
    """A fault in one bound must not hide behind the other."""
    made = resolve("b_slo")
    points = proof.deciding_points(made)
    bounds = [s.right for s in made.steps if s.rule == "solve"][:-1]
    assert {min(bounds, key=point.value) for point in points} == set(bounds)
    for wrong in bounds:
        others = tuple(b if b != wrong else doubled(b) for b in bounds)
        spoiled = Call("floor", (Call("min", others),))
        for point in points:
            point.memo["b_slo"] = point.value(spoiled)
        assert not proof.last_that_holds(made, points)


def test_a_case_that_is_left_out_is_noticed() -> None:
    made = resolve("b_slo")
    first = next(i for i, s in enumerate(made.steps) if s.rule == "case")
    fewer = Resolved(made.formula, made.steps[:first] + made.steps[first + 1 :], made.tree)
    assert proof.last_that_holds(made, proof.deciding_points(made))
    assert not proof.last_that_holds(fewer, proof.deciding_points(made))


@pytest.mark.parametrize("name", ["b_crit", "T_wall", "T_cross", "b_crit_T"])
def test_a_solution_meets_the_equation_as_it_was_declared(name: str) -> None:
    """The step in between may be wrong on both sides alike; the declared equation is the judge."""
    formula = catalogue()[name]
    assert formula.solve
    left, right, variable = formula.solve
    for point in valid_points(name, 3):
        held = {n: point.value(t) for n, t in formula.at.items()}
        there = point.with_(**{**held, variable: point.get(name)})
        assert there.value(left) == there.value(right)


def test_a_wrong_right_side_of_an_equation_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The opened equation is claimed to be the declared one on both of its sides."""
    from derive.derivation import resolve as resolving

    honest = resolving.expand

    def lie(tree: Node, over: Any, inserted: Any = None, held: Any = ()) -> Node:
        found = honest(tree, over, inserted, held)
        return doubled(found) if plain(tree) == "I_ridge" else found

    monkeypatch.setattr(resolving, "expand", lie)
    made = resolving.solve(CATALOGUE["T_wall"])
    refused(made.steps[-1], valid_points("T_wall", 3), "sympy")


# --- the numeric half ---------------------------------------------------------------------------


@every
def test_values_insert_compute_and_round(name: str) -> None:
    for number in range(8):
        point = RandomPoint(name, number)
        try:
            exact = point.get(name)
        except Undefined:
            continue
        steps = numeric.value_steps(catalogue()[name], point)
        last = steps[-1]
        assert any(check.by == "recomputed" for check in last.checks)
        found = parse(plain(last.right, dot="×"))
        amount = point.value(found)
        assert last.relation == ("=" if amount == exact else "≈")
        assert abs(amount - exact) <= abs(exact) / 1000


@pytest.mark.parametrize("share", ["1/2", "0.99", "0.999999", "0.999999999"])
def test_values_near_the_wall_are_written_with_enough_figures(share: str) -> None:
    """Where two terms nearly cancel, seven figures would read back as something else."""
    point = RandomPoint("near the wall", 1)
    point = point.with_(T=point.get("T_wall") * Fraction(share))
    steps = numeric.value_steps(catalogue()["b_crit_T"], point)
    line = point.value(parse(plain(steps[0].right, dot="×")))
    assert abs(line / point.get("b_crit_T") - 1) < Fraction(1, 10**5)


def some_point(name: str) -> RandomPoint:
    return valid_points(name, 1)[0]


def test_a_line_of_values_that_reads_back_wrong_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        numeric,
        "plain",
        lambda tree, **how: plain(tree, **how).replace("TB", "GB").replace("GB", "MB"),
    )
    with pytest.raises(Disproved, match="reads back as another value"):
        numeric.value_steps(catalogue()["Q_step"], some_point("Q_step"))


def test_a_value_that_is_inserted_wrong_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = numeric.written

    def lie(quantity: Quantity, *how: int) -> tuple[Quantity, str]:
        shown, digits = honest(quantity, *how)
        return (
            (Quantity(shown.value * 1000, shown.unit), "")
            if shown.unit == unit("request")
            else (shown, digits)
        )

    monkeypatch.setattr(numeric, "written", lie)
    with pytest.raises(Disproved):
        numeric.value_steps(catalogue()["KV_total"], some_point("KV_total"))


def test_a_result_that_pint_does_not_find_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numeric, "in_unit", lambda found, contract: Fraction(1))
    with pytest.raises(Disproved, match="recomputed value differs"):
        numeric.value_steps(catalogue()["Q_step"], some_point("Q_step"))


def test_an_argument_of_max_that_pint_does_not_find_is_caught(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tree = resolve("t_step").tree
    monkeypatch.setattr(numeric, "in_unit", lambda found, contract: Fraction(1))
    with pytest.raises(Disproved, match="recomputed value differs"):
        numeric.cases(tree, some_point("t_step"))


def test_the_case_that_decides_is_the_larger_one() -> None:
    point = some_point("t_step")
    steps = numeric.cases(resolve("t_step").tree, point)
    values = [point.value(s.left) for s in steps]
    said = [s.reason.en for s in steps if s.reason]
    assert said[values.index(max(values))] == "decides"
    assert said.count("decides") == 1


def test_a_rounded_result_keeps_its_trailing_zeros() -> None:
    exact = Quantity(Fraction("6.0397977605"), unit("GB"))
    (*_, last) = numeric.outcome(parse("KV_total"), exact.to(unit("byte")))  # type: ignore[arg-type]
    assert last.relation == "≈"
    assert plain(last.right) == "6.040 GB"
    assert isinstance(last.right, Measure)
    assert plain(parse(plain(last.right))) == "6.040 GB"
