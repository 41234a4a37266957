"""`derive measure` and `derive report --measured` from end to end."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from derive import measure_command
from derive.cli import main
from derive.errors import width

SAMPLES = Path(__file__).parent.parent / "measured" / "samples"
SERVING = str(SAMPLES / "vllm_bench_serve_new.json")
LAUNCH = "llama-3-70b-on-4x-h100"
HAN = re.compile("[\u4e00-\u9fff]")


def run(*args: str) -> Result:
    """A command in this process; what goes wrong unforeseen is raised."""
    done = CliRunner().invoke(main, args)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done


def test_without_a_scenario_every_figure_has_one_line() -> None:
    lines = run("measure", SERVING, "--lang", "en").stdout.splitlines()
    ids = [line.split()[0] for line in lines[1:] if line.startswith("   ")]
    assert ids.count("TTFT_meas") == ids.count("TPOT_meas") == 1
    (told,) = (line for line in lines if line.startswith("   TTFT_meas"))
    assert "41.15 ms" in told
    assert "median 40.85  p99 43.043" in told
    assert "   ! the file does not tell: hardware, weights" in lines


def test_each_phase_has_its_own_bound() -> None:
    text = run("measure", SERVING, "--scenario", LAUNCH, "--lang", "en").stdout
    decode, prefill = text.split("\n\n")[1:]
    assert "first-order bound at peak, weights and KV cache" in decode
    assert "prefill of one prompt at peak" in prefill
    assert "KV cache" not in prefill


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_sentences_keep_to_the_width_and_to_their_language(lang: str) -> None:
    text = run("measure", SERVING, "--scenario", LAUNCH, "--lang", lang).stdout
    assert max(map(width, text.splitlines())) <= 100
    if lang == "en":
        assert not HAN.search(text)
    else:
        assert not re.search("[\u4e00-\u9fff][;:,]|[;:,][\u4e00-\u9fff]", text)
        assert "；" in text


def test_kernels_are_a_table_with_names() -> None:
    trace = str(SAMPLES / "torch_profiler_trace.json")
    text = run("measure", trace, "--scenario", LAUNCH, "--lang", "en").stdout
    (row,) = (line for line in text.splitlines() if "aten::mm" in line)
    cells = re.split(r"   +", row.strip())
    # 2·16·4,096·14,336 FLOP over 38.4 µs and (16·4,096 + 4,096·14,336 + 16·14,336)·2 byte
    assert cells[:4] == ["aten::mm (16×4096, 4096×14336)", "1", "38.4 µs", "≈ 0.9275"]
    assert cells[4] == "≈ 15.92 FLOP/byte"
    assert cells[5] == "≈ 35.23 µs"  # 118,030,336 byte at 3.35 TB/s


def test_a_large_file_shows_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure_command, "LARGE", 100)
    done = run("measure", SERVING, "--lang", "en")
    assert "reading vllm_bench_serve_new.json" in done.stderr
    assert "reading" not in done.stdout


def test_documents_in_every_format(tmp_path: Path) -> None:
    done = run(
        "measure", SERVING, "--scenario", LAUNCH, "--to", "html,md,json", "-o", str(tmp_path)
    )
    assert done.exit_code == 0
    stem = f"{LAUNCH}-measured"
    assert {p.name for p in tmp_path.iterdir()} == {f"{stem}.{e}" for e in ("html", "md", "json")}
    found = json.loads((tmp_path / f"{stem}.json").read_text())["measured"]
    assert [f["id"] for f in found["figures"]] == ["roofline_measured"]
    share = found["runs"][0]["phases"][0]["share"]["display"]
    assert share in (tmp_path / f"{stem}.md").read_text()
    assert share in (tmp_path / f"{stem}.html").read_text()


def test_a_report_holds_the_runs_in_a_section(tmp_path: Path) -> None:
    done = run(
        "report", LAUNCH, "--measured", SERVING, "--to", "json,md", "-o", str(tmp_path),
        "--lang", "en",
    )  # fmt: skip
    assert done.exit_code == 0
    text = (tmp_path / f"{LAUNCH}.md").read_text()
    assert "\n## 9 Measured against the bound\n" in text
    assert f"derive report {LAUNCH} --measured {SERVING}" in text
    ledger = tmp_path / f"{LAUNCH}.json"
    assert json.loads(ledger.read_text())["measured"]["runs"][0]["phases"]
    assert run("verify", str(ledger)).exit_code == 0


def test_a_ledger_that_claims_runs_it_has_not_is_refused(tmp_path: Path) -> None:
    run("report", LAUNCH, "--measured", SERVING, "--to", "json", "-o", str(tmp_path))
    path = tmp_path / f"{LAUNCH}.json"
    found = json.loads(path.read_text())
    del found["measured"]
    path.write_text(json.dumps(found))
    done = run("verify", str(path), "--lang", "en")
    assert done.exit_code == 1
    assert "asked: --measured is not what the ledger holds" in done.stdout
