"""Layers for further tokens, counted by hand from the modelling code of the engines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from derive.architecture.json_file import read_text
from derive.architecture.opening import Opened
from derive.architecture.record import Architecture, build, read
from derive.errors import DeriveError

HERE = Path(__file__).parent
D, Q, KV, HEAD, V = 64, 4, 2, 16, 256  # width, heads, head size, vocabulary of the small models
PROJECTION = 2 * D * D
ATTENTION = 2 * D * Q * HEAD + 2 * D * KV * HEAD
SMALL: dict[str, Any] = {
    "vocab_size": V, "hidden_size": D, "intermediate_size": 96, "num_hidden_layers": 4,
    "num_attention_heads": Q, "num_key_value_heads": KV, "head_dim": HEAD,
    "max_position_embeddings": 1024, "tie_word_embeddings": False,
}  # fmt: skip


def made(**fields: Any) -> Architecture:
    return build(Opened(read_text(json.dumps({**SMALL, **fields}), "config.json")))


def extra(found: Architecture) -> dict[str, Any]:
    line = found.mtp()
    assert line is not None
    return line


def test_deepseek_v4_has_two_projections_and_a_head_of_streams() -> None:
    """vLLM's deepseek_v4_mtp: e_proj, h_proj, enorm, hnorm, a norm, hc_head, one window layer."""
    found = read(HERE / "configs" / "deepseek-ai__DeepSeek-V4-Flash.json")
    d, heads, head, rank, groups, out, streams = 4096, 64, 512, 1024, 8, 1024, 4
    attention = heads + d * rank + rank + rank * heads * head + d * head + head
    attention += heads * head // groups * groups * out + groups * out * d
    hyper = 2 * ((2 + streams) * streams * (streams * d + 1) + 3)
    experts = 256 * d + 257 * 3 * d * 2048
    joined = 3 * d + 2 * d * d + streams * (streams * d + 1) + 1
    line = extra(found)
    assert line["parameters"] == attention + hyper + 2 * d + experts + joined == 6_610_048_635
    assert (line["layers"], line["correction_bias"]) == (1, 256)
    assert found.totals.total_unique == 284_332_230_231  # the line is not in the total


NEMOTRON: dict[str, Any] = {
    "model_type": "nemotron_h", "num_hidden_layers": 2, "hybrid_override_pattern": "M*",
    "mamba_num_heads": 4, "mamba_head_dim": 16, "ssm_state_size": 8, "n_groups": 2,
    "n_routed_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 32,
    "moe_shared_expert_intermediate_size": 48, "num_nextn_predict_layers": 1,
}  # fmt: skip


def test_nemotron_h_runs_a_pattern() -> None:
    """vLLM's nemotron_h_mtp: enorm, hnorm, eh_proj before, final_layernorm behind the pattern."""
    experts = 8 * D + 8 * 2 * D * 32 + 2 * D * 48
    parts = (D + ATTENTION) + (D + experts) + 3 * D + PROJECTION
    found = made(**NEMOTRON, mtp_hybrid_override_pattern="*E")
    assert extra(found)["parameters"] == parts
    twice = made(**{**NEMOTRON, "num_nextn_predict_layers": 2}, mtp_hybrid_override_pattern="*E")
    assert (extra(twice)["parameters"], extra(twice)["layers"]) == (2 * parts, 2)
    listed = made(**NEMOTRON, mtp_layers_block_type=["attention", "moe"])
    assert extra(listed) == extra(found)
    assert listed.totals.total_unique == made(**{**NEMOTRON, "num_nextn_predict_layers": 0},
                                              ).totals.total_unique  # fmt: skip


def test_nemotron_h_without_a_pattern_is_told() -> None:
    found = made(**NEMOTRON)
    assert found.mtp() is None
    assert any("not counted" in t.en for t in found.model.absent)
    with pytest.raises(DeriveError):
        made(**NEMOTRON, mtp_hybrid_override_pattern="*X")


def test_ernie_has_a_dense_block() -> None:
    """vLLM's ernie_mtp: two norms, a projection, a Llama layer."""
    found = made(model_type="ernie4_5_moe", moe_num_experts=8, moe_k=2, moe_intermediate_size=32,
                 moe_num_shared_experts=1, num_nextn_predict_layers=1)  # fmt: skip
    assert extra(found)["parameters"] == 2 * D + ATTENTION + 3 * D * 96 + 2 * D + PROJECTION


EXAONE: dict[str, Any] = {
    "model_type": "exaone_moe", "num_experts": 8, "num_experts_per_tok": 2,
    "moe_intermediate_size": 32, "sliding_window": 16, "sliding_window_pattern": "LLLG",
}  # fmt: skip


def test_exaone_shares_one_projection() -> None:
    """vLLM's exaone_moe_mtp: dense layers, one projection, three norms."""
    block = 2 * D + ATTENTION + 2 * HEAD + 3 * D * 96
    one = extra(made(**EXAONE, num_nextn_predict_layers=1))
    two = extra(made(**EXAONE, num_nextn_predict_layers=2))
    assert one["parameters"] == block + 3 * D + PROJECTION
    assert two["parameters"] == 2 * block + 3 * D + PROJECTION


def test_mimo_holds_three_dense_layers_with_a_window() -> None:
    """vLLM's mimo_v2_mtp; 0.33 billion each by the card of MiMo-V2-Flash."""
    flash = {
        "model_type": "mimo_v2_flash", "vocab_size": 152576, "hidden_size": 4096,
        "intermediate_size": 16384, "moe_intermediate_size": 2048, "num_hidden_layers": 48,
        "num_attention_heads": 64, "num_key_value_heads": 4, "head_dim": 192, "v_head_dim": 128,
        "swa_num_attention_heads": 64, "swa_num_key_value_heads": 8, "swa_head_dim": 192,
        "swa_v_head_dim": 128, "n_routed_experts": 256, "num_experts_per_tok": 8,
    }  # fmt: skip
    found = made(**flash)
    line = extra(found)
    assert line["layers"] == 3
    assert round(line["parameters"] / 3 / 1e9, 2) == 0.33
    assert any("3 layers for further tokens" in t.en for t in found.model.absent)
    assert extra(made(**flash, num_nextn_predict_layers=1))["parameters"] * 3 == line["parameters"]


def test_a_name_of_newer_releases_of_the_library() -> None:
    """num_mtp_layers is num_nextn_predict_layers; both at odds are refused."""
    data = json.loads((HERE / "configs" / "deepseek-ai__DeepSeek-V3.json").read_text("utf-8"))
    count = data.pop("num_nextn_predict_layers")
    renamed = build(Opened(read_text(json.dumps({**data, "num_mtp_layers": count}), "c.json")))
    assert extra(renamed)["parameters"] == 11_610_068_224 - 256
    both = {**data, "num_mtp_layers": 1, "num_nextn_predict_layers": 2}
    with pytest.raises(DeriveError) as caught:
        build(Opened(read_text(json.dumps(both), "c.json")))
    assert "num_mtp_layers" in caught.value.problems[0].what.en
