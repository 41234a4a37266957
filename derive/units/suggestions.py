"""At most one hint for a quantity that was not understood, and only where it is likely."""

from __future__ import annotations

import difflib
import re

from derive.text import Text, tr
from derive.units.names import spellings, symbols

LOOKALIKES = str.maketrans(
    "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧАВЕКМНОРСТХасеорху", "ABEZHIKMNOPTYXABEKMHOPCTXaceopxy"
)


def suggest(word: str) -> Text | None:
    """One hint for a misspelt unit; None where nothing is near."""
    latin = word.translate(LOOKALIKES)
    if latin != word and latin in spellings():
        return tr("{near} is written with a letter of another alphabet", near=latin)
    alike = {spellings()[s]: s for s in spellings() if s.lower() == latin.lower()}
    if len(alike) > 1:
        one, two = list(alike.values())[:2]
        return tr("upper and lower case matter: {one} is {first}, {two} is {second}",
                  one=one, two=two, first=explained(one), second=explained(two))  # fmt: skip
    near = list(alike.values()) or difflib.get_close_matches(latin, list(spellings()), 1, 0.7)
    return tr("did you mean {near}?", near=written(near[0])) if near else None


def written(spelling: str) -> str:
    """An accepted spelling in our own notation: GBps is GB/s."""
    symbol, hidden_time = spellings()[spelling]
    return symbol + ("/s" if hidden_time else "")


def explained(spelling: str) -> str:
    """The same, spelled out where it already is our notation."""
    ours = written(spelling)
    return ours if ours != spelling else symbols()[spelling][0]


def decimal_comma(text: str) -> Text | None:
    """The hint for `3,35 TB/s`: a comma groups thousands and marks no decimals."""
    match = re.match(r"[+-]?([0-9]{1,3}),([0-9]{1,2}|[0-9]{4,8})(?![0-9,.])", text)
    if match is None and (zero := re.match(r"[+-]?(0),([0-9]{1,8})(?![0-9,.])", text)):
        match = zero
    return tr("did you mean {near}?", near=f"{match[1]}.{match[2]}") if match else None
