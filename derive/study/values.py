"""Values for `eval`: the contract's JSON and a terminal table."""

from __future__ import annotations

from typing import Any

from derive.errors import DeriveError, Problem, columns, printable
from derive.formula import catalogue, standing_in
from derive.notation import CONSTANTS, SYMBOLS, known
from derive.specs.faults import LONGEST_NAME, nearest
from derive.specs.types import Scenario
from derive.study.bind import Bound, bind
from derive.study.inputs import SIDE_BY_SIDE, lacks
from derive.study.results import Result, fitting, input_json, is_known, result, results, value_json
from derive.text import Text, tr

MOST_LIKE = 5  # ids that an unknown one is answered with


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
            why = lacks(name, bound.inputs) if name in SIDE_BY_SIDE else plain
            found[name] = value_json(name, Result(name, None, why=why))
    return found


def unknown_symbol(name: str) -> Problem:
    """A misspelt id with the nearest known one, else those of a like name or meaning."""
    what = tr("unknown symbol {name}", name=printable(name, 60))
    if near := nearest(name, [*catalogue(), *known()]):
        return Problem("E102", what, hint=near)
    rows = tuple((one, of_symbol(one)) for one in like(name)[:MOST_LIKE])
    hint = tr("{command} lists every result with its id", command="derive eval SCENARIO")
    return Problem("E102", what, rows=rows, hint=hint)


def like(word: str) -> list[str]:
    """Ids whose name holds a word, then those whose meaning does: cost, memory, 显存."""
    if not 1 < len(word) <= LONGEST_NAME:
        return []
    sought, ids = word.casefold(), list(dict.fromkeys([*catalogue(), *known()]))
    named = [one for one in ids if sought in one.casefold()]
    meant = [
        one for one in ids
        if any(sought in of_symbol(one).in_(lang).casefold() for lang in ("en", "zh"))
    ]  # fmt: skip
    return list(dict.fromkeys([*named, *meant]))


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
    return of_symbol(name).in_(lang)


def of_symbol(name: str) -> Text:
    """The same in both languages."""
    if name in catalogue():
        return catalogue()[name].name
    return SYMBOLS[name].meaning if name in SYMBOLS else CONSTANTS[name].reason
