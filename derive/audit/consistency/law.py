"""A law ties several figures of one claim together; it is checked under each reading it admits.

A law is a line of the project's own grammar over short names, each of which is filled by a figure
of one of its roles. `forms` are what it can mean: the plain one, and those that hold only under a
further condition ("per request", "input tokens counted as well").
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product
from typing import TYPE_CHECKING

from derive.audit.interval import Interval
from derive.expression.grammar import parse
from derive.expression.tree import Node, names
from derive.expression.value import value
from derive.text import Text, tr

if TYPE_CHECKING:
    from derive.audit.types import Figure

# `w`, bytes of one stored number, comes from the precision that the claim names
CONSTANTS = {"one_token": Fraction(1), "one_bit": Fraction(1, 8), "w": Fraction(0)}
GIB = Text("GB read as GiB", "把 GB 读作 GiB")
PRINTED = Text("as printed", "按字面")


@dataclass(frozen=True)
class Form:
    """One expression for the result; `without` names figures that must be absent.

    `plain` needs no further word. `needs` and `bars` are (kind, says) of the lexicon: words of the
    claim that make the form the plain one, and words that exclude it.
    """

    text: str
    under: Text | None = None
    plain: bool = True
    without: tuple[str, ...] = ()
    needs: tuple[tuple[str, str], ...] = ()
    bars: tuple[tuple[str, str], ...] = ()
    times: bool = False  # holds at any whole multiple: a sum over unnamed requests


@dataclass(frozen=True)
class Law:
    """A declared tie: which name is filled by which roles, and what follows.

    `bound`: the expression is only a ceiling ("<=") of the result: less is no contradiction.
    `bare`: laws that other rules check where a model or a product is named.
    """

    id: str
    result: str
    forms: tuple[Form, ...]
    slots: Mapping[str, tuple[str, ...]]
    name: tuple[str, str]
    page: tuple[str, str]
    fires: str
    quiet: str
    chinese: tuple[str, str]
    bound: str = ""
    bare: bool = False
    must: tuple[str, ...] = ()  # names without which it says nothing, beside those of a form
    silent: tuple[str, ...] = ()  # subjects of the lexicon with which it does not hold
    unlike: tuple[tuple[str, str], ...] = ()  # what a result says that is another quantity


@dataclass(frozen=True)
class Filled:
    """A form with a figure for each name, and the interval that follows."""

    form: Form
    figures: Mapping[str, Figure]
    expected: Interval
    binary: bool
    w: Fraction

    @property
    def plain(self) -> bool:
        """Whether it holds without a further word."""
        return self.form.plain and not self.binary

    @property
    def under(self) -> Text:
        """The condition in words."""
        words = self.form.under or PRINTED
        return tr("{one}; {two}", one=words, two=GIB) if self.binary else words


@cache
def tree(text: str) -> Node:
    """The tree of a form."""
    return parse(text)


@cache
def used(text: str) -> tuple[str, ...]:
    """The names that a form is written over."""
    return tuple(n for n in names(tree(text)) if n not in CONSTANTS)


def interval(text: str, bounds: Mapping[str, Interval], w: Fraction) -> Interval | None:
    """A form over intervals: the least and the largest value at their ends.

    Each form rises or falls all along each of its names, so that the ends suffice.
    """
    listed = list(bounds)
    found = []
    for ends in product(*((bounds[n].low, bounds[n].high) for n in listed)):
        here = {**CONSTANTS, "w": w, **dict(zip(listed, ends, strict=True))}
        try:
            found.append(value(tree(text), here.__getitem__))
        except ZeroDivisionError:
            return None
    return Interval(min(found), max(found))
