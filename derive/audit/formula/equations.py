"""The sides of a formula as trees over declared names; undeclared ones are told, not refused."""

from __future__ import annotations

from dataclasses import dataclass

from derive.audit.fields.evaluation import claim_unit
from derive.audit.fields.quantities import aliased, local_unit
from derive.audit.formula.closing import renamed
from derive.audit.formula.reading import converted
from derive.errors import DeriveError, Place, Problem, printable
from derive.expression.grammar import parse
from derive.expression.tree import Node, names
from derive.formula import catalogue
from derive.text import tr

MOST_SIDES = 6


@dataclass(frozen=True)
class Equation:
    """One side against the left one; `left` is None where nothing is equated."""

    text: str
    left: Node | None
    right: Node

    @property
    def strange(self) -> list[str]:
        """Names that stand for nothing, each once."""
        both = [*(names(self.left) if self.left else []), *names(self.right)]
        return [n for n in dict.fromkeys(both) if not declared(n)]


def equations(text: str) -> list[Equation]:
    """The equations of a formula; DeriveError where it cannot be read."""
    sides = [side.strip() for side in converted(text).split("=")]
    place = Place(key=printable(text, 80))
    if not all(sides) or len(sides) > MOST_SIDES:
        raise DeriveError(
            Problem("A112", tr("a formula has one expression on each side of ="), place)
        )
    trees = [expanded(parse(side, place)) for side in sides]
    if len(trees) == 1:
        return [Equation(sides[0], None, trees[0])]
    return [Equation(f"{sides[0]} = {side}", trees[0], tree)
            for side, tree in zip(sides[1:], trees[1:], strict=True)]  # fmt: skip


def expanded(tree: Node) -> Node:
    """Names in use as the expressions that they stand for."""
    by = {n: t for n in names(tree) if n not in catalogue() and (t := aliased(n)) is not None}
    return renamed(tree, by)


def declared(name: str) -> bool:
    """Whether a name has a unit."""
    try:
        return local_unit(name) is not None or claim_unit(name) is not None
    except DeriveError:
        return False
