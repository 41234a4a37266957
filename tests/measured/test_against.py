"""Runs against the bound: shares by independent arithmetic, bands, explanations, experiments."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from derive.errors import Place
from derive.formula import catalogue
from derive.measured.against import (
    bands,
    beats,
    experiments,
    kernels,
    record,
    setting,
    shares,
    taken,
)
from derive.measured.against.cautions import cautions
from derive.measured.quantities import MEASURABLE
from derive.measured.record import Fact, Figure, Kernel, Run
from derive.specs import load
from derive.units import Quantity

catalogue()
# Llama-3-70B: 70,553,706,496 parameters in 2 byte, its table of 128,256 × 8,192 not read in decode
PARAMS, TABLE, KAPPA = 70_553_706_496, 128_256 * 8_192, 327_680
BANDWIDTH, PEAK, DEVICES = Fraction(3_350 * 10**9), Fraction(9_895 * 10**11), 4
SCENARIO = "llama-3-70b-on-4x-h100"


def run(phase: str = "serving", **values: Any) -> Run:
    """A run with means in base units."""
    units = {name: MEASURABLE[name].unit for name in values}
    figures = tuple(
        Figure(name, Quantity(Fraction(value) / units[name].factor, units[name]), Place("run.json"))
        for name, value in values.items()
    )
    return Run("by hand", Place("run.json"), phase, figures)


def held(**values: Any) -> setting.Setting:
    """The scenario at such a run's load."""
    return setting.at(load.scenario(SCENARIO), run(**values))


def step(b: int, mean: int, table: int = 0) -> Fraction:
    """Seconds of a step at peak: the bytes over the bandwidth of all devices."""
    return (2 * (PARAMS - table) + Fraction(b * mean * KAPPA)) / (DEVICES * BANDWIDTH)


def test_tpot_is_held_against_the_step_at_the_mean_context() -> None:
    found = shares.decode(held(TPOT_meas="0.020", b_meas=16, T_in_meas=1000, T_out_meas=500))
    assert found is not None
    assert found.bound == step(16, 1250)
    assert found.streamed == step(16, 1250, TABLE)
    assert found.weights == Fraction(2 * PARAMS) / (DEVICES * BANDWIDTH)
    assert found.share == found.MBU == step(16, 1250) / Fraction("0.020")
    assert bands.band(found) == bands.BETWEEN


def test_ttft_is_held_against_the_operations_of_one_prompt() -> None:
    found = shares.prefill(held(TTFT_meas="0.2", b_meas=1, T_in_meas=2048, T_out_meas=2))
    assert found is not None
    assert found.bound == Fraction(2 * PARAMS * 2048) / (DEVICES * PEAK)
    assert found.side == shares.COMPUTE
    assert found.bound / Fraction("0.2") == found.MFU


@pytest.mark.parametrize(
    ("share", "band"),
    [("0.29", bands.SLACK), ("0.31", bands.BETWEEN), ("0.59", bands.BETWEEN), ("0.61", bands.LIMIT),
     ("0.99", bands.LIMIT), ("1.2", bands.BEATS)],
)  # fmt: skip
def test_bands(share: str, band: str) -> None:
    measured = step(8, 1100) / Fraction(share)
    found = shares.decode(held(TPOT_meas=measured, b_meas=8, T_in_meas=1000, T_out_meas=200))
    assert found is not None
    assert bands.band(found) == band


def test_between_first_order_and_streamed_bytes_nothing_is_beaten() -> None:
    """Decode does not read the input table: 1.5 % below the first-order bound is no miracle."""
    measured = (step(1, 11) + step(1, 11, TABLE)) / 2
    found = shares.decode(held(TPOT_meas=measured, b_meas=1, T_in_meas=10, T_out_meas=2))
    assert found is not None
    assert found.share > 1
    assert not found.beats


def explained(**values: Any) -> dict[str, beats.Explanation]:
    there = held(**values)
    (phase, *_) = shares.phases(there)
    hardware = [load.hardware(name) for name in load.names("hardware")]
    found = beats.explanations(phase, run(**values), there, hardware)
    return {one.id: one for one in found}


def test_speculation_explains_with_enough_tokens_a_step_and_not_with_fewer() -> None:
    load_of = {"b_meas": 1, "T_in_meas": 10, "T_out_meas": 2}
    measured = step(1, 11, TABLE) / 3
    assert (
        explained(TPOT_meas=measured, accepted="3.1", **load_of)["speculation"].state == "explains"
    )
    assert explained(TPOT_meas=measured, accepted="2.9", **load_of)["speculation"].state == "cannot"
    assert explained(TPOT_meas=measured, **load_of)["speculation"].state == "open"


def test_narrower_weights_are_named_where_they_reach_it() -> None:
    measured = step(1, 11, TABLE) * Fraction(2, 3)  # between 8 bits and 16
    found = explained(TPOT_meas=measured, b_meas=1, T_in_meas=10, T_out_meas=2)["precision"]
    assert "fp8" in found.text.en
    far = explained(TPOT_meas=measured / 100, b_meas=1, T_in_meas=10, T_out_meas=2)["precision"]
    assert far.state == "cannot"


def test_a_prefix_cache_explains_ttft_with_enough_of_the_prompt() -> None:
    load_of = {"b_meas": 1, "T_in_meas": 8000, "T_out_meas": 2}
    # of the parameters the input table is looked up and the head is used once a prompt
    measured = Fraction(2 * (PARAMS - 2 * TABLE) * 8000) / (DEVICES * PEAK) / 2
    assert explained(TTFT_meas=measured, hit="0.501", **load_of)["prefix-cache"].state == "explains"
    assert explained(TTFT_meas=measured, hit="0.499", **load_of)["prefix-cache"].state == "cannot"


def test_no_gap_between_events_is_taken_for_a_tpot() -> None:
    assert taken.tpot(run(ITL_meas="0.120")) is None


def test_a_time_with_the_first_token_becomes_tpot_only_with_ttft() -> None:
    assert taken.tpot(run(TPOT_all="0.019325", T_out_meas=4)) is None
    found = taken.tpot(run(TPOT_all="0.019325", T_out_meas=4, TTFT_meas="0.04115"))
    assert found is not None
    assert found.quantity.base == (Fraction("0.019325") * 4 - Fraction("0.04115")) / 3


@given(st.integers(1, 400), st.integers(1, 60_000), st.fractions("1/1000", "10"))
def test_the_share_scales_as_one_over_the_measured_time(b: int, t: int, factor: Fraction) -> None:
    one, other = (
        shares.decode(held(TPOT_meas=time, b_meas=b, T_in_meas=t, T_out_meas=2))
        for time in (Fraction(1, 50), Fraction(1, 50) * factor)
    )
    assert one is not None
    assert other is not None
    assert one.share == other.share * factor


def test_halving_the_context_tells_kv_from_weights() -> None:
    """A run that waits for KV alone halves; the formulas expect the mixture of both terms."""
    long = {"b_meas": 32, "T_in_meas": 60_000, "T_out_meas": 2}
    short = {**long, "T_in_meas": 30_000}
    found = experiments.experiment(
        held(TPOT_meas=step(32, 60_001), **long), held(TPOT_meas=step(32, 30_001), **short)
    )
    assert found is not None
    assert found.measured == found.expected == step(32, 30_001) / step(32, 60_001)
    states = {h.id: h.state for h in found.hypotheses}
    assert states["weights"] == states["overhead"] == "excluded"
    assert set(found.changed) == {"T_mean"}


def test_hypotheses_that_predict_the_same_are_not_told_apart() -> None:
    """A time that stays, though half the weight bytes are read: no single term is named."""
    load_of = {"TPOT_meas": "0.02", "b_meas": 8, "T_in_meas": 2048, "T_out_meas": 256}
    half = load.scenario(SCENARIO, sets=[("--change", "precision.weights=int8")])
    found = experiments.experiment(held(**load_of), setting.at(half, run(**load_of)))
    assert found is not None
    supported = {h.id for h in found.hypotheses if h.state == "supported"}
    assert supported == {"kv", "compute", "overhead"}
    said = record.reading(found)
    assert said.en.endswith("the change does not tell the supported ones apart")
    assert said.zh.endswith("无法区分成立的几种假设")


@pytest.mark.parametrize(
    ("flops", "traffic", "band"),
    [(10**9, None, kernels.UNKNOWN), (3 * 10**10, None, kernels.ROOF),
     (10**9, 10**8, kernels.ROOF), (10**9, 10**6, kernels.LOW), (None, 10**6, kernels.LOW)],
)  # fmt: skip
def test_a_kernel_without_bytes_is_not_called_slow(
    flops: int | None, traffic: int | None, band: str
) -> None:
    """38 µs hold 37.6 GFLOP or 127 MB of one device."""
    work = (None if n is None else Fraction(n) for n in (flops, traffic))
    made = Kernel("product", 1, Fraction(38, 10**6), *work)
    assert kernels.operator(made, made.time, PEAK, BANDWIDTH).band == band


def test_a_time_that_does_not_move_is_overhead() -> None:
    found = experiments.experiment(
        held(TPOT_meas="0.1", b_meas=32, T_in_meas=60_000, T_out_meas=2),
        held(TPOT_meas="0.1", b_meas=32, T_in_meas=30_000, T_out_meas=2),
    )
    assert found is not None
    states = {h.id: h.state for h in found.hypotheses}
    assert states["kv"] == "excluded"
    assert states["overhead"] == "supported"


def loaded(**values: Any) -> setting.Setting:
    """Eight in flight at 10 requests a second; each whole request takes 0.8 s."""
    made = {"rate": 10, "E2E_meas": "0.8", "b_meas": 8, "T_in_meas": 1000, "T_out_meas": 21}
    return held(**{**made, **values})


def test_requests_that_wait_are_not_in_the_batch_of_a_step() -> None:
    """Half of each request's time is before its first token: four of eight decode."""
    found = loaded(TTFT_meas="0.4", TPOT_meas="0.02")
    assert found.bound.inputs["b"].quantity.base == 4
    assert found.flight == 8
    assert any("Little" in note.en for note in found.notes)


def test_a_short_wait_or_hardly_any_decode_leaves_the_batch_as_counted() -> None:
    assert loaded(TTFT_meas="0.05", TPOT_meas="0.0375").bound.inputs["b"].quantity.base == 8
    sparse = loaded(TTFT_meas="0.7", TPOT_meas="0.005")
    assert sparse.bound.inputs["b"].quantity.base == 8


def test_cautions_name_what_the_file_has_otherwise() -> None:
    hardware = [load.hardware(name) for name in load.names("hardware")]

    def told(**facts: str) -> list[str]:
        made = run(TPOT_meas="0.02", b_meas=1, T_in_meas=10, T_out_meas=2)
        made = replace(made, facts={k: Fact(v, Place("run.json")) for k, v in facts.items()})
        there = setting.at(load.scenario(SCENARIO), made)
        return [t.en for t in cautions(made, there, hardware)]

    assert (
        told(model="meta-llama/Meta-Llama-3-70B-Instruct", hardware="NVIDIA H100 80GB HBM3") == []
    )
    assert "model" in told(model="meta-llama/Llama-3.1-8B-Instruct")[0]
    assert "model" in told(model="Qwen/Qwen3-235B-A22B")[0]
    assert "accelerator" in told(hardware="NVIDIA A100-SXM4-80GB")[0]
    assert "accelerator" in told(hardware="NVIDIA H100 NVL 94GB")[0]
    assert told(hardware="Accelerator 9") == []
    assert "weights" in told(weights="fp8")[0]


def test_a_step_of_speculation_is_judged_by_its_own_share() -> None:
    load_of = {"b_meas": 1, "T_in_meas": 10, "T_out_meas": 2}
    found = shares.decode(held(TPOT_meas=2 * step(1, 11), accepted="2.5", **load_of))
    assert found is not None
    assert (found.share, found.judged) == (Fraction(1, 2), Fraction(1, 5))
    assert bands.band(found) == bands.SLACK


def test_prompt_tokens_from_a_cache_do_not_count_as_computed() -> None:
    load_of = {"b_meas": 1, "T_in_meas": 20_000, "T_out_meas": 2}
    bound = Fraction(2 * PARAMS * 20_000) / (DEVICES * PEAK)
    found = shares.prefill(held(TTFT_meas=bound * 2, hit="0.5", **load_of))
    assert found is not None
    assert (found.share, found.judged) == (Fraction(1, 2), Fraction(1, 4))
    assert bands.band(found) == bands.SLACK


@pytest.mark.parametrize(
    ("name", "count", "state"),
    [("NVIDIA B200", None, "explains"), ("NVIDIA H100 80GB HBM3", 4, "cannot"),
     ("NVIDIA H100 80GB HBM3", 8, "explains"), ("Accelerator 9", None, "open")],
)  # fmt: skip
def test_another_accelerator_explains_where_the_file_names_it(
    name: str, count: int | None, state: str
) -> None:
    load_of = {"b_meas": 1, "T_in_meas": 10, "T_out_meas": 2, "TPOT_meas": step(1, 11, TABLE) / 2}
    made = run(**load_of, **({"g": count} if count else {}))
    made = replace(made, facts={"hardware": Fact(name, Place("run.json"))})
    there = setting.at(load.scenario(SCENARIO), made)
    (phase, *_) = shares.phases(there)
    hardware = [load.hardware(h) for h in load.names("hardware")]
    found = {e.id: e.state for e in beats.explanations(phase, made, there, hardware)}
    assert found["hardware"] == state
