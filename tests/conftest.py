"""What all tests share: golden files, and property tests that find the same examples every time."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

GOLDEN = Path(__file__).parent / "golden"

settings.register_profile(
    "derive",
    deadline=None,
    derandomize=True,
    database=None,
    max_examples=150,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
settings.load_profile("derive")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="write the expected outputs of tests/golden anew instead of comparing with them",
    )


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compare a text with a file of tests/golden, or write it with --update-golden."""

    def compare(name: str, found: str) -> None:
        path = GOLDEN / name
        if request.config.getoption("--update-golden"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(found, encoding="utf-8")
        assert found == path.read_text(encoding="utf-8"), f"{name} differs: see make golden"

    return compare


@pytest.fixture(scope="session")
def chromium() -> str:
    """The browser that `make test` installs. Without it these tests fail: none is passed over."""
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    assert found, "no Chromium on the path: make test installs it where apt does"
    return found


@pytest.fixture(scope="session")
def browser(chromium: str) -> Iterator[Any]:
    """One headless Chromium for all tests of a process."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as running:
        found = running.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield found
        found.close()
