"""The documents are true: commands exist, examples print what they say, recipes stay short."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from derive.cli import main

ROOT = Path(__file__).resolve().parent.parent
READMES = ("README.md", "README.zh.md")


def text(name: str) -> str:
    """A document."""
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", READMES)
def test_every_command_is_documented(name: str) -> None:
    missing = [c for c in main.commands if f"`derive {c}" not in text(name)]
    assert not missing


@pytest.mark.parametrize("name", READMES)
def test_examples_print_what_they_say(name: str) -> None:
    command, *expected = re.search(r"```\n\$ (derive .*?)```", text(name), re.DOTALL)[
        1
    ].splitlines()
    done = subprocess.run(
        [sys.executable, "-m", "derive.cli", *shlex.split(command)[1:]],
        capture_output=True, text=True, check=True, cwd=ROOT,
    )  # fmt: skip
    squeeze = [re.sub(r"\s+", " ", line).strip() for line in done.stdout.splitlines()]
    assert squeeze == [re.sub(r"\s+", " ", line).strip() for line in expected]


def test_both_readmes_name_the_same_commands_and_files() -> None:
    def named(name: str) -> set[str]:
        return set(
            re.findall(r"`(derive [a-z]+|make [a-z]+|--[a-z]+)|\]\((?!README)([^)]+)\)", text(name))
        )

    assert named("README.md") == named("README.zh.md")


@pytest.mark.parametrize(
    "name", ["README.md", "README.zh.md", "ARCHITECTURE.md", "CONTRIBUTING.md"]
)
def test_links_lead_somewhere(name: str) -> None:
    links = re.findall(r"\]\(([^)#]+)\)", text(name))
    assert all((ROOT / link).exists() for link in links if "://" not in link)


def test_recipes_have_at_most_ten_lines() -> None:
    recipes = re.split(r"^## ", text("CONTRIBUTING.md"), flags=re.MULTILINE)[1:]
    assert len(recipes) >= 3
    for recipe in recipes:
        assert len([line for line in recipe.splitlines()[1:] if line.strip()]) <= 10, recipe


def test_architecture_names_every_part() -> None:
    parts = {p.name for p in (ROOT / "derive").iterdir() if not p.name.startswith("_")}
    page = text("ARCHITECTURE.md")
    missing = [p for p in parts if p.removesuffix(".py") not in page]
    assert not missing
    assert len(page.splitlines()) <= 80


def test_make_targets_of_the_readme_exist() -> None:
    targets = set(re.findall(r"^([a-z]+):", text("Makefile"), re.MULTILINE))
    for name in READMES:
        assert set(re.findall(r"make ([a-z]+)", text(name))) <= targets
