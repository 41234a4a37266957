"""Which way a result runs with MFU and MBU: proved, so that the corners of a range are its ends.

A sum, product or quotient is opened by the chain rule: sympy gives the sign of the derivative by
each symbol in it. max, min, floor and ceil turn no direction round. Where two parts run against
each other the direction is unknown, and the ends are values at corners, no bounds.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from derive.derivation.resolve import depends
from derive.derivation.stored import crossings, trees
from derive.expression.algebra import symbol, to_sympy
from derive.expression.grammar import parse
from derive.expression.tree import Call, Name, Node, names, rebuild
from derive.formula import CATALOGUE, active

RISES, FALLS, STAYS, UNKNOWN = "rises", "falls", "stays", "unknown"
CALIBRATION = ("MFU", "MBU")
MONOTONE = ("max", "min", "floor", "ceil")
# what a scenario guarantees of symbols: the first is never below the second
AT_LEAST = {"T_out": "one_token", "g": "one_device", "Q_step": "W_read", "N_exp": "N_exp2",
            "N_pass": "1", "N_turn": "1", "PP": "1"}  # fmt: skip
# what holds wherever a formula exists: the first is below 1; experts that no token hits are a share
BELOW_ONE = ("share_prefill", "share_pool", "share_slots", "missed_")


def direction(name: str, by: str) -> str:
    """How a symbol or formula runs with MFU or MBU."""
    return _direction(name, by, active())


@cache
def _direction(name: str, by: str, _: tuple[str, ...]) -> str:
    if name == by:
        return RISES
    if name not in CATALOGUE or not depends(name, by):
        return STAYS
    if name in crossings():
        return of_search(name, by)
    return of_tree(trees()[name], by)


def of_search(name: str, by: str) -> str:
    """A searched value: the largest at which a side that falls stays below a target rises."""
    found = crossings()[name]
    left, right = of_tree(found.left, by), of_tree(found.right, by)
    if not found.largest or right != STAYS:
        return UNKNOWN
    return {FALLS: RISES, RISES: FALLS}.get(left, left)


def of_tree(tree: Node, by: str) -> str:
    """The direction of a tree, through each symbol in it that moves."""
    if isinstance(tree, Name):
        return direction(tree.id, by)
    if isinstance(tree, Call):
        if tree.function not in MONOTONE:
            still = all(direction(n, by) == STAYS for n in names(tree))
            return STAYS if still else UNKNOWN
        return together(of_tree(part, by) for part in tree.args)
    calls: dict[str, Node] = {}
    plain = named(tree, calls)
    ways = {n: of_tree(calls[n], by) if n in calls else direction(n, by) for n in names(plain)}
    moving = [n for n, way in ways.items() if way != STAYS]
    return together(turned(ways[n], slope(plain, n)) for n in moving)


def named(tree: Node, calls: dict[str, Node]) -> Node:
    """The tree with each function in it as a symbol of its own, noted in `calls`."""
    if isinstance(tree, Call):
        name = f"{'missed_' if tree.function == 'pow' else 'call_'}{len(calls)}"
        calls[name] = tree
        return Name(name)
    return rebuild(tree, lambda part: named(part, calls))


def together(ways: Any) -> str:
    """The direction of parts that all add to a whole."""
    found = {way for way in ways if way != STAYS}
    if not found:
        return STAYS
    return found.pop() if len(found) == 1 else UNKNOWN


def turned(way: str, sign: int) -> str:
    """A direction through a slope of a sign; nought is a sign that is not known."""
    if way == UNKNOWN or not sign:
        return UNKNOWN
    return way if sign > 0 else {RISES: FALLS, FALLS: RISES}[way]


def slope(tree: Node, by: str) -> int:
    """The sign of a derivative wherever the formula holds, by sympy; 0 where it has none."""
    import sympy

    expression = to_sympy(tree)
    derived = sympy.factor(sympy.together(sympy.diff(expression, symbol(by))))
    put: dict[Any, Any] = {}
    for name in (str(s) for s in derived.free_symbols):
        if name in AT_LEAST:
            over = sympy.Symbol(f"over_{name}", nonnegative=True)
            put[symbol(name)] = to_sympy(parse(AT_LEAST[name])) + over
        elif name.startswith(BELOW_ONE):
            left = sympy.Symbol(f"left_{name}", positive=True)
            put[symbol(name)] = 1 / (1 + left)
    shifted = sympy.factor(sympy.together(derived.subs(put)))
    if shifted.is_nonnegative or sympy.expand(sympy.fraction(shifted)[0]).is_nonnegative:
        return 1 if positive_divisor(shifted) else 0
    if shifted.is_nonpositive or sympy.expand(sympy.fraction(shifted)[0]).is_nonpositive:
        return -1 if positive_divisor(shifted) else 0
    return 0


def positive_divisor(expression: Any) -> bool:
    """Whether what divides is positive, so that the numerator alone has the sign."""
    import sympy

    below = sympy.fraction(expression)[1]
    return bool(below.is_positive or sympy.expand(below).is_positive)


def reachable() -> dict[str, dict[str, str]]:
    """The directions of every reachable quantity with MFU and with MBU."""
    return {
        name: {by: direction(name, by) for by in CALIBRATION}
        for name, found in CATALOGUE.items()
        if found.calibre == "reachable"
    }


__all__ = ["CALIBRATION", "FALLS", "RISES", "STAYS", "UNKNOWN", "direction", "reachable"]
