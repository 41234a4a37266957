"""A scenario takes the weights as they are published: bytes, products and cache by the recipe."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from derive.architecture.model_spec import for_text
from derive.architecture.record import read
from derive.errors import DeriveError
from derive.ledger import sealed
from derive.verify import judge

from .configs import A100, B200, CONFIGS, H100, changed, config, exact, ledger, said, scenario

# Llama-3.1-8B: 32 layers of 4096 x 4096 twice, 4096 x 1024 twice, 4096 x 14336 three times
LINEAR = 32 * (2 * 4096**2 + 2 * 4096 * 1024 + 3 * 4096 * 14336)
TABLE, NORMS = 128256 * 4096, 65 * 4096
BNB = {"quant_method": "bitsandbytes", "load_in_4bit": True, "bnb_4bit_quant_type": "nf4"}
GPTQ8 = {"quant_method": "gptq", "bits": 8, "group_size": 128}


def usable() -> list[str]:
    """Configs that a scenario can use."""
    found = []
    for path in sorted(CONFIGS.glob("*.json")):
        try:
            scenario(path)
        except DeriveError:
            continue
        found.append(path.stem)
    return found


@pytest.mark.parametrize("name", usable())
def test_weights_are_what_the_checkpoint_stores(name: str) -> None:
    """W is the stored bytes, W_stream what a decode step reads: as `derive model` derives both."""
    path = CONFIGS / f"{name}.json"
    architecture, found = for_text(read(path)), scenario(path)
    reads = architecture.reads()
    share = Fraction(0)
    if reads["routed_experts"]:
        share = 1 - (1 - Fraction(reads["experts_per_token"], reads["experts"])) ** 8
    assert exact(found, "W") == architecture.stored.total
    assert exact(found, "W_stream") == reads["always"] + reads["routed_experts"] * share


def test_fp8_in_blocks_by_hand() -> None:
    """Qwen3-8B-FP8: a byte a weight, two bytes a block of 128 x 128, tables and norms in two."""
    layer = 2 * 4096**2 + 2 * 4096 * 1024 + 3 * 4096 * 12288
    table = 151936 * 4096
    stored = 36 * (layer + 2 * layer // 128**2 + 2 * (2 * 4096 + 2 * 128))
    stored += 2 * (2 * table + 4096)
    found = scenario(config("Qwen3-8B-FP8"))
    assert exact(found, "W") == stored == 9_436_551_168
    assert exact(found, "W_stream") == stored - 2 * table


@pytest.mark.parametrize(
    ("recipe", "expected"),
    [
        # half a byte and 4 bytes for 64; 64 bytes for each of 7 matrices a layer
        (BNB, LINEAR // 2 + 4 * LINEAR // 64 + 64 * 7 * 32),
        # a byte; for 128 a scale of 2 bytes and a zero point of 1; 4 bytes for each input
        (GPTQ8, LINEAR + 3 * LINEAR // 128 + 32 * 4 * (6 * 4096 + 14336)),
    ],
)
def test_recipes_of_four_and_eight_bits_by_hand(
    recipe: dict[str, object], expected: int, tmp_path: Path
) -> None:
    found = scenario(changed("Meta-Llama-3.1-8B", tmp_path, quantization_config=recipe))
    assert exact(found, "W") == expected + 2 * (2 * TABLE + NORMS)


def test_experts_and_the_rest_have_bytes_of_their_own() -> None:
    """gpt-oss-20b: experts in 4 bits and a byte of scale for 32, their biases in 2 bytes."""
    matrices = 24 * 32 * (2880 * 5760 + 2880 * 2880)
    experts = matrices // 2 + matrices // 32 + 2 * 24 * 32 * (5760 + 2880)
    for model in (config("gpt-oss-20b"), "gpt-oss-20b"):
        found = scenario(model)
        rest = exact(found, "N_fix") * 2
        hit = 1 - (1 - Fraction(4, 32)) ** 8
        assert exact(found, "W") == rest + experts
        assert exact(found, "W_read") == rest + experts * hit
        assert exact(found, "w_fix") == 2


def test_a_plain_format_that_is_named_is_meant_as_such() -> None:
    """GLM-4.5-Air is published in 16 bits but for 45 x 128 corrections of routers, in 4 bytes."""
    for model in (config("GLM-4.5-Air"), "glm-4.5-air"):
        found, named = scenario(model), scenario(model, "precision.weights=bf16")
        assert exact(found, "W") - exact(named, "W") == 4 * 45 * 128
        assert exact(named, "w") == exact(named, "w_exp") == 2
        assert judge.verify(ledger(found)) == []
        assert judge.verify(ledger(named)) == []


@pytest.mark.parametrize("name", ["Qwen3-8B-FP8", "gpt-oss-20b"])
def test_another_size_of_model_keeps_the_mean(name: str) -> None:
    whole, other = scenario(config(name)), scenario(config(name), "N=40 Gparam")
    assert exact(other, "W") == 40 * 10**9 * exact(whole, "W") / exact(whole, "N")
    assert judge.verify(ledger(other), roots=()) == []
    with pytest.raises(DeriveError, match="expert_parameters is above parameters"):
        scenario(config("gpt-oss-20b"), "N=1 Gparam", "N_act=1 Gparam")


def test_a_tower_takes_memory_and_is_not_read() -> None:
    found = scenario(config("Qwen2-VL-7B-Instruct"))
    table = 152064 * 3584
    assert exact(found, "W") - exact(found, "W_read") == 2 * 675_759_104
    assert exact(found, "W_read") - exact(found, "W_stream") == 2 * table


@pytest.mark.parametrize(
    ("setting", "each"), [("precision.weights=bf16", 2), ("w=0.5 byte/param", Fraction(1, 2))]
)
@pytest.mark.parametrize("name", ["Qwen3-8B-FP8", "gpt-oss-20b", "DeepSeek-V3"])
def test_a_format_that_is_set_holds_for_every_weight(name: str, setting: str, each: object) -> None:
    found = scenario(config(name), setting, "precision.compute=bf16")
    assert exact(found, "W") == exact(found, "N") * each
    assert exact(found, "w") == each
    if name != "Qwen3-8B-FP8":
        assert exact(found, "w_exp") == exact(found, "w_fix") == each


@pytest.mark.parametrize(
    ("name", "hardware", "compute", "tera"),
    [
        ("Qwen2.5-72B-Instruct-AWQ", A100, "bf16", 312),  # weights alone: 16-bit products
        ("gpt-oss-20b", B200, "bf16", None),
        ("Qwen3-32B-FP8-Static-PerTensor", H100, "fp8", None),  # activations too
        ("Qwen3-32B-FP8-Static-PerTensor", A100, "bf16", 312),  # no such peak
        ("Qwen3-Coder-Next-NVFP4", B200, "fp4", None),
        ("Qwen3-Coder-Next-NVFP4", H100, "bf16", None),
        ("DeepSeek-V3", H100, "fp8", None),
        ("DeepSeek-V3", A100, "bf16", 312),
        ("Qwen3-8B", H100, "bf16", None),
    ],
)
def test_products_are_taken_in_what_the_recipe_and_the_hardware_allow(
    name: str, hardware: str, compute: str, tera: int | None
) -> None:
    found = scenario(config(name), hardware=hardware)
    assert found.precision["compute"] == compute
    if tera:
        assert exact(found, "P_peak") == tera * 10**12
    assert compute in found.chosen["compute"].en


QUARK = {"dtype": "fp8_e4m3", "qscheme": "per_tensor", "is_dynamic": False}
W8: dict[str, object] = {"num_bits": 8, "type": "float", "strategy": "channel"}
W4: dict[str, object] = {"num_bits": 4, "type": "int", "strategy": "group", "group_size": 128}


def compressed(inputs: object, layout: str, weights: dict[str, object]) -> dict[str, object]:
    """A compressed-tensors recipe of one group."""
    group = {"targets": ["Linear"], "weights": weights, "input_activations": inputs}
    return {"quant_method": "compressed-tensors", "format": layout,
            "config_groups": {"group_0": group}, "ignore": ["lm_head"]}  # fmt: skip


@pytest.mark.parametrize(
    ("recipe", "native", "compute"),
    [
        (BNB, "fp4", "bf16"),
        ({"quant_method": "bitsandbytes", "load_in_8bit": True}, "int8", "int8"),
        (GPTQ8, "int8", "bf16"),
        ({"quant_method": "eetq", "weights": "int8"}, "int8", "bf16"),
        ({"quant_method": "mxfp8", "activation_scheme": "dynamic"}, "fp8", "fp8"),
        ({"quant_method": "fbgemm_fp8"}, "fp8", "fp8"),
        (compressed({"num_bits": 8, "type": "float"}, "float-quantized", W8), "fp8", "fp8"),
        (compressed(None, "float-quantized", W8), "fp8", "bf16"),
        (compressed(None, "pack-quantized", W4), "int4", "bf16"),
        (compressed({"num_bits": 8, "type": "float"}, "pack-quantized", W4), "int4", "fp8"),
        ({"quant_method": "quark",
          "global_quant_config": {"weight": QUARK, "input_tensors": QUARK}}, "fp8", "fp8"),
        ({"quant_method": "quark",
          "global_quant_config": {"weight": QUARK, "input_tensors": None}}, "fp8", "bf16"),
    ],
)  # fmt: skip
def test_weights_alone_are_multiplied_in_16_bits(
    recipe: dict[str, object], native: str, compute: str, tmp_path: Path
) -> None:
    path = changed("Meta-Llama-3.1-8B", tmp_path, quantization_config=recipe)
    found = scenario(path)
    assert (found.precision["weights"], found.precision["compute"]) == (native, compute)
    assert exact(found, "W") == read(path).stored.total


def test_only_a_compute_format_that_is_asked_for_is_refused() -> None:
    for name, hardware, asked in (
        ("gpt-oss-20b", H100, "fp4"),
        ("DeepSeek-V3", A100, "fp8"),
    ):
        scenario(config(name), hardware=hardware)
        with pytest.raises(DeriveError) as error:
            scenario(config(name), f"precision.compute={asked}", hardware=hardware)
        assert [p.code for p in error.value.problems] == ["S406"]


def test_the_declared_cache_is_the_default_and_is_said() -> None:
    name = "Qwen3-32B-FP8-Static-PerTensor"
    found = scenario(config(name))
    assert found.precision["kv_cache"] == "fp8"
    assert exact(found, "kappa") == 2 * 64 * 8 * 128
    record = ledger(found)
    assert "declares" in said(record, "assumptions", "format_kv_cache", "size")["en"]
    notes = [note.en for note in read(config(name)).assumptions()]
    assert any("the recipe declares fp8" in note for note in notes)
    other = scenario(config(name), "precision.kv_cache=bf16")
    assert exact(other, "kappa") == 2 * 2 * 64 * 8 * 128
    assert scenario(config("Qwen3-8B-FP8")).precision["kv_cache"] == "bf16"


def test_the_declared_width_of_the_state() -> None:
    """Qwen3.5-27B: 48 layers of 48 heads with 128 x 128 in 4 bytes; 3 past columns in 2."""
    recurrent, past = 48 * 48 * 128 * 128, 48 * 3 * (2 * 16 * 128 + 48 * 128)
    for model in (config("Qwen3.5-27B"), "qwen3.5-27b"):
        assert exact(scenario(model), "S_kv") == 4 * recurrent + 2 * past


@pytest.mark.parametrize(
    ("name", "matrices", "active"),
    [
        # layers x (q, k, v, o, router, 8 experts of 3 x 768) and the head
        ("Qwen3-30B-A3B",
         48 * 2048 * (2 * 32 * 128 + 2 * 4 * 128 + 128 + 8 * 3 * 768) + 151936 * 2048, None),
        ("gemma-3n-E4B-it", None, Fraction(1)),  # its tables of single layers are left out
        ("gpt-oss-20b", None, Fraction(116, 100)),
        ("DeepSeek-V3", None, Fraction(1025, 1000)),
    ],
)  # fmt: skip
def test_what_two_operations_for_each_active_parameter_leave_out(
    name: str, matrices: int | None, active: Fraction | None
) -> None:
    found = scenario(config(name))
    share, work = exact(found, "share_lookup"), read(config(name)).totals.linear_flops
    assert exact(found, "F_tok") == (1 + share) * work
    if matrices:
        assert work == 2 * matrices
    if active:
        assert abs(1 + share - active) < Fraction(1, 200)


def test_verification_holds_the_parts_to_their_mean() -> None:
    record = ledger(scenario(config("gpt-oss-20b")))
    assert judge.verify(record, roots=()) == []
    for name, factor in (("r_exp", 2), ("w", 2)):
        record = ledger(scenario(config("gpt-oss-20b")))
        (row,) = [r for r in record["inputs"] if r["id"] == name]
        value = Fraction(row["exact"]) * factor
        unit = f" {row['unit']}" if row["unit"] else ""
        row["exact"], row["text"] = f"{value.numerator}/{value.denominator}", f"{value}{unit}"
        faults = [f.en for f in judge.verify(sealed(record), roots=())]
        assert any("do not sum to their mean" in f or "no quotient" in f for f in faults)
