"""What is drawn: to the end of the axis, bent where the formulas bend, with every limit."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

import pytest

from derive.formula import standing_in
from derive.specs import load
from derive.study.bind import bind
from derive.study.drawing import sampled
from derive.study.figures import figures

from .configs import H200, scenario

NAMES = (
    "llama-3-70b-on-4x-h100", "deepseek-v3-on-8x-h200", "gemma-2-9b-on-1x-l40s",
    "article-7b-on-1x-a100", "deepseek-v4-flash",
)  # fmt: skip
MOST_POINTS = 150  # of one curve in a ledger


@cache
def drawn(name: str) -> dict[str, dict[str, Any]]:
    """The figures of a scenario by id."""
    loaded = (
        scenario(name, hardware=H200, devices=8)
        if name == "deepseek-v4-flash"
        else load.scenario(name)
    )
    bound = bind(loaded)
    with standing_in(bound.variants):
        return {f["id"]: f for f in figures(bound)}


def marks(plot: dict[str, Any]) -> dict[str, Fraction]:
    return {m["id"]: Fraction(m["at"]) for m in plot["marks"]}


@pytest.mark.parametrize("name", NAMES)
def test_curves_run_to_the_end_of_their_axis(name: str) -> None:
    for figure in drawn(name).values():
        for plot in [] if "bars" in figure else figure.get("panels") or [figure]:
            ends = [line["points"][-1][0] for line in plot["lines"]]
            assert max(map(Fraction, ends)) == Fraction(plot["x"]["max"]), figure["id"]
            assert all(len(line["points"]) <= MOST_POINTS for line in plot["lines"])
            for at in (m for m in plot["marks"] if m["axis"] == "x"):
                assert Fraction(at["at"]) <= Fraction(plot["x"]["max"]), at["id"]


def test_the_longest_axis_stays_within_a_ledger() -> None:
    knees = [Fraction(k) for k in (101, 1011, 5009, 20011, 99991, 130001)]
    assert len(sampled(1, 2**17, knees)) <= MOST_POINTS


def test_the_reachable_curve_bends_at_the_critical_batch_drawn_on_it() -> None:
    throughput, tpot = drawn("deepseek-v4-flash")["batch_sweep"]["panels"]
    knee = marks(throughput)["b_knee"]
    (line,) = throughput["lines"]
    points = [(Fraction(x), Fraction(y)) for x, y in line["points"]]
    after = {y for x, y in points if x >= knee}
    below = [y for x, y in points if x < knee - 1]
    assert max(after) - min(after) <= max(after) / 10**5  # flat: compute decides
    assert max(below) < min(after)
    assert {knee, knee - 1} <= {x for x, _ in points} or {int(knee), int(knee) + 1} <= {
        x for x, _ in points
    }
    assert marks(tpot)["b_crit"] > knee  # MFU below MBU: the peak's ridge comes later


def test_the_zone_ends_at_the_first_limit() -> None:
    ends = {
        name: Fraction(drawn(name)["batch_sweep"]["panels"][0]["bands"][0]["to"]) for name in NAMES
    }
    assert ends["gemma-2-9b-on-1x-l40s"] == 11  # as an engine reserves
    assert ends["llama-3-70b-on-4x-h100"] == 79  # the target of TPOT
    assert ends["deepseek-v3-on-8x-h200"] == 2291  # memory


def test_the_caption_says_slowly_only_where_it_is_so() -> None:
    for name in NAMES:
        figure = drawn(name)["batch_sweep"]
        end = Fraction(figure["panels"][0]["bands"][0]["to"])
        line = next(x for x in figure["panels"][1]["lines"] if x["id"] == "TPOT")
        inside = [Fraction(y) for x, y in line["points"] if Fraction(x) <= end]
        assert ("rises slowly" in figure["alt"]["en"]) == (inside[-1] <= inside[0] * 5 / 4), name


@pytest.mark.parametrize("name", NAMES)
def test_decode_points_beyond_memory_are_marked(name: str) -> None:
    figures_of = drawn(name)
    limit = next(Fraction(p["y"]) for p in figures_of["concurrency_over_context"]["points"])
    for point in figures_of["roofline"]["points"]:
        batch = point["id"].removeprefix("decode-")
        if batch.isdigit():
            assert ("beyond memory" in point["label"]["en"]) == (int(batch) > limit)


def test_the_longest_context_is_a_limit() -> None:
    figure = drawn("llama-3-70b-on-4x-h100")["bytes_over_context"]
    assert marks(figure)["T_max"] == 8192
    label = next(m["label"]["en"] for m in figure["marks"] if m["id"] == "T_cross")
    assert label == "KV would overtake weights 53,828, beyond the context"


def test_other_limits_of_memory_are_drawn() -> None:
    lines = {
        name: {x["id"] for x in drawn(name)["concurrency_over_context"]["lines"]} for name in NAMES
    }
    assert lines["llama-3-70b-on-4x-h100"] == {"b_max"}
    assert lines["gemma-2-9b-on-1x-l40s"] == {"b_max", "b_max_reserved"}
    assert lines["deepseek-v3-on-8x-h200"] == {"b_max", "b_max_tp"}
    assert lines["deepseek-v4-flash"] == {"b_max", "b_max_reserved", "b_max_tp"}
