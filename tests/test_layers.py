"""Arrows run one way, heavy libraries stay where they belong, and no text is ever evaluated."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "derive"

GROUND = {"text", "errors", "__version__"}
CORE = {"units", "notation", "expression", "formula", "formulas", "derivation", "cache"}
# layer -> what it may import besides itself and the ground (`text` and `errors`)
MAY: dict[str, set[str]] = {
    "__init__": set(),
    "__main__": {"cli"},
    "text": set(),
    "errors": set(),
    "cache": set(),
    "units": set(),
    "notation": {"units"},
    "switches": set(),
    "expression": {"units", "notation"},
    "formula": {
        "units",
        "notation",
        "expression",
        "switches",
        "formulas",
    },  # `formulas` only to list it
    "formulas": {"formula"},
    "derivation": CORE - {"formulas"},
    "architecture": {"units", "notation", "expression", "specs"},
    "specs": {"units", "notation"},
    "ledger": set(),
    "study": CORE - {"formulas"} | {"specs", "ledger"},
    # of `measured` what the kinds of figures are, nothing that computes: test_independence
    "verify": CORE - {"formulas", "derivation"} | {"specs", "study", "ledger", "measured"},
    "measured": CORE - {"formulas"} | {"specs", "study", "ledger"},
    "audit": CORE - {"formulas"} | {"specs", "study", "ledger", "measured"},
    "checklist": CORE - {"formulas"} | {"specs", "study", "ledger", "measured"},
    "monitoring": CORE - {"formulas"} | {"study", "ledger", "measured"},
    "sweep": CORE - {"formulas", "cache"} | {"specs", "study"},
    "render": {"ledger", "units", "cache"},
}
COMMANDS = {
    "audit_command", "checklist_command", "compare_command", "measure_command", "sweep_command",
}  # fmt: skip
ANYTHING = {"cli", "command", "options", "asked"} | COMMANDS  # the command line

# library -> the modules that may import it
ONLY = {
    "pint": ("derive.units",),
    "sympy": ("derive.expression.algebra", "derive.derivation"),
    "jinja2": ("derive.render",),
    "markupsafe": ("derive.render",),
    "weasyprint": ("derive.render",),
    "matplotlib": ("derive.render",),
    "ziamath": ("derive.render",),
    "ziafont": ("derive.render",),
    "math_core": ("derive.render",),
    "pikepdf": ("derive.render",),
    "fontTools": ("derive.render",),
    "gguf": (),  # the oracle of tests
    "numpy": ("derive.sweep",),
    "pyarrow": ("derive.sweep.parquet_file",),
    "distributed": ("derive.sweep.cluster",),
    "dask": (),
}
HEAVY = ("sympy", "pint", "jinja2", "weasyprint", "matplotlib", "ziamath", "fontTools", "pikepdf",
         "numpy", "pyarrow", "distributed")  # fmt: skip

EVALUATES = {
    "eval",
    "exec",
    "__import__",
    "sympify",
    "parse_expr",
    "lambdify",
    "parse_expression",
    "parse_units",
    "parse_unit_name",
    "system",
    "popen",
    "literal_eval",
    "unsafe_load",
    "full_load",
}
UNSAFE_MODULES = {"pickle", "marshal", "shelve", "code", "ctypes"}


@cache
def modules() -> dict[str, ast.Module]:
    """Every module of the package by its dotted name."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        dotted = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        found[dotted.removesuffix(".__init__")] = ast.parse(path.read_text(encoding="utf-8"))
    return found


def imports(tree: ast.Module) -> Iterator[str]:
    """Dotted names that a module imports, those inside functions too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute, so that this test sees them"
            if node.module == "derive":
                yield from (f"derive.{alias.name}" for alias in node.names)
            else:
                yield node.module or ""


def layer(dotted: str) -> str:
    """`derive.units.reading` -> `units`."""
    parts = dotted.split(".")
    return parts[1] if len(parts) > 1 else "__init__"


every_module = pytest.mark.parametrize("name", modules())


@every_module
def test_arrows_run_one_way(name: str) -> None:
    own = layer(name)
    if own in ANYTHING:
        return
    assert own in MAY, f"say in MAY what {own} may import"
    for target in imports(modules()[name]):
        if target.split(".")[0] == "derive":
            there = layer(target)
            assert there in GROUND | {own} | MAY[own], f"{name} imports {target}"


def test_the_layers_form_no_circle() -> None:
    """But for the listing of the formulas' folder, which the catalogue does."""
    left = {own: targets - {own} for own, targets in MAY.items()}
    left["formula"] = left["formula"] - {"formulas"}
    while left:
        free = {own for own, targets in left.items() if not targets & set(left)}
        assert free, f"a circle among {sorted(left)}"
        left = {own: targets for own, targets in left.items() if own not in free}


def test_formulas_are_imported_by_the_catalogue_alone() -> None:
    importers = {
        n
        for n, t in modules().items()
        if any(layer(i) == "formulas" for i in imports(t) if i.startswith("derive."))
    }
    assert {n for n in importers if not n.startswith("derive.formulas")} == {"derive.formula"}


def test_a_formula_module_declares_and_does_nothing_else() -> None:
    for name, tree in modules().items():
        if not name.startswith("derive.formulas."):
            continue
        for statement in tree.body:
            calls = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)
            words = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
            assert calls or words or isinstance(statement, ast.Import | ast.ImportFrom), (
                f"{name}:{statement.lineno}"
            )


@every_module
def test_libraries_stay_where_they_belong(name: str) -> None:
    for target in imports(modules()[name]):
        allowed = ONLY.get(target.split(".")[0])
        if allowed:
            assert name.startswith(allowed), f"{name} imports {target}"


def test_the_command_starts_without_heavy_libraries() -> None:
    """`derive --help` must not wait for an algebra system or a plotting library."""
    program = f"import sys, derive.cli; print(*[m for m in {HEAVY!r} if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == []


@every_module
def test_no_text_is_evaluated(name: str) -> None:
    tree = modules()[name]
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            function = node.func
            called = getattr(function, "id", getattr(function, "attr", ""))
            assert called not in EVALUATES, f"{name}:{node.lineno} calls {called}"
            shell = [k for k in node.keywords if k.arg == "shell"]
            assert not shell, f"{name}:{node.lineno} starts a shell"
    assert not UNSAFE_MODULES & {target.split(".")[0] for target in imports(tree)}


def test_pint_gets_names_of_the_closed_table_only() -> None:
    """Pint's own reader takes Gb for a gigabit and mb for a millibit: it reads nothing."""
    uses = {}
    for name, tree in modules().items():
        if name.startswith("derive.units"):
            for node in ast.walk(tree):
                if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "registry":
                    uses[name] = uses.get(name, 0) + 1
    assert set(uses) == {"derive.units.registry"}
    source = (PACKAGE / "units" / "registry.py").read_text(encoding="utf-8")
    assert "UnitsContainer" in source
    for entrance in ("Unit(", "parse_", "ureg(", "registry()("):
        assert entrance not in source.replace("pint.UnitRegistry(", "")
