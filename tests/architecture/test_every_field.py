"""Every field of every config, changed: a count changes, or it is refused, or known to be idle."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from derive.architecture.fields import HARMLESS
from derive.architecture.json_file import read_text
from derive.architecture.opening import Opened
from derive.architecture.record import Architecture, build
from derive.errors import DeriveError

FOLDER = Path(__file__).parent / "configs"
CONFIGS = sorted(path for path in FOLDER.glob("*.json") if "sidecar" not in path.name)
IDLE = {"model_type", "architectures"}  # read by the reader of families
OPAQUE = {"rope_scaling", "rope_parameters", "id2label", "label2id", "init_config"}
# fields that are read and yet change nothing in these configs, each with the reason
JUSTIFIED = {
    "compress_ratios": "the last entry is that of the layer for further tokens",
    "layer_types": "the order of the layers changes no sum",
    "use_sliding_window": "no layer lies behind max_window_layers, so none has a window",
    "use_double_wide_mlp": "no layer shares keys and values",
    "intermediate_layers_indices": "their order changes no shape",
    "num_heads": "heads of a tower split a matrix that is there either way",
    "ignore": "the head is left as it is with or without the entry",
    "modules_to_not_convert": "entries of modules that the recipe does not quantize anyway",
    "kv_cache_scheme": "written in small letters it means the same",
    "output_activations": "what is computed is not stored",
    "block_structure": "of another strategy",
    "dynamic": "how activations are scaled, one number a matrix at most",
}


def made(config: dict[str, Any]) -> Architecture | None:
    try:
        return build(Opened(read_text(json.dumps(config), "config.json")))
    except DeriveError:
        return None


def counts(found: Architecture) -> str:
    """All that is counted; not where it comes from and not the longest context."""
    record: dict[str, Any] = found.json()
    for key in ("assumptions", "file"):
        del record[key]
    for key in ("max_position", "contexts_beyond_max_position"):
        del record["kv"][key]
    for row in record["derivations"]:
        del row["fields"]
    return json.dumps(record)


def differs(found: Architecture, before: str) -> bool:
    """Whether a count changed; a shape that its format does not fit is refused when counted."""
    try:
        return counts(found) != before
    except DeriveError:
        return True


def leaves(tree: dict[str, Any], at: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for key, value in tree.items():
        if isinstance(value, dict) and value and key not in OPAQUE:
            yield from leaves(value, (*at, key))
        else:
            yield (*at, key)


def others(value: object) -> list[Any]:
    """Values of the same kind, and one of another."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, (int, float)):
        return [value * 2, value + 1, 0]
    if isinstance(value, str):
        return ["x", "fp8", "float32"]
    if isinstance(value, list):
        return [[*value, *value[:1]], value[:-1], value[::-1], [0], "x"]
    return [128, True, "x", [1]] if value is None else [{"a": 1}]


@pytest.mark.parametrize("path", CONFIGS, ids=lambda p: p.stem)
def test_no_field_that_is_read_is_without_effect(path: Path) -> None:
    config: dict[str, Any] = json.loads(path.read_text("utf-8"))
    found = made(config)
    assert found is not None
    before, passed = counts(found), set(found.log.passed)
    for way in leaves(config):
        above = {".".join(way[:n]) for n in range(1, len(way) + 1)}
        if way[-1] in HARMLESS or above & passed or way[-1] in IDLE:
            continue
        effects = []
        for value in others(within(config, way[:-1])[way[-1]]):
            changed = copy.deepcopy(config)
            within(changed, way[:-1])[way[-1]] = value
            after = made(changed)
            effects.append(after is None or differs(after, before))
        known = way[-1] in JUSTIFIED or "input_activations" in way  # they are not stored
        assert any(effects) or known, ".".join(way)


def within(tree: dict[str, Any], way: tuple[str, ...]) -> dict[str, Any]:
    for key in way:
        tree = tree[key]
    return tree
