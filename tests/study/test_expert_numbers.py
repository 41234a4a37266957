"""Layers with experts in two numbers: gpt-oss-puzzle-88B by the counts that are published of it.

18 layers of 128 experts and 18 of 64, 4 of them per token; 10 layers without a window, 18 with one
of 128 tokens and 8 with one of 8192. Which layer is which decides no sum.
"""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from derive.architecture.record import read
from derive.errors import DeriveError
from derive.verify import judge

from .configs import H200, exact, ledger, scenario

WIDTH, VOCAB, TOP = 2880, 201088, 4
EXPERT = 3 * WIDTH * WIDTH + 3 * WIDTH  # three matrices and their biases
ATTENTION = 2 * WIDTH * 64 * 64 + 64 * 64 + 2 * WIDTH * 8 * 64 + 2 * 8 * 64 + WIDTH + 64
MANY, FEW, LAYERS = 128, 64, 18
WINDOWS = (128, 8192, 128, None)
BLOCKS = [
    {"num_local_experts": MANY if i < LAYERS else FEW,
     "sliding_window": None if i == 1 else WINDOWS[i % 4]}
    for i in range(2 * LAYERS)
]  # fmt: skip
BYTES = Fraction(17, 32)  # of a weight in mxfp4: half a byte and a scale for 32


def puzzle(folder: Path, **keys: object) -> Path:
    """A config as the class of vLLM reads it."""
    data: dict[str, Any] = {
        "architectures": ["GptOssPuzzleForCausalLM"], "model_type": "gpt_oss_puzzle",
        "hidden_size": WIDTH, "intermediate_size": WIDTH, "vocab_size": VOCAB,
        "num_attention_heads": 64, "num_key_value_heads": 8, "head_dim": 64,
        "num_experts_per_tok": TOP, "num_hidden_layers": 2 * LAYERS, "torch_dtype": "bfloat16",
        "tie_word_embeddings": False, "max_position_embeddings": 131072, "block_configs": BLOCKS,
        "layer_types": ["sliding_attention" if b["sliding_window"] else "full_attention"
                        for b in BLOCKS],
        "quantization_config": {"quant_method": "mxfp4"},
    }  # fmt: skip
    path = folder / "puzzle.json"
    path.write_text(json.dumps({**data, **keys}), encoding="utf-8")
    return path


def outside() -> int:
    """Parameters outside the experts."""
    routers = LAYERS * (MANY + FEW) * (WIDTH + 1)
    return 2 * LAYERS * (ATTENTION + 2 * WIDTH) + routers + WIDTH + 2 * VOCAB * WIDTH


def test_parameters_and_bytes_are_the_published_ones(tmp_path: Path) -> None:
    found = read(puzzle(tmp_path))
    assert [BLOCKS[i]["sliding_window"] for i in range(36)].count(8192) == 8
    assert [BLOCKS[i]["sliding_window"] for i in range(36)].count(None) == 10
    assert found.totals.total_unique == outside() + LAYERS * (MANY + FEW) * EXPERT
    assert round(found.totals.total_unique / 1e9) == 88  # the card
    assert f"{found.stored.total / 2**30:.2f}" == "46.56"  # GiB, as vLLM logs the checkpoint


def hit(number: int, tokens: int) -> Fraction:
    """The share of the experts of a layer that so many tokens read."""
    return 1 - Fraction(number - TOP, number) ** tokens


@pytest.mark.parametrize("batch", [1, 8, 64, 1000])
def test_a_step_reads_each_kind_of_layer_by_its_own_share(batch: int, tmp_path: Path) -> None:
    found = scenario(puzzle(tmp_path), hardware=H200, devices=1, batch=batch, input=2000)
    read_experts = LAYERS * (MANY * hit(MANY, batch) + FEW * hit(FEW, batch))
    each = 3 * WIDTH * WIDTH * BYTES + 2 * 3 * WIDTH  # the biases are left as they are
    assert exact(found, "E_hit") == MANY * hit(MANY, batch)
    assert exact(found, "E_hit2") == FEW * hit(FEW, batch)
    assert exact(found, "W_read") == 2 * outside() + read_experts * each
    if batch == 1:
        assert read_experts == 2 * LAYERS * TOP
    prefilled = LAYERS * (MANY * hit(MANY, 2000) + FEW * hit(FEW, 2000))
    assert exact(found, "W_prefill") == 2 * outside() + prefilled * each


@pytest.mark.parametrize("context", [100, 5000, 100_000])
def test_the_cache_has_two_windows(context: int, tmp_path: Path) -> None:
    found = scenario(puzzle(tmp_path), hardware=H200, devices=1, input=context - 50, output=50)
    kept = 10 * context + 18 * min(context, 128) + 8 * min(context, 8192)
    assert exact(found, "KV_request") == 2 * 2 * 8 * 64 * kept


def test_the_ledger_holds_and_draws_both(tmp_path: Path) -> None:
    record = ledger(scenario(puzzle(tmp_path), hardware=H200, devices=1))
    (figure,) = [f for f in record["figures"] if f["id"] == "experts_over_batch"]
    assert [line["id"] for line in figure["lines"]] == ["E_hit", "E_hit2"]
    assert len(figure["table"]["columns"]) == 3
    assert judge.verify(record, roots=()) == []


def test_a_list_of_kinds_that_differs_from_the_blocks_is_refused(tmp_path: Path) -> None:
    kinds = ["full_attention"] * 36
    with pytest.raises(DeriveError) as caught:
        read(puzzle(tmp_path, layer_types=kinds))
    assert "layer_types" in caught.value.problems[0].what.en


@pytest.mark.parametrize(
    ("block", "field"),
    [
        ({"num_local_experts": 3, "sliding_window": None}, "experts per token"),
        ({"num_local_experts": 64}, "block_configs[0].sliding_window"),
        ({"num_local_experts": 64, "sliding_window": 0}, "block_configs[0].sliding_window"),
        ({"num_local_experts": 64, "sliding_window": None, "no_op": True}, "no_op"),
        ([], "block_configs"),
    ],
)
def test_a_block_that_is_not_understood_is_refused(
    block: object, field: str, tmp_path: Path
) -> None:
    with pytest.raises(DeriveError) as caught:
        read(puzzle(tmp_path, block_configs=[block, *BLOCKS[1:]], layer_types=None))
    assert field in caught.value.problems[0].what.en


def test_three_numbers_of_experts_are_refused_in_a_scenario(tmp_path: Path) -> None:
    third = [{**BLOCKS[0], "num_local_experts": 32}, *BLOCKS[1:]]
    with pytest.raises(DeriveError) as caught:
        scenario(puzzle(tmp_path, block_configs=third), hardware=H200, devices=1)
    assert "more than two numbers of experts" in caught.value.problems[0].what.en
