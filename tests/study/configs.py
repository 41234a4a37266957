"""Scenarios of models that are read from configs, and what a ledger says of them."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

from derive.asked import read_config
from derive.formula import catalogue
from derive.notation import SYMBOLS
from derive.specs import load
from derive.specs.types import Scenario
from derive.study import study
from derive.study.values import values

CONFIGS = Path(__file__).resolve().parents[1] / "architecture" / "configs"
H100, A100 = "nvidia-h100-sxm5-80gb", "nvidia-a100-sxm4-80gb"
H200, B200 = "nvidia-h200-sxm-141gb", "nvidia-b200-hgx-180gb"


def config(name: str) -> Path:
    """A config by the last part of its hub name."""
    (found,) = CONFIGS.glob(f"*__{name}.json")
    return found


def changed(name: str, folder: Path, **keys: object) -> Path:
    """A config with other keys, in a folder of its own."""
    data = {**json.loads(config(name).read_text(encoding="utf-8")), **keys}
    path = folder / f"{name}-changed.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def scenario(
    model: str | Path, *sets: str, hardware: str = H100, devices: int = 8, **more: int
) -> Scenario:
    """A scenario without a file."""
    units = {i: s.unit.text for i, s in SYMBOLS.items()}
    units |= {i: f.unit.text for i, f in catalogue().items()}
    size = {"batch": 8, "input": 2048, "output": 256, **more}
    return load.ad_hoc(
        model=str(model),
        hardware=hardware,
        devices=devices,
        sets=sets,
        symbols=units,
        config=read_config,
        **size,
    )


def exact(found: Scenario, name: str) -> Fraction:
    """The exact value of an id."""
    return Fraction(values(found, (name,))[name]["exact"])


def why(found: Scenario, name: str) -> str:
    """Why an id has no value."""
    record = values(found, (name,))[name]
    assert record["value"] is None
    text: str = record["why"]["en"]
    return text


def ledger(found: Scenario) -> dict[str, Any]:
    """The ledger as a file holds it."""
    made: dict[str, Any] = json.loads(json.dumps(study(found, load.sources()), ensure_ascii=False))
    return made


def said(record: dict[str, Any], group: str, name: str, key: str) -> dict[str, str]:
    """A text of a ledger by the id of its row."""
    (row,) = [r for r in record[group] if r["id"] == name]
    text: dict[str, str] = row[key]
    return text
