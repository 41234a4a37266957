"""GGUF files: the same model as its config.json, and the bytes that the header states."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from gguf import GGML_QUANT_SIZES, GGMLQuantizationType, GGUFEndian, GGUFReader

from derive.architecture import Architecture, read
from derive.architecture.gguf.header import read_header
from derive.architecture.gguf.types import TENSORS
from derive.architecture.json_file import read_text
from derive.architecture.opening import Opened
from derive.architecture.record import build
from derive.cli import main
from derive.errors import DeriveError
from tests.architecture.gguf_files import (
    CONFIGS,
    F32,
    FURTHER,
    STRANGERS,
    config,
    half,
    sixteen,
    write,
)

SMALL = config("meta-llama__Llama-3.2-1B")
K = GGMLQuantizationType
GONE = ("num_nextn_predict_layers",)  # converters leave the layers for further tokens out


def by_config(name: str) -> Architecture:
    c = {k: v for k, v in config(name).items() if k not in (*GONE, "quantization_config")}
    if c["model_type"] == "deepseek_v3":
        c["num_nextn_predict_layers"] = None
    return build(Opened(read_text(json.dumps(c), "config.json")))


LLAMA_LIKE = {"tie_word_embeddings": True, "hidden_size": 4096, "num_hidden_layers": 40,
              "num_attention_heads": 32, "num_key_value_heads": 8}  # fmt: skip
# architectures without a config of the project: figures and totals as the hub shows them
BY_HAND: dict[str, tuple[dict[str, Any], int]] = {
    "granite-3.1-8b": ({**LLAMA_LIKE, "model_type": "granite", "intermediate_size": 12800,
                        "vocab_size": 49155, "max_position_embeddings": 131072}, 8_170_848_256),
    "command-r7b": ({**LLAMA_LIKE, "model_type": "cohere2", "intermediate_size": 14336,
                     "num_hidden_layers": 32, "vocab_size": 256000, "sliding_window": 4096,
                     "max_position_embeddings": 8192}, 8_028_033_024),
    "SmolLM3-3B": ({**LLAMA_LIKE, "model_type": "smollm3", "intermediate_size": 11008,
                    "hidden_size": 2048, "num_hidden_layers": 36, "num_attention_heads": 16,
                    "num_key_value_heads": 4, "vocab_size": 128256,
                    "max_position_embeddings": 65536}, 3_075_098_624),
    "GLM-4-9B-0414": ({**LLAMA_LIKE, "model_type": "glm4", "intermediate_size": 13696,
                       "num_key_value_heads": 2, "head_dim": 128, "vocab_size": 151552,
                       "attention_bias": True, "tie_word_embeddings": False,
                       "max_position_embeddings": 32768}, 9_400_279_040),
    "Seed-OSS-36B": ({**LLAMA_LIKE, "model_type": "seed_oss", "intermediate_size": 27648,
                      "hidden_size": 5120, "num_hidden_layers": 64, "num_attention_heads": 80,
                      "head_dim": 128, "vocab_size": 155136, "attention_bias": True,
                      "attention_out_bias": False, "tie_word_embeddings": False,
                      "max_position_embeddings": 524288}, 36_151_104_512),
    # llama.cpp knows no window here, so its files say nothing of one
    "starcoder2-15b": ({**config("starcoder2-15b"), "sliding_window": None},
                       STRANGERS["starcoder2-15b"]["total"]),
}  # fmt: skip


def mixed(name: str, shape: tuple[int, ...]) -> GGMLQuantizationType:
    """Roughly Q4_K_M; a type with blocks of 32 where rows are no multiple of 256."""
    if len(shape) == 1 or "ffn_gate_inp" in name:
        return F32
    if shape[-1] % 256:
        return K.Q5_0
    return K.Q6_K if name in ("token_embd.weight", "output.weight") else K.Q4_K


@pytest.mark.parametrize("name", [*CONFIGS, *FURTHER])
def test_a_file_is_the_model_of_its_config(name: str, tmp_path: Path) -> None:
    path = tmp_path / f"{name}.gguf"
    size = write(path, config(name), sixteen)
    found, expected = read(path).json(), by_config(name).json()
    for key in ("params", "matmul_weights_per_token", "linear_flops_per_token", "kv", "mtp",
                "weight_bytes_bf16"):  # fmt: skip
        assert found[key] == expected[key], key
    assert found["weight_bytes_stored"] == size
    first = found["checks"][0]
    assert first["agrees"], first["text"]["en"]
    beside = sum(n for kind, n in kinds(found).items() if kind == "rotation")
    assert first["difference"] == beside


@pytest.mark.parametrize("name", BY_HAND)
def test_further_architectures(name: str, tmp_path: Path) -> None:
    c, total = BY_HAND[name]
    path = tmp_path / "model.gguf"
    size = write(path, c, sixteen)
    found = read(path)
    expected = build(Opened(read_text(json.dumps({**c, "torch_dtype": "bfloat16"}), "config.json")))
    assert found.totals.total_unique == total
    assert found.json()["kv"] == expected.json()["kv"]
    assert found.stored.total == size == 2 * total
    assert found.checks[0].agrees


def kinds(found: dict[str, Any]) -> dict[str, int]:
    """Numbers by kind, of a file of 16 bits."""
    return {kind: n // 2 for kind, n in found["quantization"]["by_kind"].items()}


@pytest.mark.parametrize("name", ["Qwen__Qwen3-30B-A3B", "google__gemma-3-1b-it",
                                  "deepseek-ai__DeepSeek-V2-Lite"])  # fmt: skip
def test_quantized_bytes_are_those_of_the_header(name: str, tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    size = write(path, config(name), mixed)
    found = read(path)
    assert found.stored.total == size
    assert sum(found.stored.by_kind.values()) == size
    record = found.json()["quantization"]
    assert sum(row["bytes"] for row in record["by_format"].values()) == size
    q4 = record["by_format"]["Q4_K"]
    assert q4["bytes"] * 256 == q4["elements"] * 144
    assert found.json()["params"] == by_config(name).json()["params"]


def test_a_tied_head_is_read_as_it_is_stored(tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    size = write(path, SMALL, mixed)
    found = read(path)
    assert found.totals.tied
    assert found.stored.by_kind["embedding"] == 128256 * 2048 // 256 * 210
    assert found.reads()["always"] == size


def test_a_head_of_its_own_is_seen_in_the_tensors(tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    table = (SMALL["vocab_size"], SMALL["hidden_size"])
    write(path, SMALL, half, further=(("output.weight", table),))
    found = read(path)
    assert not found.totals.tied
    assert found.totals.total_unique == by_config("meta-llama__Llama-3.2-1B").totals.total_if_untied


def test_biases_are_seen_in_the_tensors(tmp_path: Path) -> None:
    d, kv = SMALL["hidden_size"], 512
    biases = tuple(
        (f"blk.{i}.{name}.bias", (size,))
        for i in range(SMALL["num_hidden_layers"])
        for name, size in (("attn_q", d), ("attn_k", kv), ("attn_v", kv), ("attn_output", d))
    )
    path = tmp_path / "model.gguf"
    write(path, SMALL, half, further=biases)
    found = read(path)
    assert found.checks[0].agrees
    plain = by_config("meta-llama__Llama-3.2-1B").totals.total_unique
    assert found.totals.total_unique == plain + SMALL["num_hidden_layers"] * (2 * d + 2 * kv)


def test_experts_that_are_not_stacked(tmp_path: Path) -> None:
    """Files of 2023 hold a tensor for each expert."""
    c = config("mistralai__Mixtral-8x7B-v0.1")
    d, width = c["hidden_size"], c["intermediate_size"]
    shapes = {"gate": (width, d), "up": (width, d), "down": (d, width)}
    places = [(i, n) for i in range(c["num_hidden_layers"]) for n in shapes]
    apart = tuple((f"blk.{i}.ffn_{n}.{e}.weight", shapes[n]) for i, n in places for e in range(8))
    stacked = tuple(f"blk.{i}.ffn_{n}_exps.weight" for i, n in places)
    path = tmp_path / "model.gguf"
    write(path, c, half, further=apart, without=stacked)
    assert read(path).checks[0].agrees


def test_latent_attention_of_older_files(tmp_path: Path) -> None:
    """Before the keys with _mla: lengths of whole heads, k and v from one matrix."""
    c = config("deepseek-ai__DeepSeek-V2-Lite")
    a = "deepseek2.attention."
    both = c["num_attention_heads"] * (c["qk_nope_head_dim"] + c["v_head_dim"])
    layers = range(c["num_hidden_layers"])
    path = tmp_path / "model.gguf"
    write(
        path, c, half,
        changes={
            f"{a}key_length_mla": None, f"{a}value_length_mla": None, f"{a}key_length": 192,
            f"{a}value_length": 128, f"{a}head_count_kv": 16,
        },
        further=tuple((f"blk.{i}.attn_kv_b.weight", (both, c["kv_lora_rank"])) for i in layers),
        without=tuple(f"blk.{i}.attn_{n}_b.weight" for i in layers for n in "kv"),
    )  # fmt: skip
    found = read(path)
    assert found.checks[0].agrees
    assert found.json()["kv"] == by_config("deepseek-ai__DeepSeek-V2-Lite").json()["kv"]


@pytest.mark.parametrize("said", [4, [True, True, True, False] * 6 + [True, True]])
def test_a_pattern_of_windows_in_the_header(said: object, tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    c = config("google__gemma-3-1b-it")
    write(path, c, half, changes={"gemma3.attention.sliding_window_pattern": said})
    found = read(path)
    assert {g.layers for g in found.kept.groups if g.window} == {20}


def test_parts_of_a_file_are_read_together(tmp_path: Path) -> None:
    whole = tmp_path / "whole.gguf"
    size = write(whole, SMALL, half)
    names = [f"m-0000{n}-of-00002.gguf" for n in (1, 2)]
    last = f"blk.{SMALL['num_hidden_layers'] - 1}."
    listed = [t.name for t in read_header(whole).tensors]
    split = {"split.count": 2}
    write(tmp_path / names[0], SMALL, half, changes=split,
          without=tuple(n for n in listed if n.startswith(last)))  # fmt: skip
    none = {f"llama.{k.removeprefix('llama.')}": None for k in read_header(whole).values}
    write(tmp_path / names[1], SMALL, half, changes={**none, **split},
          without=tuple(n for n in listed if not n.startswith(last)))  # fmt: skip
    for name in names:
        assert read(tmp_path / name).stored.total == size
    (tmp_path / names[1]).unlink()
    assert refused(tmp_path / names[0])[0].startswith("M101")


def test_the_size_in_the_name_is_compared(tmp_path: Path) -> None:
    path = tmp_path / "Llama-3.2-70B-Instruct-Q4_K_M.gguf"
    write(path, SMALL, half)
    assert [c.agrees for c in read(path).checks if c.name == "size in the name"] == [False]


def refused(path: Path) -> list[str]:
    with pytest.raises(DeriveError) as caught:
        read(path)
    assert all(p.place is not None and p.place.file for p in caught.value.problems)
    return [f"{p.code} {p.place.key}: {p.what.en}" for p in caught.value.problems if p.place]


CASES: tuple[tuple[dict[str, Any], str], ...] = (
    ({"general.type": "adapter"}, "M108 general.type"),
    ({"general.architecture": "clip"}, "M108 general.architecture"),
    ({"llama.block_count": None}, "M104 llama.block_count"),
    ({"llama.block_count": "16"}, "M105 llama.block_count"),
    ({"llama.block_count": True}, "M105 llama.block_count"),
    ({"llama.block_count": 16.0}, "M105 llama.block_count"),
    ({"llama.block_count": 5000}, "M105 llama.block_count"),
    ({"llama.block_count": 0}, "M105 llama.block_count"),
    ({"llama.attention.head_count_kv": [8] * 15 + [4]}, "M105 llama.attention.head_count_kv"),
    ({"llama.attention.head_count_kv": 5}, "M107 llama.attention.head_count_kv"),
    ({"llama.attention.value_length": 96}, "M107 llama.attention.value_length"),
    ({"llama.attention.sliding_window": 4096}, "M106 llama.attention.sliding_window"),
    ({"llama.nextn_predict_layers": 1}, "M106 llama.nextn_predict_layers"),
    ({"llama.attention.causal": False}, "M106 llama.attention.causal"),
    ({"llama.new_kind_of_thing": 7}, "M106 llama.new_kind_of_thing"),
    ({"tokenizer.ggml.tokens": ["a", "b"]}, "M107 tokenizer.ggml.tokens"),
    ({"split.count": 3}, "M107 split.count"),
    ({"general.alignment": 0}, "M105 general.alignment"),
)  # fmt: skip


@pytest.mark.parametrize(("changes", "expected"), CASES)
def test_a_key_that_is_not_understood_is_named(
    changes: dict[str, Any], expected: str, tmp_path: Path
) -> None:
    path = tmp_path / "model.gguf"
    write(path, SMALL, half, changes=changes)
    assert refused(path)[0].startswith(expected)


def test_equal_entries_a_layer_are_one_number(tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    write(path, SMALL, half, changes={"llama.attention.head_count_kv": [8] * 16})
    assert read(path).json()["kv"] == by_config("meta-llama__Llama-3.2-1B").json()["kv"]


def test_a_tensor_of_another_kind_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    write(path, SMALL, half, further=(("blk.0.new_gate.weight", (7, 5)),))
    check = read(path).checks[0]
    assert not check.agrees
    assert "other +35 (blk.0.new_gate.weight)" in check.text.en


def test_a_vocabulary_alone_is_no_model(tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    write(path, SMALL, half, without=("token_embd.weight",))
    assert refused(path) == ["M104 token_embd.weight: the tensor token_embd.weight is missing"]


def test_big_endian_files_are_read(tmp_path: Path) -> None:
    small, big = tmp_path / "a.gguf", tmp_path / "b.gguf"
    write(small, SMALL, half)
    write(big, SMALL, half, endianess=GGUFEndian.BIG)
    assert small.read_bytes() != big.read_bytes()
    assert read(small).json()["params"] == read(big).json()["params"]


def test_types_of_tensors_are_those_of_the_library() -> None:
    ours = {number: (kind.name, kind.block, kind.size) for number, kind in TENSORS.items()}
    library = {t.value: (t.name, *GGML_QUANT_SIZES[t]) for t in GGMLQuantizationType}
    assert {k: v for k, v in ours.items() if k in library} == library


def test_the_library_reads_the_same_header(tmp_path: Path) -> None:
    """A whole small file, weights included: its reader wants them."""
    c = {**SMALL, "hidden_size": 64, "intermediate_size": 256, "num_hidden_layers": 2,
         "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16,
         "vocab_size": 300}  # fmt: skip
    path = tmp_path / "model.gguf"
    tokens = [f"t{i}·" for i in range(300)]
    more = {"x.flags": [True, False], "x.signed": [-1, 5], "x.real": 0.5, "x.word": "模型"}
    write(path, c, half, changes={"tokenizer.ggml.tokens": tokens, **more})
    header = read_header(path)
    with path.open("r+b") as file:
        file.truncate(header.end)
    theirs = GGUFReader(path)
    for key, field in theirs.fields.items():
        if not key.startswith("GGUF."):
            ours = header.values[key]
            if key == "tokenizer.ggml.tokens":
                assert getattr(ours, "count", None) == len(field.contents()) == 300
            else:
                assert ours == field.contents(), key
    assert [(t.name, t.dims, t.elements, t.bytes) for t in header.tensors] == [
        (t.name, tuple(int(n) for n in t.shape), t.n_elements, t.n_bytes) for t in theirs.tensors
    ]
    assert [c.name for c in read(path).checks] == ["GGUF tensors"]


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_the_command_tells_of_a_file(lang: str, tmp_path: Path) -> None:
    path = tmp_path / "Llama-3.2-1B-Q4_K_M.gguf"
    write(path, SMALL, mixed)
    made = CliRunner().invoke(main, ["model", str(path), "--lang", lang])
    assert made.exit_code == 0
    assert "1,235,814,400 param" in made.stdout
    wanted = {"zh": ("权重（按存储格式）", "其中 Q4_K", "只需文件头"),
              "en": ("weights as stored", "of these in Q4_K", "the header alone")}  # fmt: skip
    for text in wanted[lang]:
        assert text in made.stdout


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_the_command_refuses_by_key(lang: str, tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    write(path, SMALL, half, changes={"llama.rope.strange": 1})
    made = CliRunner().invoke(main, ["model", str(path), "--lang", lang])
    assert made.exit_code == 2
    assert made.stdout == ""
    wanted = {
        "zh": "M106  架构 llama 无法理解键 llama.rope.strange\n",
        "en": "M106  llama.rope.strange is not understood for the architecture llama\n",
    }
    assert made.stderr.startswith(wanted[lang])
    assert "Traceback" not in made.stderr


def test_json_of_a_file_names_its_keys(tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    write(path, SMALL, half)
    made = CliRunner().invoke(main, ["model", str(path), "--json"])
    record = json.loads(made.stdout)
    sources = {s for row in record["derivations"] for s in row["fields"].values()}
    assert "llama.feed_forward_length" in sources
    assert "token_embd.weight" in sources
    assert not [s for s in sources if re.match("hidden_size|num_", s)]


SCENARIO = """scenario: case
model: ./model.gguf
hardware: nvidia-l4-24gb
devices: 1
workload: {requests: 4, input: 1000, output: 100}
"""


@pytest.fixture
def scenario(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """A scenario with a file of Llama 3.1 8B; the bytes of its tensors."""
    monkeypatch.chdir(tmp_path)
    Path("case.yaml").write_text(SCENARIO, encoding="utf-8")
    return write(tmp_path / "model.gguf", config("meta-llama__Meta-Llama-3.1-8B"), mixed)


def values(*args: str) -> dict[str, Any]:
    made = CliRunner().invoke(main, ["eval", "case.yaml", "W", "w", "--json", *args])
    assert made.exit_code == 0, made.stderr
    found: dict[str, Any] = json.loads(made.stdout)["values"]
    return found


def test_a_scenario_takes_the_bytes_of_the_file(scenario: int) -> None:
    found = values()
    assert found["W"]["value"] == scenario
    assert Fraction(found["w"]["exact"]) == Fraction(scenario, 8_030_261_248)


def test_a_precision_that_is_given_stands_above_the_file(scenario: int) -> None:
    assert values("--set", "precision.weights=int8")["w"]["value"] == 1
    assert values("--model", "./model.gguf")["W"]["value"] == scenario


def test_a_report_of_a_file_holds_and_says_where_the_bytes_are_from(scenario: int) -> None:
    made = CliRunner().invoke(main, ["report", "case.yaml", "--to", "json,md", "-o", "out"])
    assert made.exit_code == 0, made.stderr
    assert CliRunner().invoke(main, ["verify", "out/case.json"]).exit_code == 0
    text = Path("out/case.md").read_text("utf-8")
    assert "bytes of all its tensors, scales included, over the parameters" in text
    assert "全部张量的字节数（含缩放因子）除以参数量" in text


def test_a_report_tells_of_tensors_that_are_not_explained(scenario: int, tmp_path: Path) -> None:
    more = (("blk.0.new_gate.weight", (35,)),)
    write(tmp_path / "model.gguf", config("meta-llama__Meta-Llama-3.1-8B"), mixed, further=more)
    made = CliRunner().invoke(main, ["report", "case.yaml", "--to", "json", "-o", "out"])
    assert made.exit_code == 0, made.stderr
    assert "not explained: other +35 (blk.0.new_gate.weight)" in Path("out/case.json").read_text()


def test_a_scenario_with_experts_in_a_file(scenario: int, tmp_path: Path) -> None:
    size = write(tmp_path / "model.gguf", config("Qwen__Qwen3-30B-A3B"), mixed)
    found = values("--set", "workload.requests=1")
    assert found["W"]["value"] == size


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_a_scenario_refuses_a_file_by_its_key(lang: str, scenario: int, tmp_path: Path) -> None:
    write(tmp_path / "model.gguf", SMALL, half, changes={"llama.block_count": None})
    made = CliRunner().invoke(main, ["eval", "case.yaml", "--lang", lang])
    assert made.exit_code == 2
    said = {"zh": "缺少 llama.block_count", "en": "llama.block_count is missing"}
    assert said[lang] in made.stderr
