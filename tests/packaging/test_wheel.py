"""The wheel, built, installed elsewhere and used there: templates and specs travel inside."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCENARIO = "llama-3-70b-on-4x-h100"


def run(command: list[str | Path], **options: object) -> str:
    """The standard output of a command that must succeed."""
    done = subprocess.run(  # type: ignore[call-overload]
        command, capture_output=True, text=True, timeout=300, check=False, **options
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return str(done.stdout)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    run([sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT])
    (built,) = folder.glob("derive-*.whl")
    return built


@pytest.fixture(scope="module")
def elsewhere(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment that knows the wheel and the dependencies, not the checkout."""
    venv = tmp_path_factory.mktemp("elsewhere") / "venv"
    run([sys.executable, "-m", "venv", "--without-pip", venv])
    (site,) = venv.glob("lib/python*/site-packages")
    dependencies = next(p for p in sys.path if p.endswith("site-packages"))
    (site / "dependencies.pth").write_text(dependencies + "\n")
    install = ["install", "-q", "--no-index", "--no-deps", "--ignore-installed", wheel]
    run([sys.executable, "-m", "pip", "--python", venv / "bin" / "python", *install])
    return venv


def test_wheel_holds_code_data_and_licence(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    for top in ("specs", "templates"):
        files = {p.relative_to(ROOT).as_posix() for p in (ROOT / top).rglob("*") if p.is_file()}
        assert files
        assert {f"derive/_data/{name}" for name in files} <= names
    data = {p for p in (ROOT / "derive").rglob("*") if p.suffix in {".txt", ".po", ".yaml"}}
    assert {p.relative_to(ROOT).as_posix() for p in data} <= names
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert not [name for name in names if name.startswith(("tests/", "tools/", "specs/"))]


def test_report_is_made_elsewhere(elsewhere: Path, tmp_path: Path) -> None:
    env = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "LANG": "C.UTF-8"}
    env |= {k: v for k, v in os.environ.items() if k.startswith("XDG_CACHE")}
    python, derive = elsewhere / "bin" / "python", elsewhere / "bin" / "derive"
    where = run([python, "-c", "import derive; print(derive.__file__)"], cwd=tmp_path, env=env)
    assert Path(where.strip()).is_relative_to(elsewhere)
    run([derive, "report", SCENARIO, "--to", "html,json", "-o", "out"], cwd=tmp_path, env=env)
    html = (tmp_path / "out" / f"{SCENARIO}.html").read_text(encoding="utf-8")
    assert "</html>" in html
    ledger = (tmp_path / "out" / f"{SCENARIO}.json").read_text(encoding="utf-8")
    assert json.loads(ledger)
    assert str(ROOT) not in html + ledger
