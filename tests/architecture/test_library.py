"""Small configs of every family against the library: its counts are data here, it is no dependency.

Each total of library.json is the number of parameters of the class that transformers 5.24.0 builds
from that config on the meta device, shared tensors once. Most fields are drawn at random, some are
left out, so that the defaults of the class apply.
"""

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

LIBRARY: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent / "library.json").read_text("utf-8")
)


def made(config: dict[str, Any]) -> Architecture:
    return build(Opened(read_text(json.dumps(config), "config.json")))


def small(kind: str, **fields: object) -> dict[str, Any]:
    """The first small config of a type, with some fields set."""
    found = next(e["config"] for e in LIBRARY if e["config"]["model_type"] == kind)
    return {**copy.deepcopy(found), **fields}


@pytest.mark.parametrize(
    "entry", LIBRARY, ids=[f"{e['config']['model_type']}-{e['total']}" for e in LIBRARY]
)
def test_total_of_the_class(entry: dict[str, Any]) -> None:
    assert made(entry["config"]).totals.total_unique == entry["total"]


KEPT = [e for e in LIBRARY if "cache" in e]
TOKENS = 12


@pytest.mark.parametrize("entry", KEPT, ids=[e["config"]["model_type"] for e in KEPT])
def test_cache_of_the_class(entry: dict[str, Any]) -> None:
    """Elements in the cache of the library behind twelve tokens; a window there is one less."""
    held = 0
    for group in made(entry["config"]).kept.groups:
        tokens = TOKENS if group.window is None else min(TOKENS, group.window - 1)
        held += group.layers * tokens * group.bytes_per_token // 2
        held += group.layers * TOKENS * group.number(group.cache.index)
        held += group.layers * (group.number(group.cache.conv_library) + group.state)
    assert held == entry["cache"]


def test_every_type_of_the_library_has_an_entry() -> None:
    kinds = {e["config"]["model_type"] for e in LIBRARY}
    assert len(kinds) > 120
    assert {
        "lfm3",
        "hy_v4",
        "axk2",
        "kolibri1",
        "mistral_large4",
        "glm5_next",
        "hy_v4_vl",
        "glm_ocr",
        "muse_spark",
        "granitemoe_swa",
    } <= kinds


@pytest.mark.parametrize(
    ("kind", "field", "value"),
    [
        # the masks of SmolLM3 follow the list, though use_sliding_window is false
        ("smollm3", "layer_types", ["sliding_attention"]),
        # these classes build two tables whatever the file says
        ("bailing_hybrid", "tie_word_embeddings", True),
        # Zamba2 shares its blocks by the same switch as its tables
        ("zamba2", "tie_word_embeddings", False),
        ("zamba2", "attention_hidden_size", 8),
        ("zamba2", "mamba_headdim", 1),
        # MuseSparkForConditionalGeneration ties nothing
        ("muse_spark", "tie_word_embeddings", True),
        # these have no switch that turns a window off, and their cache has it
        ("qwen3_vl_moe", "sliding_window", 4),
        # without a shared expert HYV3MLP is as wide as a dense layer
        ("hy_v3", "num_shared_experts", 0),
        # the first layer has no choice of an earlier one
        ("hy_v4", "indexer_types", ["shared"]),
        # a layer may read the latent of an earlier layer that makes one, of no other
        ("mistral_large4", "kv_source_layers", [1, 1]),
    ],
)
def test_refused_by_name(kind: str, field: str, value: object) -> None:
    config = small(kind)
    inner = config.get("text_config", config)
    if isinstance(value, list):
        inner["num_hidden_layers"] = len(value)
        for name in ("mlp_layer_types", "indexer_types", "layer_types", "no_rope_layers"):
            inner.pop(name, None)
        inner.pop("no_rope_layer_interval", None)
    inner[field] = value
    with pytest.raises(DeriveError) as caught:
        made(config)
    problem = caught.value.problems[0]
    assert field in f"{problem.what.en} {problem.place}"


def without(config: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in config.items() if name not in names}


def test_outer_and_inner_say_whether_the_tables_are_one() -> None:
    """The outer class decides: by its field, by its default, or by what the inner one hands on."""
    config = {**small("gemma3"), "tie_word_embeddings": True}
    config["text_config"]["tie_word_embeddings"] = False
    with pytest.raises(DeriveError):
        made(config)
    with pytest.raises(DeriveError):  # Gemma3Config takes one table
        made(without(config, "tie_word_embeddings"))
    saved = {**small("qwen3_vl_moe"), "tie_word_embeddings": False}
    saved["text_config"]["tie_word_embeddings"] = True  # the default of the text class, saved
    assert not made({**saved, "transformers_version": "5.24.0"}).totals.tied
    with pytest.raises(DeriveError):  # version 4 asked the inner one
        made({**saved, "transformers_version": "4.57.0"})
    handed = without(small("llava"), "tie_word_embeddings")
    handed["text_config"]["tie_word_embeddings"] = True
    assert made(handed).totals.tied
    kept = without(small("llava_next"), "tie_word_embeddings")
    kept["text_config"]["tie_word_embeddings"] = True
    with pytest.raises(DeriveError):  # LlavaNextConfig takes two and hands nothing on
        made(kept)


def test_window_of_mimo_counts_the_token_that_asks() -> None:
    """MiMoV2FlashConfig sets sliding_window to sliding_window_size + 1, and takes 129."""
    silent = without(small("mimo_v2_flash"), "sliding_window", "sliding_window_size")
    windows = [{g.window for g in made({**silent, **said}).kept.groups if g.window} for said in
               ({}, {"sliding_window_size": 128}, {"sliding_window": 129})]  # fmt: skip
    assert windows == [{129}] * 3


def test_dots1_takes_32_key_value_heads() -> None:
    """Dots1Config, where none are named; null is one per query head."""
    wide = {**small("dots1"), "num_attention_heads": 64, "head_dim": 8}
    silent = made(without(wide, "num_key_value_heads"))
    assert {g.number("H_kv") for g in silent.kept.groups} == {32}
    null = made({**wide, "num_key_value_heads": None})
    assert {g.number("H_kv") for g in null.kept.groups} == {64}


def test_the_tower_of_step_is_as_wide_as_its_ratio_says() -> None:
    """Step3p7VisionConfig sets intermediate_size from mlp_ratio, and the release says width."""
    config = small("step3p7")
    tower = config["vision_config"]
    narrow, wide = (made({**config, "vision_config": {**tower, "intermediate_size": size}})
                    for size in (48, 4800))  # fmt: skip
    assert narrow.totals == wide.totals
    released = without(tower, "hidden_size", "num_hidden_layers", "num_attention_heads")
    released |= {"width": tower["hidden_size"], "layers": tower["num_hidden_layers"],
                 "heads": tower["num_attention_heads"]}  # fmt: skip
    assert made({**config, "vision_config": released}).totals == narrow.totals


def test_the_scan_of_nemotron_reads_use_bias_alone() -> None:
    """NemotronHMamba2Mixer takes its biases from use_bias, whatever mamba_proj_bias says."""
    config = {**small("nemotron_h"), "layers_block_type": ["mamba"], "mamba_proj_bias": True}
    config.pop("num_hidden_layers", None)
    with pytest.raises(DeriveError) as caught:
        made({**config, "use_bias": False})
    assert "mamba_proj_bias" in caught.value.problems[0].what.en
    assert made({**config, "use_bias": True}).totals.total_unique


def test_letters_are_all_explained() -> None:
    from derive.architecture.letters import letters

    for entry in LIBRARY:
        rows = made(entry["config"]).derivations()
        assert {name for row in rows for name, _ in row.values} <= set(letters())


@pytest.mark.parametrize(
    ("kind", "field"),
    [("mllama", "attention_heads"), ("llama4", "num_attention_heads"),
     ("step3p7", "num_attention_heads"), ("hy_v4_vl", "num_attention_heads"),
     ("muse_spark", "num_attention_heads"), ("glm_ocr", "num_heads")],
)  # fmt: skip
def test_heads_of_a_tower_must_divide_its_width(kind: str, field: str) -> None:
    """The classes round the size of a head down, and their matrices shrink with it."""
    config = small(kind)
    config["vision_config"][field] = 5
    with pytest.raises(DeriveError) as caught:
        made(config)
    assert field in caught.value.problems[0].what.en
