"""`derive measure`: files in, each run beside the bound of its scenario, out."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from derive.command import spoken
from derive.errors import DeriveError, Problem, printable
from derive.measured.against import experiments, record, setting
from derive.measured.against.across import odd
from derive.measured.reader import read
from derive.specs import load
from derive.text import tr

if TYPE_CHECKING:
    from derive.measured.against.setting import Setting
    from derive.measured.record import Run
    from derive.specs.types import Scenario

LOAD_KEYS = {"workload.requests": "b", "workload.input": "T_in", "workload.output": "T_out"}
LARGE = 16_000_000  # bytes of a file whose reading is shown
OPTIONS = {"batch": "b", "input": "T_in", "output": "T_out"}


@dataclass(frozen=True)
class Pair:
    """An experiment: the file before, the file after, and the scenario after where it changed."""

    before: str
    after: str
    scenario: Scenario | None = None


@dataclass(frozen=True)
class Measured:
    """Every run with its setting, None where nothing says its scenario; the record of all."""

    held: list[tuple[Run, Setting | None]]
    record: dict[str, Any]

    @property
    def bounded(self) -> list[tuple[Run, Setting]]:
        """The runs that have a scenario."""
        return [(run, there) for run, there in self.held if there is not None]


def measured(
    files: Sequence[str], scenario_of: Callable[[Run], Scenario | None], fixed: Sequence[str],
    roots: Sequence[Path], pair: Pair | None = None,
) -> Measured:  # fmt: skip
    """The runs beside their bounds; `fixed` are symbols set by hand, which stay as they are set."""
    every = [*files, *((pair.before, pair.after) if pair else ())]
    runs = all_runs(every)
    if pair and (between := window(pair, runs)):
        every, runs, pair = [*files, pair.after], {**runs, pair.after: between}, None
    changed = {pair.after: pair.scenario} if pair and pair.scenario else {}
    held: list[tuple[Run, Setting | None]] = []
    problems: list[Problem] = []
    for name in dict.fromkeys(every):
        for run in runs[name]:
            try:
                of = changed.get(name) or scenario_of(run)
                held.append((run, setting.at(of, run, fixed) if of else None))
            except DeriveError as error:
                problems += [placed(p, run) for p in error.problems]
    if problems:
        raise DeriveError(problems)
    hardware = [load.hardware(name, roots) for name in load.names("hardware", roots)]
    base = next((there.bound for _, there in held if there), None)
    made: dict[str, Any] = {
        "runs": [
            record.held(run, there, hardware, base) if there and base else record.run_record(run)
            for run, there in held
        ],
        "across": [t.json() for t in odd([(r, s) for r, s in held if s is not None])],
        "experiment": None,
    }
    if pair:
        places = {id(run): number for number, (run, _) in enumerate(held)}
        both = [places[id(only(runs[name], name))] for name in (pair.before, pair.after)]
        one, other = (held[number][1] for number in both)
        found = experiments.experiment(one, other) if one and other else None
        if found is None:
            raise DeriveError(incomparable(runs, pair, (one, other)))
        made["experiment"] = {**(record.experiment_record(found) or {}), "runs": both}
    return Measured(held, made)


def window(pair: Pair, runs: Mapping[str, Sequence[Run]]) -> list[Run] | None:
    """The runs between two scrapes of one server's metrics; None where it is an experiment."""
    from derive.measured.files import Found
    from derive.measured.readers.vllm_metrics import TOOL
    from derive.measured.readers.vllm_metrics import window as between

    if pair.scenario or any(r.tool != TOOL for n in (pair.before, pair.after) for r in runs[n]):
        return None
    return between(Found(Path(pair.before)), Found(Path(pair.after)))


def incomparable(
    runs: Mapping[str, Sequence[Run]], pair: Pair, there: Sequence[Setting | None]
) -> list[Problem]:
    """Why two runs cannot be compared: which of them has no TPOT."""
    lacking = [
        Problem("B108", tr("the run has no TPOT to compare, and nothing it follows from"),
                runs[name][0].place)
        for name, of in zip((pair.before, pair.after), there, strict=True)
        if of is None or "TPOT_meas" not in of.figures
    ]  # fmt: skip
    return lacking or [Problem("B108", tr("the scenario has no step time to compare with"))]


def placed(problem: Problem, run: Run) -> Problem:
    """A fault of the scenario that a run names itself stands where the run does."""
    own = problem.place is None or problem.place.file in ("", "--set")
    return replace(problem, place=run.place) if run.own and own else problem


def section(found: Measured) -> dict[str, Any]:
    """The record with its figures, as a ledger carries it."""
    from derive.measured.against.figure import figures

    numbered = [(n, run, at) for n, (run, at) in enumerate(found.held, 1) if at is not None]
    return {**found.record, "figures": figures(numbered)}


def write(
    found: Measured, stem: str, formats: Sequence[str], lang: str, directory: Path,
    roots: Sequence[Path],
) -> None:  # fmt: skip
    """The documents of the runs; the ledger is that of the scenario at the first run's load."""
    from derive.ledger import dump, sealed
    from derive.options import say
    from derive.render import measured_markdown, measured_page
    from derive.render.report import check, file_stem, put_in_place, size
    from derive.study import study

    stem = f"{file_stem(stem)}-measured"
    targets = {f: directory / f"{stem}.{f}" for f in formats}
    check(directory, targets.values())
    say(tr("{name}: deriving and proving", name=stem))
    ledger = study(found.bounded[0][1].bound.scenario, load.sources(roots))
    ledger = sealed({**ledger, "measured": section(found)})
    made: dict[Path, bytes] = {}
    for wanted in formats:
        say(f"{stem}: {wanted}")
        if wanted == "json":
            made[targets[wanted]] = dump(ledger).encode()
        elif wanted == "html":
            made[targets[wanted]] = measured_page.html(ledger, lang, stem)
        elif wanted == "md":
            made[targets[wanted]] = measured_markdown.document(ledger, lang, stem).encode()
        else:
            made[targets[wanted]] = measured_page.pdf(
                ledger, lang, stem, dump(ledger).encode(), say
            )
    put_in_place(made)
    for path, data in made.items():
        click.echo(f"wrote {path}  ({size(len(data))})")


def all_runs(files: Sequence[str]) -> dict[str, list[Run]]:
    """The runs by file; all problems of all files at once."""
    found: dict[str, list[Run]] = {}
    problems: list[Problem] = []
    for name in dict.fromkeys(files):
        try:
            found[name] = told(Path(name))
        except DeriveError as error:
            problems += error.problems
    if problems:
        raise DeriveError(problems)
    return found


def told(path: Path) -> list[Run]:
    """The runs of a file; how far it is stands on stderr where that takes a while."""
    size = path.stat().st_size if path.is_file() else 0
    if size < LARGE:
        return read(path)
    context = click.get_current_context(silent=True)
    label = tr("reading {file}", file=printable(path.name, 60))
    with click.progressbar(
        length=size, label=label.in_(spoken(context) if context else "en"), file=sys.stderr
    ) as bar:
        return read(path, lambda passed, _: bar.update(max(0, passed - bar.pos)))


def only(runs: Sequence[Run], name: str) -> Run:
    """The one run of a file that an experiment takes."""
    if len(runs) != 1:
        what = tr("{file} holds {count} runs; an experiment compares one with one",
                  file=printable(name, 120), count=len(runs))  # fmt: skip
        raise DeriveError(Problem("B107", what, runs[1].place if runs else None))
    return runs[0]


def set_by_hand(options: dict[str, Any]) -> list[str]:
    """The symbols that the command line sets, which a file does not override."""
    made = [s.partition("=")[0].strip() for s in options["sets"]]
    made += [symbol for key, symbol in OPTIONS.items() if options.get(key) is not None]
    return [LOAD_KEYS.get(name, name) for name in made]
