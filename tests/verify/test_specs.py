"""What only the specs know: names that the command line gave, the longest context of a model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from derive.cli import main
from derive.ledger import sealed
from derive.specs import load
from derive.specs.lookup import spec_roots
from derive.study import study
from derive.verify import judge
from derive.verify.specs import check_specs

from .harness import ledger

LAUNCH = "llama-3-70b-on-4x-h100"
SETS = ("hardware=nvidia-h200-sxm-141gb", "date=2026-12-01")


def asked(*words: str) -> dict[str, Any]:
    """The ledger of the launch scenario on H200, with the words of a command line."""
    made = study(load.scenario(LAUNCH, spec_roots(), SETS), load.sources(), asked=words)
    record: dict[str, Any] = json.loads(json.dumps(made))
    return record


@pytest.mark.parametrize(
    "words",
    [
        (LAUNCH, "--set", SETS[0], "--set", SETS[1]),
        (LAUNCH, "--hardware", "nvidia-h200-sxm-141gb", "--set", "model=Llama-3-70B"),
        (LAUNCH, "--hardware", "../h200.yaml"),  # a path is never followed from a ledger
    ],
)
def test_names_that_were_asked_for_hold(words: tuple[str, ...]) -> None:
    assert check_specs(asked(*words), spec_roots()) == []


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("--set", "hardware=l4"), "hardware=l4"),
        (("--hardware", "no-such-card"), "no-such-card"),
        (("--model", "llama-3.1-8b"), "llama-3.1-8b"),
        (("--set", "date=2026-12-02"), "date=2026-12-02"),
    ],
)
def test_other_names_than_those_asked_for_do_not(words: tuple[str, ...], named: str) -> None:
    found = check_specs(asked(LAUNCH, *words), spec_roots())
    assert found
    assert [t.en for t in found] == [f"asked: {named} is not what the ledger holds"]


def test_the_longest_context_of_a_finding_is_held() -> None:
    record = ledger(LAUNCH, "T=9000")
    finding = next(f for f in record["findings"] if f["id"] == "beyond_context")
    assert judge.verify(sealed(record), roots=()) == []
    for lang in ("en", "zh"):
        finding["text"][lang] = finding["text"][lang].replace("8,192", "8,191")
    said = [fault.en for fault in judge.verify(sealed(record), roots=())]
    assert any("beyond_context" in fault for fault in said)
    row = next(i for i in record["inputs"] if i["id"] == "T_max")
    row |= {"exact": "8191/1", "text": "8191 token/request", "shown": "8,191 token/request"}
    said = [fault.en for fault in judge.verify(sealed(record), roots=())]
    assert any("T_max" in fault for fault in said)  # the figures draw it too
    assert any("T_max" in t.en for t in check_specs(sealed(record), spec_roots()) or [])


@pytest.mark.parametrize(
    "options",
    [
        ("--batch", "9"),
        ("--devices", "8"),
        ("--input", "1000", "--output", "100"),
        ("--batch", "9", "--set", "T=3000"),
    ],
    ids=" ".join,
)
def test_a_ledger_of_an_option_over_a_scenario_holds(
    options: tuple[str, ...], tmp_path: Path
) -> None:
    words = ["checklist", LAUNCH, *options, "--to", "json", "-o", str(tmp_path)]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0, done.output
    (path,) = tmp_path.glob("*.json")
    assert check_specs(json.loads(path.read_text()), spec_roots()) == []


def test_a_load_that_no_option_gave_differs_from_the_specs() -> None:
    record = ledger(LAUNCH, "b=9")
    row = next(i for i in record["inputs"] if i["id"] == "b")
    for origin in ("--input", "--", "by hand"):
        row["origin"] = origin
        found = check_specs(record, spec_roots())
        assert found
        assert [t.en for t in found] == ["b: differs from the spec at hand"]
