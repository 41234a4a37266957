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
GEMMA = "gemma-2-9b-on-1x-l40s"


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
    assert "where memory does not hold 64 requests" in answer(DEEPSEEK, "kv")
    assert answer("article-7b-on-1x-a100", "kv").endswith("break even at ≈ 1,669 token/request")


def test_a_batch_limit_is_never_denied_where_a_target_is_set() -> None:
    full = answer(LAUNCH, "batch", "devices=8", "b=200", "T_in=7000", "T_out=1000")
    assert full.startswith(
        "no: memory holds 181 requests; for the TPOT target: the scenario does not"
    )
    missed = answer("article-70b-on-1x-h100", "batch")
    assert missed.endswith("for the TPOT target: not even one request meets the target")
    assert answer(GEMMA, "batch").endswith("no TPOT target is set")


# Gemma 2 9B reserves all 42 layers: 407 blocks of 16 x 344,064 B = 2.2406 GB of 24.99 GB
def test_the_pool_is_counted_on_one_basis() -> None:
    assert "the pool holds 11 requests" in answer(GEMMA, "pool")
    assert answer(GEMMA, "pool").endswith("with an 8-bit KV cache 22 requests")
    assert "then the KV pool (11 requests fit)" in answer(GEMMA, "flat-X")
    assert "b_max_reserved" in rows(GEMMA)["flat-X"]["refs"]


@pytest.mark.parametrize(
    ("measured", "verdict"),
    [("20 ms/token", "only this may be promised"), ("9 ms/token", "promise nothing before")],
)
def test_an_impossible_run_is_not_promised(measured: str, verdict: str) -> None:
    assert verdict in answer(LAUNCH, "measured", f"TPOT_meas={measured}")


def test_concurrency_states_its_basis() -> None:
    held = answer(DEEPSEEK, "memory")
    assert "2,291 requests by live bytes" in held
    assert "every byte stored once, which is a bound; 286 requests under tensor" in held
    assert "2,291 requests (286 requests under tensor parallelism)" in answer(DEEPSEEK, "pool")
    critical = answer(DEEPSEEK, "critical")
    assert "the critical batch is 6,247 requests; memory ends before it: 2,291" in critical
    assert "11 requests as an engine reserves" in answer(GEMMA, "memory")


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
    assert answer(LAUNCH, "int8").endswith("within 10 %; another ratio: another wall than assumed")
    assert "hardly a change; above 10 %" in answer(LAUNCH, "half-T")


def test_one_device_has_no_all_reduce() -> None:
    found = {n: r for n, r in rows("gemma-2-9b-on-1x-l40s").items() if n.startswith("left out")}
    assert found["left out share_comm"]["size"]["en"] == "one device: none"
    assert not {"left out share_comm_prefill", "left out t_latency"} & set(found)
    assert "B_link" not in str(found)
    assert "left out t_latency" in rows(LAUNCH)


GROUPS = ["numbers", "alerts", "questions", "levers", "experiments", "symptoms", "bands", "trust"]


def groups(name: str, *sets: str) -> dict[str, list[str]]:
    """The ids of the lines by group, in order."""
    found: dict[str, list[str]] = {}
    for row in rows(name, *sets).values():
        if "group" in row:
            found.setdefault(row["group"], []).append(row["id"])
    return found


def test_a_plain_deployment_has_every_group_and_six_questions() -> None:
    found = groups(LAUNCH)
    assert list(found) == GROUPS
    assert len(found["questions"]) == 6
    assert len(found["experiments"]) == 3
    assert len(found["symptoms"]) + len(found["bands"]) == 9
    assert {row["basis"] for row in rows(LAUNCH).values() if "basis" in row} == {
        "derived", "rule of thumb", "target", "measured",
    }  # fmt: skip


def test_alerts_are_the_targets_or_the_slow_end() -> None:
    # MBU 0.55: 10.981 ms / 0.55 = 19.97 ms; MBU 0.7: 15.69 ms
    assert answer(LAUNCH, "alert-TPOT").startswith(
        "above the target of 25 ms/token; floor ≈ 10.53 ms/token, reachable ≈ 15.69 ms/token"
    )
    assert "expect alerts at low efficiency" in answer(LAUNCH, "alert-TPOT", "slo.TPOT=17 ms/token")
    assert "would never end" in answer(LAUNCH, "alert-TPOT", "slo.TPOT=9 ms/token")
    free = rows("gemma-2-9b-on-1x-l40s")["alert-TTFT"]
    assert free["basis"] == "derived"
    assert "the slow end of what is reachable" in free["answer"]["en"]


# at T_mean a step at peak takes 10.956 ms: / 0.3 = 36.52 ms, / 0.6 = 18.26 ms; weights 10.53 ms
# alone are 0.288 and 0.577 of those; without the embedding table (2.101 GB) a step takes 10.80 ms
def test_bands_are_those_of_the_step_with_all_its_bytes() -> None:
    assert "TPOT above ≈ 36.52 ms/token (over the weights alone: 0.288)" in answer(
        LAUNCH, "ratio-low"
    )
    assert "TPOT below ≈ 18.26 ms/token (over the weights alone: 0.577)" in answer(
        LAUNCH, "ratio-high"
    )
    assert "below ≈ 10.80 ms/token no run can be" in answer(LAUNCH, "ratio-one")


def test_levers_are_parted_by_what_they_do() -> None:
    works = answer(LAUNCH, "levers-TPOT")
    assert works == "memory bandwidth −1 %, MBU −1 %, devices −1 %, bytes per parameter ≈ 0.959 %"
    assert answer(LAUNCH, "idle-TPOT").startswith("not at all: compute, MFU; hardly: bytes per KV")
    assert answer(LAUNCH, "idle-TTFT") == "not at all: memory bandwidth, MBU, bytes per parameter"


def test_a_batch_is_free_only_where_requests_do_not_pay() -> None:
    assert answer(LAUNCH, "batch").startswith("yes: twice the batch gives X × 1.92 at TPOT × 1.04")
    assert answer(LAUNCH, "batch", "b=200").startswith("up to memory: it holds 220 requests")
    assert answer(LAUNCH, "batch", "b=300").startswith("no: memory holds 220 requests")
    assert answer("article-7b-on-1x-a100", "batch").startswith(("no, each", "up to", "yes"))


def test_what_does_not_fit_has_no_symptoms() -> None:
    found = groups("article-70b-on-1x-h100")
    assert found["symptoms"] == ["no-symptoms"]
    assert found["experiments"] == ["no-experiments"]
    assert found["bands"] == ["ratio-one"]
    text = answer("article-70b-on-1x-h100", "no-symptoms")
    assert text.startswith("the scenario does not fit: 1 device given")


def test_decode_on_the_compute_side_is_told_otherwise() -> None:
    load = ("b=512", "T_in=64", "T_out=64", "T=128")
    assert "decode is compute-bound" in answer(LAUNCH, "slow-tpot", *load)
    assert "a smaller batch" in answer(LAUNCH, "grows-b", *load)
    assert answer(LAUNCH, "ratio-high", *load).count("more compute or a smaller batch") == 1
    assert answer(LAUNCH, "quantization", *load).startswith("hardly anything for TPOT")


def test_a_measurement_replaces_the_advice_to_measure() -> None:
    assert answer(LAUNCH, "measured").startswith("none given")
    assert answer(LAUNCH, "measured", "TPOT_meas=20 ms/token").startswith(
        "TPOT 20 ms/token, an MBU"
    )


def test_every_link_leads_to_a_derivation() -> None:
    for name in (LAUNCH, DEEPSEEK, "article-70b-on-1x-h100"):
        for row in rows(name).values():
            assert all(ref in catalogue() for ref in row.get("refs", []))
    assert rows(LAUNCH)["ridge"]["refs"] == ["I_ridge"]


# the launch scenario: 25 ms/token and 500 ms; b_slo and b_max as the findings have them
def test_targets_have_lines_of_their_own() -> None:
    told = answer(LAUNCH, "slo-TPOT")
    assert told == (
        "kept up to 79 requests; 220 requests fit. Passed: cap running requests, then add replicas"
    )
    # 500 ms x 4 x 494.75 TFLOP/s over 2 x 70.55 GFLOP a token
    assert answer(LAUNCH, "slo-TTFT").startswith("kept up to 7,012 token/request, idle. Passed: ")
    assert rows(LAUNCH)["slo-TPOT"]["refs"] == ["b_slo", "TPOT", "b_max"]


def test_without_targets_there_are_none() -> None:
    assert not {"slo-TPOT", "slo-TTFT"} & rows(GEMMA).keys()


def test_memory_that_ends_before_the_target_is_said() -> None:
    assert "2,291 requests fit, so memory ends first" in answer(DEEPSEEK, "slo-TPOT")


def test_chunks_have_a_limit_beside_that_of_decode() -> None:
    told = answer(LAUNCH, "slo-TPOT", "chunk=512")
    assert told.endswith("beside prefill a chunk of 342 tokens keeps it at 8 requests")
    assert "Beside 8 requests in decode the planned prompt takes" in answer(
        LAUNCH, "slo-TTFT", "chunk=512"
    )


def test_targets_out_of_reach_say_why() -> None:
    unmet = ("target_TPOT=5 ms/token", "target_TTFT=5 ms")
    assert answer(LAUNCH, "slo-TPOT", *unmet) == "not even one request meets the target"
    assert answer(LAUNCH, "slo-TTFT", *unmet).startswith("reading the weights once already takes")
