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
SERVING = ("vllm_bench_serve_new.json", "vllm_bench_serve_old.json",
           "vllm_bench_serve_specdecode.json")  # fmt: skip


@pytest.mark.parametrize("name", SERVING)
def test_every_client_tells_the_same(name: str) -> None:
    (run,) = read(SAMPLES / name)
    for figure, wanted in TRUTH.items():
        found = run.value(figure)
        assert found is not None, figure
        assert abs(found / wanted - 1) < CLOSE, figure
    assert run.notes == ()
