"""The shape of what verification reads: every key it needs, with the kind of its value.

Keys that are not named here may stand beside them; the hash alone covers those.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any

from derive.text import Text, tr
from derive.verify.say import quoted

FRACTION = re.compile(r"-?(?:0|[1-9][0-9]{0,3999})/[1-9][0-9]{0,3999}")
SHORT_FRACTION = re.compile(r"-?(?:0|[1-9][0-9]{0,149})/[1-9][0-9]{0,149}")
DECIMAL = re.compile(r"-?[0-9]{1,60}(?:\.[0-9]{1,60})?")
MOST_KEYS = 600
LONGEST_TEXT, LONGEST_SENTENCE = 20_000, 2_000
MOST_LETTERS = 80_000  # of all steps together; those of real ledgers have some 12,000


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
class Rows:
    """A list with rows of one shape, no more than a ledger of this program can have."""

    shape: Any
    most: int


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


SENTENCE = Kind(Text("a sentence", "语句"), lambda v: is_text(v) and len(v) <= LONGEST_SENTENCE)
TEXT = Kind(Text("text", "文本"), is_text)
FLAG = Kind(Text("true or false", "true 或 false"), lambda v: isinstance(v, bool))
NUMBER = Kind(Text("a number", "数"), is_number)
EXACT = Kind(Text("a fraction p/q", "分数 p/q"), like(FRACTION))
GIVEN = Kind(Text("a fraction p/q", "分数 p/q"), like(SHORT_FRACTION))
COORDINATE = Kind(Text("a decimal number", "小数"), like(DECIMAL))
PAIR = Kind(
    Text("two decimal numbers", "两个小数"),
    lambda v: isinstance(v, list) and len(v) == 2 and all(map(COORDINATE.accepts, v)),
)
A_TABLE = Text("a table", "键值表")

BOTH = {"en": SENTENCE, "zh": SENTENCE}
CHECKS = Rows({"by": TEXT, "found": TEXT}, 8)
AXIS = {"label": BOTH, "unit": TEXT, "scale": TEXT, "min": COORDINATE, "max": COORDINATE}
PLOT = {
    "lines": Rows({"id": TEXT, "label": BOTH, "points": Rows(PAIR, 150)}, 4),
    "points": Rows({"id": TEXT, "label": BOTH, "x": COORDINATE, "y": COORDINATE}, 20),
    "marks": Rows({"id": TEXT, "label": BOTH, "axis": TEXT, "at": COORDINATE}, 10),
    "bands": Rows({"id": TEXT, "label": BOTH, "from": COORDINATE, "to": COORDINATE}, 4),
    "x": AXIS,
    "y": AXIS,
}
SOURCES = Rows(TEXT, 30)
REFS = Rows(TEXT, 8)
LEVEL = {"exact": GIVEN, "text": TEXT, "sources": SOURCES, "how": Maybe(BOTH), "origin": TEXT}
RANGE = {"low": LEVEL, "typical": LEVEL, "high": LEVEL}
TILE = {"id": TEXT, "label": BOTH, "value": TEXT, "state": TEXT, "notes": Rows(BOTH, 10)}
INPUT = {
    "id": TEXT, "latex": TEXT, "meaning": BOTH, "about": TEXT, "unit": TEXT, "exact": GIVEN,
    "text": TEXT, "shown": TEXT, "beside": TEXT, "basis": Rows(BOTH, 12), "sources": SOURCES,
    "how": Maybe(BOTH), "printed": TEXT, "origin": TEXT,
}  # fmt: skip
STEP = {
    "rule": TEXT, "rule_name": BOTH, "left": TEXT, "relation": TEXT, "right": TEXT,
    "before": Maybe(TEXT), "latex": Rows(TEXT, 5), "reason": Maybe(BOTH), "checks": CHECKS,
}  # fmt: skip
CONDITION = {"kind": TEXT, "text": TEXT, "meaning": BOTH, "latex": TEXT, "holds": FLAG}
CARD = {
    "id": TEXT, "section": TEXT, "latex": TEXT, "unit": TEXT, "name": BOTH, "reason": BOTH,
    "calibre": TEXT, "reading": Maybe(BOTH), "sources": SOURCES, "tree": TEXT, "set_by_hand": FLAG,
    "variable": Maybe(TEXT), "steps": Rows(STEP, 60), "conditions": Rows(CONDITION, 8),
    "search?": {"left": TEXT, "right": TEXT, "largest": FLAG, "smallest?": FLAG},
    "range?": {"MFU": TEXT, "MBU": TEXT, "text": BOTH},
}  # fmt: skip
RESULT = {
    "unit": TEXT, "value": Maybe(NUMBER), "exact": Maybe(EXACT), "display": BOTH, "why?": BOTH,
    "low?": Maybe(NUMBER), "low_exact?": Maybe(EXACT), "high?": Maybe(NUMBER),
    "high_exact?": Maybe(EXACT), "peak?": Maybe(NUMBER), "peak_exact?": Maybe(EXACT),
}  # fmt: skip
LEVER = {
    "target": TEXT, "lever": TEXT, "action": BOTH, "tree": TEXT, "latex": TEXT,
    "exact": Maybe(EXACT), "shown": TEXT, "branch": TEXT, "checks": CHECKS,
}  # fmt: skip
FIGURE = {
    "id": TEXT, "title": BOTH, "alt": BOTH, "x": AXIS, "panels?": Rows({}, 4),
    "bars?": Rows(
        {"id": TEXT, "label": BOTH, "role": TEXT, "from": COORDINATE, "to": COORDINATE}, 20
    ),
    "table": {
        "columns": Rows({"label": BOTH, "unit": TEXT}, 8), "rows": Rows(Rows(TEXT, 8), 150),
        "labels?": Rows(BOTH, 20),
    },
}  # fmt: skip
AMOUNT = {"value": NUMBER, "unit": TEXT, "exact": Maybe(EXACT), "display": TEXT}
IN_BOTH = {"value": NUMBER, "unit": TEXT, "exact": EXACT, "display": BOTH}
OF_FILE = {
    "id": TEXT, "statistic": TEXT, "meaning": BOTH, **AMOUNT, "exact": EXACT, "field": TEXT,
    "half": Maybe(EXACT), "note": Maybe(BOTH),
}  # fmt: skip
PHASE = {
    "name": TEXT, "measured": AMOUNT, "bound": AMOUNT, "streamed": AMOUNT,
    "weights": Maybe(AMOUNT), "floor": Maybe(AMOUNT), "share": AMOUNT,
    "share_weights": Maybe(AMOUNT), "MBU": Maybe(AMOUNT), "MFU": Maybe(AMOUNT),
    "head": Maybe(EXACT), "judged": Maybe(AMOUNT), "judged_by": Maybe(BOTH),
    "side": TEXT, "wall": BOTH, "band": TEXT, "meaning": BOTH,
    "first": Rows(BOTH, 12), "skip": Rows(BOTH, 12),
    "explanations": Rows({"id": TEXT, "state": TEXT, "text": BOTH}, 12),
}  # fmt: skip
OPERATOR = {
    "name": TEXT, "calls": NUMBER, "time": AMOUNT, "share": AMOUNT, "flops": Maybe(AMOUNT),
    "traffic": Maybe(AMOUNT), "intensity": Maybe(AMOUNT), "bound": Maybe(AMOUNT),
    "reached": Maybe(AMOUNT), "side": TEXT,
    "band": TEXT, "how": Maybe(BOTH),
}  # fmt: skip
PROFILE = {
    "count": NUMBER, "total": AMOUNT, "busy": Maybe(AMOUNT), "spent": Named(AMOUNT),
    "rows": Rows(OPERATOR, 12), "diagnosis": Rows(BOTH, 12),
}  # fmt: skip
START = {
    "id": TEXT, "name": BOTH, "printed": Maybe(AMOUNT), "expected": AMOUNT, "low": Maybe(AMOUNT),
    "high": Maybe(AMOUNT), "ratio": Maybe(AMOUNT), "state": TEXT,
    "reasons": Rows({"id": TEXT, "state": TEXT, "text": BOTH}, 8),
}  # fmt: skip
CACHE = {"tensor": NUMBER, "stages": NUMBER, "block": NUMBER, "heads": EXACT, "layers": EXACT}
RUN = {
    "tool": TEXT, "file": TEXT, "line": NUMBER, "label": TEXT, "phase": TEXT, "facts": Named(TEXT),
    "figures": Rows(OF_FILE, 300), "notes": Rows(BOTH, 60),
}  # fmt: skip
BOUND = {
    "scenario": {"model": TEXT, "hardware": TEXT}, "inputs": Named(Maybe(IN_BOTH)),
    "of": {"scenario": TEXT, "model": BOTH, "hardware": BOTH, "devices": TEXT,
           "precision": Named(TEXT)},
    "cautions": Rows(BOTH, 12), "setting": Named(IN_BOTH), "taken": Rows(OF_FILE, 8),
    "taken_notes": Rows(BOTH, 12), "phases": Rows(PHASE, 4),
    "totals": Rows({"name": TEXT, "measured": AMOUNT, "bound": AMOUNT, "share": AMOUNT,
                    "notes": Rows(BOTH, 8)}, 4),
    "kernels": Maybe(PROFILE), "start": Rows(START, 12), "start_cache": Maybe(CACHE),
}  # fmt: skip
RATIOS = {"measured": Maybe(AMOUNT), "expected": AMOUNT}
EXPERIMENT = {
    "changed": Named({"before": AMOUNT, "after": AMOUNT}), "TPOT": RATIOS, "X": RATIOS,
    "hypotheses": Rows({"id": TEXT, "text": BOTH, "expected": AMOUNT, "state": TEXT}, 8),
    "reading": BOTH, "runs": Rows(NUMBER, 2),
}  # fmt: skip
DRAWN = {
    **FIGURE, **PLOT,
    "lines": Rows({"id": TEXT, "label": BOTH, "points": Rows(PAIR, 150)}, 700),
    "points": Rows({"id": TEXT, "label": BOTH, "x": COORDINATE, "y": COORDINATE,
                    "size?": COORDINATE}, 700),
    "table": {"columns": Rows({"label": BOTH, "unit": TEXT}, 8), "rows": Rows(Rows(TEXT, 8), 3000)},
}  # fmt: skip
MEASURED = {
    "runs": Rows(RUN, 500), "across": Rows(BOTH, 3000), "experiment": Maybe(EXPERIMENT),
    "figures": Rows(DRAWN, 300),
}  # fmt: skip
SHAPE = {
    "measured?": MEASURED,
    "format": TEXT, "program": TEXT, "hash": TEXT, "variants": Rows(TEXT, 300),
    "scenario": {
        "id": TEXT, "title": BOTH, "date": Maybe(TEXT), "model": {"id": TEXT, "name": BOTH},
        "hardware": {"id": TEXT, "name": BOTH}, "precision": Named(TEXT), "overrides": Named(TEXT),
        "parallel?": Named(TEXT),
        "asked?": Rows(TEXT, 200), "files?": Named(TEXT), "draft?": Named(TEXT),
    },
    "verdict": {
        "fits": FLAG, "side": TEXT, "wall": BOTH, "sentence": BOTH, "lever": Maybe(BOTH),
        "tiles": Rows(TILE, 12),
    },
    "findings": Rows({"id": TEXT, "severity": TEXT, "text": BOTH}, 60),
    "inputs": Rows(INPUT, 200),
    "calibration": {"MFU": RANGE, "MBU": RANGE, "t_launch?": RANGE},
    "constants": Rows(
        {"id": TEXT, "latex": TEXT, "unit": TEXT, "exact": GIVEN, "shown": TEXT, "reason": BOTH}, 60
    ),
    "symbols": Named({"latex": TEXT, "unit": TEXT, "meaning": BOTH}),
    "derivations": Rows(CARD, 400),
    "results": Named(RESULT),
    "levers": Rows(LEVER, 60),
    "levers_missing?": Rows({"target": TEXT, "lever": TEXT, "text": BOTH}, 30),
    "assumptions": Rows({"id": TEXT, "what": BOTH, "size": BOTH}, 40),
    "adding?": Rows(
        {"id": TEXT, "name": BOTH, "what": Maybe(BOTH), "layout": Named(TEXT),
         "values": Named({"exact": Maybe(EXACT), "shown": TEXT})}, 8,
    ),
    "notes": Rows(BOTH, 100),
    "checklist": Rows(
        {"id": TEXT, "group": TEXT, "question": BOTH, "answer": BOTH, "basis": TEXT, "refs": REFS},
        60,
    ),
    "misconceptions": Rows(
        {"id": TEXT, "claim": BOTH, "why": BOTH, "here": BOTH, "refs": REFS}, 20
    ),
    "figures": Rows(FIGURE, 12),
    "sources": Rows({"key": TEXT, "title": TEXT}, 300),
}  # fmt: skip


def unlike(value: Any, shape: Any, where: str = "") -> Iterator[Text]:
    """What in a value is not of a shape."""
    if isinstance(shape, Maybe):
        if value is not None:
            yield from unlike(value, shape.shape, where)
    elif isinstance(shape, Kind):
        if not shape.accepts(value):
            yield expected(where, shape.name)
    elif isinstance(shape, Rows):
        if not isinstance(value, list) or len(value) > shape.most:
            yield expected(where, tr("a list of at most {most} rows", most=shape.most))
            return
        for i, row in enumerate(value):
            yield from unlike(row, shape.shape, f"{where}[{i}]")
    elif not isinstance(value, dict) or len(value) > MOST_KEYS:
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


def drawings(figure: Mapping[str, Any]) -> list[Any]:
    """The drawings of a figure that have two axes; a waterfall has bars instead."""
    return [] if "bars" in figure else figure.get("panels") or [figure]


def misshapen(record: Any) -> Iterator[Text]:
    """What in a record is not of a ledger's shape, or is more than a ledger can hold."""
    found = list(unlike(record, SHAPE))
    if not found:
        for figure in record["figures"]:
            for plot in drawings(figure):
                found += unlike(plot, PLOT, f"figures.{quoted(figure['id'])}")
        for i, run in enumerate(record.get("measured", {}).get("runs", ())):
            if "setting" in run:
                found += unlike(run, BOUND, f"measured.runs[{i}]")
        steps = [step for card in record["derivations"] for step in card["steps"]]
        letters = sum(len(s["left"]) + len(s["right"]) + len(s["before"] or "") for s in steps)
        if letters > MOST_LETTERS:
            found.append(tr("the steps are longer than those of any ledger"))
    yield from found


def expected(where: str, kind: Text) -> Text:
    """A value of another kind than its place wants."""
    return tr("{where}: expected {kind}", where=where or "ledger", kind=kind)
