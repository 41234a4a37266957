"""The published JSON Schemas: fresh, valid, and in agreement with the loader."""

from __future__ import annotations

import datetime as dt
import json
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
import yaml

from derive.specs import schema
from derive.specs.lookup import DIRECTORIES, files
from derive.specs.schema import KINDS

if TYPE_CHECKING:
    from pathlib import Path


def as_an_editor_reads(path: Path) -> Any:
    """YAML as an editor's language server reads it: dates stay text."""

    def plain(value: Any) -> Any:
        if isinstance(value, dict):
            return {str(k): plain(v) for k, v in value.items()}
        if isinstance(value, list):
            return [plain(v) for v in value]
        return value.isoformat() if isinstance(value, dt.date) else value

    return plain(yaml.safe_load(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("kind", KINDS)
def test_schema_files_are_fresh(kind: str, home: Path) -> None:
    written = (home / "schemas" / f"{kind}.schema.json").read_text(encoding="utf-8")
    assert written == schema.text(kind), "run: python -m derive.specs.schema"


@pytest.mark.parametrize("kind", KINDS)
def test_schemas_are_valid_and_every_packaged_file_satisfies_its_own(kind: str, home: Path) -> None:
    made = json.loads(schema.text(kind))
    jsonschema.Draft202012Validator.check_schema(made)
    validator = jsonschema.Draft202012Validator(made)
    for path in files(kind, [home]):
        faults = [
            f"{e.json_path}: {e.message}" for e in validator.iter_errors(as_an_editor_reads(path))
        ]
        assert not faults, (path.name, faults[:3])


@pytest.mark.parametrize("kind", KINDS)
def test_every_key_has_a_meaning_in_both_languages(kind: str) -> None:
    def walk(fields: Any) -> None:
        for field in fields:
            assert field.means.en, field.key
            assert field.means.zh, field.key
            walk(field.fields)

    walk(KINDS[kind])


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        ("hardware", {"memory": {"marketed": "80 GB", "bandwidth": 3.35}}),
        ("hardware", {"peak": {"bf16": "989 TFLOP/s"}}),
        ("hardware", {"power_limit": "700 W"}),
        ("scenario", {"devices": 2.5}),
        ("scenario", {"devices": 0}),
        ("scenario", {"slo": {"TPOT": 25}}),
        ("scenario", {"precision": {"weights": "bf-16"}}),
        ("scenario", {"calibration": {"MFU": [0.4, 0.5], "MBU": [0.5, 0.6, 0.7]}}),
        ("scenario", {"date": "30.11.2026"}),
        ("model", {"layers": -1}),
        ("calibration", {"MFU": [0.4, 0.5, 1.6]}),
    ],
)
def test_the_schema_refuses_what_the_loader_refuses(
    kind: str, change: dict[str, Any], home: Path
) -> None:
    path = files(kind, [home])[0]
    validator = jsonschema.Draft202012Validator(schema.schema(kind))
    whole = as_an_editor_reads(path)
    assert validator.is_valid(whole)
    assert not validator.is_valid({**whole, **change})


@pytest.mark.parametrize("kind", KINDS)
def test_every_file_points_its_editor_at_the_schema(kind: str, home: Path) -> None:
    first = f"# yaml-language-server: $schema=../schemas/{kind}.schema.json"
    for path in files(kind, [home]):
        assert path.read_text(encoding="utf-8").splitlines()[0] == first, path.name
        assert path.parent.name == DIRECTORIES[kind]
