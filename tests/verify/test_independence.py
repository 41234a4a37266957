"""Verification shares no evaluation with the engine that wrote the ledger, and starts quickly."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from derive.derivation import points, stored
from derive.expression import value
from derive.study import results
from derive.verify import verify

from .harness import ledger

LAUNCH = "llama-3-70b-on-4x-h100"
ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """
import sys
from pathlib import Path
from derive.verify import verify_file
faults, summary = verify_file(Path(sys.argv[1]))
heavy = {"sympy", "jinja2", "weasyprint", "matplotlib", "ziamath"} & set(sys.modules)
print(len(faults), *sorted(heavy))
"""


def test_no_number_comes_from_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    record = ledger(LAUNCH)

    def shared(*_: Any, **__: Any) -> Any:
        raise AssertionError("the engine's evaluation was asked")

    for module, name in (
        (value, "value"), (points, "value"), (points, "trees"), (stored, "trees"),
        (stored, "cards"), (results, "results"), (results, "result"),
    ):  # fmt: skip
        monkeypatch.setattr(module, name, shared)
    monkeypatch.setattr(points.Point, "get", shared)
    assert verify(record) == []


def test_no_algebra_and_no_typesetting_is_loaded(tmp_path: Path) -> None:
    file = tmp_path / "ledger.json"
    file.write_text(json.dumps(ledger(LAUNCH)), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(file)],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.split() == ["0"]
