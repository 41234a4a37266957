"""The cache of a request as a spec knows it: inside windows, beyond them, the state, the keys."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from derive.architecture.listing import config_listing
from derive.architecture.record import read
from derive.specs import load
from derive.specs.growth import growth
from derive.specs.listing import model_listing

CONFIGS = Path(__file__).parent.parent / "architecture" / "configs"
OF = {path.stem.split("__")[-1].lower(): path for path in CONFIGS.glob("*.json")}
PAIRS = [
    (name, OF[alias])
    for name in load.names("model")
    for alias in [a.lower() for a in load.model(name).aliases[:1]]
    if alias in OF
]
CONTEXTS = (100, 4096, 100_000)


def record(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(model_listing(name, (), True, "en", CONTEXTS))
    return found


@pytest.mark.parametrize(("name", "path"), PAIRS, ids=[name for name, _ in PAIRS])
def test_a_spec_gives_what_its_config_gives(name: str, path: Path) -> None:
    """Every key that both have is the same number, at every context."""
    mine, theirs = record(name), json.loads(json.dumps(read(path, CONTEXTS).json()))
    same = 0
    for key in ("params", "kv"):
        for inner in mine[key].keys() & theirs[key].keys() - DIFFERENT:
            assert mine[key][inner] == theirs[key][inner], f"{key}.{inner}"
            same += 1
    for key in ("weight_bytes_bf16", "weight_bytes_stored"):
        if key in mine:
            assert mine[key] == theirs[key], key
    assert same >= 8
    for key in mine["absent"]:
        outer, _, inner = key.partition(".")
        assert inner not in mine.get(outer, {}) if inner else outer not in mine


# formulas of T: one term a kind of layer, or one for all; the width of the state
DIFFERENT = {"expression", "state_bytes_per_sequence"}


def test_there_are_pairs_with_windows_states_and_entries() -> None:
    kinds = [growth(load.model(name)) for name, _ in PAIRS]
    assert any(k.windows for k in kinds)
    assert any(k.state for k in kinds)
    assert any(k.entries for k in kinds)


def test_gemma_3_by_hand() -> None:
    """22 layers of 512 tokens, 4 of all; one head of 256: 1,024 byte a token and layer."""
    kv = record("gemma-3-1b")["kv"]
    assert kv["bytes_per_token_while_inside_all_windows"] == 26 * 1024
    assert kv["bytes_per_token_unbounded_layers"] == 4 * 1024
    assert kv["bytes_at_context"] == {
        "100": 26 * 1024 * 100,
        "4096": 4 * 1024 * 4096 + 22 * 1024 * 512,
        "100000": 4 * 1024 * 100_000 + 22 * 1024 * 512,
    }
    assert kv["contexts_beyond_max_position"] == [100_000]
    assert kv["reserved_bytes_at_context"]["whole_blocks"]["100"] == 26 * 1024 * 112
    assert kv["reserved_bytes_at_context"]["every_layer_in_full"]["4096"] == 26 * 1024 * 4096


@pytest.mark.parametrize(
    ("name", "lang", "texts"),
    [
        (
            "gemma-3-1b",
            "en",
            ("inside the windows   beyond them", "26,624 byte/token", "4,096 byte/token",
             "4096 · T + 22528 · min(T, 512) byte", "100,000 tokens, live, beyond the longest"),
        ),
        ("gemma-3-1b", "zh", ("窗口未满", "窗口已满", "超出最长上下文")),
        ("qwen3-next-80b-a3b", "en", ("constant state of a request", "24576 · T + ")),
        ("qwen3-8b", "en", ("KV cache per token\n", "KV cache at 4,096 tokens, live",
                            "the same, reserved in blocks of 16 tokens")),
    ],
)  # fmt: skip
def test_the_terminal_shows_both_stages_and_the_state(
    name: str, lang: str, texts: tuple[str, ...]
) -> None:
    text = model_listing(name, (), False, lang, CONTEXTS)
    for part in texts:
        assert part in text


def test_a_spec_and_a_config_print_the_same_rows() -> None:
    """Qwen3-8B as a spec and as its config: one cache, one set of lines."""
    path = CONFIGS / "Qwen__Qwen3-8B.json"
    contexts = (1000, 2048, 100_000)
    spec = model_listing("qwen3-8b", (), False, "en", contexts).splitlines()
    config = config_listing(path, contexts, False, "en").splitlines()

    def cache(lines: list[str]) -> list[str]:
        return [" ".join(x.split()) for x in lines if x.startswith(("KV cache", "the same, res"))]

    shared = [line for line in cache(config) if " at " in line or "reserved" in line]
    assert len(shared) == 2 * len(contexts)
    assert [line for line in cache(spec) if " at " in line or "reserved" in line] == shared
    assert sum("beyond the longest context" in line for line in shared) == 1
