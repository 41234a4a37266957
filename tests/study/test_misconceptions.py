"""Misconceptions: nine, each with the numbers of the deployment, by hand."""

from __future__ import annotations

from functools import cache

import pytest

from derive.formula import catalogue, standing_in
from derive.notation import SYMBOLS
from derive.specs import load
from derive.study.bind import bind
from derive.study.levers import elasticities
from derive.study.misconceptions import misconceptions
from derive.study.results import results
from derive.study.verdict import fits

LAUNCH = "llama-3-70b-on-4x-h100"
COMPUTE = ("b=512", "T_in=64", "T_out=64", "T=128")


@cache
def told(name: str, *sets: str) -> dict[str, str]:
    """What is said here, by id."""
    symbols = {i: s.unit.text for i, s in SYMBOLS.items()}
    symbols |= {i: f.unit.text for i, f in catalogue().items()}
    bound = bind(load.scenario(name, sets=[("--set", s) for s in sets], symbols=symbols))
    with standing_in(bound.variants):
        found = results(bound)
        levers = elasticities(bound.typical) if fits(bound, found) else []
        return {m["id"]: m["here"]["en"] for m in misconceptions(bound, found, levers)}


# 7.672 of 295.4 FLOP/byte; 147.1 GB / 13.4 TB/s = 10.98 ms; 1.129 TFLOP / 3,958 TFLOP/s = 285 µs
@pytest.mark.parametrize(
    ("item", "says"),
    [
        ("utilization", "keeps ≈ 2.60 % of the compute busy"),
        ("devices", "right for TPOT in the first order: twice the devices give TPOT × 0.5"),
        ("devices", "628 requests fit instead of 220 requests"),
        (
            "operations",
            "half the operations a token: TPOT × 1; half the weight bytes: TPOT × 0.521",
        ),
        ("size", "≈ 10.98 ms for its bytes and ≈ 285.2 µs for its operations, 38.5 times less"),
        ("batch", "memory holds 220 requests; no batch reaches the ridge"),
        ("phases", "on different sides of the ridge"),
        ("context", "110 requests fit instead of 220 requests, TPOT × 1.04"),
        ("first-token", "the last of 8 requests that arrive together ≈ 1.168 s"),
        ("datasheet", "matrix products reach 494.75 TFLOP/s/device at an MFU of 50 %"),
    ],
)
def test_each_has_this_deployments_numbers(item: str, says: str) -> None:
    assert len(told(LAUNCH)) == 9
    assert says in told(LAUNCH)[item]


def test_what_happens_to_be_right_here_is_said_to_be() -> None:
    assert told(LAUNCH, *COMPUTE)["size"].startswith("right here: at peak")
    assert told(LAUNCH, *COMPUTE)["utilization"].startswith("here decode is compute-bound")
    assert "half the operations a token: TPOT × 0.5" in told(LAUNCH, *COMPUTE)["operations"]
    assert "both are on the same side" in told("deepseek-v3-on-8x-h200")["phases"]


def test_without_numbers_that_is_said() -> None:
    assert told("article-70b-on-1x-h100")["first-token"] == "this scenario gives no numbers for it"
