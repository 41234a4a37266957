"""Results: what has no value and why, overrides, defaults, and what `eval --json` prints."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from derive.errors import DeriveError
from derive.formula import catalogue, unit_of
from derive.notation import SYMBOLS
from derive.specs import load
from derive.study.bind import bind, rounds
from derive.study.values import table, values

if TYPE_CHECKING:
    from collections.abc import Callable

REACHABLE = [i for i, f in catalogue().items() if f.calibre == "reachable"]
SPEEDS = ("TTFT", "TPOT", "X", "E2E", "TTFT_burst", "energy_token", "replicas", "cost_token")
BOUNDS = ("TPOT_floor", "R_max", "I_ridge", "b_crit", "T_wall", "t_step", "g_fit", "M_free")
COUNTS = ("b_max", "g_min", "g_fit", "b_slo", "replicas")
MEASURED = ("TTFT_meas", "TPOT_meas", "X_meas", "MBU_meas")


# --- feasibility first


def test_what_does_not_fit_has_no_speed_and_keeps_its_bounds(scenario: Callable[..., Any]) -> None:
    found = values(scenario("devices=1"))
    for name in SPEEDS:
        assert found[name]["value"] is None
        assert found[name]["exact"] is None
        assert "at least 2" in found[name]["why"]["en"]
        assert "2" in found[name]["why"]["zh"]
        assert found[name]["why"]["en"] != found[name]["why"]["zh"]
    for name in BOUNDS:
        assert found[name]["value"] is not None
    assert found["b_max"]["value"] == 0
    assert found["tokens_max"]["value"] == 0


def test_no_memory_left_has_no_counts(scenario: Callable[..., Any]) -> None:
    found = values(scenario("M_other=78 GB/device"))
    for name in ("g_fit", "g_min"):
        assert found[name]["value"] is None
        assert "nothing is left" in found[name]["why"]["en"]
        assert found[name]["why"]["zh"]
    assert found["b_max"]["value"] in (None, 0)
    assert found["TPOT"]["value"] is None
    assert found["TPOT_floor"]["value"] is not None


@pytest.mark.parametrize("other", ["0 GB", "40 GB", "76.9 GB", "77 GB", "1 TB"])
def test_counts_are_never_negative(other: str, scenario: Callable[..., Any]) -> None:
    found = values(scenario(f"M_other={other}/device", "devices=1"))
    for name in COUNTS:
        value = found[name]["value"]
        assert value is None or (isinstance(value, int) and value >= 0)


def test_a_target_below_the_floor_has_no_batch(scenario: Callable[..., Any]) -> None:
    found = values(scenario("target_TPOT=5 ms/token"), ("b_slo",))["b_slo"]
    assert found["value"] is None
    assert "not even one request" in found["why"]["en"]
    assert found["why"]["zh"] != found["why"]["en"]


# --- what is not given


@pytest.fixture
def bare() -> Any:
    """A scenario with nothing optional in it."""
    return load.ad_hoc(
        model="llama-3.1-8b", hardware="nvidia-l4-24gb", devices=1, batch=4, input=1000, output=100
    )


def test_ids_without_inputs_are_left_out(bare: Any) -> None:
    found = values(bare)
    for name in ("cost_token", "cost_token_decode", "replicas", "b_slo", *MEASURED):
        assert name not in found
    for name in ("TTFT", "TPOT", "b_max", "energy_token"):
        assert name in found


@pytest.mark.parametrize(
    ("name", "needs"),
    [
        ("cost_token", "price"), ("replicas", "arrival"), ("b_slo", "target_TPOT"),
        ("price", "price"), ("arrival", "arrival"), ("TTFT_meas", "TTFT_meas"),
        ("MBU_meas", "TPOT_meas"),
    ],
)  # fmt: skip
def test_asked_for_by_name_they_say_what_is_missing(name: str, needs: str, bare: Any) -> None:
    found = values(bare, (name,))[name]
    assert found["value"] is None
    assert found["exact"] is None
    assert needs in found["why"]["en"]
    assert needs in found["why"]["zh"]
    assert found["display"] == {"en": "–", "zh": "–"}


def test_the_context_is_input_and_output_where_not_given(bare: Any) -> None:
    assert values(bare, ("T", "T_mean"))["T"]["value"] == 1100
    assert bind(bare).inputs["T"].how is not None


def test_defaults_are_bound_and_said(bare: Any) -> None:
    found = values(bare, ("M_frac", "M_other", "headroom", "MFU", "MBU", "n", "w"))
    assert found["M_frac"]["exact"] == "9/10"
    assert found["M_other"]["value"] == 0
    assert found["w"]["unit"] == "byte/param"
    assert len(bare.assumed) >= 6


# --- overrides


def test_a_derived_id_set_by_hand_becomes_an_input(scenario: Callable[..., Any]) -> None:
    changed = scenario("TPOT=20 ms/token")
    found = values(changed, ("TPOT", "TTFT", "E2E"))
    assert found["TPOT"]["value"] == pytest.approx(0.02)
    assert found["TPOT"]["low"] == found["TPOT"]["high"] == found["TPOT"]["peak"]
    assert found["E2E"]["value"] == pytest.approx(found["TTFT"]["value"] + 255 * 0.02)
    assert bind(changed).derived == ("TPOT",)


def of_a_layout(name: str) -> bool:
    """Whether a formula is one of stages and groups alone."""
    return bool({"N_par", "N_mb"} & {*catalogue()[name].uses})


@pytest.mark.parametrize("name", [i for i in catalogue() if rounds(i)])
def test_a_count_set_by_hand_must_be_whole(name: str, scenario: Callable[..., Any]) -> None:
    unit = catalogue()[name].unit.text
    layout = ("PP=2",) if of_a_layout(name) else ()
    with pytest.raises(DeriveError, match="not a whole number"):
        values(scenario(f"{name}=2.5 {unit}".strip(), *layout))
    whole = values(scenario(f"{name}=3 {unit}".strip(), *layout), (name,))[name]
    assert whole["value"] == 3
    assert isinstance(whole["value"], int)


PARTS_OF_A_MIXTURE = {"W_mix", "E_hit", "E_hit2", "w_fix", "w_exp", "w_side", "W_prefill", "W_hit",
                      "F_routed", "W_last", "W_turn", "W_end", "W_end_pre"}  # fmt: skip


@pytest.mark.parametrize("name", list(catalogue()))
def test_every_derived_id_can_be_set(name: str, scenario: Callable[..., Any]) -> None:
    unit = catalogue()[name].unit.text.replace("s*request/token", "s/token")
    if name in PARTS_OF_A_MIXTURE or of_a_layout(name):  # no such part, no layout
        with pytest.raises(DeriveError):
            values(scenario(f"{name}=3 {unit}".strip()))
        return
    number = 4 if name == "TP" else 3  # all devices of the replica, or they make up no replica
    changed = scenario(f"{name}={number} {unit}".strip())
    found = values(changed)
    assert Fraction(found[name]["exact"]) == number
    json.dumps(found, allow_nan=False)


# --- the record


def contract(name: str, record: dict[str, Any]) -> None:
    """What every record of `eval --json` keeps."""
    assert record["unit"] == unit_of(name).text
    assert set(record["display"]) == {"en", "zh"}
    if record["value"] is None:
        assert record["exact"] is None
        assert set(record["why"]) == {"en", "zh"}
        assert all(record["why"].values())
        return
    assert "why" not in record
    assert isinstance(record["value"], int | float)
    assert math.isfinite(record["value"])
    if record["exact"] is not None:
        numerator, denominator = map(int, record["exact"].split("/"))
        assert denominator >= 1
        assert math.gcd(numerator, denominator) == 1
        assert float(Fraction(numerator, denominator)) == float(record["value"])
        assert (record["value"] == 0) == (numerator == 0)
        shown = record["display"]["en"].removeprefix("≈ ")
        assert (shown.startswith("0 ") or shown == "0") == (numerator == 0)
    if rounds(name):
        assert isinstance(record["value"], int)
        assert record["value"] >= 0
    if name in REACHABLE:
        assert {"low", "high", "peak"} <= set(record)
        assert record["low"] <= record["value"] <= record["high"]
    else:
        assert "low" not in record


@pytest.mark.parametrize(
    "sets", [(), ("devices=1",), ("T=1024",), ("b=100000",), ("w_kv=0.5 byte/element",)]
)
def test_every_record_keeps_the_contract(
    sets: tuple[str, ...], scenario: Callable[..., Any]
) -> None:
    for name, record in values(scenario(*sets)).items():
        contract(name, record)


def test_every_input_and_constant_can_be_asked_for(scenario: Callable[..., Any]) -> None:
    names = (*SYMBOLS, "c_op", "c_kv", "one_token")
    found = values(scenario(), names)
    assert list(found) == list(names)
    for name, record in found.items():
        assert record["unit"] == unit_of(name).text
        assert "value" in record


def test_the_table_speaks_both_languages(scenario: Callable[..., Any]) -> None:
    found = values(scenario("devices=1"))
    english, chinese = table(found, "en"), table(found, "zh")
    assert len(english.splitlines()) == len(chinese.splitlines()) == len(found)
    assert "time per output token" in english
    assert not any("\u4e00" <= c <= "\u9fff" for c in english)
    assert all(any("\u4e00" <= c <= "\u9fff" for c in line) for line in chinese.splitlines())


# --- anything legal


def decimal(low: int, high: int) -> st.SearchStrategy[str]:
    """Decimal numbers of any size between two powers of ten."""
    parts = st.tuples(st.integers(100, 999), st.integers(low, high))
    return parts.map(lambda p: f"{p[0]}e{p[1] - 2}")


SETTINGS = {
    "b": st.integers(1, 100_000).map(str),
    "g": st.one_of(st.integers(1, 64), st.sampled_from([10**4, 10**6])).map(str),
    "T": decimal(0, 6),
    "T_in": st.one_of(st.just("1"), decimal(0, 6)),
    "T_out": st.one_of(st.just("1"), decimal(0, 6)),
    "N": st.integers(10**6, 10**13).map(lambda n: f"{n} param"),
    "M_other": st.one_of(st.just("0 byte/device"), decimal(6, 12).map("{} byte/device".format)),
    "M_frac": st.sampled_from(["0.0001", "0.5", "1"]),
    "price": st.sampled_from(["0", "0.0001", "99999"]).map("{} USD/hour/device".format),
    "arrival": decimal(-6, 8).map("{} request/s".format),
    "target_TPOT": decimal(-9, 5).map("{} s/token".format),
    "target_TTFT": decimal(-9, 5).map("{} s".format),
    "MFU": st.sampled_from(["0.0001", "0.01, 0.5, 1", "1"]),
    "MBU": st.sampled_from(["0.0001", "0.01, 0.5, 1", "1"]),
    "headroom": st.sampled_from(["0.001", "1"]),
    "B_peak": decimal(6, 17).map("{} byte/s/device".format),
    "P_peak": decimal(9, 20).map("{} FLOP/s/device".format),
    "w": st.sampled_from(["0.5 byte/param", "4 byte/param", "1e-6 byte/param"]),
    "precision.kv_cache": st.sampled_from(["fp4", "fp32"]),
    "hardware": st.sampled_from(["A100 SXM4 80GB", "TPU v5p", "V100 SXM2 16GB"]),
}


@given(st.fixed_dictionaries({}, optional=SETTINGS))
@settings(max_examples=60)
def test_any_legal_scenario_has_a_clean_record(changes: dict[str, str]) -> None:
    from tests.study.conftest import launch

    try:
        made = launch.__wrapped__(*(f"{k}={v}" for k, v in changes.items()))
    except DeriveError as error:
        assert {p.code for p in error.problems} <= {"S406", "S308"}  # noqa: PT017
        return
    found = values(made)
    json.dumps(found, allow_nan=False)
    for name, record in found.items():
        contract(name, record)
