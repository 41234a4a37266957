"""Values that were searched: what a ledger records of one, and that algebra cannot find it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from derive.expression.tree import Binary, Call, Node, names, walk
from derive.formula import Formula, stays_apart
from derive.text import Text, tr
from derive.verify.texts import Broken, read

FARTHEST = {"b": 2**17, "T_in": 2**17, "g": 2**20}  # beyond any batch, prompt and replica


@dataclass(frozen=True)
class Search:
    """What algebra cannot solve: the whole value of a symbol next to where two sides meet.

    `largest` asks for the largest value with left ≤ right, `smallest` for the smallest; else for
    the next one with left ≥ right.
    """

    left: Node
    right: Node
    variable: str
    largest: bool
    smallest: bool = False

    @property
    def at_most(self) -> bool:
        """Whether the left side is to stay at or below the right one."""
        return self.largest or self.smallest

    def beside(self, number: int) -> tuple[int, ...]:
        """The whole values of which one must be on the other side where this is the one."""
        if self.at_most:
            return (number + 1 if self.largest else number - 1,)
        return (number + 1, number - 1)


def search(card: Mapping[str, Any]) -> Search:
    """The search that a card records; Broken where it records none."""
    sides, variable = card.get("search"), card["variable"]
    if sides is None or variable is None:
        raise Broken(tr("{name} has neither a formula nor a search", name=card["id"]))
    kind = sides["largest"], sides.get("smallest", False)
    return Search(read(sides["left"]), read(sides["right"]), variable, *kind)


def recorded(row: Mapping[str, Any]) -> list[int]:
    """Whole numbers that a result records: where a search may look first."""
    found = [row.get(key) for key in ("exact", "low_exact", "high_exact", "peak_exact")]
    return [int(text[:-2]) for text in found if text and text.endswith("/1") and len(text) < 20]


def not_even_one(symbol: str) -> Text:
    """Why no whole value meets a target."""
    if symbol == "b":
        return tr("not even one request meets the target")
    if symbol == "T_chunk":
        return tr("not even a chunk of one token meets the target")
    return tr("not even a prompt of one token meets the target")


def no_count(last: str) -> Text:
    """Why no number of devices meets a target."""
    return tr(
        "not even {last} devices meet the target: what every device reads for itself does not "
        "shrink with their number",
        last=last,
    )


def apart(declared: Formula, symbol: str, last: str, *, above: bool, largest: bool) -> Text:
    """Why a search finds nothing."""
    if symbol == "b" and largest:
        return tr("every batch up to {last} requests meets the target", last=last)
    if symbol == "T_in" and largest:
        return tr("every input up to {last} tokens meets the target", last=last)
    if symbol == "T_chunk" and largest:
        return tr("every chunk up to {last} tokens meets the target", last=last)
    ridge = symbol == "b" and "I_ridge" in declared.uses
    if ridge and above:
        return tr("a single request already reaches the ridge")
    if ridge:
        return tr("above {last} requests, where the search ends", last=last)
    return stays_apart(declared, last, above=above)


def needed(declared: Formula, trees: Mapping[str, Node]) -> bool:
    """Whether algebra cannot solve a declared equation: its symbol stands inside a function.

    What depends on the symbol is opened by its recorded formula. A max can still be solved where
    the last value within a target is asked for, one with something added to it cannot; nor can a
    sum of which a part stays where the symbol grows, if the smallest value is asked for.
    """
    if declared.solve:
        left, right, variable = declared.solve
        waiting, solvable = [left, right], ""
    elif declared.within and declared.within[0] in trees:
        variable, solvable = declared.within[2], "max"
        waiting = [trees[declared.within[0]]]
    else:
        return False
    stays = {*declared.at, *declared.held} - {variable}
    opened: set[str] = set()
    while waiting:
        tree = waiting.pop()
        for part in walk(tree):
            if not depends(part, variable, trees, stays):
                continue
            if isinstance(part, Call) and part.function != solvable:
                return True
            if not isinstance(part, Binary) or part.op not in "+-":
                continue
            if roofed(part, trees, stays):
                return True
            moves = [depends(side, variable, trees, stays) for side in (part.left, part.right)]
            if declared.smallest and not all(moves):
                return True
        for name in set(names(tree)) & trees.keys() - stays - opened:
            opened.add(name)
            if depends(trees[name], variable, trees, stays):
                waiting.append(trees[name])
    return False


def roofed(tree: Node, trees: Mapping[str, Node], stays: set[str]) -> bool:
    """Whether a sum holds a max, its own or that of a formula in it."""
    seen: set[str] = set()
    waiting = [tree]
    while waiting:
        here = waiting.pop()
        if any(isinstance(part, Call) and part.function == "max" for part in walk(here)):
            return True
        more = set(names(here)) & trees.keys() - stays - seen
        seen |= more
        waiting += [trees[name] for name in more]
    return False


def depends(tree: Node, on: str, trees: Mapping[str, Node], stays: set[str]) -> bool:
    """Whether a tree depends on a symbol, through whatever formulas are not held."""
    seen: set[str] = set()
    waiting = list(names(tree))
    while waiting:
        here = waiting.pop()
        if here == on:
            return True
        if here not in seen | stays:
            seen.add(here)
            waiting += names(trees[here]) if here in trees else ()
    return False
