"""Comparison: the same derivations for several scenarios, and the symbol that moved each ratio."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from derive.derivation.points import in_contract
from derive.errors import columns, printable
from derive.formula import catalogue, standing_in, unit_of
from derive.specs.types import Scenario
from derive.study.bind import Bound, bind
from derive.study.compare_reasons import EXPLAINED, Side, reason, side
from derive.study.results import Result, exact_text, fitting, number, results, said, shown
from derive.study.verdict import wall
from derive.text import Text, same, tr
from derive.units import Quantity, show, unit

# id -> +1 where more is better, -1 where less is, 0 where neither can be said
ROWS = {
    "TTFT": -1,
    "TPOT": -1,
    "TTFT_mix": -1,
    "TPOT_mix": -1,
    "X": 1,
    "b_max": 1,
    "b_max_reserved": 1,
    "b_slo": 1,
    "replicas": -1,
    "g_fleet": -1,
    "cost_token": -1,
    "energy_token": -1,
    "TPOT_floor": 0,
    "R_max": 0,
    "I_ridge": 0,
    "b_crit": 0,
    "T_wall": 0,
    "g_fit": 0,
}
TARGETS = {
    "TTFT": "target_TTFT",
    "TPOT": "target_TPOT",
    "TTFT_mix": "target_TTFT",  # chunks of prompts among decode keep or miss it on their own
    "TPOT_mix": "target_TPOT",
}
Results = dict[str, Result]


@dataclass(frozen=True)
class Base:
    """What every other scenario is compared with, found under its own formulas."""

    bound: Bound
    results: Results
    fits: bool
    sides: dict[str, Side | None]


def comparison(base: Scenario, others: Sequence[tuple[str, Scenario]]) -> dict[str, Any]:
    """Values of each scenario and their ratio to the first, with the inputs that differ."""
    bound = bind(base)
    with standing_in(bound.variants):
        found = results(bound)
    first = Base(bound, found, bool(fitting(bound)), {row: side(bound, row) for row in EXPLAINED})
    made = [column(base.id, first, bound, found)]
    for change, other in others:
        there = bind(other)
        with standing_in(there.variants):
            found = results(there)
        made.append(column(change, first, there, found))
    models = [base.model, *(other.model for _, other in others)]
    told = dict.fromkeys(text for model in models for text in model.cautions)
    return {"scenario": base.id, "columns": made, "cautions": [text.json() for text in told]}


def column(name: str, first: Base, bound: Bound, found: Results) -> dict[str, Any]:
    """One scenario beside the first."""
    alone = bound is first.bound
    with standing_in(bound.variants):  # what a factor depends on is asked of them
        why = {
            row: reason(row, first.sides[row], side(bound, row), found[row]) for row in EXPLAINED
        }
    return {
        "name": name,
        "fits": bool(fitting(bound)),
        "verdict": verdict(first, bound, found).json(),
        "rows": {row: cell(row, first.results[row], found[row]) for row in ROWS},
        "moved": moved(first.bound, bound),
        "wall": wall(found)[1].json(),
        "reasons": why,
        "reason": tr("the base").json() if alone else why["TPOT"]["text"],
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
    both |= {
        i: (span(first, i), span(bound, i)) for i in {**first.calibration, **bound.calibration}
    }
    return {i: {"from": a, "to": b} for i, (a, b) in both.items() if a != b}


def value_of(bound: Bound, name: str) -> str:
    """An input as printed, a dash where it is not given."""
    return shown(bound.inputs[name].quantity) if name in bound.inputs else "–"


def span(bound: Bound, name: str) -> str:
    """Low, typical and high of a calibration."""
    if name not in bound.calibration:
        return value_of(bound, name)
    values = dict.fromkeys(bound.calibration[name])
    return " / ".join(show(in_contract(v, unit_of(name))).text for v in values)


def verdict(first: Base, bound: Bound, found: Results) -> Text:
    """What the change is good for, in one sentence."""
    if bound is first.bound:
        return tr("the base")
    if not fitting(bound):
        return found["TPOT"].why or tr("the scenario does not fit")
    better, worse = list[Text](), list[Text]()
    for row, sign in ROWS.items():
        times = ratio(first.results[row], found[row])
        if sign and times and times.value != 1:
            good = (times.value > 1) == (sign > 0)
            (better if good else worse).append(moves(row, factor(times)))
    parts = [] if first.fits else [tr("now it fits")]
    parts += [tr("better: {rows}", rows=in_a_row(better))] if better else []
    parts += [tr("worse: {rows}", rows=in_a_row(worse))] if worse else []
    parts += [t for row in TARGETS if (t := target(row, first, bound, found))]
    price, other = first.bound.inputs.get("price"), bound.scenario.hardware.id
    if price and price == bound.inputs.get("price") and other != first.bound.scenario.hardware.id:
        parts.append(tr("at the same {price}", price=said(price.quantity)))
    return joined(parts or [tr("nothing changes")])


def moves(row: str, times: str) -> Text:
    """`requests that fit in memory 2.41×`; TTFT and TPOT are called so."""
    name = same(row) if row in ("TTFT", "TPOT") else catalogue()[row].name
    return Text(f"{name.en} {times}", f"{name.zh} {times}")


def in_a_row(items: Sequence[Text]) -> Text:
    """Items between the commas of each language."""
    return Text(", ".join(i.en for i in items), "、".join(i.zh for i in items))


def target(row: str, first: Base, bound: Bound, found: Results) -> Text | None:
    """A target that is missed, or met where it was not."""
    goal = bound.inputs.get(TARGETS[row])
    value = found[row].value
    if goal is None or value is None:
        return None
    name, shown_goal = same(row), said(goal.quantity)
    if value.base > goal.quantity.base:
        return tr("the {name} target of {goal} is missed", name=name, goal=shown_goal)
    old_goal, old = first.bound.inputs.get(TARGETS[row]), first.results[row].value
    if old is None and first.fits:
        return None  # the base has no such time: a switch made it
    if old is None or old_goal is None or old.base > old_goal.quantity.base:
        return tr("the {name} target of {goal} is now met", name=name, goal=shown_goal)
    return None


def joined(parts: Sequence[Text]) -> Text:
    """Parts of a sentence in a row."""
    return Text("; ".join(p.en for p in parts), "；".join(p.zh for p in parts))


def comparison_table(found: dict[str, Any], lang: str) -> str:
    """The terminal's table: a column a scenario, values with ratios."""
    rows = [("", *(printable(c["name"], 60) for c in found["columns"]))]
    told = [r for r in ROWS if any(c["rows"][r]["value"] is not None for c in found["columns"])]
    for row in told:
        cells = []
        for i, c in enumerate(found["columns"]):
            cell = c["rows"][row]
            times = f"  ({cell['ratio_shown']})" if i and cell["ratio"] is not None else ""
            cells.append(cell["display"] + times)
        rows.append((row, *cells))
    lines = columns(rows)
    for c in found["columns"][1:]:
        changed = "; ".join(f"{n}: {m['from']} → {m['to']}" for n, m in c["moved"].items())
        reasons = (f"{row}: {c['reasons'][row]['text'][lang]}" for row in EXPLAINED)
        said_of = dict.fromkeys((c["verdict"][lang], *reasons, c["wall"][lang], changed))
        lines += ["", printable(c["name"], 60), *(f"   {line}" for line in said_of if line)]
    return "\n".join(lines)
