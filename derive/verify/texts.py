"""Recorded formulas and comparisons, read by the one grammar, and what can be wrong with them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from derive.errors import DeriveError
from derive.expression.grammar import parse
from derive.expression.tree import Node, children, names
from derive.formula import catalogue
from derive.notation import known
from derive.text import Text, tr
from derive.verify.say import quoted

DEEPEST = 80  # operations inside each other; those of real ledgers stay below 20


class _Because(Exception):
    def __init__(self, why: Text) -> None:
        super().__init__(why.en)
        self.why = why


class NoValue(_Because):
    """The quantity does not exist at these values; `why` says it."""


class NoDivision(NoValue):
    """A divisor is zero."""


class Broken(_Because):
    """A text that cannot be computed: it names nothing known, or its units do not fit."""


@lru_cache(maxsize=4096)
def read(text: str) -> Node:
    """A recorded formula or side as a tree; Broken where it is none."""
    try:
        tree = parse(text)
    except DeriveError as error:
        raise Broken(error.problems[0].what) from None
    except RecursionError:
        raise Broken(tr("the expression is nested too deeply")) from None
    level, depth = [tree], 0
    while level:
        level, depth = [c for node in level for c in children(node)], depth + 1
    if depth > DEEPEST:
        raise Broken(tr("the expression is nested too deeply"))
    for name in names(tree):
        if name not in catalogue() and name not in known():
            raise Broken(tr("unknown symbol {name}", name=quoted(name)))
    return tree


def named(condition: str) -> Iterable[str]:
    """Ids in a recorded comparison."""
    left, _, right = comparison(condition)
    return (*names(left), *names(right))


def comparison(text: str) -> tuple[Node, str, Node]:
    """Left side, sign and right side of a recorded comparison."""
    for sign in ("<=", ">=", "<", ">"):
        left, found, right = text.partition(f" {sign} ")
        if found:
            return read(left), sign, read(right)
    raise Broken(tr("{text} compares nothing", text=quoted(text)))
