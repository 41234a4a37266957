"""The checklist as Markdown: tables that every renderer shows, links that lead somewhere."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from pymarkdown.api import PyMarkdownApi

from derive.render import checklist_markdown
from derive.render.markdown_text import anchor

from .report_ledgers import LAUNCH, SCENARIOS, UNFIT, hostile, ledger

LANGUAGES = ("zh", "en", "both")
HAN = re.compile("[\u4e00-\u9fff]")


def document(name: str = LAUNCH, lang: str = "both") -> str:
    return checklist_markdown.document(ledger(name), lang, "2026-11-30")


def rendered(text: str) -> str:
    """What a renderer of GitHub's dialect makes of it; raw HTML is left off, as wikis do."""
    made: str = MarkdownIt("commonmark", {"html": False}).enable("table").render(text)
    return made


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("name", [LAUNCH, UNFIT])
def test_a_linter_finds_nothing(name: str, lang: str, tmp_path: Path) -> None:
    path = tmp_path / "checklist.md"
    path.write_text(document(name, lang), encoding="utf-8")
    # a row of a table is one line, however long
    found = PyMarkdownApi().disable_rule_by_identifier("md013").scan_path(str(path))
    assert [f"{f.line_number} {f.rule_id} {f.rule_description}" for f in found.scan_failures] == []


@pytest.mark.parametrize("name", SCENARIOS)
def test_every_line_is_a_row_of_a_table(name: str) -> None:
    record = ledger(name)
    html = rendered(document(name, "en"))
    rows = re.findall(r"<tr>\n(.*?)</tr>", html, re.DOTALL)
    assert len(rows) == len(record["checklist"]) + html.count("<thead>")
    assert all(len(re.findall(r"<t[hd]", row)) == 4 for row in rows)
    shown = unescape(re.sub(r"<[^>]*>", "", html)).replace("\u00a0", " ")
    for row in record["checklist"]:
        assert row["question"]["en"] in shown
        assert row["answer"]["en"] in shown
    assert "**" not in html


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_link_leads_to_a_heading(lang: str) -> None:
    text = document(lang=lang)
    headings = [anchor(h.strip("`")) for h in re.findall(r"(?m)^#+ (.*)$", text)]
    links = re.findall(r"\]\(#([^)]*)\)", text)
    assert len(links) > 30
    assert set(links) <= set(headings)
    assert len(headings) == len(set(headings))


def test_each_language_is_complete() -> None:
    zh, en, both = (document(lang=lang) for lang in LANGUAGES)
    assert not HAN.search(en)
    tables = [b for b in both.split("\n\n") if b.startswith("|")]
    for text in (zh, en):
        assert all(b in tables for b in text.split("\n\n") if b.startswith("|"))
    assert not re.search(r"(?m)^\| \*\*[a-z ]+\*\* \|", zh)


def test_hostile_words_stay_words() -> None:
    record = hostile()
    html = rendered(checklist_markdown.document(record, "both", ""))
    assert not re.search(r"<(script|img|b|a href=.(?!#))", html)
    assert html.count("<tr>") == 4  # a head and the one line, in two languages


def test_derivations_behind_the_lines_have_formula_values_and_result() -> None:
    text = document(lang="en")
    part = text.split("### `I_ridge`", 1)[1].split("###", 1)[0]
    assert "- `I_ridge = P_peak / B_peak`" in part
    assert "- `I_ridge = 989.5 TFLOP/s/device / 3.35 TB/s/device`" in part
    assert "- `I_ridge ≈ 295.4 FLOP/byte`" in part
