"""The checklist in a real browser: accessible by axe, on a desk and on a phone, light and dark."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe

from derive.render import checklist_page
from derive.specs import load
from derive.specs.lookup import spec_roots
from derive.study import study


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    scenario = load.scenario("llama-3-70b-on-4x-h100", spec_roots())
    path = tmp_path_factory.mktemp("html") / "checklist.html"
    html = checklist_page.document(study(scenario, load.sources()), "both", "")
    path.write_text(html, encoding="utf-8")
    return path.as_uri()


@pytest.fixture
def open_page(browser: Any, address: str) -> Iterator[Any]:
    contexts = []

    def make(width: int, scheme: str = "light") -> Any:
        context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=scheme, bypass_csp=True
        )
        contexts.append(context)
        page = context.new_page()
        page.goto(address)
        return page

    yield make
    for context in contexts:
        context.close()


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_violation(open_page: Any, width: int, scheme: str) -> None:
    found = Axe().run(open_page(width, scheme))
    assert len(found.response["passes"]) > 20
    assert [(v["id"], v["nodes"][0]["html"]) for v in found.response["violations"]] == []


@pytest.mark.parametrize("width", [360, 820, 1440])
def test_the_page_never_scrolls_sideways(open_page: Any, width: int) -> None:
    page = open_page(width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_one_language_hides_the_other_sheet(open_page: Any) -> None:
    page = open_page(1280)
    assert page.locator(".sheet.zh").is_visible()
    assert page.locator(".sheet.en").is_visible()
    page.locator("label[for=lang-en]").click()
    assert not page.locator(".sheet.zh").is_visible()
    page.locator("label[for=lang-zh]").click()
    assert page.locator(".sheet.zh").is_visible()
    assert not page.locator(".sheet.en").is_visible()


def test_a_line_leads_to_its_derivation(open_page: Any) -> None:
    page = open_page(1280)
    page.locator("#c-en-ridge .go").first.click()
    assert page.locator("#d-I_ridge").bounding_box()["y"] < 700
