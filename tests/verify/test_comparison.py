"""A comparison is proved from its candidates' ledgers: what holds, what does not, no files."""

from __future__ import annotations

import json
import os
import random
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from derive.asked import read_config, units_of_symbols
from derive.cli import main
from derive.derivation import points, stored
from derive.expression import value
from derive.ledger import COMPARISON, sealed
from derive.specs import load
from derive.specs.lookup import spec_roots
from derive.study import compare as written
from derive.study import compare_document, compare_reasons, results
from derive.study.compare_document import document
from derive.verify import candidate, compared_columns, compared_reasons, compared_sheets
from derive.verify.compared import Basis, differences, judged_comparison, unlike
from derive.verify.reading import LARGEST_COMPARISON

from .mutations import Mutation, falsified, mutations
from .test_hostile import JUNK, SOON, places

Record = dict[str, Any]
LAUNCH = "llama-3-70b-on-4x-h100"
DEEPSEEK = "deepseek-v3-on-8x-h200"
SMALL = "article-7b-on-1x-a100"
CASES: dict[str, tuple[str, ...]] = {
    LAUNCH: (
        "hardware=nvidia-h200-sxm-141gb", "precision.weights=fp8", "devices=1",
        "slo.TPOT=10 ms/token,b=400", "MFU=0.3,0.4,0.5",
    ),
    DEEPSEEK: (
        "model=llama-3.1-405b", "devices=16,parallel.TP=8,parallel.DP=2",
        "speculation.draft=3,speculation.acceptance=0.7",
        "disaggregation.prefill_devices=8,disaggregation.link=50 GB/s", "hit=0.5", "chunk=512",
    ),
    SMALL: ("devices=2",),
    "gemma-2-9b-on-1x-l40s": (
        "T=100", "model=llama-3-70b", "t_launch=5 us", "calibration=public-2023",
        "price=1 USD/hour/device",
    ),
    "article-70b-on-1x-h100": (
        "devices=8", "W=100 GB", "headroom=0.7,workload.arrival=3 request/s",
        "B_peak=10 GB/s/device",
    ),
}  # fmt: skip
SAMPLE = None if os.environ.get("DERIVE_EXHAUSTIVE") else 300  # falsifications of each record


@cache
def text(scenario: str) -> str:
    """A comparison as its file holds it."""
    units, roots = units_of_symbols(), spec_roots()
    base = load.scenario(scenario, roots, (), units, read_config)
    others = []
    for change in CASES[scenario]:
        sets = [("--with", part) for part in compared_columns.parts(change)]
        others.append((change, load.scenario(scenario, roots, sets, units, read_config)))
    return json.dumps(document(base, others, load.sources()), ensure_ascii=False)


def record_of(scenario: str) -> Record:
    """A comparison of one's own."""
    made: Record = json.loads(text(scenario))
    return made


@pytest.mark.parametrize("scenario", CASES)
def test_what_a_comparison_writes_holds(scenario: str) -> None:
    assert judged_comparison(record_of(scenario), None) == ([], True)


@pytest.mark.parametrize("scenario", CASES)
def test_any_change_of_what_is_compared_is_caught(scenario: str) -> None:
    """Every number, unit, operator, symbol and sign beside the ledgers, the hash put right."""
    record = record_of(scenario)
    basis = Basis(record["ledgers"])
    rest = {k: v for k, v in record.items() if k != "ledgers"}
    kinds: set[str] = set()
    escaped = []
    every = list(mutations(rest))
    for change in random.Random(scenario).sample(every, SAMPLE or len(every)):
        kinds.add(change.kind)
        with falsified(record, change):
            if next(differences(record, basis), None) is None:
                escaped.append(str(change))
    assert escaped == []
    assert kinds >= {"digit", "unit", "number", "sign"}
    assert list(differences(record, basis)) == []  # and each was taken back


def test_the_words_of_a_verdict_and_of_a_reason_are_caught() -> None:
    record = record_of(LAUNCH)
    basis = Basis(record["ledgers"])
    for column in range(1, len(record["columns"])):
        for path in (("verdict",), ("reasons", "TPOT", "text"), ("wall",), ("reason",)):
            for lang in ("en", "zh"):
                place = ("columns", column, *path, lang)
                for after in ("better: TPOT 0.5×", ""):
                    change = Mutation(place, at(record, place), after, "words")
                    with falsified(record, change):
                        (found,) = differences(record, basis)
                    assert found.en.startswith(f"columns[{column}].{'.'.join(path)}.{lang}: ")


def at(record: Any, place: tuple[str | int, ...]) -> Any:
    """What stands at a place."""
    for key in place:
        record = record[key]
    return record


def resealed(record: Record) -> Record:
    """Every hash made right again."""
    return sealed({**record, "ledgers": [sealed(one) for one in record["ledgers"]]})


def test_a_candidate_that_does_not_hold_is_named() -> None:
    record = record_of(LAUNCH)
    record["ledgers"][2]["results"]["TPOT"]["exact"] = "1/50"
    found, _ = judged_comparison(resealed(record), ())
    assert found[0].en.startswith("candidate 2: TPOT: recomputed")


def test_another_candidate_than_the_one_compared_is_caught() -> None:
    """Each ledger holds alone; what is said of them together no longer does."""
    record = record_of(LAUNCH)
    record["ledgers"][1], record["ledgers"][2] = record["ledgers"][2], record["ledgers"][1]
    found, _ = judged_comparison(sealed(record), ())
    told = [fault.en for fault in found]
    assert any("candidate 1: hardware=nvidia-h200-sxm-141gb is not what" in one for one in told)
    assert any(one.startswith("columns[1].rows.TPOT.ratio:") for one in told)


@pytest.mark.parametrize("name", [
    "devices=4", "devices=11", "b=1", "precision.weights=fp8", "devices", "MFU=0.1,0.2,0.3",
    "hardware=nvidia-h100-sxm5-80gb,devices=8", "",
])  # fmt: skip
def test_a_candidate_is_called_by_what_it_changes(name: str) -> None:
    record = record_of(LAUNCH)
    record["columns"][3]["name"] = name
    assert any(
        "candidate 3:" in fault.en for fault in differences(record, Basis(record["ledgers"]))
    )


def test_the_hash_catches_any_change() -> None:
    record = record_of(LAUNCH)
    record["symbols"]["b"]["latex"] = "B"
    found, _ = judged_comparison(record, ())
    assert "hash" in found[0].en


def test_verification_compares_the_same_things() -> None:
    """What is restated on the side of the proof, so that a change of one alone is seen."""
    assert compared_columns.ROWS == written.ROWS
    assert list(compared_columns.ROWS) == list(written.ROWS)
    assert compared_columns.TARGETS == written.TARGETS
    assert candidate.EXPLAINED == compare_reasons.EXPLAINED
    assert candidate.OPENED == compare_reasons.OPENED
    assert compared_reasons.SWITCHES == compare_reasons.SWITCHES
    assert compared_sheets.SHEETS == compare_document.SHEETS
    limits = (compared_sheets.MOST_ROOFS, compared_sheets.MOST_NUMBERS)
    assert limits == (compare_document.MOST_ROOFS, compare_document.MOST_NUMBERS)


def test_no_number_of_a_comparison_comes_from_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    record = record_of("gemma-2-9b-on-1x-l40s")

    def shared(*_: Any, **__: Any) -> Any:
        raise AssertionError("the engine's evaluation was asked")

    for module, name in (
        (value, "value"), (points, "value"), (points, "trees"), (stored, "trees"),
        (results, "result"), (results, "results"), (compare_reasons, "side"),
        (compare_reasons, "reason"),
        (written, "comparison"), (written, "verdict"), (compare_document, "roofs"),
    ):  # fmt: skip
        monkeypatch.setattr(module, name, shared)
    monkeypatch.setattr(points.Point, "get", shared)
    assert judged_comparison(record, ())[0] == []


# --- files that were made to confuse


def no_ledgers(record: Record) -> None:
    del record["ledgers"]


def no_candidates(record: Record) -> None:
    record["ledgers"] = record["columns"] = []


def one_ledger_short(record: Record) -> None:
    record["ledgers"].pop()


def words_for_ledgers(record: Record) -> None:
    record["ledgers"] = ["ledger"] * len(record["columns"])


def comparisons_for_ledgers(record: Record) -> None:
    inner = {**record, "ledgers": []}
    record["ledgers"] = [inner for _ in record["columns"]]


def many_columns(record: Record) -> None:
    record["columns"] = [{}] * 100_000


def many_empty_ledgers(record: Record) -> None:
    record["columns"], record["ledgers"] = [{}] * 100_000, [{}] * 100_000


def deep_columns(record: Record) -> None:
    inner: Any = "1"
    for _ in range(400):
        inner = {"rows": inner}
    record["columns"] = [inner for _ in record["ledgers"]]


def many_powers(record: Record) -> None:
    for ledger in record["ledgers"]:
        card = next(d for d in ledger["derivations"] if d["id"] == "I_decode")
        card["tree"] = "((((b^8)^8)^8)^8)^8"


def long_names(record: Record) -> None:
    for column in record["columns"]:
        column["name"] = "\x1b[31m" + "b=1," * 100_000


FORGERIES: list[Callable[[Record], None]] = [
    no_ledgers, no_candidates, one_ledger_short, words_for_ledgers, comparisons_for_ledgers,
    many_columns, many_empty_ledgers, deep_columns, many_powers, long_names,
]  # fmt: skip


@pytest.mark.parametrize("forge", FORGERIES, ids=lambda f: f.__name__)
def test_a_forged_comparison_is_found_soon(forge: Callable[[Record], None], tmp_path: Path) -> None:
    record = record_of(SMALL)
    count = len(record["ledgers"])
    forge(record)
    file = tmp_path / "comparison.json"
    file.write_text(json.dumps(resealed(record) if forge is many_powers else sealed(record)))
    start = time.process_time()
    done = CliRunner().invoke(main, ["verify", str(file), "--lang", "en"])
    assert time.process_time() - start < SOON * count  # of each candidate as of a ledger
    assert done.exit_code == 1, done.output
    assert "Traceback" not in done.output
    assert all(line.isprintable() for line in done.stdout.splitlines())
    assert max(map(len, done.stdout.splitlines())) < 600


def test_junk_anywhere_is_told_and_raises_nothing() -> None:
    record = record_of(LAUNCH)
    basis = Basis(record["ledgers"])
    rest = {k: v for k, v in record.items() if k != "ledgers"}
    every = [p for p in places(rest) if len(p) > 2]
    draw = random.Random("junk")
    for place in draw.sample(every, 300):
        before, after = at(record, place), draw.choice(JUNK)
        with falsified(record, Mutation(place, before, after, "junk")):
            found = list(differences(record, basis))
        assert found or after == before, (place, after)
        assert all(fault.en.isprintable() and fault.zh.isprintable() for fault in found)


def test_truth_is_no_number() -> None:
    assert list(unlike(1, True, "fits"))
    assert list(unlike(False, 0, "left_out"))
    assert not list(unlike(1, 1.0, "ratio"))


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b'{"format": "derive comparison 1"}' + b" " * LARGEST_COMPARISON, "L102"),
        (b'{"format": "derive comparison 1", "x": ' + b"[" * 5_000_000, "L103"),
        (b" " * 5_000_000 + b'{"format": "derive comparison 1"}', "L102"),
        (b'{"format": "derive comparison 2"}', "L104"),
        (b'{"columns": []}', "L104"),
    ],
    ids=["too large", "nested", "format late", "other format", "without format"],
)  # fmt: skip
def test_what_is_no_comparison_is_refused_in_one_sentence(
    content: bytes, code: str, tmp_path: Path
) -> None:
    file = tmp_path / "comparison.json"
    file.write_bytes(content)
    start = time.process_time()
    done = CliRunner().invoke(main, ["verify", str(file)])
    assert time.process_time() - start < SOON
    assert done.exit_code == 2
    assert done.stderr.startswith(code)
    assert len(done.stderr.splitlines()) <= 2


def test_the_command_says_what_it_proved(tmp_path: Path) -> None:
    file = tmp_path / "comparison.json"
    file.write_text(text(LAUNCH), encoding="utf-8")
    done = CliRunner().invoke(main, ["verify", str(file), "--lang", "en"])
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith("holds: 6 candidates, ")
    assert record_of(LAUNCH)["format"] == COMPARISON
