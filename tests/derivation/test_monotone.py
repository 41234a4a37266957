"""Ranges are exact bounds where the formula runs one way: proved, and held against exact points."""

from __future__ import annotations

import copy
from fractions import Fraction
from itertools import pairwise, product

import pytest

from derive.derivation.monotone import CALIBRATION, of_tree, reachable
from derive.derivation.points import Absent, RandomPoint, Undefined
from derive.expression.grammar import parse
from derive.formula import called_for, catalogue, standing_in
from derive.ledger import sealed
from derive.specs import load
from derive.study import study
from derive.verify import verify

# whole replicas against times that fall; differences and quotients of two times
NOT_PROVED = {"share_prefill", "share_pool", "share_slots", "b_load", "t_queue", "TTFT_queue",
              "t_add", "t_load", "T_chunk_slo", "gain_spec", "b_spec",
              "t_mix_exp", "t_last_exp", "TPOT_mix_exp", "TTFT_mix_exp"}  # fmt: skip
LEVELS = [Fraction(n, 10) for n in (2, 3, 5, 7, 9)]


def test_all_but_what_runs_against_itself_is_proved() -> None:
    unknown = {name for name, ways in reachable().items() if "unknown" in ways.values()}
    assert unknown <= NOT_PROVED


@pytest.mark.parametrize(
    "given",
    ["E N_fix s_idle", "E E2 N_fix N_side", "E S_kv", "e_pick e_cmp E", "e_again", "e_win2"],
)
def test_so_it_is_with_other_kinds_of_models(given: str) -> None:
    catalogue()
    with standing_in(called_for(given.split())):
        unknown = {name for name, ways in reachable().items() if "unknown" in ways.values()}
        assert unknown <= NOT_PROVED


def test_what_was_proved_holds_at_exact_points() -> None:
    for name, ways in reachable().items():
        for by, number in product(CALIBRATION, range(4)):
            found = []
            for level in LEVELS:
                try:
                    found.append(RandomPoint(name, number).with_(**{by: level}).get(name))
                except (Absent, Undefined):
                    continue
            pairs = list(pairwise(found))
            if ways[by] == "falls":
                assert all(a >= b for a, b in pairs), (name, by)
            elif ways[by] == "rises":
                assert all(a <= b for a, b in pairs), (name, by)
            elif ways[by] == "stays":
                assert all(a == b for a, b in pairs), (name, by)


@pytest.mark.parametrize(
    ("text", "way"),
    [
        ("MFU * P_peak", "rises"),
        ("1 / MFU", "falls"),
        ("TTFT + E2E", "falls"),
        ("target_TTFT - TTFT", "rises"),
        ("X * TTFT", "unknown"),  # one rises, the other falls
        ("TTFT * TTFT / TTFT_one", "unknown"),
        ("ceil(TTFT / target_TTFT)", "falls"),
        ("max(TTFT, X / X * TTFT_one)", "unknown"),
        ("min(TTFT, TTFT_one)", "falls"),
        ("(T_out - one_token) * TPOT", "falls"),
        ("(T_in - one_token) * TPOT", "unknown"),  # nothing says that a prompt is longer
        ("W_read / B_peak", "stays"),
    ],
)
def test_directions(text: str, way: str) -> None:
    assert of_tree(parse(text), "MFU") == way


def test_a_direction_that_was_turned_round_is_noticed() -> None:
    record = study(load.scenario("llama-3-70b-on-4x-h100"), load.sources())
    assert verify(record, roots=()) == []
    wrong = copy.deepcopy(record)
    card = next(c for c in wrong["derivations"] if c["id"] == "TPOT")
    assert card["range"]["MBU"] == "falls"
    card["range"]["MBU"] = "rises"
    faults = verify(sealed(wrong), roots=())
    assert any("TPOT: does not run with MBU" in f.en for f in faults)


def test_the_ends_of_a_range_are_the_corners_that_the_directions_name() -> None:
    record = study(load.scenario("llama-3-70b-on-4x-h100"), load.sources())
    ways = {c["id"]: c["range"] for c in record["derivations"] if "range" in c}
    tpot = record["results"]["TPOT"]
    # W + b T kappa over 4 · 3.35 TB/s at MBU 0.70 and 0.55
    moved = 70_553_706_496 * 2 + 8 * 2304 * 327_680
    low, high = (Fraction(moved, 4 * 3_350_000_000_000) / Fraction(m) for m in ("0.70", "0.55"))
    assert (tpot["low_exact"], tpot["high_exact"]) == tuple(
        f"{v.numerator}/{v.denominator}" for v in (low, high)
    )
    assert ways["TPOT"]["MFU"] == ways["TPOT"]["MBU"] == "falls"
    assert "精确的界" in ways["TPOT"]["text"]["zh"]
