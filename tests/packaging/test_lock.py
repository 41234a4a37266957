"""The lock files: whole, hashed, in step with pyproject.toml, and naming no host."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LOCKS = {
    "requirements.lock": ("build",),
    "requirements-dev.lock": ("build", "test"),
}


def pins(name: str) -> dict[str, str]:
    """Name to version of every release in a lock file."""
    text = (ROOT / name).read_text(encoding="utf-8")
    return dict(re.findall(r"^([a-z0-9-]+)==([^\s;]+)", text, re.MULTILINE))


@pytest.mark.parametrize(("lock", "extras"), LOCKS.items())
def test_lock_holds_every_dependency_in_its_bounds(lock: str, extras: tuple[str, ...]) -> None:
    project = PROJECT["project"]
    wanted = [*project["dependencies"], *PROJECT["build-system"]["requires"]]
    wanted += [r for extra in extras for r in project["optional-dependencies"][extra]]
    pinned = pins(lock)
    for requirement in map(Requirement, wanted):
        assert requirement.specifier.contains(pinned[canonicalize_name(requirement.name)])


@pytest.mark.parametrize("lock", LOCKS)
def test_lock_pins_and_hashes_every_line_and_names_no_host(lock: str) -> None:
    text = (ROOT / lock).read_text(encoding="utf-8")
    entries = re.split(r"(?<!\\)\n", text.strip())
    for entry in entries:
        assert re.match(r"[a-z0-9-]+==\S+", entry)
        assert "--hash=sha256:" in entry
    assert "/" not in text


def test_tests_run_on_the_releases_that_users_get() -> None:
    assert pins("requirements.lock").items() <= pins("requirements-dev.lock").items()
