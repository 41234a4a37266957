"""Models beside the handed ones: totals as published, or as their cards round them."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from derive.architecture.family import families
from derive.architecture.json_file import read_text
from derive.architecture.opening import Opened
from derive.architecture.record import Architecture, build
from derive.errors import DeriveError

STRANGERS: dict[str, Any] = json.loads(
    (Path(__file__).parent / "strangers.json").read_text("utf-8")
)
CARDS = {  # billions of parameters, in all and at work on a token, as the cards round them
    "GLM-4.6": (355, 32), "MiniMax-M1": (456, 45.9), "Jamba-1.5-Large": (398, 94),
    "Hunyuan-Large": (389, 52), "mpt-30b": (30, 30), "OPT-66b": (66, 66), "Zamba2-7B": (7.4, 7.4),
    "gpt-oss-120b": (117, 5.1), "Qwen3-235B-A22B": (235, 22), "DeepSeek-V2": (236, 21),
    "Mixtral-8x22B": (141, 39), "OLMoE-1B-7B-0924": (6.9, 1.3), "Phi-3.5-MoE": (42, 6.6),
    "Llama-4-Maverick (text)": (400, 17),
}  # fmt: skip


def made(config: dict[str, Any]) -> Architecture:
    return build(Opened(read_text(json.dumps(config), "config.json")))


@pytest.mark.parametrize("name", STRANGERS)
def test_totals(name: str) -> None:
    expected, found = STRANGERS[name], made(STRANGERS[name]["config"])
    assert found.totals.total_unique == expected["total"]
    assert found.totals.active_per_token == expected["active"]
    assert found.kept.at(32768) == expected["kv_bytes_at_32768"]


@pytest.mark.parametrize("name", CARDS)
def test_cards(name: str) -> None:
    total, active = CARDS[name]
    found = made(STRANGERS[name]["config"]).totals
    shown = (found.active_per_token, found.active_without_table, found.active_without_tables)
    assert math.isclose(found.total_unique / 1e9, total, rel_tol=0.02)
    assert any(math.isclose(a / 1e9, active, rel_tol=0.055) for a in shown)


def test_letters_of_strangers() -> None:
    from derive.architecture.letters import letters

    for stranger in STRANGERS.values():
        rows = made(stranger["config"]).derivations()
        assert {name for row in rows for name, _ in row.values} <= set(letters())


def test_every_family_has_a_source_and_no_two_share_a_type() -> None:
    for name, family in families().items():
        assert name in family.types
        assert family.source
        assert "\n" not in family.source


def test_a_size_that_is_missing_is_refused_not_assumed() -> None:
    config = STRANGERS["Llama-3.2-3B"]["config"]
    for field in ("hidden_size", "num_hidden_layers", "num_attention_heads", "vocab_size",
                  "intermediate_size"):  # fmt: skip
        with pytest.raises(DeriveError) as caught:
            made({k: v for k, v in config.items() if k != field})
        assert field in caught.value.problems[0].what.en


def test_nested_configs_take_the_defaults_of_the_class_and_say_so() -> None:
    """Gemma-3-4b's file states neither vocabulary nor heads."""
    found = made(STRANGERS["gemma-3-4b-it"]["config"])
    said = " ".join(t.en for t in found.assumptions())
    assert "text_config.vocab_size" in said
    assert "262208" in said
    assert "text_config.num_attention_heads" in said


def test_a_missing_tower_is_told() -> None:
    config = dict(STRANGERS["gemma-3-4b-it"]["config"])
    del config["vision_config"]
    found = made(config)
    assert found.totals.total_unique == found.totals.text_only
    assert any("vision tower" in t.en for t in found.model.absent)


def test_windows_and_engines() -> None:
    """Live bytes stop at the window; pools that reserve every layer do not."""
    kept = made(STRANGERS["gpt-oss-120b"]["config"]).kept
    full, sliding = 18 * 2048, 18 * 2048
    assert kept.at(4096) == full * 4096 + sliding * 128
    assert kept.reserved(4097) == full * 4112 + sliding * 128
    assert kept.reserved(4097, every_layer=True) == (full + sliding) * 4112


def test_attention_intensity() -> None:
    """H_q / H_kv at two bytes for grouped queries, 242 FLOP per byte for absorbed latents."""
    grouped = made(STRANGERS["Llama-3.1-405B"]["config"]).kept.groups[0].intensity()
    assert grouped == 16
    latent = made(STRANGERS["DeepSeek-V2"]["config"]).kept.groups[0].intensity()
    assert latent is not None
    assert round(float(latent)) == 242
