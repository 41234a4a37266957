"""A changed ledger is never taken for a proof.

As found, any change is caught by the hash. With the hash made right again, every number, unit,
operator and symbol that a result depends on is caught by recomputation; what no result depends on
is caught by comparing with the specs, where these are at hand.

A run takes a few hundred of some twenty thousand falsifications, the same each time. All of them:
DERIVE_EXHAUSTIVE=1.
"""

from __future__ import annotations

import os
import random
import re

import pytest

from derive.ledger import sealed
from derive.verify import judge
from derive.verify.values import Ledger

from .harness import SCENARIOS, Harness, faults, ledger, model
from .mutations import Mutation, falsified, leaves, mutations

LAUNCH = "llama-3-70b-on-4x-h100"
EXHAUSTIVE = bool(os.environ.get("DERIVE_EXHAUSTIVE"))
STEP = 1 if EXHAUSTIVE else 4
SAMPLE = 100  # of each scenario

# What cannot change a result, and why: place, kind, reason. Nothing else escapes.
EQUIVALENT = (
    (r"program", r"digit", "the version that wrote the ledger"),
    (r"scenario\.date", r"digit", "the day it is printed with; it may be set from outside"),
    (r"(checklist|misconceptions)\.\d+\.refs\.\d+", r"id", "which card a line links to"),
    (r"figures\..*\.dash", r"flag", "how a curve is drawn"),
    (r"levers\.\d+\.branch", r"symbol", "equal values (W_read, KV_read), printed nowhere"),
)  # fmt: skip


def equivalent(change: Mutation) -> bool:
    """Whether a change is one of those that cannot change a result."""
    where = ".".join(map(str, change.path))
    alike = (change.before.count(n) == change.after.count(n) for n in ("W_read", "KV_read"))
    if change.kind == "symbol" and all(alike):
        return False
    return any(re.fullmatch(p, where) and change.kind == k for p, k, _ in EQUIVALENT)


def chosen(scenario: str, changes: list[Mutation]) -> list[Mutation]:
    """All changes, or the same few each time."""
    if EXHAUSTIVE or len(changes) <= SAMPLE:
        return changes
    return random.Random(scenario).sample(changes, SAMPLE)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_every_number_unit_operator_and_symbol_is_caught(scenario: str) -> None:
    record = ledger(scenario)
    harness = Harness(record)
    changes = chosen(scenario, list(mutations(record)))
    escaped = [str(c) for c in changes if harness.caught(c) is None and not equivalent(c)]
    assert escaped == []


@pytest.mark.parametrize("config", ["Qwen__Qwen3-30B-A3B.json", "google__gemma-3-1b-it.json"])
def test_other_makes_of_model_are_held_to_the_same(config: str) -> None:
    record = ledger(LAUNCH, model(config), "devices=8")
    harness = Harness(record)
    changes = [c for c in mutations(record) if not only_in_specs(c)]
    changes = chosen(config, changes)
    escaped = [str(c) for c in changes if harness.caught(c) is None and not equivalent(c)]
    assert escaped == []


def only_in_specs(change: Mutation) -> bool:
    """Whether a place is what specs alone know; a config.json leaves none behind."""
    top, key = change.path[0], change.path[-1]
    said = {"origin", "printed", "how", "basis", "title", "date", "sources"} & set(change.path)
    return (
        top in ("sources", "notes", "scenario")
        or bool(said)
        or (top in ("inputs", "calibration") and key == "text" and change.kind == "sign")
    )


def test_equivalences_are_few_and_each_is_met() -> None:
    changes = list(mutations(ledger(LAUNCH)))
    for place, kind, reason in EQUIVALENT:
        assert reason
        assert any(re.fullmatch(place, ".".join(map(str, c.path))) for c in changes), (place, kind)
    assert sum(map(equivalent, changes)) < len(changes) / 100


@pytest.mark.parametrize("scenario", [LAUNCH])
def test_the_hash_catches_any_change(scenario: str) -> None:
    record = ledger(scenario)
    every = [(path, value) for path, value in leaves(record) if path != ("hash",)]
    for path, value in random.Random("hash").sample(every, 200):
        after = f"{value}~" if isinstance(value, str) else "~"
        with falsified(record, Mutation(path, value, after, "any")):
            first = next(judge.faults(record))
            assert "hash" in first.en, path


@pytest.mark.parametrize("scenario", [LAUNCH, "article-70b-on-1x-h100"])
def test_whole_rows_are_missed(scenario: str) -> None:
    """A line that a result depends on may not be taken out, with everything else put right."""
    record = ledger(scenario)
    reading = Ledger(record)
    used = frozenset().union(*reading.reach.values(), reading.constants)
    for group in ("inputs", "constants", "derivations"):
        for i, row in list(enumerate(record[group]))[::STEP]:
            short = {**record, group: [*record[group][:i], *record[group][i + 1 :]]}
            if group != "inputs" or row["id"] in used:
                assert any(judge.faults(sealed(short))), (group, row["id"])
    for group in ("results", "symbols"):
        for name in list(record[group])[::STEP]:
            short = {**record, group: {k: v for k, v in record[group].items() if k != name}}
            assert any(judge.faults(sealed(short))), (group, name)


def test_a_consistent_lie_about_a_formula_is_no_longer_the_declared_one() -> None:
    """A formula changed everywhere it stands holds together, and is reported all the same."""
    record = ledger(LAUNCH)
    card = next(d for d in record["derivations"] if d["id"] == "KV_total")
    card["tree"] = "b * T * kappa * c_kv / c_kv".replace("*", "·")
    assert any("declaration" in fault for fault in faults(sealed(record)))


def test_a_value_of_another_scenario_differs_from_the_specs() -> None:
    """Inputs changed in all their forms make another ledger that holds; the specs tell."""
    record, other = ledger(LAUNCH), ledger(LAUNCH, "B_peak=3 TB/s/device")
    row = next(r for r in other["inputs"] if r["id"] == "B_peak")
    row |= {"origin": next(r["origin"] for r in record["inputs"] if r["id"] == "B_peak")}
    other["scenario"] = record["scenario"]
    assert faults(sealed(other)) == []
    assert "B_peak: differs from the spec at hand" in [f.en for f in judge.verify(sealed(other))]


def test_a_verdict_about_another_model_is_caught() -> None:
    record = ledger(LAUNCH)
    sentence = record["verdict"]["sentence"]
    for lang, text in sentence.items():
        sentence[lang] = text.replace("Llama 3 70B", "Llama 9 70B")
    assert any("does not name" in fault for fault in faults(sealed(record)))


def test_a_branch_that_is_not_its_formula_is_caught() -> None:
    record = ledger(LAUNCH)
    row = record["levers"][0]
    row["branch"] = row["branch"].replace("Q_step / (g", "Q_step / (g_fit · g / g_fit")
    assert any("lever B_peak" in fault for fault in faults(sealed(record)))
