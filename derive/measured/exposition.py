"""The text format of Prometheus and OpenMetrics, read line by line.

The client library's own parser turns values into binary fractions, keeps no line numbers for a
message, and would be one more dependency for a format of one sample a line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import NoReturn

from derive.errors import DeriveError, Place, Problem, printable
from derive.measured.files import exact
from derive.text import tr

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
SAMPLE = re.compile(
    rf"(?P<name>{NAME})\s*(?:\{{(?P<labels>(?:[^\"}}]|\"(?:[^\"\\]|\\.)*\")*)\}}\s*|\s+)"
    r"(?P<value>\S+)(?:\s+-?[\d.eE+]+)?(?:\s+# .*)?\s*"
)
LABEL = re.compile(r'\s*([a-zA-Z_][a-zA-Z0-9_]*)\s*=\s*"((?:[^"\\]|\\.)*)"\s*(?:,|$)')
ESCAPED = {"n": "\n", '"': '"', "\\": "\\"}
MOST_LABELS = 64


@dataclass(frozen=True)
class Sample:
    """One line: a name, its labels, and a value; None where that is infinite or no number."""

    name: str
    labels: Mapping[str, str]
    value: Fraction | None
    place: Place


def samples(text: str, file: str, wanted: Callable[[str], bool]) -> Iterator[Sample]:
    """The samples of the wanted names; DeriveError B103 for a line that is none or stands twice."""
    seen: set[tuple[str, frozenset[tuple[str, str]]]] = set()
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip() or line.startswith("#"):
            continue
        name = re.match(NAME, line)
        if name and not wanted(name[0]):
            continue
        match = SAMPLE.fullmatch(line)
        place = Place(file, number, 0, name[0] if name else "")
        if match is None:
            broken(place, line)
        found = labels(match["labels"] or "", place)
        series = match["name"], frozenset(found.items())
        if series in seen:
            what = tr("{key} stands twice", key=printable(line.rpartition(" ")[0], 120))
            raise DeriveError(Problem("B103", what, place))
        seen.add(series)
        yield Sample(match["name"], found, value(match["value"], place), place)


def broken(place: Place, line: str) -> NoReturn:
    """A line that is no sample."""
    what = tr("{line} is no sample of Prometheus's text format", line=printable(line, 80))
    raise DeriveError(Problem("B103", what, place))


def labels(text: str, place: Place) -> dict[str, str]:
    """Names and values inside the braces."""
    made: dict[str, str] = {}
    at = 0
    while text[at:].strip():
        match = LABEL.match(text, at)
        if match is None or match[1] in made or len(made) > MOST_LABELS:
            broken(place, "{" + text + "}")
        made[match[1]] = re.sub(r"\\(.)", lambda m: ESCAPED.get(m[1], m[0]), match[2])
        at = match.end()
    return made


def value(text: str, place: Place) -> Fraction | None:
    """An exact number; None for NaN and infinities, which the format has."""
    if text.lstrip("+-").lower() in ("nan", "inf", "infinity"):
        return None
    try:
        return Fraction(exact(text))
    except (ValueError, ArithmeticError):
        broken(place, text)
