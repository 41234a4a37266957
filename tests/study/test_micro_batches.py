"""Experts under stages and groups: each pass meets the tokens of a micro-batch, worked by hand."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from derive.formula import standing_in
from derive.study.adding import adding
from derive.study.bind import bind
from derive.verify import verify

from .configs import H200, exact, ledger, scenario

DEEPSEEK, MIXTRAL = "deepseek-v3", "mixtral-8x7b"
LONG = {"input": 4096, "output": 512}
HALF = Fraction(3, 4)  # a token of Mixtral misses an expert


def hit(experts: int, top: int, tokens: int) -> Fraction:
    """Experts of a layer that so many tokens hit on average."""
    return experts * (1 - (1 - Fraction(top, experts)) ** tokens)


def test_a_stage_meets_the_experts_of_a_micro_batch() -> None:
    one = scenario(DEEPSEEK, hardware=H200, batch=64, **LONG)
    two = scenario(DEEPSEEK, "PP=2", hardware=H200, batch=64, **LONG)
    assert exact(one, "E_hit") == hit(256, 8, 64)
    assert exact(two, "E_hit") == hit(256, 8, 32)
    assert round(float(exact(two, "E_hit")), 1) == 163.3
    routed, rest = 654_068_416_512, 673_150_611_808 - 654_068_416_512
    weights = (rest + routed * hit(256, 8, 32) / 256) / 4
    cache = Fraction(
        64 * 4608 * 70_272, 2
    )  # a latent is whole on each of the four devices of a stage
    assert exact(two, "t_step") == (weights + cache) / 4_800_000_000_000
    assert round(1000 * float(exact(two, "t_step")), 2) == 24.88


@pytest.mark.parametrize("sets", [("PP=2",), ("TP=2", "DP=2", "EP=1")])
def test_stages_and_groups_of_mixtral_alike(sets: tuple[str, ...]) -> None:
    found = scenario(MIXTRAL, *sets, devices=4, batch=16)
    assert exact(found, "E_hit") == 8 * (1 - HALF**8)
    assert exact(found, "E_hit") < 8 * (1 - HALF**16)
    weights = 46_702_792_704 - 45_097_156_608 + 45_097_156_608 * (1 - HALF**8)  # 2 bytes, TP 2
    cache = 16 * 2304 * 131_072 // 4
    assert exact(found, "t_step") == (weights + cache) / (3_350 * 10**9)
    assert round(1000 * float(exact(found, "t_step")), 2) == 12.95


@pytest.mark.parametrize(
    ("sets", "devices", "batch", "tokens"),
    [
        ((), 4, 16, 16),
        (("EP=4",), 4, 16, 16),
        (("DP=4", "EP=4"), 4, 16, 16),  # one copy of the experts: every token meets it
        (("DP=4", "EP=2"), 4, 16, 8),  # two groups share a copy
        (("DP=4",), 4, 16, 4),
        (("PP=2", "DP=2", "EP=2"), 4, 16, 8),
        (("PP=2", "DP=2"), 4, 16, 4),
        (("PP=4",), 4, 5, 2),  # the largest of four micro-batches paces the step
        (("PP=4",), 4, 1, 1),
        (("DP=4",), 4, 7, 2),  # the fullest group paces the step of the replica
        (("DP=4", "EP=2"), 4, 7, 4),
        (("DP=4",), 4, 2, 1),
    ],
)
def test_tokens_that_meet_one_copy(
    sets: tuple[str, ...], devices: int, batch: int, tokens: int
) -> None:
    found = scenario(MIXTRAL, *sets, devices=devices, batch=batch)
    assert exact(found, "E_hit") == hit(8, 2, tokens)


@pytest.mark.parametrize("batch", [1, 2, 3, 5, 8, 16, 61])
@pytest.mark.parametrize("stages", [2, 4])
def test_the_ideal_is_what_the_largest_micro_batch_reads(batch: int, stages: int) -> None:
    found = scenario(MIXTRAL, f"PP={stages}", devices=4, batch=batch)
    tables = 131_072_000  # looked up
    read = 46_702_792_704 - 45_097_156_608 - tables
    read += 45_097_156_608 * hit(8, 2, -(-batch // stages)) / 8
    cache = Fraction(-(-batch // stages) * stages * 2304 * 131_072, 4)
    needed = (2 * read * stages / 4 + cache) / (3_350 * 10**9)
    assert exact(found, "TPOT_ideal") == needed


def test_the_table_of_added_devices_counts_micro_batches() -> None:
    here = bind(scenario(MIXTRAL, devices=4, batch=16))
    with standing_in(here.variants):
        rows = {row["id"]: row["values"]["TPOT_ideal"]["exact"] for row in adding(here)}
    for name in ("PP", "DP"):
        there = scenario(MIXTRAL, f"{name}=2", devices=8, batch=16)
        assert Fraction(rows[name]) == exact(there, "TPOT_ideal")


@pytest.mark.parametrize("sets", [("PP=2",), ("DP=4", "EP=2")])
def test_a_ledger_of_micro_batches_verifies(sets: tuple[str, ...]) -> None:
    record = ledger(scenario(MIXTRAL, *sets, devices=4, batch=16))
    assert verify(record) == []


# --- all-to-alls


def test_all_to_alls_are_of_the_layers_with_experts() -> None:
    found = scenario(DEEPSEEK, "DP=8", "EP=8", "t_hop=10 us", hardware=H200)
    assert exact(found, "L_exp") == 58
    sent = 8 * 8 * 7_168 * 2 * Fraction(7, 8)
    assert exact(found, "t_a2a") == 2 * 58 * sent / (8 * 450 * 10**9)
    assert exact(found, "t_wait") == Fraction(2 * 58, 10**5)
    jamba = scenario("jamba-1.5-mini", "DP=2", "EP=2", devices=2)
    assert exact(jamba, "L_exp") == 16


# --- layouts that engines refuse


def told(record: dict[str, Any], name: str) -> list[str]:
    """The English texts of a ledger's findings of an id."""
    return [f["text"]["en"] for f in record["findings"] if f["id"] == name]


def moved(text: dict[str, str]) -> dict[str, str]:
    """A text that recommends another number of devices."""
    return {k: v.replace("is 4 ", "is 8 ").replace("是 4 ", "是 8 ") for k, v in text.items()}


def test_heads_and_layers_that_do_not_divide_are_told() -> None:
    three = ledger(scenario("llama-3-70b", "slo.TPOT=25 ms/token", "slo.TTFT=500 ms", devices=3))
    assert verify(three) == []
    (text,) = told(three, "query_heads_split")
    assert "64 query heads do not divide evenly over the 3 devices" in text
    (need,) = told(three, "devices_for_targets")
    assert "3 devices do not share the 64 query heads evenly" in need
    assert "as TP the next number that does is 4 devices" in need
    wrong = [
        {**f, "text": moved(f["text"])} if f["id"] == "devices_for_targets" else f
        for f in three["findings"]
    ]
    assert any("devices_for_targets" in f.en for f in verify({**three, "findings": wrong}))
    stages = ledger(scenario("llama-3-70b", "PP=3", devices=6))
    assert verify(stages) == []
    (text,) = told(stages, "stages_uneven")
    assert "80 layers do not part evenly over 3 stages: the longest holds 27" in text
    many = ledger(scenario("llama-3-70b", devices=128))
    assert "more than its 64 query heads" in told(many, "query_heads_split")[0]
    four = ledger(scenario("llama-3-70b", devices=4))
    assert not told(four, "query_heads_split") + told(four, "stages_uneven")
