"""`--set NAME=VALUE`: symbols and dotted keys over a scenario."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import pytest

from derive.errors import DeriveError, Place, render
from derive.notation import SYMBOLS
from derive.specs import load
from derive.specs.amounts import read_amount
from derive.specs.faults import Faults
from derive.specs.hardware_fields import HARDWARE
from derive.specs.model_fields import MODEL
from derive.specs.nodes import Scalar
from derive.specs.scenario_fields import SCENARIO
from derive.specs.sets import BARE_UNITS, KEYS, declared, dotted_keys

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from derive.specs.fields import Field
    from derive.specs.types import Scenario

NAME = "llama-3-70b-on-4x-h100"
CONTRACT = {s.id: s.unit.text for s in SYMBOLS.values()}
CONTRACT |= {"W": "byte", "kappa": "byte/token", "TPOT": "s*request/token", "b_max": "request"}
CONTRACT |= {"R_max": "token/s/request"}


def with_sets(*sets: str) -> Scenario:
    return load.scenario(NAME, sets=sets, symbols=CONTRACT)


def refused(*sets: str) -> str:
    with pytest.raises(DeriveError) as caught:
        with_sets(*sets)
    return render(caught.value)


def test_both_names_of_a_thing_set_it() -> None:
    for name in ("b", "workload.requests"):
        assert with_sets(f"{name}=16").values["b"].quantity.base == 16
    for name in ("g", "devices"):
        assert with_sets(f"{name}=8").devices.quantity.base == 8
    assert with_sets("precision.weights=fp8").precision["weights"] == "fp8"
    assert with_sets("hardware=nvidia-h200-sxm-141gb").hardware.id == "nvidia-h200-sxm-141gb"
    assert with_sets("slo.TPOT=30 ms/token").slo["TPOT"].quantity.base == Fraction(3, 100)
    assert with_sets("target_TPOT=30 ms/token").slo["TPOT"].quantity.base == Fraction(3, 100)


def test_every_owned_symbol_and_every_key_is_really_one() -> None:
    assert set(KEYS.values()) <= set(dotted_keys())
    assert set(KEYS) <= {*CONTRACT, "TP"}  # TP follows from the others, and is checked


def test_ranges_take_one_value_or_three() -> None:
    assert [v.quantity.base for v in with_sets("MFU=0.5").MFU] == [Fraction(1, 2)] * 3
    three = with_sets("MBU=0.3, 0.4, 0.5").MBU
    assert [v.quantity.base for v in three] == [Fraction(n, 10) for n in (3, 4, 5)]
    assert three[0].how is not None
    both = with_sets("calibration=public-2023", "calibration.MFU=[0.1, 0.2, 0.3]")
    assert both.MFU[0].quantity.base == Fraction(1, 10)
    assert both.MBU[0].sources == ("databricks2023",)


def test_symbols_of_model_and_hardware_replace_their_figures() -> None:
    scenario = with_sets(
        "N=1e9 param", "B_peak=4 TB/s/device", "P_peak=1 PFLOP/s/device", "M_dev=100 GB/device"
    )
    assert scenario.model.values["N"].quantity.base == 10**9
    assert scenario.model.values["N_act"].quantity.base == 10**9
    assert scenario.model.embedding is None
    assert scenario.hardware.bandwidth.quantity.base == 4 * 10**12
    assert scenario.hardware.peak["bf16"]["dense"].quantity.base == 10**15
    assert scenario.hardware.driver_visible is not None
    assert scenario.hardware.driver_visible.how is not None
    assert scenario.overrides == {}


def test_a_peak_can_be_set_where_the_hardware_states_none() -> None:
    scenario = with_sets("hardware=M3 Ultra", "P_peak=50 TFLOP/s/device")
    assert scenario.hardware.peak["bf16"]["dense"].quantity.base == 50 * 10**12


def test_derived_symbols_become_inputs() -> None:
    scenario = with_sets(
        "W=100 GB", "kappa=320 KiB/token", "TPOT=20 ms/token", "R_max=50 token/s", "b_max=7"
    )
    values = {k: v.quantity.base for k, v in scenario.overrides.items()}
    assert values == {
        "W": 10**11,
        "kappa": 327_680,
        "TPOT": Fraction(1, 50),
        "R_max": 50,
        "b_max": 7,
    }
    assert scenario.overrides["TPOT"].quantity.unit.text == "ms*request/token"


@pytest.mark.parametrize(
    ("setting", "code", "hint"),
    [
        ("B_peak=3.35", "S301", "3.35 TB/s/device"),
        ("B_peak=3.35 TB/s", "S302", "write 3.35 TB/s/device"),
        ("B_peak=0 TB/s/device", "S304", ""),
        ("B_peak=1e30 TB/s/device", "S305", ""),
        ("N=70e9", "S301", "70e9 param"),
        ("d_head=128", "S301", ""),
        ("W=100", "S301", "100 GB"),
        ("b=2.5", "S303", ""),
        ("b=0", "S304", ""),
        ("T=-1", "S304", ""),
        ("M_frac=1.5", "S305", ""),
        ("precision.weights=bf-16", "S205", "did you mean bf16?"),
        ("workload.request=8", "S502", "did you mean workload.requests?"),
        ("B_paek=3.35 TB/s/device", "S502", "did you mean B_peak?"),
        ("c_op=3 FLOP/param/token", "S502", ""),
        ("scenario=x", "S502", ""),
        ("b", "S501", ""),
        ("=8", "S501", ""),
        ("b=", "S501", ""),
        ("MFU=0.5, 0.4, 0.6", "S306", ""),
        ("MFU=0.5, 0.6", "S307", ""),
        ("MFU=50", "S305", "write 50 %"),
    ],
)
def test_settings_that_cannot_be(setting: str, code: str, hint: str) -> None:
    text = refused(setting)
    assert code in text
    assert hint in text
    assert "--set" in text


@pytest.mark.parametrize(
    ("sets", "code"),
    [
        (("b=4", "workload.requests=8"), "S503"),
        (("precision.weights=fp8", "w=1 byte/param"), "S503"),
        (("w_kv=1 byte/element", "precision.kv_cache=fp8"), "S503"),
        (("b=4", "b=4"), "S504"),
        (("MFU=0.4", "calibration.MFU=0.4"), "S503"),
    ],
)
def test_one_thing_is_set_once(sets: tuple[str, ...], code: str) -> None:
    assert code in refused(*sets)


def test_every_bad_setting_is_told_at_once() -> None:
    text = refused("bb=1", "B_peak=3", "b=2.5")
    assert text.count("S502") == text.count("S301") == text.count("S303") == 1


def test_without_symbols_the_notation_is_used(problems: Callable[..., list[str]]) -> None:
    assert load.scenario(NAME, sets=["X_meas=300 token/s"]).overrides
    assert problems(load.scenario, NAME, sets=["W=1 GB"]) == ["S502"]


# --- a bare number and a text that is no number


def quantities(fields: tuple[Field, ...], above: str = "") -> Iterator[tuple[str, Field]]:
    """Every figure that needs a unit, by its key."""
    for field in fields:
        key = f"{above}.{field.key}" if above else field.key
        if field.kind == "quantity" or (field.kind == "triple" and field.unit):
            yield key, replace(field, kind="quantity", key=key)
        yield from quantities(field.fields, key)


EVERY = [
    *quantities((*SCENARIO, *HARDWARE, *MODEL)),
    *((f"--set {s.id}", declared(s.id, CONTRACT[s.id])) for s in SYMBOLS.values()
      if CONTRACT[s.id] not in BARE_UNITS),
]  # fmt: skip


@pytest.mark.parametrize(("key", "field"), EVERY, ids=[key for key, _ in EVERY])
@pytest.mark.parametrize("written", ["-3", "0", "7", "9" * 40])
def test_a_number_without_a_unit_is_told_how_the_key_is_written(
    key: str, field: Field, written: str
) -> None:
    faults = Faults()
    assert read_amount(field, Scalar(written, Place(key=key)), faults) is None
    [problem] = faults.found
    assert problem.code == "S301"
    assert problem.hint is not None
    words = problem.hint.en.removeprefix("for example ").removeprefix("write ").split(" or ")
    for example in words:  # what is proposed is taken
        again = Faults()
        assert read_amount(field, Scalar(example, Place(key=key)), again), (example, again.found)


@pytest.mark.parametrize(
    "written", ["{p50: 512, p99: 16384}", "{p50:..}", "[512, 4096]", "512, 4096"]
)
@pytest.mark.parametrize("key", ["T_in", "workload.output"])
def test_quantiles_on_the_command_line_are_told_where_they_stand(key: str, written: str) -> None:
    with pytest.raises(DeriveError) as caught:
        with_sets(f"{key}={written}")
    [problem] = caught.value.problems
    assert problem.hint is not None
    name = "input" if key == "T_in" else "output"
    assert f"2048; quantiles stand in a scenario file: {name}: {{p50: 512," in problem.hint.en
    assert f"分位数写在场景文件中：{name}: {{p50: 512," in problem.hint.zh


def test_a_key_of_a_table_is_proposed_for_its_last_word() -> None:
    assert "did you mean workload.input?" in refused("input=3")
    assert "did you mean" not in refused("weights=bf16")  # of the scenario, and of what drafts
