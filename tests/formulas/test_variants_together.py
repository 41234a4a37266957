"""Every formula that algebra solves has its derivation whatever kinds of model and layout meet.

Kinds of model, what is kept of the context, layouts and switches meet pair by pair: each choice of
one beside each choice of every other. A formula is resolved once for each set of declarations that
it rests on.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations, product

import pytest

from derive.derivation import resolve as resolving
from derive.derivation.proof import proved
from derive.derivation.resolve import resolve
from derive.expression.tree import Node
from derive.formula import Formula, called_for, catalogue, standing_in
from derive.verify.search import needed

CHOICES: tuple[tuple[str, ...], ...] = (
    ("", "E", "E E2", "N_side", "E N_side", "E E2 N_side"),
    ("", "e_full", "e_full e_win", "e_full e_win e_win2", "e_full e_cmp", "e_full e_pick",
     "e_full e_pick e_cmp", "e_full e_again"),
    ("", "S_kv"),
    ("", "s_idle", "s_idle N_fix"),
    ("", "H_kv", "g_tp"),
    ("", "g=1", "g=4", "g=16", "g=16 PP=2", "g=16 DP=4", "g=16 EP=8", "g=16 PP=2 DP=2 EP=2"),
    ("", "t_hop"),
    ("", "alpha", "alpha N_draft", "alpha N_draft L_draft", "alpha N_draft L_draft H_draft"),
    ("", "hit"), ("", "T_chunk"), ("", "g_pre"),
)  # fmt: skip
Chosen = tuple[str, ...]


def pairs(chosen: Chosen) -> set[tuple[tuple[int, str], ...]]:
    """Each two choices that stand together."""
    return set(combinations(enumerate(chosen), 2))


@cache
def together() -> tuple[Chosen, ...]:
    """Rows of choices in which every pair stands at least once; drawn the same each time."""
    draw = random.Random("pairs")
    places = combinations(enumerate(CHOICES), 2)
    missing = {((i, a), (j, b)) for (i, x), (j, y) in places for a, b in product(x, y)}
    rows: list[Chosen] = []
    while missing:
        asked = dict(min(missing))
        drawn = [
            tuple(asked.get(i, draw.choice(x)) for i, x in enumerate(CHOICES)) for _ in range(30)
        ]
        rows.append(max(drawn, key=lambda row: len(pairs(row) & missing)))
        missing -= pairs(rows[-1])
    return tuple(rows)


def given(chosen: Chosen) -> dict[str, Fraction]:
    """The inputs of a row; a replica's devices come with how they share."""
    found = {name: Fraction(8) for name in ("H_kv", "g_tp")}
    words = " ".join(chosen).split()
    numbers = dict(word.split("=") for word in words if "=" in word)
    made = {name: found.get(name, Fraction(2)) for name in words if "=" not in name}
    if numbers:
        numbers = {"PP": "1", "DP": "1", "EP": "1", **numbers}
    return {**made, **{name: Fraction(number) for name, number in numbers.items()}}


def rests_on(name: str) -> dict[str, Formula]:
    """The declarations below a formula as they stand at the moment."""
    found: dict[str, Formula] = {}
    waiting = [name]
    while waiting:
        here = waiting.pop()
        if here in catalogue() and here not in found:
            found[here] = catalogue()[here]
            waiting += found[here].uses
    return found


def solved() -> Iterator[tuple[str, tuple[str, ...]]]:
    """Each formula without an expression of its own, and variants of which one set is new to it."""
    seen: set[tuple[str, frozenset[int]]] = set()
    for row in together():
        variants = called_for(given(row))
        with standing_in(variants):
            for name, declared in catalogue().items():
                if declared.tree is not None:
                    continue
                key = (name, frozenset(map(id, rests_on(name).values())))
                if key not in seen:
                    seen.add(key)
                    yield name, variants


def test_every_pair_of_choices_stands_together() -> None:
    found = set[tuple[tuple[int, str], ...]]().union(*map(pairs, together()))
    assert len(found) == sum(len(x) * len(y) for x, y in combinations(CHOICES, 2))
    kinds = {called_for(given(row)) for row in together()}
    assert len(kinds) > 50


def test_every_formula_is_solved_or_searched_under_every_pair() -> None:
    """Algebra that finds nothing must leave a search, and verification must see that it had to."""
    found = list(solved())
    assert len(found) > 1000
    searched = set()
    for name, variants in found:
        with standing_in(variants):
            made = resolve(name)
            assert (made.tree is None) == (made.crossing is not None), (name, variants)
            if made.crossing is None:
                continue
            assert needed(catalogue()[name], trees_below(name)), (name, variants)
            kind = (made.crossing.largest, made.crossing.smallest)
            declared = catalogue()[name]
            assert kind == (declared.largest is not None, declared.smallest is not None)
            searched.add(name)
    assert {"g_tpot", "b_slo", "T_cross"} <= searched


def trees_below(name: str) -> dict[str, Node]:
    """The expressions that a formula rests on, as a ledger holds them."""
    below = {n for n in rests_on(name) if n != name}
    return {n: tree for n in below if (tree := resolve(n).tree) is not None}


@pytest.mark.parametrize("name", ["b_slo", "g_ttft", "g_tpot", "T_in_slo", "T_chunk_slo"])
def test_the_last_value_within_a_target_is_proved_under_every_pair(name: str) -> None:
    """Once for each form that the quantity within the target opens to."""
    forms = set()
    for one, variants in solved():
        if one != name:
            continue
        with standing_in(variants):
            form = next(s.left for s in resolve(name).steps if s.rule == "substitute")
            if form not in forms:
                forms.add(form)
                assert proved(name).steps


@pytest.mark.parametrize("name", ["b_crit", "g_tpot", "b_slo"])
def test_what_algebra_refuses_is_searched(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sympy says that it has no method: the value is then searched, as its declaration asks."""

    def refuse(*_: object) -> None:
        raise NotImplementedError

    monkeypatch.setattr("sympy.solve", refuse)
    declared = catalogue()[name]
    made = (resolving.solve if declared.solve else resolving.within)(declared)
    assert made.tree is None
    assert made.crossing is not None
    kind = (made.crossing.largest, made.crossing.smallest)
    assert kind == (declared.largest is not None, declared.smallest is not None)
