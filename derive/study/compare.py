"""Comparison: the same derivations for several scenarios, and the symbol that moved each ratio."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from derive.errors import columns
from derive.specs.types import Scenario
from derive.study.bind import Bound, bind
from derive.study.results import Result, results, shown
from derive.study.verdict import wall
from derive.text import same, tr
from derive.units import Quantity, show, unit

ROWS = (
    "TTFT",
    "TPOT",
    "X",
    "TPOT_floor",
    "R_max",
    "b_max",
    "b_slo",
    "replicas",
    "cost_token",
    "I_ridge",
    "b_crit",
    "T_wall",
    "g_fit",
)


def comparison(base: Scenario, others: Sequence[tuple[str, Scenario]]) -> dict[str, Any]:
    """Values of each scenario and their ratio to the first, with the inputs that differ."""
    first = bind(base)
    start = results(first)
    columns_ = [column(base.id, first, first, start, start)]
    columns_ += [
        column(change, first, bound, start, results(bound))
        for change, other in others
        for bound in [bind(other)]
    ]
    return {"scenario": base.id, "columns": columns_}


def column(
    name: str, first: Bound, bound: Bound, start: dict[str, Result], found: dict[str, Result]
) -> dict[str, Any]:
    """One scenario beside the first."""
    rows = {}
    for row in ROWS:
        here, there = found[row].value, start[row].value
        ratio = here.value / there.value if here and there and there.value else None
        rows[row] = {
            "display": shown(here) if here else "–",
            "why": why.json() if (why := found[row].why) else None,
            "ratio": float(ratio) if ratio is not None else None,
            "ratio_shown": show(Quantity(ratio, unit("")), 3).number + "×"
            if ratio is not None
            else "–",
        }
    moved = {
        n: {
            "from": shown(first.inputs[n].quantity) if n in first.inputs else "–",
            "to": shown(i.quantity),
        }
        for n, i in bound.inputs.items()
        if n not in first.inputs or first.inputs[n].quantity.base != i.quantity.base
    }
    return {
        "name": name,
        "rows": rows,
        "moved": moved,
        "wall": wall(found)[1].json(),
        "reason": reason(first, bound, start, found).json(),
    }


def reason(first: Bound, bound: Bound, start: dict[str, Result], found: dict[str, Result]) -> Any:
    """Why TPOT moved as it did: the ratios of the bytes and of the bandwidth behind it."""
    if bound is first:
        return tr("the base")
    if found["TPOT"].value is None or start["TPOT"].value is None:
        return found["TPOT"].why or start["TPOT"].why or same("")
    parts = []
    for name in ("Q_step", "B_peak", "g", "P_peak"):
        before, after = first.typical.get(name), bound.typical.get(name)
        if before != after:
            parts.append(f"{name} × {show(Quantity(after / before, unit('')), 3).number}")
    side, _ = wall(found)
    what = (
        tr("memory side: TPOT follows Q_step / (g · B_peak)")
        if side == "memory"
        else tr("compute side: TPOT follows F_step / (g · P_peak)")
    )
    return tr("{what}; {moved}", what=what, moved=same(", ".join(parts))) if parts else what


def comparison_table(found: dict[str, Any], lang: str) -> str:
    """The terminal's table: a column a scenario, values with ratios."""
    heads = ("", *(c["name"] for c in found["columns"]))
    rows = [heads]
    for row in ROWS:
        cells = []
        for i, c in enumerate(found["columns"]):
            cell = c["rows"][row]
            cells.append(
                cell["display"]
                + (f"  ({cell['ratio_shown']})" if i and cell["ratio"] is not None else "")
            )
        rows.append((row, *cells))
    lines = columns(rows)
    for c in found["columns"][1:]:
        moved = "; ".join(f"{n}: {m['from']} → {m['to']}" for n, m in c["moved"].items())
        lines += ["", f"{c['name']}: {c['reason'][lang]}", f"   {c['wall'][lang]}", f"   {moved}"]
    return "\n".join(lines)
