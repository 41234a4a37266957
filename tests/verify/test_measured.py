"""The measured section is proved from its own figures, without what wrote it."""

from __future__ import annotations

import json
import random
import re
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from click.testing import CliRunner

from derive.cli import main
from derive.derivation import points
from derive.formula import catalogue
from derive.ledger import sealed
from derive.verify import judge, measured
from derive.verify.texts import Broken, NoValue
from derive.verify.values import Ledger

from .mutations import Mutation, falsified, mutations
from .test_mutations import EXHAUSTIVE

SAMPLES = Path(__file__).resolve().parents[1] / "measured" / "samples"
SERVE = SAMPLES / "vllm_bench_serve_new.json"
LOG = """\
INFO 12-09 11:20:01 llm_engine.py:237] Initializing an LLM engine (v0.6.4) with config: \
model='m', tensor_parallel_size=4, pipeline_parallel_size=1, quantization=None
INFO 12-09 11:20:09 [gpu_model_runner.py:2338] Model loading took 32.9 GiB and 0.8 seconds
INFO 12-09 11:20:12 [gpu_worker.py:298] Available KV cache memory: 30.11 GiB
INFO 12-09 11:20:13 [kv_cache_utils.py:864] GPU KV cache size: 300,000 tokens
INFO 12-09 11:20:13 [kv_cache_utils.py:868] Maximum concurrency for 8,192 tokens per request: 36.62x
"""
MANY = 150  # falsifications of each ledger
# what nobody can know without the file itself, and digits below the rounding they follow from
EQUIVALENT = (
    (r"measured\.runs\.\d+\.(line|file|label|tool)", "where in which file a run stands"),
    (r"measured\.runs\.\d+\.facts\..*", "words of the file"),
    (r"measured\.runs\.\d+\.(figures|taken)\.\d+\.(statistic|field)", "which field it was"),
    (r"measured\.runs\.\d+\.kernels\.rows\.\d+\.(calls|name)", "words and counts of the file"),
    (r"measured\.figures\.\d+\.(lines\.\d+\.points\.\d+\.\d|[xy]\.(min|max)|points\.\d+\.size)",
     "a last digit within the rounding of what it follows from"),
)  # fmt: skip


@cache
def text(*args: str) -> str:
    """The ledger that a command writes."""
    with TemporaryDirectory() as folder:
        there = Path(folder)
        (there / "server.log").write_text(LOG, "utf-8")
        after = SERVE.read_text("utf-8").replace('"mean_tpot_ms": 12.05', '"mean_tpot_ms": 9.5')
        (there / "after.json").write_text(after, "utf-8")
        words = [str(there / a) if (there / a).exists() else a for a in args]
        done = CliRunner().invoke(
            main, ["measure", *words, "--to", "json", "-o", str(there / "out")]
        )
        assert done.exit_code == 0, done.output
        (made,) = (there / "out").glob("*.json")
        return made.read_text("utf-8")


def ledger(*args: str) -> dict[str, Any]:
    """The same as a record of one's own."""
    made: dict[str, Any] = json.loads(text(*args))
    return made


PLAIN = (str(SERVE), "server.log", str(SAMPLES / "torch_profiler_trace.json"), "--scenario",
         "llama-3-70b-on-4x-h100", "--before", str(SERVE), "--after", "after.json", "--change",
         "precision.weights=fp8")  # fmt: skip
FASTER = (str(SAMPLES / "llama_bench_new.json"), str(SAMPLES / "vllm_metrics.txt"), "--scenario",
          "llama-3.1-8b-on-1x-l4")  # fmt: skip
EXPERTS = (str(SERVE), str(SAMPLES / "mlperf_summary_row.json"), "--scenario",
           "deepseek-v3-on-8x-h200")  # fmt: skip
BARE = (str(SERVE), "--model", "gemma-2-9b", "--hardware", "nvidia-h100-sxm5-80gb", "--devices",
        "1", "--batch", "1", "--input", "9", "--output", "9")  # fmt: skip


@pytest.mark.parametrize("args", [PLAIN, FASTER, EXPERTS, BARE])
def test_what_the_command_writes_is_proved(args: tuple[str, ...]) -> None:
    assert judge.verify(ledger(*args)) == []


def test_no_number_comes_from_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    record = ledger(*PLAIN)

    def shared(*_: Any, **__: Any) -> Any:
        raise AssertionError("the engine's evaluation was asked")

    monkeypatch.setattr(points.Point, "get", shared)
    assert [f.en for f in judge.verify(record, roots=())] == []


def escapes(record: dict[str, Any], changes: list[Mutation]) -> list[str]:
    """Falsifications that nothing notices."""
    catalogue()
    found = []
    with judge.standing(record):
        reading = Ledger(record)
        for change in changes:
            with falsified(record, change):
                try:
                    gates = next(judge.check_shape(record), None)
                    caught = gates or next(measured.check_measured(reading), None)
                except (Broken, NoValue):
                    continue
                if caught is None:
                    found.append(str(change))
    return found


def equivalent(change: Mutation) -> bool:
    """Whether no result depends on it."""
    where = ".".join(map(str, change.path))
    return any(re.fullmatch(pattern, where) for pattern, _ in EQUIVALENT)


@pytest.mark.parametrize("args", [PLAIN, FASTER, EXPERTS])
def test_a_changed_number_is_caught(args: tuple[str, ...]) -> None:
    record = ledger(*args)
    changes = [m for m in mutations({"measured": record["measured"]})
               if m.kind in ("digit", "number") and not equivalent(m)]  # fmt: skip
    if not EXHAUSTIVE:
        changes = random.Random("measured").sample(changes, MANY)
    assert escapes(record, changes) == []


def test_a_band_a_side_or_a_state_that_does_not_follow_is_caught() -> None:
    record = ledger(*PLAIN)
    section = record["measured"]
    rows = [*section["runs"][0]["phases"], *section["experiment"]["hypotheses"],
            *section["runs"][2]["kernels"]["rows"], *section["runs"][1]["start"]]  # fmt: skip
    seen = 0
    for row in rows:
        for key in {"band", "side"} & row.keys() | (
            {"state"} if row.get("id") == "tokens" else set()
        ):
            kept, row[key] = row[key], "another"
            assert judge.verify(sealed({**record, "hash": ""})), key
            row[key] = kept
            seen += 1
    assert seen > 5


def test_a_time_from_the_file_cannot_be_another_than_its_input() -> None:
    """An input that claims a file which does not say it differs from the spec."""
    record = ledger(*PLAIN)
    for run in record["measured"]["runs"]:
        run["taken"] = [f for f in run["taken"] if f["id"] != "TPOT_meas"]
    assert judge.verify(sealed(record))
