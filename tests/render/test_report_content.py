"""What a reader sees of values, units, bases and conditions."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import pytest

from derive.asked import asked
from derive.options import PARTS
from derive.render import cards, markdown, tables
from derive.render.numbers import Shown, counted
from derive.specs import load
from derive.study import study

from .report_ledgers import SCENARIOS, ledger

FLASH = "deepseek-v4-flash"
LONG_POWERS = ("I_prefill", "t_prefill", "W_prefill", "share_comm_prefill")


@cache
def flash() -> dict[str, Any]:
    """A model whose experts' share is a power too long to note exactly; made without a file."""
    made: dict[str, Any] = study(
        load.ad_hoc(
            model=FLASH,
            hardware="nvidia-h200-sxm-141gb",
            devices=8,
            batch=8,
            input=2048,
            output=256,
        ),
        load.sources(),
    )
    return made


@cache
def text(name: str, lang: str = "en") -> str:
    made = flash() if name == FLASH else ledger(name)
    return markdown.document(made, lang, name, "")


def test_a_value_whose_fraction_is_too_long_is_shown() -> None:
    found = flash()
    by_id = {c.record["id"]: c for _, group in cards.cards(found) for c in group}
    for name in LONG_POWERS:
        assert found["results"][name]["exact"] is None
        shown = by_id[name].shown
        assert shown is not None
        assert shown.text.replace("−", "-") == found["results"][name]["display"]["en"]
    peak = by_id["TTFT"].peak
    assert peak == Shown("≈ ", "4.053", "ms")
    assert re.search(r"\| `E2E` .*\| 230\.2 \| ms", text(FLASH))


@pytest.mark.parametrize("name", [*SCENARIOS, FLASH])
def test_a_dash_always_says_why(name: str) -> None:
    found = flash() if name == FLASH else ledger(name)
    for _, group in cards.cards(found):
        for card in group:
            assert (card.shown is None) == bool(card.why), card.record["id"]


@pytest.mark.parametrize("name", [*SCENARIOS, FLASH])
def test_a_condition_that_holds_is_not_followed_by_its_failure(name: str) -> None:
    lines = [line for line in text(name).splitlines() if re.match("[✓×] `", line)]
    assert lines
    for line in lines:
        assert line.endswith(" holds") or " does not hold" in line, line


def test_counts_are_named_in_words() -> None:
    launch = SCENARIOS[0]
    assert "**220 requests**" in text(launch)
    assert "**12 devices**" in text(launch)
    assert "**220 个请求**" in text(launch, "zh")
    assert "**12 个设备**" in text(launch, "zh")
    assert "b = 8 requests" in text(launch)
    seen = re.sub(r"`[^`]*`|\[[^\]]*\]", "", text(launch))
    assert not re.search(r"(?:\d\d|[02-9]) (?:request|device|token)(?![/s\w])", seen)


def test_one_is_singular() -> None:
    assert counted(Shown("", "1", "device")).en == "device"  # type: ignore[union-attr]
    assert counted(Shown("", "2", "device")).en == "devices"  # type: ignore[union-attr]
    assert counted(Shown("", "2", "ms")) is None


def test_precision_says_which_format_is_of_what() -> None:
    one = {"weights": "bf16", "kv_cache": "bf16", "compute": "bf16", "sparsity": "dense"}
    assert tables.precision(one).zh == "bf16，稠密"
    other = {**one, "weights": "fp4", "compute": "fp8", "sparsity": "with_sparsity"}
    assert tables.precision(other).en == "weights fp4 · KV bf16 · matmul fp8 · with sparsity"
    assert tables.precision(other).zh == "权重 fp4 · KV bf16 · 矩阵乘 fp8 · 带稀疏"


def test_memory_is_named_by_its_basis() -> None:
    (row,) = [i for i in ledger("article-7b-on-1x-a100")["inputs"] if i["id"] == "M_dev"]
    assert "driver" not in row["meaning"]["en"]
    assert "marketed" in [b["en"] for b in row["basis"]]


def test_what_the_command_line_gave_is_said() -> None:
    rows = {r["id"]: r for _, _, group in tables.input_groups(flash()) for r in group}
    for name, option in (("g", "devices"), ("b", "batch"), ("T_in", "input"), ("T_out", "output")):
        assert rows[name]["key"].en == f"command line --{option}"
        assert rows[name]["key"].zh == f"命令行 --{option}"
    assert rows["N"]["key"].en == "parameters"


def test_an_audited_report_says_how_to_ask_for_it_again() -> None:
    options = {**dict.fromkeys(PARTS), "sets": (), "specs_dirs": ()}
    assert asked("x", options, audited=True) == ["x", "--audit"]
    assert asked("x", options) == ["x"]


def test_one_device_has_no_cards_of_collectives() -> None:
    found = ledger("llama-3.1-8b-on-1x-l4")
    shown = {c.record["id"] for _, group in cards.cards(found) for c in group}
    assert not {"t_comm", "share_comm", "share_comm_prefill", "t_latency"} & shown
    assert "t_comm" in {c.record["id"] for _, group in cards.cards(ledger()) for c in group}


def test_a_lever_without_an_elasticity_says_why() -> None:
    assert "b stands in an exponent" in text(FLASH)
    assert "T moves in whole steps" in text(FLASH)
    assert "stands in an exponent" not in text(SCENARIOS[0])


def test_a_search_shows_what_stays_once_and_why_neighbours_decide() -> None:
    card = next(d for d in flash()["derivations"] if d["id"] == "b_crit_T")
    steps = [s for s in card["steps"] if s["rule"] in ("fix", "search", "compute")]
    assert [s["rule"] for s in steps] == ["fix", "search", "search", "fix", "search", "compute"]
    assert "never falls" in steps[-1]["reason"]["en"]
    wall = next(d for d in flash()["derivations"] if d["id"] == "T_wall")
    assert "never rises" in wall["steps"][-1]["reason"]["en"]


def test_the_notes_of_a_model_are_true_of_the_document() -> None:
    assert "in fp8 throughout" not in str(flash()["notes"])
    held = {i["id"]: i["exact"] for i in flash()["inputs"]}
    assert held["w"] == "155627056558/284332230231"  # as published: every tensor in its own format


def test_large_terms_left_out_stand_on_the_cover() -> None:
    tiles = {t["id"]: [n["en"] for n in t["notes"]] for t in flash()["verdict"]["tiles"]}
    assert "not counted: all-reduce, ≈ 138 % of prefill at peak" in tiles["TTFT"]
    assert "not counted: all-reduce latency, ≈ 58.2 % at 10 µs each" in tiles["TPOT"]
    assert {"7,926 as an engine reserves", "5,408 under tensor parallelism"} <= set(tiles["b_max"])
