"""The HTML in a real browser: switch, phone width, no network, formulas as mathematics."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from derive.render import html
from derive.specs import load
from derive.specs.lookup import spec_roots
from derive.study import study

NAME = "llama-3-70b-on-4x-h100"
VISIBLE = """lang => [...document.querySelectorAll(`main span.${lang}, main p.${lang}`)]
  .filter(e => e.getClientRects().length > 0).length"""
OVERFLOWING = """() => [...document.querySelectorAll('body *')].filter(e => {
  const box = e.getBoundingClientRect();
  return box.right > innerWidth + 1 && !e.closest('.scroll, math, svg, .hidden');
}).map(e => e.outerHTML.slice(0, 120))"""
CLIPPED = """() => [...document.querySelectorAll('math')]
  .filter(m => m.scrollHeight > m.clientHeight + 1 && getComputedStyle(m).overflowY !== 'visible')
  .map(m => m.getAttribute('alttext'))"""
BOLD = """() => {
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), found = new Set();
  while (walk.nextNode()) {
    const style = getComputedStyle(walk.currentNode.parentElement);
    if (+style.fontWeight >= 600 && !walk.currentNode.parentElement.closest('math'))
      for (const c of walk.currentNode.data) found.add(c);
  }
  return [...found].join('');
}"""
CONTRAST = """() => {
  const light = c => { const [r, g, b] = c.match(/[\\d.]+/g).slice(0, 3).map(v => {
      v /= 255; return v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4; });
    return .2126 * r + .7152 * g + .0722 * b; };
  const ground = e => { for (; e; e = e.parentElement) {
      const c = getComputedStyle(e).backgroundColor;
      if (!/, 0\\)$|transparent/.test(c)) return c; } return 'rgb(255,255,255)'; };
  const poor = [];
  for (const e of document.querySelectorAll('body *')) {
    if (![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())) continue;
    if (!e.getClientRects().length || e.closest('svg, .hidden')) continue;
    const [a, b] = [light(getComputedStyle(e).color), light(ground(e))].sort((x, y) => y - x);
    if ((a + .05) / (b + .05) < 4.5) poor.push(e.outerHTML.slice(0, 120));
  }
  return poor;
}"""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    ledger = study(load.scenario(NAME, spec_roots()), load.sources())
    path = tmp_path_factory.mktemp("html") / "report.html"
    path.write_text(html.document(ledger, "both", NAME, ""), encoding="utf-8")
    return path.as_uri()


@pytest.fixture
def open_page(browser: Any, address: str) -> Iterator[Any]:
    """A page of a width and a colour scheme; anything it says or asks for fails the test."""
    said: list[str] = []
    contexts = []

    def make(width: int = 1440, scheme: str = "light") -> Any:
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on(
            "request",
            lambda r: said.append(r.url) if not r.url.startswith((address, "data:")) else None,
        )
        page.goto(address)
        return page

    yield make
    for context in contexts:
        context.close()
    assert said == []


def test_the_switch_hides_and_shows(open_page: Any) -> None:
    page = open_page()
    assert page.evaluate(VISIBLE, "zh") > 500
    assert page.evaluate(VISIBLE, "en") > 500
    page.locator("label[for=lang-zh]").click()
    assert page.evaluate(VISIBLE, "en") == 0
    assert page.evaluate(VISIBLE, "zh") > 500
    assert page.locator("svg .en").first.is_hidden()
    page.locator("label[for=lang-en]").click()
    assert page.evaluate(VISIBLE, "zh") == 0
    assert page.evaluate(VISIBLE, "en") > 500
    page.locator("#lang-both").focus()
    page.keyboard.press("Space")
    assert page.evaluate(VISIBLE, "zh") > 500


@pytest.mark.parametrize("width", [360, 820, 1440])
@pytest.mark.parametrize("lang", ["zh", "en", "both"])
def test_the_page_never_scrolls_sideways(open_page: Any, width: int, lang: str) -> None:
    page = open_page(width)
    page.locator(f"label[for=lang-{lang}]").click()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate(OVERFLOWING) == []


def test_languages_stand_side_by_side_or_stacked(open_page: Any) -> None:
    for width, beside in ((1440, True), (390, False)):
        page = open_page(width)
        zh, en = (page.locator(f".sentence .{lang}").first.bounding_box() for lang in ("zh", "en"))
        assert (zh["y"] == en["y"]) == beside
        assert (zh["x"] < en["x"]) == beside


def test_formulas_are_mathematics(open_page: Any) -> None:
    page = open_page()
    assert page.locator("math").count() > 200
    assert page.locator("math mfrac").count() > 80
    tall = page.locator("#d-I_ridge math mfrac").first.bounding_box()
    assert tall["height"] > 30
    assert page.evaluate(CLIPPED) == []


def test_every_bold_character_has_its_bold_glyph(open_page: Any, address: str) -> None:
    shown = set(open_page().evaluate(BOLD))
    text = Path(address.removeprefix("file://")).read_text(encoding="utf-8")
    covered = set("".join(html.TAGS.sub("", m[2]) for m in html.BOLD.finditer(text)))
    assert {c for c in shown - covered if not c.isspace()} == set()


def test_english_alone_is_no_second_language(open_page: Any) -> None:
    look = """where => { const s = getComputedStyle(document.querySelector(where + ' .en'));
        return [s.color, s.fontSize, s.fontWeight]; }"""
    first = look.replace(".en", ".zh")
    for width in (390, 1440):
        page = open_page(width)
        for where in ("h1", ".toc", ".pair.lever", ".results th", ".card h4", ".notation"):
            page.locator("label[for=lang-zh]").click()
            chinese = page.evaluate(first, where)
            page.locator("label[for=lang-en]").click()
            assert page.evaluate(look, where) == chinese, where


def test_what_is_cut_off_shows_that_it_scrolls(open_page: Any) -> None:
    page = open_page(390)
    boxes = page.locator(".math").evaluate_all(
        "all => all.filter(e => e.scrollWidth > e.clientWidth + 1)"
        ".map(e => getComputedStyle(e).backgroundImage)"
    )
    assert boxes
    assert all("gradient" in image for image in boxes)
    hidden = page.locator("math").evaluate_all(
        "all => all.filter(e => e.scrollWidth > e.clientWidth + 1 &&"
        " getComputedStyle(e).overflowX !== 'visible').length"
    )
    assert hidden == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_read(open_page: Any, scheme: str) -> None:
    page = open_page(1280, scheme)
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (ground == "rgb(255, 255, 255)") == (scheme == "light")
    assert page.evaluate(CONTRAST) == []
    page.locator("label[for=theme]").click()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != ground
    assert page.evaluate(CONTRAST) == []


def test_contents_are_one_touch_away(open_page: Any) -> None:
    page = open_page(390)
    page.locator("#sources").scroll_into_view_if_needed()
    back = page.locator(".top .back")
    assert back.is_visible()
    back.click()
    assert page.locator(".toc").bounding_box()["y"] < 200
    assert not open_page(1440).locator(".top .back").is_visible()


def test_numbers_and_heads_stand_whole_on_a_phone(open_page: Any) -> None:
    page = open_page(390)
    tall = page.locator(".toc .no").evaluate_all("all => all.map(e => e.getClientRects().length)")
    assert set(tall) == {1}
    assert page.locator(".levers thead th").first.is_visible()
    for box in page.locator(".top > *:visible").all():
        assert box.bounding_box()["height"] < 40


def test_figures_fit_the_window(open_page: Any) -> None:
    for width, shown in ((1440, "wide"), (390, "narrow")):
        page = open_page(width)
        drawings = page.locator("figure .drawing:visible")
        assert drawings.count() == 5
        assert shown in (drawings.first.get_attribute("class") or "")
    page.locator("summary").first.click()
    assert page.locator("figure table").first.is_visible()
