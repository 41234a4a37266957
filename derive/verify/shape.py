"""The shape of what verification reads: every key it needs, with the kind of its value.

Keys that are not named here may stand beside them; the hash alone covers those.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import isfinite
from typing import Any

from derive.text import Text, tr
from derive.verify.say import quoted

FRACTION = re.compile(r"-?(?:0|[1-9][0-9]{0,1999})/[1-9][0-9]{0,1999}")
INPUT = re.compile(r"-?(?:0|[1-9][0-9]{0,149})/[1-9][0-9]{0,149}")
DECIMAL = re.compile(r"-?[0-9]{1,60}(?:\.[0-9]{1,60})?")
MOST_ROWS = 600
LONGEST_TEXT = 20_000


@dataclass(frozen=True)
class Kind:
    """One kind of value: how messages call it, and what is of it."""

    name: Text
    accepts: Callable[[Any], bool]


@dataclass(frozen=True)
class Maybe:
    """A shape, or null."""

    shape: Any


@dataclass(frozen=True)
class Named:
    """A table whose keys are ids, each with a value of one shape."""

    shape: Any


def is_text(value: Any) -> bool:
    """A text of bearable length."""
    return isinstance(value, str) and len(value) <= LONGEST_TEXT


def is_number(value: Any) -> bool:
    """A finite JSON number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return isinstance(value, int) or isfinite(value)


def like(pattern: re.Pattern[str]) -> Callable[[Any], bool]:
    """Text of a pattern."""
    return lambda value: isinstance(value, str) and bool(pattern.fullmatch(value))


TEXT = Kind(Text("text", "文本"), is_text)
FLAG = Kind(Text("true or false", "true 或 false"), lambda v: isinstance(v, bool))
NUMBER = Kind(Text("a number", "数"), is_number)
EXACT = Kind(Text("a fraction p/q", "分数 p/q"), like(FRACTION))
GIVEN = Kind(Text("a fraction p/q", "分数 p/q"), like(INPUT))
COORDINATE = Kind(Text("a decimal number", "小数"), like(DECIMAL))
PAIR = Kind(
    Text("two decimal numbers", "两个小数"),
    lambda v: isinstance(v, list) and len(v) == 2 and all(map(COORDINATE.accepts, v)),
)
A_TABLE = Text("a table", "键值表")
A_LIST = Text("a list", "列表")

BOTH = {"en": TEXT, "zh": TEXT}
CHECKS = [{"by": TEXT, "found": TEXT}]
AXIS = {"label": BOTH, "unit": TEXT, "scale": TEXT, "min": COORDINATE, "max": COORDINATE}
PLOT = {
    "lines": [{"id": TEXT, "label": BOTH, "points": [PAIR]}],
    "points": [{"id": TEXT, "label": BOTH, "x": COORDINATE, "y": COORDINATE}],
    "marks": [{"id": TEXT, "label": BOTH, "axis": TEXT, "at": COORDINATE}],
    "bands": [{"id": TEXT, "label": BOTH, "from": COORDINATE, "to": COORDINATE}],
    "x": AXIS,
    "y": AXIS,
}
LEVEL = {"exact": GIVEN, "text": TEXT, "sources": [TEXT], "how": Maybe(BOTH), "origin": TEXT}
STEP = {
    "rule": TEXT, "left": TEXT, "relation": TEXT, "right": TEXT, "before": Maybe(TEXT),
    "latex": [TEXT], "reason": Maybe(BOTH), "checks": CHECKS, "rule_name": BOTH,
}  # fmt: skip
SHAPE = {
    "format": TEXT,
    "program": TEXT,
    "hash": TEXT,
    "scenario": {
        "id": TEXT, "title": BOTH, "date": Maybe(TEXT), "model": {"id": TEXT, "name": BOTH},
        "hardware": {"id": TEXT, "name": BOTH}, "precision": Named(TEXT), "overrides": Named(TEXT),
    },
    "verdict": {
        "fits": FLAG, "side": TEXT, "wall": BOTH, "sentence": BOTH, "lever": Maybe(BOTH),
        "tiles": [{"id": TEXT, "label": BOTH, "value": TEXT, "state": TEXT, "notes": [BOTH]}],
    },
    "findings": [{"id": TEXT, "severity": TEXT, "text": BOTH}],
    "inputs": [{
        "id": TEXT, "latex": TEXT, "meaning": BOTH, "about": TEXT, "unit": TEXT, "exact": GIVEN,
        "text": TEXT, "shown": TEXT, "beside": TEXT, "basis": [BOTH], "sources": [TEXT],
        "how": Maybe(BOTH), "printed": TEXT, "origin": TEXT,
    }],
    "calibration": {"MFU": {"low": LEVEL, "typical": LEVEL, "high": LEVEL},
                    "MBU": {"low": LEVEL, "typical": LEVEL, "high": LEVEL}},
    "constants": [{
        "id": TEXT, "latex": TEXT, "unit": TEXT, "exact": GIVEN, "shown": TEXT, "reason": BOTH,
    }],
    "symbols": Named({"latex": TEXT, "unit": TEXT, "meaning": BOTH}),
    "derivations": [{
        "id": TEXT, "section": TEXT, "latex": TEXT, "unit": TEXT, "name": BOTH, "reason": BOTH,
        "calibre": TEXT, "reading": Maybe(BOTH), "sources": [TEXT], "tree": TEXT,
        "set_by_hand": FLAG, "variable": Maybe(TEXT), "steps": [STEP],
        "conditions": [{
            "kind": TEXT, "text": TEXT, "meaning": BOTH, "latex": TEXT, "holds": FLAG,
        }],
    }],
    "results": Named({
        "unit": TEXT, "value": Maybe(NUMBER), "exact": Maybe(EXACT), "display": BOTH, "why?": BOTH,
        "low?": Maybe(NUMBER), "low_exact?": Maybe(EXACT), "high?": Maybe(NUMBER),
        "high_exact?": Maybe(EXACT), "peak?": Maybe(NUMBER), "peak_exact?": Maybe(EXACT),
    }),
    "levers": [{
        "target": TEXT, "lever": TEXT, "action": BOTH, "tree": TEXT, "latex": TEXT, "exact": EXACT,
        "shown": TEXT, "branch": TEXT, "checks": CHECKS,
    }],
    "assumptions": [{"id": TEXT, "what": BOTH, "size": BOTH}],
    "notes": [BOTH],
    "checklist": [{"id": TEXT, "question": BOTH, "answer": BOTH, "basis": TEXT, "ref": TEXT}],
    "figures": [{
        "id": TEXT, "title": BOTH, "alt": BOTH, "x": AXIS, "panels?": [PLOT],
        "table": {"columns": [{"label": BOTH, "unit": TEXT}], "rows": [[TEXT]]},
    }],
    "sources": [{"key": TEXT, "title": TEXT}],
}  # fmt: skip


def unlike(value: Any, shape: Any, where: str = "") -> Iterator[Text]:
    """What in a value is not of a shape."""
    if isinstance(shape, Maybe):
        if value is not None:
            yield from unlike(value, shape.shape, where)
    elif isinstance(shape, Kind):
        if not shape.accepts(value):
            yield expected(where, shape.name)
    elif isinstance(shape, list):
        if not isinstance(value, list) or len(value) > MOST_ROWS:
            yield expected(where, A_LIST)
            return
        for i, row in enumerate(value):
            yield from unlike(row, shape[0], f"{where}[{i}]")
    elif not isinstance(value, dict) or len(value) > MOST_ROWS:
        yield expected(where, A_TABLE)
    elif isinstance(shape, Named):
        for key, row in value.items():
            yield from unlike(row, shape.shape, f"{where}.{quoted(key)}".lstrip("."))
    else:
        yield from unlike_table(value, shape, where)


def unlike_table(value: dict[str, Any], shape: dict[str, Any], where: str) -> Iterator[Text]:
    """Keys that are missing and values that are of another kind."""
    for key, inner in shape.items():
        name = key.removesuffix("?")
        place = f"{where}.{name}".lstrip(".")
        if name in value:
            yield from unlike(value[name], inner, place)
        elif name == key:
            yield tr("{where} is missing", where=place)


def expected(where: str, kind: Text) -> Text:
    """A value of another kind than its place wants."""
    return tr("{where}: expected {kind}", where=where or "ledger", kind=kind)
