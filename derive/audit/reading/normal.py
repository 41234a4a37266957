"""One spelling for what is read: full-width forms, Chinese punctuation, superscripts, spaces.

Each character remembers where it stood, so that a finding can mark the words as they were written.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from derive.errors import DeriveError, Place, Problem, harmless
from derive.text import tr

LONGEST = 2000  # characters of one claim
PUNCTUATION = {
    "，": ", ", "。": ". ", "；": "; ", "：": ": ", "、": ", ", "（": " (", "）": ") ",
    "！": "! ", "？": "? ", "“": '"', "”": '"', "‘": "'", "’": "'", "「": '"', "」": '"',
    "％": "%", "‰": "‰", "～": "~", "－": "-", "—": " - ", "–": "-", "−": "-", "‐": "-", "‑": "-",
    "×": "×", "✕": "×", "✖": "×", "╳": "×", "⨯": "×", "≃": "≈", "≅": "≈", "∼": "~", "〜": "~",
    "⩽": "≤", "≦": "≤", "⩾": "≥", "≧": "≥", "μ": "µ", "\u00a0": " ", "\u3000": " ", "…": " ... ",
    "＊": "*", "∗": "*",
}  # fmt: skip
# 150 000 tokens, 1 050 673 152 bytes: not the "8 400 Gb/s ports" that are eight
SPACED = re.compile(
    r"(?<![0-9A-Za-z.,-])(?<![0-9] )[1-9][0-9]{0,2}(?:(?: [0-9]{3}){2,4}(?![0-9.,A-Za-z])"
    r"| [0-9]{3}(?= ?(?:tokens?|bytes?|param|requests?|个|字节|词元)))"
)
BLANKS = str.maketrans("\t\r\n", "   ")
SUPERSCRIPTS = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+", strict=True))


@dataclass(frozen=True)
class Normal:
    """The text to read, and for each of its characters the place in the text as written."""

    text: str
    back: Sequence[int]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """A stretch of the normal text as a stretch of the text as written."""
        if start >= end:
            return (self.back[start], self.back[start]) if start < len(self.back) else (0, 0)
        return self.back[start], self.back[end - 1] + 1


@lru_cache(maxsize=64)  # several rules ask for the same claim
def normal(text: str, place: Place | None = None) -> Normal:
    """The normal form; DeriveError A101 for too long a text, A102 for what cannot be seen."""
    if len(text) > LONGEST:
        what = tr("a claim of {count} characters is too long: at most {most} are read",
                  count=len(text), most=LONGEST)  # fmt: skip
        raise DeriveError(Problem("A101", what, place))
    text = text.translate(BLANKS)
    if text.isascii() and text.isprintable():
        return Normal(grouped(text), range(len(text)))
    made: list[str] = []
    back: list[int] = []
    raised = False
    for at, char in enumerate(text):
        if not harmless(char):
            name = f"U+{ord(char):04X}"
            what = tr("character {name} at position {at} cannot be seen and is not read",
                      name=name, at=at + 1)  # fmt: skip
            raise DeriveError(Problem("A102", what, place))
        if char in SUPERSCRIPTS:
            new = ("" if raised else "^") + SUPERSCRIPTS[char].replace("+", "")
            raised = True
        else:
            raised = False
            new = char if char.isascii() else PUNCTUATION.get(char) or form(char)
            if char == "，" and grouping(text, at):
                new = ","
        made += new
        back += [at] * len(new)
    return Normal(grouped("".join(made)), tuple(back))


def grouped(text: str) -> str:
    """Digits grouped by spaces with commas in their place, character by character."""
    return SPACED.sub(lambda m: m[0].replace(" ", ","), text)


def grouping(text: str, at: int) -> bool:
    """Whether a comma stands inside a number: １，９７９."""
    return at > 0 and text[at - 1].isdecimal() and text[at + 1 : at + 4].isdecimal()


def form(char: str) -> str:
    """Full-width Latin and squared units as plain letters; anything else as it stands."""
    if "\uff01" <= char <= "\uff5e" or "\u3380" <= char <= "\u33df":
        return unicodedata.normalize("NFKC", char)
    return char
