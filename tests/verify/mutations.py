"""Every small falsification of a ledger: digits, units, operators, symbols, signs, flags, numbers.

`mutations` walks a record and yields each change with its place; `Falsified` applies one and takes
it back. Words that hold no number, unit, operator or symbol are not changed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from derive.formula import catalogue, dimension_of, letters
from derive.notation import known
from derive.units import unit

Path = tuple[str | int, ...]
FORMULAS = {"tree", "left", "right", "before", "branch"}
QUANTITIES = {"shown", "beside", "text", "display", "value"}
IDS = {"id", "target", "lever", "variable", "refs"}
CHOICES = {
    "relation": ("=", "≈", "≤", "→", "<"),
    "calibre": ("peak", "reachable"),
    "kind": ("valid", "exists"),
    "side": ("memory", "compute"),
    "state": ("met", "missed", "none"),
    "axis": ("x", "y"),
    "scale": ("log", "linear"),
    "rule": ("definition", "insert", "substitute", "cancel", "solve", "values", "compute", "round"),
}
OPERATORS = {" + ": " - ", " - ": " + ", " · ": " / ", " × ": " + ", " / ": " × ", " < ": " > "}
LATEX = {
    r"\cdot": "+", r"\times": "+", " + ": " - ", " - ": " + ", r"\leq": "<", r"\approx": "=",
    " = ": r" \approx ", r"\min": r"\max", r"\max": r"\min", r"\lfloor": r"\lceil",
    r"\rceil": r"\rfloor", r"\div": r"\cdot", r"\infty": "0", " < ": " > ", r"\to": "=",
}  # fmt: skip
FUNCTIONS = {"min(": "max(", "max(": "min(", "floor(": "ceil(", "ceil(": "floor("}
UNIT = re.compile(r"(?<=[0-9] )[A-Za-zµ%]+(?:\^\d)?(?:[*/][A-Za-zµ]+)*")
LATEX_UNIT = re.compile(r"(?<=\\text\{)[A-Za-zµ%][^{}]*(?=\})")
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
COUNTED = {"requests": "request", "devices": "device", "tokens": "token"}
OTHER = {  # a unit of the same dimension, where one is likely
    "byte": "kB", "GB": "GiB", "MB": "MiB", "TB": "GB", "GiB": "GB", "MiB": "MB", "kB": "KiB",
    "ms": "s", "s": "ms", "µs": "ms", "TFLOP": "PFLOP", "GFLOP": "TFLOP", "FLOP": "MFLOP",
    "hour": "day", "token": "Mtoken", "Mtoken": "token", "param": "Gparam", "W": "kW", "J": "kJ",
}  # fmt: skip


@dataclass(frozen=True)
class Mutation:
    """One change: where, what it is now, what it becomes, and its kind."""

    path: Path
    before: Any
    after: Any
    kind: str

    def __str__(self) -> str:
        return f"{self.kind} at {'.'.join(map(str, self.path))}: {self.before!r} -> {self.after!r}"


def leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every leaf of a record with its place."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, (*path, key))
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            yield from leaves(inner, (*path, i))
    else:
        yield path, value


def mutations(record: dict[str, Any]) -> Iterator[Mutation]:
    """Every change of every leaf but the hash."""
    for path, value in leaves(record):
        if path == ("hash",):
            continue
        for kind, after in changes(path, value):
            if after != value or type(after) is not type(value):
                yield Mutation(path, value, after, kind)


def changes(path: Path, value: Any) -> Iterator[tuple[str, Any]]:
    """The changes of one leaf."""
    if isinstance(value, bool):
        yield "flag", not value
    elif isinstance(value, int | float):
        yield "number", value + 1
        yield "number", -value - 1
        if isinstance(value, float):
            yield "number", math.nextafter(value, math.inf)
            yield "number", math.nextafter(value, -math.inf)
    elif isinstance(value, str):
        yield from of_text(path, value)
    elif value is None and path[-1] in ("value", "exact", "peak", "peak_exact"):
        yield "number", "1/1" if "exact" in str(path[-1]) else 1


def of_text(path: Path, text: str) -> Iterator[tuple[str, str]]:
    """The changes of one text, by what it is."""
    key = next(k for k in reversed(path) if isinstance(k, str))
    for i, char in enumerate(text):
        if char.isdigit() and char.isascii():
            yield "digit", text[:i] + str((int(char) + 1) % 10) + text[i + 1 :]
    yield from units(key, text)
    formula = key in FORMULAS or (key == "text" and "conditions" in path)
    if key == "latex":
        yield from replaced("operator", text, LATEX)
        yield from latex_symbols(text)
    elif formula:
        yield from replaced("operator", text, OPERATORS)
        yield from replaced("function", text, FUNCTIONS)
        yield from symbols(text)
    if key in CHOICES:
        yield from ((key, other) for other in CHOICES[key] if other != text)
    if key in IDS:
        yield from (("id", other) for other in others(text))
    if key in QUANTITIES or formula or key in ("en", "zh", "shown"):
        yield from replaced("sign", text, {"≈ ": "", "−": ""})
    shown = key in ("en", "zh") and "display" in path
    exact = key == "exact" or key.endswith("_exact")
    if text[:1].isdigit() and (shown or exact or key == "right" or key in QUANTITIES):
        yield "sign", f"-{text}"
        if not exact:
            yield "sign", f"≈ {text}"


def replaced(kind: str, text: str, table: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Each occurrence of each key, alone."""
    for old, new in table.items():
        start = text.find(old)
        while start >= 0:
            yield kind, text[:start] + new + text[start + len(old) :]
            start = text.find(old, start + 1)


def units(key: str, text: str) -> Iterator[tuple[str, str]]:
    """Each unit exchanged for one of the same kind and for one of another."""
    if key in ("unit", "found") and text and is_unit(text):
        spans = [(0, len(text))]
    else:
        spans = [m.span() for m in (LATEX_UNIT if key == "latex" else UNIT).finditer(text)]
    for start, end in spans:
        word = text[start:end]
        if not is_unit(COUNTED.get(word, word)):
            continue
        first = re.split(r"[*/^]", word)[0]
        for new in (OTHER.get(first, ""), "element" if first != "element" else "token"):
            if new:
                yield "unit", text[:start] + new + text[start + len(first) :]
        if "/" in word:
            yield "unit", text[:start] + word.replace("/", "*", 1) + text[end:]


def is_unit(word: str) -> bool:
    """Whether a word is a unit of the contract."""
    try:
        return bool(unit(word))
    except KeyError:
        return False


def others(name: str) -> list[str]:
    """A symbol of the same dimension and one of another."""
    every = [*catalogue(), *known()]
    if name not in every:
        return []
    alike = [n for n in every if n != name and dimension_of(n) == dimension_of(name)]
    unlike = [n for n in every if dimension_of(n) != dimension_of(name)]
    return [*alike[:2], *unlike[:1]]


def symbols(text: str) -> Iterator[tuple[str, str]]:
    """Each symbol of a formula exchanged for another."""
    for match in NAME.finditer(text):
        for other in others(match[0]):
            yield "symbol", text[: match.start()] + other + text[match.end() :]


def latex_symbols(text: str) -> Iterator[tuple[str, str]]:
    """Each symbol's letters exchanged for another's."""
    for name in (*catalogue(), *known()):
        letter = letters(name)
        if len(letter) < 4:  # b and T stand inside other letters
            continue
        start = text.find(letter)
        while start >= 0:
            for other in others(name)[:2]:
                yield "symbol", text[:start] + letters(other) + text[start + len(letter) :]
            start = text.find(letter, start + 1)


@contextmanager
def falsified(record: dict[str, Any], change: Mutation) -> Iterator[dict[str, Any]]:
    """The record with one change, taken back afterwards; its hash is not made right."""
    parent: Any = record
    for key in change.path[:-1]:
        parent = parent[key]
    parent[change.path[-1]] = change.after
    try:
        yield record
    finally:
        parent[change.path[-1]] = change.before
