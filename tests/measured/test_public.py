"""Public measurements: bound, ratio and verdict as worked out by hand for each."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from derive.cli import main

FILE = "specs/measurements/public.yaml"
ROOT = Path(__file__).resolve().parents[2]
TRUTH: dict[str, Any] = yaml.safe_load((Path(__file__).parent / "public-truth.yaml").read_text())
PRINTED = 0.002  # the truth is printed with three or four digits


@cache
def record() -> dict[str, Any]:
    """What the command says of the whole file."""
    done = CliRunner().invoke(main, ["measure", str(ROOT / FILE), "--json"])
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


@cache
def runs() -> dict[str, Any]:
    return {run["label"]: run for run in record()["runs"]}


def phase(name: str, of: str) -> dict[str, Any]:
    return next(p for p in runs()[name]["phases"] if p["name"] == of)


def of_kind(key: str) -> list[str]:
    return [name for name, truth in TRUTH.items() if key in truth]


def test_every_entry_is_read() -> None:
    assert list(runs()) == list(TRUTH)


@pytest.mark.parametrize("name", of_kind("tpot_floor_ms"))
def test_floor_of_tpot_and_its_share(name: str) -> None:
    truth, found = TRUTH[name], phase(name, "TPOT")
    assert found["floor"]["value"] == pytest.approx(truth["tpot_floor_ms"], rel=PRINTED)
    share = found["floor"]["value"] / found["measured"]["value"]
    assert share == pytest.approx(truth["mbu"], rel=3 * PRINTED)


@pytest.mark.parametrize("name", [n for n in of_kind("mfu") if n != "M-51"])
def test_floor_of_ttft_and_its_share(name: str) -> None:
    truth, found = TRUTH[name], phase(name, "TTFT")
    assert found["floor"]["value"] == pytest.approx(truth["ttft_floor_ms"], rel=PRINTED)
    assert found["MFU"]["value"] == pytest.approx(truth["mfu"], rel=3 * PRINTED)


@pytest.mark.parametrize("name", of_kind("mfu_all_tokens"))
def test_totals_are_told_from_rates_of_one_request(name: str) -> None:
    truth, (total,) = TRUTH[name], runs()[name]["totals"]
    told = " ".join(note["en"] for note in total["notes"])
    assert "no rate of one" in told
    if "minimum_concurrency" in truth:
        assert f"at least {truth['minimum_concurrency']} requests" in told
        assert f"≈ {truth['single_user_bound_tok_s']} token/s" in told
        share = float(told.partition("with the prompt tokens counted, ≈ ")[2].split()[0])
        assert share / 100 == pytest.approx(truth["mfu_all_tokens"], abs=0.001)
    else:  # no prompt tokens are known
        assert total["share"]["value"] == pytest.approx(truth["mfu_all_tokens"], rel=0.005)


def test_cached_prompt_tokens_cost_no_operations() -> None:
    (total,) = runs()["M-51"]["totals"]
    assert total["share"]["value"] == pytest.approx(TRUTH["M-51"]["mfu"], abs=0.001)
    share = float(total["notes"][0]["en"].partition("rest, ≈ ")[2].split()[0])
    assert share / 100 == pytest.approx(TRUTH["M-51"]["mfu_computed_tokens_only"], abs=0.001)


@pytest.mark.parametrize("name", [n for n, t in TRUTH.items() if t["kind"] != "throughput"])
def test_only_what_is_recorded_so_beats_its_bound(name: str) -> None:
    found = {p["band"] for p in runs()[name]["phases"]}
    assert ("beats" in found) == TRUTH[name]["beats"]


def test_speculation_explains_where_the_acceptance_is_known() -> None:
    states = {
        name: {e["id"]: e["state"] for e in phase(name, "TPOT")["explanations"]}
        for name in ("M-11", "M-69", "M-67")
    }
    assert states["M-69"]["speculation"] == "explains"
    assert states["M-11"]["speculation"] == "open"
    assert "explains" not in states["M-67"].values()  # impossible as stated


@pytest.mark.parametrize("name", ["M-22", "M-23"])
def test_what_does_not_fit_is_a_matter_of_capacity(name: str) -> None:
    assert phase(name, "TPOT")["first"][0]["en"].startswith("capacity")


@pytest.mark.parametrize("name", ["M-44", "M-45"])
def test_two_nodes_wait_for_collectives(name: str) -> None:
    assert phase(name, "TPOT")["first"][0]["en"].startswith("the collectives")


@pytest.mark.parametrize("name", ["M-10", "M-46"])
def test_far_from_the_bound_is_software(name: str) -> None:
    assert runs()[name]["phases"][0]["band"] == "software"


def test_ttft_that_falls_with_the_prompt_is_told() -> None:
    (text,) = record()["across"]
    assert "M-46, M-47" in text["en"]
    assert "M-46" in text["zh"]
