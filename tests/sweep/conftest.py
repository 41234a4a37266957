"""Sweeps of the project's own scenarios, and their values by the exact engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import pytest

from derive.asked import load_scenario, units_of_symbols
from derive.formula import standing_in
from derive.study.bind import bind
from derive.study.results import Result, fitting, result
from derive.sweep.axes import read_axes
from derive.sweep.columns import columns
from derive.sweep.grid import Grid, grid_of
from derive.sweep.run import Sweep

PARTS = ("model", "hardware", "devices", "batch", "input", "output")
OPTIONS: dict[str, Any] = {**dict.fromkeys(PARTS), "sets": (), "specs_dirs": ()}
LLAMA = "llama-3-70b-on-4x-h100"


def grid(scenario: str, *over: str) -> Grid:
    """The grid that `derive sweep SCENARIO --over …` goes over."""
    return grid_of(
        read_axes(over, units_of_symbols()),
        lambda settings: load_scenario(scenario, OPTIONS, settings, "--over"),
    )


def sweep(scenario: str, *over: str, symbols: Sequence[str] = (), ranges: bool = False) -> Sweep:
    """The same with its columns."""
    made = grid(scenario, *over)
    return Sweep(made, tuple(columns(made, symbols, ranges=ranges)), ranges)


def exact(scenario: str, settings: Sequence[str], names: Sequence[str]) -> dict[str, Result]:
    """Results by fractions, as `derive eval SCENARIO --set …` gives them."""
    bound = bind(load_scenario(scenario, OPTIONS, settings, "--set"))
    with standing_in(bound.variants):
        fits = fitting(bound)
        return {name: result(bound, name, fits) for name in names}


def difference(found: float, wanted: Fraction) -> float:
    """How far a double is off, relative."""
    return float(abs(Fraction(found) - wanted) / abs(wanted)) if wanted else abs(found)


@pytest.fixture
def file_of() -> Callable[..., bytes]:
    """A sweep as one CSV."""
    import io

    from derive.sweep.csv_file import CsvWriter

    def made(asked: Sweep, evaluated: Any = None) -> bytes:
        out = io.BytesIO()
        asked.write([CsvWriter(out, asked.columns)], evaluated or asked.evaluated(), lambda _: None)
        return out.getvalue()

    return made
