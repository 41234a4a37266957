"""Numbers as a locale prints them: which of comma and point divides whole from fraction."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction

POINT, COMMA = ".", ","
SPACES = str.maketrans("", "", " \N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}'’")
PRINTED = re.compile(r"\d[\d.,]{0,40}(?:[eE][-+]?\d{1,2})?")
COUNTED = {"inst", "sector", "thread", "warp", "block", "request"}  # whole numbers only


def evidence(text: str, unit: str = "") -> str:
    """The decimal mark that one number proves; "" where it could be either."""
    text = text.translate(SPACES)
    marks: list[str] = re.findall(r"[.,]", text)
    if not marks or not PRINTED.fullmatch(text):
        return ""
    last, other = marks[-1], POINT if marks[-1] == COMMA else COMMA
    if len(set(marks)) == 2:
        return last
    behind = re.split(r"[.,]", re.split(r"[eE]", text)[0])
    if len(marks) > 1:
        return other if all(len(b) == 3 for b in behind[1:]) else ""
    if len(behind[1]) != 3 or behind[0] == "0" or len(behind[0]) > 3:
        return last
    return other if unit in COUNTED else ""


def decimal_mark(numbers: Iterable[tuple[str, str]]) -> tuple[str, bool]:
    """The mark of a file from its numbers with their units, and whether anything proved it.

    None of them proving one, or some proving the other: the point, as tools print by default.
    """
    seen = {mark for text, unit in numbers if (mark := evidence(text, unit))}
    return (seen.pop(), True) if len(seen) == 1 else (POINT, False)


def parsed(text: str, mark: str) -> Fraction | None:
    """The number, thousands separators left out; None where it is none in that notation."""
    text = text.translate(SPACES)
    if not PRINTED.fullmatch(text):
        return None
    whole, _, fraction = text.partition(mark)
    groups = re.split(r"[.,]", whole)
    grouped = len(groups) == 1 or (len(groups[0]) <= 3 and all(len(g) == 3 for g in groups[1:]))
    if not grouped or re.search(r"[.,]", fraction):
        return None
    return Fraction("".join(groups) + ("." + fraction if fraction else ""))
