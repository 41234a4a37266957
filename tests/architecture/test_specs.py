"""The ready specs of models say what their configs say, figure by figure."""

import json
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from derive.architecture.model_spec import as_model
from derive.architecture.record import read
from derive.errors import DeriveError
from derive.specs import load
from derive.specs.types import Model

CONFIGS = Path(__file__).parent / "configs"
STRANGERS = Path(__file__).parent / "strangers.json"


@cache
def derived() -> dict[str, Model]:
    """Every config that a scenario can use, by the last part of its hub name."""
    found = {}
    with TemporaryDirectory() as folder:
        for name, entry in json.loads(STRANGERS.read_text("utf-8")).items():
            (Path(folder) / f"{name}.json").write_text(json.dumps(entry["config"]), "utf-8")
        for path in (*sorted(CONFIGS.glob("*.json")), *sorted(Path(folder).glob("*.json"))):
            try:
                found[path.stem.split("__")[-1].lower()] = as_model(read(path), path)
            except DeriveError:
                continue
    return found


def figures(model: Model) -> dict[str, object]:
    """All that the formulas take from a model."""
    values = {**model.values, **model.structure}
    found: dict[str, object] = {name: v.quantity.base for name, v in values.items()}
    singles = {"embedding": model.embedding, "unread": model.unread}
    if model.stored is not None:
        stored = model.stored
        singles |= {"all": stored.total, "idle": stored.unread}
        singles |= {"experts": stored.experts, "towers": stored.towers}
    found |= {name: v.quantity.base if v else None for name, v in singles.items()}
    formats = {"native": model.native, "compute": model.compute, "cache": model.cache}
    return {**found, **formats, "tied": model.tied_embeddings, "latent": model.latent}


PAIRS = [n for n in load.names("model") if load.model(n).aliases[:1]]


@pytest.mark.parametrize("name", PAIRS)
def test_a_ready_spec_is_its_config(name: str) -> None:
    spec = load.model(name)
    config = derived().get(spec.aliases[0].lower())
    if config is None:
        assert name in HAND_WRITTEN
        return
    assert figures(spec) == figures(config)


# their configs are not among those carried here; tests/specs counts them from their shapes
HAND_WRITTEN = {
    "llama-2-7b", "llama-3-70b", "llama-3.1-8b", "llama-3.1-70b", "llama-3.1-405b",
    "mistral-7b-v0.3", "qwen2.5-7b", "article-64x8192", "article-32x4096",
}  # fmt: skip


def test_at_least_25_specs_come_from_configs() -> None:
    assert len([n for n in PAIRS if load.model(n).aliases[0].lower() in derived()]) >= 25
