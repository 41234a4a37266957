"""Each finding: when it is made, when it is not, and the numbers it states."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from derive.formula import catalogue, standing_in
from derive.notation import SYMBOLS
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
    "query_heads_split": (["devices=3"], ["devices=8"]),
    "stages_uneven": (["PP=3", "devices=6"], ["PP=2"]),
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
    "left_out_share_comm_prefill": ([], ["B_link=900 GB/s/device"]),
    "left_out_share_att_prefill": (["T_in=32768"], []),
    "left_out_share_comm": (["B_link=3 GB/s/device"], []),
    "left_out_t_latency": (["t_hop=30 µs"], ["t_hop=3 µs"]),
    "left_out_share_att": (["kappa=0.001 byte/token", "b=500", "T=20000"], ["b=500", "T=20000"]),
    "left_out_share_embedding": (["N_emb=20e9 param"], []),
    "left_out_share_prefill": (["b=79"], []),
    "sparse_peak": (["precision.sparsity=with_sparsity"], []),
    "engine_reserves": (["T=2305"], ["T=2304"]),  # one token more begins a block
    "floor_streamed": ([], ["TPOT_floor=10 ms/token"]),
    "speculation": (["k_draft=4", "alpha=0.7"], []),
    "prefix_cache": (["hit=0.5"], ["hit=0"]),
    "chunked_prefill": (["T_chunk=512"], []),
    "disaggregation": (["g_pre=4", "B_pd=50 GB/s"], ["g_pre=1", "B_pd=50 GB/s"]),
    "link_bottleneck": (["g_pre=4", "B_pd=2 GB/s"], ["g_pre=4", "B_pd=50 GB/s"]),
    "prefill_does_not_fit": (["g_pre=1", "B_pd=2 GB/s"], ["g_pre=2", "B_pd=2 GB/s"]),
    "kv_format": (["precision.kv_cache=fp8"], []),
    "weights_widened": (["precision.weights=int4", "precision.compute=bf16"], []),
    "weights_read_again": (["TP=2", "PP=2"], ["TP=4"]),
    "beats_the_bound": (["TPOT_meas=3 ms/token"], ["TPOT_meas=20 ms/token"]),
}
MODELS_ONLY = {
    "model_files",
    "latent_replicated",
    "latent_copied",
    "speculation_experts",
}  # needs a model with a latent cache, tested apart
ALWAYS_TOLD = {"kv_wall"}  # either side of the wall is said


def found(scenario: Callable[..., object], sets: list[str]) -> dict[str, Finding]:
    bound = bind(scenario(*sets))  # type: ignore[arg-type]
    with standing_in(bound.variants):
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
    # some rules make several kinds: does_not_fit (2), memory_reading (2), left_out (7),
    # disaggregation (3), kv_heads (2), refused_layouts (2)
    of_targets = [r.__name__ for r in RULES if r.__module__ == "derive.study.targets"]
    told = (Path(__file__).parent / "test_targets.py").read_text("utf-8")
    assert all(kind in told for kind in ("ttft_target", "tpot_unmet", "ttft_queue"))
    assert len(FIRES) + len(MODELS_ONLY) == len(RULES) - len(of_targets) + 12


def of_scenario(name: str, *sets: str) -> dict[str, Finding]:
    symbols = {i: s.unit.text for i, s in SYMBOLS.items()}
    symbols |= {i: f.unit.text for i, f in catalogue().items()}
    bound = bind(load.scenario(name, sets=[("--set", each) for each in sets], symbols=symbols))
    with standing_in(bound.variants):
        return {f.id: f for f in findings(bound, results(bound))}


def test_the_prefill_pool_is_said_to_be_one_tensor_parallel_group(
    scenario: Callable[..., object],
) -> None:
    link, times = "B_pd=50 GB/s", set()
    for layout in ((), ("TP=2", "PP=2"), ("TP=1", "DP=4")):
        sets = ["precision.weights=fp8", "g_pre=4", link, *layout]  # each group holds the weights
        text = found(scenario, sets)["disaggregation"].text
        assert "The 4 devices of prefill count as one tensor-parallel group; TP, PP" in text.en
        assert "prefill 侧的 4 个设备按一个张量并行组计" in text.zh
        bound = bind(scenario(*sets))  # type: ignore[arg-type]
        with standing_in(bound.variants):
            times.add((bound.typical.get("TTFT"), bound.typical.get("t_over_pre")))
    assert len(times) == 1  # it is true: no layout moves them
    alone = found(scenario, ["precision.weights=fp8", "precision.kv_cache=fp8", "g_pre=1", link])
    assert "tensor-parallel" not in alone["disaggregation"].text.en


def test_a_latent_cache_is_not_split() -> None:
    text = of_scenario("deepseek-v3-on-8x-h200")["latent_replicated"].text.en
    # 599 GB a step with one copy of 11.5 GB KV cache, seven more of them under tensor parallelism
    assert "286 requests fit and TPOT is ≈ 29.49 ms/token" in text
    assert "2,291 requests and TPOT of ≈ 26.00 ms/token are a bound that no layout beats" in text
    # TP = 1, DP = EP = 8: every device holds the weights that are no routed experts
    assert "1,544 requests fit and TPOT is ≈ 31.79 ms/token" in text
    assert "latent_replicated" not in of_scenario("deepseek-v3-on-8x-h200", "g_tp=1")
    assert "latent_replicated" not in of_scenario("llama-3-70b-on-4x-h100")


def test_the_critical_batch_counts_attention_and_is_held_against_memory() -> None:
    text = of_scenario("deepseek-v3-on-8x-h200")["kv_wall"].text
    assert "with attention operations counted, the critical batch is 6,247 requests" in text.en
    assert "memory ends before it: 2,291 requests fit" in text.en
    assert "为大于" not in text.zh


def test_a_smaller_fleet_meets_the_target_with_prefill_interleaved(
    scenario: Callable[..., object],
) -> None:
    text = found(scenario, [])["batch_for_fleet"].text.en
    # one replica has the throughput at 79 requests, but prefill takes 29 % of its time: 35 ms
    assert "With 9 requests, 2 replicas of 4" in text
    assert "TPOT with prefill interleaved is ≈ 21.54 ms/token" in text
    tight = found(scenario, ["target_TPOT=19 ms/token"])
    assert "batch_for_fleet" not in tight


def test_one_device_has_no_collectives(scenario: Callable[..., object]) -> None:
    told = found(scenario, ["devices=1", "N=20e9 param", "t_hop=300 µs"])
    assert not [name for name in told if "comm" in name or "latency" in name]


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
