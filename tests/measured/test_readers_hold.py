"""Whatever befalls a file: a fault with its place, or figures that are those of the whole file."""

from __future__ import annotations

import json
import re
import tempfile
from copy import deepcopy
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from derive.errors import DeriveError
from derive.measured.quantities import MEASURABLE
from derive.measured.reader import read
from tests.measured import layouts

TOOLS = ("vllm", "sglang", "aiperf", "genai", "guidellm", "inference", "llama", "mlperf", "trtllm")
FILES = {p.name: p.read_bytes() for p in layouts.SAMPLES.iterdir() if p.name.startswith(TOOLS)}
JSON = {n: layouts.sample(n) for n in FILES if ".json" in n}
JSON |= {
    "vllm 2024": layouts.VLLM_2024, "sglang 2024": layouts.SGLANG_2024,
    "sglang first": layouts.SGLANG_FIRST, "aiperf record": layouts.AIPERF_RECORD,
    "aiperf several": layouts.AIPERF_SEVERAL, "guidellm old": layouts.guidellm_old(),
    "twin": layouts.pytorch_twin("vllm_bench_latency.json"),
    "twin of serve": layouts.pytorch_twin("vllm_bench_serve_old.json"),
}  # fmt: skip
TEXTS = {"trtllm 0.13": layouts.TRTLLM_013, "trtllm 1.0": layouts.TRTLLM_1_0,
         "genai csv": layouts.GENAI_PERF_CSV}  # fmt: skip
FILES |= {n: json.dumps(d).encode() for n, d in JSON.items() if n not in FILES}
FILES |= {n: t.encode() for n, t in TEXTS.items()}
ODD: list[Any] = [None, True, "", "x", "1,5", -1, 0, [], {}, [[]], {"mean": "x"}, float("nan"),
                  float("inf"), 1e30, "9" * 50, {"unit": "ms"}]  # fmt: skip
DERIVED = {"b_meas", "requests", "failed"}  # worked out from others where their field is gone
many = settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
Figures = dict[tuple[int, str, str, str], Fraction]


def figures(data: bytes) -> Figures | None:
    """What a file of these bytes says, by run, kind, statistic and field; None if refused."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        path.write_bytes(data)
        try:
            made = read(path)
        except DeriveError as error:
            for problem in error.problems:
                assert problem.what.en
                assert problem.what.zh
                assert problem.place
                assert problem.place.file
            return None
    for run in made:
        for figure in run.figures:
            assert figure.quantity.dimension == MEASURABLE[figure.id].unit.dimension
    return {
        (number, f.id, f.statistic, f.place.key): f.quantity.base
        for number, run in enumerate(made)
        for f in run.figures
    }


@cache
def whole(name: str) -> Figures:
    """What the sample says as it is."""
    found = figures(json.dumps(JSON[name]).encode() if name in JSON else FILES[name])
    assert found
    return found


def paths(data: Any, before: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths to all fields."""
    items: Any = data.items() if isinstance(data, dict) else enumerate(data)
    found = []
    for key, value in items:
        found.append((*before, key))
        if isinstance(value, (dict, list)):
            found += paths(value, (*before, key))
    return found


def parent(data: Any, path: tuple[Any, ...]) -> Any:
    """What holds the last step of a path."""
    for step in path[:-1]:
        data = data[step]
    return data


def unchanged(name: str, found: Figures | None) -> None:
    """Figures of fields that are still there are those of the whole file."""
    for key, value in (found or {}).items():
        if key in whole(name):
            assert value == whole(name)[key], key


@given(st.sampled_from(sorted(JSON)), st.data())
@many
def test_a_field_that_is_gone_changes_no_other(name: str, data: st.DataObject) -> None:
    made = deepcopy(JSON[name])
    every = [p for p in paths(made) if isinstance(p[-1], str)]
    path = data.draw(st.sampled_from(every))
    holder = parent(made, path)
    value = holder.pop(path[-1])
    if data.draw(st.booleans()):
        holder[path[-1] + "_of_another_version"] = value
    found = figures(json.dumps(made).encode())
    unchanged(name, {k: v for k, v in (found or {}).items() if k[1] not in DERIVED})


@given(st.sampled_from(sorted(JSON)), st.sampled_from(ODD), st.data())
@many
def test_an_odd_value_is_refused_or_not_read(name: str, odd: object, data: st.DataObject) -> None:
    made = deepcopy(JSON[name])
    path = data.draw(st.sampled_from(paths(made)))
    parent(made, path)[path[-1]] = odd
    found = figures(json.dumps(made).encode())
    if odd not in (0, 1e30) or odd is False:
        step = str(path[-1])
        others = {k: v for k, v in (found or {}).items() if step not in k[3]}
        unchanged(name, {k: v for k, v in others.items() if k[1] not in DERIVED})


@given(st.sampled_from(sorted(FILES)), st.data())
@many
def test_a_file_cut_off_is_refused_or_tells_what_it_holds(name: str, data: st.DataObject) -> None:
    text = FILES[name]
    end = data.draw(st.integers(1, len(text) - 1))
    found = figures(text[:end])
    if name in JSON:
        assert not found or text[end:].strip() == b"" or name.endswith(".jsonl")


@given(st.sampled_from(sorted(FILES)), st.binary(max_size=12), st.data())
@many
def test_bytes_in_the_middle_cause_no_crash(name: str, more: bytes, data: st.DataObject) -> None:
    text = FILES[name]
    at = data.draw(st.integers(0, len(text)))
    over = data.draw(st.integers(0, 12))
    figures(text[:at] + more + text[at + over :])


@pytest.mark.parametrize("written", ["-12.05", "-1", '"12 s"'])
def test_a_wrong_number_is_told_as_the_file_has_it(written: str, tmp_path: Path) -> None:
    text = FILES["vllm_bench_serve_new.json"].decode()
    path = tmp_path / "run.json"
    path.write_text(re.sub(r'("mean_tpot_ms": )[\d.]+', lambda m: m[1] + written, text))
    with pytest.raises(DeriveError) as caught:
        read(path)
    told = written.replace('"', "'")
    assert caught.value.problems[0].what.en.startswith(f"mean_tpot_ms is {told}; a number")
