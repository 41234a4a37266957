"""The packaged specs and small helpers that every test of them uses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from derive.errors import DeriveError
from derive.specs.lookup import specs_home

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture(scope="session")
def home() -> Path:
    return specs_home()


@pytest.fixture
def edited(home: Path, tmp_path: Path) -> Callable[..., Path]:
    """A copy of a packaged spec with replacements; each must occur in it."""

    def edit(source: str, *replacements: tuple[str, str], name: str = "case.yaml") -> Path:
        text = (home / source).read_text(encoding="utf-8")
        for old, new in replacements:
            assert old in text, old
            text = text.replace(old, new, 1)
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return edit


@pytest.fixture
def problems() -> Callable[..., list[str]]:
    """Codes of the problems a call runs into; empty where it works."""

    def codes(call: Callable[..., object], *args: object, **more: object) -> list[str]:
        try:
            call(*args, **more)
        except DeriveError as error:
            return [p.code for p in error.problems]
        return []

    return codes
