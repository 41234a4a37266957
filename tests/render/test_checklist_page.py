"""The checklist on its own: one page a language in print, every link inside the document."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

import pytest

from derive.render import checklist_page

from .pdf_reading import run
from .report_ledgers import LAUNCH, SCENARIOS, UNFIT, ledger

LATENT = "deepseek-v3-on-8x-h200"  # its lines are the longest: two numbers for each way to lay out


def page_texts(path: Path) -> list[str]:
    """The text of each page."""
    whole = unicodedata.normalize("NFKC", run("pdftotext", "-layout", str(path), "-"))
    return whole.split("\f")[:-1]


@pytest.mark.parametrize(
    ("name", "lang", "sheets"),
    [(LAUNCH, "en", 1), (LAUNCH, "zh", 1), (LAUNCH, "both", 2), (LATENT, "en", 1)],
)
def test_a_scenario_is_one_page_a_language(
    name: str, lang: str, sheets: int, tmp_path: Path
) -> None:
    path = tmp_path / "checklist.pdf"
    path.write_bytes(checklist_page.write_pdf(ledger(name), lang, lambda _: None))
    pages = page_texts(path)
    titles = ("On-call checklist", "值班检查清单")
    opening = [n for n, text in enumerate(pages) if any(t in text for t in titles)]
    behind = next(n for n, text in enumerate(pages) if "/derivations/" in text)
    assert opening == list(range(sheets))
    assert behind == sheets
    assert len(pages) > sheets


@pytest.mark.parametrize("name", [LAUNCH, UNFIT])
@pytest.mark.parametrize("lang", ["both", "en"])
def test_every_link_is_inside_and_every_id_is_one(name: str, lang: str) -> None:
    html = checklist_page.document(ledger(name), lang, "")
    ids = re.findall(r'\bid="([^"]+)"', html)
    links = set(re.findall(r'href="#([^"]+)"', html))
    assert len(ids) == len(set(ids))
    assert links
    assert links <= set(ids)


@pytest.mark.parametrize("name", SCENARIOS)
def test_every_line_stands_in_both_languages(name: str) -> None:
    html = checklist_page.document(ledger(name), "both", "")
    for lang in ("zh", "en"):
        for row in ledger(name)["checklist"]:
            assert f'id="c-{lang}-{row["id"]}"' in html


def test_the_same_bytes_twice() -> None:
    made = {checklist_page.write_pdf(ledger(), "en", lambda _: None) for _ in range(2)}
    assert len(made) == 1
