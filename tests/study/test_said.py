"""What was taken without being given, and what contradicts itself, is said or refused."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from derive.architecture.json_file import read_text
from derive.architecture.opening import Opened
from derive.architecture.record import build
from derive.cli import main
from derive.errors import DeriveError
from derive.study.bind import bind
from derive.verify import judge
from tests.architecture.gguf_files import config as hub
from tests.architecture.gguf_files import half, write

from .configs import H200, config, exact, ledger, said, scenario, why

LOAD = ("--hardware", H200, "--devices", "1", "--batch", "4", "--input", "2000", "--output", "100")
SMALL = {
    "model_type": "llama", "hidden_size": 1024, "vocab_size": 1000, "intermediate_size": 2048,
    "num_hidden_layers": 2, "num_attention_heads": 8, "num_key_value_heads": 8,
    "tie_word_embeddings": False, "max_position_embeddings": 1024, "torch_dtype": "bfloat16",
}  # fmt: skip
GROUP: dict[str, Any] = {"targets": ["Linear"], "weights": {"num_bits": 4, "type": "int"}}


def packed(*groups: dict[str, Any], ignore: list[str] | None = None) -> dict[str, Any]:
    """A compressed-tensors recipe."""
    made = {f"group_{i}": group for i, group in enumerate(groups)}
    return {"quant_method": "compressed-tensors", "format": "pack-quantized",
            "ignore": ["lm_head"] if ignore is None else ignore, "config_groups": made}  # fmt: skip


def weights(**keys: object) -> dict[str, Any]:
    return {**GROUP, "weights": {**GROUP["weights"], **keys}}


def model(recipe: dict[str, Any]) -> Any:
    return build(Opened(read_text(json.dumps({**SMALL, "quantization_config": recipe}), "c.json")))


@pytest.mark.parametrize(
    ("recipe", "named"),
    [
        (packed(weights(strategy="channel", group_size=128)), "group_size"),
        (packed(weights(strategy="tensor", group_size=128)), "group_size"),
        (packed(weights(strategy="group")), "group_size"),
        (packed(weights(strategy="group", group_size=-1)), "group_size"),
        (packed(weights(group_size=128), weights(group_size=64)), "two groups"),
        (packed({**weights(group_size=128), "targets": ["Linear", "Embedding"]}), "Embedding"),
        ({"quant_method": "awq", "bits": 4, "group_size": 100, "version": "gemm"}, "does not fit"),
    ],
)
def test_a_recipe_that_contradicts_itself_is_refused(recipe: dict[str, Any], named: str) -> None:
    with pytest.raises(DeriveError) as caught:
        _ = model(recipe).stored
    assert named in caught.value.problems[0].what.en


def test_targets_that_match_nothing_are_said() -> None:
    found = model(packed({**weights(group_size=128), "targets": ["re:.*nowhere.*"]}))
    assert any("1 targets of the recipe name no module" in n.en for n in found.assumptions())
    assert found.stored.total == 2 * found.totals.total_unique


def test_nothing_but_the_head_is_said_only_where_it_is_so() -> None:
    gptq = {"quant_method": "gptq", "bits": 4, "group_size": 128, "sym": True, "desc_act": False}
    for recipe, head in (
        (gptq, True), ({**gptq, "lm_head": True}, False),
        (packed(weights(group_size=128), ignore=[]), False),
    ):  # fmt: skip
        notes = [n.en for n in model(recipe).assumptions()]
        assert any("excludes nothing but the head" in n for n in notes) == head
        assert any("the head is not left out either" in n for n in notes) != head


@pytest.mark.parametrize(
    "changes", [{"llama.block_count": 15}, {"llama.attention.head_count_kv": 4}]
)
def test_keys_that_the_tensors_contradict_are_refused(
    changes: dict[str, object], tmp_path: Path
) -> None:
    path = tmp_path / "model.gguf"
    write(path, hub("meta-llama__Llama-3.2-1B"), half, changes=changes)
    done = CliRunner().invoke(main, ["eval", "--model", str(path), *LOAD])
    assert done.exit_code == 2
    assert next(iter(changes)) in done.stderr


def test_a_name_that_does_not_fit_is_a_caution(tmp_path: Path) -> None:
    path = tmp_path / "Llama-70B.json"
    path.write_text(config("Meta-Llama-3.1-8B").read_text("utf-8"), "utf-8")
    done = CliRunner().invoke(main, ["eval", "--model", str(path), *LOAD, "N"])
    assert "caution: the name Llama-70B says 70,000,000,000" in done.stderr
    done = CliRunner().invoke(
        main, ["compare", "--model", str(path), *LOAD, "--with", "b=8", "--json"]
    )
    assert "hardly belong" in json.loads(done.stdout)["cautions"][0]["en"]
    record = ledger(scenario(path, hardware=H200, devices=1))
    told = said(record, "findings", "model_files", "text")["en"]
    assert "hardly belong to the same model" in told
    assert judge.verify(record, roots=()) == []


def test_the_width_of_a_state_is_said() -> None:
    name = config("Qwen3-Next-80B-A3B-Instruct")
    # 36 layers: 32 heads of 128 x 128, and 3 steps of 2 x 16 x 128 + 32 x 128 channels
    narrow, wide = (36 * (2 * 3 * 8192 + width * 32 * 128 * 128) for width in (2, 4))
    done = CliRunner().invoke(main, ["eval", "--model", str(name), *LOAD, "S_kv"])
    assert f"S_kv: 2-byte recurrent elements, as the config declares no width: {narrow:,}" in (
        done.stderr
    )
    record = ledger(scenario(name, hardware=H200, devices=4))
    told = said(record, "assumptions", "state_width", "size")["en"]
    assert f"{narrow:,} byte/request" in told
    assert f"{wide:,}" in told
    assert judge.verify(record, roots=()) == []


def test_a_declared_narrow_cache_means_one_thing() -> None:
    record = build(
        Opened(read_text(config("Qwen3-32B-FP8-Static-PerTensor").read_text("utf-8"), "c.json"))
    ).json()["kv"]
    assert isinstance(record, dict)
    kappa = exact(scenario(config("Qwen3-32B-FP8-Static-PerTensor")), "kappa")
    assert kappa == 64 * 2 * 8 * 128
    assert record["expression"] == "64 * T * 4096"
    assert record["expression_as_declared"] == "64 * T * 2048"
    assert record["bytes_per_element_as_declared"] == 1


def test_what_is_not_read_follows_the_bytes_that_are_set() -> None:
    def of(*sets: str) -> dict[str, Fraction]:
        found = scenario(config("gpt-oss-20b"), *sets, hardware=H200, devices=1)
        names = ("W", "W_read", "W_stream", "N_fix", "w_fix", "w")
        return {name: exact(found, name) for name in names}

    plain = of()
    share = (plain["W_read"] - plain["W_stream"]) / (plain["N_fix"] * plain["w_fix"])
    for sets in ("w_exp=1 byte/param", "w_fix=1 byte/param", "w=3 byte/param", "W=20 GB"):
        made = of(sets)
        unread = made["W_read"] - made["W_stream"]
        if sets.startswith("w="):  # one format for all: the table in it as well
            assert unread == 3 * 201088 * 2880
        else:
            assert unread == share * made["N_fix"] * made["w_fix"]
        assert made["W_stream"] < made["W_read"] < made["W"]
    assert of("W=20 GB")["W"] == 20 * 10**9


@pytest.mark.parametrize(
    ("name", "sets", "what"),
    [
        ("Meta-Llama-3.1-8B", "k_exp=2", "k_exp is used by no formula"),
        ("Meta-Llama-3.1-8B", "w_exp=1 byte/param", "w_exp is used by no formula"),
        ("Meta-Llama-3.1-8B", "w_fix=1 byte/param", "w_fix is used by no formula"),
        ("Meta-Llama-3.1-8B", "W_prefill=9 GB", "W_prefill is used by no formula"),
        ("gpt-oss-20b", "w_side=1 byte/param", "w_side is used by no formula"),
        ("gpt-oss-20b", "N_emb=1 Gparam", "N_emb is used by no formula"),
        ("gpt-oss-20b", "E_hit=33", "E_hit is above E"),
    ],
)
def test_what_nothing_uses_is_refused(name: str, sets: str, what: str) -> None:
    with pytest.raises(DeriveError) as caught:
        bind(scenario(config(name), sets))
    (problem,) = caught.value.problems
    assert what in problem.what.en


@pytest.mark.parametrize(
    ("name", "sets", "known"),
    [
        ("Meta-Llama-3.1-8B", "w_exp=1 byte/param", "w"),
        ("gpt-oss-20b", "w_side=1 byte/param", "w, w_exp, w_fix"),
        ("gpt-oss-20b", "N_emb=1 Gparam", "s_idle"),
    ],
)
def test_what_is_refused_names_what_is_known_instead(name: str, sets: str, known: str) -> None:
    with pytest.raises(DeriveError) as caught:
        bind(scenario(config(name), sets))
    hint = caught.value.problems[0].hint
    assert hint is not None
    assert hint.en == f"known here: {known}"


def test_a_table_without_experts_beside_it_is_set_by_its_parameters() -> None:
    found = scenario(config("Meta-Llama-3.1-8B"), "N_emb=1 Gparam")
    assert exact(found, "W_read") - exact(found, "W_stream") == 2 * 10**9


@pytest.mark.parametrize("part", ["w=1 byte/param", "precision.weights=fp8", "w_exp=1 byte/param",
                                  "w_fix=1 byte/param"])  # fmt: skip
def test_all_bytes_and_those_of_a_parameter_are_one_thing(part: str) -> None:
    with pytest.raises(DeriveError) as caught:
        bind(scenario(config("gpt-oss-20b"), "W=20 GB", part))
    (problem,) = caught.value.problems
    assert problem.code == "S503"
    assert "W" in problem.what.en


def test_an_equation_without_a_solution_names_what_to_change() -> None:
    found = scenario(config("Qwen3-Next-80B-A3B-Instruct"), "W_read=1 MB", hardware=H200)
    told = why(found, "T_cross")
    assert "at no T above zero" in told
    assert "W_read" in told
    assert "kappa" in told
