"""Start-up logs: lines as the engines print them, with figures that public issue threads quote."""

from __future__ import annotations

import random
from fractions import Fraction
from pathlib import Path

import pytest

from derive.errors import DeriveError
from derive.measured.reader import read
from derive.measured.record import Run

GIB = 2**30
V0 = """\
INFO 12-09 11:20:01 llm_engine.py:237] Initializing an LLM engine (v0.6.4.post1) with config: \
model='meta-llama/Llama-3.1-8B-Instruct', speculative_config=None, dtype=torch.bfloat16, \
max_seq_len=20000, tensor_parallel_size=1, pipeline_parallel_size=1, quantization=None, \
kv_cache_dtype=auto, device_config=cuda
INFO 12-09 11:20:09 model_runner.py:1077] Loading model weights took 14.9888 GB
INFO 12-09 11:20:12 worker.py:232] model weights take 14.99GiB; non_torch_memory takes 0.10GiB; \
PyTorch activation peak memory takes 1.39GiB; the rest of the memory reserved for KV Cache is 3.81GiB.
INFO 12-09 11:20:12 gpu_executor.py:122] # GPU blocks: 1952, # CPU blocks: 2048
INFO 12-09 11:20:12 gpu_executor.py:126] Maximum concurrency for 20000 tokens per request: 1.56x
"""  # noqa: E501  https://github.com/vllm-project/vllm/issues/10517
V1 = """\
(EngineCore_DP0 pid=178) INFO 09-10 23:05:46 [core.py:75] Initializing a V1 LLM engine (v0.10.2) \
with config: model='Qwen/Qwen3-0.6B', dtype=torch.bfloat16, max_seq_len=4096, \
tensor_parallel_size=1, pipeline_parallel_size=1, quantization=None, kv_cache_dtype=auto
(EngineCore_DP0 pid=178) INFO 09-10 23:05:49 [gpu_model_runner.py:2338] Model loading took \
1.1201 GiB and 0.8 seconds
(EngineCore_DP0 pid=178) INFO 09-10 23:05:59 [gpu_worker.py:298] Available KV cache memory: 69.66 GiB
(EngineCore_DP0 pid=178) INFO 09-10 23:06:00 [kv_cache_utils.py:864] GPU KV cache size: \
652,144 tokens
(EngineCore_DP0 pid=178) INFO 09-10 23:06:00 [kv_cache_utils.py:868] Maximum concurrency for \
4,096 tokens per request: 159.21x
"""  # noqa: E501  https://github.com/vllm-project/vllm/pull/24577
SGLANG = """\
[2025-07-21 10:00:01] server_args=ServerArgs(model_path='Qwen/Qwen3-235B-A22B-FP8', tp_size=4, \
pp_size=1, quantization=None, kv_cache_dtype='auto', page_size=1)
[2025-07-21 10:01:59 TP0] Load weight end. type=Qwen3MoeForCausalLM, dtype=torch.bfloat16, avail \
mem=20.01 GB, mem usage=55.87 GB.
[2025-07-21 10:02:00 TP0] KV Cache is allocated. #tokens: 367404, K size: 8.23 GB, V size: 8.23 GB
[2025-07-21 10:02:00 TP1] KV Cache is allocated. #tokens: 367404, K size: 8.23 GB, V size: 8.23 GB
[2025-07-21 10:02:30 TP0] max_total_num_tokens=367404, chunked_prefill_size=8192, \
max_prefill_tokens=16384, max_running_requests=2048, context_len=40960
"""  # https://github.com/vllm-project/vllm/issues/21348
TRTLLM = """\
[TensorRT-LLM] TensorRT-LLM version: 0.13.0.dev2024081300
[TensorRT-LLM][INFO] Loaded engine size: 14744 MiB
[TensorRT-LLM][INFO] Memory usage when calculating max tokens in paged kv cache: total: 39.39 GiB, \
available: 21.89 GiB
[TensorRT-LLM][INFO] Number of blocks in KV cache primary pool: 631
[TensorRT-LLM][INFO] Number of tokens per block: 64.
[TensorRT-LLM][INFO] [MemUsageChange] Allocated 19.72 GiB for max tokens in paged KV cache (40384).
"""  # https://github.com/NVIDIA/TensorRT-LLM/issues/2268


def runs(tmp_path: Path, text: str) -> list[Run]:
    path = tmp_path / "server.log"
    path.write_text(text, encoding="utf-8")
    return read(path)


def values(run: Run) -> dict[str, Fraction]:
    return {f.id: f.quantity.base for f in run.figures}


def test_vllm_v0_prints_blocks(tmp_path: Path) -> None:
    (run,) = runs(tmp_path, V0)
    assert values(run) == {
        "g": 1, "g_tensor": 1, "stages": 1, "M_weights": Fraction("14.9888") * GIB,
        "M_pool": Fraction("3.81") * GIB,
        "blocks": 1952, "T_block": 16, "tokens_pool": 31232, "T_asked": 20000,
        "b_pool": Fraction("1.56"),
    }  # fmt: skip
    assert (run.tool, run.phase, run.notes) == ("vLLM", "start", ())
    assert {k: f.text for k, f in run.facts.items()} == {
        "engine": "vLLM 0.6.4.post1",
        "model": "meta-llama/Llama-3.1-8B-Instruct",
        "weights": "bfloat16",
    }
    found = run.get("M_weights", "one")
    assert found is not None
    assert found.place.line == 2
    assert found.note is not None
    assert "GiB (2^30 bytes)" in found.note.en


def test_vllm_v1_prints_tokens(tmp_path: Path) -> None:
    (run,) = runs(tmp_path, V1)
    assert values(run) == {
        "g": 1, "g_tensor": 1, "stages": 1, "M_weights": Fraction("1.1201") * GIB,
        "M_pool": Fraction("69.66") * GIB,
        "tokens_pool": 652144, "T_asked": 4096, "b_pool": Fraction("159.21"),
    }  # fmt: skip
    assert run.notes == ()


def test_the_newest_vllm_prints_size_and_concurrency_on_one_line(tmp_path: Path) -> None:
    (run,) = runs(
        tmp_path,
        "(EngineCore pid=7) INFO 09-12 22:43:30 [kv_cache_utils.py:9] GPU KV cache size: 302,921 "
        "tokens, Maximum concurrency for 131,072 tokens per request: 2.31x\n",
    )
    assert values(run) == {"tokens_pool": 302921, "T_asked": 131072, "b_pool": Fraction("2.31")}


RANK = """\
\x1b[1;36m(VllmWorkerProcess pid={pid})\x1b[0;0m INFO 02-10 08:23:15 worker.py:266] model weights \
take 13.95GiB; the rest of the memory reserved for KV Cache is {size}GiB.
"""


def test_the_smallest_rank_decides(tmp_path: Path) -> None:
    # https://github.com/vllm-project/vllm/issues/13061: one rank prints 8.69, the pool is of 7.46
    text = RANK.format(pid=240, size="8.69") + RANK.format(pid=241, size="7.46")
    text += "INFO 02-10 08:23:16 executor_base.py:110] # CUDA blocks: 5096, # CPU blocks: 5461\n"
    (run,) = runs(tmp_path, text)
    assert run.value("M_weights", "one") == Fraction("13.95") * GIB
    assert run.value("M_pool", "one") == Fraction("7.46") * GIB
    assert any("from 7.46 to 8.69 GiB/device" in note.en for note in run.notes)
    assert run.get("tokens_pool", "one") is None  # blocks alone do not tell their size


# https://github.com/vllm-project/vllm/issues/32105
TOO_LARGE = """\
ValueError: To serve at least one request with the models's max seq len (202752), (71.16 GiB KV \
cache is needed, which is larger than the available KV cache memory (28.57 GiB). Based on the \
available memory, the estimated maximum model length is 81392.
"""
# https://github.com/vllm-project/vllm/issues/10517
TOO_LONG = """\
ValueError: The model's max seq len (29000) is larger than the maximum number of tokens that can \
be stored in KV cache (23648). Try increasing `gpu_memory_utilization`
"""


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            TOO_LARGE,
            {
                "T_asked": 202752,
                "M_need": Fraction("71.16") * GIB,
                "M_pool": Fraction("28.57") * GIB,
                "tokens_pool": 81392,
            },
        ),
        (TOO_LONG, {"T_asked": 29000, "tokens_pool": 23648}),
    ],
)
def test_a_refusal_says_what_would_fit(
    tmp_path: Path, text: str, wanted: dict[str, Fraction]
) -> None:
    (run,) = runs(tmp_path, text)
    assert values(run) == wanted
    assert any("refused to start" in note.en for note in run.notes)


def test_nothing_left_for_the_cache(tmp_path: Path) -> None:
    text = ("INFO [gpu_worker.py:2] Model loading took 17.00 GiB and 9 seconds\n"
            "INFO [gpu_worker.py:3] Available KV cache memory: -0.69 GiB\n")  # fmt: skip
    (run,) = runs(tmp_path, text)
    assert run.get("M_pool", "one") is None
    assert any("no memory was left" in note.en for note in run.notes)


def test_sglang_keys_and_values_are_one_pool(tmp_path: Path) -> None:
    (run,) = runs(tmp_path, SGLANG)
    assert values(run) == {
        "T_block": 1, "g": 4, "g_tensor": 4, "stages": 1, "M_weights": Fraction("55.87") * GIB,
        "M_pool": 2 * Fraction("8.23") * GIB, "tokens_pool": 367404, "b_asked": 2048,
    }  # fmt: skip
    assert run.facts["model"].text == "Qwen/Qwen3-235B-A22B-FP8"


@pytest.mark.parametrize(
    ("line", "size", "tokens"),
    [
        ("#tokens: 383872, KV size: 19.36 GB", "19.36", 383872),
        ("dtype: torch.bfloat16, #tokens: 430067, K size: 29.53 GB, V size: 29.53 GB", "59.06",
         430067),
        ("K size: 8.23 GB, V size: 8.23 GB", "16.46", None),
    ],
)  # fmt: skip
def test_sglang_over_versions(tmp_path: Path, line: str, size: str, tokens: int | None) -> None:
    (run,) = runs(tmp_path, f"[2026-03-11 13:53:23 TP0] KV Cache is allocated. {line}\n")
    assert run.value("M_pool", "one") == Fraction(size) * GIB
    assert run.value("tokens_pool", "one") == tokens


def test_sglang_pools_of_two_kinds_add_up(tmp_path: Path) -> None:
    lines = [
        f"[{rank}] KV Cache is allocated. dtype: torch.bfloat16, #tokens: {tokens}, "
        f"K size: {size} GB, V size: {size} GB"
        for rank in ("TP0", "TP1")
        for tokens, size in ((774980, "8.87"), (968726, "11.09"))
    ]
    (run,) = runs(tmp_path, "\n".join(lines))
    assert run.value("M_pool", "one") == Fraction("39.92") * GIB
    assert run.get("tokens_pool", "one") is None
    assert any("several sizes" in note.en for note in run.notes)


def test_tensorrt_llm(tmp_path: Path) -> None:
    (run,) = runs(tmp_path, TRTLLM)
    assert values(run) == {
        "M_weights": 14744 * 2**20, "blocks": 631, "T_block": 64, "tokens_pool": 40384,
        "M_pool": Fraction("19.72") * GIB, "M_avail": Fraction("21.89") * GIB,
    }  # fmt: skip
    assert run.facts["engine"].text == "TensorRT-LLM 0.13.0.dev2024081300"
    assert run.notes == ()


def test_tensorrt_llm_allocates_twice_and_the_last_one_stays(tmp_path: Path) -> None:
    line = ("[TensorRT-LLM][INFO] [MemUsageChange] Allocated {} GiB for max tokens in paged KV "
            "cache ({}).\n")  # fmt: skip
    blocks = ("[TensorRT-LLM][INFO] Max KV cache blocks per sequence: 65 [window size=2049], "
              "tokens per block=32, primary blocks={}, secondary blocks=0\n")  # fmt: skip
    text = blocks.format(257) + line.format("0.56", 8224)
    text += blocks.format(13189) + line.format("9.06", 422048)
    (run,) = runs(tmp_path, text)
    assert values(run) == {
        "M_pool": Fraction("9.06") * GIB, "tokens_pool": 422048, "blocks": 13189, "T_block": 32,
    }  # fmt: skip
    assert any("more than once" in note.en for note in run.notes)


def test_several_starts_replicas_and_engines(tmp_path: Path) -> None:
    again = V1.replace("652,144", "326,064").replace("159.21x", "79.61x")
    other = V1.replace("DP0", "DP1")
    found = runs(tmp_path, V1 + again + other + SGLANG + TRTLLM)
    assert [r.label for r in found] == [
        "vLLM, start 1, DP0", "vLLM, start 2, DP0", "vLLM, DP1", "SGLang", "TensorRT-LLM",
    ]  # fmt: skip
    pools = [r.value("tokens_pool", "one") for r in found]
    assert pools == [652144, 326064, 652144, 367404, 40384]


def test_a_pool_that_does_not_hold_what_it_says(tmp_path: Path) -> None:
    (run,) = runs(tmp_path, V1.replace("159.21x", "15.92x"))
    assert any("tokens_pool = b_pool * T_asked does not hold" in n.en for n in run.notes)


def test_a_log_without_memory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DeriveError) as fault:
        runs(tmp_path, "INFO Initializing a V1 LLM engine (v0.10.2) with config: model='m'\n")
    assert fault.value.problems[0].code == "B104"
    with pytest.raises(DeriveError) as fault:
        runs(tmp_path, "INFO [w.py:1] Available KV cache memory: -3 GiB\n")
    assert fault.value.problems[0].code == "B105"


# what another set of lines gives another way: rounded, or from blocks of another start
ROUNDED = ("tokens_pool", "T_block", "M_pool", "M_weights", "g")


def test_damaged_logs_never_end_in_a_traceback(tmp_path: Path) -> None:
    draw = random.Random(11)
    source = V0 + V1 + SGLANG + TRTLLM
    whole = {v for run in runs(tmp_path, source) for v in values(run).values()}
    for _ in range(200):
        lines = source.splitlines()
        draw.shuffle(lines)
        kept = [text[draw.randrange(3) * draw.randrange(80) :] for text in lines]
        kept = kept[: draw.randrange(1, 24)]
        try:
            found = runs(tmp_path, "\n".join(kept))
        except DeriveError:
            continue
        for run in found:
            for name, value in values(run).items():
                # what is left of the lines says the same as before, or nothing
                assert value in whole or name in ROUNDED, name
                assert value >= 0
