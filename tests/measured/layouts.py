"""Files of other versions than the samples', in the layouts that the tools' sources write."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

SAMPLES = Path(__file__).parent / "samples"


def sample(name: str) -> Any:
    """A sample as an object that a test may change; the first run of several."""
    return json.JSONDecoder().raw_decode((SAMPLES / name).read_text("utf-8"))[0]


VLLM_2024 = {  # benchmark_serving.py before total_token_throughput
    "date": "20240612-101500", "backend": "vllm", "model_id": "m", "tokenizer_id": "m",
    "best_of": 1, "use_beam_search": False, "num_prompts": 100, "request_rate": "inf",
    "duration": 50.0, "completed": 100, "total_input_tokens": 20000, "total_output_tokens": 10000,
    "request_throughput": 2.0, "input_throughput": 400.0, "output_throughput": 200.0,
    "mean_ttft_ms": 250.0, "median_ttft_ms": 200.0, "p99_ttft_ms": 900.0,
    "mean_tpot_ms": 20.0, "median_tpot_ms": 19.0, "p99_tpot_ms": 35.0,
}  # fmt: skip

SGLANG_2024 = {  # times in milliseconds whose keys say so, medians only
    "backend": "sglang", "request_rate": 4.0, "total_input_tokens": 20000,
    "total_output_tokens": 10000, "total_output_tokens_retokenized": 9990,
    "mean_e2e_latency_ms": 2230.0, "median_e2e_latency_ms": 2100.0, "median_ttft_ms": 200.0,
    "median_itl_ms": 19.0, "output_throughput": 200.0, "random_input_len": 200,
    "random_output_len": 100, "random_range_ratio": 0.0, "duration": 50.0, "completed": 100,
}  # fmt: skip

SGLANG_FIRST = {  # the first layout: other words, and milliseconds that no key names
    "backend": "sglang", "dataset_name": "random", "request_rate": 4.0, "completed": 100,
    "total_input": 20000, "total_output": 10000, "total_output_retokenized": 4800,
    "mean_e2e_latency": 2230.0, "median_e2e_latency": 2100.0, "median_ttft": 200.0,
    "median_itl": 19.0, "output_token_throughput": 200.0, "sharegpt_output_len": None,
    "random_input_len": 200, "random_output_len": 100, "random_range_ratio": 0.0,
    "benchmark_duration": 50.0,
}  # fmt: skip

TRTLLM_013 = """\
===========================================================
= ENGINE DETAILS
===========================================================
Engine Directory:       /tmp/engine
Max Input Length:       1024
===========================================================
= WORLD + RUNTIME INFORMATION
===========================================================
TP Size:                2
PP Size:                2
Max Runtime Batch Size: 4096
Max Runtime Tokens:     8192
Scheduling Policy:      Guaranteed No Evict
KV Memory Percentage:   99.0%
Issue Rate (req/sec):   3.680275266452667e+18
===========================================================
= STATISTICS
===========================================================
Number of requests:             3000
Average Input Length (tokens):  128.0
Average Output Length (tokens): 256.0
Token Throughput (tokens/sec):  48000.0
Request Throughput (req/sec):   187.5
Total Latency (seconds):        16.0
===========================================================
"""

TRTLLM_1_0 = """\
[11/02/2026-10:15:00] [TRT-LLM] [I]

===========================================================
= PYTORCH BACKEND
===========================================================
Model:\t\t\texample-org/Example-8B
Model Path:\t\tNone
TensorRT LLM Version:\t1.0.0
Dtype:\t\t\tbfloat16
KV Cache Dtype:\t\tFP8
Quantization:\t\tNone

===========================================================
= MACHINE DETAILS
===========================================================
Example GPU 141GB, memory 139.81 GB, 3.20 GHz

===========================================================
= WORLD + RUNTIME INFORMATION
===========================================================
TP Size:                4
PP Size:                1
EP Size:                None
Max Runtime Batch Size: 64

===========================================================
= REQUEST DETAILS
===========================================================
Number of requests:             100
Number of concurrent requests:  20.0000
Average Input Length (tokens):  1000.0000
Average Output Length (tokens): 101.0000
===========================================================
= PERFORMANCE OVERVIEW
===========================================================
Request Throughput (req/sec):                     10.0000
Total Output Throughput (tokens/sec):             1010.0000
Total Token Throughput (tokens/sec):              11010.0000
Total Latency (ms):                               10000.0000
Average request latency (ms):                     2000.0000
Per User Output Throughput [w/ ctx] (tps/user):   50.5000
Per GPU Output Throughput (tps/gpu):              252.5000
Average time-to-first-token [TTFT] (ms):          400.0000
Average time-per-output-token [TPOT] (ms):        16.0000
Per User Output Speed (tps/user):                 62.5000

-- Per-Request Time-per-Output-Token [TPOT] Breakdown (ms)

[TPOT] MINIMUM: 15.0000
[TPOT] P99    : 18.0000

-- Per-Request Time-to-First-Token [TTFT] Breakdown (ms)

[TTFT] P50    : 390.0000
"""

AIPERF_RECORD = {
    "metadata": {
        "session_num": 1, "x_request_id": "a", "request_start_ns": 1759813207532900363,
        "request_end_ns": 1759813207838764604, "benchmark_phase": "profiling",
        "was_cancelled": False,
    },
    "metrics": {
        "input_sequence_length": {"value": 550, "unit": "tokens"},
        "time_to_first_token": {"value": 200.0, "unit": "ms"},
        "request_latency": {"value": 300.0, "unit": "ms"},
        "inter_chunk_latency": {"value": [10.0, 30.0], "unit": "ms"},
        "output_sequence_length": {"value": 11, "unit": "tokens"},
        "inter_token_latency": {"value": 10.0, "unit": "ms"},
    },
    "error": None,
}  # fmt: skip

AIPERF_SEVERAL = {
    "schema_version": "1.0", "aiperf_version": "0.5.0",
    "metadata": {"aggregation_type": "confidence", "num_profile_runs": 3,
                 "num_successful_runs": 3, "failed_runs": []},
    "metrics": {
        "time_to_first_token_avg": {"mean": 41.0, "std": 1.0, "cv": 0.02, "unit": "ms"},
        "time_to_first_token_p99": {"mean": 44.0, "std": 1.0, "cv": 0.02, "unit": "ms"},
        "output_token_throughput_avg": {"mean": 100.0, "std": 1.0, "unit": "tokens/sec"},
    },
}  # fmt: skip

GENAI_PERF_CSV = (
    "Metric,avg,min,max,p99,p95,p90,p75,p50,p25\r\n"
    'Time To First Token (ms),"1,641.15",39.80,"2,043.10",43.04,42.81,42.53,41.67,40.85,40.33\r\n'
    "Output Sequence Length,100.00,90.00,110.00,110.00,109.00,108.00,105.00,100.00,95.00\r\n"
    "\r\n"
    "Metric,Value\r\n"
    "Output Token Throughput (per sec),456.00\r\n"
    "Request Throughput (per sec),4.56\r\n"
    "\r\n"
    "\r\n"
    "Endpoint,GPU_Index,GPU_Name,Metric,avg,min,max\r\n"
    "a:9400,0,Example GPU,GPU Power Usage (W),300.00,290.00,310.00\r\n"
)


def guidellm_old() -> dict[str, Any]:
    """The layout of 0.2 and 0.3: strategy in args, counts beside the metrics, no duration."""
    new = sample("guidellm_benchmarks.json")["benchmarks"][0]
    metrics = new["metrics"]
    totals = metrics.pop("request_totals")
    for spread in metrics.values():
        spread["successful"]["percentiles"].pop("p50")
    metrics["time_per_output_token_ms"]["successful"]["mean"] = 9.0375  # (last - first) / tokens
    one = {
        "args": {"strategy": {"type_": "concurrent", "streams": 2}},
        "run_stats": {"start_time": 1767435300.0, "end_time": 1767435300.2},
        "start_time": 1767435300.0, "end_time": 1767435300.1582,
        "worker": {"backend_model": "example-org/Example-8B"},
        "metrics": metrics, "request_totals": {**totals, "errored": 1},
    }  # fmt: skip
    return {"benchmarks": [one]}


def pytorch_twin(name: str) -> list[dict[str, Any]]:
    """The `.pytorch.json` beside a sample of vLLM's."""
    whole = sample(name)
    args: dict[str, Any] = {
        "model": "example-org/Example-8B", "tensor_parallel_size": 2, "pipeline_parallel_size": 2,
        "batch_size": 8, "input_len": 32, "output_len": 128,
    }  # fmt: skip
    if "latencies" in whole and "percentiles" in whole:
        values = {"latency": whole.pop("latencies")}
    elif "elapsed_time" in whole:
        names = ("requests_per_second", "tokens_per_second")
        values = {n: [whole.pop(n)] for n in names}
    else:
        values = {n: [whole.pop(n)] for n in [k for k in whole if k.endswith("_ms")]}
        args = {"model": None, "tensor_parallel_size": 99}
    return [
        {"benchmark": {"name": "vLLM benchmark", "extra_info": {"args": args}},
         "model": {"name": "example-org/Example-8B"},
         "metric": {"name": n, "benchmark_values": v, "extra_info": whole}}
        for n, v in values.items()
    ]  # fmt: skip
