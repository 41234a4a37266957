"""The launch scenario's numbers, worked out by hand, through `derive eval --json`."""

import json
import math
import subprocess
import sys
from functools import cache
from typing import Any

import pytest

SCENARIO = "llama-3-70b-on-4x-h100"


@cache
def values(*settings: str) -> dict[str, Any]:
    """What the command prints."""
    sets = [part for s in settings for part in ("--set", s)]
    done = subprocess.run(
        [sys.executable, "-m", "derive.cli", "eval", SCENARIO, "--json", *sets],
        capture_output=True,
        text=True,
        check=True,
    )
    found = json.loads(done.stdout)
    assert found["scenario"] == SCENARIO
    return found["values"]


EXACT = {
    "I_ridge": "19790/67",
    "W": "141107412992/1",
    "kappa": "327680/1",
    "Q_step": "147147210752/1",
    "bytes_per_token": "18393401344/1",
    "I_prefill": "2048/1",
    "I_decode": "68900104/8981153",
    "b_max": "220/1",
    "g_min": "2/1",
    "g_fit": "2/1",
    "T_mean": "2176/1",
}
ROUNDED = {  # id: (value in the contract unit, significant figures given)
    "I_ridge": (295.373, 6),
    "T_wall": (1457.904, 7),
    "T_cross": (53828.2, 6),
    "b_crit": (295.373, 6),
    "t_prefill": (73.0136e-3, 6),
    "I_decode": (7.67163, 6),
    "t_step": (10.9811e-3, 6),
    "TPOT_floor": (10.5304e-3, 6),
    "I_decode_inf": (186.903, 6),
    "R_max": (94.9631, 6),
    "M_free": (166.768e9, 6),
    "tokens_max": (508934.03, 8),
    "cost_token_decode": (6.355e-6, 4),
    "TTFT_burst": (1.168, 4),
}
RANGES = {  # id: value, low, high, peak, figures
    "X": (437.113, 400.687, 509.965, 728.522, 6),
    "E2E": (4.81301, 4.12196, 5.27379, 2.87320, 6),
    "TTFT": (146.027e-3, 121.689e-3, 182.534e-3, 73.0136e-3, 6),
    "TPOT": (18.302e-3, 15.687e-3, 19.966e-3, 10.9811e-3, 5),
    "b_slo": (79, 57, 123, 256, 3),
    "replicas": (3, 2, 3, 2, 1),
    "cost_token": (7.914e-6, 6.746e-6, 8.886e-6, 4.590e-6, 4),
}
COUNTS = ("b_max", "g_min", "g_fit", "b_slo", "replicas")


def close(found: float, expected: float, figures: int) -> bool:
    """Equal when rounded to the figures the expectation is given with."""
    unit = 10.0 ** (math.floor(math.log10(abs(expected))) - figures + 1)
    return abs(found - expected) <= unit / 2 * 1.0001


@pytest.mark.parametrize(("name", "exact"), EXACT.items())
def test_exact(name: str, exact: str) -> None:
    assert values()[name]["exact"] == exact


@pytest.mark.parametrize(("name", "row"), ROUNDED.items())
def test_rounded(name: str, row: tuple[float, int]) -> None:
    assert close(values()[name]["value"], *row)


@pytest.mark.parametrize(("name", "row"), RANGES.items())
def test_reachable(name: str, row: tuple[float, ...]) -> None:
    *numbers, figures = row
    for key, expected in zip(("value", "low", "high", "peak"), numbers, strict=True):
        assert close(values()[name][key], expected, int(figures)), key


@pytest.mark.parametrize("name", COUNTS)
def test_counts_are_integers(name: str) -> None:
    assert isinstance(values()[name]["value"], int)


def test_no_critical_batch_past_the_wall() -> None:
    found = values()["b_crit_T"]
    assert found["value"] is None
    assert found["exact"] is None
    assert "KV wall" in found["why"]["en"]
    assert "KV 墙" in found["why"]["zh"]


@pytest.mark.parametrize(("context", "expected"), [("1024", 992.445), ("512", 455.253)])
def test_critical_batch_before_the_wall(context: str, expected: float) -> None:
    assert close(values(f"T={context}")["b_crit_T"]["value"], expected, 6)


def test_decimal_memory_would_hold_less() -> None:
    assert values("M_dev=80 GB/device")["b_max"]["value"] == 194


def test_measured_ids_are_left_out() -> None:
    assert "MBU_meas" not in values()


def test_burst_is_told_beside_the_single_prompt() -> None:
    from derive.specs import load
    from derive.study import study

    ledger = study(load.scenario(SCENARIO), load.sources())
    burst = next(f for f in ledger["findings"] if f["id"] == "ttft_burst")
    assert "1.168 s" in burst["text"]["en"]
    assert "met by one prompt and missed by the burst" in burst["text"]["en"]
    assert "单个请求满足" in burst["text"]["zh"]
