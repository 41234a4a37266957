"""Cards: a derivation of the ledger with what a page needs to set it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from derive.render import equations, sections
from derive.render.numbers import Shown, main_text, split, written

# Widths in px of a page 172 mm wide; the templates' style sheets have the same columns.
INNER = 628.0
RULE, REASON, GAP, INDENT = 80.0, 262.0, 10.0, 14.0
BESIDE = INNER - RULE - REASON - 2 * GAP  # room for mathematics with its reason at its side
ALONE = INNER - RULE - GAP
LONGEST_UNBROKEN = 330.0  # px: taller cards may break between rows

GIVEN = frozenset({"insert", "fix"})
NUMERIC = frozenset({"values", "compute", "convert", "round"})
COMMAS = {"en": ", ", "zh": "、"}
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
    span: tuple[Shown, Shown] | None = None
    peak: Shown | None = None
    checks: tuple[tuple[str, int], ...] = field(default=())

    @property
    def anchor(self) -> str:
        """Its fragment in page and document."""
        return f"d-{self.record['id']}"

    @property
    def checked(self) -> str:
        """The checks that were run, and how often."""
        return ", ".join(f"{by}\u00a0{count}" for by, count in self.checks)


def cards(ledger: Mapping[str, Any]) -> Iterator[tuple[sections.Part, list[Card]]]:
    """Groups of cards in reading order, empty groups left out; unknown groups come last."""
    by_group: dict[str, list[Card]] = {}
    for number, record in enumerate(ledger["derivations"]):
        result = ledger["results"].get(record["id"])
        by_group.setdefault(record["section"], []).append(card(record, result, f"/derivations/{number}"))
    known = [g.key for g in sections.groups()]
    for key in (sections.SECTION_OF_BYTES, *known, *(k for k in by_group if k not in known)):
        if key in by_group:
            yield sections.group(key), by_group.pop(key)


def card(record: Mapping[str, Any], result: Mapping[str, Any] | None, pointer: str) -> Card:
    """One derivation as a card."""
    rows = tuple(_rows(record["steps"]))
    counts = Counter(check["by"] for step in record["steps"] for check in step["checks"])
    checks = tuple((by, counts[by]) for by in CHECKERS if counts[by])
    tall = sum(max(equations.height(r.latex, r.room), 24.0) + 12.0 for r in rows) + 90.0
    made = Card(record, result, rows, pointer, tall > LONGEST_UNBROKEN, checks=checks)
    if result is None or result.get("exact") is None:
        return made
    shown = split(main_text(result))
    contract = str(result["unit"])

    def other(key: str) -> Shown | None:
        exact = result.get(f"{key}_exact")
        return written(exact, contract, shown.unit) if exact else None

    low, high, peak = other("low"), other("high"), other("peak")
    span = (low, high) if low and high and low != high else None
    return Card(record, result, rows, pointer, made.long, shown, span, peak, checks)


def _rows(steps: Sequence[Mapping[str, Any]]) -> Iterator[Row]:
    before = ""
    waiting = list(steps)
    while waiting:
        step = waiting.pop(0)
        kind = _kind(step, before)
        reason, decides = step["reason"], ""
        if step["rule"] == "case" and reason and reason["en"] in ("decides", "does not decide"):
            decides = "yes" if reason["en"] == "decides" else "no"
        beside = bool(reason) and _width(step["latex"]) <= BESIDE - (INDENT if kind == "given" else 0)
        first = not (kind == "given" and before == "given") and not (kind == "numeric" and before == "numeric")
        first = first and not (kind == "symbolic" and before == "given")
        row = Row(step["rule"], step["rule_name"], step["latex"], alt(step), reason, kind, beside, first, decides)
        if waiting and (tail := _tail(row, waiting[0])):
            after = waiting.pop(0)
            names = {k: f"{row.rule_name[k]}{comma}{after['rule_name'][k]}" for k, comma in COMMAS.items()}
            row = replace(row, rule_name=names, tail=tail, tail_alt=alt(after))
        yield row
        before = kind


def _tail(row: Row, after: Mapping[str, Any]) -> str:
    """The rounding after an exact result, where both stand on one line."""
    from derive.render import math

    if row.rule != "compute" or row.reason or after["rule"] != "round" or after["reason"]:
        return ""
    _, sign, right = str(after["latex"][0]).partition(r"\approx")
    wide = math.measure(row.latex[0], equations.PRINT_SIZE)
    if not sign or wide + math.measure(rf"\approx {right}", equations.PRINT_SIZE) > ALONE - 12:
        return ""
    return rf"{{}} {sign} {right}"


def _kind(step: Mapping[str, Any], before: str) -> str:
    if step["rule"] in GIVEN:
        return "given"
    if step["rule"] in NUMERIC or (step["rule"] == "case" and before == "numeric"):
        return "numeric"
    return "symbolic"


def _width(latex: Sequence[str]) -> float:
    from derive.render import math

    return min(math.measure(each, equations.PRINT_SIZE) for each in latex[:1])


def alt(step: Mapping[str, Any]) -> str:
    """A step as plain text: what stands behind its picture."""
    line = f"{step['left']} {step['relation']} {step['right']}"
    if step["before"] is not None:
        line = f"{step['left']} = {step['before']} {step['relation']} {step['right']}"
    return line

