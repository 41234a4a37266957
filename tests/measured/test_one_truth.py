"""One small run as every serving client writes it: 4 requests, 128 tokens in, 4 out, 2 at once."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from derive.measured.reader import read

SAMPLES = Path(__file__).parent / "samples"
CLOSE = Fraction(1, 10_000)  # files print seven digits
TRUTH = {
    "TTFT_meas": Fraction("0.04115"),
    "TPOT_meas": Fraction("0.01205"),
    "E2E_meas": Fraction("0.0773"),
}
# what a format carries beside them; CSV rounds to hundredths
MORE = {
    "X_meas": Fraction("101.1378"),
    "X_all": Fraction("3337.547"),
    "X_in": Fraction("3236.41"),
    "rate": Fraction("25.28445"),
    "b_meas": Fraction("1.954488"),
    "T_in_meas": Fraction(128),
    "T_out_meas": Fraction(4),
    "TPOT_all": Fraction("0.019325"),
    "ITL_meas": Fraction("0.01205"),
}
SETTINGS = {"requests": 4, "failed": 0, "tokens_in": 512, "tokens_out": 16, "b_asked": 2}
SERVING = {
    "vllm_bench_serve_new.json": 7, "vllm_bench_serve_old.json": 7,
    "vllm_bench_serve_specdecode.json": 7, "sglang_bench_serving.jsonl": 8,
    "aiperf_profile_export_v1_1.json": 6, "aiperf_profile_export_v1_5.json": 6,
    "aiperf_profile_export.csv": 4, "genai_perf_profile_export.json": 5,
    "genai_perf_profile_export.csv": 2, "inference_perf_summary.json": 9,
    "guidellm_benchmarks.json": 7,
}  # fmt: skip
ODD = {"genai_perf_profile_export.csv": {"X_meas"}}  # its thousands separator is there on purpose


@pytest.mark.parametrize("name", SERVING)
def test_every_client_tells_the_same(name: str) -> None:
    run = read(SAMPLES / name)[0]
    for figure, wanted in TRUTH.items():
        found = run.value(figure)
        assert found is not None, figure
        assert abs(found / wanted - 1) < CLOSE, figure
    assert run.notes == ()


@pytest.mark.parametrize(("name", "count"), SERVING.items())
def test_what_else_a_client_tells_is_the_same_too(name: str, count: int) -> None:
    run = read(SAMPLES / name)[0]
    close = 2 * CLOSE if name.endswith(".csv") else CLOSE / 10
    there = {k for k in MORE if run.value(k) is not None}
    for figure in there - ODD.get(name, set()):
        assert abs(run.value(figure) / MORE[figure] - 1) < close, figure  # type: ignore[operator]
    settings = {k: run.value(k, "one") for k in SETTINGS if run.value(k, "one") is not None}
    assert all(SETTINGS[k] == v for k, v in settings.items())
    assert len(there - ODD.get(name, set())) == count


def test_the_second_run_of_a_file_contradicts_itself() -> None:
    first, second = read(SAMPLES / "sglang_bench_serving.jsonl")
    assert first.notes == ()
    assert second.place.line == 2
    (note,) = second.notes
    assert note.en == "b_meas = rate * E2E_meas does not hold: ≈ 0.5065 times"


def test_both_reports_of_one_run_of_trtllm_bench_agree() -> None:
    names = ("trtllm_bench_report.json", "trtllm_bench_report_new.txt",
             "trtllm_bench_report_old.txt")  # fmt: skip
    runs = [read(SAMPLES / name)[0] for name in names]
    shared = ("TTFT_meas", "TPOT_meas", "E2E_meas", "X_meas", "X_all", "R_meas", "R_all", "rate")
    for figure in shared:
        assert len({r.value(figure) for r in runs}) == 1, figure
    assert [r.value("duration", "one") for r in runs] == [50, 50, 50]


def test_all_forms_of_llama_bench_agree() -> None:
    json, old, csv, md = (
        read(SAMPLES / f"llama_bench{n}") for n in ("_new.json", "_old.json", ".csv", ".md")
    )
    assert [r.label for r in json] == [r.label for r in old] == ["pp512", "tg128"]
    assert [r.label for r in md] == ["pp512", "tg128", "tg128 @ d4096"]
    for one, two, three, four in zip(json, old, csv, md[:2], strict=True):
        name = "X_in" if one.phase == "prefill" else "X_meas"
        assert one.phase == two.phase == three.phase == four.phase
        assert one.value(name) == two.value(name) == three.value(name)
        assert abs(four.value(name) / one.value(name) - 1) < CLOSE  # type: ignore[operator]
        assert one.value("N", "one") == three.value("N", "one") == 7_615_616_512
