"""The proofs: each step is checked by sympy, at exact points read back from print, and by pint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

from derive.derivation.points import RandomPoint, in_contract, valid_points
from derive.derivation.resolve import Resolved, expand_all, resolve
from derive.derivation.steps import Check, Disproved, Step
from derive.expression.algebra import symbol, to_sympy
from derive.expression.grammar import parse
from derive.expression.recompute import in_unit, recompute
from derive.expression.text import plain
from derive.expression.tree import Node, substitute
from derive.formula import active, unit_of
from derive.units import pint_error

POINTS = 3
# what is said here is the declaration itself: there is nothing for algebra to prove
BY_DECLARATION = ("definition", "insert")


def read_back(tree: Node) -> Node:
    """What a reader of the printed line sees."""
    return parse(plain(tree))


def demand(holds: bool, name: str, step: Step, by: str) -> None:
    """Stop where a check fails."""
    if not holds:
        line = f"{plain(step.left)} {step.relation} {plain(step.right)}"
        raise Disproved(f"{name}: {step.rule}: {line}: refused by {by}")


def prove(name: str, step: Step, points: list[RandomPoint]) -> Step:
    """A symbolic step with its checks, or Disproved."""
    checks: list[Check] = []
    if step.claim and step.rule not in BY_DECLARATION:
        demand(equal(*step.claim, dict(step.held), step.kept), name, step, "sympy")
        checks.append(Check("sympy", "proved"))
    if step.rule == "limit":
        demand(limit_holds(step), name, step, "sympy")
        checks.append(Check("sympy", "proved"))
    for point in points:
        demand(holds_at(step, point), name, step, "points")
    asserted = step.claim or step.rule == "limit"
    checks.append(Check("points", str(len(points)) if asserted else "reads back"))
    demand(units_agree(step, points[0]), name, step, "pint")
    return step.checked(*checks, Check("pint", unit_text(step.right)))


def equal(one: Node, two: Node, held: Mapping[str, Node], kept: tuple[str, ...] = ()) -> bool:
    """Whether sympy finds two trees equal once all but the kept is open and the held is fixed."""
    import sympy

    fixed = {n: expand_all(t, kept) for n, t in held.items()}
    sides = [to_sympy(substitute(expand_all(t, kept), fixed)) for t in (one, two)]
    if sides[0] == sides[1]:
        return True
    top, _ = sympy.fraction(sympy.together(sides[0] - sides[1]))
    return bool(sympy.expand(top) == 0)


def limit_holds(step: Step) -> bool:
    """The limit once more, on the fully expanded form."""
    import sympy

    assert step.before is not None
    expanded = to_sympy(expand_all(step.before, step.kept))
    again = sympy.limit(expanded, symbol("b"), sympy.oo)
    return bool(sympy.simplify(again - to_sympy(expand_all(step.right, step.kept))) == 0)


def holds_at(step: Step, point: RandomPoint) -> bool:
    """The claim's sides, read back from their printed text, at one exact point."""
    if step.rule == "limit":
        assert step.before is not None
        far = point.with_(b=Fraction(10**40), **{name: point.get(name) for name in step.kept})
        there, goal = far.value(read_back(step.before)), point.value(read_back(step.right))
        return abs(there - goal) <= abs(goal) / 10**20
    if step.claim is None:  # an equation to be solved, a symbol to be held: no equality yet
        return read_back(step.left) == step.left and read_back(step.right) == step.right
    held = point.with_(**{name: point.get(name) for name in step.kept})
    for name, tree in step.held:
        held = held.with_(**{name: point.value(read_back(tree))})
    one, two = (held.value(read_back(side)) for side in step.claim)
    return one == two


def units_agree(step: Step, point: RandomPoint) -> bool:
    """Whether pint takes one side's units for the other's."""

    def lookup(name: str) -> Any:
        return in_contract(point.get(name), unit_of(name))

    try:
        sides = [recompute(s, lookup) for s in (step.left, step.right)]
        target = sides[0].to_base_units().units
        return bool(sides[1].to(target) is not None)
    except pint_error():
        return False


def unit_text(tree: Node) -> str:
    """The unit of a side, as the ledger records it."""
    from derive.expression.dimension import dimension
    from derive.formula import dimension_of

    return dimension(tree, dimension_of).unit.text or "1"


def proved(name: str) -> Resolved:
    """The symbolic derivation of a formula with every step checked."""
    return _proved(name, active())


@cache
def _proved(name: str, _: tuple[str, ...]) -> Resolved:
    made = resolve(name)
    if made.tree is None:  # nothing was solved: the search is proved where it is done
        here = [RandomPoint(name, number) for number in range(POINTS)]
        return replace(made, steps=tuple(prove(name, s, here) for s in made.steps))
    points = deciding_points(made) if made.formula.within else valid_points(name, POINTS)
    steps = tuple(prove(name, s, points) for s in made.steps)
    dense_steps = tuple(prove(name, s, points) for s in made.dense_steps)
    if made.formula.within:
        demand(last_that_holds(made, points), name, steps[-1], "points")
    for point in points:  # the tree as pint computes it
        quantity = recompute(made.tree, lambda n, p=point: in_contract(p.get(n), unit_of(n)))  # type: ignore[misc]
        demand(
            in_unit(quantity, made.formula.unit) * made.formula.unit.factor == point.get(name),
            name,
            steps[-1],
            "pint",
        )
    return Resolved(made.formula, steps, made.tree, dense_steps)


def deciding_points(made: Resolved) -> list[RandomPoint]:
    """Points at which each of the bounds decides: a fault in one must not hide behind the other."""
    bounds = [step.right for step in made.steps if step.rule == "solve"][:-1]
    chosen: dict[Node, list[RandomPoint]] = {bound: [] for bound in bounds}
    for point in valid_points(made.formula.id, 20 * POINTS):
        strictest = min if made.formula.largest else max
        chosen[strictest(bounds, key=point.value)].append(point)
    if not all(chosen.values()):
        raise ArithmeticError(f"{made.formula.id}: one of the bounds never decides")
    return [point for found in chosen.values() for point in found[: 2 * POINTS // len(bounds)]]


def last_that_holds(made: Resolved, points: list[RandomPoint]) -> bool:
    """The whole number found meets the target, the next one does not; the cases are complete."""
    assert made.formula.within
    of, target, variable = made.formula.within
    step = 1 if made.formula.largest else -1
    cases = [step.left for step in made.steps if step.rule == "case"]
    for point in points:
        best, goal = point.get(made.formula.id), point.get(target)
        if point.with_(**{variable: best}).get(of) > goal:
            return False
        if best + step == 0:
            continue  # the smallest there is
        there = point.with_(**{variable: best + step})
        beyond = there.get(of)  # where the case that decides is above the target
        if beyond <= goal or max(map(there.value, cases)) != beyond:
            return False
    return True
