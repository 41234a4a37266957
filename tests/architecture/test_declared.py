"""What a config declares beside its shapes: recipes, the format of experts, widths of caches."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from derive.architecture.json_file import read_text
from derive.architecture.listing import lines
from derive.architecture.opening import Opened
from derive.architecture.record import Architecture, build
from derive.errors import DeriveError, render

CONFIGS = Path(__file__).parent / "configs"
V4 = "deepseek-ai__DeepSeek-V4-Flash"
LLAMA = "meta-llama__Llama-3.2-1B"
FP8 = {"quant_method": "fp8", "weight_block_size": [128, 128]}
GPTQ = {"quant_method": "gptq", "bits": 4, "group_size": 128}
SIDECAR = {"producer": {"name": "modelopt"}, "quantization": {"quant_algo": "NVFP4"}}


def data(name: str, **changed: Any) -> dict[str, Any]:
    return {**json.loads((CONFIGS / f"{name}.json").read_text("utf-8")), **changed}


def made(config: dict[str, Any], beside: dict[str, Any] | None = None) -> Architecture:
    other = read_text(json.dumps(beside), "hf_quant_config.json") if beside else None
    return build(Opened(read_text(json.dumps(config), "config.json"), other))


def refused(config: dict[str, Any], beside: dict[str, Any] | None = None, lang: str = "en") -> str:
    with pytest.raises(DeriveError) as caught:
        made(config, beside)
    return render(caught.value, lang)


def said(found: Architecture) -> str:
    return " ".join(note.en for note in found.assumptions())


# --- experts of DeepSeek-V4


def test_the_format_of_the_experts_stands_beside_the_recipe() -> None:
    """Half a byte a weight and a scale for 32, or a byte and a scale for 128 x 128."""
    four, eight = made(data(V4)), made(data(V4, expert_dtype="fp8"))
    experts = 277_025_390_592
    assert four.stored.by_kind["routed_expert"] == experts // 2 + experts // 32
    assert eight.stored.by_kind["routed_expert"] == experts + experts // (128 * 128)
    assert "stored as mxfp4" in said(four)
    assert "mxfp4" not in said(eight)


@pytest.mark.parametrize("value", ["bf16", "x", None, 4, True])
def test_an_unknown_format_of_experts_is_refused(value: object) -> None:
    assert "expert_dtype" in refused(data(V4, expert_dtype=value))


def test_a_missing_format_of_experts_is_told() -> None:
    config = data(V4)
    del config["expert_dtype"]
    found = made(config)
    assert found.stored.total == made(data(V4)).stored.total
    assert "expert_dtype is not in the file: fp4" in said(found)


def test_a_format_of_experts_needs_a_recipe() -> None:
    config = data(V4)
    del config["quantization_config"]
    assert "expert_dtype" in refused(config)
    config["expert_dtype"] = None
    assert made(config).stored.total > 2 * 277_025_390_592


# --- recipes


@pytest.mark.parametrize("value", [[], "", False, 0, {}, [FP8], "fp8"])
def test_a_recipe_of_a_wrong_type_is_no_missing_recipe(value: object) -> None:
    assert "quantization_config" in refused(data(LLAMA, quantization_config=value))


def test_recipes_that_contradict_each_other_are_refused_by_field() -> None:
    message = refused(data(LLAMA, quantization_config=FP8), SIDECAR)
    assert "quantization_config (fp8) and hf_quant_config.json (modelopt)" in message
    inside = data("google__gemma-3-1b-it")
    outer = {"model_type": "gemma3", "text_config": {**inside, "quantization_config": GPTQ},
             "quantization_config": FP8}  # fmt: skip
    outer["text_config"].pop("architectures")
    message = refused(outer)
    assert "text_config.quantization_config (gptq)" in message


def test_the_same_recipe_twice_is_one() -> None:
    recipe = {"quant_method": "modelopt", "quant_algo": "NVFP4", "ignore": ["lm_head"]}
    beside = copy.deepcopy(SIDECAR)
    beside["quantization"]["exclude_modules"] = ["lm_head"]  # type: ignore[index]
    both = made(data(LLAMA, quantization_config=recipe), beside)
    assert both.stored.total == made(data(LLAMA), beside).stored.total
    assert "declare the same recipe" in said(both)


def test_two_formats_of_the_cache_are_refused() -> None:
    scheme = {"num_bits": 8, "type": "int"}
    recipe = {"quant_method": "modelopt", "quant_algo": "FP8", "kv_cache_scheme": scheme}
    beside = {"quantization": {"quant_algo": "FP8", "kv_cache_quant_algo": "FP8"}}
    assert "KV cache" in refused(data(LLAMA, quantization_config=recipe), beside)


@pytest.mark.parametrize("weights", [{"num_bits": 4, "type": "float"}, {"type": "int"}])
def test_groups_that_contradict_the_algorithm_are_refused(weights: dict[str, Any]) -> None:
    recipe = {"quant_algo": "FP8", "config_groups": {"group_0": {"weights": weights}}}
    assert "config_groups" in refused(data(LLAMA, quantization_config=recipe))


def test_exclusions_that_match_nothing_are_told() -> None:
    skip = ["lm_head", "model.layers.99.mlp", "typo_module", "model.layers.3", "model.layers.*.mlp"]
    found = made(data(LLAMA, quantization_config={**FP8, "modules_to_not_convert": skip}))
    assert "2 exclusions" in said(found)
    assert "model.layers.99.mlp, typo_module" in said(found)
    fine = made(data(LLAMA, quantization_config={**FP8, "modules_to_not_convert": skip[3:]}))
    assert "exclusions of the recipe" not in said(fine)


def test_no_released_recipe_has_an_exclusion_without_a_module() -> None:
    for path in CONFIGS.glob("*.json"):
        if "sidecar" not in path.name:
            assert "name no module" not in said(made(data(path.stem))), path.name


def test_more_patterns_than_can_be_tried_are_refused() -> None:
    skip = [f"layers.{i}.*x" for i in range(1001)]
    message = refused(data(LLAMA, quantization_config={**FP8, "modules_to_not_convert": skip}))
    assert "1,001 patterns" in message


def test_zero_points_that_are_not_counted_are_refused() -> None:
    weights = {"num_bits": 8, "type": "int", "strategy": "channel", "symmetric": False}
    groups = {"group_0": {"weights": weights, "targets": ["Linear"]}}
    recipe = {"quant_method": "compressed-tensors", "config_groups": groups,
              "format": "int-quantized"}  # fmt: skip
    assert "symmetric" in refused(data(LLAMA, quantization_config=recipe))
    weights["symmetric"] = True
    assert made(data(LLAMA, quantization_config=recipe)).stored.total > 0


@pytest.mark.parametrize(
    ("recipe", "english", "chinese"),
    [
        ({**FP8, "weight_block_size": [128]}, "must have 2 entries, it has 1", "现有 1 项"),
        ({**FP8, "weight_block_size": [128, 128.0]}, "weight_block_size holds 128.0", "128.0"),
        (
            {"quant_method": "bitsandbytes", "load_in_4bit": True, "load_in_8bit": True},
            "load_in_4bit and quantization_config.load_in_8bit are both true", "同时为 true",
        ),
        ({"quant_method": "bitsandbytes"}, "neither", "均不为 true"),
        ({**GPTQ, "group_size": 0}, "group_size is 0; it must be -1 or at least 1", "应为 -1"),
        ({"quant_method": None}, "quant_method is null", "为 null"),
    ],
)  # fmt: skip
def test_messages_say_what_is_wrong(recipe: dict[str, Any], english: str, chinese: str) -> None:
    config = data(LLAMA, quantization_config=recipe)
    assert english in refused(config)
    assert chinese in refused(config, lang="zh")


# --- widths of the cache and of the state


@pytest.mark.parametrize(("dtype", "width"), [("float32", 4), ("bfloat16", 2)])
def test_the_declared_width_of_the_state_is_named(dtype: str, width: int) -> None:
    """Qwen 3.5 27B: 48 delta-net layers of 48 heads of 128 x 128, and the past of a convolution."""
    config = data("Qwen__Qwen3.5-27B")
    config["text_config"]["mamba_ssm_dtype"] = dtype
    found = made(config)
    declared = found.json()["kv"]["declared_state_dtype"]  # type: ignore[index]
    assert declared["dtype"] == dtype
    assert declared["field"] == "text_config.mamba_ssm_dtype"
    conv = 48 * (2 * 16 * 128 + 48 * 128) * 3
    assert declared["state_bytes_per_sequence"] == 48 * 48 * 128 * 128 * width + 2 * conv
    for lang in ("en", "zh"):
        assert any(f"text_config.mamba_ssm_dtype {dtype}" in line for line in lines(found, lang))


def test_an_unknown_width_of_the_state_is_refused() -> None:
    config = data("Qwen__Qwen3.5-27B")
    config["text_config"]["mamba_ssm_dtype"] = "int3"
    assert "mamba_ssm_dtype" in refused(config)
    config["text_config"]["mamba_ssm_dtype"] = "auto"
    assert "declared_state_dtype" not in made(config).json()["kv"]  # type: ignore[operator]


def test_the_declared_format_of_the_cache_is_named() -> None:
    found = made(data("Qwen__Qwen3-32B-FP8-Static-PerTensor"))
    assert "the recipe declares fp8" in said(found)
    text = "\n".join(lines(found, "en"))
    assert "the same in the declared format, fp8" in text
    assert "131,072 byte/token" in text  # half of 64 layers x 2 x 8 heads x 128 x 2 byte
    assert "fp8" in "\n".join(line for line in lines(found, "zh") if "声明" in line)


# --- the size in the name


def test_a_gross_mismatch_stands_out() -> None:
    source = read_text(json.dumps(data(LLAMA)), "config.json")
    wrong, right = (build(Opened(source, names=(name,))) for name in ("Big-8B", "Small-1B"))
    assert [line for line in lines(wrong, "en") if line.startswith("! MISMATCH: the name Big-8B")]
    assert [line for line in lines(wrong, "zh") if line.startswith("! 不符：名称 Big-8B")]
    assert not [line for line in lines(right, "en") if line.startswith("!")]


# --- languages


def test_formats_read_chinese() -> None:
    text = "\n".join(lines(made(data("Qwen__Qwen3-8B-FP8")), "zh"))
    assert "blocks" not in text
    assert "128 x 128 分块" in text


def test_the_words_of_no_programming_language_stand_in_a_message() -> None:
    for lang in ("en", "zh"):
        message = refused(data(LLAMA, torch_dtype=[None, True]), lang=lang)
        assert "None" not in message
        assert "True" not in message
        with pytest.raises(DeriveError) as caught:
            read_text('{"a": }', "config.json")
        assert "Expecting" not in render(caught.value, lang)
    config = data(LLAMA)
    del config["head_dim"]
    assert "head_dim is not in the file: null" in said(made(config))
