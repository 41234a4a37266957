"""`derive audit`: every way in, every way out, exit codes, both languages."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pikepdf
import pytest
from click.testing import CliRunner, Result

from derive.cli import main

SPARSE = "H100 SXM: 1,979 TFLOPS FP16."
WRONG = "MI300X FP16 dense: 2,615 TFLOPS."
RIGHT = "The H800 SXM has a dense BF16 peak of 990 TFLOP/s."
MARKUP = "<script>alert(1)</script> H100 SXM: 1,979 TFLOPS FP16 <img src=x onerror=y>"
KEYS = {"text", "understood", "verdict", "severity", "findings", "readings", "corrected",
        "would_have_to_be_true", "sources"}  # fmt: skip


def run(*args: str, given: str | None = None) -> Result:
    done = CliRunner().invoke(main, ["audit", *args], input=given)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done


def claims(*args: str, given: str | None = None) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(run(*args, "--json", given=given).stdout)["claims"]
    return found


@pytest.mark.parametrize(
    ("claim", "verdict", "code"),
    [(SPARSE, "ambiguous", 0), (WRONG, "contradicted", 1), (RIGHT, "consistent", 0)],
)
def test_verdict_and_exit_code(claim: str, verdict: str, code: int) -> None:
    done = run(claim, "--json")
    (found,) = json.loads(done.stdout)["claims"]
    assert (found["verdict"], done.exit_code) == (verdict, code)
    assert set(found) >= KEYS
    assert run(claim, "--strict").exit_code == (0 if verdict == "consistent" else 1)


def test_several_claims_and_standard_input() -> None:
    assert [c["text"] for c in claims(SPARSE, WRONG)] == [SPARSE, WRONG]
    assert [c["text"] for c in claims(given=f"{SPARSE}\n\n{RIGHT}\n")] == [SPARSE, RIGHT]
    empty = run(given=" \n")
    assert (empty.exit_code, empty.stdout) == (2, "")
    assert "C109" in empty.stderr


def test_a_finding_says_where_and_in_both_languages() -> None:
    (claim,) = claims(SPARSE)
    finding = next(f for f in claim["findings"] if f["severity"] == "warning")
    assert claim["text"][slice(*finding["span"])] == "1,979 TFLOPS"
    assert set(finding["message"]) == {"en", "zh"}
    assert any("\u4e00" <= c <= "\u9fff" for c in finding["message"]["zh"])
    assert {r["shown"] for r in claim["readings"]} >= {"1,979 TFLOP/s/device"}
    assert set(claim["corrected"]) == {"en", "zh"}
    assert "nv-h100-page" in claim["sources"]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_terminal_marks_the_judged_words(lang: str) -> None:
    lines = run(SPARSE, "--lang", lang).stdout.splitlines()
    assert lines[0] == {"en": "AMBIGUOUS", "zh": "有歧义"}[lang]
    assert lines[1] == "  " + SPARSE
    start = lines[2].index("^")
    assert lines[1][start : start + lines[2].count("^")] == "1,979 TFLOPS"


def test_marks_stand_under_chinese_words() -> None:
    lines = run("英伟达 H100 SXM 的算力为 1,979 TFLOPS", "--lang", "zh").stdout.splitlines()
    wide = sum(2 if ord(c) > 0x2E80 else 1 for c in lines[1].partition("1,979")[0])
    assert lines[2].index("^") == wide


def test_every_rule_has_a_page_in_both_languages() -> None:
    from derive.audit.rule import rules

    for name, rule in rules().items():
        for lang in ("en", "zh"):
            done = run("--explain", name.lower(), "--lang", lang)
            assert done.exit_code == 0
            assert all(t in done.stdout for t in (name, rule.page.in_(lang), *rule.examples(lang)))
    assert run("--explain").stdout == run("--explain", "list").stdout
    unknown = run("--explain", "COND", "--lang", "zh")
    assert (unknown.exit_code, unknown.stdout) == (2, "")
    assert "没有规则" in unknown.stderr


def test_every_rule_has_its_examples_in_both_languages() -> None:
    from derive.audit.rule import rules

    han = re.compile("[\u4e00-\u9fff]")
    for name, rule in rules().items():
        if rule.form == "formula":
            continue  # written alike in both
        english, chinese = rule.examples("en"), rule.examples("zh")
        assert all(han.search(text) for text in chinese), name
        assert not set(english) & set(chinese) or name in ("READ002", "SRC004"), name


@pytest.mark.parametrize("kind", ["fires", "quiet"])
def test_every_rule_speaks_on_its_example_and_not_on_the_other(kind: str, tmp_path: Path) -> None:
    from derive.audit.rule import rules

    at = ("fires", "quiet").index(kind)
    shown = [(n, r, text) for n, r in rules().items()
             for text in dict.fromkeys(r.examples(lang)[at] for lang in ("en", "zh"))]  # fmt: skip
    for name, rule, claim in shown:
        file = tmp_path / "claim.yaml"
        file.write_text(f"- {claim}\n", encoding="utf-8")
        given = {"text": (claim,), "formula": ("--formula", claim), "claim": ("--file", str(file))}
        findings = [f for c in claims(*given[rule.form]) for f in c["findings"]]
        # a rule may speak in a note alone (SRC004); what another rule confirms is no objection
        counted = {f["rule"] for f in findings if kind == "fires" or f["severity"] != "info"}
        assert (name in counted) == (kind == "fires"), (name, claim, counted)


def test_a_document_is_judged_with_lines(tmp_path: Path) -> None:
    path = tmp_path / "notes.md"
    path.write_text(f"# Notes\n\n{RIGHT}\n\n{WRONG}\n", encoding="utf-8")
    done = run("--doc", str(path), "--json")
    found = json.loads(done.stdout)["claims"]
    assert [(c["line"], c["verdict"]) for c in found] == [(3, "consistent"), (5, "contradicted")]
    assert done.exit_code == 1


def test_sarif_points_to_the_line(tmp_path: Path) -> None:
    path = tmp_path / "notes.md"
    path.write_text(f"# Notes\n\n{WRONG}\n", encoding="utf-8")
    done = run("--doc", str(path), "--to", "sarif", "-o", str(tmp_path), "--lang", "en")
    log = json.loads((tmp_path / "notes-audit.sarif").read_text(encoding="utf-8"))
    assert (log["version"], done.exit_code) == ("2.1.0", 1)
    (sarif,) = log["runs"]
    listed = [r["id"] for r in sarif["tool"]["driver"]["rules"]]
    result = next(r for r in sarif["results"] if r["level"] == "error")
    assert listed[result["ruleIndex"]] == result["ruleId"]
    place = result["locations"][0]["physicalLocation"]
    assert place["region"]["startLine"] == 3
    assert place["artifactLocation"]["uri"] == path.as_uri()
    assert place["region"]["startColumn"] == 1
    assert place["region"]["endColumn"] == len(WRONG) + 1


def test_a_page_has_the_title_of_its_file_and_both_languages(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "mine.yaml"
    file.parent.mkdir()
    claims_of_file = f'claims:\n- text: "{SPARSE}"\n- text: "Decode takes g · B_peak."\n'
    for title, wanted in (
        ("", ("mine.yaml", "审计：mine.yaml")),
        ("title: {en: Mine, zh: 我的}\n", ("Audit: Mine", "审计：我的")),
    ):
        file.write_text(title + claims_of_file, encoding="utf-8")
        run("--file", str(file), "--to", "html", "-o", str(tmp_path))
        page = (tmp_path / "mine-audit.html").read_text(encoding="utf-8")
        assert all(words in page for words in wanted)
        assert "mine.yaml:" in page
        assert "deep/" not in page


def test_html_holds_nothing_unescaped_and_fetches_nothing(tmp_path: Path) -> None:
    run(MARKUP, SPARSE, "--to", "html", "-o", str(tmp_path), "--lang", "both")
    page = (tmp_path / "audit.html").read_text(encoding="utf-8")
    assert "<script" not in page
    assert "<img" not in page
    assert "&lt;script&gt;" in page
    assert "content=\"default-src 'none'" in page
    assert "<mark>1,979 TFLOPS</mark>" in page


def test_pdf_carries_the_record(tmp_path: Path) -> None:
    run(SPARSE, WRONG, "--to", "pdf,json", "-o", str(tmp_path), "--lang", "both")
    data = (tmp_path / "audit.json").read_bytes()
    with pikepdf.open(tmp_path / "audit.pdf") as document:
        assert document.attachments["audit.json"].get_file().read_bytes() == data
    text = subprocess.run(
        ["pdftotext", "-layout", tmp_path / "audit.pdf", "-"], check=True, capture_output=True
    ).stdout.decode()
    assert all(words in text for words in ("有歧义", "ambiguous", "1,979 TFLOPS", "contradicted"))


def test_a_failed_run_leaves_what_was_there(tmp_path: Path) -> None:
    before = tmp_path / "audit.html"
    before.write_text("earlier", encoding="utf-8")
    done = run("H100:\u202e 1 TFLOPS", "--to", "html,json", "-o", str(tmp_path))
    assert done.exit_code == 2
    assert sorted(p.name for p in tmp_path.iterdir()) == ["audit.html"]
    assert before.read_text(encoding="utf-8") == "earlier"


def test_one_claim_needs_neither_algebra_nor_a_browser() -> None:
    program = (
        "import sys\nfrom click.testing import CliRunner\nfrom derive.cli import main\n"
        f"CliRunner().invoke(main, ['audit', {SPARSE!r}])\n"
        "print(*[m for m in ('sympy', 'pint', 'weasyprint', 'jinja2') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )
    assert done.stdout.split() == []


def test_a_report_can_hold_the_audit_of_the_vendors_figures(tmp_path: Path) -> None:
    done = CliRunner().invoke(
        main,
        [
            "report",
            "llama-3-70b-on-4x-h100",
            "--audit",
            "--to",
            "html,md,json",
            "-o",
            str(tmp_path),
        ],
    )
    assert done.exit_code == 0
    (ledger,) = tmp_path.glob("*.json")
    texts = [c["text"] for c in json.loads(ledger.read_text(encoding="utf-8"))["audit"]["claims"]]
    assert any("1,979 teraFLOPS*" in t for t in texts)
    assert any("80GB" in t for t in texts)
    for kind in ("html", "md"):
        (page,) = tmp_path.glob(f"*.{kind}")
        written = page.read_text(encoding="utf-8")
        assert "厂商指标审计" in written
        assert "1,979 teraFLOPS" in written
    assert CliRunner().invoke(main, ["verify", str(ledger)]).exit_code == 0


def test_a_dash_is_standard_input_and_nothing_is_no_claim() -> None:
    runner = CliRunner()
    done = runner.invoke(main, ["audit", "-", "--json"], input=f"{RIGHT}\n\n{WRONG}\n")
    assert [c["text"] for c in json.loads(done.stdout)["claims"]] == [RIGHT, WRONG]
    assert run("").exit_code == 2
    assert "C109" in run(" ").stderr
    broken = runner.invoke(main, ["audit", "--lang", "en"], input=b"\x48\n\xff\n")
    assert (broken.exit_code, broken.stdout) == (2, "")
    assert "C112  standard input is no text in UTF-8: line 2" in broken.stderr


@pytest.mark.parametrize(("given", "verdicts"), [
    ("H100 SXM has 80 GB of memory.\nH100 SXM 有 81 GB 显存。\n", ["consistent", "contradicted"]),
    ("claims:\n- text: H100 SXM 有 80 GB 显存。\n", ["consistent"]),
    ("# a note\nclaims:\n- {subject: H100 SXM, quantity: memory, value: 81 GB}\n",
     ["contradicted"]),
])  # fmt: skip
def test_a_file_of_claims_may_be_standard_input(given: str, verdicts: list[str]) -> None:
    done = CliRunner().invoke(main, ["audit", "--file", "-", "--json"], input=given)
    assert [c["verdict"] for c in json.loads(done.stdout)["claims"]] == verdicts, done.output


def test_a_document_may_be_standard_input() -> None:
    text = "# 容量\n\nWe use the H100 SXM.\n\n它的显存带宽为 5 TB/s。\n"
    done = CliRunner().invoke(main, ["audit", "--doc", "-", "--json"], input=text)
    (found,) = json.loads(done.stdout)["claims"]
    assert (found["verdict"], found["line"]) == ("contradicted", 5)
    twice = CliRunner().invoke(main, ["audit", "--doc", "-", "--file", "-"], input=text)
    assert twice.exit_code == 2
    assert "C114" in twice.stderr
