"""Nsight Compute's CSV: long (a metric a row) and wide (`--page raw`, a kernel a row)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from derive.errors import DeriveError, Place, Problem, printable
from derive.measured.files import Table, refuse
from derive.measured.profile.counters import Metrics, flops, seconds, traffic
from derive.measured.profile.decimals import decimal_mark, parsed
from derive.measured.reader import TABLE, Reader
from derive.measured.record import Kernel, Run
from derive.text import Text, joined, tr

TOOL = "Nsight Compute"
NAME, UNIT, VALUE = "Metric Name", "Metric Unit", "Metric Value"
NOTHING = {"", "n/a", "nan", "(!) n/a", "no data"}
FIRST = ("ID", "Process ID", "Kernel Name")


@dataclass
class Measured:
    """What was measured of one launch: metric -> value as printed, unit and place."""

    kernel: str
    capability: str
    metrics: dict[str, tuple[str, str, Place]] = field(default_factory=dict)


def read(tables: tuple[Table, ...]) -> list[Run]:
    """One table is one run; launches of one kernel are added up."""
    return [one(table) for table in tables if {"ID", "Kernel Name"} <= set(table.header)]


def one(table: Table) -> Run:
    """The run of one table."""
    launches = list(long(table) if NAME in table.header else wide(table))
    printed = [(v, u) for launch in launches for v, u, _ in launch.metrics.values()]
    mark, proved = decimal_mark(printed)
    problems: list[Problem] = []
    sums: dict[str, list[tuple[Fraction, Fraction | None, Fraction | None]]] = {}
    hows: dict[str, Text] = {}
    for launch in launches:
        metrics = Metrics(numbers(launch, mark, problems), launch.capability, problems)
        time = seconds(metrics)
        if time is None:
            continue
        (operations, counted), (moved, measured) = flops(metrics), traffic(metrics)
        sums.setdefault(launch.kernel, []).append((time, operations, moved))
        hows[launch.kernel] = joined([counted, measured])
    if problems:
        raise DeriveError(problems)
    place = table.place(table.rows[0][0] if table.rows else 0)
    if not sums:
        refuse("B105", tr("no kernel of the table has a duration (gpu__time_duration.sum)"), place)
    kernels = sorted((row(n, s, hows[n]) for n, s in sums.items()), key=lambda k: (-k.time, k.name))
    notes = [tr("profiled one by one, often at a locked clock: percentages of peak are left out")]
    if mark == "," or (not proved and any("," in v for v, _ in printed)):
        notes.append(tr("{mark} is read as the decimal mark", mark=mark))
    return Run(TOOL, place, "profile", (), {}, tuple(notes), tuple(kernels))


def row(
    name: str, launches: list[tuple[Fraction, Fraction | None, Fraction | None]], how: Text
) -> Kernel:
    """Launches of one kernel; operations or bytes that one of them lacks are unknown."""
    times, operations, moved = zip(*launches, strict=True)
    return Kernel(name, len(launches), sum(times), total(operations), total(moved), how)


def total(values: tuple[Fraction | None, ...]) -> Fraction | None:
    """The sum; None where a part is unknown."""
    known = [v for v in values if v is not None]
    return sum(known, Fraction(0)) if len(known) == len(values) else None


def long(table: Table) -> Iterator[Measured]:
    """Rows of one launch gathered; rows of rules have no metric."""
    for column in (UNIT, VALUE):
        if column not in table.header:
            refuse("B103", tr("the table has no column {column}", column=column), table.place(0))
    made: dict[tuple[str, ...], Measured] = {}
    for line, cells in table.rows:
        key = tuple(cells.get(column, "") for column in FIRST)
        launch = made.setdefault(key, launched(cells))
        metric, value = cells[NAME].strip(), cells[VALUE].strip()
        if metric and value.lower() not in NOTHING:
            place = table.place(line, metric)
            launch.metrics[metric] = value, cells[UNIT].strip(), place
    yield from made.values()


def wide(table: Table) -> Iterator[Measured]:
    """A launch a row; the row without an id holds the units."""
    units: Mapping[str, str] = {}
    for line, cells in table.rows:
        if not cells["ID"].strip():
            units = cells
            continue
        launch = launched(cells)
        for metric, value in cells.items():
            if "__" in metric and value.strip().lower() not in NOTHING:
                unit = units.get(metric, "").strip()
                launch.metrics[metric] = value.strip(), unit, table.place(line, metric)
        yield launch


def launched(cells: Mapping[str, str]) -> Measured:
    """A launch without its metrics."""
    return Measured(printable(cells["Kernel Name"], 120), cells.get("CC", "").strip())


def numbers(
    launch: Measured, mark: str, problems: list[Problem]
) -> dict[str, tuple[Fraction, str, Place]]:
    """The metrics that are read, as numbers."""
    made = {}
    for metric, (text, unit, place) in launch.metrics.items():
        if not Metrics.wanted(metric):
            continue
        value = parsed(text, mark)
        if value is None:
            what = tr(
                "{metric} is {found}; a number is expected (decimal mark here: {mark})",
                metric=printable(metric, 80),
                found=printable(text, 40),
                mark=mark,
            )
            problems.append(Problem("B106", what, place))
        else:
            made[metric] = value, unit, place
    return made


READERS = [
    Reader(
        "nsight-compute", TOOL, TABLE,
        (("ID", "Kernel Name", NAME, VALUE), ("ID", "Kernel Name", "Block Size"),
         ("ID", "Kernel Name")),
        read,
        Text("CSV of `ncu --csv`, long or `--page raw`", "`ncu --csv` 的长表或 `--page raw` 宽表"),
    )
]  # fmt: skip
