"""Start-up logs of public issue threads against the scenario: verdicts as worked out by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from derive.cli import main

HERE = Path(__file__).resolve().parent.parent / "architecture"
LOGS: dict[str, Any] = {
    e["id"]: e for e in yaml.safe_load((HERE / "kv-logs.yaml").read_text("utf-8"))["entries"]
}
STRANGERS: dict[str, Any] = json.loads((HERE / "strangers.json").read_text("utf-8"))
V0_START = ("INFO 12-09 11:20:01 llm_engine.py:237] Initializing an LLM engine (v0.6.4) with "
            "config: model='m', tensor_parallel_size={tp}, pipeline_parallel_size={pp}, "
            "quantization=None, kv_cache_dtype=auto")  # fmt: skip
V0_WEIGHTS = "INFO 12-09 11:20:09 model_runner.py:1077] Loading model weights took {gib} GB"
V0_POOL = ("INFO 12-09 11:20:12 worker.py:232] model weights take 14.99GiB; the rest of the memory "
           "reserved for KV Cache is {gib}GiB.")  # fmt: skip
V0_BLOCKS = "INFO 12-09 11:20:12 gpu_executor.py:122] # GPU blocks: {blocks}, # CPU blocks: 2048"
V0_TIMES = ("INFO 12-09 11:20:12 gpu_executor.py:126] Maximum concurrency for {length} tokens per "
            "request: {times}x")  # fmt: skip
TOO_LONG = ("ValueError: The model's max seq len (131072) is larger than the maximum number of "
            "tokens that can be stored in KV cache ({tokens}). Try increasing")  # fmt: skip
V1_START = ("INFO 09-10 23:05:46 [core.py:75] Initializing a V1 LLM engine (v0.10.2) with config: "
            "model='m', tensor_parallel_size={tp}, pipeline_parallel_size={pp}, "
            "quantization=None, kv_cache_dtype=auto")  # fmt: skip
V1_WEIGHTS = "INFO 09-10 23:05:49 [gpu_model_runner.py:2338] Model loading took {gib} GiB and 0.8 s"
V1_POOL = "INFO 09-10 23:05:59 [gpu_worker.py:298] Available KV cache memory: {gib} GiB"
V1_BLOCK = "INFO 09-10 23:05:50 [interface.py:400] Setting attention block size to {block} tokens"
V1_TOKENS = "INFO 09-10 23:06:00 [kv_cache_utils.py:864] GPU KV cache size: {tokens:,} tokens"
V1_TIMES = ("INFO 09-10 23:06:00 [kv_cache_utils.py:868] Maximum concurrency for {length:,} tokens "
            "per request: {times}x")  # fmt: skip
TOO_LARGE = ("ValueError: To serve at least one request with the models's max seq len ({tokens}), "
             "({gib} GiB KV cache is needed, which is larger than the available KV cache memory "
             "({pool} GiB). Based on the available memory, the estimated maximum model length is "
             "{longest}.")  # fmt: skip
SGLANG = """\
[2025-07-21 10:00:01] server_args=ServerArgs(model_path='m', tp_size={tp}, pp_size=1, \
quantization=None, kv_cache_dtype='auto', page_size={block})
[2025-07-21 10:02:00 TP0] KV Cache is allocated. #tokens: {tokens}, K size: {gib} GB, V size: {gib} GB"""  # noqa: E501
TRTLLM = """\
[TensorRT-LLM] TensorRT-LLM version: 0.13.0
[TensorRT-LLM][INFO] Memory usage when calculating max tokens in paged kv cache: total: 39.39 GiB, \
available: {free} GiB
[TensorRT-LLM][INFO] Number of blocks in KV cache primary pool: {blocks}
[TensorRT-LLM][INFO] Number of tokens per block: {block}.
[TensorRT-LLM][INFO] [MemUsageChange] Allocated {pool} GiB for max tokens in paged KV cache \
({tokens})."""
NEWER_TRTLLM = """\
[TensorRT-LLM][INFO] Max KV cache blocks per sequence: 65 [window size=2051], tokens per block=\
{block}, primary blocks={blocks}, secondary blocks=0
[TensorRT-LLM][INFO] [MemUsageChange] Allocated {gib} GiB for max tokens in paged KV cache \
({tokens})."""


def row(entry: str, number: int) -> dict[str, Any]:
    """A check of an entry, its printed figures by name."""
    found: dict[str, Any] = LOGS[entry]["checks"][number]
    return {"tp": LOGS[entry].get("tp", 1), "block": LOGS[entry].get("block", 16), "pp": 1, **found}


def lines(entry: str, number: int, *texts: str, **more: Any) -> str:
    """A log with the printed figures of a check."""
    return "\n".join(t.format(**{**row(entry, number), **more}) for t in texts) + "\n"


V1 = (V1_START, V1_POOL, V1_TOKENS)
V0 = (V0_START, V0_POOL, V0_BLOCKS, V0_TIMES)
# entry -> log, state of each row that has one, ids of the reasons
CASES: dict[str, tuple[str, dict[str, str], set[str]]] = {
    "KV-01, first": (
        lines("KV-01", 0, V0_START, V0_WEIGHTS.format(gib="14.9888"), *V0[1:]),
        {"tokens": "agrees", "concurrency": "agrees", "weights": "agrees"}, set(),
    ),
    "KV-01, second": (
        lines("KV-01", 1, *V0), {"tokens": "agrees", "concurrency": "agrees"}, set(),
    ),
    "KV-03": (lines("KV-03", 0, *V1), {"tokens": "open"}, {"smaller-rank"}),
    "KV-04": (lines("KV-04", 0, SGLANG), {"tokens": "agrees"}, set()),
    "KV-06": (
        lines("KV-06", 1, V1_START, V1_WEIGHTS) + lines("KV-06", 0, *V1[1:], V1_TIMES),
        {"tokens": "agrees", "concurrency": "agrees", "weights": "agrees"}, set(),
    ),
    "KV-08, first": (
        lines("KV-08", 0, *V1, V1_TIMES), {"tokens": "agrees", "concurrency": "agrees"}, set(),
    ),
    "KV-08, second": (
        lines("KV-08", 1, V1_START, TOO_LARGE, pool="5.59", longest=122080),
        {"need": "agrees", "tokens": "agrees"}, set(),
    ),
    "KV-10": (
        lines("KV-10", 0, V1_START, TOO_LARGE, pool="28.57", longest=81392, pp=8),
        {"need": "explained", "tokens": "explained"}, {"all-layers"},
    ),
    "KV-12": (
        lines("KV-12", 0, V1_START, TOO_LARGE, pool="0.71", longest=5632),
        {"need": "agrees", "tokens": "explained"}, {"block-256"},
    ),
    "KV-14": (
        lines("KV-14", 0, V1_START, TOO_LARGE, pool="17.39", longest=810208),
        {"need": "agrees", "tokens": "agrees"}, set(),
    ),
    "KV-16": (lines("KV-16", 0, TRTLLM, tokens=40384), {"tokens": "agrees"}, set()),
    "KV-18": (lines("KV-18", 0, NEWER_TRTLLM), {"tokens": "agrees"}, set()),
    "KV-20": (
        lines("KV-20", 0, V0_START, V0_WEIGHTS.format(gib="13.9476"), V0_POOL, TOO_LONG),
        {"tokens": "open", "weights": "agrees"}, {"smaller-rank"},
    ),
    "KV-26, states twice": (
        lines("KV-26", 0, V1_START, V1_BLOCK, V1_POOL, V1_TOKENS, V1_TIMES),
        {"tokens": "open", "concurrency": "agrees"}, {"grouped"},
    ),
    "KV-26, states once": (
        lines("KV-26", 1, V1_START, V1_BLOCK, V1_POOL, V1_TOKENS, V1_TIMES),
        {"tokens": "open", "concurrency": "agrees"}, {"grouped"},
    ),
}  # fmt: skip
# what their threads quote is no start of an engine that is read here: tests/architecture has them
ELSEWHERE = {"KV-30", "KV-36", "KV-38", "KV-40"}


def config(name: str, tmp_path: Path) -> Path:
    """The config of a model."""
    if name in STRANGERS:
        path = tmp_path / "config.json"
        path.write_text(json.dumps(STRANGERS[name]["config"]), "utf-8")
        return path
    return next(
        p for f in ("configs", "configs-extra") if (p := HERE / f / f"{name}.json").exists()
    )


def measured(entry: str, text: str, tmp_path: Path) -> dict[str, Any]:
    """Rows by id, with their states and reasons, as the command gives them."""
    of = LOGS[entry.partition(",")[0]]
    log = tmp_path / "server.log"
    log.write_text(text, "utf-8")
    cache = "fp8" if of.get("bytes") == 1 else "bf16"
    done = CliRunner().invoke(
        main,
        ["measure", str(log), "--model", str(config(of["model"], tmp_path)), "--hardware",
         "nvidia-h100-sxm5-80gb", "--devices", str(of.get("tp", 1)), "--batch", "1", "--input",
         "1", "--output", "1", "--set", f"precision.kv_cache={cache}", "--json"],
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    (run,) = json.loads(done.stdout)["runs"]
    return {r["id"]: r for r in run["start"]}


@pytest.mark.parametrize("entry", CASES)
def test_verdicts_on_public_logs(entry: str, tmp_path: Path) -> None:
    text, wanted, why = CASES[entry]
    found = measured(entry, text, tmp_path)
    states = {k: r["state"] for k, r in found.items() if r["state"] != "compared"}
    assert {k: states[k] for k in wanted} == wanted
    told = {reason["id"] for k in wanted for reason in found[k]["reasons"]}
    assert told == why


def test_every_entry_is_measured_or_is_no_start() -> None:
    assert {name.partition(",")[0] for name in CASES} | ELSEWHERE == LOGS.keys()
    assert not {name.partition(",")[0] for name in CASES} & ELSEWHERE


def test_memory_that_the_smaller_rank_had(tmp_path: Path) -> None:
    """7.465 GiB hold what was printed, as worked out by hand from 48 layers of 4 heads of 128."""
    found = measured("KV-20", CASES["KV-20"][0], tmp_path)["tokens"]
    assert found["expected"]["value"] == 94912
    assert found["printed"]["value"] == 81536
    assert "7.465 GiB" in found["reasons"][0]["text"]["en"]


def test_a_cache_of_another_width_is_named(tmp_path: Path) -> None:
    text = CASES["KV-06"][0].replace("652,144", "1,304,288")
    found = measured("KV-06", text, tmp_path)["tokens"]
    assert (found["state"], found["reasons"][0]["id"]) == ("explained", "cache-8")


def test_tokens_that_nothing_explains_differ(tmp_path: Path) -> None:
    text = CASES["KV-06"][0].replace("652,144", "900,000")
    found = measured("KV-06", text, tmp_path)["tokens"]
    assert (found["state"], found["reasons"]) == ("differs", [])


def test_tensorrt_llm_takes_a_share_of_the_free_memory(tmp_path: Path) -> None:
    found = measured("KV-16", CASES["KV-16"][0], tmp_path)["free"]
    assert found["ratio"]["value"] == pytest.approx(19.719 / 21.89, abs=1e-4)
