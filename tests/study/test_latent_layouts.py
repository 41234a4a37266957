"""A latent cache: the bound without a layout, and the layouts that are real, worked by hand."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from derive.render.tables import orders_note
from derive.specs import load
from derive.study import study
from derive.verify import verify

from .configs import H200, exact, ledger, scenario

DEEPSEEK = "deepseek-v3"
ROUTED, ALL = 654_068_416_512, 673_150_611_808  # weight bytes of routed experts, of everything
FREE = Fraction(9, 10) * 143_771 * 2**20  # usable memory of one device
KAPPA = 70_272


def latent(*sets: str, **more: int) -> Any:
    """DeepSeek-V3 on eight H200."""
    return scenario(DEEPSEEK, *sets, hardware=H200, batch=64, **more)


def finding(record: dict[str, Any], name: str) -> dict[str, str]:
    """The text of one finding."""
    (row,) = (f for f in record["findings"] if f["id"] == name)
    text: dict[str, str] = row["text"]
    return text


def test_no_named_layout_is_a_bound_with_the_real_layouts_beside() -> None:
    record = ledger(latent())
    assert verify(record) == []
    text = finding(record, "latent_replicated")
    assert "bound that no layout beats" in text["en"]
    assert "任何并行方式都超不过的界" in text["zh"]
    numbers = {n: record["results"][n] for n in ("b_max", "b_max_tp", "TPOT", "TPOT_tp")}
    bound = (8 * FREE - ALL) // (2304 * KAPPA)
    assert numbers["b_max"]["value"] == bound
    assert numbers["b_max_tp"]["value"] == (FREE - Fraction(ALL, 8)) // (2304 * KAPPA)
    groups = 8 * ((FREE - (ALL - ROUTED) - Fraction(ROUTED, 8)) // (2304 * KAPPA))
    assert f"{int(bound):,} requests and TPOT" in text["en"]
    assert f"attention weights: {int(groups):,} requests fit" in text["en"]


@pytest.mark.parametrize(
    ("sets", "limit", "speed"),
    [(("TP=8",), "b_max_tp", "TPOT_tp"), (("TP=8", "EP=8"), "b_max_tp", "TPOT_tp")],
)
def test_tensor_parallelism_by_name_is_what_the_bound_has_beside(
    sets: tuple[str, ...], limit: str, speed: str
) -> None:
    assert exact(latent(*sets), "b_max") == exact(latent(), limit)
    assert exact(latent(*sets), "TPOT") == exact(latent(), speed)
    assert exact(latent(*sets), "kappa_dev") == KAPPA
    record = ledger(latent(*sets))
    assert verify(record) == []
    assert not {"b_max_tp", "TPOT_tp"} & record["results"].keys()
    assert "each of the 8 devices" in finding(record, "latent_copied")["en"]


def test_data_parallel_attention_by_name_is_what_the_finding_says() -> None:
    there = ledger(latent("DP=8", "EP=8"))
    assert verify(there) == []
    told = finding(ledger(latent()), "latent_replicated")["en"]
    assert there["results"]["TPOT"]["display"]["en"].split(" (")[0] in told.split("With data")[1]
    assert f"{there['results']['b_max']['value']:,} requests" in told.split("With data")[1]
    assert not [f for f in there["findings"] if f["id"].startswith("latent")]


def test_no_layout_beats_the_bound() -> None:
    free = latent()
    for sets in (
        ("TP=8",),
        ("DP=8", "EP=8"),
        ("PP=2",),
        ("PP=8",),
        ("TP=2", "DP=4", "EP=8"),
        ("DP=2", "EP=8"),
    ):
        there = latent(*sets)
        assert exact(there, "TPOT") >= exact(free, "TPOT"), sets
        assert exact(there, "b_max") <= exact(free, "b_max"), sets


def test_a_number_of_another_layout_does_not_pass() -> None:
    record = ledger(latent())
    right = finding(record, "latent_replicated")["en"].split("attention weights: ")[1].split(" ")[0]
    wrong = f"{int(right.replace(',', '')) + 8:,}"
    for row in record["findings"]:
        if row["id"] == "latent_replicated":
            row["text"] = {k: v.replace(right, wrong) for k, v in row["text"].items()}
    assert any("latent_replicated" in fault.en for fault in verify(record))


def test_orders_and_waterfall_say_what_is_counted_in_copies() -> None:
    unlaid, laid = ledger(latent()), ledger(latent("TP=8"))
    assert orders_note(unlaid) is not None
    assert orders_note(laid) is None
    (fall,) = (f for f in unlaid["figures"] if f["id"] == "waterfall")
    bars = {bar["id"]: Fraction(bar["to"]) - Fraction(bar["from"]) for bar in fall["bars"]}
    copies = Fraction(64 * 2304 * KAPPA * 7, 8) / 4_800_000_000_000 * 1000
    assert abs(bars["cache_copies"] - copies) < Fraction(1, 10**4)
    (plain,) = (
        f for f in study(load.scenario("llama-3-70b-on-4x-h100"), load.sources())["figures"]
        if f["id"] == "waterfall"
    )  # fmt: skip
    assert "cache_copies" not in {bar["id"] for bar in plain["bars"]}
