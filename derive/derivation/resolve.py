"""From a declaration to the tree that gives its value, by algebra where the declaration asks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

from derive.derivation.crossing import Crossing
from derive.derivation.steps import Step
from derive.expression.algebra import from_sympy, symbol, to_sympy
from derive.expression.tree import Binary, Call, Measure, Name, Node, names, substitute, walk
from derive.formula import CATALOGUE, Formula, active, catalogue
from derive.notation import known
from derive.text import Text, tr


@dataclass(frozen=True)
class Resolved:
    """A formula with its symbolic steps; `tree` is what is evaluated, or `crossing` is searched."""

    formula: Formula
    steps: tuple[Step, ...]
    tree: Node | None
    dense_steps: tuple[Step, ...] = ()
    crossing: Crossing | None = None


@cache
def ranks() -> dict[str, int]:
    """The order in which symbols are written: named rates first, then as declared."""
    first = ["c_op", "c_bwd", "c_kv", "c_att", "I_ridge", "F_tok", "W_read", "N_act", "N", "w"]
    rest = ["g", "MFU", "MBU", "b", "one_request", "n", "one_token", "T_in", "T_out", "T", "kappa"]
    order = [*first, *rest, *known(), *CATALOGUE]
    return {name: i for i, name in reversed(list(enumerate(order)))}


def rank(name: str) -> int:
    """The place of a symbol in a product or sum that algebra returned."""
    return ranks().get(name, len(ranks()))


def back(expression: Any) -> Node:
    """A sympy result as a tree of ours."""
    return from_sympy(expression, rank)


def depends(name: str, on: str) -> bool:
    """Whether a symbol's value changes with another symbol."""
    return _depends(name, on, active())


@cache
def _depends(name: str, on: str, variants: tuple[str, ...]) -> bool:
    if name == on:
        return True
    found = CATALOGUE.get(name)
    if found is None:
        return False
    if on in found.at:  # held at something that may depend on it
        return any(_depends(n, on, variants) for held in found.at.values() for n in names(held))
    if (found.limit and found.limit[1] == on) or (found.solve and found.solve[2] == on):
        return False
    return any(_depends(used, on, variants) for used in found.uses)


def expand(
    tree: Node,
    over: Iterable[str],
    inserted: dict[str, Node] | None = None,
    held: tuple[str, ...] = (),
) -> Node:
    """Replace the formulas that depend on the given symbols by what they stand for."""
    wanted = tuple(over)

    def one(name: str) -> Node | None:
        if name in held or name not in CATALOGUE or not any(depends(name, v) for v in wanted):
            return None
        inner = tree_of(name)
        if inserted is not None:
            inserted.setdefault(name, inner)
        return expand(inner, wanted, inserted, held)

    by = {name: made for name in names(tree) if (made := one(name)) is not None}
    return substitute(tree, by)


def expand_all(tree: Node, keep: tuple[str, ...] = ()) -> Node:
    """Everything down to symbols and constants, but for the names to keep."""
    by = {
        name: expand_all(tree_of(name), keep)
        for name in names(tree)
        if name in CATALOGUE and name not in keep
    }
    return substitute(tree, by)


def tree_of(name: str) -> Node:
    """The tree of a formula that has one; a crossing has none to be inserted elsewhere."""
    tree = resolve(name).tree
    if tree is None:
        raise ArithmeticError(f"{name} is found by search")
    return tree


def resolve(name: str) -> Resolved:
    """The symbolic derivation of a formula; done once for each set of variants."""
    catalogue()
    return _resolve(name, active())


@cache
def _resolve(name: str, _: tuple[str, ...]) -> Resolved:
    found = CATALOGUE[name]
    if found.tree is not None:
        me = Name(name)
        step = Step("definition", me, found.tree, reason=found.reason, claim=(me, found.tree))
        return Resolved(found, (step,), found.tree)
    if found.of:
        return dense(fixed(found))
    if found.limit:
        return limit(found)
    if found.solve:
        return dense(solve(found))
    return within(found)


def insert(name: str, tree: Node, reason: Text | None = None) -> Step:
    """A definition that is inserted into another."""
    me = Name(name)
    return Step("insert", me, tree, reason=reason or CATALOGUE[name].reason, claim=(me, tree))


def inserts(inserted: dict[str, Node]) -> list[Step]:
    """One line for each definition that was inserted."""
    return [insert(name, tree) for name, tree in inserted.items()]


def fixes(at: dict[str, Node]) -> list[Step]:
    """One line for each symbol that is held at something."""
    return [Step("fix", Name(n), tree) for n, tree in at.items()]


def fixed(found: Formula) -> Resolved:
    """Another formula with some inputs held (`of`, `at`)."""
    me, at = Name(found.id), dict(found.at)
    held_at = tuple(at.items())
    start = tree_of(found.of)
    inserted: dict[str, Node] = {}
    opened = expand(start, at, inserted, found.held)
    held = substitute(opened, at)
    steps = [
        *fixes(at),
        Step(
            "definition",
            me,
            start,
            reason=found.reason,
            claim=(me, start),
            held=held_at,
            kept=found.held,
        ),
        *inserts(inserted),
        Step("substitute", me, held, claim=(start, held), held=held_at, kept=found.held),
    ]
    tree = held
    if any(isinstance(n, Measure) and n.quantity.value == 0 for n in at.values()):
        tree = back(to_sympy(held))
        reason = tr("terms with a zero factor vanish")
        claim = (held, tree)
        step = Step("cancel", me, tree, before=held, claim=claim, reason=reason, kept=found.held)
        steps.append(step)
    return Resolved(found, tuple(steps), tree)


def limit(found: Formula) -> Resolved:
    """The limit of another formula as one symbol grows without bound."""
    import sympy

    assert found.limit
    of, variable = found.limit
    inserted: dict[str, Node] = {}
    start = tree_of(of)
    opened = expand(start, (variable,), inserted, found.held)
    top, below = sympy.fraction(sympy.together(to_sympy(opened)))
    v = symbol(variable)
    divided = Binary("/", back(sympy.expand(top / v)), back(sympy.expand(below / v)))
    tree = back(sympy.limit(to_sympy(opened), v, sympy.oo))
    steps = (
        Step("definition", Name(of), start, reason=CATALOGUE[of].reason, claim=(Name(of), start)),
        *inserts(inserted),
        Step("substitute", Name(of), opened, claim=(Name(of), opened), kept=found.held),
        Step(
            "divide",
            Name(of),
            divided,
            before=opened,
            claim=(opened, divided),
            kept=found.held,
            reason=tr("numerator and denominator divided by {symbol}", symbol=variable),
        ),
        Step(
            "limit",
            Name(of),
            tree,
            relation="→",
            before=divided,
            kept=found.held,
            reason=tr("{symbol} → ∞", symbol=variable),
        ),
    )
    return Resolved(found, steps, tree)


def solve(found: Formula) -> Resolved:
    """The value of one symbol at which two expressions meet."""
    import sympy

    assert found.solve
    left, right, variable = found.solve
    at = dict(found.at)
    inserted: dict[str, Node] = {}
    over = (variable, *at)
    sides = [substitute(expand(side, over, inserted, found.held), at) for side in (left, right)]
    steps = [*fixes(at), Step("equation", left, right, reason=found.reason), *inserts(inserted)]
    opened = (back(to_sympy(sides[0])) if at else sides[0]), sides[1]
    if opened != (left, right):
        claim = (left, opened[0])
        step = Step("substitute", *opened, claim=claim, held=tuple(at.items()), kept=found.held)
        steps.append(step)
    if any(opaque(side, variable) for side in opened):
        return Resolved(found, tuple(steps), None, (), Crossing(*opened, variable))
    try:
        equation = sympy.Eq(to_sympy(opened[0]), to_sympy(opened[1]))
        solutions = sympy.solve(equation, symbol(variable))
    except NotImplementedError:
        return Resolved(found, tuple(steps), None, (), Crossing(*opened, variable))
    if len(solutions) != 1:
        raise ArithmeticError(f"{found.id}: {len(solutions)} solutions")
    tree = back(solutions[0])
    reason = tr("solved for {symbol}", symbol=variable)
    held = (*at.items(), (variable, tree))  # the declared equation is the judge, not the opened one
    claim = (left, right)
    kept = found.held
    steps.append(
        Step("solve", Name(found.id), tree, claim=claim, held=held, reason=reason, kept=kept)
    )
    return Resolved(found, tuple(steps), tree)


def opaque(tree: Node, variable: str, but: tuple[str, ...] = ()) -> bool:
    """Whether a symbol stands inside a function that algebra does not open."""
    return any(
        isinstance(part, Call) and part.function not in but and variable in names(part)
        for part in walk(tree)
    )


def within(found: Formula) -> Resolved:
    """The largest or smallest whole value of a symbol with one expression at or below another."""
    import sympy

    assert found.within
    of, target, variable = found.within
    up = found.largest is not None
    inserted: dict[str, Node] = {}
    opened = expand(tree_of(of), (variable,), inserted, found.held)
    steps = [
        Step("equation", Name(of), Name(target), relation="≤", reason=found.reason),
        *inserts(inserted),
        Step(
            "substitute", opened, Name(target), relation="≤",
            claim=(Name(of), opened), kept=found.held,
        ),
    ]  # fmt: skip
    branches = [] if opaque(opened, variable, but=("max",)) else arguments(to_sympy(opened))
    solutions = [solution(branch, target, variable) for branch in branches]
    kept = not up and any(stays(branch, variable) for branch in branches)
    if not branches or None in solutions or kept:
        crossing = Crossing(opened, Name(target), variable, largest=up, smallest=not up)
        return Resolved(found, tuple(steps), None, (), crossing)
    bounds = []
    for branch, bound in zip(branches, solutions, strict=True):
        moves = symbol(variable) in branch.free_symbols
        # an argument that the symbol does not move must meet the target by itself: `exists` says so
        reason = (
            tr("this argument of max alone, solved for {symbol}", symbol=variable)
            if moves
            else tr("this argument of max does not depend on {symbol}", symbol=variable)
        )
        steps.append(Step("case", back(branch), Name(target), relation="≤", reason=reason))
        if not moves:
            continue
        bounds.append(back(sympy.expand(bound) if not bound.is_Mul else bound))
        steps.append(
            Step(
                "solve", Name(variable), bounds[-1], relation="≤" if up else "≥",
                claim=(back(branch), Name(target)),
                held=((variable, bounds[-1]),), kept=found.held,
            )
        )  # fmt: skip
    strictest = bounds[0] if len(bounds) == 1 else Call("min" if up else "max", tuple(bounds))
    tree = rounded("floor" if up else "ceil", strictest, variable)
    reason = tr("all must hold; whole numbers only")
    if variable == "b":
        reason = tr("both must hold; whole requests only")
    steps.append(Step("solve", Name(found.id), tree, reason=reason))
    return Resolved(found, tuple(steps), tree)


def arguments(expression: Any) -> list[Any]:
    """The arguments of the max that an expression is, its factor taken in; itself without a max.

    None where the max has something added to it, or another one inside.
    """
    import sympy

    if not expression.atoms(sympy.Max):
        return [expression]
    inner = max(expression.atoms(sympy.Max), key=sympy.count_ops)  # one inside another has fewer
    factor = sympy.cancel(expression / inner)
    made = [a * factor for a in sorted(inner.args, key=lambda a: len(a.free_symbols))]
    return [] if any(part.atoms(sympy.Max) for part in made) else made


def stays(branch: Any, variable: str) -> bool:
    """Whether a part of an argument does not shrink as its symbol grows.

    Where that part alone is above the target a closed form is a negative bound, which says nothing.
    """
    import sympy

    return symbol(variable) in sympy.cancel(branch * symbol(variable)).free_symbols


def solution(branch: Any, target: str, variable: str) -> Any:
    """Where one argument meets the target; None where algebra finds no single value, 0 unmoved."""
    import sympy

    if symbol(variable) not in branch.free_symbols:
        return sympy.Integer(0)
    try:
        found = sympy.solve(sympy.Eq(branch, symbol(target)), symbol(variable))
    except NotImplementedError:
        return None
    return found[0] if len(found) == 1 else None


def rounded(function: str, bound: Node, variable: str) -> Node:
    """A bound as a whole number; tokens of a request are counted in tokens of a request."""
    if variable != "T_in":
        return Call(function, (bound,))
    one = Name("one_token")
    return Binary("*", Call(function, (Binary("/", bound, one),)), one)


def dense(made: Resolved) -> Resolved:
    """For a dense model the parameter count cancels: the steps that show it."""
    if not made.formula.dense or made.tree is None or CATALOGUE["W_read"].instead_of:
        return made
    open_names = ("F_tok", "W_read", "W")
    by = {n: expand_all(Name(n)) for n in open_names}
    opened = substitute(substitute(made.tree, by), {"N_act": Name("N")})
    cancelled = back(to_sympy(opened))
    me, held = Name(made.formula.id), (("N_act", Name("N")),)
    steps = (
        insert("F_tok", by["F_tok"]),
        insert("W_read", by["W_read"], CATALOGUE["W"].reason),
        Step(
            "fix",
            Name("N_act"),
            Name("N"),
            reason=tr("dense model: every token uses every parameter"),
        ),
        Step("substitute", me, opened, claim=(made.tree, opened), held=held),
        Step(
            "cancel",
            me,
            cancelled,
            before=opened,
            struck=("N",),
            claim=(opened, cancelled),
            reason=tr("N stands above and below and cancels: the model's size does not matter"),
        ),
    )
    return Resolved(made.formula, made.steps, made.tree, steps)
