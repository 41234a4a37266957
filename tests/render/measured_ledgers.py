"""Ledgers with measured runs, made as the command makes them."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from derive import measure_command as command
from derive.ledger import sealed
from derive.specs import load
from derive.specs.lookup import spec_roots
from derive.study import study

SAMPLES = Path(__file__).parent.parent / "measured" / "samples"
PUBLIC = Path(__file__).parents[2] / "specs" / "measurements" / "public.yaml"
LAUNCH, SMALL = "llama-3-70b-on-4x-h100", "llama-3.1-8b-on-1x-l4"
SERVING, PROFILE = "vllm_bench_serve_new.json", "torch_profiler_trace.json"


@cache
def ledger(scenario: str, *names: str) -> dict[str, Any]:
    """The ledger of a scenario with the runs of some samples; not to be changed."""
    files = [str(SAMPLES / name) for name in names]
    return of_files(scenario, files)


def of_files(scenario: str, files: list[str]) -> dict[str, Any]:
    """The same with any files."""
    loaded = load.scenario(scenario, spec_roots())
    found = command.measured(files, lambda _: loaded, (), spec_roots())
    made = study(loaded, load.sources())
    return sealed({**made, "measured": command.section(found)})


def trace(path: Path, calls: list[tuple[str, list[list[int]], float]]) -> str:
    """A profiler's trace: operators with the shapes of their inputs, one kernel each, its µs."""
    events: list[dict[str, Any]] = []
    for number, (name, shapes, spent) in enumerate(calls, 1):
        at = number * 10_000.0
        types = ["c10::BFloat16"] * len(shapes)
        linked = {"External id": number, "correlation": number}
        events += [
            {"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": 1, "ts": at, "dur": 20.0,
             "args": {"External id": number, "Input Dims": shapes, "Input type": types}},
            {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1,
             "ts": at + 5, "dur": 3.0, "args": linked},
            {"ph": "X", "cat": "kernel", "name": f"kernel_{number}", "pid": 0, "tid": 7,
             "ts": at + 30, "dur": spent, "args": {"device": 0, "stream": 7, **linked}},
        ]  # fmt: skip
    path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}), encoding="utf-8")
    return str(path)
