"""A printed value, words around numbers: "about 2.0 MB/token", "under 1 %", "does not fit a card".

Each clause that says something of the figure becomes one statement with what it may stand for.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fractions import Fraction

from derive.audit.fields.statement_words import (
    ABOVE,
    APART,
    BEHIND,
    CHANGE,
    CLASS,
    CLASSED,
    DIGIT_WORDS,
    FIT,
    IDLE,
    LOOSE,
    MANY,
    NO_FIT,
    OF,
    ONE,
    ORDER,
    PRACTICE,
    PRECISIONS,
    RATIO,
    SPLIT,
    START,
    TENTHS,
    TIMES,
    UNDER,
)
from derive.audit.interval import half_of
from derive.audit.reading.figures import figure_at
from derive.audit.reading.normal import normal
from derive.errors import DeriveError
from derive.notation import SYMBOLS
from derive.units import Quantity, Unit, read
from derive.units.numerals import Unusable


@dataclass(frozen=True)
class Statement:
    """One thing that a printed value says.

    kind: figure, ratio, fits (False: `no`), change, many (an order of magnitude), coefficient.
    `low` and `high` bound it in its own unit, open where None; `unit` is None for a bare number.
    """

    text: str
    kind: str
    low: Fraction | None = None
    high: Fraction | None = None
    unit: Unit | None = None
    no: bool = False
    count: int | None = None
    of: Quantity | None = None
    after: Statement | None = None
    symbol: str = ""
    precision: str = ""
    idle: bool = False
    apart: bool = False
    bound: str = ""

    @property
    def factor(self) -> Fraction:
        """Base units of its unit."""
        return self.unit.factor if self.unit else Fraction(1)


def statements(text: str) -> tuple[list[Statement], list[str]]:
    """What the words say, and the clauses of which nothing was understood."""
    made, left = [], []
    for piece in SPLIT.split(normal(text).text):
        clause = piece.strip(" .!")
        if not clause:
            continue
        found = statement(clause)
        if found is None:
            left.append(clause)
        else:
            made.append(found)
    return made, left


def statement(clause: str) -> Statement | None:
    """One clause; None where it says nothing that can be held against a value."""
    text = BEHIND.sub("", clause).strip()
    if not text or PRACTICE.search(text):
        return None
    if NO_FIT.search(text) or (FIT.search(text) and not any(c.isdigit() for c in text)):
        count = 1 if ONE.search(NO_FIT.sub("", text)) else None
        return Statement(clause, "fits", no=bool(NO_FIT.search(text)), count=count)
    ends = [end.strip() for end in CHANGE.split(text, maxsplit=1)]
    if len(ends) > 1 and all(any(c.isdigit() for c in end) for end in ends):
        one, two = statement(ends[0]), statement(ends[1])
        if one and two and "figure" == one.kind == two.kind:
            return replace(one, text=clause, kind="change", after=two)
    bound = ">=" if ABOVE.search(text) else "<=" if UNDER.search(text) else ""
    precision = PRECISIONS.search(text)
    found = worded(clause, text) or figured(clause, PRECISIONS.sub("", text).strip())
    if found is None:
        return None
    low = None if bound == "<=" else found.low
    high = None if bound == ">=" else found.high
    return replace(
        found, low=low, high=high, bound=bound,
        idle=bool(IDLE.search(text)), apart=bool(APART.search(text)),
        precision=precision[1].lower() if precision else "",
    )  # fmt: skip


def worded(clause: str, text: str) -> Statement | None:
    """Numbers given as words."""
    if ORDER.search(text):  # ten to one significant figure, or more
        return Statement(clause, "ratio", Fraction(5), Fraction(50))
    for power, words in MANY.items():
        if found := re.search(words, text, re.IGNORECASE):
            unit = quantity("1 " + text[found.end() :].strip())
            low = Fraction(10) ** power
            return Statement(clause, "many", low, low * 10, unit[2] if unit else None)
    if tenths := TENTHS.search(text):
        word = (tenths[1] or "").lower()
        digit = DIGIT_WORDS.index(word) if word else "一二三四五六七八九".index(tenths[2])
        middle, half = Fraction(digit + 1, 10), Fraction(1, 20)
        return Statement(
            clause, "ratio", middle - half, middle + half, of=whole(text, tenths.end())
        )
    for number, words in TIMES.items():
        if found := re.search(words, text, re.IGNORECASE):
            rest = whole(text, found.end())
            off = number * LOOSE
            return Statement(clause, "ratio", number - off, number + off, of=rest)
    return None


def whole(text: str, at: int) -> Quantity | None:
    """What a share is a share of: `a third of 140 GB`."""
    found = OF.search(text, max(0, at - 1))
    read_of = quantity(text[found.end() :]) if found else None
    return Quantity(read_of[0], read_of[2]) if read_of and read_of[2] else None


def figured(clause: str, text: str) -> Statement | None:
    """A number in digits, with its unit and what follows it."""
    if plain := quantity(text):
        value, half, unit = plain
        return Statement(clause, "figure", value - half, value + half, unit)
    start = START.search(text)
    try:
        found = figure_at(text, start.start()) if start else None
    except Unusable:
        return None
    if found is None:
        return None
    rest, unit = text[found.end :].strip(), found.unit if found.unit.terms else None
    value, half = found.value, found.half
    if CLASSED.search(rest):
        half = value * CLASS
    kind, symbol = "figure", ""
    if rest in SYMBOLS and unit is None:
        kind, symbol = "coefficient", rest
    elif unit is None and RATIO.match(rest):
        kind = "ratio"
    percent = bool(unit and unit.dimension.powers == ())
    of = whole(text, found.end) if percent else None
    return Statement(clause, kind, value - half, value + half, unit, symbol=symbol, of=of)


def quantity(text: str) -> tuple[Fraction, Fraction, Unit | None] | None:
    """A text that is a quantity and nothing else: its value, half unit and unit; None else."""
    about = bool(re.match(r"≈|~|about|around|大?约|将近|nearly|almost|roughly|some", text))
    bare = re.sub(r"^(?:≈|~|about|around|大约|约|将近|nearly|almost|roughly|some) *", "", text)
    try:
        found = read(bare)
    except DeriveError:
        return None
    return found.value, half_of(bare, found.value, about=about), found.unit
