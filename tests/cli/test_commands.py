"""Every command of the README with its options: output, streams, exit codes, both languages."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from derive.cli import main

LAUNCH = "llama-3-70b-on-4x-h100"
AD_HOC = (
    *("--model", "llama-3.1-8b", "--hardware", "nvidia-l4-24gb", "--devices", "1"),
    *("--batch", "4", "--input", "1000", "--output", "100"),
)
ROOT = Path(__file__).parent.parent.parent
CHINESE = ("\u4e00", "\u9fff")


def run(*args: str) -> Result:
    """A command in this process; what goes wrong unforeseen is raised."""
    done = CliRunner().invoke(main, args)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done


def fine(*args: str) -> str:
    """The output of a command that must work and be silent on stderr."""
    done = run(*args)
    assert (done.exit_code, done.stderr) == (0, "")
    return done.stdout


TAKEN = re.compile(r"precision\.\w+: .+")


def told(*args: str) -> tuple[str, list[str]]:
    """The output of a command that must work, and what it took: formats alone on stderr."""
    done = run(*args)
    lines = done.stderr.splitlines()
    assert done.exit_code == 0
    assert all(TAKEN.fullmatch(line) for line in lines), lines
    return done.stdout, lines


def chinese(text: str) -> bool:
    return any(CHINESE[0] <= c <= CHINESE[1] for c in text)


@pytest.fixture(autouse=True)
def english_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LC_ALL", "LC_MESSAGES", "DERIVE_SPECS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", "C.UTF-8")


# --- eval


def test_eval_prints_a_line_a_value() -> None:
    lines = fine("eval", LAUNCH, "I_decode", "TPOT", "b_max", "b_crit_T").splitlines()
    assert [line.split()[0] for line in lines] == ["I_decode", "TPOT", "b_max", "b_crit_T"]
    assert "≈ 18.30 ms/token (15.69 ms/token – 19.97 ms/token)" in lines[1]
    assert "past the KV wall" in lines[3]


def test_eval_json_is_alone_on_stdout() -> None:
    record = json.loads(fine("eval", LAUNCH, "--json"))
    assert set(record) == {"scenario", "values", "assumed"}
    assert record["assumed"] == {}
    assert record["scenario"] == LAUNCH
    assert record["values"]["b_max"]["value"] == 220
    one = json.loads(fine("eval", LAUNCH, "b_max", "MFU", "--json", "--lang", "zh"))
    assert list(one["values"]) == ["b_max", "MFU"]


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (("--set", "b=16"), 16),
        (("--batch", "16"), 16),
        (("--set", "workload.requests=16 request"), 16),
        (("--set", "requests=16"), None),
    ],
)
def test_all_ways_to_set_a_batch(args: tuple[str, ...], expected: int | None) -> None:
    done = run("eval", LAUNCH, "b", "--json", *args)
    if expected is None:
        assert done.exit_code == 2
        assert not done.stdout
    else:
        assert json.loads(done.stdout)["values"]["b"]["value"] == expected


def test_leading_zeros_are_not_octal() -> None:
    assert (
        json.loads(fine("eval", LAUNCH, "b", "--json", "--set", "b=012"))["values"]["b"]["value"]
        == 12
    )


def test_settings_of_every_kind_together() -> None:
    out, lines = told(
        *("eval", LAUNCH, "--json", "w", "B_peak", "MFU", "g", "TPOT"),
        *("--set", "precision.weights=fp8", "--set", "B_peak=3.0 TB/s/device"),
        *("--set", "MFU=0.4,0.5,0.6", "--devices", "8"),
    )
    assert lines == ["precision.weights: fp8 for every parameter alike: 1 byte/param, no scales"]
    found = json.loads(out)["values"]
    assert found["w"]["value"] == 1
    assert found["B_peak"]["value"] == 3e12
    assert found["g"]["value"] == 8


def test_eval_without_a_file() -> None:
    out, lines = told("eval", *AD_HOC, "--json")
    record = json.loads(out)
    keys = {line.partition(":")[0] for line in lines}
    formats = ("weights", "kv_cache", "compute", "sparsity")
    assert keys == set(record["assumed"]) == {f"precision.{key}" for key in formats}
    assert record["scenario"] == "llama-3.1-8b-on-1x-nvidia-l4-24gb"
    assert "TPOT" in record["values"]
    assert "cost_token" not in record["values"]


def test_without_a_file_the_words_are_symbols() -> None:
    found = json.loads(told("eval", *AD_HOC, "TPOT", "b_max", "--json")[0])
    assert list(found["values"]) == ["TPOT", "b_max"]
    assert run("eval", *AD_HOC, "TPTO").exit_code == 2


def test_options_beside_a_file_change_it() -> None:
    other = json.loads(
        fine("eval", LAUNCH, "N", "g", "--json", "--model", "llama-3.1-8b", "--devices", "2")
    )
    assert other["scenario"] == LAUNCH
    assert other["values"]["N"]["value"] == 8030261248
    assert other["values"]["g"]["value"] == 2


def test_what_does_not_fit_is_no_error() -> None:
    done = run("eval", "article-70b-on-1x-h100", "TPOT", "TPOT_floor", "--json")
    found = json.loads(done.stdout)["values"]
    assert done.exit_code == 0
    assert found["TPOT"]["value"] is None
    assert all(found["TPOT"]["why"].values())
    assert found["TPOT_floor"]["value"] is not None


# --- languages


@pytest.mark.parametrize(
    "args",
    [
        ("eval", LAUNCH),
        ("explain", "TPOT", LAUNCH),
        ("explain", "b_crit"),
        ("hardware",),
        ("hardware", "nvidia-h100-sxm5-80gb"),
        ("model",),
        ("model", "llama-3-70b"),
        ("compare", LAUNCH, "--with", "devices=8"),
    ],
)
def test_both_languages(args: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    english, chinese_text = fine(*args, "--lang", "en"), fine(*args, "--lang", "zh")
    assert not chinese(english)
    assert chinese(chinese_text)
    both = fine(*args, "--lang", "both")
    assert chinese(both)
    if args[0] != "explain":  # which sets both languages side by side
        assert both == f"{english}\n{chinese_text}"
    assert fine(*args) == english
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    assert fine(*args) == chinese_text


@pytest.mark.parametrize(
    "command", ["", "report", "eval", "explain", "verify", "hardware", "model", "compare"]
)
def test_help_in_both_languages(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    args = [command] if command else []
    english = fine(*args, "--help")
    assert english.startswith("Usage: ")
    assert not chinese(english)
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    translated = fine(*args, "--help")
    assert "显示本页" in translated
    assert fine(*args, "-h") == translated


def test_json_is_the_same_in_either_language() -> None:
    for args in (("eval", LAUNCH), ("hardware",), ("model",), ("compare", LAUNCH, "--with", "b=4")):
        assert fine(*args, "--json", "--lang", "en") == fine(*args, "--json", "--lang", "zh")


def cells(line: str) -> list[int]:
    """Terminal columns at which the cells of a row begin."""
    from derive.errors import width

    starts, gap = [], True
    for i, char in enumerate(line):
        if not line[i:].startswith("   ") and gap and char != " ":
            starts.append(width(line[:i]))
        gap = line[max(0, i - 2) : i + 1] == "   "
    return starts


@pytest.mark.parametrize("command", ["hardware", "model"])
def test_lists_are_aligned_whatever_the_script(command: str) -> None:
    for lang in ("en", "zh"):
        lines = fine(command, "--lang", lang).splitlines()
        assert len(lines) > 5
        heads = cells(lines[0])
        assert all(cells(line) == heads for line in lines[1:])


# --- explain


def test_explain_symbolic_and_with_numbers() -> None:
    assert "I_ridge" in fine("explain", "b_crit")
    assert "≈ 18.30 ms" in fine("explain", "TPOT", LAUNCH)
    assert "checks passed" in fine("explain", "TPOT", LAUNCH)
    assert "≈ 18.30 ms" in fine("explain", "TPOT", LAUNCH, "--set", "T=2304")
    assert fine("explain", "TPOT", *AD_HOC)


@pytest.mark.parametrize("name", ["b", "MFU", "c_op", "B_peak", "price", "TTFT_meas"])
def test_inputs_and_constants_can_be_explained(name: str) -> None:
    assert fine("explain", name).startswith(name)
    assert fine("explain", name, LAUNCH).startswith(name)


def test_what_has_no_value_is_explained_all_the_same() -> None:
    assert "past the KV wall" in fine("explain", "b_crit_T", LAUNCH)
    assert "at least 2" in fine("explain", "TPOT", "article-70b-on-1x-h100")
    assert "price" in fine("explain", "cost_token", *AD_HOC)


# --- specs


def test_contexts_of_a_spec_and_of_a_config() -> None:
    config = ROOT / "tests" / "architecture" / "configs" / "google__gemma-3-1b-it.json"
    for name in ("gemma-3-1b", str(config)):
        text = fine("model", name, "--context", "300,5000")
        assert "KV cache at 300 tokens, live" in text
        assert "KV cache at 5,000 tokens, live" in text
        assert "8,192 tokens" not in text
        kv = json.loads(fine("model", name, "--context", "300,5000", "--json"))["kv"]
        assert kv["bytes_at_context"] == {"300": 300 * 26624, "5000": 5000 * 4096 + 512 * 22528}


@pytest.mark.parametrize(
    ("given", "named"),
    [("0,-1,1e9,abc,7", "0, -1, 1e9, abc is"), (",", "'', ''"), ("1,,2", "''"), (" ", "''")],
)
def test_every_context_that_is_none_is_named(given: str, named: str) -> None:
    done = run("model", "gemma-3-1b", "--context", given)
    assert done.exit_code == 2
    assert named in done.stderr
    assert "whole numbers from 1 to 1,000,000,000" in done.stderr


def test_contexts_without_a_model_are_refused() -> None:
    done = run("model", "--context", "100")
    assert (done.exit_code, done.stdout) == (2, "")
    assert "needs the name of a model" in done.stderr


def test_one_accelerator_and_one_model_as_json() -> None:
    device = json.loads(fine("hardware", "H100 SXM5", "--json"))
    assert device["id"] == "nvidia-h100-sxm5-80gb"
    assert device["bandwidth"]["value"] == "3.35 TB/s"
    model = json.loads(fine("model", "llama-3-70b", "--json"))
    assert model["bytes"]["bf16"]["kv_per_token"] == 327680
    assert len(json.loads(fine("hardware", "--json"))) > 40


def test_every_listed_spec_can_be_shown() -> None:
    for command in ("hardware", "model"):
        names = [line.split()[0] for line in fine(command).splitlines()[1:]]
        for name in names[::7]:
            assert name in fine(command, name)


def test_specs_of_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packaged = (ROOT / "specs/hardware/nvidia-l4-24gb.yaml").read_text("utf-8")
    (tmp_path / "hardware").mkdir()
    own = tmp_path / "hardware" / "my-card.yaml"
    own.write_text(
        packaged.replace("id: nvidia-l4-24gb", "id: my-card").replace("aliases:", "#"), "utf-8"
    )
    assert run("hardware", "my-card").exit_code == 2
    assert "my-card" in fine("hardware", "my-card", "--specs", str(tmp_path))
    assert "my-card" in fine("hardware", "--specs", str(tmp_path))
    assert fine("eval", LAUNCH, "b_max", "--hardware", "my-card", "--specs", str(tmp_path))
    monkeypatch.setenv("DERIVE_SPECS", str(tmp_path))
    assert "my-card" in fine("hardware", "my-card")
    assert "my-card" in fine("hardware", str(own))  # by its path as well
    assert fine("eval", LAUNCH, "b_max", "--hardware", "my-card")


# --- compare


def test_compare_sets_changes_side_by_side() -> None:
    both = "precision.weights=fp8,precision.compute=fp8"
    text = fine("compare", LAUNCH, "--with", "devices=8", "--with", both)
    head = text.splitlines()[0]
    assert all(name in head for name in (LAUNCH, "devices=8", both))
    assert "better: TTFT 0.5×, TPOT 0.5×, decode throughput" in text
    assert "w: 2 byte/param → 1 byte/param" in text


def compared(*args: str) -> list[dict[str, Any]]:
    """The columns of a comparison with the launch scenario."""
    columns: list[dict[str, Any]] = json.loads(fine("compare", LAUNCH, "--json", *args))["columns"]
    return columns


def test_a_change_lies_over_the_settings() -> None:
    changes = ("--with", "b=32", "--with", "workload.requests=64")
    for settings in (("--set", "b=16"), ("--batch", "16")):
        columns = compared(*settings, *changes)
        moved = [c["moved"].get("b", {}).get("to") for c in columns]
        assert moved == [None, "32 request", "64 request"]


def test_a_change_may_undo_what_its_other_name_set() -> None:
    _, changed = compared("--set", "w=1 byte/param", "--with", "precision.weights=fp16")
    assert changed["moved"]["w"] == {"from": "1 byte/param", "to": "2 byte/param"}


def test_each_side_of_a_comparison_fits_by_its_own_formulas() -> None:
    experts = "specs/scenarios/deepseek-v3-on-8x-h200.yaml"
    text = fine("compare", experts, "--with", "model=llama-3.1-405b", "--json")
    sides = json.loads(text)["columns"]
    assert [s["fits"] for s in sides] == [True, True]
    assert "now it fits" not in sides[1]["verdict"]["en"]


def test_compare_as_json() -> None:
    base, small, slow = compared("--with", "devices=1", "--with", "MFU=0.3,0.4,0.5")
    assert base["rows"]["TPOT"]["ratio"] == 1
    assert base["fits"]
    assert not small["fits"]
    assert small["rows"]["TPOT"]["value"] is None
    assert small["rows"]["TPOT"]["why"]["zh"]
    assert "at least 2" in small["verdict"]["en"]
    assert slow["rows"]["TTFT"]["ratio"] == pytest.approx(1.25)
    assert slow["moved"]["MFU"] == {"from": "0.4 / 0.5 / 0.6", "to": "0.3 / 0.4 / 0.5"}
    assert "worse: TTFT 1.25×" in slow["verdict"]["en"]
    assert "变差：TTFT 1.25×" in slow["verdict"]["zh"]


def test_compare_tells_targets_and_prices_apart() -> None:
    changes = ("devices=2", "T=2304", "hardware=nvidia-h200-sxm-141gb")
    _, half, same, other = compared(*(part for c in changes for part in ("--with", c)))
    assert "the TPOT target of 25 ms/token is missed" in half["verdict"]["en"]
    assert same["verdict"] == {"en": "nothing changes", "zh": "没有变化"}
    assert "at the same 2.5 USD/hour/device" in other["verdict"]["en"]


def test_compare_where_the_base_does_not_fit() -> None:
    text = fine("compare", "article-70b-on-1x-h100", "--with", "devices=8")
    assert "now it fits" in text
    assert "at least" not in text


def test_compare_writes_one_document(tmp_path: Path) -> None:
    changes = ("--with", "hardware=nvidia-h200-sxm-141gb", "--with", "precision.weights=fp8")
    done = run("compare", LAUNCH, *changes, "--to", "html,md,json", "-o", str(tmp_path))
    assert done.exit_code == 0
    stem = tmp_path / f"{LAUNCH}-compared"
    assert done.stdout.count("wrote ") == 3
    record = json.loads(stem.with_suffix(".json").read_text(encoding="utf-8"))
    assert [c["name"] for c in record["columns"]] == [LAUNCH, *changes[1::2]]
    html = stem.with_suffix(".html").read_text(encoding="utf-8")
    assert "改动前后都由带宽决定" in html
    assert "compute decides before and after" in html
    assert "<script" not in html
    assert html.count('class="candidate"') == 2
    markdown = stem.with_suffix(".md").read_text(encoding="utf-8")
    assert markdown.count("hardware=nvidia-h200-sxm-141gb") == 4  # table and heading, two languages
    assert "## 中文" in markdown
    run("compare", LAUNCH, *changes, "--to", "md", "--lang", "en", "-o", str(tmp_path))
    assert "中文" not in stem.with_suffix(".md").read_text(encoding="utf-8")


def test_compare_without_a_file() -> None:
    assert "devices=2" in fine("compare", *AD_HOC, "--with", "devices=2")


# --- report and verify


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with the ledger of a scenario that fits and of one that does not."""
    folder = tmp_path_factory.mktemp("written")
    for name in (LAUNCH, "article-70b-on-1x-h100"):
        done = run("report", name, "--to", "json", "-o", str(folder))
        assert done.exit_code == 0
        assert "wrote" in done.stdout
        assert name in done.stderr
    return folder


def test_report_writes_what_it_says(written: Path) -> None:
    for path in written.iterdir():
        assert json.loads(path.read_text("utf-8"))["scenario"]["id"] == path.stem
    assert len(list(written.iterdir())) == 2


@pytest.mark.parametrize(
    ("name", "sets", "code"),
    [
        (LAUNCH, (), 0),
        (LAUNCH, ("--set", "slo.TPOT=15 ms/token"), 1),
        (LAUNCH, ("--set", "slo.TTFT=100 ms"), 1),
        ("article-70b-on-1x-h100", (), 1),
    ],
)
def test_strict_turns_a_missed_target_into_a_finding(
    name: str, sets: tuple[str, ...], code: int, tmp_path: Path
) -> None:
    args = ("report", name, "--to", "json", "-o", str(tmp_path), *sets)
    assert run(*args, "--strict").exit_code == code
    assert list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "far", [("b=1", "T_in=1", "T_out=1"), ("b=10000000", "T_in=1"), ("T_in=100000000",)]
)
def test_far_numbers_of_a_mixture_of_experts_hold(far: tuple[str, ...], tmp_path: Path) -> None:
    """The share of experts to the power of so many tokens has no value; the rest has."""
    sets = [part for assignment in far for part in ("--set", assignment)]
    done = run("report", "deepseek-v3-on-8x-h200", *sets, "--to", "md,json", "-o", str(tmp_path))
    assert done.exit_code == 0
    assert run("verify", *map(str, tmp_path.glob("*.json"))).exit_code == 0


def test_verify_holds_and_finds_a_changed_number(written: Path, tmp_path: Path) -> None:
    ledger = written / f"{LAUNCH}.json"
    for lang in ("en", "zh"):
        done = run("verify", str(ledger), "--lang", lang)
        assert (done.exit_code, done.stderr) == (0, "")
        assert done.stdout
    text = ledger.read_text("utf-8")
    changed = tmp_path / "changed.json"
    changed.write_text(text.replace('"141107412992/1"', '"141107412993/1"', 1), "utf-8")
    done = run("verify", str(changed))
    assert done.exit_code == 1
    assert done.stdout
    assert done.stderr == ""


def test_hand_set_quantities_make_a_ledger_that_holds(tmp_path: Path) -> None:
    sets = ("TPOT=20 ms/token", "I_ridge=300 FLOP/byte", "b_max=50", "W=100 GB")
    args = [part for s in sets for part in ("--set", s)]
    assert run("report", LAUNCH, "--to", "json", "-o", str(tmp_path), *args).exit_code == 0
    done = run("verify", str(tmp_path / f"{LAUNCH}.json"))
    assert (done.exit_code, done.stdout.count("\n")) == (0, 1), done.stdout


def test_formats_may_repeat_and_have_spaces(tmp_path: Path) -> None:
    done = run("report", LAUNCH, "--to", "json, json", "-o", str(tmp_path))
    assert done.exit_code == 0
    assert done.stdout.count("wrote") == 1


def test_a_failed_run_leaves_the_earlier_files(written: Path) -> None:
    before = (written / f"{LAUNCH}.json").read_bytes()
    assert run("report", LAUNCH, "--to", "json", "-o", str(written), "--set", "b=0").exit_code == 2
    assert (written / f"{LAUNCH}.json").read_bytes() == before


# --- what goes wrong outside


@pytest.mark.parametrize(
    ("trouble", "code", "said"),
    [
        (KeyboardInterrupt(), 130, ""),
        (OSError(28, "No space left on device", "/dev/full"), 2, "no space is left"),
    ],
)
def test_trouble_is_no_traceback(
    trouble: BaseException, code: int, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise trouble

    monkeypatch.setattr("derive.study.values.values", fail)
    done = run("eval", LAUNCH)
    assert done.exit_code == code
    assert said in done.stderr
    assert not done.stdout


# --- as a process


@pytest.mark.parametrize(
    ("args", "code", "stdout", "stderr"),
    [
        (["eval", LAUNCH, "b_max"], 0, "b_max   220 request", ""),
        (["eval", LAUNCH, "TPTO"], 2, "", "E102"),
        ([], 2, "", "Usage:"),
        (["--version"], 0, "derive, version", ""),
        (["eval", LAUNCH, "--set", "B_peak=3.35"], 2, "", "S301"),
    ],
)
def test_streams_and_exit_codes(args: list[str], code: int, stdout: str, stderr: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "derive.cli", *args],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == code
    assert done.stdout.startswith(stdout)
    assert bool(done.stdout) == bool(stdout)
    assert done.stderr.startswith(stderr)
    assert "Traceback" not in done.stderr


def test_a_closed_pipe_is_no_traceback() -> None:
    command = f"{sys.executable} -m derive.cli eval {LAUNCH} | head -1"
    done = subprocess.run(
        ["bash", "-c", command], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.count("\n") == 1
    assert done.stderr == ""


def test_readme_commands_work(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Every command that the README shows after a prompt."""
    monkeypatch.chdir(tmp_path)
    for name in ("README.md", "README.zh.md"):
        lines = (ROOT / name).read_text("utf-8").splitlines()
        shown = [shlex.split(line)[2:] for line in lines if line.startswith("$ derive ")]
        assert shown
        assert all(run(*args).exit_code in (0, 1) for args in shown)


def test_what_compare_prints_is_no_ledger_and_verify_says_which_is(tmp_path: Path) -> None:
    printed = tmp_path / "printed.json"
    printed.write_text(run("compare", LAUNCH, "--with", "devices=8", "--json").stdout)
    for lang, told in (("en", "compare, measure or checklist writes with --to json"),
                       ("zh", "用 --to json 写出的文件")):  # fmt: skip
        done = run("verify", str(printed), "--lang", lang)
        assert done.exit_code == 2
        assert told in done.stderr
