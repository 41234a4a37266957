"""Files that were made to confuse: a clean sentence, soon, and no other file is opened."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from derive.cli import main
from derive.errors import DeriveError
from derive.ledger import sealed
from derive.specs.lookup import specs_home
from derive.verify import judge, load_ledger, verify, verify_file
from derive.verify.reading import LARGEST_FILE
from tests.clock import within

from .harness import ledger, ledger_text
from .mutations import Path as Place

LAUNCH = "llama-3-70b-on-4x-h100"
SOON = 2.0  # seconds of processor time
Record = dict[str, Any]

UNUSABLE = {
    "empty": b"",
    "text": b"hello",
    "truncated": ledger_text(LAUNCH)[:100_000].encode(),
    "binary": bytes(range(256)) * 100,
    "utf-16": ledger_text(LAUNCH).encode("utf-16"),
    "too large": b" " * (LARGEST_FILE + 1),
    "nested lists": b"[" * 200_000,
    "nested tables": b'{"a":' * 50_000,
    "NaN": b'{"format": "derive-ledger/1", "x": NaN}',
    "infinity": b'{"format": "derive-ledger/1", "x": -Infinity}',
    "long integer": b'{"format": "derive-ledger/1", "x": ' + b"9" * 100_000 + b"}",
    "key twice": b'{"format": "derive-ledger/1", "format": "derive-ledger/1"}',
    "half a surrogate": b'{"format": "derive-ledger/1", "x": "\\ud800"}',
    "a list": b"[]",
    "null": b"null",
    "a number": b"1",
    "other format": b'{"format": "derive-ledger/2"}',
    "format of another kind": b'{"format": ["derive-ledger/1"]}',
}


@pytest.mark.parametrize("what", UNUSABLE)
def test_what_is_no_ledger_is_refused_in_one_sentence(what: str, tmp_path: Path) -> None:
    file = tmp_path / "ledger.json"
    file.write_bytes(UNUSABLE[what])
    with within(SOON):
        for lang in ("en", "zh"):
            done = CliRunner().invoke(main, ["verify", str(file), "--lang", lang])
            assert done.exit_code == 2, done.output
            assert done.stderr.startswith("L10")
            assert len(done.stderr.splitlines()) <= 2


@pytest.mark.parametrize("name", ["missing.json", ".", "a\x1b[31m.json", "x" * 300, "a\0b"])
def test_a_name_without_a_ledger(name: str, tmp_path: Path) -> None:
    with pytest.raises(DeriveError):
        load_ledger(tmp_path / name)


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.json")
    with pytest.raises(DeriveError):
        load_ledger(tmp_path / "pipe.json")


def card(record: Record, name: str) -> Record:
    """One derivation."""
    found: Record = next(d for d in record["derivations"] if d["id"] == name)
    return found


def given(record: Record, name: str) -> Record:
    """One input."""
    found: Record = next(r for r in record["inputs"] if r["id"] == name)
    return found


def of_itself(record: Record) -> None:
    card(record, "kappa")["tree"] = "kappa + kappa"


def in_a_circle(record: Record) -> None:
    card(record, "I_decode")["tree"] = "I_decode_inf"
    card(record, "I_decode_inf")["tree"] = "I_decode"


def condition_of_itself(record: Record) -> None:
    card(record, "T_wall")["conditions"] = [dict(c) for c in card(record, "b_crit_T")["conditions"]]
    card(record, "T_wall")["conditions"][0]["text"] = "b_crit_T < b"


def powers(record: Record) -> None:
    card(record, "I_decode")["tree"] = "((((b^8)^8)^8)^8)^8"


def chain_of_powers(record: Record) -> None:
    names = ("I_prefill", "I_decode", "I_decode_1", "I_decode_inf")
    for one, other in pairwise(names):
        card(record, one)["tree"] = f"({other}^8)^8 / ({other}^9)^7"


def brackets(record: Record) -> None:
    card(record, "W")["tree"] = "(" * 5000 + "N" + ")" * 5000


def long_sum(record: Record) -> None:
    card(record, "W")["tree"] = " + ".join(["N · w"] * 20_000)


def long_fraction(record: Record) -> None:
    given(record, "N")["exact"] = "9" * 1_000_000 + "/7"


def fraction_without_end(record: Record) -> None:
    given(record, "N")["exact"] = "1/0"


def long_inputs(record: Record) -> None:
    for row in record["inputs"]:
        row["exact"] = "9" * 150 + "/" + "7" * 149 + "1"


def unknown_symbol(record: Record) -> None:
    card(record, "W")["steps"][0]["right"] = "N · __import__"


def unknown_unit(record: Record) -> None:
    given(record, "N")["unit"] = "furlong"
    record["symbols"]["N"]["unit"] = "furlong"


def duplicate_inputs(record: Record) -> None:
    record["inputs"] += record["inputs"]


def duplicate_cards(record: Record) -> None:
    record["derivations"].append(dict(record["derivations"][0]))


def many_steps(record: Record) -> None:
    for row in record["derivations"]:
        row["steps"] = row["steps"] * 8


def many_true_steps(record: Record) -> None:
    for row in record["derivations"]:
        row["steps"] = (row["steps"] + [row["steps"][0]] * 40)[:40]


def many_points(record: Record) -> None:
    for figure in record["figures"]:
        for plot in figure.get("panels") or [figure]:
            for line in plot.get("lines", ()):
                line["points"] = [[str(10**59 + k), "1"] for k in range(150)]


def many_numbers(record: Record) -> None:
    said = {"en": "8 request " * 190, "zh": "8 request " * 190}
    record["findings"] = [{"id": f"f{k}", "severity": "info", "text": said} for k in range(60)]


def many_checks(record: Record) -> None:
    for row in record["derivations"]:
        for step in row["steps"]:
            step["checks"] = [{"by": "pint", "found": "FLOP/byte"}] * 8


def paths(record: Record) -> None:
    for key in ("model", "hardware"):
        record["scenario"][key]["id"] = "../../../../etc/passwd"
    record["scenario"]["id"] = "/etc/passwd"
    given(record, "N")["origin"] = "--set: model"
    given(record, "N")["text"] = "/etc/passwd"


def settings_that_name_files(record: Record) -> None:
    given(record, "arrival")["origin"] = "--set: hardware"
    given(record, "arrival")["text"] = "/etc/hostname.yaml"
    record["calibration"]["MFU"]["low"]["origin"] = "/etc/hostname.yaml: MFU.low"


def escapes(record: Record) -> None:
    given(record, "N")["text"] = "\x1b[31m\u202e70 param\r\n"
    record["results"]["\x1b]0;x\x07"] = record["results"]["W"]


def braces(record: Record) -> None:
    """Format fields in a text are texts."""
    given(record, "N")["text"] = "{name} {0} {__class__}"
    record["checklist"][0]["id"] = "{where}"


FORGERIES: list[Callable[[Record], None]] = [
    of_itself, in_a_circle, condition_of_itself, powers, chain_of_powers, brackets, long_sum,
    long_fraction, fraction_without_end, long_inputs, unknown_symbol, unknown_unit,
    duplicate_inputs, duplicate_cards, many_steps, many_true_steps, many_points, many_numbers,
    many_checks, paths, settings_that_name_files, escapes, braces,
]  # fmt: skip


@pytest.mark.parametrize("forge", FORGERIES, ids=lambda f: f.__name__)
def test_a_forgery_is_found_soon(forge: Callable[[Record], None], tmp_path: Path) -> None:
    record = ledger(LAUNCH)
    forge(record)
    file = tmp_path / "ledger.json"
    file.write_text(json.dumps(sealed(record), ensure_ascii=False), encoding="utf-8")
    with within(SOON):
        found, summary = verify_file(file)
    assert found
    for text in (*found, summary):
        assert text.en.isprintable(), text.en
        assert text.zh.isprintable(), text.zh
        assert len(text.en) < 600


JUNK: list[Any] = [
    None, True, False, 0, -1, 1.5, 1e308, 10**400, "", "x", "1/0", "-1/1", "9" * 5000 + "/1", "b",
    "TPOT", "\x1b[31m", "../../etc/passwd", "a" * 30_000, [], {}, [[]], {"en": 1}, "≈ 1 s",
    "1e9 s", "b^8^8", "b / 0", "0", "max(0, 0)", "min(b)", "b / (b - b)", "T_cross", "(b - b)^-1",
    "floor(b)", "ceil(w)", "−1", "1,000,00", "{}", "{0}",
]  # fmt: skip


def places(value: Any, path: Place = ()) -> list[Place]:
    """Every place of a record, leaves and branches."""
    inner = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    return [path, *(p for key, below in inner for p in places(below, (*path, key)))]


def test_a_forgery_ends_with_one(tmp_path: Path) -> None:
    """Exit codes are the contract: 1 where the ledger does not hold."""
    record = ledger(LAUNCH)
    escapes(record)
    (tmp_path / "ledger.json").write_text(json.dumps(sealed(record)), encoding="utf-8")
    done = CliRunner().invoke(main, ["verify", str(tmp_path / "ledger.json")])
    assert done.exit_code == 1
    assert "Traceback" not in done.output


@pytest.mark.parametrize("seed", range(16))
def test_wrong_types_and_missing_keys_everywhere(seed: int) -> None:
    """The checks themselves raise nothing: what they do not expect, they say."""
    draw = random.Random(seed)
    record = ledger(LAUNCH)
    every = [p for p in places(record) if p and p != ("hash",)]
    for _ in range(draw.choice((1, 1, 2, 5))):
        path, parent = draw.choice(every), record
        try:
            for key in path[:-1]:
                parent = parent[key]  # type: ignore[index]
            if draw.random() < 0.8:
                parent[path[-1]] = draw.choice(JUNK)  # type: ignore[index]
            else:
                del parent[path[-1]]  # type: ignore[arg-type]
        except (KeyError, IndexError, TypeError):
            continue
    with within(SOON):
        for fault in list(judge.faults(sealed(record)))[:100]:
            assert fault.en.isprintable()


@pytest.mark.parametrize("record", [{}, {"format": 1}, {"format": "derive-ledger/1", "hash": []}])
def test_a_record_of_another_kind(record: Record) -> None:
    assert verify(record, roots=())


@pytest.mark.parametrize("forge", [paths, settings_that_name_files, None])
def test_no_other_file_is_opened(
    forge: Callable[[Record], None] | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The named file and the packaged specs, and nothing a ledger may name."""
    monkeypatch.delenv("DERIVE_SPECS", raising=False)
    record = ledger(LAUNCH)
    if forge:
        forge(record)
    file = tmp_path / "ledger.json"
    file.write_text(json.dumps(sealed(record)), encoding="utf-8")
    verify_file(file)  # modules and the message catalogue are loaded
    opened: list[str] = []
    plain = Path.open

    def noted(path: Path, *args: Any, **more: Any) -> Any:
        opened.append(str(path))
        return plain(path, *args, **more)

    monkeypatch.setattr(Path, "open", noted)
    verify_file(file)
    assert opened
    assert [p for p in opened if p != str(file) and not p.startswith(str(specs_home()))] == []
