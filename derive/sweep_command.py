"""The hand of `derive sweep`: what is asked, where the rows go, what is said meanwhile."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from fractions import Fraction
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from derive import __version__
from derive.errors import DeriveError, Place, Problem, columns
from derive.options import PARTS, say
from derive.text import tr

if TYPE_CHECKING:
    from derive.sweep.axes import Axis
    from derive.sweep.grid import Load
    from derive.sweep.run import Sweep, Writer

SHOWN = ("TTFT", "TPOT", "X", "b_max", "b_slo")  # of the table in the terminal, where none is named
FIRST = 12  # rows of that table
EVERY = 5.0  # seconds between two words on how far it is


def axes(texts: Sequence[str], units: Mapping[str, str]) -> list[Axis]:
    """What is gone over."""
    from derive.sweep.axes import read_axes

    return read_axes(texts, units)


def parts_of(
    scenario: str | None, options: Mapping[str, Any], read: Sequence[Axis]
) -> dict[str, str]:
    """Without a scenario file an axis stands for the option of its name."""
    from derive.specs.sets import KEYS

    if scenario is not None:
        return {}
    keys = {KEYS.get(axis.name, axis.name): axis.text(0) for axis in read}
    return {p: keys[k] for p, k in PARTS.items() if k in keys and options[p] is None}


def planned(read: Sequence[Axis], load: Load, symbols: Sequence[str], *, ranges: bool) -> Sweep:
    """The sweep, every combination loaded and bound."""
    from derive.sweep.columns import columns as columns_of
    from derive.sweep.grid import grid_of
    from derive.sweep.run import Sweep

    grid = grid_of(read, load)
    if grid.left_out:
        say(tr(
            "{left} of {all} points are left out: the sizes of their layout do not fit together, "
            "g = TP · PP · DP",
            left=f"{grid.left_out:,}", all=f"{grid.left_out + grid.rows:,}",
        ))  # fmt: skip
    return Sweep(grid, tuple(columns_of(grid, symbols, ranges=ranges)), ranges)


def needs(library: str, asker: str) -> None:
    """Refuse what is not installed, with the line that installs it."""
    if find_spec(library) is None:
        what = tr("{asker} needs {library}, which is not installed", asker=asker, library=library)
        hint = tr("run {command}", command=f"pip install {library}")
        raise DeriveError(Problem("C119", what, Place(key="derive sweep"), hint=hint))


def run(
    sweep: Sweep,
    formats: Sequence[str] | None,
    directory: Path,
    scheduler: str | None,
    asked: Sequence[str],
    lang: str,
) -> None:
    """To files, to a pipe, or the first rows to the terminal."""
    if scheduler:
        needs("distributed", "--scheduler")
    if formats:
        to_files(sweep, formats, directory, scheduler, asked)
    elif terminal():
        click.echo(first_rows(sweep, lang))
    else:
        to_pipe(sweep, scheduler)


def terminal() -> bool:
    """Whether a person reads what is printed."""
    return sys.stdout.isatty()


def evaluated(sweep: Sweep, scheduler: str | None) -> Any:
    """The blocks, from here or from a cluster."""
    if scheduler is None:
        return sweep.evaluated()
    from derive.sweep import cluster

    return cluster.evaluated(sweep, scheduler)


def progress(rows: int) -> Callable[[int], None]:
    """Says now and then on stderr how far it is."""
    last = time.monotonic()

    def told(done: int) -> None:
        nonlocal last
        if time.monotonic() - last >= EVERY:
            last = time.monotonic()
            say(tr("{done} of {rows} points", done=f"{done:,}", rows=f"{rows:,}"))

    return told


def to_files(
    sweep: Sweep,
    formats: Sequence[str],
    directory: Path,
    scheduler: str | None,
    asked: Sequence[str],
) -> None:
    """Whole files or none."""
    from derive.render.report import beside, check, file_stem, size

    if "parquet" in formats:
        needs("pyarrow", "--to parquet")
    stem = file_stem(sweep.grid.parts[0].bound.scenario.id)
    targets = {f: directory / f"{stem}.{f}" for f in formats}
    described = directory / f"{stem}.csv-metadata.json"
    every = [*targets.values(), *([described] if "csv" in formats else [])]
    check(directory, every)
    say(tr("{name}: {rows} points", name=stem, rows=f"{sweep.grid.rows:,}"))
    with beside(every) as ready:
        with ExitStack() as open_files:
            writers = [writer(f, ready[targets[f]], sweep, open_files) for f in formats]
            sweep.write(writers, evaluated(sweep, scheduler), progress(sweep.grid.rows))
            about = sweep.about(asked, f"derive {__version__}")
            for one in writers:
                one.close(about)
        if "csv" in formats:
            from derive.sweep.csv_file import described as record

            ready[described].write_bytes(record(targets["csv"].name, sweep.columns, about))
        sizes = {target: path.stat().st_size for target, path in ready.items()}
    for target in every:
        click.echo(f"wrote {target}  ({size(sizes[target])})")


def writer(wanted: str, path: Path, sweep: Sweep, open_files: ExitStack) -> Writer:
    """The writer of one format."""
    if wanted == "csv":
        from derive.sweep.csv_file import CsvWriter

        return CsvWriter(open_files.enter_context(path.open("wb")), sweep.columns)
    from derive.sweep.parquet_file import ParquetWriter

    made = ParquetWriter(path, sweep.columns)
    open_files.callback(made.abandon)
    return made


def to_pipe(sweep: Sweep, scheduler: str | None) -> None:
    """CSV on stdout; a reader that has enough ends it without a word."""
    from derive.sweep.csv_file import CsvWriter

    try:
        blocks, out = evaluated(sweep, scheduler), sys.stdout.buffer
        sweep.write([CsvWriter(out, sweep.columns)], blocks, progress(sweep.grid.rows))
        out.flush()
    except BrokenPipeError:
        with suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def first_rows(sweep: Sweep, lang: str) -> str:
    """A table of the first rows, and how many there are."""
    axes_and_fits = len(sweep.grid.axes) + 1
    wanted = list(sweep.outputs)
    if len(wanted) > len(SHOWN) * 2:
        wanted = [n for n in SHOWN if n in wanted]
    chosen = [
        i for i, c in enumerate(sweep.columns)
        if i < axes_and_fits or c.name.removesuffix(f"_{c.end}" if c.end else "") in wanted
    ]  # fmt: skip
    lines = [tuple(sweep.columns[i].name for i in chosen)]
    lines += islice(cells(sweep, chosen, lang), FIRST)
    told = tr(
        "{rows} points, {columns} columns: --to csv,parquet writes them all",
        rows=f"{sweep.grid.rows:,}", columns=len(sweep.columns),
    )  # fmt: skip
    return "\n".join([*columns(lines), "", told.in_(lang)])


def cells(sweep: Sweep, chosen: Sequence[int], lang: str) -> Iterator[tuple[str, ...]]:
    """Rows as the terminal shows them."""
    for block, found in sweep.evaluated():
        rows = sweep.rows(block, found)
        table = [[rows.full(v) if v is not None else None for v in rows.values][i] for i in chosen]
        for number in range(rows.count):
            yield tuple(
                cell(sweep.columns[i].kind, sweep.columns[i].unit,
                     None if values is None else values[number], lang)
                for i, values in zip(chosen, table, strict=True)
            )  # fmt: skip


def cell(kind: str, units: str, value: Any, lang: str) -> str:
    """One value as `eval` prints it."""
    from derive.study.results import shown
    from derive.units import Quantity, unit

    if kind == "text":
        return str(value)
    if value is None or value != value:
        return "–"
    if kind == "truth":
        return (tr("yes") if value else tr("no")).in_(lang)
    return shown(Quantity(Fraction(float(value)), unit(units)))
