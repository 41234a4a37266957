"""A model whose layers attend to images, in a scenario of text: the text path is a plain Llama."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

from derive.verify import judge

from .configs import H200, config, exact, ledger, scenario

# the plain Llama inside as published, its layers, d_model and d_ff; layers that attend to images
MODELS = {
    "11B": (8_030_261_248, 32, 4096, 14336, 8),
    "90B": (70_553_706_496, 80, 8192, 28672, 20),
}
PUBLISHED = 10_670_220_835  # of 11B
ROWS = 8  # of the table, for the image token


def across(width: int, network: int) -> int:
    """Parameters of one such layer: a network, four projections, norms and two gates."""
    return 2 * width * width + 2 * width * 1024 + 3 * width * network + 2 * width + 2 * 128 + 2


def whole(size: str) -> int:
    """Text, layers for images, projector, and the tower, which both sizes share."""
    llama, _, width, network, count = MODELS[size]
    return llama + ROWS * width + count * across(width, network) + 7680 * width + width


TOWER = PUBLISHED - whole("11B")


def path(size: str, folder: Path, **keys: object) -> Path:
    """The config of 11B, or as 90B differs from it."""
    data = json.loads(config("Llama-3.2-11B-Vision-Instruct").read_text(encoding="utf-8"))
    if size == "90B":
        data["text_config"] |= {
            "hidden_size": 8192, "intermediate_size": 28672, "num_attention_heads": 64,
            "num_hidden_layers": 100, "cross_attention_layers": list(range(3, 100, 5)),
        }  # fmt: skip
    made = folder / f"{size}.json"
    made.write_text(json.dumps({**data, **keys}), encoding="utf-8")
    return made


@pytest.mark.parametrize("size", MODELS)
def test_a_request_of_text_skips_the_layers_that_attend_to_images(
    size: str, tmp_path: Path
) -> None:
    llama, layers, width, _, _ = MODELS[size]
    total = whole(size) + TOWER
    found = scenario(path(size, tmp_path), hardware=H200, devices=4, batch=4, input=4000)
    inside = llama + ROWS * width
    assert exact(found, "N") == total
    assert exact(found, "N_act") == inside
    assert exact(found, "N_side") == total - inside
    assert exact(found, "W") == 2 * total
    assert exact(found, "W_read") == 2 * inside
    assert exact(found, "W_stream") == 2 * (inside - (128256 + ROWS) * width)
    assert exact(found, "L") == layers
    assert exact(found, "kappa") == 2 * 2 * layers * 8 * 128
    assert exact(found, "F_tok") == 2 * inside


def test_the_sizes_are_those_of_the_cards() -> None:
    assert round(PUBLISHED / 1e8) == 107  # 10.7B
    assert round((whole("90B") + TOWER) / 1e8) == 886  # 88.6B
    assert TOWER > 0


def test_the_report_says_so_in_both_languages(tmp_path: Path) -> None:
    record = ledger(scenario(path("11B", tmp_path), hardware=H200, devices=1))
    said = json.dumps(record, ensure_ascii=False)
    assert "they skip the cross-attention layers" in said
    assert "会跳过处理图像的交叉注意力层" in said
    (row,) = [r for r in record["inputs"] if r["id"] == "N_side"]
    assert "cross-attention layers" in row["how"]["en"]
    assert judge.verify(record, roots=()) == []


def test_their_bytes_are_those_of_the_recipe(tmp_path: Path) -> None:
    """Layers for images are layers of the stack: a recipe treats them as the others."""
    recipe = {"quant_method": "fbgemm_fp8", "modules_to_not_convert": []}
    found = scenario(path("11B", tmp_path, quantization_config=recipe), hardware=H200, devices=1)
    width, kv, network = 4096, 8 * 128, 14336
    rows = {"attention": 2 * width * width + 2 * width * kv, "mlp": 3 * width * network}
    scales = 2 * width + 2 * kv + 2 * network + width  # one for each output row, 4 bytes
    norms = 2 * 2 * width
    head = 2 * width * 128256
    own = 32 * (sum(rows.values()) + 4 * scales + norms) + 2 * width + head
    assert exact(found, "W_stream") == own
    assert exact(found, "W") > own + 8 * sum(rows.values())
    assert exact(found, "W_read") - own == Fraction(2 * (128256 + ROWS) * width)
