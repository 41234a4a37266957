"""The numbers of a sentence: found, read back, and held against a quantity."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from derive.units import Quantity, Reading, unit
from derive.verify.shown import half_unit, measures, reading

TOKEN = re.compile(
    r"(?P<about>≈ )?(?<![A-Za-z_\d.])"
    r"(?P<digits>[-−]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:\^\d+)?)"
    r"(?: (?P<unit>[A-Za-zµ%]+(?:[*/][A-Za-zµ]+)*))?"
)


@dataclass(frozen=True)
class Token:
    """A number in a sentence, with its sign of rounding and its unit."""

    about: bool
    digits: str
    unit: str

    @property
    def text(self) -> str:
        """The number with its unit."""
        return f"{self.digits} {self.unit}".rstrip()

    @cached_property
    def reading(self) -> Reading | None:
        """The number read back; a power is only ever quoted."""
        return None if "^" in self.digits else reading(self.text.replace("−", "-"))


def tokens(sentence: str) -> list[Token]:
    """The numbers of a sentence in order; a word behind a number is a unit where it is one."""
    found = []
    for match in TOKEN.finditer(sentence):
        word = match["unit"] or ""
        try:
            unit(word)
        except KeyError:
            word = ""
        found.append(Token(bool(match["about"]), match["digits"], word))
    return found


def alike(english: Sequence[Token], chinese: Sequence[Token]) -> bool:
    """Whether two languages state the same numbers, in whatever order; one may leave out a unit."""
    sides = (english, chinese)
    one, two = (Counter((t.digits, t.about) for t in side) for side in sides)
    if one != two:
        return False
    return all(
        units_alike(*(Counter(t.unit for t in s if (t.digits, t.about) == number) for s in sides))
        for number in one
    )


def units_alike(one: Counter[str], two: Counter[str]) -> bool:
    """Whether what only one side names has a number without a unit on the other."""
    here, there = one - two, two - one
    return here.total() - here[""] <= there[""] and there.total() - there[""] <= here[""]


def close(token: Token, exact: Quantity, about: bool | None) -> bool:
    """Whether a number is a quantity, rounded exactly where it says ≈ (None: wherever)."""
    found = token.reading
    if found is None or not measures(found, exact):
        return False
    wanted = exact.base / found.unit.factor if found.unit else exact.value
    off = abs(found.value - wanted)
    if about is None:
        return off <= half_unit(token.digits)
    return 0 < off <= half_unit(token.digits) if about else off == 0
