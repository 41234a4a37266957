"""`derive measure`: files in, each run beside the bound of its scenario, out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from derive.errors import DeriveError, Problem
from derive.measured.against import experiments, record, setting
from derive.measured.reader import read
from derive.specs import load
from derive.text import tr

if TYPE_CHECKING:
    from derive.measured.record import Run
    from derive.specs.types import Scenario

LOAD_KEYS = {
    "workload.requests": "b", "workload.input": "T_in", "workload.output": "T_out",
}  # fmt: skip


def measure(
    files: Sequence[str], scenario: Scenario | None, fixed: Sequence[str], roots: Sequence[Path],
    pair: tuple[str, str, Scenario | None] | None = None,
) -> dict[str, Any]:  # fmt: skip
    """The record of every run of the files; with `pair` that of the experiment too.

    `fixed` are the symbols set on the command line, which stay as set. `pair` is the file before,
    the file after, and the scenario after.
    """
    runs = all_runs([*files, *(pair[:2] if pair else ())])
    if scenario is None:
        return {"scenario": None, "runs": [record.run_record(r) for f in runs.values() for r in f]}
    hardware = [load.hardware(name, roots) for name in load.names("hardware", roots)]
    made: dict[str, Any] = {
        "scenario": scenario.id,
        "runs": [
            record.held(run, setting.at(scenario, run, fixed), hardware)
            for name in files
            for run in runs[name]
        ],
    }
    if pair:
        before, after, changed = pair
        one = setting.at(scenario, only(runs[before], before), fixed)
        other = setting.at(changed or scenario, only(runs[after], after), fixed)
        found = experiments.experiment(one, other)
        if found is None:
            what = tr("a run has no TPOT, or the scenario no step time, to compare")
            raise DeriveError(Problem("B108", what))
        made["experiment"] = record.experiment_record(found)
    return made


def all_runs(files: Sequence[str]) -> dict[str, list[Run]]:
    """The runs by file; all problems of all files at once."""
    found: dict[str, list[Run]] = {}
    problems: list[Problem] = []
    for name in dict.fromkeys(files):
        try:
            found[name] = read(Path(name))
        except DeriveError as error:
            problems += error.problems
    if problems:
        raise DeriveError(problems)
    return found


def only(runs: Sequence[Run], name: str) -> Run:
    """The one run of a file that an experiment takes."""
    if len(runs) != 1:
        what = tr("{file} holds {count} runs; an experiment compares one with one",
                  file=name, count=len(runs))  # fmt: skip
        raise DeriveError(Problem("B107", what))
    return runs[0]


def set_by_hand(options: dict[str, Any]) -> list[str]:
    """The symbols that the command line sets, which a file does not override."""
    made = [s.partition("=")[0].strip() for s in options["sets"]]
    given = {"batch": "b", "input": "T_in", "output": "T_out"}
    made += [symbol for key, symbol in given.items() if options.get(key) is not None]
    return [LOAD_KEYS.get(name, name) for name in made]
