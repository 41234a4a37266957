"""A ledger that nobody touched holds, whatever the scenario and whatever was set on top of it."""

from __future__ import annotations

import pytest

from derive.verify import judge
from derive.verify.shape import MOST_KEYS, SHAPE
from derive.verify.specs import check_specs

from .harness import SCENARIOS, faults, ledger, model

LAUNCH = "llama-3-70b-on-4x-h100"
SETS = [
    ("b=1",),
    ("b=300",),
    ("b=500", "T_in=1 token/request", "arrival=3 request/s", "slo.TTFT=500 ms"),
    ("devices=8", "b=200", "T_in=7000", "T_out=1000"),
    ("disaggregation.prefill_devices=1", "disaggregation.link=50 GB/s"),
    ("disaggregation.prefill_devices=2", "disaggregation.link=1 GB/s", "T_in=120000 token/request"),
    ("T=1024",),
    ("T=1000000",),
    ("T_in=1", "T_out=1"),
    ("devices=16",),
    ("g=3",),
    ("precision.weights=fp8",),
    ("precision.weights=int4", "precision.kv_cache=fp8"),
    ("precision.sparsity=with_sparsity",),
    ("MFU=0.3",),
    ("MBU=0.2, 0.3, 0.9",),
    ("MFU=0.0001", "MBU=1"),
    ("calibration=public-2023",),
    ("hardware=nvidia-a100-sxm4-80gb", "date=2027-01-01"),
    ("model=llama-3.1-8b",),
    ("kappa=200000 byte/token",),
    ("W=100 GB", "TPOT=20 ms/token"),
    ("I_decode=3 FLOP/byte", "b_slo=3", "replicas=5"),
    ("slo.TPOT=1 ms/token", "slo.TTFT=10 s"),
    ("M_other=79 GiB/device",),
    ("P_peak=123456.789012345 TFLOP/s/device", "B_peak=0.123456789 GB/s/device"),
    ("N=1000000000 param",),
    ("N_act=12000000000 param",),
    ("w=1.5 byte/param", "w_kv=0.123456789 byte/element"),
    ("n=4 token/request", "H_kv=1"),
    ("arrival=123456 request/s", "headroom=0.123"),
    ("T=2305", "memory.block=64 token/request"),
    ("T=9000", "T_max=8000"),
    ("TP=2", "PP=2"),
    ("TP=1", "DP=2", "PP=2"),
    ("devices=16", "parallel.TP=8", "parallel.DP=2"),
    ("g=64", "parallel.PP=64"),
    ("B_peak=1 GB/s/device", "b=1", "T=1"),
    ("hit=0.999", "P_peak=1 TFLOP/s/device"),
    ("TTFT_meas=0.5 s", "TPOT_meas=30 ms/token", "X_meas=300 token/s"),
]


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_every_scenario_holds_and_agrees_with_its_specs(scenario: str) -> None:
    found, compared = judge.judged(ledger(scenario), None)
    assert [fault.en for fault in found] == []
    assert compared


def test_the_form_of_a_ledger_leaves_room_for_new_formulas() -> None:
    for scenario in SCENARIOS:
        record = ledger(scenario)
        assert len(record["symbols"]) < 0.8 * MOST_KEYS
        for name in ("inputs", "derivations", "variants"):
            assert len(record[name]) < 0.8 * SHAPE[name].most, name


@pytest.mark.parametrize("sets", SETS, ids=" ".join)
def test_a_scenario_holds_with_settings_on_top(sets: tuple[str, ...]) -> None:
    found, compared = judge.judged(ledger(LAUNCH, *sets), None)
    assert [fault.en for fault in found] == []
    assert compared


EXTREMES = [
    ("P_peak=1 TFLOP/s/device",),
    ("P_peak=1 TFLOP/s/device", "B_peak=900 TB/s/device", "b=1"),
    ("B_peak=1 GB/s/device", "T=1000000"),
    ("g=1024", "b=1", "T=1"),
]


@pytest.mark.parametrize(
    "scenario", [LAUNCH, "deepseek-v3-on-8x-h200", "gemma-2-9b-on-1x-l40s", "llama-3.1-8b-on-1x-l4"]
)
@pytest.mark.parametrize("sets", EXTREMES, ids=" ".join)
def test_extremes_are_drawn_as_they_are_proved(scenario: str, sets: tuple[str, ...]) -> None:
    record = ledger(scenario, *sets)
    found, _ = judge.judged(record, None)
    assert [fault.en for fault in found] == []
    roofline = next(f for f in record["figures"] if f["id"] == "roofline")
    for line in roofline["lines"]:  # each roof runs to the right, the ridge within the axis
        xs = [float(x) for x, _ in line["points"]]
        assert xs == sorted(set(xs))
    (ridge,) = (m["at"] for m in roofline["marks"] if m["id"] == "ridge")
    assert float(roofline["x"]["min"]) < float(ridge) < float(roofline["x"]["max"])


CONFIGS = [
    "Qwen__Qwen3-30B-A3B.json",  # experts
    "google__gemma-3-1b-it.json",  # windows
    "deepseek-ai__DeepSeek-V3.json",  # latents, experts, and too large for the devices
    "ai21labs__AI21-Jamba-1.5-Mini.json",  # experts and states
    "meta-llama__Meta-Llama-3.1-8B.json",
]


@pytest.mark.parametrize("config", CONFIGS)
def test_a_model_of_another_make_holds(config: str) -> None:
    """Formulas that stand in for the plain ones, powers, values found by search."""
    assert faults(ledger(LAUNCH, model(config), "devices=8")) == []


def test_powers_that_fill_pages_hold() -> None:
    sets = ("devices=8", "T_in=40000", "b=3000")
    record = ledger(LAUNCH, model("Qwen__Qwen3-30B-A3B.json"), *sets)
    assert record["results"]["W_prefill"]["exact"] is None
    assert faults(record) == []


def test_a_ledger_holds_without_specs() -> None:
    assert faults(ledger(LAUNCH)) == []
    assert check_specs(ledger(LAUNCH), ()) is None
