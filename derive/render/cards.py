"""Cards: a derivation of the ledger with what a page needs to set it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from derive.render import equations, math, sections
from derive.render.numbers import Shown, main_text, per_request, split, written

# Widths in px of a page 172 mm wide; the templates' style sheets have the same columns.
INNER = 628.0
RULE, REASON, GAP, INDENT = 80.0, 262.0, 10.0, 14.0
BESIDE = INNER - RULE - REASON - 2 * GAP  # room for mathematics with its reason at its side
ALONE = INNER - RULE - GAP
LONGEST_UNBROKEN = 330.0  # px: taller cards may break between rows
FEWEST = 3  # rows of a card on either page where it breaks

GIVEN = frozenset({"insert", "fix"})
NUMERIC = frozenset({"values", "compute", "convert", "round", "search"})
RELATION = re.compile(r" (?:=|<|>|\\(?:leq?|geq?|approx)) ")
COMMAS = {"en": ", ", "zh": "、"}
DECIDES = {"decides": "yes", "does not decide": "no"}
CHECKERS = ("sympy", "points", "pint", "recomputed")


@dataclass(frozen=True)
class Row:
    """One step: `given` rows feed the substitution after them, `numeric` rows carry values."""

    rule: str
    rule_name: Mapping[str, str]
    latex: Sequence[str]
    alt: str
    reason: Mapping[str, str] | None
    kind: str  # given | symbolic | numeric
    beside: bool  # the reason has room at the side of the mathematics
    first: bool  # begins a new thought: a hairline above it
    decides: str = ""  # of a case: yes | no
    tail: str = ""  # LaTeX of the rounding that follows on the same line
    tail_alt: str = ""
    keep: bool = False  # stands on the page of the row after it

    @property
    def room(self) -> float:
        """What the mathematics may take in print, px."""
        return (BESIDE if self.beside else ALONE) - (INDENT if self.kind == "given" else 0)


@dataclass(frozen=True)
class Card:
    """One derivation, its result and its place in the ledger."""

    record: Mapping[str, Any]
    result: Mapping[str, Any] | None
    rows: tuple[Row, ...]
    pointer: str
    long: bool
    shown: Shown | None = None
    low: Shown | None = None
    high: Shown | None = None
    peak: Shown | None = None
    checks: tuple[tuple[str, int], ...] = field(default=())

    @property
    def anchor(self) -> str:
        """Its fragment in page and document."""
        return f"d-{self.record['id']}"

    @property
    def why(self) -> Mapping[str, str] | None:
        """Why there is no value."""
        return self.result.get("why") if self.result and self.shown is None else None

    @property
    def checked(self) -> str:
        """The checks that were run, and how often."""
        return ", ".join(f"{by}\u00a0{count}" for by, count in self.checks)


def cards(ledger: Mapping[str, Any]) -> Iterator[tuple[sections.Part, list[Card]]]:
    """Groups of cards in reading order, empty groups left out; unknown groups come last."""
    by_group: dict[str, list[Card]] = {}
    for number, record in enumerate(ledger["derivations"]):
        result = ledger["results"].get(record["id"])
        if record["section"] == "second" and result and result["value"] is None:
            continue  # the table of assumptions says why
        by_group.setdefault(record["section"], []).append(
            card(record, result, f"/derivations/{number}")
        )
    known = [g.key for g in sections.groups()]
    for key in (sections.BYTES, *known, *(k for k in by_group if k not in known)):
        if key in by_group:
            yield sections.group(key), by_group.pop(key)


def card(record: Mapping[str, Any], result: Mapping[str, Any] | None, pointer: str) -> Card:
    """One derivation as a card."""
    rows = _kept_together(list(_rows(record["steps"])))
    counts = Counter(check["by"] for step in record["steps"] for check in step["checks"])
    checks = tuple((by, counts[by]) for by in CHECKERS if counts[by])
    tall = sum(max(equations.height(r.latex, r.room), 24.0) + 12.0 for r in rows) + 90.0
    long = tall > LONGEST_UNBROKEN and not all(r.keep for r in rows[:-1])
    made = Card(record, result, rows, pointer, long, checks=checks)
    if result is None or result.get("value") is None:
        return made
    shown = split(main_text(result))
    low, high, peak = (end(result, key, shown.unit) for key in ("low", "high", "peak"))
    if low == high:
        low = high = None
    return replace(made, shown=shown, low=low, high=high, peak=peak)


def end(result: Mapping[str, Any], key: str, like: str) -> Shown | None:
    """One end of a range; where the exact fraction is too long to note, from its number."""
    exact, near = result.get(f"{key}_exact"), result.get(key)
    if exact:
        return written(exact, str(result["unit"]), like)
    return replace(written(str(near), str(result["unit"]), like), sign="≈ ") if near else None


def _kept_together(rows: Sequence[Row]) -> tuple[Row, ...]:
    """A card breaks only between three rows and three; what is given stays with what takes it."""
    last = len(rows) - 1
    return tuple(
        replace(row, keep=n < last and (n < FEWEST - 1 or n > last - FEWEST or row.kind == "given"))
        for n, row in enumerate(rows)
    )


def _rows(steps: Sequence[Mapping[str, Any]]) -> Iterator[Row]:
    before = ""
    waiting = list(_named(steps))
    while waiting:
        step = waiting.pop(0)
        row = _row(step, before)
        if waiting and (tail := _tail(row, waiting[0])):
            after = waiting.pop(0)
            one, two = row.rule_name, after["rule_name"]
            names = {lang: f"{one[lang]}{comma}{two[lang]}" for lang, comma in COMMAS.items()}
            row = replace(row, rule_name=names, tail=tail, tail_alt=alt(after))
        yield row
        before = row.kind


def _named(steps: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """Where values are searched, a side of the equation under its name: it stands in full above."""
    equation = next((s for s in steps if s["rule"] == "equation"), None)
    full = ""
    for step in steps:
        if step["rule"] == "search" and equation and step["left"] == full:
            name = RELATION.split(equation["latex"][0], maxsplit=1)[0]
            value = RELATION.split(step["latex"][0])[-1]
            sign = r"\approx" if step["relation"] == "≈" else "="
            yield {**step, "left": equation["left"], "latex": [f"{name} {sign} {value}"]}
            continue
        if step["rule"] not in GIVEN:
            full = full if step["rule"] == "search" else step["left"]
        yield step


def _row(step: Mapping[str, Any], before: str) -> Row:
    kind, reason = _kind(step, before), step["reason"]
    finished = kind == "numeric" and step["rule"] != "values"
    latex = [per_request(line) for line in step["latex"]] if finished else step["latex"]
    decides = DECIDES.get(reason["en"], "") if reason and step["rule"] == "case" else ""
    room = BESIDE - (INDENT if kind == "given" else 0)
    beside = bool(reason) and math.measure(latex[0], equations.PRINT_SIZE) <= room
    first = kind != before and not (before == "given" and kind == "symbolic")
    first = first or kind == before == "symbolic"
    first = first and not (step["rule"] == "search" and before == "given")
    return Row(
        step["rule"],
        step["rule_name"],
        latex,
        alt(step),
        reason,
        kind,
        beside,
        first,
        decides,
    )


def _kind(step: Mapping[str, Any], before: str) -> str:
    if step["rule"] in GIVEN:
        return "given"
    if step["rule"] in NUMERIC or (step["rule"] == "case" and before == "numeric"):
        return "numeric"
    return "symbolic"


def _tail(row: Row, after: Mapping[str, Any]) -> str:
    """The rounding after an exact result, where both stand on one line."""
    if row.rule != "compute" or row.reason or after["rule"] != "round" or after["reason"]:
        return ""
    _, sign, right = str(after["latex"][0]).partition(r"\approx")
    right = per_request(right)
    wide = math.measure(row.latex[0], equations.PRINT_SIZE)
    if not sign or wide + math.measure(rf"\approx {right}", equations.PRINT_SIZE) > ALONE - 12:
        return ""
    return rf"{{}} {sign} {right}"


def alt(step: Mapping[str, Any]) -> str:
    """A step as plain text: what stands behind its picture."""
    line = f"{step['left']} {step['relation']} {step['right']}"
    if step["before"] is not None:
        line = f"{step['left']} = {step['before']} {step['relation']} {step['right']}"
    return line
