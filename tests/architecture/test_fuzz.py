"""Configs with fields dropped, renamed and spoilt: refused by name, or read with the reason."""

from __future__ import annotations

import copy
import json
from functools import cache
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from derive.architecture.fields import SPELLINGS
from derive.architecture.json_file import read_text
from derive.architecture.opening import Opened
from derive.architecture.record import Architecture, build
from derive.errors import DeriveError

CONFIGS = sorted((Path(__file__).parent / "configs").glob("*.json"))
CONFIGS = [c for c in CONFIGS if "sidecar" not in c.name]
SIZES = {c.name: c.read_text("utf-8") for c in CONFIGS}
STRANGERS = json.loads((Path(__file__).parent / "strangers.json").read_text("utf-8"))
SIZES |= {name: json.dumps(stranger["config"]) for name, stranger in STRANGERS.items()}
JUNK: list[Any] = [
    None, True, False, 0, 1, 2, 3, -1, 7, 64, 10**6, 10**12, 10**40, 0.5, -2.5, 1e300, "", "auto",
    "x", [], [1], [0, 1, 0], [[1]], {}, {"a": 1}, ["full_attention"], float("inf"), float("nan"),
]  # fmt: skip


@cache
def data(name: str) -> dict[str, Any]:
    return json.loads(SIZES[name])


def attempt(changed: dict[str, Any]) -> Architecture | None:
    """The architecture, or None where the config is refused; anything else is a failure."""
    try:
        made = build(Opened(read_text(json.dumps(changed), "config.json")))
        numbers(made)  # bytes are counted when they are asked for
    except DeriveError as fault:
        refused = fault.problems
    else:
        return made
    assert all(p.code.startswith("M1") and p.what.en and p.what.zh for p in refused)
    return None


def numbers(a: Architecture) -> tuple[Any, ...]:
    """Everything that is counted."""
    kv = a.kept.json(a.contexts)
    kv.pop("max_position")
    kv.pop("contexts_beyond_max_position")
    return (
        a.totals.total_unique, a.totals.by_kind, a.totals.active, a.totals.matmul,
        json.dumps(kv), a.stored.total, a.mtp(),
    )  # fmt: skip


def holders(tree: dict[str, Any], at: str = "") -> list[tuple[dict[str, Any], str, str]]:
    """Every field of the config and of the objects that describe shapes: holder, key, path."""
    found = []
    for key, value in tree.items():
        found.append((tree, key, at + key))
        if isinstance(value, dict) and key.endswith("_config") and key != "init_config":
            found += holders(value, f"{at}{key}.")
    return found


@st.composite
def changes(draw: st.DrawFn) -> tuple[str, dict[str, Any], str, str]:
    """A config with one field dropped, renamed or spoilt."""
    name = draw(st.sampled_from(sorted(SIZES)))
    changed = copy.deepcopy(data(name))
    holder, key, path = draw(st.sampled_from(holders(changed)))
    what = draw(st.sampled_from(("drop", "rename", "spoil")))
    if what == "spoil":
        holder[key] = draw(st.sampled_from(JUNK))
    else:
        value = holder.pop(key)
        if what == "rename":
            holder[f"{key}_"] = value
    return name, changed, path, what


@settings(max_examples=1500)
@given(changes())
def test_a_changed_field_is_refused_or_named(case: tuple[str, dict[str, Any], str, str]) -> None:
    name, changed, path, what = case
    key = path.rpartition(".")[2]
    found = attempt(changed)
    if found is None:
        return
    assert what != "rename", f"{key}_ was passed over in {name}"
    before = attempt(data(name))
    assert before is not None
    same = numbers(found) == numbers(before)
    if path in before.log.passed:
        assert same, f"{key} is said to carry no weight in {name}, but changes the count"
    elif what == "drop" and not same:
        said = " ".join(t.en for t in found.assumptions()) + " ".join(
            t.en for t in found.model.absent
        )
        told = (key, EXPLAINED.get(key, key), *(n for n, s in SPELLINGS.items() if key in s))
        assert any(t in said for t in told), f"{key} dropped from {name}"


# fields whose absence is told in other words
EXPLAINED = {
    "vision_config": "vision tower",
    "audio_config": "audio tower",
    "quantization_config": "no quantization",
    "torch_dtype": "dtype",
    "dtype": "dtype",
    "weight_block_size": "fp8, one scale",
    "kv_cache_scheme": "2-byte elements",
    "attn_type_list": "layer_types",
    "mamba_headdim": "n_mamba_heads",
    "attention_other_setting": "num_sliding_attention_heads",
    "sparse_attention_config": "layer_types",
    "sparse_attention_freq": "layer_types",
}


@settings(max_examples=300)
@given(
    st.sampled_from(sorted(SIZES)),
    st.lists(st.tuples(st.integers(0, 10**6), st.sampled_from(JUNK)), min_size=2, max_size=6),
)
def test_several_spoilt_fields(name: str, spoilt: list[tuple[int, Any]]) -> None:
    changed = copy.deepcopy(data(name))
    for number, junk in spoilt:
        fields = holders(changed)
        holder, key, _ = fields[number % len(fields)]
        holder[key] = junk
    found = attempt(changed)
    if found is not None:
        json.dumps(found.json())
