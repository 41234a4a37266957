"""A scenario, model or accelerator may stand in a file that is called otherwise."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from derive.asked import read_config
from derive.ledger import sealed
from derive.specs import load
from derive.specs.lookup import specs_home
from derive.study import study
from derive.verify import judge

from .harness import CONFIGS

NAME = "llama-3.1-8b-on-1x-l4"


def made(path: Path, *sets: str) -> dict[str, Any]:
    """The ledger of a scenario file."""
    found = load.scenario(str(path), sets=sets, config=read_config)
    record = study(found, load.sources(), asked=[str(path)])
    read: dict[str, Any] = json.loads(json.dumps(record))
    return read


def text(kind: str, name: str) -> str:
    """A packaged spec."""
    return (specs_home() / kind / f"{name}.yaml").read_text(encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A scenario of a packaged name with another load, and one with a model and card of its own."""
    plain = text("scenarios", NAME)
    (tmp_path / "plain.yaml").write_text(plain.replace("requests: ", "requests: 1  # "))
    own = plain.replace("model: llama-3.1-8b", "model: ./mine.yaml")
    own = own.replace("hardware: nvidia-l4-24gb", "hardware: ./card.yaml")
    (tmp_path / "own.yaml").write_text(own.replace(f"scenario: {NAME}", "scenario: ours"))
    (tmp_path / "mine.yaml").write_text(text("models", "llama-3.1-8b"))
    (tmp_path / "card.yaml").write_text(text("hardware", "nvidia-l4-24gb"))
    config = tmp_path / "gpt-oss-20b"
    config.mkdir()
    (config / "config.json").write_text((CONFIGS / "openai__gpt-oss-20b.json").read_text())
    return tmp_path


@pytest.mark.parametrize(
    ("file", "sets"),
    [
        ("plain.yaml", ()),
        ("plain.yaml", ("b=3",)),
        ("plain.yaml", ("model=gpt-oss-20b/config.json", "devices=2")),  # called as a spec is
        ("own.yaml", ()),
    ],
)
def test_a_ledger_holds_whatever_its_files_are_called(
    folder: Path, file: str, sets: tuple[str, ...]
) -> None:
    record = made(folder / file, *sets)
    assert judge.verify(record) == []
    assert record["scenario"]["files"]["scenario"] == file.removesuffix(".yaml")


@pytest.mark.parametrize("name", ["other", NAME])
def test_the_name_of_the_file_is_held_to_the_inputs(folder: Path, name: str) -> None:
    record = made(folder / "plain.yaml")
    record["scenario"]["files"]["scenario"] = name
    assert judge.verify(sealed(record)) != []


def test_a_file_that_explains_nothing_is_none(folder: Path) -> None:
    record = made(folder / "plain.yaml")
    record["scenario"]["files"]["model"] = "another"
    found = [f.en for f in judge.verify(sealed(record))]
    assert any("files.model: no input is from another" in f for f in found)
