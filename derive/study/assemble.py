"""Scenario in, ledger out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from derive import __version__
from derive.derivation.numeric import value_steps
from derive.derivation.points import Absent, Point, Undefined
from derive.derivation.steps import RULES, Step
from derive.derivation.stored import cards, crossings, trees
from derive.errors import DeriveError
from derive.expression.latex import latex
from derive.expression.text import plain
from derive.expression.wrapped import settings
from derive.formula import Formula, active, catalogue, letters, standing_in
from derive.ledger import FORMAT, Ledger, sealed
from derive.notation import CONSTANTS, SYMBOLS
from derive.specs.types import Scenario, Source
from derive.study import bind as binding
from derive.study.adding import adding
from derive.study.bind import Bound
from derive.study.checklist import checklist
from derive.study.figures import figures
from derive.study.findings import findings
from derive.study.inputs import Input
from derive.study.levers import ACTIONS, Elasticity, elasticities, without_elasticity
from derive.study.misconceptions import misconceptions
from derive.study.ranges import range_of
from derive.study.results import (
    Result,
    exact_text,
    fitting,
    is_known,
    result,
    results,
    shown,
    value_json,
)
from derive.study.values import unknown_symbol
from derive.study.verdict import assumptions, best_lever, fits, per_percent, sentence, tiles, wall
from derive.units import gib
from derive.units.writing import show

Progress = Callable[[str], None]


def study(
    scenario: Scenario,
    sources: Mapping[str, Source],
    progress: Progress = lambda _: None,
    asked: Sequence[str] = (),
) -> Ledger:
    """Bind, evaluate, derive, prove; the whole record, sealed."""
    catalogue()
    bound = binding.bind(scenario)
    with standing_in(bound.variants):
        return assembled(bound, sources, progress, asked)


def assembled(
    bound: Bound, sources: Mapping[str, Source], progress: Progress, asked: Sequence[str]
) -> Ledger:
    """The record of a bound scenario, under the formulas that fit its model."""
    scenario = bound.scenario
    found = results(bound)
    progress("derivations")
    derivations = [
        derivation(bound, f, found[f.id]) for f in catalogue().values() if not found[f.id].absent
    ]
    progress("levers")
    levers = elasticities(bound.typical) if fits(bound, found) else []
    missing = without_elasticity(bound.typical) if fits(bound, found) else []
    progress("figures")
    best = best_lever(levers)
    side, how_far = wall(found)
    body: dict[str, Any] = {
        "format": FORMAT,
        "variants": list(active()),
        "program": f"derive {__version__}",
        "scenario": {**header(scenario), "asked": list(asked)},
        "verdict": {
            "fits": fits(bound, found),
            "side": side,
            "wall": how_far.json(),
            "sentence": sentence(bound, found).json(),
            "tiles": tiles(bound, found),
            "lever": best.json() if best else None,
        },
        "findings": [
            {"id": f.id, "severity": f.severity, "text": f.text.json()}
            for f in findings(bound, found)
        ],
        "inputs": [input_record(i) for i in bound.inputs.values()],
        "calibration": calibration(bound),
        "constants": [constant(c) for c in CONSTANTS],
        "symbols": symbols(),
        "derivations": derivations,
        "results": {n: value_json(n, r) for n, r in found.items() if not r.absent},
        "levers": [lever(e) for e in levers],
        "levers_missing": [
            {"target": e.target, "lever": e.lever, "text": e.text.json()} for e in missing
        ],
        "assumptions": assumptions(bound, found),
        "adding": adding(bound),
        "notes": [n.json() for n in (*scenario.model.notes, *scenario.hardware.notes)],
        "checklist": checklist(bound, found, levers),
        "misconceptions": misconceptions(bound, found, levers),
        "figures": figures(bound),
    }
    body["sources"] = cited(body, sources)
    return sealed(body)


def explain(symbol: str, scenario: Scenario | None) -> dict[str, Any]:
    """The derivation of one id, or the record of one input; with numbers where a scenario is given."""
    if not is_known(symbol):
        raise DeriveError(unknown_symbol(symbol))
    bound = binding.bind(scenario) if scenario else None
    with standing_in(bound.variants if bound else ()):
        return explained(symbol, bound)


def explained(symbol: str, bound: Bound | None) -> dict[str, Any]:
    """The same under the formulas that fit the model."""
    if symbol in catalogue():
        found = result(bound, symbol, fitting(bound)) if bound else None
        record = derivation(bound, catalogue()[symbol], found)
        return {**record, "result": value_json(symbol, found) if found else None}
    if symbol in CONSTANTS:
        return {"id": symbol, "input": constant(symbol)}
    if bound and symbol in bound.inputs:
        return {"id": symbol, "input": input_record(bound.inputs[symbol])}
    about = SYMBOLS[symbol]
    return {
        "id": symbol,
        "input": {"id": symbol, "unit": about.unit.text, "meaning": about.meaning.json()},
    }


def header(scenario: Scenario) -> dict[str, Any]:
    """What was asked."""
    return {
        "id": scenario.id,
        "title": scenario.title.json(),
        "date": scenario.date,
        "model": {"id": scenario.model.id, "name": scenario.model.name.json()},
        "hardware": {"id": scenario.hardware.id, "name": scenario.hardware.name.json()},
        "precision": dict(scenario.precision),
        "overrides": {n: v.text for n, v in scenario.overrides.items()},
        **({"parallel": dict(scenario.parallel)} if scenario.parallel else {}),
        **({"files": files} if (files := other_files(scenario)) else {}),
        **({"draft": draft} if (draft := drafting(scenario)) else {}),
    }


def drafting(scenario: Scenario) -> dict[str, str]:
    """The model that drafts and the format of its weights."""
    if scenario.draft is None:
        return {}
    model = scenario.draft.model
    return {**({"model": model.id} if model else {}), "weights": scenario.draft.weights}


def other_files(scenario: Scenario) -> dict[str, str]:
    """The files of scenario, model and accelerator that are called otherwise than what they hold."""
    of: dict[str, Any] = {
        "scenario": scenario,
        "model": scenario.model,
        "hardware": scenario.hardware,
    }
    stems = {kind: binding.origin(one.place).partition(": ")[0] for kind, one in of.items()}
    return {
        kind: stems[kind].removesuffix(".yaml")
        for kind, one in of.items()
        if stems[kind].endswith(".yaml") and stems[kind] != f"{one.id}.yaml"
    }


def input_record(given: Input) -> dict[str, Any]:
    """One input with its provenance."""
    symbol = SYMBOLS.get(given.id)
    meaning = symbol.meaning if symbol else catalogue()[given.id].name
    second = gib(given.quantity).text if given.id in ("M_dev", "M_other") else ""
    return {
        "id": given.id,
        "latex": letters(given.id),
        "meaning": meaning.json(),
        "about": symbol.about if symbol else "derived",
        "unit": given.quantity.unit.text,
        "exact": exact_text(given.quantity.value),
        "text": given.text,
        "shown": shown(given.quantity),
        "beside": second,
        "basis": [b.json() for b in given.basis],
        "sources": list(given.sources),
        "how": given.how.json() if given.how else None,
        "printed": given.printed,
        "origin": given.origin,
    }


def calibration(bound: Bound) -> dict[str, Any]:
    """The ranges with their sources."""
    made = {}
    of = {"MFU": bound.scenario.MFU, "MBU": bound.scenario.MBU, "t_launch": bound.scenario.launch}
    for name, values in of.items():
        if name not in bound.calibration or values is None:
            continue
        made[name] = {
            key: {
                "exact": exact_text(v.quantity.base),
                "text": v.text,
                "sources": list(v.sources),
                "how": v.how.json() if v.how else None,
                "origin": binding.origin(v.place),
            }
            for key, v in zip(("low", "typical", "high"), values, strict=True)
        }
    return made


def constant(name: str) -> dict[str, Any]:
    """A named constant."""
    c = CONSTANTS[name]
    return {
        "id": name,
        "latex": c.latex,
        "unit": c.unit.text,
        "exact": exact_text(c.value.value),
        "shown": show(c.value).text,
        "reason": c.reason.json(),
    }


def symbols() -> dict[str, Any]:
    """Unit and LaTeX of everything that may stand in a line."""
    table: dict[str, Any] = {
        n: {"latex": s.latex, "unit": s.unit.text, "meaning": s.meaning.json()}
        for n, s in SYMBOLS.items()
    }
    table |= {
        n: {"latex": c.latex, "unit": c.unit.text, "meaning": c.reason.json()}
        for n, c in CONSTANTS.items()
    }
    table |= {
        n: {"latex": f.latex, "unit": f.unit.text, "meaning": f.name.json()}
        for n, f in catalogue().items()
    }
    return table


def derivation(bound: Bound | None, formula: Formula, found: Result | None) -> dict[str, Any]:
    """The card of one formula: symbolic steps, with a scenario also numbers and conditions."""
    made = cards()[formula.id]
    if bound is None:
        return card(formula, [*made.steps, *made.dense_steps], [])
    point = bound.typical
    steps = list(made.steps)
    dense = point.given.get("N") == point.given.get("N_act") and not {"W", "W_read", "F_tok"} & set(
        bound.derived
    )
    if dense:
        steps += made.dense_steps
    if formula.id in bound.derived:
        steps = []
    elif found is not None and found.value is not None:
        steps += value_steps(formula, point)
    by_hand = formula.id in bound.derived
    return card(formula, steps, conditions(formula, point), by_hand=by_hand, dense=dense)


def card(
    formula: Formula,
    steps: list[Step],
    held: list[dict[str, Any]],
    *,
    by_hand: bool = False,
    dense: bool = True,
) -> dict[str, Any]:
    """The record of a derivation."""
    searched = formula.id in crossings()
    sized = formula.dense and not dense  # the model's size cancels for a dense model only
    variable = (formula.solve or formula.within or (None,))[-1]
    return {
        "id": formula.id,
        "section": formula.section,
        "latex": formula.latex,
        "unit": formula.unit.text,
        "name": formula.name.json(),
        "reason": formula.reason.json(),
        "calibre": formula.calibre,
        # what holds of a closed form need not hold of a value that was searched
        "reading": formula.reading.json() if formula.reading and not (searched or sized) else None,
        "sources": list(formula.sources),
        **({"range": ends} if (ends := range_of(formula.id)) and not by_hand else {}),
        **value_record(formula.id),
        "set_by_hand": by_hand,
        "variable": variable,
        "steps": [step_record(s) for s in steps],
        "conditions": held,
    }


def value_record(name: str) -> dict[str, Any]:
    """What gives the value: an expression, or the two sides between which it was searched."""
    if name not in crossings():
        return {"tree": plain(trees()[name])}
    found = crossings()[name]
    return {
        "tree": "",
        "search": {
            "left": plain(found.left),
            "right": plain(found.right),
            "largest": found.largest,
            **({"smallest": True} if found.smallest else {}),
        },
    }


def conditions(formula: Formula, point: Point) -> list[dict[str, Any]]:
    """Validity and existence, and whether they hold here."""
    rows = []
    for kind, condition in [
        *(("valid", c) for c in formula.valid),
        *([("exists", formula.exists)] if formula.exists else []),
    ]:
        try:
            holds = point.holds(condition)
        except (Absent, Undefined):
            continue
        lacking = kind == "exists" and not holds
        meaning = point.lacking(formula, condition) if lacking else condition.meaning
        left, sign, right = condition.parts
        rows.append(
            {
                "kind": kind,
                "text": f"{plain(left)} {sign} {plain(right)}",
                "meaning": meaning.json(),
                "latex": f"{latex(left, letters)} {SIGNS[sign]} {latex(right, letters)}",
                "holds": holds,
            }
        )
    return rows


SIGNS = {
    "=": "=",
    "≈": r"\approx",
    "→": r"\to",
    "≤": r"\leq",
    "≥": r"\geq",
    "<": "<",
    ">": ">",
    "<=": r"\leq",
    ">=": r"\geq",
}


def step_record(step: Step) -> dict[str, Any]:
    """A step as the ledger keeps it: plain text that reads back, and LaTeX from wide to narrow."""
    times = "×" if step.rule in ("values", "compute", "round") else "·"

    def struck(name: str) -> str:
        return rf"\cancel{{{letters(name)}}}" if name in step.struck else letters(name)

    left = latex(step.left, letters)
    if step.rule == "limit":
        left = rf"\lim_{{b \to \infty}} {left}"
    middle = f" = {latex(step.before, struck)}" if step.before is not None and step.struck else ""
    sign = "=" if step.rule == "limit" else SIGNS[step.relation]
    return {
        "rule": step.rule,
        "rule_name": RULES[step.rule].json(),
        "left": plain(step.left),
        "relation": step.relation,
        "right": plain(step.right, dot=times),
        "before": plain(step.before) if step.before is not None else None,
        "latex": settings(f"{left}{middle} {sign}", step.right, letters),
        "reason": step.reason.json() if step.reason else None,
        "checks": [{"by": c.by, "found": c.found} for c in step.checks],
    }


def lever(found: Elasticity) -> dict[str, Any]:
    """A row of the levers table."""
    return {
        "target": found.target,
        "lever": found.lever,
        "action": ACTIONS[found.lever].json(),
        "tree": plain(found.tree),
        "latex": latex(found.tree, letters),
        "exact": exact_text(found.value),
        "shown": per_percent(found.value),
        "branch": plain(found.steps[0].right),
        "checks": [{"by": c.by, "found": c.found} for s in found.steps for c in s.checks],
    }


def cited(body: Mapping[str, Any], sources: Mapping[str, Source]) -> list[dict[str, str]]:
    """Every source that something names, in the order of first mention."""
    keys: dict[str, None] = {}
    for row in (*body["inputs"], *body["derivations"]):
        keys |= dict.fromkeys(row["sources"])
    for triple in body["calibration"].values():
        for value in triple.values():
            keys |= dict.fromkeys(value["sources"])
    return [asdict(sources.get(k) or Source(k, k)) for k in keys]
