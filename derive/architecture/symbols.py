"""Values of the symbols: each with the field of the config it comes from."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

from derive.expression.grammar import parse
from derive.expression.tree import Name, walk
from derive.expression.value import value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from derive.expression.tree import Node


@dataclass(frozen=True)
class Symbol:
    """A whole number and where it comes from: a field, a default or a rule over fields."""

    value: int
    source: str


Values = tuple[tuple[str, Symbol], ...]


class Sheet:
    """The symbols of one stack of layers."""

    def __init__(self, values: Mapping[str, Symbol] | None = None) -> None:
        self.values = dict(values or {})

    def let(self, name: str, number: int, source: str) -> int:
        """Set a symbol and give its value back."""
        self.values[name] = Symbol(number, source)
        return number

    def __getitem__(self, name: str) -> int:
        return self.values[name].value

    def __contains__(self, name: str) -> bool:
        return name in self.values

    def child(self, **changed: Symbol) -> Sheet:
        """The same symbols with some of other value: one kind of layer among several."""
        return Sheet({**self.values, **changed})

    def pick(self, texts: tuple[str, ...]) -> Values:
        """The symbols that some formulas name, in the order they appear."""
        used = dict.fromkeys(name for text in texts for name in names(text))
        return tuple((name, self.values[name]) for name in used)


@lru_cache(maxsize=4096)
def tree(text: str) -> Node:
    """The tree of a formula."""
    return parse(text)


@lru_cache(maxsize=4096)
def names(text: str) -> tuple[str, ...]:
    """The symbols that a formula names."""
    return tuple(dict.fromkeys(n.id for n in walk(tree(text)) if isinstance(n, Name)))


def exact(text: str, values: Values) -> Fraction:
    """The exact value of a formula."""
    known = dict(values)
    return value(tree(text), lambda name: Fraction(known[name].value))


def whole(text: str, values: Values) -> int:
    """The value of a formula that counts something."""
    number = exact(text, values)
    assert number.denominator == 1, text
    return number.numerator
