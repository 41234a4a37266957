"""Language models inside other configs: any declared family, tied or not, tower or none."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from derive.architecture.json_file import read_text
from derive.architecture.opening import Opened
from derive.architecture.record import Architecture, build
from derive.errors import DeriveError

STRANGERS = json.loads((Path(__file__).parent / "strangers.json").read_text("utf-8"))
LLAVA: dict[str, Any] = STRANGERS["llava-1.5-7b-hf"]["config"]


def made(config: dict[str, Any]) -> Architecture:
    return build(Opened(read_text(json.dumps(config), "config.json")))


def changed(**fields: Any) -> dict[str, Any]:
    return {**copy.deepcopy(LLAVA), **fields}


def test_the_text_part_is_that_of_its_own_family() -> None:
    text = {"model_type": "qwen3", "vocab_size": 1000, "hidden_size": 64, "intermediate_size": 96,
            "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
            "head_dim": 16, "tie_word_embeddings": False}  # fmt: skip
    inside = made(changed(text_config=text))
    alone = made({**text, "torch_dtype": "float16"})
    assert inside.totals.text_only == alone.totals.total_unique
    assert inside.kept.at(4096) == alone.kept.at(4096)


def test_an_unknown_text_part_or_tower_is_refused_by_name() -> None:
    for name in ("text_config", "vision_config"):
        config = copy.deepcopy(LLAVA)
        config[name]["model_type"] = "something_else"
        with pytest.raises(DeriveError) as caught:
            made(config)
        assert "something_else" in caught.value.problems[0].what.en
        assert name in caught.value.problems[0].what.en


def test_tied_tables_are_said_once() -> None:
    inner = {**LLAVA["text_config"], "tie_word_embeddings": True}
    with pytest.raises(DeriveError) as caught:
        made(changed(text_config=inner))
    assert "tie_word_embeddings" in caught.value.problems[0].what.en
    tied = made(changed(text_config=inner, tie_word_embeddings=True))
    assert made(LLAVA).totals.total_unique - tied.totals.total_unique == 32064 * 4096
    silent = changed()
    del silent["tie_word_embeddings"]  # both classes take two tables, so nothing is guessed
    assert made(silent).totals == made(LLAVA).totals


def test_a_tower_that_is_not_described_is_told() -> None:
    config = changed()
    del config["vision_config"]
    found = made(config)
    assert found.totals.total_unique == found.totals.text_only
    assert any("vision tower" in t.en for t in found.model.absent)


def test_layers_of_the_tower_that_are_read_widen_the_projector() -> None:
    before = made(LLAVA).totals.total_unique
    after = made(changed(vision_feature_layer=[-2, -5])).totals.total_unique
    assert after - before == 1024 * 4096


def test_exclusions_match_under_the_path_of_the_text_part() -> None:
    quantized = changed(
        quantization_config={"quant_method": "fp8", "activation_scheme": "dynamic",
                             "ignored_layers": ["language_model.model.layers.0"]}
    )  # fmt: skip
    free = changed(quantization_config={"quant_method": "fp8", "activation_scheme": "dynamic"})
    layer = 4 * 4096 * 4096 + 3 * 4096 * 11008
    assert made(quantized).stored.total - made(free).stored.total == layer - 7 * 4
