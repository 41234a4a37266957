"""Documents of measured runs: Markdown, pages, and the roofline with its points."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from html import unescape
from pathlib import Path

import pytest
from click.testing import CliRunner
from pymarkdown.api import PyMarkdownApi

from derive.cli import main
from derive.render import measured_markdown, measured_page, runs
from derive.render.folding import folded

from .measured_ledgers import (
    LAUNCH,
    PROFILE,
    PUBLIC,
    SAMPLES,
    SERVING,
    SMALL,
    ledger,
    of_files,
    trace,
)
from .pdf_reading import run

HAN = re.compile("[\u4e00-\u9fff]")
CALLS = [
    ("aten::mm", [[2048, 4096], [4096, 14336]], 900.0),
    ("aten::relu", [[16]], 300.0),
    ("aten::mm", [[16, 4096], [4096, 14336]], 100.0),
]


@pytest.mark.parametrize("lang", ["zh", "en", "both"])
@pytest.mark.parametrize(
    "names", [(SERVING,), (SERVING, "mlperf_summary_row.json", PROFILE), ("llama_bench.csv",)]
)
def test_a_linter_finds_nothing(names: tuple[str, ...], lang: str, tmp_path: Path) -> None:
    text = measured_markdown.document(ledger(SMALL, *names), lang, "measured")
    path = tmp_path / "measured.md"
    path.write_text(text, encoding="utf-8")
    # a row of a table is one line, however long
    found = PyMarkdownApi().disable_rule_by_identifier("md013").scan_path(str(path))
    assert [f"{f.line_number} {f.rule_id} {f.rule_description}" for f in found.scan_failures] == []
    assert lang != "en" or not HAN.search(text)


def test_every_number_of_a_phase_is_printed() -> None:
    made = ledger(LAUNCH, SERVING)
    text = unescape(re.sub(r"<[^>]*>", "", measured_page.html(made, "en", "m").decode()))
    text = text.replace("\u00a0", " ")
    for phase in made["measured"]["runs"][0]["phases"]:
        for key in ("measured", "bound", "streamed", "weights", "share", "MBU", "MFU"):
            assert phase[key] is None or phase[key]["display"] in text
        for words in (phase["meaning"], phase["wall"], *phase["first"], *phase["skip"]):
            assert words["en"] in text


def test_runs_with_one_diagnosis_hear_its_advice_once() -> None:
    name = "sglang_bench_serving.jsonl"
    made = ledger(SMALL, name)["measured"]
    assert len(made["runs"]) == 2
    view = runs.view(made)
    assert [len(d["runs"]) for d in view["diagnoses"]] == [2, 2]
    advice = [row["text"]["en"] for row in view["diagnoses"][0]["first"]]
    assert len(advice) == len(set(advice))
    text = measured_markdown.document(ledger(SMALL, name), "en", "m")
    assert text.count("find out what is not as assumed") == len(view["diagnoses"])


def test_sentences_that_differ_in_decimals_become_one_with_both_ends() -> None:
    one, other = {"number": 1}, {"number": 2}
    say = {1: "at least ≈ 1.25 of 8 bits", 2: "at least ≈ 1.5 of 8 bits"}
    given = [(run, {"en": say[n], "zh": say[n]}, None) for n, run in enumerate((one, other), 1)]
    (row,) = runs.gathered(given, 3)
    assert row["text"]["en"] == "at least ≈ 1.25 – 1.5 of 8 bits"
    assert row["runs"] == [one, other]
    (row,) = runs.gathered(given, 2)
    assert row["runs"] == []


def test_a_measured_point_lies_where_operations_over_time_put_it() -> None:
    (figure,) = ledger(LAUNCH, SERVING)["measured"]["figures"]
    (decode,) = (p for p in figure["points"] if p["id"].startswith("TPOT"))
    (gap,) = (line for line in figure["lines"] if line["id"] == "gap-TPOT-1")
    # 2 requests, a token each, 2 FLOP for each of 70,553,706,496 parameters, in 12.05 ms
    done = Fraction(2 * 2 * 70_553_706_496, 10**12) / Fraction("0.01205")
    assert float(decode["y"]) == pytest.approx(float(done), rel=1e-6)
    roof = float(gap["points"][1][1])
    share = ledger(LAUNCH, SERVING)["measured"]["runs"][0]["phases"][0]["share"]["value"]
    assert float(decode["y"]) / roof == pytest.approx(share, rel=1e-6)
    assert float(decode["y"]) < roof


def test_kernels_are_as_large_as_their_share_and_named_by_their_rank(tmp_path: Path) -> None:
    made = of_files(SMALL, [trace(tmp_path / "trace.json", CALLS)])
    (figure,) = made["measured"]["figures"]
    first, second = figure["points"]
    assert (float(first["size"]) / float(second["size"])) ** 2 == pytest.approx(9, rel=0.05)
    # the second longest has no known operations: a row of the table, no point
    assert [p["label"]["en"][:2] for p in figure["points"]] == ["1 ", "3 "]
    (run,) = made["measured"]["runs"]
    assert [row["name"].split()[0] for row in run["kernels"]["rows"]] == [
        "aten::mm", "aten::relu", "aten::mm"
    ]  # fmt: skip
    page = measured_page.html(made, "both", "m").decode()
    assert "aten::mm (2048×4096, 4096×14336)" in page


def test_many_machines_are_one_table_and_few_drawings(tmp_path: Path) -> None:
    done = CliRunner().invoke(main, ["measure", str(PUBLIC), "--to", "json,md,pdf", "-o",
                                     str(tmp_path), "--lang", "en"])  # fmt: skip
    assert done.exit_code == 0, done.output
    text = (tmp_path / "public-measured.md").read_text()
    overview = text.split("## Overview")[1].split("\n## ")[0]
    assert len(re.findall(r"(?m)^\| \d+ M-", overview)) == 41
    figures = json.loads((tmp_path / "public-measured.json").read_text())["measured"]["figures"]
    assert 0 < len(figures) <= 4
    assert all(len(f["points"]) >= 3 for f in figures)
    pdf = tmp_path / "public-measured.pdf"
    assert int(re.search(r"Pages:\s+(\d+)", run("pdfinfo", pdf))[1]) <= 16  # type: ignore[index]
    words = run("pdftotext", "-layout", pdf, "-")
    assert "M-80" in words
    assert "warm-up, a cache, or not the same machine" in " ".join(words.split())


def test_hostile_names_stay_words(tmp_path: Path) -> None:
    name = "<script>alert(1)</script> | `x` *b* {{ 7*7 }}"
    calls = [(name, [[16, 16]], 5.0)]
    made = of_files(SMALL, [trace(tmp_path / "t.json", calls), str(SAMPLES / SERVING)])
    page = measured_page.html(made, "both", "m").decode()
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    row = next(line for line in measured_markdown.document(made, "en", "m").splitlines()
               if "script" in line and line.startswith("| 1"))  # fmt: skip
    assert len(re.findall(r"(?<!\\)\|", row)) == 9


@pytest.mark.parametrize(
    "text", ["一二三四五，六七（abc）八九十；" * 6, "plain words, 12.5 ms, and more of them " * 4]
)
def test_folded_lines_keep_all_words_and_the_width(text: str) -> None:
    from derive.errors import width

    lines = folded(text, "  ! ", 40)
    assert max(map(width, lines)) <= 40
    assert "".join("".join(lines).split()) == "!" + "".join(text.split())
    assert not any(line.lstrip()[0] in "，；）。" for line in lines)
    assert all(line.startswith("    ") for line in lines[1:])
    assert not any(line.rstrip().endswith("12.5") for line in lines)


START = """\
INFO 01-01 10:00:00 [gpu_model_runner.py:1] Model loading took 14.9888 GiB and 5.0 seconds
INFO 01-01 10:00:01 [gpu_worker.py:227] Available KV cache memory: 3.81 GiB
INFO 01-01 10:00:01 [kv_cache_utils.py:634] GPU KV cache size: 31,216 tokens
INFO 01-01 10:00:01 [kv_cache_utils.py:637] Maximum concurrency for 20,000 tokens per request: 1.56x
"""


def test_a_start_stands_in_html_and_markdown_beside_what_follows(tmp_path: Path) -> None:
    log = tmp_path / "engine.log"
    log.write_text(START, encoding="utf-8")
    alone = ["--model", "llama-3.1-8b", "--hardware", "nvidia-rtx-3090-24gb", "--devices", "1",
             "--batch", "1", "--input", "10", "--output", "10"]  # fmt: skip
    args = ["measure", str(log), *alone, "--to", "html,md", "-o", str(tmp_path), "--lang", "both"]
    done = CliRunner().invoke(main, args)
    assert done.exit_code == 0, done.output
    for path in (*tmp_path.glob("*.html"), *tmp_path.glob("*.md")):
        text = path.read_text("utf-8")
        for words in ("What an engine printed at its start", "31,216", "31,168", "agrees", "吻合"):
            assert words in text, (path.name, words)
