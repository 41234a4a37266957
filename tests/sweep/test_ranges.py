"""Low and high of a sweep are those of `derive eval`, at random points of several models."""

from __future__ import annotations

import json
import pickle
import random
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from derive.cli import main
from derive.formula import standing_in
from derive.study.results import Result, fitting
from derive.sweep.columns import FITS
from derive.sweep.evaluate import Job
from derive.sweep.grid import Block, blocks
from derive.sweep.ranges import ENDS, Ranged, has_range
from derive.sweep.run import Sweep

from .conftest import LLAMA, difference, exact, sweep

NEAR = 1e-12
DISAGGREGATED = ("disaggregation.prefill_devices=1:8", "disaggregation.link=50 GB/s")
GRIDS = [
    (LLAMA, "b=1:512", "T=16:100000:16"),
    (LLAMA, "MFU=0.2:0.9:0.1", "b=1:300:7"),
    (LLAMA, "MBU=0.4:0.9:0.05", "hardware=nvidia-h200-sxm-141gb,nvidia-h100-sxm5-80gb"),
    (LLAMA, "t_launch=1:20 us", "b=1:64"),
    (LLAMA, "TPOT=5:50:1 ms/token", "b=1:64"),
    (LLAMA, "devices=1:6", "slo.TPOT=8:60:0.5 ms/token"),
    ("llama-3.1-8b-on-1x-l4", "B_peak=200:900:0.5 GB/s/device", "T=1:9000"),
    ("deepseek-v3-on-8x-h200", "b=1:4096:5", "T=100:60000:37"),
    ("gemma-2-9b-on-1x-l40s", "T_block=1:64:x2", "T=1:20000:3"),
    (LLAMA, "speculation.draft=2,4", "alpha=0.5:0.9:0.1", "T=100:9000:50"),
    ("llama-3.1-405b-on-8x-h200", *DISAGGREGATED, "b=1:400:7"),
]  # fmt: skip


def drawn(asked: Sweep, seed: str) -> Iterator[tuple[list[str], dict[str, float]]]:
    """Random rows: the settings of each, and its columns."""
    draw, grid = random.Random(seed), asked.grid
    every = list(blocks(grid, 32_768))
    for block in draw.sample(every, min(len(every), 8)):
        rows = asked.rows(block, asked.job(block.part).run(block.spans))
        columns = {
            c.name: None if v is None or c.kind == "text" else rows.full(v)
            for c, v in zip(asked.columns, rows.values, strict=True)
        }
        for row in draw.sample(range(rows.count), min(rows.count, 4)):
            yield (
                settings(asked, block, rows.shape, row),
                {n: float("nan") if c is None else float(c[row]) for n, c in columns.items()},
            )


def settings(asked: Sweep, block: Block, shape: Sequence[int], row: int) -> list[str]:
    """What `--set` takes for the same point."""
    grid = asked.grid
    place = [int(i) for i in np.unravel_index(row, tuple(shape))]
    index = [p + start for p, (start, _) in zip(place, block.spans, strict=True)]
    outer = zip(grid.outer, grid.parts[block.part].index, strict=True)
    return [f"{a.name}={a.text(i)}" for a, i in (*outer, *zip(grid.inner, index, strict=True))]


@pytest.mark.parametrize("case", GRIDS, ids=" ".join)
def test_low_and_high_are_those_of_eval(case: tuple[str, ...]) -> None:
    scenario, *over = case
    asked = sweep(scenario, *over, ranges=True)
    ranged = [name for name in asked.outputs if has_range(name)]
    assert {"TTFT", "TPOT"} & set(ranged)
    wide = 0
    empty = set[bool]()
    for given, found in drawn(asked, str(case)):
        for name, wanted in exact(scenario, given, asked.outputs).items():
            ends = [f"{name}_{end}" for end in ENDS]
            if name not in ranged:
                assert not found.keys() & set(ends)
                continue
            empty.add(wanted.value is None)
            if wanted.value is None:
                assert all(np.isnan(found[end]) for end in ends), (name, given)
                continue
            for end, quantity in zip(ends, (wanted.low, wanted.high), strict=True):
                assert quantity is not None
                assert difference(found[end], quantity.value) <= NEAR, (end, given)
            wide += found[ends[0]] < found[name] or found[name] < found[ends[1]]
    assert wide > 20
    assert False in empty
    if scenario_may_not_fit(over):  # then some of the points must be empty
        assert True in empty


def scenario_may_not_fit(over: Sequence[str]) -> bool:
    """Whether a grid holds points at which nothing has a speed."""
    return any(
        axis.startswith(("devices=1:", "disaggregation.prefill_devices=1:")) for axis in over
    )


def test_the_rows_of_the_command_are_those_of_eval(tmp_path: Path) -> None:
    """From end to end, through the files and the JSON of both commands."""
    words = ("sweep", LLAMA, "--over", "b=3,40", "--symbols", "TPOT,b_max,b_slo", "--ranges")
    done = CliRunner().invoke(main, [*words, "--to", "csv", "-o", str(tmp_path)])
    assert done.exit_code == 0, done.output
    head, *lines = (tmp_path / f"{LLAMA}.csv").read_text(encoding="utf-8").splitlines()
    names = [part.split(" ")[0] for part in head.split(",")]
    assert names == ["b", "fits", "TPOT", "TPOT_low", "TPOT_high", "b_max", "b_slo",
                     "b_slo_low", "b_slo_high"]  # fmt: skip
    assert "TPOT_low [s*request/token]" in head
    for line in lines:
        row = dict(zip(names, line.split(","), strict=True))
        told = CliRunner().invoke(main, ["eval", LLAMA, "--json", "--set", f"b={row['b']}"])
        values = json.loads(told.stdout)["values"]
        for name in ("TPOT", "b_slo"):
            assert float(row[name]) == pytest.approx(values[name]["value"], rel=NEAR)
            for end in ENDS:
                assert float(row[f"{name}_{end}"]) == pytest.approx(values[name][end], rel=NEAR)
        assert row["b_slo_low"].isdigit()  # a count stays one
    about = json.loads((tmp_path / f"{LLAMA}.csv-metadata.json").read_text(encoding="utf-8"))
    columns = {c["name"]: c for c in about["tableSchema"]["columns"]}
    low, high = (columns[f"TPOT_{end}"]["dc:description"][0]["@value"] for end in ENDS)
    assert "smallest" in low
    assert "largest" in high
    (note,) = about["notes"]
    assert note["calibration"]["MFU"] == ["2/5", "1/2", "3/5"]
    assert "--ranges" in note["asked"]


def test_without_the_flag_nothing_more_is_computed() -> None:
    plain, ranged = (sweep(LLAMA, "b=1:9", ranges=on) for on in (False, True))
    assert not any(c.end for c in plain.columns)
    one, other = plain.job(0), ranged.job(0)
    assert isinstance(one, Job)
    assert isinstance(other, Ranged)
    assert one.program == other.typical.program
    assert len(other.others) == 8  # of three by three, the typical one apart
    assert all(name == FITS or has_range(name) for name, _ in other.others[0].program.outputs)
    assert plain.about((), "derive")["calibration"]["MFU"] == "1/2"


def test_another_machine_computes_the_same_ranges(file_of: Callable[..., bytes]) -> None:
    asked = sweep(LLAMA, "b=1:64", symbols=["TTFT", "TPOT", "cost_token"], ranges=True)
    sent = pickle.loads(pickle.dumps(asked.job(0)))
    there = ((block, sent.run(block.spans)) for block in blocks(asked.grid, 32_768))
    assert file_of(asked, there) == file_of(asked)


# --- whether it fits where prefill has devices of its own


def feasible(scenario: str, given: Sequence[str]) -> tuple[bool, Result]:
    """Whether a scenario fits, and its TPOT."""
    from derive.asked import load_scenario
    from derive.study.bind import bind

    from .conftest import OPTIONS

    bound = bind(load_scenario(scenario, OPTIONS, given, "--set"))
    with standing_in(bound.variants):
        return bool(fitting(bound)), exact(scenario, given, ["TPOT"])["TPOT"]


@pytest.mark.parametrize("over", [
    DISAGGREGATED,
    (*DISAGGREGATED, "b=1:90:30"),
    ("disaggregation.prefill_devices=1,2", DISAGGREGATED[1], "precision.weights=bf16,fp8"),
    (*DISAGGREGATED, "devices=1:6"),
], ids=" ".join)  # fmt: skip
def test_a_pool_of_prefill_that_is_too_small_does_not_fit(over: tuple[str, ...]) -> None:
    asked = sweep(LLAMA, *over, symbols=["TPOT", "g_fit_pre"])
    seen: set[Any] = set()
    for given, found in drawn(asked, str(over)):
        fits, tpot = feasible(LLAMA, given)
        assert found[FITS] == fits, given
        assert np.isnan(found["TPOT"]) == (tpot.value is None), given
        seen.add(fits)
    assert seen == {True, False}


def test_decode_may_fit_where_prefill_does_not() -> None:
    asked = sweep(LLAMA, *DISAGGREGATED, symbols=["g_fit", "g_fit_pre"])
    rows = [asked.rows(block, found) for block, found in asked.evaluated()]
    names = [c.name for c in asked.columns]
    at = {n: np.concatenate([r.full(r.values[i]) for r in rows]) for i, n in enumerate(names)
          if n in (FITS, "g_fit_pre", "g_fit", "disaggregation.prefill_devices")}  # fmt: skip
    assert (at["g_fit"] <= 4).all()  # the four devices of decode hold it throughout
    wanted = at["disaggregation.prefill_devices"] >= at["g_fit_pre"]
    assert at[FITS].tolist() == wanted.tolist()
    assert Fraction(int(at["g_fit_pre"].max())) > 1
