"""What a sweep writes: CSV and Parquet alike, whole or not at all, with bounded memory."""

from __future__ import annotations

import csv
import importlib.util
import io
import json
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from pyarrow import parquet

from derive.cli import main
from derive.sweep import run as run_of
from derive.sweep.csv_file import quoted
from derive.sweep.run import Sweep
from tests.clock import within

from .conftest import LLAMA, sweep

STEM = LLAMA
BOTH = ("--over", "b=100:500:100", "--over", "T=1024,80192")
RUN = "from derive.cli import main; main()"


def derive(*args: str) -> Result:
    """The command with English words."""
    return CliRunner().invoke(main, ["sweep", *args, "--lang", "en"], prog_name="derive")


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_both_files_hold_the_same_rows_with_units_and_reasons(tmp_path: Path) -> None:
    words = "hardware=nvidia-h200-sxm-141gb,nvidia-h100-sxm5-80gb"
    done = derive(LLAMA, "--over", words, *BOTH, "--to", "csv,parquet", "-o", str(tmp_path))
    assert done.exit_code == 0, done.stderr
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        f"{STEM}.csv", f"{STEM}.csv-metadata.json", f"{STEM}.parquet",
    ]  # fmt: skip
    raw = (tmp_path / f"{STEM}.csv").read_bytes()
    assert raw.count(b"\r\n") == raw.count(b"\n") == 21
    written = rows_of(raw.decode())
    file = parquet.ParquetFile(tmp_path / f"{STEM}.parquet")
    table = file.read()
    heads = {
        f.name: f"{f.name} [{f.metadata[b'unit'].decode()}]" if f.metadata[b"unit"] else f.name
        for f in table.schema
    }
    assert heads["TPOT"] == "TPOT [s*request/token]"
    assert heads["replicas"] == "replicas"
    assert len(written) == table.num_rows == 20
    for text, stored in zip(written, table.to_pylist(), strict=True):
        for name, value in stored.items():
            shown = text[heads[name]]
            if value is None:
                assert shown == ""
            elif isinstance(value, bool):
                assert shown == str(value).lower()
            else:
                assert type(value)(shown) == value
    assert [r["b"] for r in table.to_pylist()] == [
        b for b in range(100, 501, 100) for _ in "TT"
    ] * 2
    described = json.loads((tmp_path / f"{STEM}.csv-metadata.json").read_text("utf-8"))
    assert [c["titles"] for c in described["tableSchema"]["columns"]] == list(heads.values())
    about = described["notes"][0]
    assert about == json.loads(file.metadata.metadata[b"derive"])
    assert about["rows"] == 20
    by_name = {c["name"]: c for c in about["columns"]}
    assert by_name["b"]["kind"] == by_name["b_max"]["kind"] == "integer"
    assert by_name["TPOT"]["empty"] == sum(not r["TPOT [s*request/token]"] for r in written) > 0
    assert by_name["TPOT"]["why"] == [
        {"en": "the scenario does not fit: fits is false", "zh": "该场景放不下：fits 为 false"}
    ]
    assert by_name["b_crit_T"]["empty"]
    assert "past the KV wall no batch reaches the ridge" in [
        w["en"] for w in by_name["b_crit_T"]["why"]
    ]
    assert by_name["kappa"]["empty"] == 0
    assert by_name["kappa"]["why"] == []


def test_a_pipe_gets_csv_and_nothing_else() -> None:
    done = derive(LLAMA, "--over", "b=1:2", "--symbols", "b_max,TPOT,kappa")
    bytes_per_s = 4 * 3.35e12 * 0.60  # devices, bandwidth, MBU
    assert done.stdout_bytes.decode() == (
        "b [request],fits,b_max [request],TPOT [s*request/token],kappa [byte/token]\r\n"
        f"1,true,220,{(141_107_412_992 + 2304 * 327_680) / bytes_per_s!r},327680.0\r\n"
        f"2,true,220,{(141_107_412_992 + 2 * 2304 * 327_680) / bytes_per_s!r},327680.0\r\n"
    )


def test_the_terminal_gets_the_first_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("derive.sweep_command.terminal", lambda: True)
    done = derive(LLAMA, *BOTH)
    lines = done.stdout.splitlines()
    assert lines[0].split()[:5] == ["b", "T", "fits", "TTFT", "TPOT"]
    assert "≈ 27.77 ms/token" not in lines[1]
    assert lines[1].split()[:6] == ["100", "request", "1,024", "token/request", "yes", "≈"]
    assert lines[2].count("–") >= 3
    assert lines[-1].startswith("10 points, ")
    few = derive(LLAMA, "--over", "b=1:99", "--symbols", "TPOT").stdout.splitlines()
    assert len(few) == 1 + 12 + 2
    assert few[0].split() == ["b", "fits", "TPOT"]


def test_words_alone_are_a_grid_too() -> None:
    done = derive(LLAMA, "--over", "precision.weights=bf16,fp8", "--symbols", "W")
    assert [r["W [byte]"] for r in rows_of(done.stdout)] == ["141107412992.0", "70553706496.0"]


def test_an_axis_stands_for_the_option_of_its_name() -> None:
    given = ("--hardware", "nvidia-l4-24gb", "--devices", "1", "--input", "10", "--output", "5")
    done = derive("--model", "llama-3.1-8b", *given, "--over", "b=3:4", "--symbols", "KV_total")
    assert done.exit_code == 0, done.stderr
    assert [r["b [request]"] for r in rows_of(done.stdout)] == ["3", "4"]


def test_what_is_not_given_is_an_empty_column_with_its_reason(tmp_path: Path) -> None:
    done = derive(
        LLAMA, "--over", "b=1:2", "--symbols", "MBU_meas", "--to", "csv", "-o", str(tmp_path)
    )
    assert done.exit_code == 0, done.stderr
    about = json.loads((tmp_path / f"{STEM}.csv-metadata.json").read_text("utf-8"))["notes"][0]
    column = about["columns"][-1]
    assert column["empty"] == 2
    assert column["why"][0]["en"].startswith("needs ")


@pytest.mark.parametrize(
    ("text", "wanted"), [("a,b", '"a,b"'), ('a"b', '"a""b"'), ("a\nb", '"a\nb"'), ("ab", "ab")]
)
def test_fields_are_quoted_as_rfc_4180_says(text: str, wanted: str) -> None:
    assert quoted(text) == wanted
    assert next(csv.reader(io.StringIO(wanted, newline=""))) == [text]


@pytest.mark.parametrize("stops", [KeyboardInterrupt, OSError])
def test_a_failed_run_leaves_the_earlier_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stops: type[BaseException]
) -> None:
    target = ("--to", "csv,parquet", "-o", str(tmp_path))
    assert derive(LLAMA, "--over", "b=1:3", *target).exit_code == 0
    before = {p.name: p.read_bytes() for p in tmp_path.iterdir()}
    plain = Sweep.rows

    def breaking(self: Sweep, block: Any, found: Any) -> Any:
        if block.spans[0][0]:
            raise stops
        return plain(self, block, found)

    monkeypatch.setattr(Sweep, "rows", breaking)
    monkeypatch.setattr(run_of, "BLOCK", 2)
    assert derive(LLAMA, "--over", "b=1:9", *target).exit_code != 0
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == before


def peak(rows: int, directory: Path) -> float:
    """MiB that a process needs for so many rows of every column."""
    over = ["--over", f"b=1:{rows // 1000}", "--over", "T=1:1000"]
    command = [sys.executable, "-c", RUN, "sweep", LLAMA, *over, "--to", "parquet"]
    process = subprocess.Popen([*command, "-o", str(directory)], stdout=subprocess.DEVNULL)
    status, most = Path(f"/proc/{process.pid}/status"), 0
    while process.poll() is None:  # getrusage would begin with the peak of this process
        own = re.search(r"VmHWM:\s*(\d+)", status.read_text()) if status.exists() else None
        most = int(own[1]) if own else most
        time.sleep(0.02)
    assert process.returncode == 0
    assert parquet.read_metadata(directory / f"{STEM}.parquet").num_rows == rows
    return most / 2**10


def test_memory_does_not_grow_with_the_grid(tmp_path: Path) -> None:
    few, many = (peak(rows, tmp_path) for rows in (300_000, 1_200_000))
    assert many < 512
    assert many < few + 64


def test_a_million_points_take_no_python_loop() -> None:
    asked = sweep(LLAMA, "b=1:1000", "T=1:1000")
    with within(2):  # a fraction of it; in Python it would be hours
        count = sum(asked.rows(block, found).count for block, found in asked.evaluated())
        assert count == 1_000_000


def test_blocks_of_any_size_make_the_same_file(
    monkeypatch: pytest.MonkeyPatch, file_of: Callable[..., bytes]
) -> None:
    asked = ("b=1:9", "T_in=1:40:13", "T_out=2:8")
    found = []
    for size in (1, 5, 30, 10**6):
        monkeypatch.setattr(run_of, "BLOCK", size)
        found.append(file_of(sweep("deepseek-v3-on-8x-h200", *asked)))
    assert len(set(found)) == 1
    assert found[0].count(b"\r\n") == 9 * 4 * 7 + 1


def test_the_bench_of_sweeps_runs(capsys: pytest.CaptureFixture[str]) -> None:
    path = Path(__file__).resolve().parents[2] / "tools" / "bench.py"
    spec = importlib.util.spec_from_file_location("bench", path)
    assert spec is not None
    assert spec.loader is not None
    bench = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(bench)
    bench.points_per_second("llama-3-70b-on-4x-h100")
    rates = re.findall(r"([0-9.]+) million points/s", capsys.readouterr().out)
    assert len(rates) == 2
    assert all(float(rate) > 0.5 for rate in rates)  # 6 to 7 at rest; the bar of the bench is 2
