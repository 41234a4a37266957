"""Ledgers of models with experts, windows and latents: clean, falsified and made to confuse."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from derive.asked import read_config
from derive.derivation import points
from derive.formula import VARIANTS, active, called_for, catalogue
from derive.ledger import sealed
from derive.notation import SYMBOLS
from derive.specs import load
from derive.study import results, study
from derive.text import tr
from derive.verify import inputs, judge, search
from tests.clock import within

from .harness import CONFIGS, Harness
from .mutations import Mutation, mutations
from .test_mutations import chosen, equivalent, only_in_specs

Record = dict[str, Any]
QWEN, GEMMA = "Qwen__Qwen3-30B-A3B", "google__gemma-2-9b"
DEEPSEEK = "deepseek-ai__DeepSeek-V3"
NEXT = "Qwen__Qwen3-Next-80B-A3B-Instruct"  # 512 experts: powers that would fill pages
FLASH = "deepseek-ai__DeepSeek-V4-Flash"  # compressed entries
MODELS = {
    QWEN: (),
    GEMMA: (),
    DEEPSEEK: (),
    NEXT: (),
    FLASH: (),
    "google__recurrentgemma-2b": (),
    "Qwen__Qwen2-VL-7B-Instruct": (),
    "openai__gpt-oss-20b": ("precision.compute=bf16",),
    "mistralai__Mixtral-8x7B-v0.1": (),
}
TARGET = "slo.TPOT=20 ms/token"  # a largest batch is asked for
SOON = 4  # seconds of processor time


@cache
def text(config: str, *sets: str) -> str:
    """A ledger as its file holds it."""
    units = {i: s.unit.text for i, s in SYMBOLS.items()}
    units |= {i: f.unit.text for i, f in catalogue().items()}
    loaded = load.ad_hoc(
        model=str(CONFIGS / f"{config}.json"),
        hardware="nvidia-h200-sxm-141gb",
        devices=8,
        batch=32,
        input=2048,
        output=256,
        sets=(*MODELS[config], *sets),
        symbols=units,
        config=read_config,
    )
    return json.dumps(study(loaded, load.sources()), ensure_ascii=False)


def made(config: str, *sets: str) -> Record:
    """A ledger of one's own."""
    found: Record = json.loads(text(config, *sets))
    return found


def faults(record: Record) -> list[str]:
    """What verification says once the hash is right again, and that it says it soon."""
    with within(SOON):
        found = [fault.en for fault in judge.verify(sealed(record), roots=())]
    assert active() == ()
    return found


def card(record: Record, name: str) -> Record:
    """One derivation."""
    found: Record = next(d for d in record["derivations"] if d["id"] == name)
    return found


@pytest.mark.parametrize("sets", [(), (TARGET,), ("b=3000", "T_in=8192")], ids=" ".join)
@pytest.mark.parametrize("config", MODELS)
def test_a_ledger_holds(config: str, sets: tuple[str, ...]) -> None:
    assert faults(made(config, *sets)) == []


@pytest.mark.parametrize(
    "sets",
    [
        ("T_in=131072",), ("b=5000", "slo.TPOT=100 ms/token"), ("b_crit=100 request", "b_slo=3"),
        ("kappa=200000 byte/token", "T_wall=100 token/request"), ("n=4 token/request", "b=7"),
        ("MFU=0.1, 0.5, 0.9", "MBU=0.1, 0.3, 0.99", TARGET), ("devices=1",),
    ],
    ids=" ".join,
)  # fmt: skip
def test_powers_and_searches_hold_with_settings_on_top(sets: tuple[str, ...]) -> None:
    assert faults(made(NEXT, *sets)) == []


@pytest.mark.parametrize("config", [QWEN, GEMMA, FLASH])
def test_every_number_unit_operator_and_symbol_is_caught(config: str) -> None:
    record = made(config, TARGET)
    harness = Harness(record)
    changes = chosen(config, [c for c in mutations(record) if not only_in_specs(c)])
    changes = [c for c in changes if not nought_in_another_unit(c)]
    escaped = [str(c) for c in changes if harness.caught(c) is None and not equivalent(c)]
    assert escaped == []


TWO_WINDOWS = """id: two-windows
name: {en: Two windows, zh: 两种窗口}
source: [gqa2023]
parameters: 9241705984 param
layers: 42
d_model: 3584
query_heads: 16
structure:
  cache_elements: 86016 element/token
  window_elements: 20480 element/token
  window: 512
  window_2_elements: 65536 element/token
  window_2: 4096
  state: 0 byte/request
  attention: 344064 FLOP*request/token^2
  prefill_attention: 344064 FLOP*request/token^2
  window_attention: 81920 FLOP*request/token^2
  window_2_attention: 262144 FLOP*request/token^2
tied_embeddings: true
native: bf16
"""


@pytest.mark.parametrize("length", [300, 2048, 6000])
def test_windows_of_two_lengths_hold(tmp_path: Path, length: int) -> None:
    (tmp_path / "two-windows.yaml").write_text(TWO_WINDOWS, encoding="utf-8")
    loaded = load.ad_hoc(
        model=str(tmp_path / "two-windows.yaml"), hardware="nvidia-l40s-48gb", devices=1, batch=4,
        input=length, output=100,
    )  # fmt: skip
    record = json.loads(json.dumps(study(loaded, load.sources())))
    assert faults(record) == []
    total = length + 100
    kept = 86_016 * total + 20_480 * min(total, 512) + 65_536 * min(total, 4096)
    assert record["results"]["KV_request"]["exact"] == f"{2 * kept}/1"
    assert ("engine_reserves" in {f["id"] for f in record["findings"]}) == (total > 512)


def nought_in_another_unit(change: Mutation) -> bool:
    """Whether an input says the same nought: 0 kB for 0 byte."""
    written = change.path[0] == "inputs" and change.path[-1] == "text" and change.kind == "unit"
    return written and str(change.before).startswith("0 ")


@pytest.mark.parametrize(
    ("config", "sets", "kind"), [(GEMMA, (), "T_cross"), (QWEN, (TARGET,), "g_tpot")]
)
def test_lines_of_a_search_are_all_held(config: str, sets: tuple[str, ...], kind: str) -> None:
    """Every small change of every card whose value was searched."""
    record = made(config, *sets)
    harness = Harness(record)
    searched = [i for i, d in enumerate(record["derivations"]) if "search" in d]
    assert kind in {record["derivations"][i]["id"] for i in searched}
    changes = [c for c in mutations(record) if c.path[0] == "derivations" and c.path[1] in searched]
    escaped = [str(c) for c in changes[::3] if harness.caught(c) is None and not equivalent(c)]
    assert escaped == []


@pytest.mark.parametrize(
    "named",
    [
        [], ["W_experts"], ["kappa_flat", "kappa_window"], ["kappa"], ["__class__"], ["\x1b[31m"],
        [*VARIANTS], ["W_experts"] * 20, None, 1, [None], [["W_experts"]], {"W_experts": 1},
        sorted(called_for({"E", "e_win"})), sorted(called_for({"e_full"})), ["x"] * 10_000,
    ],
    ids=str,
)  # fmt: skip
@pytest.mark.parametrize("config", [QWEN, GEMMA])
def test_other_variants_than_the_inputs_ask_for(config: str, named: Any) -> None:
    record = made(config)
    record["variants"] = named
    found = faults(record)
    assert found
    assert all(fault.isprintable() for fault in found)


def test_no_variants_at_all() -> None:
    record = made(QWEN)
    del record["variants"]
    assert faults(record) == ["variants is missing"]


def test_the_order_of_variants_is_that_of_their_names() -> None:
    record = made(QWEN)
    record["variants"] = record["variants"][::-1]
    assert faults(record)


def swapped(record: Record) -> None:
    search = card(record, "T_cross")["search"]
    search["left"], search["right"] = search["right"], search["left"]


def other_kind(record: Record) -> None:
    card(record, "T_cross")["search"]["largest"] = True


def both(record: Record) -> None:
    card(record, "T_cross")["tree"] = "W_read / (b · kappa)"


def neither(record: Record) -> None:
    del card(record, "T_cross")["search"]


def of_itself(record: Record) -> None:
    card(record, "T_cross")["search"]["left"] = "T_cross · b · kappa"


def solvable(record: Record) -> None:
    """A whole number where algebra gives the exact one, every line of it true."""
    row = card(record, "b_crit")
    row |= {"tree": "", "search": {"left": "F_tok · b · one_token / W_read", "right": "I_ridge",
                                   "largest": False}, "reading": None}  # fmt: skip
    row["steps"] = row["steps"][:5]
    record["results"]["b_crit"] |= {
        "exact": "207/1", "value": 207.0, "display": {"en": "207 request", "zh": "207 request"},
    }  # fmt: skip


def no_lines(record: Record) -> None:
    """The numbers of a search left out."""
    row = card(record, "T_cross")
    row["steps"] = [
        s for s in row["steps"] if s["checks"][0]["found"] not in ("neighbour", "equal")
    ]


def one_side(record: Record) -> None:
    """Only the value's own lines, not its neighbour's."""
    row = card(record, "T_cross")
    row["steps"] = [*row["steps"][:-4], row["steps"][-1]]


def one_line(record: Record) -> None:
    """A side of the neighbour left out."""
    del card(record, "T_cross")["steps"][-2]


def beside(record: Record) -> None:
    """The neighbour in place of the value, in every form of it."""
    row = record["results"]["T_cross"]
    number = int(row["exact"].removesuffix("/1"))
    for old, new in ((f"{number:,}", f"{number - 1:,}"), (str(number), str(number - 1))):
        changed = json.dumps(row, ensure_ascii=False).replace(old, new)
        row = json.loads(changed)
    record["results"]["T_cross"] = row


def nowhere(record: Record) -> None:
    """A value that exists, said not to."""
    why = tr(
        "{left} is below {right} for every {symbol} from 1 to {last}",
        left="b · T · kappa", right="W_read", symbol="T", last="1,073,741,824",
    )  # fmt: skip
    nothing = {"value": None, "exact": None, "display": {"en": "–", "zh": "–"}, "why": why.json()}
    record["results"]["T_cross"] |= nothing


SEARCHES: list[Callable[[Record], None]] = [
    swapped, other_kind, both, neither, of_itself, solvable, no_lines, one_side, one_line, beside,
    nowhere,
]  # fmt: skip


@pytest.mark.parametrize("forge", SEARCHES, ids=lambda f: f.__name__)
def test_a_search_that_is_none(forge: Callable[[Record], None]) -> None:
    record = made(GEMMA)
    forge(record)
    assert faults(record)


def tower(record: Record) -> None:
    card(record, "W_prefill")["tree"] = "pow(pow(k_exp, T_in), T_in) · w · N"


def powers_of_a_power(record: Record) -> None:
    card(record, "I_prefill")["tree"] = "((W_prefill^9)^9)^9 / ((W_prefill^9)^9)^8"


def long_exponent(record: Record) -> None:
    for row in record["inputs"]:
        if row["id"] in ("b", "T_in"):
            row["exact"] = "9" * 120 + "/1"


def broken_exponent(record: Record) -> None:
    next(r for r in record["inputs"] if r["id"] == "b")["exact"] = "65/2"


def negative_exponent(record: Record) -> None:
    next(r for r in record["inputs"] if r["id"] == "b")["exact"] = "-32/1"


def no_experts(record: Record) -> None:
    next(r for r in record["inputs"] if r["id"] == "E")["exact"] = "0/1"


def more_than_all(record: Record) -> None:
    next(r for r in record["inputs"] if r["id"] == "k_exp")["exact"] = "1000000/7"


POWERS: list[Callable[[Record], None]] = [
    tower, powers_of_a_power, long_exponent, broken_exponent, negative_exponent, no_experts,
    more_than_all,
]  # fmt: skip


@pytest.mark.parametrize("forge", POWERS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("config", [QWEN, DEEPSEEK])
def test_a_power_without_end(config: str, forge: Callable[[Record], None]) -> None:
    record = made(config)
    forge(record)
    assert faults(record)


@pytest.mark.parametrize("key", ["value", "low", "high", "peak"])
def test_a_number_whose_fraction_would_fill_pages(key: str) -> None:
    record = made(NEXT)
    row = record["results"]["TTFT"]
    assert row["exact"] is None
    row[key] *= 1 + 2e-16
    assert any(fault.startswith("TTFT") for fault in faults(record))


@pytest.mark.parametrize("exact", ["1/1", None])
def test_a_fraction_is_there_exactly_where_it_is_short(exact: str | None) -> None:
    record = made(NEXT)
    row = record["results"]["TTFT" if exact else "TPOT"]
    row["exact"] = exact
    assert faults(record)


def test_the_same_bounds_as_the_writer_has() -> None:
    assert search.FARTHEST == points.FARTHEST
    assert inputs.LONGEST_NOTED == results.LONGEST_EXACT
