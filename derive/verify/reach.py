"""What each formula of a ledger depends on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from derive.expression.tree import Node, names
from derive.formula import catalogue
from derive.text import tr
from derive.verify.search import Search
from derive.verify.texts import Broken, named


def closures(
    cards: Mapping[str, Mapping[str, Any]],
    trees: Mapping[str, Node],
    searches: Mapping[str, Search],
) -> dict[str, frozenset[str]]:
    """All that each formula depends on, itself included; Broken where one depends on itself."""
    asked = {
        name: {n for c in card["conditions"] for n in named(c["text"])}
        for name, card in cards.items()
    }
    for name in asked:
        exists = catalogue()[name].exists
        otherwise = catalogue()[name].otherwise
        for condition in (c for c in (exists, otherwise) if c):
            asked[name] |= set(named(condition.text))
    used: dict[str, set[str]] = {name: set(names(tree)) for name, tree in trees.items()}
    used |= {n: {*names(s.left), *names(s.right)} for n, s in searches.items()}
    made: dict[str, frozenset[str]] = {}

    def visit(name: str, above: tuple[str, ...]) -> frozenset[str]:
        if name in above:
            raise Broken(tr("{name} is defined by itself", name=name))
        if name not in made:
            inside, conditions = (
                frozenset[str]().union(*(visit(n, (*above, name)) for n in group.get(name, ())))
                for group in (used, asked)
            )
            if name in searches:  # which number its symbol is there, the search decides
                inside -= {searches[name].variable}
            made[name] = inside | conditions | {name}
        return made[name]

    for name in cards:
        visit(name, ())
    return made
