"""What a measured share of the bound means: four bands, their edges rules of thumb."""

from __future__ import annotations

from fractions import Fraction

from derive.measured.against.shares import Phase
from derive.text import Text, tr

HARDWARE, SOFTWARE = Fraction(6, 10), Fraction(3, 10)  # rules of thumb, said to be such
BEATS, LIMIT, BETWEEN, SLACK = "beats", "hardware", "between", "software"


def band(phase: Phase) -> str:
    """Which band a phase is in."""
    if phase.beats:
        return BEATS
    share = phase.share if phase.judged is None else phase.judged
    if share >= HARDWARE:
        return LIMIT
    return SLACK if share < SOFTWARE else BETWEEN


def meaning(name: str) -> Text:
    """What a band says, in one sentence."""
    return {
        BEATS: tr("faster than the bytes and operations of this scenario allow: something in it "
                  "is not as assumed"),
        LIMIT: tr("at least 0.6 of the bound: the hardware is the limit"),
        BETWEEN: tr("between 0.3 and 0.6 of the bound: hardware and software each have a part"),
        SLACK: tr("below 0.3 of the bound: look at the software first"),
    }[name]  # fmt: skip
