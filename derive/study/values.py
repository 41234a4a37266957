"""Values for `eval`: the contract's JSON and a terminal table."""

from __future__ import annotations

from typing import Any

from derive.errors import DeriveError, Problem, columns, printable
from derive.formula import catalogue, standing_in
from derive.notation import CONSTANTS, SYMBOLS, known
from derive.specs.faults import nearest
from derive.specs.types import Scenario
from derive.study.bind import Bound, bind
from derive.study.inputs import SIDE_BY_SIDE, lacks
from derive.study.results import Result, fitting, input_json, is_known, result, results, value_json
from derive.text import tr


def values(scenario: Scenario, wanted: tuple[str, ...] = ()) -> dict[str, Any]:
    """All ids that have their inputs, or exactly those wanted; inputs may be asked for by id too."""
    unknown = [n for n in wanted if not is_known(n)]
    if unknown:
        raise DeriveError([unknown_symbol(n) for n in unknown])
    bound = bind(scenario)
    with standing_in(bound.variants):
        return found_values(bound, wanted)


def found_values(bound: Bound, wanted: tuple[str, ...]) -> dict[str, Any]:
    """The same under the formulas that fit the model."""
    if not wanted:
        return {n: value_json(n, r) for n, r in results(bound).items() if not r.absent}
    fits = fitting(bound)
    found: dict[str, Any] = {}
    for name in wanted:
        if name in catalogue():
            found[name] = value_json(name, result(bound, name, fits))
        elif name in bound.inputs:
            found[name] = input_json(bound, name)
        elif name in CONSTANTS:
            found[name] = value_json(name, Result(name, CONSTANTS[name].value))
        elif name in bound.calibration:
            found[name] = value_json(name, Result(name, bound.typical.quantity(name)))
        else:
            plain = tr("{name} is not given", name=name)
            why = lacks(name, bound.inputs) if name == SIDE_BY_SIDE else plain
            found[name] = value_json(name, Result(name, None, why=why))
    return found


def unknown_symbol(name: str) -> Problem:
    """A misspelt id with the nearest known one."""
    what = tr("unknown symbol {name}", name=printable(name, 60))
    return Problem("E102", what, hint=nearest(name, [*catalogue(), *known()]))


def table(found: dict[str, Any], lang: str) -> str:
    """One line a value: id, display, meaning."""
    rows = []
    for name, record in found.items():
        text = (
            record["display"][lang] if record["value"] is not None else "– " + record["why"][lang]
        )
        rows.append((name, text, meaning(name, lang)))
    return "\n".join(columns(rows)) if rows else ""


def meaning(name: str, lang: str) -> str:
    """What an id stands for."""
    if name in catalogue():
        return catalogue()[name].name.in_(lang)
    if name in SYMBOLS:
        return SYMBOLS[name].meaning.in_(lang)
    return CONSTANTS[name].reason.in_(lang)
