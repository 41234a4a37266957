"""Measured runs in a real browser: accessible by axe, on a desk and on a phone, light and dark."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe

from derive.render import measured_page
from tests.render.measured_ledgers import PROFILE, SERVING, SMALL, ledger


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("html") / "measured.html"
    made = ledger(SMALL, SERVING, "mlperf_summary_row.json", PROFILE)
    path.write_bytes(measured_page.html(made, "both", "measured"))
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
    assert open_page(width).evaluate("document.documentElement.scrollWidth") <= width


def test_the_language_switch_hides_the_other(open_page: Any) -> None:
    page = open_page(1280)
    page.locator("label[for=lang-en]").click()
    assert not page.locator(".measured .zh").first.is_visible()
    assert page.locator(".measured .en").first.is_visible()


def test_a_diagnosis_leads_to_its_run(open_page: Any) -> None:
    page = open_page(1280)
    page.locator(".diagnosis .which a").first.click()
    assert page.url.endswith("#run-1")
    assert page.locator("#run-1").bounding_box()["y"] < 900
