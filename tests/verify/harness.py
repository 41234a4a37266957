"""Ledgers for the tests, and whether a falsification of one is caught.

A whole verification takes a third of a second, and there are some twenty thousand small changes to
a ledger. Each is therefore first shown to the one check that reads its place; what that check finds
the whole verification finds as well, for it runs the same check. Only a change that escapes is
shown to everything.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path as FilePath
from typing import Any

from derive.asked import read_config
from derive.formula import catalogue
from derive.ledger import sealed
from derive.notation import SYMBOLS
from derive.specs import load
from derive.specs.lookup import spec_roots
from derive.study import study
from derive.text import Text
from derive.verify import declared, figures, inputs, judge, levers, prose, results, steps
from derive.verify.specs import check_specs
from derive.verify.texts import Broken, NoValue
from derive.verify.values import Ledger

from .mutations import Mutation, Path, falsified

CONFIGS = FilePath(__file__).resolve().parents[1] / "architecture" / "configs"
SCENARIOS = tuple(load.names("scenario", spec_roots()))
READ_ONCE = ("variants", "derivations", "inputs", "constants", "calibration", "scenario")
Check = Callable[[Ledger], Iterator[Text]]


@cache
def ledger_text(scenario: str, *sets: str) -> str:
    """A ledger as its file holds it; a model may be named by its config.json."""
    units = {i: s.unit.text for i, s in SYMBOLS.items()}
    units |= {i: f.unit.text for i, f in catalogue().items()}
    loaded = load.scenario(scenario, spec_roots(), sets, units, read_config)
    return json.dumps(study(loaded, load.sources()), ensure_ascii=False)


def model(config: str) -> str:
    """The setting that names a model by its config.json."""
    return f"model={CONFIGS / config}"


def ledger(scenario: str, *sets: str) -> dict[str, Any]:
    """A ledger of one's own."""
    made: dict[str, Any] = json.loads(ledger_text(scenario, *sets))
    return made


def faults(record: Mapping[str, Any]) -> list[str]:
    """What verification says, without specs to compare with."""
    return [fault.en for fault in judge.verify(record, roots=())]


class Harness:
    """One ledger under falsification."""

    def __init__(self, record: dict[str, Any]) -> None:
        catalogue()
        self.record = record
        with judge.standing(record):
            self.ledger = Ledger(record)

    def caught(self, change: Mutation) -> str | None:
        """How a change is caught once the hash is right again: recomputed, compared or not."""
        with falsified(self.record, change), judge.standing(self.record):
            try:
                if self.found(change.path):
                    return "recomputed"
            except (Broken, NoValue):
                return "recomputed"
            if check_specs(self.record, spec_roots()):
                return "compared"
            return "recomputed" if any(judge.faults(sealed(self.record))) else None

    def found(self, path: Path) -> bool:
        """Whether the check that reads a place finds something."""
        if not isinstance(path[-1], str) or path[-1] in ("id", "format", "value"):
            gates = (judge.check_shape, declared.check_ids)
            if any(next(iter(gate(self.record)), None) for gate in gates):
                return True
        if path[-1] == "tree" and next(declared.check_trees(self.record), None):
            return True
        anew = path[0] in READ_ONCE and "steps" not in path
        reading = Ledger(self.record) if anew else self.ledger
        return any(next(check(reading), None) for check in self.checks(path))

    def checks(self, path: Path) -> list[Check]:
        """The checks that read a place."""
        top, where = path[0], path[1] if len(path) > 1 else ""
        if top == "derivations":
            card = self.record["derivations"][where]
            if path[2] == "steps":
                return [lambda reading: steps.check_card(reading, card)]
            return [lambda reading: declared.check_declared(reading, card["id"])]
        if top == "results":
            row = self.record["results"][where]
            return [lambda reading: results.one_result(reading, str(where), row)]
        if top == "figures":
            figure = self.record["figures"][where]
            return [lambda reading: figures.check_figure(reading, figure), prose.check_prose]
        named: dict[Any, list[Check]] = {
            "symbols": [declared.check_symbols],
            "constants": [declared.check_constants],
            "inputs": [inputs.check_inputs],
            "calibration": [inputs.check_calibration],
            "levers": [levers.check_levers],
        }
        said = ("verdict", "findings", "checklist", "misconceptions", "assumptions")
        return [prose.check_prose] if top in said else named.get(top, [])
