"""A draft model to the second order: its launches, its collectives, its memory; worked by hand."""

from __future__ import annotations

from fractions import Fraction

from derive.study.values import values
from derive.verify import verify

from .configs import exact, ledger, scenario

TARGET = "llama-3-70b"
SPEC = ("speculation.draft=4", "speculation.acceptance=0.7")
DRAFT = (*SPEC, "speculation.draft_model=llama-3.1-8b")
WEIGHTS, TABLE = 2 * 8_030_261_248, 2 * 525_336_576
KAPPA = 131_072


def test_each_device_holds_its_share_of_the_draft_model() -> None:
    found = scenario(TARGET, *DRAFT, devices=4)
    free = Fraction(9, 10) * 81_559 * 2**20 - Fraction(141_107_412_992 + WEIGHTS, 4)
    assert exact(found, "b_max_dev") == free // (2304 * Fraction(327_680 + KAPPA, 4))
    assert exact(found, "b_max_dev") == exact(found, "b_max")
    groups = scenario(TARGET, *DRAFT, "DP=2", devices=8)
    assert exact(groups, "b_max_dev") == 2 * exact(found, "b_max_dev")


def test_drafting_waits_for_launches_and_all_reduces() -> None:
    found = scenario(TARGET, *DRAFT, devices=4)
    one = 2 * Fraction(3, 4) * 8 * 4_096 * 2  # bytes that a ring all-reduce of eight tokens sends
    link = 2 * 32 * one / (450 * 10**9)
    launch = 32 * Fraction(56, 10**7)
    assert exact(found, "t_draft_over") == launch + link
    with_hops = scenario(TARGET, *DRAFT, "t_hop=10 us", devices=4)
    assert exact(with_hops, "t_draft_over") == launch + link + Fraction(64, 10**5)
    gain = Fraction("2.7731")
    # what the draft adds to a round, beyond reading its bytes
    parts = {n: exact(found, n) for n in ("t_over", "t_draft_peak", "t_draft_exp", "TPOT_second")}
    reads = exact(found, "W_stream_dev") + exact(found, "KV_dev") + exact(found, "Q_more_dev")
    step = max(exact(found, "t_ops"), reads / (3_350 * 10**9))
    drafts = 4 * (parts["t_draft_peak"] + launch + link)
    assert parts["TPOT_second"] == (step + parts["t_over"] + drafts) / gain


def test_the_input_table_of_the_draft_is_looked_up() -> None:
    found = scenario(TARGET, *DRAFT, devices=4)
    read = WEIGHTS - TABLE + 8 * 2304 * KAPPA
    assert exact(found, "t_draft_peak") == Fraction(read, 4 * 3_350 * 10**9)
    assert exact(found, "t_draft_exp") > exact(found, "t_draft_peak")


def test_a_draft_by_parameters_says_what_is_not_counted() -> None:
    found = scenario(TARGET, *SPEC, "N_draft=1.2 Gparam", devices=4)
    assert exact(found, "t_draft_over") == 0
    record = ledger(found)
    assert verify(record) == []
    how = {
        row["id"]: row["how"]["en"]
        for row in record["inputs"]
        if row["id"].endswith("_draft") and row["how"]
    }
    assert "its launches and collectives are not counted" in how["L_draft"]


def test_ledgers_with_drafts_verify() -> None:
    assert verify(ledger(scenario(TARGET, *DRAFT, devices=4))) == []
    assert verify(ledger(scenario(TARGET, *DRAFT, "DP=2", "t_hop=10 us", devices=8))) == []


def test_one_peak_figure() -> None:
    for sets in ((), DRAFT, ("PP=2",)):
        found = values(
            scenario(TARGET, *sets, devices=4),
            ("TPOT_exp", "TPOT_second", "TTFT_exp", "TTFT_second"),
        )
        for name in ("TPOT", "TTFT"):
            assert found[f"{name}_exp"]["peak_exact"] == found[f"{name}_second"]["exact"]
