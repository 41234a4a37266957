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
    used = {
        name: {n for c in card["conditions"] for n in named(c["text"])}
        for name, card in cards.items()
    }
    for name in used:
        exists = catalogue()[name].exists
        used[name] |= set(named(exists.text)) if exists else set()
    for name, tree in trees.items():
        used[name] |= set(names(tree))
    for name, found in searches.items():
        used[name] |= {*names(found.left), *names(found.right)} - {found.variable}
    made: dict[str, frozenset[str]] = {}

    def visit(name: str, above: tuple[str, ...]) -> frozenset[str]:
        if name in above:
            raise Broken(tr("{name} is defined by itself", name=name))
        if name not in made:
            below = [visit(n, (*above, name)) for n in used.get(name, ())]
            free = {searches[name].variable} if name in searches else set()
            made[name] = frozenset({name}).union(*below) - free
        return made[name]

    for name in cards:
        visit(name, ())
    return made
