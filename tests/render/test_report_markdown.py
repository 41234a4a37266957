"""Markdown: safe for GitHub, complete, in the languages asked for."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from derive.errors import DeriveError
from derive.expression.grammar import parse
from derive.render import markdown, page
from derive.render.equations import Plain
from derive.render.words import Words

from .report_ledgers import SCENARIOS, hostile, ledger


def test_formulas_have_the_signs_of_print_and_read_back() -> None:
    record = ledger()
    rights = [s["right"] for d in record["derivations"] for s in d["steps"]]
    assert any("-" in r and "*" in r for r in rights)
    for right in rights:
        try:
            tree = parse(right)
        except DeriveError:  # the side of a limit
            continue
        assert parse(markdown.signed(right)) == tree
    text = markdown.document(record, "both", "x", "")
    spans = re.findall(r"`([^`\n]* = [^`\n]*)`", text)
    assert spans
    assert not [s for s in spans if " - " in s or "s*request" in s]


@pytest.mark.parametrize("name", SCENARIOS)
def test_tables_are_tables(name: str) -> None:
    text = markdown.document(ledger(name), "both", name, "2026-11-30")
    for block in text.split("\n\n"):
        if not block.startswith("|"):
            continue
        counts = {len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}
        assert len(counts) == 1, block[:200]
    for derivation in ledger(name)["derivations"]:
        second = derivation["section"] == "second"  # told in the table of assumptions, or here
        none = ledger(name)["results"][derivation["id"]]["value"] is None
        assert (f"#### `{derivation['id']}`" in text) is not (second and none)


def test_headings_are_numbered_without_gaps() -> None:
    text = markdown.document(ledger(), "en", "x", "")
    numbers = [int(n) for n in re.findall(r"^## (\d+) ", text, re.MULTILINE)]
    assert numbers == list(range(1, len(numbers) + 1))
    assert not re.search("[\u4e00-\u9fff]", text)


def test_hostile_words_stay_words() -> None:
    text = markdown.document(hostile(), "both", "x", "")
    words = re.sub(r"```sh\n.*?\n```|(`+)[^\n]*?\1(?!`)", "", text, flags=re.DOTALL)
    words = re.sub(r"<https?://[^<>\s]+>", "", words)
    assert "<" not in words
    assert "](http" not in words.replace("\\](", "")
    assert "\u202e" not in text


def test_a_card(golden: Callable[[str, str], None]) -> None:
    view = page.View(ledger(), Words("both", {}), Plain())
    writer = markdown.Writer(view, "x")
    blocks = [*writer.cover("2026-11-30"), *writer.card(view.cards["I_decode"])]
    golden("report/card.md", "\n\n".join(blocks) + "\n")
