"""`derive checklist`: one text on stdout, or files; the load of a measured run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from derive.cli import main

LAUNCH = "llama-3-70b-on-4x-h100"
SAMPLES = Path(__file__).parent.parent / "measured" / "samples"


def run(*args: str) -> Result:
    """A command in this process; what goes wrong unforeseen is raised."""
    done = CliRunner().invoke(main, args)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done


def test_markdown_is_alone_on_stdout() -> None:
    done = run("checklist", LAUNCH, "--lang", "en")
    assert done.exit_code == 0
    assert done.stdout.startswith("# On-call checklist: Llama 3 70B chat on four H100\n")
    assert "deriving" in done.stderr


def test_its_json_is_a_ledger_that_holds(tmp_path: Path) -> None:
    text = run("checklist", LAUNCH, "--to", "json").stdout
    assert {row["group"] for row in json.loads(text)["checklist"]} >= {"questions", "symptoms"}
    path = tmp_path / "ledger.json"
    path.write_text(text, encoding="utf-8")
    assert run("verify", str(path)).exit_code == 0


def test_files_stand_in_the_folder_named(tmp_path: Path) -> None:
    done = run("checklist", LAUNCH, "--to", "md,html", "-o", str(tmp_path))
    assert done.exit_code == 0
    assert {p.name for p in tmp_path.iterdir()} == {
        f"{LAUNCH}-checklist.{e}" for e in ("md", "html")
    }


@pytest.mark.parametrize("sample", ["vllm_bench_serve_new.json", "aiperf_profile_export_v1_5.json"])
def test_a_measured_run_sets_load_and_figures(sample: str, tmp_path: Path) -> None:
    done = run(
        "checklist",
        LAUNCH,
        "--measured",
        str(SAMPLES / sample),
        "--to",
        "json",
        "-o",
        str(tmp_path),
    )
    assert done.exit_code == 0
    (path,) = tmp_path.iterdir()
    record = json.loads(path.read_text(encoding="utf-8"))
    inputs = {i["id"]: i["shown"] for i in record["inputs"]}
    assert (inputs["b"], inputs["TPOT_meas"]) == ("2 request", "12.05 ms/token")
    rows = {row["id"]: row["answer"]["en"] for row in record["checklist"]}
    assert rows["measured"].startswith("TPOT 12.05 ms/token, TTFT 41.15 ms, an MBU of ≈ 0.87")
    # (141.107 GB + 2 x 130 x 327,680 B) / 13.4 TB/s = 10.537 ms; 12.05 / 10.537 = 1.14
    assert "measured 12.05 ms/token is 1.14 times that: the hardware is the limit" in rows["floor"]
    assert run("verify", str(path)).exit_code == 0


def test_what_is_set_by_hand_stays(tmp_path: Path) -> None:
    sample = str(SAMPLES / "vllm_bench_serve_new.json")
    run("checklist", LAUNCH, "--measured", sample, "--set", "b=4", "--to", "json", "-o",
        str(tmp_path))  # fmt: skip
    record = json.loads(next(tmp_path.iterdir()).read_text(encoding="utf-8"))
    assert next(i["exact"] for i in record["inputs"] if i["id"] == "b") == "4/1"
