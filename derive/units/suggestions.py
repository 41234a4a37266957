"""At most one hint for a quantity that was not understood, and only where it is likely."""

from __future__ import annotations

import difflib
import re

from derive.text import Text, tr
from derive.units.names import spellings, symbols

LOOKALIKES = str.maketrans("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧАВЕКМНОРСТХасеорху", "ABEZHIKMNOPTYXABEKMHOPCTXaceopxy")


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
    near = list(alike.values()) or nearest(latin)
    families = {"bit" in symbols()[spellings()[spelling][0]][0] for spelling in near}
    sure = len(families) == 1  # a bit for a byte would be worse than no hint
    return tr("did you mean {near}?", near=written(near[0])) if sure else None


def nearest(word: str) -> list[str]:
    """The spelling nearest to a word, and those that are about as near."""
    found = difflib.get_close_matches(word, list(spellings()), 4, 0.7)
    ratios = [difflib.SequenceMatcher(None, word, spelling).ratio() for spelling in found]
    return [s for s, ratio in zip(found, ratios, strict=True) if ratio > max(ratios) - 0.08]


def written(spelling: str) -> str:
    """An accepted spelling in our own notation: GBps is GB/s."""
    symbol, hidden_time = spellings()[spelling]
    return symbol + ("/s" if hidden_time else "")


def explained(spelling: str) -> str:
    """The same, spelled out where it already is our notation."""
    ours = written(spelling)
    return ours if ours != spelling else symbols()[spelling][0]


def number_hint(text: str) -> Text | None:
    """The hint for `3,35 TB/s` and `1 234 GB`: a comma groups thousands, nothing else does."""
    comma = re.match(
        r"[+-]?(?:([0-9]{1,3}),([0-9]{1,2}|[0-9]{4,8})|(0),([0-9]{1,8}))(?![0-9,.])", text
    )
    if comma:
        return tr("did you mean {near}?", near=f"{comma[1] or comma[3]}.{comma[2] or comma[4]}")
    space = re.match(r"[+-]?([1-9][0-9]{0,2}(?: [0-9]{3})+)(?![0-9,])", text)
    return tr("did you mean {near}?", near=space[1].replace(" ", ",")) if space else None
