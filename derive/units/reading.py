"""Reading of quantities as people write them; text is matched, never evaluated.

quantity := {"每" unit} number [unit expression]: numbers as in `numerals`, units as in `unit_words`
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from derive.errors import DeriveError, Place, Problem, printable
from derive.text import Text, tr
from derive.units.names import DECIMAL, PREFIX_POWER, spellings, symbols, unclear
from derive.units.numerals import Unusable, normal, number
from derive.units.quantity import Quantity, Unit
from derive.units.suggestions import number_hint, suggest
from derive.units.unit_words import TOKEN, Fault, UnitWords, Word

LONGEST = 200
LARGEST = Fraction(10) ** 60  # of a value in base units, and its reciprocal
APPROXIMATELY = re.compile(r"(?:≈|~|=|约等于|大约|约|(?:about|approximately)\b|approx\b\.?) *")
CURRENCY = re.compile(r"(?:US\$|\$|USD(?= ?[0-9.])) *")
NUMBER_START = re.compile(r"[+-]?[0-9.][0-9.,]*|[一二两三四五六七八九十]+|US\$|\$")
# only an amount is divided by these: Gflops/token is a count, Gflops/W may be either
DECIDING = {
    "s", "min", "h", "hour", "d", "day", "token", "param", "element", "request", "byte", "B", "bit",
}  # fmt: skip


@dataclass(frozen=True)
class Reading:
    """A number with the unit words that follow it; `unit` is None for a bare number."""

    value: Fraction
    unit: Unit | None

    @property
    def quantity(self) -> Quantity:
        """As a quantity; a bare number is a pure one."""
        return Quantity(self.value, self.unit or Unit())


def read(text: str, place: Place | None = None) -> Reading:
    """Read a number and its unit; DeriveError says what was not understood."""
    try:
        return bounded(text)
    except Unusable:
        raise DeriveError(Problem("U203", message("U203", text), place)) from None
    except Fault as fault:
        what = message(fault.code, text, fault.piece)
        # the near spellings are looked for here alone: readers that try and fail need none
        hint = fault.hint or (suggest(fault.piece) if fault.code == "U205" else None)
        raise DeriveError(Problem(fault.code, what, place, hint=hint)) from None


def bounded(text: str) -> Reading:
    """The reading of a text of bounded length, its value within bounds."""
    if len(text) > LONGEST:
        raise Fault("U204")
    found = understood(normal(text))
    size = abs(found.quantity.base)
    if size and not 1 / LARGEST <= size <= LARGEST:
        raise Unusable
    return found


def read_quantity(text: str, place: Place | None = None) -> Quantity:
    """Read a quantity that must carry a unit (`3.35 TB/s`, `每秒 3.35 万亿字节`)."""
    reading = read(text, place)
    if reading.unit is None:
        raise DeriveError(Problem("U206", message("U206", text), place))
    return reading.quantity


def message(code: str, text: str, piece: str = "") -> Text:
    """What is wrong with a written quantity."""
    found, word = printable(text, 60), printable(piece, 30)
    return {
        "U201": tr("expected a number with a unit, found {found}", found=found or "''"),
        "U202": tr("cannot read {word} in {found} as a unit", word=word, found=found),
        "U203": tr("{found} is no usable number", found=found),
        "U204": tr("a quantity of this length is not read: {found}", found=found),
        "U205": tr("unknown unit {word} in {found}", word=word, found=found),
        "U206": tr("{found} has no unit", found=found),
        "U207": tr("{word} in {found} can be read in two ways", word=word, found=found),
    }[code]


def understood(text: str) -> Reading:
    """The reading of a normalised text; Fault or Unusable where there is none."""
    below, rest = leading(text)
    if about := APPROXIMATELY.match(rest):
        rest = rest[about.end() :]
    words = []
    if currency := CURRENCY.match(rest):
        words, rest = [Word("USD")], rest[currency.end() :]
    head = number(rest, fraction=not words)
    if head is None:
        raise Fault("U203" if re.match(r"[+-]?(nan|inf)", rest, re.IGNORECASE) else "U201")
    value, tail = head
    if words and tail and not ((sign := TOKEN.match(tail)) and sign["per"]):
        raise Fault("U202", tail)  # after $5 only a division can follow
    if not (tail or words or below):
        return Reading(value, None)
    try:
        words += UnitWords(tail).read() if tail else []
    except Fault as fault:
        fault.hint = fault.hint or number_hint(rest)
        raise
    if tail == "B" and not below and rest[-2] != " ":  # 70B
        one, two = rest[:-1] + " byte", rest[:-1] + " billion"
        raise Fault("U207", rest, tr("write {one} or {two}", one=one, two=two))
    return composed(value, words + below)


def leading(text: str) -> tuple[list[Word], str]:
    """The units named before the number (每秒 …, 每百万 token …) and the rest of the text."""
    if not text.startswith("每"):
        return [], text
    for start in NUMBER_START.finditer(text):
        before = re.sub(rf"{APPROXIMATELY.pattern}$", "", text[: start.start()])
        try:
            return UnitWords(before).read(), text[start.start() :]
        except Fault:
            continue
    raise Fault("U201")


def composed(value: Fraction, words: list[Word]) -> Reading:
    """The value with the unit that the words make."""
    terms: list[tuple[str, int]] = []
    for word in words:
        symbol, hidden_time = meant(word, words)
        prefix = next((p for p in DECIMAL if word.count == 10 ** PREFIX_POWER[p]), "")
        if prefix and word.power == -1 and prefix + symbol in symbols():
            symbol = prefix + symbol  # 5 USD/1M tokens is 5 USD/Mtoken
        else:
            value *= Fraction(word.count) ** word.power
        terms += [(symbol, word.power), ("s", hidden_time * word.power)]
    return Reading(value, Unit() * Unit(tuple(terms)))


def meant(word: Word, among: list[Word]) -> tuple[str, int]:
    """Our symbol for a word and the time exponent it hides."""
    if word.text in spellings():
        return spellings()[word.text]
    if word.text not in unclear():
        raise Fault("U205", word.text)
    below = [spellings()[w.text][0] for w in among if w.power < 0 and w.text in spellings()]
    symbol = unclear()[word.text]
    if not DECIDING.intersection(symbols()[s][1] for s in below):
        hint = tr("write {one} or {two}", one=symbol, two=symbol + "/s")
        raise Fault("U207", word.text, hint)
    return symbol, 0
