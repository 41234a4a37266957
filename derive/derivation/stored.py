"""Symbolic work is done once: trees and proved steps are kept in the cache, as text.

The key holds the declarations, the program's own sources and the versions of sympy and pint, so
an edited formula or a changed rule is derived and proved anew.
"""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

from derive.cache import cache, digest, source, version
from derive.derivation.crossing import Crossing
from derive.derivation.steps import Check, Step
from derive.expression.grammar import parse
from derive.expression.text import plain
from derive.expression.tree import Name, Node
from derive.formula import active, catalogue
from derive.text import CATALOGUE as TEXTS
from derive.text import Text

HERE = Path(__file__).resolve().parent.parent
PARTS = ("formula.py", "notation.py", "text.py", "derivation", "expression", "formulas", "units")


def recipe() -> bytes:
    """The digest of everything a derivation depends on."""
    return _recipe(active(), tuple(catalogue()))


@lru_cache(maxsize=8)
def _recipe(variants: tuple[str, ...], ids: tuple[str, ...]) -> bytes:
    files = [
        f
        for p in PARTS
        for f in ([HERE / p] if p.endswith(".py") else sorted((HERE / p).iterdir()))
    ]
    names = [str(f) for f in files if f.is_file()]
    versions = (version("sympy"), version("pint"))
    return digest(source(*names, str(TEXTS)), *versions, *variants, "|", *ids)


def trees() -> dict[str, Node]:
    """The tree that gives each formula's value; algebra is done where a declaration asks for it."""
    return _solved(active(), tuple(catalogue()))[0]


def crossings() -> dict[str, Crossing]:
    """The formulas whose value is searched, for want of a solution by algebra."""
    return _solved(active(), tuple(catalogue()))[1]


@lru_cache(maxsize=8)
def _solved(
    _: tuple[str, ...], ids: tuple[str, ...]
) -> tuple[dict[str, Node], dict[str, Crossing]]:
    declared = {n: t for n in ids if (t := catalogue()[n].tree) is not None}

    def make() -> bytes:
        from derive.derivation.resolve import resolve

        kept: dict[str, Any] = {}
        for name in ids:
            if name not in declared:
                made = resolve(name)
                c = made.crossing
                kept[name] = (
                    [plain(c.left), plain(c.right), c.variable, c.largest, c.smallest]
                    if c is not None
                    else plain(made.tree or Name(""))
                )
        return json.dumps(kept).encode()

    kept = json.loads(cache().cached("derivation", digest(recipe(), "trees"), make))
    found = {n: parse(t) for n, t in kept.items() if isinstance(t, str)}
    searched = {
        n: Crossing(parse(t[0]), parse(t[1]), *t[2:])
        for n, t in kept.items()
        if not isinstance(t, str)
    }
    return {**declared, **found}, searched


def derivative(branch: Node, lever: str) -> Node:
    """lever/branch · d branch/d lever, as a tree."""

    def make() -> bytes:
        import sympy

        from derive.derivation.resolve import back
        from derive.expression.algebra import symbol, to_sympy

        expression, x = to_sympy(branch), symbol(lever)
        raw = x * sympy.diff(expression, x) / expression
        ratio = sympy.cancel(sympy.together(raw))
        if sympy.count_ops(ratio) > 2 * sympy.count_ops(raw):  # several divisors, multiplied out
            ratio = raw
        return plain(back(ratio)).encode()

    return parse(
        cache()
        .cached("derivation", digest(recipe(), "elasticity", lever, plain(branch)), make)
        .decode()
    )


def directions() -> dict[str, dict[str, str]]:
    """How every reachable quantity runs with MFU and with MBU, proved once."""
    return _directions(active(), tuple(catalogue()))


@lru_cache(maxsize=8)
def _directions(_: tuple[str, ...], ids: tuple[str, ...]) -> dict[str, dict[str, str]]:  # noqa: ARG001
    def make() -> bytes:
        from derive.derivation.monotone import reachable

        return json.dumps(reachable()).encode()

    kept = cache().cached("derivation", digest(recipe(), "directions"), make)
    found: dict[str, dict[str, str]] = json.loads(kept)
    return found


class Card:
    """A formula's proved steps: general ones, and those of a dense model."""

    def __init__(self, steps: tuple[Step, ...], dense_steps: tuple[Step, ...]) -> None:
        self.steps, self.dense_steps = steps, dense_steps


def cards() -> dict[str, Card]:
    """The proved derivation of every formula."""
    return _cards(active(), tuple(catalogue()))


@lru_cache(maxsize=8)
def _cards(_: tuple[str, ...], ids: tuple[str, ...]) -> dict[str, Card]:
    def make() -> bytes:
        from derive.derivation.proof import proved

        made = {}
        for name in ids:
            found = proved(name)
            made[name] = [[record(s) for s in steps] for steps in (found.steps, found.dense_steps)]
        return json.dumps(made, ensure_ascii=False).encode()

    kept = json.loads(cache().cached("derivation", digest(recipe(), "cards"), make))
    return {n: Card(*(tuple(step(r) for r in rows) for rows in both)) for n, both in kept.items()}


def record(made: Step) -> dict[str, Any]:
    """A proved step as JSON; the claim was for the proof and is not kept."""
    return {
        "rule": made.rule,
        "left": plain(made.left),
        "right": plain(made.right),
        "relation": made.relation,
        "reason": made.reason.json() if made.reason else None,
        "before": plain(made.before) if made.before is not None else None,
        "struck": list(made.struck),
        "checks": [[c.by, c.found] for c in made.checks],
    }


def step(kept: dict[str, Any]) -> Step:
    """The step again."""
    return Step(
        kept["rule"],
        parse(kept["left"]),
        parse(kept["right"]),
        kept["relation"],
        reason=Text(**kept["reason"]) if kept["reason"] else None,
        before=parse(kept["before"]) if kept["before"] is not None else None,
        struck=tuple(kept["struck"]),
        checks=tuple(Check(*c) for c in kept["checks"]),
    )
