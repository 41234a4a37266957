"""Old and new layouts of every tool, read to figures that were worked out by hand."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import TYPE_CHECKING

import pytest

from derive.errors import DeriveError
from derive.measured.reader import read
from tests.measured import layouts

if TYPE_CHECKING:
    from pathlib import Path

    from derive.measured.record import Run


FIRST_TOKEN = "Average time-to-first-token [TTFT] (ms):          400.0000"


def runs(folder: Path, data: object) -> list[Run]:
    """What is read from text, from an object, or from objects that were appended."""
    path = folder / "result"
    lines = data if isinstance(data, tuple) else (data,)
    text = "\n".join(d if isinstance(d, str) else json.dumps(d) for d in lines)
    path.write_bytes(text.encode())
    return read(path)


def fault(folder: Path, data: object) -> tuple[str, str, str]:
    """Code, words and field of the one problem."""
    with pytest.raises(DeriveError) as raised:
        runs(folder, data)
    (problem,) = raised.value.problems
    assert problem.place
    return problem.code, problem.what.en, problem.place.key


def notes(run: Run) -> str:
    """All notes as one text."""
    return "\n".join(n.en for n in run.notes)


def test_vllm_before_total_throughput(tmp_path: Path) -> None:
    (run,) = runs(tmp_path, layouts.VLLM_2024)
    assert run.tool == "vLLM bench serve"
    assert run.value("X_in") == 400
    assert run.value("X_all") is None
    assert run.value("TPOT_meas", "p99") == Fraction(35, 1000)
    assert run.value("T_in_meas") == 200
    assert run.notes == ()


def test_vllm_percentile_with_a_point_and_old_goodput(tmp_path: Path) -> None:
    data = layouts.sample("vllm_bench_serve_old.json") | {"p99.9_ttft_ms": 50.0}
    assert "request_goodput:" in data
    (run,) = runs(tmp_path, data)
    assert run.value("TTFT_meas", "p99.9") == Fraction(50, 1000)


def test_vllm_appended_runs_and_their_lines(tmp_path: Path) -> None:
    found = runs(tmp_path, (layouts.VLLM_2024, layouts.VLLM_2024 | {"mean_ttft_ms": 260}))
    assert [r.place.line for r in found] == [1, 2]
    assert [r.value("TTFT_meas") for r in found] == [Fraction(1, 4), Fraction(26, 100)]


def test_vllm_names_gaps_that_hold_several_tokens(tmp_path: Path) -> None:
    data = layouts.sample("vllm_bench_serve_new.json") | {"mean_itl_ms": 120.5}
    (run,) = runs(tmp_path, data)
    assert "10 times TPOT: a stream event brings several tokens" in notes(run)
    (run,) = runs(tmp_path, data | {"spec_decode_acceptance_length": 3})
    assert "10 times TPOT: it counts steps" in notes(run)


def test_vllm_wrong_unit_shows_itself(tmp_path: Path) -> None:
    data = layouts.sample("vllm_bench_serve_old.json")
    (run,) = runs(tmp_path, data | {"duration": 158.2})
    assert "X_meas * duration = tokens_out does not hold: ≈ 1,000 times" in notes(run)
    (run,) = runs(tmp_path, data | {"mean_ttft_ms": 0.04115, "mean_tpot_ms": 0.01205})
    assert "E2E_meas = TTFT_meas + (T_out_meas - 1) * TPOT_meas does not hold" in notes(run)


def test_vllm_zero_times_measure_nothing(tmp_path: Path) -> None:
    (run,) = runs(tmp_path, layouts.VLLM_2024 | {"mean_tpot_ms": 0.0})
    assert run.value("TPOT_meas") is None
    assert run.value("TPOT_meas", "p50") == Fraction(19, 1000)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -1, "fast", [1], True, {}])
def test_a_figure_that_is_no_number_is_refused(tmp_path: Path, value: object) -> None:
    code, what, key = fault(tmp_path, layouts.VLLM_2024 | {"mean_ttft_ms": value})
    assert (code, key) == ("B106", "mean_ttft_ms")
    assert "mean_ttft_ms is " in what


def test_vllm_latency_and_throughput(tmp_path: Path) -> None:
    (run,) = runs(tmp_path, layouts.sample("vllm_bench_latency.json"))
    assert run.value("E2E_meas") == Fraction("2.10325")
    assert run.value("E2E_meas", "p99") == Fraction("2.10982")
    assert "a whole batch" in notes(run)
    data = layouts.sample("vllm_bench_throughput.json")
    (run,) = runs(tmp_path, data)
    assert run.value("X_meas") is None  # input and output are counted together
    assert run.value("X_all") == Fraction("7881.679389")
    (run,) = runs(tmp_path, data | {"elapsed_time": 52400})
    assert "X_all * duration = tokens_all does not hold: ≈ 1,000 times" in notes(run)


def test_vllm_twin_for_ci_says_the_same_and_more(tmp_path: Path) -> None:
    (run,) = runs(tmp_path, layouts.pytorch_twin("vllm_bench_latency.json"))
    assert run.tool == "vLLM bench latency"
    assert run.value("E2E_meas") == Fraction("2.10325")
    assert [run.value(n) for n in ("b_meas", "T_in_meas", "T_out_meas")] == [8, 32, 128]
    assert run.value("g", "one") == 4
    (run,) = runs(tmp_path, layouts.pytorch_twin("vllm_bench_throughput.json"))
    assert (run.value("X_all"), run.value("duration", "one")) == (
        Fraction("7881.679389"), Fraction("52.4"),
    )  # fmt: skip
    (run,) = runs(tmp_path, layouts.pytorch_twin("vllm_bench_serve_new.json"))
    plain = read(layouts.SAMPLES / "vllm_bench_serve_new.json")[0]
    assert {(f.id, f.statistic): f.quantity for f in run.figures} == {
        (f.id, f.statistic): f.quantity for f in plain.figures
    }
    assert run.facts["model"].text == "example-org/Example-8B"


@pytest.mark.parametrize("data", [layouts.SGLANG_2024, layouts.SGLANG_FIRST])
def test_sglang_short_layouts(tmp_path: Path, data: dict[str, object]) -> None:
    (run,) = runs(tmp_path, data)
    assert run.tool == "SGLang bench_serving"
    assert run.value("TTFT_meas", "p50") == Fraction(1, 5)
    assert run.value("E2E_meas") == Fraction("2.23")
    assert run.value("X_meas") == 200
    assert run.value("T_out_meas") == 100
    assert run.value("b_meas") is None  # no request rate was measured
    again = "the text encoded again has 4,800" in notes(run)
    assert again is (data is layouts.SGLANG_FIRST)


def test_sglang_bare_infinity_and_server(tmp_path: Path) -> None:
    data = layouts.sample("sglang_bench_serving.jsonl")
    server = {"model_path": "m", "tp_size": 4, "pp_size": 2, "kv_cache_dtype": "fp8_e5m2"}
    data |= {"request_rate": float("inf"), "server_info": server, "accept_length": 2.5}
    assert '"request_rate": Infinity' in json.dumps(data)
    (run,) = runs(tmp_path, data)
    assert run.value("g", "one") == 8
    assert run.value("accepted") == Fraction(5, 2)
    assert {k: v.text for k, v in run.facts.items()} == {"model": "m", "kv_cache": "fp8_e5m2"}


def test_sglang_one_batch_has_a_run_for_each_phase(tmp_path: Path) -> None:
    path = layouts.SAMPLES / "sglang_bench_one_batch.jsonl"
    prefill, decode, whole = read(path)
    assert [r.phase for r in (prefill, decode, whole)] == ["prefill", "decode", "serving"]
    assert prefill.value("t_prefill_meas") == Fraction("0.2105")
    assert prefill.value("X_in") == Fraction("38916.86")
    assert decode.value("t_step_meas", "p50") == decode.value("TPOT_meas", "p50")
    assert decode.value("X_meas", "p50") == Fraction("649.88")
    assert whole.value("X_all") == Fraction("5195.42")
    assert {r.value("b_meas") for r in (prefill, decode, whole)} == {8}
    data = json.loads(path.read_text())
    del data["median_decode_latency"], data["median_decode_throughput"]
    assert [r.phase for r in runs(tmp_path, data | {"output_len": 1})] == ["prefill", "serving"]


def test_aiperf_believes_the_unit_of_each_block(tmp_path: Path) -> None:
    data = layouts.sample("aiperf_profile_export_v1_1.json")
    plain = runs(tmp_path, data)[0]
    data["time_to_first_token"] = {"unit": "us", "avg": 41150, "p99": 43043}
    data["request_latency"] = {"unit": "sec", "avg": 0.0773}
    (run,) = runs(tmp_path, data)
    for name in ("TTFT_meas", "E2E_meas"):
        assert run.value(name) == plain.value(name)
    assert run.value("TTFT_meas", "p99") == Fraction("0.043043")
    data["time_to_first_token"]["unit"] = "fortnights"
    code, what, key = fault(tmp_path, data)
    assert (code, key) == ("B109", "time_to_first_token.unit")
    assert what.startswith("time_to_first_token is in fortnights; one of microseconds, ")


def test_aiperf_requests_a_line(tmp_path: Path) -> None:
    one = layouts.AIPERF_RECORD
    two = json.loads(json.dumps(one))
    two["metrics"]["time_to_first_token"]["value"] = 400.0
    two["metrics"]["inter_chunk_latency"]["value"] = [20.0]
    failed = {"metadata": one["metadata"], "metrics": None, "error": {"code": 499}}
    (run,) = runs(tmp_path, (one, failed, two))
    assert run.value("TTFT_meas") == Fraction(3, 10)
    assert run.value("ITL_meas") == Fraction(2, 100)  # over three gaps, not two requests
    assert [run.value(n, "one") for n in ("requests", "failed")] == [2, 1]
    two["metrics"]["time_to_first_token"]["unit"] = "s"
    assert fault(tmp_path, (one, two))[2] == "metrics.time_to_first_token.unit"


def test_aiperf_repeated_runs(tmp_path: Path) -> None:
    (run,) = runs(tmp_path, layouts.AIPERF_SEVERAL)
    assert run.value("TTFT_meas") == Fraction(41, 1000)
    assert run.value("TTFT_meas", "p99") == Fraction(44, 1000)
    assert run.value("X_meas") == 100
    assert "means over 3 repeated runs" in notes(run)


def test_genai_perf_csv_with_thousands_and_other_tables(tmp_path: Path) -> None:
    (run,) = runs(tmp_path, layouts.GENAI_PERF_CSV)
    assert run.value("TTFT_meas") == Fraction("1.64115")
    assert run.value("X_meas") == 456
    assert run.value("T_out_meas") == 100
    assert run.get("TTFT_meas").place.line == 2  # type: ignore[union-attr]
    assert run.get("X_meas").place.line == 6  # type: ignore[union-attr]
    assert run.notes == ()
    text = layouts.GENAI_PERF_CSV.replace('"1,641.15"', '"1641,15"')
    code, what, _ = fault(tmp_path, text)
    assert (code, "1641,15" in what) == ("B106", True)


def test_trtllm_text_of_0_13(tmp_path: Path) -> None:
    (run,) = runs(tmp_path, layouts.TRTLLM_013)
    assert run.value("X_meas") == 48000  # output tokens: 187.5 requests/s of 256 tokens
    assert run.value("duration", "one") == 16  # seconds here, milliseconds later
    assert run.value("g", "one") == 4
    assert run.value("b_asked", "one") == 4096
    assert run.notes == ()


def test_trtllm_text_of_1_0_twice_in_a_log(tmp_path: Path) -> None:
    later = layouts.TRTLLM_1_0.replace("400.0000", "500.0000")
    one, two = runs(tmp_path, layouts.TRTLLM_1_0 + later)
    assert [r.value("TTFT_meas") for r in (one, two)] == [Fraction(2, 5), Fraction(1, 2)]
    assert one.value("TPOT_meas", "p99") == Fraction(18, 1000)
    assert one.value("TTFT_meas", "p50") == Fraction(39, 100)
    facts = {k: v.text for k, v in one.facts.items()}
    assert facts["weights"] == "bfloat16"  # quantization is None
    assert (facts["kv_cache"], facts["engine"]) == ("FP8", "1.0.0")
    line = layouts.TRTLLM_1_0.splitlines().index(FIRST_TOKEN) + 1
    assert one.get("TTFT_meas").place.line == line  # type: ignore[union-attr]
    wrong = layouts.TRTLLM_1_0.replace("Total Latency (ms)", "Total Latency (weeks)")
    assert fault(tmp_path, wrong)[0] == "B106"


def test_trtllm_json_without_streaming(tmp_path: Path) -> None:
    data = layouts.sample("trtllm_bench_report.json")
    del data["streaming_metrics"]
    data["decoding_stats"] = {
        "mode": "MTP", "acceptance_length_percentiles": {"average": 2.4},
        "draft_acceptance_rate_percentiles": {"average": 0.7},
    }  # fmt: skip
    (run,) = runs(tmp_path, data)
    assert run.value("TTFT_meas") is None
    assert (run.value("accepted"), run.value("acceptance")) == (Fraction("2.4"), Fraction("0.7"))
    assert run.notes == ()


def test_inference_perf_without_streaming_and_with_a_cache(tmp_path: Path) -> None:
    data = layouts.sample("inference_perf_summary.json")
    good = data["successes"]
    for key in ("time_to_first_token", "time_per_output_token", "inter_token_latency"):
        good["latency"][key] = None
    del good["prompt_len"]
    good["prompt_tokens"] = {"total": 512.0, "cached": 128.0, "uncached": 384.0, "mean": 128.0}
    good["output_tokens"] = {"total": 20.0, "mean": 5.0}
    del data["load_summary"]["requested_rate"]
    (run,) = runs(tmp_path, data | {"benchmark_time_seconds": 0.1582})
    assert run.value("TTFT_meas") is None
    assert run.value("TPOT_all") == Fraction("0.019325")
    assert [run.value(n) for n in ("hit", "T_hit", "T_in_meas")] == [Fraction(1, 4), 32, 128]
    assert "the client counts 4.0 tokens a request" in notes(run)
    assert "pools all its load stages" in notes(run)


def test_guidellm_old_layout(tmp_path: Path) -> None:
    (run,) = runs(tmp_path, layouts.guidellm_old())
    assert run.value("TPOT_all") is None  # it left out the first token's time, not its count
    assert run.value("TPOT_meas") == Fraction("0.01205")
    assert run.value("b_asked", "one") == 2
    assert run.value("duration", "one") == Fraction("0.1582")
    assert run.value("TTFT_meas", "p0.1") == Fraction("0.0398021")
    assert run.facts["model"].text == "example-org/Example-8B"
    assert "only requests that succeeded" in notes(run)


def test_guidellm_several_benchmarks_and_the_first_layout(tmp_path: Path) -> None:
    data = layouts.sample("guidellm_benchmarks.json")
    data["benchmarks"].append(json.loads(json.dumps(data["benchmarks"][0])))
    data["benchmarks"][1]["config"]["strategy"] = {"type_": "constant", "rate": 5.0}
    one, two = runs(tmp_path, data)
    assert (one.label, two.label) == ("concurrent", "constant 5.0")
    assert one.value("TPOT_all") == Fraction("0.019325")
    key = two.get("TTFT_meas").place.key  # type: ignore[union-attr]
    assert key == "benchmarks[1].metrics.time_to_first_token_ms.successful.mean"
    first = {"benchmarks": [{"benchmarks": [{"mode": "synchronous", "results": []}], "args": {}}]}
    code, what, _ = fault(tmp_path, first)
    assert (code, "guidellm 0.1" in what) == ("B110", True)


def test_llama_bench_lines_depth_and_both(tmp_path: Path) -> None:
    test = layouts.sample("llama_bench_new.json")[0]
    deep = test | {"n_prompt": 0, "n_gen": 128, "n_depth": 4096, "avg_ns": 1_280_000_000,
                   "avg_ts": 100.0, "n_gpu_layers": -1}  # fmt: skip
    both = test | {"n_gen": 128, "avg_ts": 640.0, "avg_ns": 1_000_000_000}
    one, two = runs(tmp_path, (deep, both))
    assert (one.phase, one.label) == ("decode", "tg128 @ d4096")
    assert one.value("t_step_meas") == Fraction(1, 100)
    assert [one.value(n) for n in ("T_in_meas", "T_depth")] == [4096, 4096]
    assert (two.phase, two.label) == ("serving", "pp512+tg128")
    assert [two.value(n) for n in ("X_all", "E2E_meas", "X_meas")] == [640, 1, None]
    assert fault(tmp_path, test | {"n_prompt": 0})[0] == "B106"


def test_llama_bench_tells_where_weights_lay(tmp_path: Path) -> None:
    test = layouts.sample("llama_bench_new.json")[0]
    pair = test | {"gpu_info": "A, A"}
    host, experts, layers = runs(
        tmp_path, (test | {"n_gpu_layers": 0}, test | {"n_cpu_moe": 8}, pair)
    )
    assert "no layer was placed" in notes(host)
    assert "experts of some layers" in notes(experts)
    assert "one works at a time" in notes(layers)


def test_llama_bench_markdown_among_other_text(tmp_path: Path) -> None:
    text = """\
# Results, and a comma

| a table | of something else |
| ------- | ----------------- |
| x       | y, z              |

| model         |       size |   params | backend | threads | test   | t/s          |
| ------------- | ---------: | -------: | ------- | ------: | -----: | -----------: |
| llama 1B Q4_0 | 606.53 MiB | 999.00 M | CPU     |       8 | pp 512 | 94.68 ± 0.02 |
| llama 1B Q4_0 | 606.53 MiB | 999.00 M | CPU     |       8 | pp512+tg128 | 50.00 ± 0.02 |

build: 1234567 (1)
"""
    one, two = runs(tmp_path, text)
    assert (one.value("X_in"), one.label) == (Fraction("94.68"), "pp512")
    assert one.value("W", "one") == Fraction("606.53") * 2**20
    assert one.value("N", "one") == 999_000_000
    assert two.value("X_all") == 50
    assert two.place.line == 10
    code, what, key = fault(tmp_path, text.replace("pp 512", "warp 9"))
    assert (code, key, "warp 9" in what) == ("B106", "test", True)


def test_mlperf_rows_and_their_units(tmp_path: Path) -> None:
    row = layouts.sample("mlperf_summary_row.json")[0]
    single = row | {"Scenario": "SingleStream", "Performance_Result": 12.5,
                    "Performance_Units": "Latency (ms)"}  # fmt: skip
    bare = {k: v for k, v in row.items() if k not in ("Total Accelerators", "Nodes")}
    power = row | {"Performance_Units": "Watts"}
    one, two, three = runs(tmp_path, [row, single, power, bare])
    assert one.value("X_meas") == 34400
    assert one.value("devices", "one") == 8
    assert two.value("E2E_meas", "p90") == Fraction("0.0125")
    assert three.value("devices", "one") is None
    assert "does not state how many accelerators" in notes(three)
    (nodes,) = runs(tmp_path, [bare | {"Nodes": 2}])
    assert nodes.value("devices", "one") == 16
    code, _, key = fault(tmp_path, [row | {"Performance_Units": "Bananas/s"}])
    assert (code, key) == ("B109", "[0].Performance_Units")


@pytest.mark.parametrize(
    ("printed", "rate"),
    [("1,071.2", "1071.2"), ("1071.20 ± 3.1", "1071.2"), ("12,345.67 ± 1,000.00", "12345.67"),
     ("79.20 Â± 0.46", "79.2"), ("12,5", None), ("1,07.2", None)],
)  # fmt: skip
def test_a_llama_bench_table_from_other_hands(
    printed: str, rate: str | None, tmp_path: Path
) -> None:
    path = tmp_path / "table.md"
    path.write_text(f"| model | test | t/s |\n| --- | ---: | ---: |\n| m | tg128 | {printed} |\n")
    if rate is None:
        with pytest.raises(DeriveError):
            read(path)
    else:
        assert read(path)[0].value("X_meas") == Fraction(rate)
