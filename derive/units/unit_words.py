"""The words of a unit expression, as people write it, with their powers. Nothing is evaluated.

expression := (unit | "1" | "") {("*" | "·" | "-" | "/" | "per" | "每") unit}
unit := [count] word ["^" power], or behind a division "(" unit {"·" unit} ")"
count := 1,000 or 1M or million or 百万, only of what is counted: USD/1M tokens, 每百万 token
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from derive.text import Text, tr
from derive.units.names import MEASURE_WORDS, counting, spellings, unclear
from derive.units.numerals import DIGITS, multiplied

MOST_WORDS = 8
MOST_POWER = 4
MOST_COUNTED = 10**15
TOKEN = re.compile(
    r" *(?:(?P<per>/|÷|per(?![A-Za-z])|每)|(?P<times>[·*×⋅])|(?P<hyphen>-(?=[A-Za-z]))|(?P<open>\()"
    rf"|(?P<close>\))|(?P<count>{DIGITS})|(?P<word>(?:[^\W\d_]|[%$])+))"
)
POWER = re.compile(r"\^(-?[0-9])(?![0-9])")
SHORT = re.compile(r" ?([kKMGBT])(?= ?[^\W\d_])")
SHORTENED = {"k": 10**3, "K": 10**3, "M": 10**6, "G": 10**9, "B": 10**9, "T": 10**12}


class Fault(Exception):
    """What cannot be read, by the code of its message; a DeriveError where the text is known."""

    def __init__(self, code: str, piece: str = "", hint: Text | None = None) -> None:
        super().__init__(code)
        self.code, self.piece, self.hint = code, piece, hint


@dataclass
class Word:
    """A unit word with its power and the count before it (1M tokens)."""

    text: str
    power: int = 1
    count: int = 1


class UnitWords:
    """One reading, left to right; each method takes a token and says whether it may stand there."""

    def __init__(self, text: str) -> None:
        self.rest = text
        self.found: list[Word] = []
        self.sign, self.outer = 1, 1  # of the next word, and of the bracket around it
        self.fresh = self.wanted = True  # nothing read yet; a word must come next
        self.inside = self.divided = False  # a bracket; behind a division

    def read(self) -> list[Word]:
        """All words, or a Fault with the piece that does not fit."""
        takers = {
            "per": self.per, "times": self.times, "hyphen": self.hyphen, "open": self.open,
            "close": self.close, "count": self.count, "word": self.word,
        }  # fmt: skip
        while self.rest.strip(" "):
            before = self.rest.strip(" ")
            match = TOKEN.match(self.rest)
            if match is None or len(self.found) >= MOST_WORDS:
                raise Fault("U202", before)
            self.rest = self.rest[match.end() :]
            kind = match.lastgroup or ""
            if not takers[kind](match[kind]):
                raise Fault("U202", before)
            self.fresh = False
        if self.wanted or self.inside:
            raise Fault("U202", "…")
        return self.found

    def per(self, _: str) -> bool:
        """A division."""
        fits = self.fresh or not self.wanted
        self.sign, self.wanted, self.divided = -1, True, True
        return fits

    def times(self, sign: str) -> bool:
        """A product sign; behind a division nobody can tell which side of it is meant."""
        if self.divided:
            raise Fault("U202", sign, tr("after / write brackets or a second /"))
        fits, self.sign, self.wanted = not self.wanted, 1, True
        return fits

    def hyphen(self, _: str) -> bool:
        """GPU-hour is one thing: the hyphen keeps the side of the fraction."""
        fits, self.wanted = not self.wanted, True
        return fits

    def open(self, _: str) -> bool:
        """A bracket, directly behind a division and never nested."""
        fits = self.wanted and self.divided and not self.inside
        self.inside, self.outer, self.sign, self.divided = True, -1, 1, False
        return fits

    def close(self, _: str) -> bool:
        """The end of the bracket."""
        fits = self.inside and not self.wanted
        self.inside, self.outer, self.divided = False, 1, True
        return fits

    def count(self, digits: str) -> bool:
        """`1` before a division, or how many of a counted thing."""
        if self.fresh:
            self.wanted = False
            return digits == "1"
        value = Fraction(int(digits.replace(",", "")[:20]))
        return self.wanted and self.counted(value, self.rest)

    def counted(self, value: Fraction, rest: str) -> bool:
        """`M`, `million` or `百万`, then the counted word."""
        value, rest = multiplied(value, rest)
        if short := SHORT.match(rest):
            value, rest = value * SHORTENED[short[1]], rest[short.end() :]
        match = TOKEN.match(rest)
        word = known_head(match["word"] or "") if match else ""
        if match is None or word not in counting() or not 1 <= value <= MOST_COUNTED:
            return False
        self.rest = rest[match.start("word") + len(word) :]
        self.add(word, int(value))
        return True

    def word(self, letters: str) -> bool:
        """One unit word; before it may stand a count (`M tokens`) or a measure word (`张卡`)."""
        if not self.wanted:
            return False
        head, after = known_head(letters), self.rest
        if (head in SHORTENED or not known(head)) and self.counted(Fraction(1), letters + after):
            return True
        if letters[0] in MEASURE_WORDS and (head == letters[0] or not known(head)):
            behind = TOKEN.match(letters[1:] + after)
            if behind and known(known_head(behind["word"] or "")):
                self.rest = letters[1:] + after
                return True
        self.rest = letters[len(head) :] + after
        self.add(head)
        return True

    def add(self, word: str, count: int = 1) -> None:
        """A word with the power that follows it."""
        exponent = 1
        if power := POWER.match(self.rest):
            exponent, self.rest = int(power[1]), self.rest[power.end() :]
            if not 0 < abs(exponent) <= MOST_POWER:
                raise Fault("U202", word + power[0])
        self.found.append(Word(word, self.outer * self.sign * exponent, count))
        self.wanted = False


def known(word: str) -> bool:
    """Whether a word is a unit spelling, be it an unclear one."""
    return word in spellings() or word in unclear()


def known_head(word: str) -> str:
    """The longest known head of a run of letters, so that 字节每秒 reads as two words."""
    if word.isascii():
        return word
    heads = (word[:n] for n in range(len(word), 0, -1))
    return next((head for head in heads if known(head)), word)
