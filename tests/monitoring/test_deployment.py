"""Formulas opened down to batch and context have the ledger's own values, whatever the model."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

from derive.expression.tree import Call, walk
from derive.monitoring import dashboard, rules, rules_tests
from derive.monitoring.deployment import VARYING, Deployment
from derive.specs import load
from derive.study import study
from tests.study.configs import config, scenario

from .monitored import CASES, checked, ledger, ran

if TYPE_CHECKING:
    from pathlib import Path

# what is kept and read of the context: an indexer's picks, compressed layers, a constant state
# beside layers and alone, caches that layers share, windows; true where promtool plays the states
MODELS = {
    "GLM-5": True, "DeepSeek-V4-Flash": True, "Qwen3-Next-80B-A3B-Instruct": False,
    "Mamba-Codestral-7B-v0.1": True, "gemma-3n-E4B-it": False, "gpt-oss-20b": False,
}  # fmt: skip


@cache
def of_model(name: str) -> dict[str, Any]:
    made: dict[str, Any] = study(scenario(config(name)), load.sources())
    return made


def same_values(found: Deployment) -> int:
    """How many formulas of the batch or the context there are; each has the ledger's value."""
    batch, context = found.get("b"), found.get("T")
    assert batch is not None
    assert context is not None
    count = 0
    for name in found.trees:
        wanted, tree = found.get(name), found.opened(name)
        # MFU and MBU are ranges: what uses them has several values
        if wanted is None or tree is None or not found.varies(name):
            continue
        if any(isinstance(n, Call) and n.function == "pow" for n in walk(tree)):
            assert abs(found.at(tree, batch, context) - wanted) <= 1e-12 * abs(wanted), name
        else:
            assert found.at(tree, batch, context) == wanted, name
        count += 1
    return count


@pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))
def test_opened_formulas_have_the_values_of_the_ledger(case: tuple[str, ...]) -> None:
    assert VARYING == ("b", "T")
    assert same_values(Deployment(ledger(*case))) > 5


@pytest.mark.parametrize(("name", "played"), MODELS.items())
def test_models_that_keep_their_context_otherwise(name: str, played: bool, tmp_path: Path) -> None:
    found = of_model(name)
    assert same_values(Deployment(found)) > 5
    checked(tmp_path, rules(found, "both"))
    assert "step_bytes:bound" in dashboard(found)
    if played:
        done = ran(tmp_path, rules(found), rules_tests(found, "a.rules.yaml"))
        assert done.returncode == 0, done.stdout + done.stderr
