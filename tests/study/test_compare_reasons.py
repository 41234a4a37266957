"""Why a result moved: factors that multiply to the ratio, what moved in vain, the roofs."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from derive.derivation.steps import Disproved
from derive.formula import standing_in
from derive.specs import load
from derive.study.bind import bind
from derive.study.compare import comparison
from derive.study.compare_document import MOST_ROOFS, document
from derive.study.compare_reasons import EXPLAINED, check, side
from derive.study.results import Result, results
from tests.study.conftest import launch

FASTER = "P_peak=1979 TFLOP/s/device"  # twice the compute, the same bandwidth


def reasons(*sets: str, base: tuple[str, ...] = ()) -> dict[str, Any]:
    found = comparison(launch(*base), [("changed", launch(*base, *sets))])
    made: dict[str, Any] = found["columns"][1]["reasons"]
    return made


def test_a_faster_card_does_not_speed_up_decode() -> None:
    found = reasons(FASTER)
    assert found["TPOT"]["roof"] == ["memory", "memory"]
    assert found["TPOT"]["moved"] == []
    assert found["TPOT"]["idle"] == [{"symbol": "P_peak", "ratio": "2×"}]
    assert "moves nothing" in found["TPOT"]["text"]["en"]
    assert "不起作用" in found["TPOT"]["text"]["zh"]
    assert found["TTFT"]["roof"] == ["compute", "compute"]
    assert [(m["symbol"], m["effect"]) for m in found["TTFT"]["moved"]] == [("P_peak", "0.5×")]


def test_half_the_bytes_name_what_is_behind_them() -> None:
    (moved,) = reasons("precision.weights=fp8", "precision.compute=bf16")["TPOT"]["moved"]
    assert moved["symbol"] == "Q_step"
    assert moved["by"] == ["w 0.5×"]
    # (70.55e9 + 8 · 2304 · 327,680) / (141.1e9 + the same)
    kv = 8 * 2304 * 327_680
    weights = 70_553_706_496
    assert float(moved["ratio"][:-1]) == pytest.approx(
        (weights + kv) / (2 * weights + kv), rel=1e-3
    )


def test_past_the_ridge_the_other_roof_decides() -> None:
    found = reasons("b=400", "T=200", base=("devices=16",))["TPOT"]
    assert found["roof"] == ["memory", "compute"]
    assert "past the ridge" in found["text"]["en"]


def test_what_does_not_fit_says_why() -> None:
    found = reasons("devices=1")
    assert "at least 2" in found["TPOT"]["text"]["en"]
    assert found["b_max"]["text"]["en"] == "none: the weights leave no room"


def test_the_base_stands_by_its_own_formulas_beside_experts() -> None:
    experts = load.scenario("deepseek-v3-on-8x-h200")
    dense = load.scenario("deepseek-v3-on-8x-h200", sets=("model=llama-3.1-405b",))
    for one, other in ((experts, dense), (dense, experts)):
        column = comparison(one, [("changed", other)])["columns"][1]
        assert "now it fits" not in column["verdict"]["en"]
        assert column["reasons"]["TPOT"]["roof"] is not None


@settings(max_examples=10, deadline=None)
@given(
    st.fixed_dictionaries({
        "b": st.integers(1, 400), "T_in": st.integers(1, 20_000), "g": st.integers(4, 16),
        "P_peak": st.integers(200, 3000), "B_peak": st.integers(500, 8000),
        "MFU": st.sampled_from(["0.3", "0.5", "0.8"]), "MBU": st.sampled_from(["0.4", "0.7"]),
    })
)  # fmt: skip
def test_factors_multiply_to_the_ratio_of_the_values(changes: dict[str, Any]) -> None:
    units = {"P_peak": " TFLOP/s/device", "B_peak": " GB/s/device"}
    sets = [f"{n}={v}{units.get(n, '')}" for n, v in changes.items()]
    first, second = bind(launch()), bind(launch(*sets))
    with standing_in(first.variants):
        before = results(first)
    with standing_in(second.variants):  # as a comparison reads them
        after = results(second)
    for name in EXPLAINED:
        one, two = side(first, name), side(second, name)
        if one is None or two is None or after[name].value is None or name == "b_max":
            continue
        # the deciding branch is the value itself
        assert (one.value, two.value) == tuple(
            r[name].value.base
            for r in (before, after)  # type: ignore[union-attr]
        )
        if one.factors.keys() == two.factors.keys():
            total = Fraction(1)
            for factor, (power, value) in one.factors.items():
                total *= (two.factors[factor][1] / value) ** power
            assert total == two.value / one.value


def test_factors_that_do_not_give_the_ratio_are_refused() -> None:
    with pytest.raises(Disproved):
        check("TPOT", [("B_peak", -1, Fraction(2), [])], Fraction(1, 3))
    assert Result("TPOT", None).value is None


# --- the document


def many(count: int) -> dict[str, Any]:
    others = [(f"B_peak={n}", launch(f"B_peak={3000 + n} GB/s/device")) for n in range(count)]
    return document(launch(), others, load.sources())


def test_every_derivation_has_a_line_for_every_candidate() -> None:
    record = many(3)
    for sheet in record["sheets"]:
        assert [r["column"] for f in sheet["forms"] for r in f["rows"]] == [0, 1, 2, 3]
    tpot = next(s for s in record["sheets"] if s["id"] == "t_step_eff")
    place = tpot["forms"][0]["symbols"].index("B_peak")
    assert [r["cells"][place] for r in tpot["forms"][0]["rows"]] == [
        "3.35 TB/s/device", "3 TB/s/device", "3.001 TB/s/device", "3.002 TB/s/device",
    ]  # fmt: skip


def test_the_drawing_holds_a_few_roofs_and_the_table_all() -> None:
    (figure,) = many(9)["figures"]
    assert len(figure["lines"]) == MOST_ROOFS
    assert figure["left_out"] == 10 - MOST_ROOFS
    assert len(figure["table"]["rows"]) == 10


def test_size_grows_by_the_same_with_every_candidate() -> None:
    """Linear in the number of candidates: each takes the bytes of the one before."""
    sizes = [len(json.dumps(many(n))) for n in (4, 8, 12)]
    more = [b - a for a, b in pairwise(sizes)]
    assert more[1] == pytest.approx(more[0], rel=0.05)


# --- what the factors cannot say, and what is not told


SPECULATION = ("speculation.draft=4", "speculation.acceptance=0.7")
APART = ("disaggregation.prefill_devices=4", "disaggregation.link=50 GB/s")


@pytest.mark.parametrize(
    ("sets", "row", "said"),
    [
        (("PP=2",), "TPOT", "how the devices share"),
        (("DP=2",), "b_max", "how the devices share"),
        (SPECULATION, "TPOT", "the switches of this candidate"),
        (APART, "TTFT", "the switches of this candidate"),
        (APART, "cost_token", "the switches of this candidate"),
        (("chunk=512 token",), "TTFT", "the switches of this candidate"),
    ],
)
def test_another_formula_of_the_same_model_is_not_said_to_be_of_another(
    sets: tuple[str, ...], row: str, said: str
) -> None:
    text = reasons(*sets)[row]["text"]
    assert said in text["en"]
    assert "model" not in text["en"]
    assert "ridge" not in text["en"]
    assert ",  after" not in text["en"]  # a roof without a name
    assert "后由决定" not in text["zh"]


def test_another_model_is_said_to_be_one() -> None:
    """Two KV heads on four devices are copied, which eight are not."""
    assert "for the other model" in reasons("model=qwen2.5-3b")["TPOT"]["text"]["en"]


def test_no_speed_stands_in_the_derivations_of_what_does_not_fit() -> None:
    record = document(launch(), [("few", launch("devices=1"))], load.sources())
    rows = {s["id"]: (f["symbols"], f["rows"]) for s in record["sheets"] for f in s["forms"]}
    for speed in ("t_step_eff", "TTFT", "cost_token"):
        symbols, (_, few) = rows[speed]
        assert few["column"] == 1
        assert few["value"] == "–"
        for symbol, cell in zip(symbols, few["cells"], strict=True):
            assert (cell == "–") == (symbol in ("TTFT", "TPOT"))
    assert rows["I_ridge"][1][1]["value"] != "–"  # bounds keep their values


def test_a_target_missed_while_prompts_are_prefilled_is_said() -> None:
    """512 prompt tokens and 8 of decode: 520 · 141.1 GFLOP / 1.979 PFLOP/s = 37.08 ms > 25 ms."""
    column = comparison(launch(), [("chunk", launch("chunk=512 token"))])["columns"][1]
    assert column["rows"]["TPOT_mix"]["value"] == pytest.approx(520 * 141_107_412_992 / 1.979e15)
    assert "the TPOT_mix target of 25 ms/token is missed" in column["verdict"]["en"]
    assert "TPOT target" not in column["verdict"]["en"]  # decode alone keeps it
    assert "now met" not in column["verdict"]["en"]  # the base has no chunks to miss it with


def test_fewer_and_larger_replicas_are_not_told_as_fewer_devices() -> None:
    column = comparison(launch(), [("more", launch("devices=8"))])["columns"][1]
    assert column["rows"]["g_fleet"]["ratio"] == pytest.approx(16 / 12)
    better, worse = column["verdict"]["en"].split("worse:")
    assert "replicas" in better
    assert "devices of the fleet" in worse
