"""The screen document: complete, closed, the same twice; hostile words stay words."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

from derive.render import fonts, html, printed

from .report_ledgers import HOSTILE, SCENARIOS, UNFIT, hostile, ledger

VOID = {"meta", "input", "img", "br", "col", "link", "hr", "mspace"}


class Outline(HTMLParser):
    """Elements, ids, references and text of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.tags: set[str] = set()
        self.headings: list[int] = []
        self.attributes: set[str] = set()
        self.words: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.tags.add(tag)
        self.attributes |= set(found)
        if found.get("id"):
            self.ids.append(str(found["id"]))
        if tag == "a":
            self.links.append(str(found["href"]))
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not self.open or self.open[-1] not in ("style", "annotation"):
            self.words.append(data)


@pytest.fixture(scope="module", params=SCENARIOS)
def made(request: pytest.FixtureRequest) -> str:
    return html.document(ledger(request.param), "both", request.param, "")


def test_it_is_well_formed_and_its_links_lead_somewhere(made: str) -> None:
    page = Outline(made)
    assert page.open == []
    assert len(page.ids) == len(set(page.ids))
    inner = [link for link in page.links if link.startswith("#")]
    assert {link[1:] for link in inner} <= set(page.ids)
    assert all(link.startswith(("#", "https://", "http://")) for link in page.links)
    assert "math" in page.tags
    assert "svg" in page.tags
    assert page.headings[0] == 1
    assert not re.search("&amp;(#|lt|gt|amp)", made)  # nothing is escaped twice
    assert all(b - a <= 1 for a, b in zip(page.headings, page.headings[1:], strict=False))


def test_nothing_is_fetched_and_nothing_runs(made: str) -> None:
    page = Outline(made)
    assert not page.tags & {"script", "link", "iframe", "object", "embed", "base", "form"}
    assert not {a for a in page.attributes if a.startswith("on")}
    assert set(re.findall(r"url\((.{5})", made)) == {"data:"}
    assert "@import" not in made
    assert "default-src 'none'" in made


def test_every_derivation_and_result_stands_in_it(made: str) -> None:
    name = re.search(r"derive verify ([^ ]+)\.json", made)
    assert name
    record = ledger(name[1])
    page = Outline(made)
    text = "".join(page.words).replace("\u00a0", " ")
    for derivation in record["derivations"]:
        none = record["results"][derivation["id"]]["value"] is None
        told = derivation["section"] == "second" and none  # in the table of assumptions
        assert (f"d-{derivation['id']}" in page.ids) is not told
    for result in record["results"].values():
        value = result["display"]["en"].partition(" (")[0].removeprefix("≈ ").replace("-", "−")
        assert value in text
    for tile in record["verdict"]["tiles"]:
        assert tile["label"]["zh"] in text
        assert tile["label"]["en"] in text


def test_withheld_values_say_why() -> None:
    text = html.document(ledger(UNFIT), "en", UNFIT, "")
    assert "does not fit" in text
    assert re.search(r'<p class="value none">–</p>', text)
    assert "None" not in "".join(Outline(text).words)


def test_one_language_alone() -> None:
    english = "".join(Outline(html.document(ledger(), "en", "x", "")).words)
    assert not re.search("[\u4e00-\u9fff]", english)
    chinese = html.document(ledger(), "zh", "x", "")
    assert 'lang="en"' not in chinese
    assert "Verdict and findings" not in chinese
    assert '<html lang="zh">' in chinese
    assert 'id="lang-both"' not in chinese


def test_the_same_bytes_twice() -> None:
    assert html.document(ledger(), "both", "x", "") == html.document(ledger(), "both", "x", "")


def test_all_characters_have_a_font(made: str) -> None:
    words = "".join(Outline(made).words)
    assert fonts.uncovered(words) == set()


@pytest.mark.parametrize("medium", ["screen", "print"])
def test_hostile_words_stay_words(medium: str) -> None:
    if medium == "screen":
        text = html.document(hostile(), "both", "x", "")
    else:
        text = printed.document(hostile(), "both", "x", "")[0]
    page = Outline(text)
    assert page.open == []
    assert "script" not in page.tags
    assert "onerror" not in page.attributes
    assert all(link.startswith("#") for link in page.links), page.links
    shown = "".join(page.words).replace("\u00a0", " ")
    assert HOSTILE.partition(" ]")[0] in shown
    assert "\u202e" not in text
    if medium == "print":
        assert "[U+1F680]" in text
        assert "🚀" not in text
        sources = re.findall(r'src="([^"]*)"', text)
        assert sources
        assert all(source.startswith("derive:") for source in sources)
