"""Several devices and the second order: published numbers, layouts, and what must never happen."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from derive.errors import DeriveError
from derive.formula import standing_in
from derive.specs.types import Scenario
from derive.study.adding import adding
from derive.study.bind import bind
from derive.study.findings import findings
from derive.study.results import results
from derive.study.values import values
from derive.study.waterfall import waterfall
from derive.verify import judge

from .configs import H200, config, exact, ledger, scenario
from .conftest import launch

LLAMA = "llama-3-70b"
DEEPSEEK = "deepseek-v3"
BATCH = ("TP=4", "b_pre=8", "T=2048")


def number(found: Scenario, name: str) -> Fraction:
    """The exact value of an id, in its contract unit."""
    return exact(found, name)


# --- numbers worked by hand


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("F_matmul_pre", 2_243_020_531_433_472),
        ("F_att_pre", 44_001_939_947_520),
        ("W_stream", 139_006_066_688),
        ("KV_read", 5_368_709_120),
        ("kappa_dev", 81_920),
        ("W_dev", Fraction(141_107_412_992, 4)),
    ],
)
def test_prefill_and_decode_of_the_launch(name: str, value: Fraction) -> None:
    assert number(launch(*BATCH), name) == value


def test_times_of_the_launch() -> None:
    found = launch(*BATCH)
    operations = 2_243_020_531_433_472 + 44_001_939_947_520
    assert number(found, "TTFT_ideal") == Fraction(operations, 4 * 989_500 * 10**9)
    assert round(float(number(found, "TTFT_ideal")), 4) == 0.5778
    collective = 2 * Fraction(3, 4) * 16_384 * 8_192 * 2 / Fraction(450 * 10**9)
    assert number(found, "t_comm_pre") == 160 * collective
    assert round(float(number(found, "t_comm_pre")), 4) == 0.1432
    moved = 139_006_066_688 + 5_368_709_120
    assert number(found, "TPOT_ideal") == Fraction(moved, 4 * 3_350 * 10**9)
    assert round(float(number(found, "R_max")), 2) == 94.96


@pytest.mark.parametrize(("devices", "value"), [(4, 81_920), (8, 40_960), (16, 40_960)])
def test_a_device_keeps_one_whole_head_at_least(devices: int, value: int) -> None:
    assert number(scenario(LLAMA, f"TP={devices}", devices=devices), "kappa_dev") == value


def test_copies_of_heads_take_memory_and_time() -> None:
    found = scenario(LLAMA, devices=16)
    free = Fraction(9, 10) * 81_559 * 2**20 - Fraction(141_107_412_992, 16)
    assert number(found, "b_max") == free // (2304 * 40_960)
    read = Fraction(141_107_412_992, 16) + 8 * 2304 * 40_960
    assert number(found, "t_step") == read / (3_350 * 10**9)
    told = {f.id: f.text.en for f in all_findings(found)}
    assert "16 devices share each layer, but there are 8 KV heads" in told["kv_heads_split"]
    assert "2 times" in told["kv_heads_split"]


@pytest.mark.parametrize(("memory", "requests"), [("81559 MiB", 16), ("80 GB", 3), ("80 GiB", 17)])
def test_two_cards_hold_what_the_memory_figure_says(memory: str, requests: int) -> None:
    found = scenario(LLAMA, "TP=2", f"M_dev={memory}/device", devices=2)
    assert number(found, "b_max") == number(found, "b_max_dev") == requests


def test_the_report_says_what_the_other_memory_figures_give() -> None:
    told = {f.id: f.text.en for f in all_findings(scenario(LLAMA, "TP=2", devices=2))}
    assert (
        "3 requests read as GB and 17 requests read as GiB, against 16 requests"
        in (told["memory_reading"])
    )


def test_three_tokens_hit_experts() -> None:
    found = scenario("mixtral-8x7b", "b=3", devices=2)
    assert number(found, "E_hit") == Fraction(37, 8)


def all_findings(found: Scenario) -> list[Any]:
    bound = bind(found)
    with standing_in(bound.variants):
        return findings(bound, results(bound))


# --- layouts


def test_stages_split_memory_but_not_the_reading_of_weights() -> None:
    one, two = (scenario(LLAMA, *sets, devices=n) for n, sets in ((4, ()), (8, ("PP=2",))))
    assert number(two, "W_dev") == number(one, "W_dev") / 2
    assert number(two, "kappa_dev") == number(one, "kappa_dev") / 2
    weights = number(one, "W_stream") / (4 * 3_350 * 10**9)
    assert number(one, "TPOT_ideal") > number(two, "TPOT_ideal") > weights


def test_groups_copy_weights_and_share_requests() -> None:
    one, two = (scenario(LLAMA, *sets, devices=n) for n, sets in ((4, ()), (8, ("DP=2",))))
    assert number(two, "W_dev") == number(one, "W_dev")
    assert number(two, "b_max") == 2 * number(one, "b_max")
    assert number(two, "KV_dev") == number(one, "KV_dev") / 2


def test_experts_are_spread_over_ranks_that_exist() -> None:
    shared = scenario(DEEPSEEK, hardware=H200, devices=8)
    groups = scenario(DEEPSEEK, "DP=8", "EP=8", hardware=H200, devices=8)
    routed, rest = 654_068_416_512, 673_150_611_808 - 654_068_416_512
    assert number(shared, "W_dev") == Fraction(673_150_611_808, 8)
    assert number(groups, "W_dev") == rest + Fraction(routed, 8)
    assert number(shared, "t_a2a") == 0
    tokens = 8 * 8 * 7_168 * 2 * Fraction(7, 8)  # b, k, hidden size, bytes, to other ranks
    assert number(groups, "t_a2a") == 2 * 58 * tokens / (8 * 450 * 10**9)


def test_a_latent_is_copied_unless_attention_is_data_parallel() -> None:
    shared = scenario(DEEPSEEK, hardware=H200, devices=8)
    groups = scenario(DEEPSEEK, "DP=8", "EP=8", hardware=H200, devices=8)
    assert number(shared, "kappa_dev") == number(groups, "kappa_dev") == 70_272
    assert number(groups, "KV_dev") == number(shared, "KV_dev") / 8


def test_a_pipeline_of_one_prompt_is_idle_but_for_one_stage() -> None:
    found = scenario(LLAMA, "PP=4", devices=8)
    assert number(found, "t_bubble") == 3 * number(found, "t_ops_pre")
    four = scenario(LLAMA, "PP=4", "b_pre=4", devices=8)
    assert number(four, "t_bubble") == Fraction(3, 4) * number(four, "t_ops_pre")


@pytest.mark.parametrize(
    ("sets", "said"),
    [
        (("TP=3",), "TP · PP · DP = 3 · 1 · 1 is not the 4 devices"),
        (("PP=3",), "4 devices are no multiple of PP · DP = 3 · 1"),
        (("TP=2", "PP=2", "DP=2"), "TP · PP · DP = 2 · 2 · 2 is not the 4 devices"),
        (("EP=2",), "EP: Llama 3 70B has no routed experts"),
    ],
)
def test_a_layout_that_is_none_is_one_error(sets: tuple[str, ...], said: str) -> None:
    with pytest.raises(DeriveError) as caught:
        launch(*sets)
    assert [said in p.what.en for p in caught.value.problems] == [True]


def test_experts_over_a_part_of_the_ranks_must_divide_them() -> None:
    with pytest.raises(DeriveError) as caught:
        scenario(DEEPSEEK, "EP=3", hardware=H200, devices=8)
    assert "EP = 3 does not divide TP · DP = 8" in caught.value.problems[0].what.en


# --- what must hold everywhere

MODELS = ("llama-3-70b", "mixtral-8x7b", "deepseek-v3", "gemma-3-1b", "qwen3-next-80b-a3b")
SMALL = st.sampled_from([1, 2, 4])
some = settings(max_examples=40, deadline=None)


def laid(model: str, tp: int, pp: int, dp: int, *sets: str, batch: int = 8) -> Scenario:
    """A scenario on tp · pp · dp devices."""
    return scenario(
        model, f"TP={tp}", f"PP={pp}", f"DP={dp}", *sets,
        hardware=H200, devices=tp * pp * dp, batch=batch,
    )  # fmt: skip


@some
@given(st.sampled_from(MODELS), SMALL, SMALL, SMALL, st.sampled_from(["tp", "pp", "dp"]))
def test_more_devices_never_shrink_capacity(
    model: str, tp: int, pp: int, dp: int, more: str
) -> None:
    sizes = {"tp": tp, "pp": pp, "dp": dp}
    larger = {**sizes, more: 2 * sizes[more]}
    before, after = (number(laid(model, **s), "b_max_dev") for s in (sizes, larger))
    assert after >= before


@some
@given(st.sampled_from(MODELS), SMALL, SMALL, SMALL, st.integers(1, 64))
def test_more_bandwidth_never_slows(model: str, tp: int, pp: int, dp: int, batch: int) -> None:
    slow, fast = (
        laid(model, tp, pp, dp, f"B_peak={rate} TB/s/device", f"B_link={link} GB/s/device",
             batch=batch)
        for rate, link in ((3, 100), (4, 400))
    )  # fmt: skip
    for name in ("TPOT_ideal", "TPOT_second", "TPOT_exp", "t_link", "TTFT_second"):
        here, there = (values(one, (name,))[name] for one in (slow, fast))
        if here["value"] is not None and there["value"] is not None:
            assert there["value"] <= here["value"], name


@some
@given(st.sampled_from(MODELS), SMALL, SMALL, SMALL, st.integers(1, 256))
def test_the_ideal_is_above_the_weights_over_all_devices(
    model: str, tp: int, pp: int, dp: int, batch: int
) -> None:
    found = laid(model, tp, pp, dp, batch=batch)
    weights = number(found, "W_stream") / (tp * pp * dp * 4_800 * 10**9)
    assert number(found, "TPOT_ideal") >= weights


@some
@given(st.sampled_from(MODELS), SMALL, SMALL, SMALL, st.integers(1, 256))
def test_added_terms_add_and_excluded_terms_take(
    model: str, tp: int, pp: int, dp: int, batch: int
) -> None:
    bound = bind(laid(model, tp, pp, dp, "M_dev=4000 GB/device", batch=batch))
    with standing_in(bound.variants):
        figure = waterfall(bound)
    assert figure is not None
    bars = {b["id"]: (Fraction(b["from"]), Fraction(b["to"])) for b in figure["bars"]}
    low, high = bars.pop("tables")
    assert high <= low
    assert all(high >= low for low, high in bars.values())
    assert bars["expected"][1] == bars["rates"][1]


@pytest.mark.parametrize("model", MODELS)
def test_one_device_is_the_formulas_of_one_device(model: str) -> None:
    plain = scenario(model, "M_dev=4000 GB/device", hardware=H200, devices=1)
    point = bind(plain).peak
    with standing_in(bind(plain).variants):
        assert point.get("kappa_dev") == point.get("kappa")
        assert point.get("W_dev") == point.get("W")
        assert point.get("KV_dev") == point.get("KV_total")
        assert point.get("b_max_dev") == point.get("b_max")
        moved = (point.get("W_stream") + point.get("KV_total")) / point.get("B_peak")
        assert point.get("TPOT_ideal") == max(moved, point.get("t_ops"))
        assert point.get("t_over") == point.get("L") * point.get("t_launch")
        assert point.get("t_bubble") == 0


def test_uneven_layouts_agree_with_the_even_ones_where_nothing_is_copied() -> None:
    """The formulas for copies at a layout without copies give the first-order values."""
    even = bind(scenario(LLAMA, devices=4))
    with standing_in(even.variants):
        plain = {n: even.typical.get(n) for n in NAMES}
    with standing_in((*even.variants, *(f"{n}_layout" for n in NAMES))):
        assert {n: even.point(*RATES).get(n) for n in NAMES} == plain


NAMES = (
    "t_step",
    "t_step_eff",
    "M_free",
    "tokens_max",
    "b_max",
    "b_max_reserved",
    "g_min",
    "g_fit",
)
RATES = (Fraction(1, 2), Fraction(3, 5))


# --- what more devices buy


def test_what_more_devices_buy_is_told_by_kind() -> None:
    rows = {row["id"]: row for row in adding(bind(launch()))}
    assert list(rows) == ["here", "TP", "PP", "DP"]

    def value(kind: str, name: str) -> Fraction:
        return Fraction(rows[kind]["values"][name]["exact"])

    assert value("TP", "TPOT_ideal") * 2 == value("here", "TPOT_ideal")
    assert value("PP", "TPOT_ideal") > value("TP", "TPOT_ideal")
    assert value("DP", "b_max_dev") == 2 * value("here", "b_max_dev")
    assert value("PP", "b_max_dev") > value("DP", "b_max_dev")
    assert rows["PP"]["layout"] == {"g": "8", "TP": "4", "PP": "2", "DP": "1", "EP": "1"}


def test_a_value_at_one_launch_floor_and_its_range() -> None:
    found = values(launch(), ("TPOT_exp",))["TPOT_exp"]
    assert found["low"] < found["value"] < found["high"]
    fixed = values(launch("t_launch=5 us"), ("TPOT_exp", "t_over"))
    assert Fraction(fixed["t_over"]["exact"]) == 80 * Fraction(5, 10**6) + exact(launch(), "t_ring")


def test_a_config_gives_its_output_head() -> None:
    found = scenario(config("gemma-3-1b-it"), devices=1, batch=1)
    assert number(found, "N_head") == 262_144 * 1_152


@pytest.mark.parametrize(
    ("model", "devices", "sets"),
    [
        (LLAMA, 16, ()),
        (LLAMA, 8, ("PP=2",)),
        (LLAMA, 8, ("TP=2", "DP=4", "t_hop=5 us")),
        (DEEPSEEK, 8, ("DP=8", "EP=8")),
    ],
)
def test_a_ledger_of_an_uneven_layout_holds(
    model: str, devices: int, sets: tuple[str, ...]
) -> None:
    """The devices that meet a target too: what each reads of the cache is held as laid out."""
    record = ledger(
        scenario(model, "target_TPOT=40 ms/token", *sets, hardware=H200, devices=devices)
    )
    assert record["results"]["g_tpot"]["value"] is not None
    assert judge.verify(record, roots=()) == []
