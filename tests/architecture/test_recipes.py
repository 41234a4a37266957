"""Bytes of a small model under each recipe, counted by hand from how the programs store it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from derive.architecture.json_file import read_text
from derive.architecture.opening import Opened
from derive.architecture.record import Architecture, build
from derive.errors import DeriveError

STRANGERS = json.loads((Path(__file__).parent / "strangers.json").read_text("utf-8"))
D, F, V, L = 256, 512, 1000, 2
SMALL: dict[str, Any] = {
    "model_type": "llama", "torch_dtype": "bfloat16", "vocab_size": V, "hidden_size": D,
    "intermediate_size": F, "num_hidden_layers": L, "num_attention_heads": 8,
    "num_key_value_heads": 8, "tie_word_embeddings": False, "max_position_embeddings": 1024,
}  # fmt: skip
MATRICES = [(D, D)] * 4 + [(F, D)] * 2 + [(D, F)]  # out, in; of one layer
LINEAR = L * sum(rows * columns for rows, columns in MATRICES)
ROWS = L * sum(rows for rows, _ in MATRICES)
PLAIN = 2 * (2 * V * D + (2 * L + 1) * D)  # tables and norms


def made(recipe: dict[str, Any], config: dict[str, Any] = SMALL) -> Architecture:
    data = {**config, "quantization_config": recipe}
    return build(Opened(read_text(json.dumps(data), "config.json")))


def groups(size: int) -> int:
    return L * sum(rows * (columns // size) for rows, columns in MATRICES)


NVFP4 = {"num_bits": 4, "type": "float", "strategy": "tensor_group", "group_size": 16,
         "symmetric": True, "dynamic": False}  # fmt: skip


@pytest.mark.parametrize(
    ("inputs", "scales"), [(None, 4), ({**NVFP4, "dynamic": "local"}, 8)], ids=["a16", "a4"]
)
def test_a_scale_of_the_inputs_is_stored_where_they_are_quantized(
    inputs: dict[str, Any] | None, scales: int
) -> None:
    group = {"targets": ["Linear"], "weights": NVFP4, "input_activations": inputs}
    recipe = {"quant_method": "compressed-tensors", "format": "nvfp4-pack-quantized",
              "config_groups": {"group_0": group}, "ignore": ["lm_head"]}  # fmt: skip
    expected = LINEAR // 2 + groups(16) + scales * 7 * L
    assert made(recipe).stored.total == PLAIN + expected


AUTOROUND = {"quant_method": "auto-round", "bits": 4, "group_size": 128, "sym": True,
             "packing_format": "auto_round:auto_gptq", "iters": 200, "nsamples": 128}  # fmt: skip
FP8 = {"dtype": "fp8_e4m3", "qscheme": "per_tensor", "is_dynamic": False, "symmetric": True}
QUARK: dict[str, Any] = {
    "quant_method": "quark", "exclude": ["lm_head"], "layer_quant_config": {},
    "global_quant_config": {"weight": FP8, "input_tensors": FP8, "output_tensors": None},
    "export": {"kv_cache_group": [], "weight_format": "real_quantized", "pack_method": "reorder"},
}  # fmt: skip
MX = {"dtype": "fp4", "qscheme": "per_group", "group_size": 32, "scale_format": "e8m0",
      "ch_axis": -1, "is_dynamic": False}  # fmt: skip


@pytest.mark.parametrize(
    ("recipe", "linear"),
    [
        ({"quant_method": "eetq", "weights": "int8"}, LINEAR + 2 * ROWS),
        ({"quant_method": "bitnet", "linear_class": "autobitlinear"}, LINEAR // 4 + 2 * 7 * L),
        (
            {"quant_method": "aqlm", "in_group_size": 8, "num_codebooks": 1,
             "nbits_per_codebook": 16},
            2 * LINEAR // 8 + 7 * L * 2**16 * 8 * 2 + 2 * ROWS,
        ),
        (
            {"quant_method": "aqlm", "in_group_size": 8, "num_codebooks": 2,
             "nbits_per_codebook": 8},
            2 * LINEAR // 8 + 7 * L * 2 * 2**8 * 8 * 2 + 2 * ROWS,
        ),
        (AUTOROUND, LINEAR // 2 + 2 * groups(128) + groups(128) // 2),
        ({"quant_method": "mxfp8"}, LINEAR + groups(32)),
        ({"quant_method": "modelopt", "quant_algo": "MXFP8", "ignore": ["lm_head"]},
         LINEAR + groups(32)),
        (QUARK, LINEAR + 8 * 7 * L),
        ({**QUARK, "global_quant_config": {"weight": MX, "input_tensors": None}},
         LINEAR // 2 + groups(32)),
        (
            {**QUARK, "global_quant_config": {
                "weight": {"dtype": "int8", "qscheme": "per_channel", "ch_axis": 0}}},
            LINEAR + 4 * ROWS,
        ),
    ],
)  # fmt: skip
def test_bytes(recipe: dict[str, Any], linear: int) -> None:
    assert made(recipe).stored.total == linear + PLAIN


def test_bitnet_is_the_size_of_its_file() -> None:
    """microsoft/bitnet-b1.58-2B-4T: one file of 1.18 GB."""
    config = STRANGERS["bitnet-b1.58-2B-4T"]["config"]
    recipe = {"quant_method": "bitnet", "linear_class": "autobitlinear",
              "quantization_mode": "offline"}  # fmt: skip
    assert round(made(recipe, config).stored.total / 1e9, 2) == 1.18


def test_autoround_keeps_what_has_sixteen_bits_and_repacks_what_has_eight() -> None:
    kept = made({**AUTOROUND, "extra_config": {"model.layers.0.mlp.down_proj": {"bits": 16}}})
    four = D * F // 2 + 2 * D * (F // 128) + D * (F // 128) // 2
    assert kept.stored.total - made(AUTOROUND).stored.total == 2 * D * F - four
    eight = made({**AUTOROUND, "extra_config": {"model.layers.0.mlp.down_proj": {"bits": 8}}})
    wide = D * F + 2 * D * (F // 128) + D * (F // 128)
    assert eight.stored.total - made(AUTOROUND).stored.total == wide - four


def test_quark_layers_that_differ_in_what_they_put_out_alone() -> None:
    """The keys and values of FP8-KV releases; the cache is then said to be fp8."""
    entry = {"weight": FP8, "input_tensors": FP8, "output_tensors": FP8}
    recipe = {**QUARK, "layer_quant_config": {"*k_proj": entry, "*v_proj": entry},
              "export": {"kv_cache_group": ["*k_proj", "*v_proj"]}}  # fmt: skip
    found = made(recipe)
    assert found.stored.total == made(QUARK).stored.total
    assert "fp8" in found.kept.declared
    other = {**entry, "weight": {**FP8, "qscheme": "per_channel", "ch_axis": 0},
             "input_tensors": None}  # fmt: skip
    with pytest.raises(DeriveError) as caught:
        made({**QUARK, "layer_quant_config": {"*k_proj": other}})
    assert "layer_quant_config" in caught.value.problems[0].what.en


def test_programs_that_work_on_the_decoder_leave_towers() -> None:
    """GPTQ, AutoRound and AQLM quantize decoder layers; a tower keeps its 2 bytes a weight."""
    config = STRANGERS["llava-1.5-7b-hf"]["config"]
    plain = build(Opened(read_text(json.dumps(config), "config.json"))).stored
    gptq = {"quant_method": "gptq", "bits": 4, "group_size": 128, "desc_act": False, "sym": True}
    for recipe in (gptq, AUTOROUND):
        assert made(recipe, config).stored.by_kind["vision"] == plain.by_kind["vision"]
    eight = {"quant_method": "bitsandbytes", "load_in_8bit": True}
    assert made(eight, config).stored.by_kind["vision"] < plain.by_kind["vision"]


@pytest.mark.parametrize(
    ("recipe", "named"),
    [
        ({"quant_method": "hqq"}, "quant_method"),
        ({"quant_method": "vptq"}, "quant_method"),
        ({**AUTOROUND, "packing_format": "auto_round:llm_compressor"}, "packing_format"),
        ({**AUTOROUND, "bits": 3}, "bits"),
        ({**AUTOROUND, "extra_config": {".*gate.*": {"bits": 16}}}, "extra_config"),
        ({**AUTOROUND, "extra_config": {"model.x": 4}}, "extra_config"),
        ({"quant_method": "bitnet", "quantization_mode": "online"}, "quantization_mode"),
        ({"quant_method": "aqlm", "in_group_size": 0}, "in_group_size"),
        ({"quant_method": "eetq", "weights": "int4"}, "weights"),
        ({"quant_method": "mxfp8", "weight_block_size": [128, 128]}, "weight_block_size"),
        ({**QUARK, "global_quant_config": {"weight": [FP8, FP8]}}, "weight"),
        ({**QUARK, "global_quant_config": {"weight": {**MX, "group_size": 64}}}, "group_size"),
        ({**QUARK, "global_quant_config": {"weight": {"dtype": "uint4"}}}, "dtype"),
        ({**QUARK, "surprise": 1}, "surprise"),
    ],
)
def test_what_is_not_understood_is_refused_by_name(recipe: dict[str, Any], named: str) -> None:
    with pytest.raises(DeriveError) as caught:
        made(recipe)
    assert any(named in p.what.en for p in caught.value.problems)
