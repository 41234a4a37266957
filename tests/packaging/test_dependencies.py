"""What the code imports is what pyproject.toml asks for: nothing missing, nothing idle."""

from __future__ import annotations

import ast
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
DATA_ONLY = {"justmytype-intl-cjk"}  # read as files, by the builder of the fonts


def imported(folder: str) -> set[str]:
    """Distributions of the top-level modules that a folder's code imports."""
    modules: set[str] = set()
    for path in (ROOT / folder).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                modules |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                modules.add(node.module.partition(".")[0])
            elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "import_module":
                named = node.args[0]
                if isinstance(named, ast.Constant):
                    modules.add(str(named.value).partition(".")[0])
    owners = packages_distributions()
    foreign = modules - sys.stdlib_module_names - {"derive"}
    return {canonicalize_name(owner) for m in foreign for owner in owners.get(m, [m])}


def names(requirements: list[str]) -> set[str]:
    """What a list of requirements asks for."""
    return {canonicalize_name(Requirement(r).name) for r in requirements}


def test_runtime_dependencies_are_those_imported() -> None:
    """What an extra brings is imported too, but never asked of those who do without."""
    extras = PROJECT["optional-dependencies"]
    optional = {name: names(extras[name]) for name in ("sweep", "dask")}
    declared = names(PROJECT["dependencies"])
    assert imported("derive") | DATA_ONLY == declared | optional["sweep"] | optional["dask"]
    assert not declared & (optional["sweep"] | optional["dask"])
    assert names(extras["test"]) >= optional["sweep"] | optional["dask"]
