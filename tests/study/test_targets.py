"""Targets: margins, the most that meets them, the devices both need; by hand and by both sides."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from derive.derivation.points import Undefined
from derive.formula import standing_in
from derive.render import html
from derive.specs import load
from derive.study import study
from derive.study.bind import bind
from derive.study.values import values
from derive.verify import verify
from tests.study.conftest import launch

Launch = Callable[..., Any]


def exact(found: dict[str, Any], name: str) -> Fraction:
    return Fraction(found[name]["exact"])


def test_the_longest_prompt_by_hand(scenario: Launch) -> None:
    """0.5 s · 4 · 0.5 · 989.5e12 FLOP/s over 2 · 70,553,706,496 FLOP a token."""
    by_hand = 500_000_000 * 2 * 989_500 // (2 * 70_553_706_496)
    found = values(scenario(), ("T_in_slo",))["T_in_slo"]
    assert found["value"] == by_hand == 7012
    assert isinstance(found["value"], int)
    low, high = (2 * Fraction(s) * 989_500 * 10**9 // (2 * 70_553_706_496) for s in ("0.4", "0.6"))
    assert (found["low"], found["high"]) == (low, high)


def test_devices_for_both_targets_by_hand(scenario: Launch) -> None:
    """TPOT asks for 18.30 ms · 4 / 25 ms = 2.93 devices, TTFT for 146.0 ms · 4 / 500 ms = 1.17."""
    found = values(scenario(), ("g_ttft", "g_tpot", "g_slo", "g_fit"))
    assert [found[n]["value"] for n in found] == [2, 3, 3, 2]


def test_margins_by_hand(scenario: Launch) -> None:
    found = values(scenario())
    for name, goal in (("TTFT", Fraction(1, 2)), ("TPOT", Fraction(25, 1000))):
        margin = exact(found, f"margin_{name}")
        assert margin == 1 - exact(found, name) / goal
        assert found[f"margin_{name}"]["low"] == float(
            1 - Fraction(found[name]["high_exact"]) / goal
        )
        assert found[f"margin_{name}"]["high"] == float(
            1 - Fraction(found[name]["low_exact"]) / goal
        )


@pytest.mark.parametrize(
    ("target", "name"), [("slo.TTFT=17 ms", "T_in_slo"), ("slo.TPOT=17 ms/token", "b_slo")]
)
def test_below_the_floor_nothing_meets_it_and_devices_are_named(
    target: str, name: str, scenario: Launch
) -> None:
    found = values(scenario(target))
    assert found[name]["value"] is None
    assert found[name]["why"]["zh"]
    assert found["g_slo"]["value"] > 4


def test_devices_are_named_although_the_scenario_does_not_fit(scenario: Launch) -> None:
    found = values(scenario("devices=1"))
    assert found["TPOT"]["value"] is None
    assert found["g_slo"]["value"] == 3


@settings(max_examples=12, deadline=None)
@given(
    ttft=st.integers(20, 20_000), tpot=st.integers(2, 400),
    b=st.integers(1, 300), T_in=st.integers(1, 30_000), g=st.integers(2, 72),
    model=st.sampled_from(
        ["llama-3-70b", "llama-3.1-8b", "deepseek-v3", "gemma-2-9b", "llama-3.1-405b"]
    ),
)  # fmt: skip
def test_each_answer_meets_its_target_and_the_next_one_does_not(
    ttft: int, tpot: int, b: int, T_in: int, g: int, model: str
) -> None:
    found = launch(
        f"model={model}", f"slo.TTFT={ttft} ms", f"slo.TPOT={tpot} ms/token", f"b={b}",
        f"T_in={T_in}", f"g={g}",
    )  # fmt: skip
    bound = bind(found)
    with standing_in(bound.variants):
        point = bound.typical
        lacking = set()
        for name, of, symbol, step in (
            ("T_in_slo", "TTFT", "T_in", 1), ("b_slo", "TPOT", "b", 1),
            ("g_ttft", "TTFT", "g", -1), ("g_tpot", "TPOT", "g", -1),
        ):  # fmt: skip
            goal = point.get(f"target_{of}")
            try:
                best = point.get(name)
            except Undefined:
                if symbol in ("T_in", "b"):
                    least = point.with_(**{symbol: Fraction(1)}).get(of)
                    far = point.with_(**{symbol: Fraction(2**17)}).get(of)
                    assert least > goal or far <= goal
                else:
                    assert point.with_(g=Fraction(2**20)).get(of) > goal
                lacking.add(name)
                continue
            assert point.with_(**{symbol: best}).get(of) <= goal
            if best + step:
                assert point.with_(**{symbol: best + step}).get(of) > goal
        if lacking & {"g_ttft", "g_tpot"}:
            with pytest.raises(Undefined):
                point.get("g_slo")
        else:
            assert point.get("g_slo") == max(point.get(n) for n in ("g_fit", "g_ttft", "g_tpot"))


COPIED = ("model=llama-3.1-405b", "hardware=nvidia-gb200-186gb", "devices=72", "b=256",
          "T_in=8000", "T_out=192", "MBU=0.6")  # fmt: skip


def test_devices_by_hand_where_kv_heads_are_copied(scenario: Launch) -> None:
    """Every device reads 1/8 of 256 caches at least: the weights alone are shared out further.

    2 · 405,853,388,800 B of weights; 256 · 8192 tokens of 2 · 126 · 8 · 128 · 2 B of KV cache.
    """
    weights, cache = 2 * 405_853_388_800, 256 * 8192 * 2 * 126 * 8 * 128 * 2
    budget = 8 * 10**12 * 6 // 10 * 40 // 1000  # bytes of a device in 40 ms
    by_hand = -(-weights // (budget - cache // 8))
    assert by_hand == 15
    assert -(-(weights + cache) // budget) == 10  # without copies
    found = values(scenario(*COPIED, "slo.TPOT=40 ms/token"), ("g_tpot",))["g_tpot"]
    assert found["value"] == by_hand


def test_no_count_of_devices_meets_what_each_reads_alone(scenario: Launch) -> None:
    """An eighth of the caches takes 28.2 ms by itself: 28 ms is met by no count, 28.5 ms by one."""
    found = values(scenario(*COPIED, "slo.TPOT=28 ms/token"))
    assert found["g_tpot"]["value"] is found["g_slo"]["value"] is None
    assert "1,048,576 devices" in found["g_tpot"]["why"]["en"]
    assert "1,048,576 个设备" in found["g_tpot"]["why"]["zh"]
    assert values(scenario(*COPIED, "slo.TPOT=28.5 ms/token"))["g_tpot"]["value"] > 72


def test_one_device_is_the_smallest_count(scenario: Launch) -> None:
    found = values(scenario(*COPIED, "slo.TPOT=100 s/token"))
    assert found["g_tpot"]["value"] == 1


@pytest.mark.parametrize("goal", ["40 ms", "28 ms", "100 s", "10 us"])
def test_a_searched_count_is_proved_and_another_is_refused(goal: str, scenario: Launch) -> None:
    record = study(scenario(*COPIED, f"slo.TPOT={goal}/token"), load.sources())
    assert [f.en for f in verify(record, roots=())] == []
    card = next(d for d in record["derivations"] if d["id"] == "g_tpot")
    assert card["search"]["smallest"] is True
    shown = [s["rule"] for s in card["steps"] if s["rule"] in ("fix", "search")]
    value = record["results"]["g_tpot"]["value"]
    assert shown.count("fix") == {None: 0, 1: 1}.get(value, 2)
    if value is not None:
        row = record["results"]["g_tpot"]
        row |= {"value": value + 1, "exact": f"{value + 1}/1"}
        row["display"] = {lang: text.replace(str(value), str(value + 1), 1)
                          for lang, text in row["display"].items()}  # fmt: skip
        assert any("g_tpot" in f.en for f in verify(record, roots=()))


def test_more_devices_meet_what_fewer_do(scenario: Launch) -> None:
    """Capacity of a target never shrinks with devices."""
    before = Fraction(0)
    for g in (2, 3, 4, 8, 16):
        here = values(scenario(f"g={g}"), ("T_in_slo",))["T_in_slo"]
        assert Fraction(here["exact"]) >= before
        before = Fraction(here["exact"])


# --- what is said of targets


def said(record: dict[str, Any], name: str) -> dict[str, Any]:
    found: dict[str, Any] = next(f for f in record["findings"] if f["id"] == name)
    return found


@pytest.mark.parametrize(
    ("sets", "name", "english", "chinese"),
    [
        (("slo.TPOT=10 ms/token",), "tpot_unmet", "reading the weights alone takes", "仅读取权重"),
        (("slo.TPOT=17.6 ms/token",), "tpot_unmet", "with the KV cache of a single", "KV cache"),
        (("P_peak=4 TFLOP/s/device", "slo.TPOT=15 ms/token"), "tpot_unmet",
         "memory bandwidth and compute", "显存带宽与算力"),
        (("P_peak=2 TFLOP/s/device",), "tpot_unmet", "the operations of a single request", "运算"),
        (("slo.TTFT=10 ms",), "ttft_unmet", "one token already takes ≈ 17.55 ms", "把权重读一遍"),
        ((), "ttft_target", "met, margin ≈ 70.8 % (≈ 63.5 % to ≈ 75.7 %)", "余量 ≈ 70.8 %"),
        ((), "devices_for_targets", "at least 3 devices in a replica: 2 devices", "3 个设备"),
        ((), "ttft_queue", "waits ≈ 17.03 ms on average", "平均等待 ≈ 17.03 ms"),
    ],
)  # fmt: skip
def test_findings_on_targets_name_what_binds_and_hold(
    sets: tuple[str, ...], name: str, english: str, chinese: str, scenario: Launch
) -> None:
    record = study(scenario(*sets), load.sources())
    found = said(record, name)
    assert english in found["text"]["en"]
    assert chinese in found["text"]["zh"]
    assert [f.en for f in verify(record, roots=()) if "findings" in f.en] == []


def test_the_rate_that_a_missed_target_asks_for_meets_it(scenario: Launch) -> None:
    """1.76 times the bandwidth: TPOT of a single request is then the target, exactly."""
    found = values(scenario("slo.TPOT=10 ms/token"))
    ratio = exact(found, "TPOT_one") / Fraction(10, 1000)
    rate = float(ratio * 3350)
    there = values(scenario("slo.TPOT=10 ms/token", f"B_peak={rate:.9f} GB/s/device"))
    assert there["TPOT_one"]["value"] == pytest.approx(0.010, rel=1e-9)


def test_the_report_tables_the_margins(scenario: Launch) -> None:
    record = study(scenario(), load.sources())
    text = html.document(record, "both", "case", "")
    assert "+70.8 %" in text
    assert "+26.8 %" in text
    assert "达标所需设备数" in text


def test_the_longest_prompt_is_told_to_be_first_order_where_attention_takes_it_past_the_target(
    scenario: Launch,
) -> None:
    """DeepSeek V3, 1 s: 105,399 tokens; 4,997,120 FLOP a pair make 2.8e16 beside 7.7e15 FLOP."""

    def told(of: Any) -> dict[str, str]:
        return {f["id"]: f["text"]["en"] for f in study(of, load.sources())["findings"]}

    said = told(load.scenario("deepseek-v3-on-8x-h200"))["ttft_attention"]
    assert said.startswith("105,399 token/request is a first-order figure")
    pairs = Fraction(105_399 * 105_400, 2)
    attention = 4_997_120 * pairs / (8 * Fraction(1979) * 10**12 / 2)
    assert attention > Fraction(11, 10)  # seconds, without any matrix product
    # Llama 3 70B, 500 ms: 7,012 tokens, 4 · 80 · 64 · 128 FLOP a pair: 0.518 s with all operations
    assert "ttft_attention" not in told(scenario())


def told(*sets: str, name: str = "llama-3-70b-on-4x-h100") -> str:
    """The finding on the devices that both targets need, of a ledger that holds."""
    from tests.study.test_switches import loaded

    asked = [name, *(word for one in sets for word in ("--set", one))]
    record = study(loaded(name, sets), load.sources(), asked=asked)
    assert [fault.en for fault in verify(record)] == []
    (found,) = [f for f in record["findings"] if f["id"] == "devices_for_targets"]
    text: str = found["text"]["en"]
    return text


def test_devices_for_both_targets_with_collectives(scenario: Launch) -> None:
    """13 is the first number that meets both to the second order; 12 does not."""
    sets = ("t_hop=10 us", "target_TPOT=8 ms/token")
    assert "10 devices for TPOT" in told(*sets)
    assert "collectives counted, it takes 13 devices: ≈ 7.850 ms/token and" in told(*sets)
    bound = bind(scenario(*sets))
    with standing_in(bound.variants):
        met = [bound.typical.with_(g=Fraction(g)).get("TPOT_exp") <= Fraction(8, 1000)
               for g in range(10, 14)]  # fmt: skip
    assert met == [False, False, False, True]


@pytest.mark.parametrize(
    ("sets", "says"),
    [
        ((), "they meet both as well: ≈ 24.59 ms/token and ≈ 209.0 ms are expected."),
        (("b_pre=3",), "they meet both as well: ≈ 24.59 ms/token and ≈ 209.0 ms are expected."),
        (("target_TPOT=1 ms/token",), "no number of devices from there to 1,024 devices meets"),
        (("devices=1",), "First order: collectives are not counted."),
        (
            ("disaggregation.prefill_devices=4", "disaggregation.link=50 GB/s"),
            "they meet the one for TPOT as well: ≈ 24.59 ms/token is expected.",
        ),
    ],
)
def test_what_the_number_of_devices_leaves_out_is_said(sets: tuple[str, ...], says: str) -> None:
    assert says in told(*sets)
