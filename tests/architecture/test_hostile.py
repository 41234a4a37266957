"""Files that are no configs, or mean harm: one clear problem, no traceback, no long wait."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from derive.architecture import read
from derive.architecture.listing import config_listing
from derive.errors import DeriveError, render
from tests.clock import within

LLAMA: dict[str, Any] = json.loads(
    (Path(__file__).parent / "configs" / "meta-llama__Llama-3.2-1B.json").read_text("utf-8")
)


def write(folder: Path, text: str | bytes, name: str = "config.json") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def refused(path: Path) -> list[str]:
    with pytest.raises(DeriveError) as caught:
        read(path)
    return [f"{p.code} {p.what.en}" for p in caught.value.problems]


def changed(folder: Path, **fields: object) -> Path:
    return write(folder, json.dumps({**LLAMA, **fields}))


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "M101"),
        ("[]", "M101"),
        ("null", "M101"),
        ("{", "M101"),
        ("{'a': 1}", "M101"),
        (b"\xff\xfe\x00", "M101"),
        ('{"a": ' + "1" * 5000 + "}", "M101"),
        ('{"model_type": ' + "[" * 100_000 + "]" * 100_000 + "}", "M102"),
        ('{"model_type": ' + "[" * 40 + "]" * 40 + "}", "M102"),
        ("{}", "M104"),
        ('{"model_type": 7}', "M104"),
        ('{"model_type": "lama"}', "M108"),
    ],
)
def test_what_is_no_config(tmp_path: Path, text: str | bytes, code: str) -> None:
    assert refused(write(tmp_path, text))[0].startswith(code)


def test_an_unknown_type_names_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(DeriveError) as caught:
        read(write(tmp_path, '{"model_type": "lama"}'))
    problem = caught.value.problems[0]
    assert problem.hint is not None
    assert "llama" in problem.hint.en
    assert problem.place is not None
    assert problem.place.line == 1


def test_a_huge_file_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    with path.open("wb") as file:
        file.truncate(200_000_000)
    with within(0.5):
        assert refused(path)[0].startswith("M102")


def test_a_key_that_stands_twice_is_refused(tmp_path: Path) -> None:
    text = json.dumps(LLAMA)[:-1] + ', "hidden_size": 4096}'
    assert "hidden_size stands twice" in refused(write(tmp_path, text))[0]


def test_what_is_no_file(tmp_path: Path) -> None:
    assert refused(tmp_path / "none.json")[0].startswith("M101")
    assert refused(tmp_path)[0].startswith("M101")
    pipe = tmp_path / "pipe.json"
    os.mkfifo(pipe)
    assert refused(pipe)[0].startswith("M101")


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_texts_of_the_file_reach_no_terminal_raw(tmp_path: Path, lang: str) -> None:
    name = "\ud800 8B\a\u202e"
    group = {"targets": ["Linear"], "weights": {"num_bits": 8, "type": "float"}}
    recipe = {"quant_method": "compressed-tensors", "format": "float-quantized",
              "ignore": [f"typo{name}"], "config_groups": {f"group{name}": group}}  # fmt: skip
    path = changed(tmp_path, _name_or_path=name, quantization_config=recipe)
    for as_json in (True, False):
        text = config_listing(path, (), as_json, lang)
        text.encode()
        assert not set(text) & set(name[0] + name[-2:])
        assert "8B" in text
        assert "typo" in text


@pytest.mark.parametrize("field", ["unknown\ud800\u202e", "quantization_config"])
def test_a_refusal_can_be_printed(tmp_path: Path, field: str) -> None:
    bad = {"quant_method": "\ud800\u202e", "\ud800": 1}
    with pytest.raises(DeriveError) as caught:
        read(changed(tmp_path, **{field: bad}))
    for lang in ("en", "zh"):
        text = render(caught.value, lang)
        text.encode()
        assert "\u202e" not in text


@pytest.mark.parametrize(
    "make",
    [
        lambda: json.dumps({**LLAMA, **{f"unknown_{i}": i for i in range(200_000)}}),
        lambda: "{" + ",".join(f'"k{i % 150_000}": 1' for i in range(300_000)) + "}",
        lambda: json.dumps({"model_type": "x" * 5_000_000}),
        lambda: json.dumps({**LLAMA, "hidden_size": "9" * 5_000_000}),
        lambda: json.dumps({**LLAMA, "hidden_size": list(range(500_000))}),
    ],
)
def test_many_problems_take_no_long_time(tmp_path: Path, make: Callable[[], str]) -> None:
    path = write(tmp_path, make())
    with within(5):
        with pytest.raises(DeriveError) as caught:
            read(path)
        assert len(render(caught.value)) < 10_000


def test_the_rest_of_many_problems_is_counted(tmp_path: Path) -> None:
    problems = refused(changed(tmp_path, **{f"unknown_{i}": i for i in range(30)}))
    assert problems[-1] == "M106 6 fields more are not understood"
    text = "{" + ",".join(f'"k{i % 30}": 1' for i in range(60)) + "}"
    assert refused(write(tmp_path, text))[-1] == "M103 6 keys more stand twice"


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (4096.0, "without a decimal point, not 4096.0"),
        (True, "not true"),
        ([1, None], "not [1, null]"),
        (float("inf"), "not Infinity"),
    ],
)
def test_what_was_found_is_said_in_the_words_of_the_file(
    tmp_path: Path, value: object, said: str
) -> None:
    assert said in refused(changed(tmp_path, hidden_size=value))[0]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "a value is missing"),
        ('{"a" 1}', "a colon"),
        ('{"a": 1 "b": 2}', "a comma"),
        ("{'a': 1}", "double quotes"),
        ('{"a": "b', "does not end"),
        ('{"a": "\x01"}', "control character"),
        ('{"a": "\\q"}', "an unknown escape"),
        ('{"a": "\\u12"}', "hex digits"),
        ("{} x", "before the file does"),
    ],
)
def test_what_is_wrong_with_the_text_is_said_in_both_languages(
    tmp_path: Path, text: str, why: str
) -> None:
    with pytest.raises(DeriveError) as caught:
        read(write(tmp_path, text))
    what = caught.value.problems[0].what
    assert why in what.en
    assert re.search("[\u4e00-\u9fff]", what.zh.partition("JSON")[2])


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("hidden_size", -1),
        ("hidden_size", 0),
        ("hidden_size", 2**40),
        ("hidden_size", 2048.0),
        ("hidden_size", "2048"),
        ("hidden_size", True),
        ("hidden_size", None),
        ("num_hidden_layers", 10**9),
        ("num_key_value_heads", 5),
        ("vocab_size", [1]),
        ("attention_bias", 1),
        ("quantization_config", 4),
        ("quantization_config", {"quant_method": "magic"}),
        ("num_experts", 8),
        ("layer_types", ["full_attention"] * 3),
        ("torch_dtype", "float8"),
        ("is_encoder_decoder", True),
        ("architectures", ["LlamaForSequenceClassification"]),
        ("architectures", []),
        ("hidden_sizes", 2048),
    ],
)
def test_a_bad_field_is_named(tmp_path: Path, field: str, value: object) -> None:
    problems = refused(changed(tmp_path, **{field: value}))
    assert any(field in p or "key-value heads" in p or "class" in p for p in problems), problems


def test_infinity_is_read_over_where_it_does_not_matter(tmp_path: Path) -> None:
    text = json.dumps({**LLAMA, "rope_theta": float("inf"), "rms_norm_eps": float("nan")})
    assert read(write(tmp_path, text)).totals.total_unique == 1_235_814_400
    text = json.dumps({**LLAMA, "intermediate_size": float("inf")})
    assert "intermediate_size" in refused(write(tmp_path, text))[0]


def test_all_unknown_fields_are_told_at_once(tmp_path: Path) -> None:
    problems = refused(changed(tmp_path, one_more=1, another=2))
    assert len(problems) == 2


@pytest.mark.parametrize(
    "pattern", ["re:(a+)+$", "re:(.*)*x", "re:" + "a*" * 12, "re:[", "re:" + "a" * 400, 7]
)
def test_a_pattern_cannot_take_for_ever(tmp_path: Path, pattern: object) -> None:
    group = {"weights": {"num_bits": 8, "type": "float"}, "targets": ["Linear"]}
    recipe = {
        "quant_method": "compressed-tensors",
        "config_groups": {"group_0": group},
        "ignore": [pattern],
    }
    with within(1):
        assert "ignore" in refused(changed(tmp_path, quantization_config=recipe))[0]


def test_a_contradiction_between_spellings_is_refused(tmp_path: Path) -> None:
    assert "n_layer" in refused(changed(tmp_path, n_layer=17))[0]
    assert read(changed(tmp_path, n_layer=16)).totals.total_unique == 1_235_814_400
