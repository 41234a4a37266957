"""The offered load: Little's law, power, prices of input and output, the queue; by hand."""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from derive.errors import Place
from derive.specs import load
from derive.specs.lengths import Lengths
from derive.specs.types import Value
from derive.study import study
from derive.study.values import values
from derive.units import Quantity, unit
from derive.verify import verify
from tests.study.conftest import launch

Launch = Callable[..., Any]


def exact(found: dict[str, Any], name: str) -> Fraction:
    return Fraction(found[name]["exact"])


def test_requests_in_flight_are_arrivals_times_their_stay(scenario: Launch) -> None:
    found = values(scenario())
    assert exact(found, "in_flight") == 2 * exact(found, "E2E")
    assert found["in_flight"]["value"] == pytest.approx(2 * (0.1460 + 255 * 0.01830), rel=1e-3)
    assert exact(found, "b_load") == exact(found, "in_flight") / 3


def test_power_of_the_fleet(scenario: Launch) -> None:
    """3 replicas of 4 devices at 700 W."""
    assert values(scenario(), ("power_fleet",))["power_fleet"]["value"] == 8400
    assert values(scenario("pue=1.25"), ("power_fleet",))["power_fleet"]["value"] == 10500
    assert values(scenario("PUE=1.25"), ("g_fleet",))["g_fleet"]["value"] == 12


@settings(max_examples=10, deadline=None)
@given(b=st.integers(1, 200), t_in=st.integers(1, 20_000), t_out=st.integers(1, 4_000))
def test_input_and_output_make_up_the_whole_request(b: int, t_in: int, t_out: int) -> None:
    found = values(launch(f"b={b}", f"T_in={t_in}", f"T_out={t_out}", "g=16"))
    if found["cost_in"]["value"] is None:
        return
    parts = t_in * exact(found, "cost_in") + t_out * exact(found, "cost_out")
    assert parts == t_out * exact(found, "cost_token")


def test_the_wait_by_hand(scenario: Launch) -> None:
    """Busy with prefill 9.735 %: 0.09735 · 146.0 ms / (2 · 0.90265) + 18.30 ms / 2."""
    found = values(scenario())
    assert found["t_queue"]["value"] == pytest.approx(0.007875 + 0.009151, rel=2e-3)
    assert exact(found, "TTFT_queue") == exact(found, "t_queue") + exact(found, "TTFT")


def test_a_queue_that_grows_without_end_has_no_wait(scenario: Launch) -> None:
    found = values(scenario("replicas=1", "arrival=10 request/s"), ("t_queue", "TTFT_queue"))
    assert found["t_queue"]["value"] is None
    assert "队列" in found["t_queue"]["why"]["zh"]
    assert found["TTFT_queue"]["value"] is None


def test_spread_and_load_lengthen_the_wait(scenario: Launch) -> None:
    waits = [
        values(scenario(f"C2_in={spread}"), ("t_queue",))["t_queue"]["value"]
        for spread in (0, 1, 4)
    ]
    assert waits == sorted(set(waits))


def test_the_wait_is_that_of_a_simulated_queue() -> None:
    """M/D/1 with vacations, simulated event by event; the formula within two percent."""
    draw = random.Random(7)
    service, vacation, rate, n = 1.0, 0.4, 0.6, 200_000
    clock = free = waited = 0.0
    for _ in range(n):
        clock += draw.expovariate(rate)
        if free <= clock:  # decode steps, one after the other, since the prompt before
            free += -(-(clock - free) // vacation) * vacation
        waited += free - clock
        free += service
    load_ = rate * service
    by_formula = load_ * service / (2 * (1 - load_)) + vacation / 2
    assert waited / n == pytest.approx(by_formula, rel=0.02)


# --- lengths as quantiles


def quantiles(**given: int) -> Lengths:
    rows = []
    for name, tokens in given.items():
        quantity = Quantity(Fraction(tokens), unit("token/request"))
        rows.append((Fraction(name[1:]) / 100, Value(quantity, str(tokens), Place("case.yaml"))))
    return Lengths(tuple(rows))


def test_the_mean_of_quantiles_by_hand() -> None:
    """0.5 · (1 + 512)/2 + 0.4 · 2304 + 0.09 · 10,240 + 0.01 · 16,384 = 2135.29."""
    found = quantiles(p50=512, p90=4096, p99=16384)
    assert found.moment(1) == Fraction("2135.29")
    assert found.mean.quantity.value == 2136
    assert found.longest.quantity.value == 16384
    assert "p50 512, p90 4,096, p99 16,384" in found.mean.how.en  # type: ignore[union-attr]


def test_one_length_for_all_has_hardly_a_spread() -> None:
    """An even distribution from 1 to 1000: variance 999²/12."""
    even = quantiles(p50=500, p100=1000)
    assert even.moment(1) == (Fraction(501, 2) + 750) / 2
    flat = quantiles(p1=1000, p100=1000)
    assert 0 < flat.spread.quantity.value < Fraction(1, 100)


@given(st.lists(st.integers(1, 100_000), min_size=2, max_size=5))
def test_the_mean_lies_within_and_the_spread_is_no_less_than_none(lengths: list[int]) -> None:
    names = ["p10", "p50", "p90", "p99", "p100"]
    found = quantiles(**dict(zip(names, sorted(lengths), strict=False)))
    assert 1 <= found.moment(1) <= max(lengths)
    assert found.spread.quantity.value >= 0


SCENARIO = """
scenario: spread
model: llama-3-70b
hardware: nvidia-h100-sxm5-80gb
devices: 4
workload:
  requests: 8
  input: {p50: 512, p90: 4096, p99: 16384}
  output: {p50: 200, p99: 1000}
  arrival: 2 request/s
price: 2.50 USD/hour/device
"""


@pytest.fixture
def spread(tmp_path: Path) -> Path:
    path = tmp_path / "spread.yaml"
    path.write_text(SCENARIO, encoding="utf-8")
    return path


def test_worst_case_memory_is_by_the_highest_quantile(spread: Path) -> None:
    found = values(load.scenario(str(spread)))
    got = values(load.scenario(str(spread)), ("T_in", "T_out", "T", "T_in_tail", "T_tail"))
    # the mean of the output: 0.5 · 100.5 + 0.49 · 600 + 0.01 · 1000 = 354.25
    assert [got[n]["value"] for n in got] == [2136, 355, 2491, 16384, 17384]
    free, kappa = exact(found, "M_free"), exact(found, "kappa")
    assert found["b_max_tail"]["value"] == free // (17384 * kappa)
    assert found["b_max_tail"]["value"] < found["b_max"]["value"]
    assert exact(found, "TTFT_tail") * 2136 == exact(found, "TTFT") * 16384


def test_a_ledger_of_quantiles_holds(spread: Path) -> None:
    record = study(load.scenario(str(spread)), load.sources())
    assert verify(record, roots=()) == []
    how = next(i["how"] for i in record["inputs"] if i["id"] == "T_in")
    assert "p99 16,384" in how["en"]
    assert "p99 16,384" in how["zh"]


def test_a_value_set_by_hand_takes_the_place_of_the_quantiles(spread: Path) -> None:
    found = values(load.scenario(str(spread), sets=("workload.input=3000",)), ("T_in", "C2_in"))
    assert found["T_in"]["value"] == 3000
    assert found["C2_in"]["value"] == 0
