"""Every handed model: counts, cache, FLOPs and bytes equal the ground truth to the integer."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from derive.architecture import Architecture, read

HERE = Path(__file__).parent
TRUTH: dict[str, Any] = json.loads((HERE / "truth.json").read_text("utf-8"))["models"]
LEFT_OUT = ("idx", "topk")  # null or nought in the truth where a model has no indexer


@cache
def model(name: str) -> Architecture:
    return read(HERE / "configs" / f"{name}.json")


@pytest.fixture(params=sorted(TRUTH))
def case(request: pytest.FixtureRequest) -> tuple[dict[str, Any], dict[str, Any]]:
    return TRUTH[request.param], model(request.param).json()


def test_parameters(case: tuple[dict[str, Any], dict[str, Any]]) -> None:
    truth, found = case
    assert {k: found["params"][k] for k in truth["params"]} == truth["params"]
    assert found["weight_bytes_bf16"] == truth["weight_bytes_bf16"]


def test_matrix_work(case: tuple[dict[str, Any], dict[str, Any]]) -> None:
    truth, found = case
    assert found["matmul_weights_per_token"] == truth["matmul_weights_per_token"]
    assert found["linear_flops_per_token"] == truth["linear_flops_per_token"]


def test_cache(case: tuple[dict[str, Any], dict[str, Any]]) -> None:
    truth, found = case
    for key, expected in truth["kv"].items():
        if key != "groups":
            assert found["kv"][key] == expected, key
    assert len(found["kv"]["groups"]) == len(truth["kv"]["groups"])
    for group, expected in zip(found["kv"]["groups"], truth["kv"]["groups"], strict=True):
        for key, value in expected.items():
            if not (key in LEFT_OUT and not value):
                assert group[key] == value, key


def test_stored_bytes(case: tuple[dict[str, Any], dict[str, Any]]) -> None:
    truth, found = case
    if "weight_bytes_stored" in truth:
        assert found["weight_bytes_stored"] == truth["weight_bytes_stored"]


def test_derivations_sum_to_the_total(case: tuple[dict[str, Any], dict[str, Any]]) -> None:
    _, found = case
    rows = found["derivations"]
    total = sum(r["count"] for r in rows if r["quantity"] == "parameters")
    work = sum(r["count"] for r in rows if r["quantity"] == "matmul_weights_per_token")
    assert total == found["params"]["total_unique"]
    assert work == found["matmul_weights_per_token"]["sum"]
    assert all(set(r["values"]) == set(r["fields"]) for r in rows)


def test_expression_of_the_cache(case: tuple[dict[str, Any], dict[str, Any]]) -> None:
    """KV(T) as a text, read by our own grammar, gives the bytes at every context."""
    from fractions import Fraction

    from derive.expression.grammar import parse
    from derive.expression.value import value

    _, found = case
    kept = found["kv"]
    as_usual = kept["state_bytes_per_sequence"]["all_bf16_conv_width_minus_1"]
    for key, state, element in (
        ("expression", as_usual, 2),
        (
            "expression_as_declared",
            kept["state_bytes_as_declared"],
            1 if "declared_kv_cache_dtype" in kept else 2,
        ),
    ):
        tree = parse(kept[key])
        for context, expected in kept["bytes_at_context"].items():
            found_here = value(tree, lambda _, t=context: Fraction(t))
            assert found_here == Fraction(expected * element, 2) + state


def test_every_symbol_has_a_letter_and_a_meaning(
    case: tuple[dict[str, Any], dict[str, Any]],
) -> None:
    from derive.architecture.letters import letters

    used = {name for row in case[1]["derivations"] for name in row["values"]}
    assert used <= set(letters())


def test_bytes_that_a_step_reads() -> None:
    """Without the input table, with the tied one; experts apart."""
    dense = model("meta-llama__Meta-Llama-3.1-8B").reads()
    assert dense == {"always": 2 * 7_504_924_672, "routed_experts": 0}
    tied = model("Qwen__Qwen3-0.6B").reads()
    assert tied["always"] == 2 * 596_049_920
    mixture = model("mistralai__Mixtral-8x7B-v0.1").reads()
    assert mixture["routed_experts"] == 2 * 45_097_156_608
    assert (mixture["experts"], mixture["experts_per_token"]) == (8, 2)
    assert mixture["layers_with_experts"] == 32


def test_public_numbers() -> None:
    """Numbers that were published, among them sums of files with the extra layer."""
    v3 = model("deepseek-ai__DeepSeek-V3")
    extra = v3.mtp()
    assert extra is not None
    assert extra["parameters"] + extra["correction_bias"] == 11_610_068_224
    assert extra["copies_of_tables"] == 1_853_358_080
    assert v3.stored.total + extra["weight_bytes_stored"] == 688_574_839_360
    air = model("zai-org__GLM-4.5-Air")
    more = air.mtp()
    assert more is not None
    count = more["parameters"] + more["correction_bias"] + more["copies_of_tables"]
    assert air.totals.total_unique + air.totals.correction + count == 110_468_824_832
    small = model("Qwen__Qwen3-0.6B")
    assert small.totals.total_if_untied == 751_632_384
    following = model("Qwen__Qwen3-Next-80B-A3B-Instruct").mtp()
    assert following is not None
    assert following["parameters"] == 1_650_471_424
