"""The PDF: text in both languages, nothing too wide, no blank page, the same bytes twice."""

from __future__ import annotations

import re
import subprocess
import sys
import unicodedata
from html import unescape
from pathlib import Path

import pikepdf
import pytest
from PIL import Image

from derive.render import cards, equations, markdown, page, printed, report
from derive.render.words import Words

from .pdf_reading import elements, run
from .report_ledgers import LAUNCH, SCENARIOS, UNFIT, hostile, ledger

MAKE = """
import sys
from pathlib import Path
from tests.render.report_ledgers import ledger
from derive.render.report import write_report
write_report(ledger(), ["pdf"], "both", Path(sys.argv[1]), lambda _: None)
"""


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    assert report.write_report(ledger(), ["pdf"], "both", folder, lambda _: None)
    return folder / f"{LAUNCH}.pdf"


@pytest.fixture(scope="module")
def text(file: Path) -> str:
    return unicodedata.normalize("NFKC", run("pdftotext", "-layout", file, "-"))


def test_headlines_in_both_languages(text: str) -> None:
    for value in ("18.30 ms/token", "146.0 ms", "295.4 FLOP/byte", "7.672 FLOP/byte", "79 request"):
        assert value in text
    for words in (
        "结论与发现",
        "Verdict and findings",
        "脊点",
        "ridge point",
        "KV 墙",
        "The KV wall",
    ):
        assert words in text
    assert str(ledger()["hash"]) in text
    assert "�" not in text
    assert "None" not in text


def test_formulas_are_text_too(text: str, file: Path) -> None:
    assert re.search(r"70,553,706,496 param × 2 byte/param", text)
    with pikepdf.open(file) as pdf:
        alternatives = [str(e["/Alt"]) for e in elements(pdf.Root.StructTreeRoot) if "/Alt" in e]
    assert "I_decode = F_step / Q_step" in alternatives
    assert len(alternatives) > 200


def test_programs_read_it(file: Path) -> None:
    assert "No syntax or stream encoding errors" in run("qpdf", "--check", file)
    info = run("pdfinfo", file)
    assert re.search(r"Title: +Llama 3 70B .* / Llama 3 70B chat on four H100", info)
    assert "2026-11-30" in run("pdfinfo", "-isodates", file)
    pages = re.search(r"Pages: +(\d+)", info)
    assert pages
    assert int(pages[1]) == report.page_count(file.read_bytes())
    assert 20 <= int(pages[1]) <= 75
    for row in run("pdffonts", file).splitlines()[2:]:
        name, *_, embedded, subset, mapped, _, _ = row.split()
        assert "+Derive-" in name
        assert (embedded, subset, mapped) == ("yes", "yes", "yes")
    assert f"{LAUNCH}.json" in run("pdfdetach", "-list", file)


def test_outline_has_sections_groups_and_cards(file: Path) -> None:
    with pikepdf.open(file) as pdf, pdf.open_outline() as outline:
        tops = [item.title for item in outline.root]
        derivations = next(item for item in outline.root if "推导" in item.title)
        groups = [item.title for item in derivations.children]
        named = [card.title for group in derivations.children for card in group.children]
    assert len(tops) == 12
    assert groups[0].startswith("4.1 脊点")
    assert "I_ridge 脊点 / ridge point" in named
    assert len(named) == len(set(named))


def test_pages_are_full_and_not_overfull(file: Path) -> None:
    run("pdftoppm", "-r", "40", "-gray", file, file.with_suffix(""))
    pictures = sorted(file.parent.glob("*.pgm"))
    margin = round(12 / 25.4 * 40)  # nothing is printed within 12 mm of the edge
    for number, path in enumerate(pictures, 1):
        with Image.open(path) as image:
            ink = image.convert("L").point(lambda v: 255 if v < 200 else 0)
            box = ink.getbbox()
        assert box is not None, f"page {number} is blank"
        left, _, right, _ = box
        assert left >= margin, f"page {number}"
        assert right <= image.width - margin, f"page {number}"
        body = ink.crop((0, round(image.height * 0.08), image.width, round(image.height * 0.93)))
        filled = body.getbbox()
        assert filled is not None, f"page {number} has only its head"
        if number < len(pictures):
            assert filled[3] / body.height > 0.4, f"page {number} is more than half empty"


@pytest.mark.parametrize("lang", ["zh", "en", "both"])
@pytest.mark.parametrize("name", [*SCENARIOS, "deepseek-v3-on-8x-h200", "gemma-2-9b-on-1x-l40s"])
def test_no_formula_is_wider_than_its_room(name: str, lang: str) -> None:
    html, view = printed.document(ledger(name), lang, name, "")
    assert all(scale >= equations.NARROWEST_SCALE for _, scale in view.eq.squeezed)
    assert len(view.eq.squeezed) <= 16
    widths = [float(w) for w in re.findall(r'style="width:([\d.]+)px', html)]
    assert widths
    assert max(widths) <= cards.ALONE
    assert set(re.findall(r'src="([^"]+)"', html)) <= set(view.eq.store)
    assert all("alt=" in image for image in re.findall(r"<img[^>]*>", html))


def test_cards_that_go_on_say_so_and_sections_are_named_by_the_top(file: Path) -> None:
    with pikepdf.open(file) as pdf:
        count = len(pdf.pages)
    heads = [run("pdftotext", "-layout", "-f", str(n), "-l", str(n), file, "-").splitlines()[:3]
             for n in range(2, count + 1)]  # fmt: skip
    gone_on = [head for head in heads if any("continued" in line for line in head)]
    assert gone_on
    assert all(re.search(r"（续） / \w+, continued", "".join(head)) for head in gone_on)
    sections = [m[1] for head in heads if (m := re.search(r"(\d+) .* / ", head[0][40:]))]
    assert sections == sorted(sections, key=int)


def test_a_finished_time_per_token_has_one_unit() -> None:
    view = page.View(ledger(), Words("en", {}), equations.Plain())
    for card in view.cards.values():
        ends = [r for r in card.rows if r.kind == "numeric" and r.rule != "values"]
        assert not [r.latex for r in ends if "request/token" in r.latex[0] and "s·" in r.latex[0]]
    shown = "".join(r.latex[0] + r.tail for r in view.cards["TPOT"].rows if r.rule != "values")
    assert "{ms/token}" in shown


def test_the_same_bytes_in_another_process(file: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-c", MAKE, str(tmp_path)]
    root = Path(__file__).parents[2]
    environment = {"PYTHONHASHSEED": "7", "PATH": "/usr/bin:/bin", "HOME": str(Path.home())}
    subprocess.run(command, check=True, cwd=root, env=environment, timeout=90, capture_output=True)
    assert (tmp_path / file.name).read_bytes() == file.read_bytes()


def test_what_does_not_fit_says_so() -> None:
    html, _ = printed.document(ledger(UNFIT), "en", "x", "")
    assert "does not fit" in html
    assert '<b class="missed">× missed</b>' in html


def test_hostile_words_are_only_words(tmp_path: Path) -> None:
    said: list[str] = []
    (tmp_path / "wild.pdf").write_bytes(report.render_pdf(hostile(), "zh", "x", said.append))
    assert "U+1F680" in said[0]
    words = run("pdftotext", tmp_path / "wild.pdf", "-")
    assert "<script>alert(1)</script>" in words
    with pikepdf.open(tmp_path / "wild.pdf") as pdf:
        notes = [note for page in pdf.pages for note in page.get("/Annots", [])]
    assert not [note for note in notes if "/A" in note and "/URI" in note["/A"]]


def test_the_document_for_the_bench_is_complete() -> None:
    html, store = report.print_document(ledger(), "both")
    assert set(re.findall(r'src="([^"]+)"', html)) <= set(store)
    assert set(re.findall(r"url\(([^)]+)\)", html)) <= set(store)
    assert "Derive Math" in html


@pytest.mark.parametrize("asked", [None, [], ["x y", "--set", "b=16;c"]])
def test_how_to_ask_again(asked: list[str] | None) -> None:
    record = {**ledger(), "scenario": {**ledger()["scenario"], "asked": asked}}
    expected = "derive report 'x y' --set 'b=16;c'" if asked else f"derive report {LAUNCH}"
    text = unescape(printed.document(record, "both", "x", "")[0])
    assert f"{expected}\nderive verify" in text
    assert f"\n{expected}\n" in markdown.document(record, "both", "x", "")


@pytest.mark.parametrize("name", SCENARIOS)
def test_cards_break_between_three_rows_and_three(name: str) -> None:
    view = page.View(ledger(name), Words("en", {}), equations.Plain())
    for card in view.cards.values():
        breaks = [n for n, row in enumerate(card.rows[:-1], 1) if not row.keep]
        assert all(3 <= n <= len(card.rows) - 3 for n in breaks)
        assert breaks or not card.long


def test_a_searched_side_stands_under_its_name() -> None:
    view = page.View(ledger("deepseek-v3-on-8x-h200"), Words("en", {}), equations.Plain())
    found = [row.alt for row in view.cards["b_crit"].rows if row.rule == "search"]
    assert len(found) == 3  # the unchanged side stands once
    assert found[0].startswith("I_decode ≈ ")
    assert found[1].startswith("I_ridge = ")


def test_running_titles_stay_short() -> None:
    long = {"en": "x" * 300, "zh": "字" * 300}
    record = {**ledger(), "scenario": {**ledger()["scenario"], "title": long}}
    html, _ = printed.document(record, "both", "x", "")
    found = re.search(r'data-running="([^"]*)"', html)
    assert found
    assert printed.places(found[1]) <= printed.RUNNING + 2
