"""Comparison: the same derivations for several scenarios, and the symbol that moved each ratio."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from derive.errors import columns, printable
from derive.formula import standing_in
from derive.specs.types import Scenario
from derive.study.bind import Bound, bind
from derive.study.results import Result, exact_text, fitting, number, results, said, shown
from derive.study.verdict import wall
from derive.text import Text, same, tr
from derive.units import Quantity, show, unit

# id -> +1 where more is better, -1 where less is, 0 where neither can be said
ROWS = {
    "TTFT": -1,
    "TPOT": -1,
    "X": 1,
    "b_max": 1,
    "b_max_reserved": 1,
    "b_slo": 1,
    "replicas": -1,
    "cost_token": -1,
    "energy_token": -1,
    "TPOT_floor": 0,
    "R_max": 0,
    "I_ridge": 0,
    "b_crit": 0,
    "T_wall": 0,
    "g_fit": 0,
}
TARGETS = {"TTFT": "target_TTFT", "TPOT": "target_TPOT"}
Results = dict[str, Result]


def comparison(base: Scenario, others: Sequence[tuple[str, Scenario]]) -> dict[str, Any]:
    """Values of each scenario and their ratio to the first, with the inputs that differ."""
    first = bind(base)
    with standing_in(first.variants):
        start = results(first)
        made = [column(base.id, first, first, start, start)]
    for change, other in others:
        bound = bind(other)
        with standing_in(bound.variants):
            made.append(column(change, first, bound, start, results(bound)))
    models = [base.model, *(other.model for _, other in others)]
    told = dict.fromkeys(text for model in models for text in model.cautions)
    return {"scenario": base.id, "columns": made, "cautions": [text.json() for text in told]}


def column(name: str, first: Bound, bound: Bound, start: Results, found: Results) -> dict[str, Any]:
    """One scenario beside the first."""
    return {
        "name": name,
        "fits": bool(fitting(bound)),
        "verdict": verdict(first, bound, start, found).json(),
        "rows": {row: cell(row, start[row], found[row]) for row in ROWS},
        "moved": moved(first, bound),
        "wall": wall(found)[1].json(),
        "reason": reason(first, bound, start, found).json(),
    }


def cell(row: str, before: Result, after: Result) -> dict[str, Any]:
    """One value with its ratio to the first scenario's."""
    here, times = after.value, ratio(before, after)
    return {
        "value": number(row, here) if here else None,
        "exact": exact_text(here.value) if here else None,
        "display": shown(here) if here else "–",
        "why": after.why.json() if after.why else None,
        "ratio": float(times.value) if times else None,
        "ratio_shown": factor(times) if times else "–",
    }


def ratio(before: Result, after: Result) -> Quantity | None:
    """After over before, where both exist."""
    if before.value is None or after.value is None or not before.value.value:
        return None
    return Quantity(after.value.value / before.value.value, unit(""))


def factor(times: Quantity) -> str:
    """`0.521×`."""
    return show(times, 3).number + "×"


def moved(first: Bound, bound: Bound) -> dict[str, dict[str, str]]:
    """The inputs that differ, the calibration included."""
    ids = dict.fromkeys((*first.inputs, *bound.inputs))
    both = {i: (value_of(first, i), value_of(bound, i)) for i in ids}
    both |= {i: (span(first, i), span(bound, i)) for i in bound.calibration}
    return {i: {"from": a, "to": b} for i, (a, b) in both.items() if a != b}


def value_of(bound: Bound, name: str) -> str:
    """An input as printed, a dash where it is not given."""
    return shown(bound.inputs[name].quantity) if name in bound.inputs else "–"


def span(bound: Bound, name: str) -> str:
    """Low, typical and high of a calibration."""
    values = (show(Quantity(v, unit(""))).number for v in dict.fromkeys(bound.calibration[name]))
    return " / ".join(values)


def verdict(first: Bound, bound: Bound, start: Results, found: Results) -> Text:
    """What the change is good for, in one sentence."""
    if bound is first:
        return tr("the base")
    if not fitting(bound):
        return found["TPOT"].why or tr("the scenario does not fit")
    better, worse = list[str](), list[str]()
    for row, sign in ROWS.items():
        times = ratio(start[row], found[row])
        if sign and times and times.value != 1:
            good = (times.value > 1) == (sign > 0)
            (better if good else worse).append(f"{row} {factor(times)}")
    parts = [] if fitting(first) else [tr("now it fits")]
    parts += [tr("better: {rows}", rows=", ".join(better))] if better else []
    parts += [tr("worse: {rows}", rows=", ".join(worse))] if worse else []
    parts += [t for row in TARGETS if (t := target(row, first, bound, start, found))]
    price, other = first.inputs.get("price"), bound.scenario.hardware.id
    if price and price == bound.inputs.get("price") and other != first.scenario.hardware.id:
        parts.append(tr("at the same {price}", price=said(price.quantity)))
    return joined(parts or [tr("nothing changes")])


def target(row: str, first: Bound, bound: Bound, start: Results, found: Results) -> Text | None:
    """A target that is missed, or met where it was not."""
    goal = bound.inputs.get(TARGETS[row])
    value = found[row].value
    if goal is None or value is None:
        return None
    name, shown_goal = same(row), said(goal.quantity)
    if value.base > goal.quantity.base:
        return tr("the {name} target of {goal} is missed", name=name, goal=shown_goal)
    old_goal, old = first.inputs.get(TARGETS[row]), start[row].value
    if old is None or old_goal is None or old.base > old_goal.quantity.base:
        return tr("the {name} target of {goal} is now met", name=name, goal=shown_goal)
    return None


def joined(parts: Sequence[Text]) -> Text:
    """Parts of a sentence in a row."""
    return Text("; ".join(p.en for p in parts), "；".join(p.zh for p in parts))


def at_hand(bound: Bound, results: Results, name: str) -> Fraction:
    """A result's or an input's value in base units."""
    found = results[name].value if name in results else bound.inputs[name].quantity
    return found.base if found is not None else Fraction(0)


def reason(first: Bound, bound: Bound, start: Results, found: Results) -> Text:
    """Why TPOT moved as it did: the ratios of the bytes and of the bandwidth behind it."""
    if bound is first:
        return tr("the base")
    if found["TPOT"].value is None:
        return found["TPOT"].why or same("")
    side, _ = wall(found)
    roof = ("F_step", "g", "P_peak") if side == "compute" else ("Q_step", "g", "B_peak")
    changes = []
    for name in roof:
        before, after = at_hand(first, start, name), at_hand(bound, found, name)
        if before != after and before:
            changes.append(f"{name} {factor(Quantity(after / before, unit('')))}")
    what = (
        tr("memory side: TPOT follows Q_step / (g · B_peak)")
        if side == "memory"
        else tr("compute side: TPOT follows F_step / (g · P_peak)")
    )
    return tr("{what}; {moved}", what=what, moved=same(", ".join(changes))) if changes else what


def comparison_table(found: dict[str, Any], lang: str) -> str:
    """The terminal's table: a column a scenario, values with ratios."""
    rows = [("", *(printable(c["name"], 60) for c in found["columns"]))]
    for row in ROWS:
        cells = []
        for i, c in enumerate(found["columns"]):
            cell = c["rows"][row]
            times = f"  ({cell['ratio_shown']})" if i and cell["ratio"] is not None else ""
            cells.append(cell["display"] + times)
        rows.append((row, *cells))
    lines = columns(rows)
    for c in found["columns"][1:]:
        changed = "; ".join(f"{n}: {m['from']} → {m['to']}" for n, m in c["moved"].items())
        told = dict.fromkeys((c["verdict"][lang], c["reason"][lang], c["wall"][lang], changed))
        lines += ["", printable(c["name"], 60), *(f"   {line}" for line in told if line)]
    return "\n".join(lines)
