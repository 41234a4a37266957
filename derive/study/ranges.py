"""What is said of a range: exact bounds where the formula runs one way, else values at corners."""

from __future__ import annotations

from typing import Any

from derive.derivation.stored import directions
from derive.text import Text, same, tr

UNKNOWN = "unknown"


def range_of(name: str) -> dict[str, Any] | None:
    """How a reachable quantity runs with MFU and MBU, and what its ends are; None for the others."""
    ways = directions().get(name)
    return {**ways, "text": said(ways).json()} if ways else None


def said(ways: dict[str, str]) -> Text:
    """The sentence."""
    words = {
        "rises": tr("never falls with {by}"),
        "falls": tr("never rises with {by}"),
        "stays": tr("does not depend on {by}"),
    }
    if UNKNOWN in ways.values():
        return tr(
            "Range: smallest and largest of all combinations of low, typical and high; no proven "
            "bounds, since parts of it run against each other with {by} and no one direction is proved.",
            by=same(", ".join(by for by, way in ways.items() if way == UNKNOWN)),
        )
    one, two = (filled(words[way], by) for by, way in ways.items())
    return tr("Range: exact bounds, since the value {one} and {two}.", one=one, two=two)


def filled(words: Text, by: str) -> Text:
    """A phrase about one of both."""
    return Text(words.en.format(by=by), words.zh.format(by=by))
