"""The on-call checklist: bands, limits and experiments, held against values by hand."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from derive.formula import catalogue, standing_in
from derive.notation import SYMBOLS
from derive.specs import load
from derive.study.bind import bind
from derive.study.checklist import checklist
from derive.study.levers import elasticities
from derive.study.results import results
from derive.study.verdict import assumptions

LAUNCH = "llama-3-70b-on-4x-h100"
DEEPSEEK = "deepseek-v3-on-8x-h200"


@cache
def rows(name: str, *sets: str) -> dict[str, dict[str, Any]]:
    """The checklist of a scenario with settings, by id."""
    symbols = {i: s.unit.text for i, s in SYMBOLS.items()}
    symbols |= {i: f.unit.text for i, f in catalogue().items()}
    bound = bind(load.scenario(name, sets=[("--set", s) for s in sets], symbols=symbols))
    with standing_in(bound.variants):
        found = results(bound)
        made = checklist(bound, found, elasticities(bound.typical))
        left_out = {f"left out {r['id']}": r for r in assumptions(bound, found)}
    return {**{r["id"]: r for r in made}, **left_out}


def answer(name: str, row: str, *sets: str) -> str:
    text: str = rows(name, *sets)[row]["answer"]["en"]
    return text


# a step at peak at 2,176 tokens: (141.107 GB + 8 x 2,176 x 327,680 B) / (4 x 3.35 TB/s) = 10.956 ms
@pytest.mark.parametrize(
    ("measured", "ratio", "verdict"),
    [
        ("40 ms/token", "3.65", "look at the software first"),
        ("25 ms/token", "2.28", "between both"),
        ("17 ms/token", "1.55", "the hardware is the limit"),
        ("9 ms/token", "0.821", "faster than the bytes allow"),
    ],
)
def test_measured_tpot_is_held_against_the_step_with_all_its_bytes(
    measured: str, ratio: str, verdict: str
) -> None:
    text = answer(LAUNCH, "floor", f"TPOT_meas={measured}")
    assert "a step takes ≈ 10.96 ms" in text
    assert f"is {ratio} times that: {verdict}" in text


def test_what_the_document_expects_is_never_accused() -> None:
    # the KV cache outweighs the weights here: 3.8 times the floor of the weights alone
    text = answer("article-7b-on-1x-a100", "floor")
    assert "expected here: 1.67 times, and 3.84 times the floor" in text


def test_weights_break_even_is_held_against_context_and_memory() -> None:
    assert "beyond this model's context of 8,192 token/request" in answer(LAUNCH, "kv")
    assert "where 64 requests no longer fit in memory" in answer(DEEPSEEK, "kv")
    assert answer("article-7b-on-1x-a100", "kv").endswith("break even at ≈ 1,669 token/request")


def test_concurrency_states_its_basis() -> None:
    text = answer(DEEPSEEK, "batch")
    assert "2,291 requests, with data-parallel attention; 286 requests under tensor" in text
    assert "the critical batch is 6,247 requests; memory ends before it: 2,291" in text
    assert "11 requests as an engine reserves" in answer("gemma-2-9b-on-1x-l40s", "batch")


def test_compute_that_changes_nothing_is_said_once() -> None:
    assert answer(DEEPSEEK, "compute") == "no: neither TPOT nor TTFT changes"
    assert "TTFT changes by −1 %" in answer(LAUNCH, "compute")


def test_experiments_suit_the_format_and_the_memory() -> None:
    assert {"int8", "int4"} & set(rows(LAUNCH)) == {"int8"}
    assert {"int8", "int4"} & set(rows(DEEPSEEK)) == {"int4"}
    assert not {"int8", "int4"} & set(rows(LAUNCH, "precision.weights=int4"))
    assert {"double-b", "half-b"} & set(rows(LAUNCH)) == {"double-b"}
    assert {"double-b", "half-b"} & set(rows(LAUNCH, "b=200")) == {"half-b"}
    assert not {"double-b", "half-b"} & set(rows(LAUNCH, "b=201"))


def test_experiments_state_their_tolerance() -> None:
    assert answer(LAUNCH, "int8").endswith(
        "within 10 %; another ratio means another wall than assumed"
    )
    assert "hardly a change; one above 10 %" in answer(LAUNCH, "half-T")


def test_one_device_has_no_all_reduce() -> None:
    found = {n: r for n, r in rows("gemma-2-9b-on-1x-l40s").items() if n.startswith("left out")}
    assert found["left out share_comm"]["size"]["en"] == "one device: none"
    assert not {"left out share_comm_prefill", "left out t_latency"} & set(found)
    assert "B_link" not in str(found)
    assert "left out t_latency" in rows(LAUNCH)
