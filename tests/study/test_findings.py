"""Each finding: when it is made, when it is not, and the numbers it states."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from derive.formula import standing_in
from derive.specs import load
from derive.study.bind import bind
from derive.study.findings import RULES, Finding, findings
from derive.study.results import results

if TYPE_CHECKING:
    from collections.abc import Callable

# settings on the launch scenario (70B, four H100, b = 8) that make a finding, and that do not
FIRES = {
    "does_not_fit": (["devices=1"], ["devices=2"]),
    "no_memory": (["M_other=78 GB/device"], ["M_other=2 GB/device"]),
    "derived_set": (["W=100 GB"], ["N=50e9 param"]),
    "kv_heads_split": (["devices=16"], ["devices=8"]),
    "ttft_burst": ([], ["b=1"]),
    "tpot_target": ([], ["devices=1"]),
    "memory_binds": (["T=20000", "target_TPOT=1 s/token"], []),
    "kv_wall": (["T=100"], ["W=100 GB", "kappa=0.001 byte/token", "T=1"]),
    "kv_over_weights": (["b=220"], ["b=8"]),
    "memory_reading": ([], ["M_dev=80 GB/device"]),
    "memory_marketed": (["hardware=nvidia-a100-sxm4-80gb"], []),
    "beyond_context": (["T=9000"], ["T=8000"]),
    "moe_weights": (["N_act=20e9 param"], []),
    "batch_for_fleet": ([], ["b=79"]),
    "sparse_peak": (["precision.sparsity=with_sparsity"], []),
    "engine_reserves": (["T=2305"], ["T=2304"]),  # one token more begins a block
    "beats_the_bound": (["TPOT_meas=3 ms/token"], ["TPOT_meas=20 ms/token"]),
}
MODELS_ONLY = {"latent_replicated"}  # needs a model with a latent cache, tested apart
ALWAYS_TOLD = {"kv_wall"}  # either side of the wall is said


def found(scenario: Callable[..., object], sets: list[str]) -> dict[str, Finding]:
    bound = bind(scenario(*sets))  # type: ignore[arg-type]
    return {f.id: f for f in findings(bound, results(bound))}


@pytest.mark.parametrize("name", FIRES)
def test_fires_and_does_not(name: str, scenario: Callable[..., object]) -> None:
    yes, no = FIRES[name]
    there = found(scenario, yes)
    assert name in there
    assert there[name].text.en != there[name].text.zh
    if name not in ALWAYS_TOLD:
        assert name not in found(scenario, no)


def test_every_rule_is_tested() -> None:
    # rules that make more than one kind of finding: does_not_fit (2), memory_reading (2)
    assert len(FIRES) + len(MODELS_ONLY) == len(RULES) + 2


def test_a_latent_cache_is_not_split() -> None:
    def of(name: str) -> dict[str, Finding]:
        bound = bind(load.scenario(name))
        with standing_in(bound.variants):
            return {f.id: f for f in findings(bound, results(bound))}

    assert "8 times" in of("deepseek-v3-on-8x-h200")["latent_replicated"].text.en
    assert "latent_replicated" not in of("llama-3-70b-on-4x-h100")


@pytest.mark.parametrize(
    ("devices", "factor"),
    [(16, "2"), (3, "1.125"), (5, "1.25"), (6, "1.5"), (7, "1.75"), (12, "1.5"), (64, "8")],
)
def test_devices_beyond_the_heads_cost_memory(
    devices: int, factor: str, scenario: Callable[..., object]
) -> None:
    finding = found(scenario, [f"devices={devices}"])["kv_heads_split"]
    assert f"is {factor} times" in finding.text.en
    assert f"{factor} 倍" in finding.text.zh
    assert finding.severity == "warning"


@pytest.mark.parametrize("devices", [1, 2, 4, 8])
def test_even_splits_are_silent(devices: int, scenario: Callable[..., object]) -> None:
    assert "kv_heads_split" not in found(scenario, [f"devices={devices}"])


def test_what_does_not_fit_comes_first(scenario: Callable[..., object]) -> None:
    bound = bind(scenario("devices=1"))  # type: ignore[arg-type]
    every = findings(bound, results(bound))
    assert every[0].id == "does_not_fit"
    assert every[0].severity == "error"
    assert "at least 2" in every[0].text.en


def test_marketed_memory_alone_is_taken_at_face_value(scenario: Callable[..., object]) -> None:
    text = found(scenario, ["hardware=nvidia-a100-sxm4-80gb"])["memory_marketed"].text
    assert "10^9" in text.en
    assert "10^9" in text.zh
    assert "222 requests would fit instead of 194" in text.en


def test_memory_marketed_in_binary_units_is_not_called_ambiguous(
    scenario: Callable[..., object],
) -> None:
    text = found(scenario, ["hardware=aws-trainium2"])["memory_marketed"].text
    assert "10^9" not in text.en
    assert "96 GiB" in text.en


def test_both_readings_of_the_marketed_memory(scenario: Callable[..., object]) -> None:
    text = found(scenario, [])["memory_reading"].text.en
    assert "194 requests read as GB" in text
    assert "222 requests read as GiB" in text
    assert "against 220" in text
