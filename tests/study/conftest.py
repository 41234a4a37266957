"""Scenarios for the tests of the study, made without files."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import pytest

from derive.formula import catalogue
from derive.notation import SYMBOLS
from derive.specs import load

if TYPE_CHECKING:
    from collections.abc import Callable

    from derive.specs.types import Scenario

LAUNCH = "llama-3-70b-on-4x-h100"


@cache
def launch(*sets: str) -> Scenario:
    """The launch scenario with settings."""
    symbols = {i: s.unit.text for i, s in SYMBOLS.items()}
    symbols |= {i: f.unit.text for i, f in catalogue().items()}
    return load.scenario(LAUNCH, sets=sets, symbols=symbols)


@pytest.fixture
def scenario() -> Callable[..., Scenario]:
    return launch
