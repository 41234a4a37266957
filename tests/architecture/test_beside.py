"""What lies beside a config: weight index, quantization, a name with a size, params.json."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from derive.architecture import read
from derive.errors import DeriveError

CONFIGS = Path(__file__).parent / "configs"


def folder(tmp_path: Path, name: str, title: str = "model", **beside: Any) -> Path:
    """A folder with a config and files beside it."""
    place = tmp_path / title
    place.mkdir()
    (place / "config.json").write_text((CONFIGS / f"{name}.json").read_text("utf-8"), "utf-8")
    for file, content in beside.items():
        path = place / file.replace("__", ".")
        path.write_text(json.dumps(content), "utf-8")
    return place


def index(size: object) -> dict[str, Any]:
    return {"model__safetensors__index__json": {"metadata": {"total_size": size}, "weight_map": {}}}


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("meta-llama__Meta-Llama-3.1-8B", 16_060_522_496),
        ("mistralai__Mixtral-8x7B-v0.1", 93_405_585_408),
        ("Qwen__Qwen3-30B-A3B", 61_064_245_248),
        ("deepseek-ai__DeepSeek-V2-Lite", 31_412_968_448),
        ("openai__gpt-oss-20b", 13_761_264_768),
    ],
)
def test_published_indexes_agree_exactly(tmp_path: Path, name: str, size: int) -> None:
    check = read(folder(tmp_path, name, **index(size))).checks[0]
    assert check.agrees
    assert check.found == check.derived
    assert "exactly" in check.text.en


def test_a_stored_copy_of_the_tied_table_is_recognised(tmp_path: Path) -> None:
    check = read(folder(tmp_path, "Qwen__Qwen3-0.6B", **index(2 * 751_632_384))).checks[0]
    assert check.agrees
    assert "tied table" in check.text.en


def test_the_extra_layer_is_recognised(tmp_path: Path) -> None:
    check = read(folder(tmp_path, "deepseek-ai__DeepSeek-V3", **index(688_574_839_360))).checks[0]
    assert check.agrees
    assert "further tokens" in check.text.en


def test_an_unexplained_difference_is_reported(tmp_path: Path) -> None:
    check = read(folder(tmp_path, "meta-llama__Meta-Llama-3.1-8B", **index(15 * 10**9))).checks[0]
    assert not check.agrees
    assert "not explained" in check.text.en


def test_an_index_without_a_size_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DeriveError):
        read(folder(tmp_path, "meta-llama__Meta-Llama-3.1-8B", **index("large")))


def test_the_recipe_beside_the_config(tmp_path: Path) -> None:
    """nvidia's Llama-3.1-70B-FP8: the config itself looks like bf16."""
    sidecar = json.loads((CONFIGS / "sidecar.hf_quant_config.json").read_text("utf-8"))
    found = read(folder(tmp_path, "meta-llama__Meta-Llama-3.1-70B", hf_quant_config__json=sidecar))
    plain = read(CONFIGS / "meta-llama__Meta-Llama-3.1-70B.json")
    matrices = 80 * 7
    tables = 2 * 128256 * 8192
    quantized = found.totals.matmul_sum - tables // 2
    expected = 2 * (plain.totals.total_unique - quantized) + quantized + 8 * matrices
    assert found.stored.total == expected
    assert found.kept.declared.startswith("fp8")
    assert plain.stored.total == 2 * plain.totals.total_unique


@pytest.mark.parametrize(
    ("title", "agrees"),
    [
        ("Meta-Llama-3.1-8B", True),
        ("Llama-8b-instruct", True),
        ("some-70B", False),
        ("nameless", None),
    ],
)
def test_a_size_in_the_name(tmp_path: Path, title: str, agrees: bool | None) -> None:
    checks = read(folder(tmp_path, "meta-llama__Meta-Llama-3.1-8B", title)).checks
    assert [c.agrees for c in checks] == ([] if agrees is None else [agrees])


def test_sizes_in_the_handed_names_agree() -> None:
    for path in CONFIGS.glob("*__*.json"):
        for check in read(path).checks:
            assert check.agrees, check.text.en


def test_params_json_of_meta(tmp_path: Path) -> None:
    params = {
        "dim": 4096, "n_layers": 32, "n_heads": 32, "n_kv_heads": 8, "vocab_size": 128256,
        "ffn_dim_multiplier": 1.3, "multiple_of": 1024, "norm_eps": 1e-05, "rope_theta": 500000.0,
        "use_scaled_rope": True,
    }  # fmt: skip
    (tmp_path / "params.json").write_text(json.dumps(params), "utf-8")
    assert read(tmp_path).totals.total_unique == 8_030_261_248


def test_params_json_of_mistral(tmp_path: Path) -> None:
    params = {
        "dim": 4096, "n_layers": 32, "head_dim": 128, "hidden_dim": 14336, "n_heads": 32,
        "n_kv_heads": 8, "norm_eps": 1e-05, "vocab_size": 32000,
        "moe": {"num_experts_per_tok": 2, "num_experts": 8},
    }  # fmt: skip
    path = tmp_path / "params.json"
    path.write_text(json.dumps(params), "utf-8")
    assert read(path).totals.total_unique == 46_702_792_704
    path.write_text(json.dumps({**params, "vocab_size": -1}), "utf-8")
    with pytest.raises(DeriveError):
        read(path)
