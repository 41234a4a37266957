"""The setup script on machines without rights: it stops before any work, or goes on without PDF."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PANGO = "libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0"
NOBODY = 65534

# Stands for a Python without what FAIL names; the environment it makes installs nothing.
PYTHON = """#!/bin/sh
echo "$0 $*" >>calls
case "$*" in
  *ensurepip*) case "$FAIL" in *venv*) exit 1 ;; esac ;;
  *ctypes*) case "$FAIL" in *pango*) exit 1 ;; esac ;;
  "-c import pip") ;;
  "-m venv"*) mkdir -p .venv/bin && cp "$0" .venv/bin/python && echo "$PWD/.venv/" >.venv/bin/pip ;;
esac
"""
# What pip prints: information by default, warnings under -q, errors alone under -qq.
PIP = """
case "$*" in
  *"pip install"*)
    case "$*" in
      *" -qq "*) ;;
      *" -q "*) echo "WARNING: Location is ignored" ;;
      *) echo "Looking in links" ;;
    esac
    case "$FAIL" in *install*) echo "ERROR: no matching distribution" >&2; exit 1 ;; esac ;;
esac
"""
LINUX = "#!/bin/sh\necho Linux\n"
MACOS = "#!/bin/sh\necho Darwin\n"
REFUSE = '#!/bin/sh\necho "$0 $*" >>calls\nexit 1\n'


def put(place: Path, **commands: str) -> None:
    """Scripts that stand for commands of the machine."""
    for name, text in commands.items():
        path = place / "bin" / name
        path.write_text(text)
        path.chmod(0o755)


@pytest.fixture
def place() -> Iterator[Path]:
    """A checkout owned by the user who runs the script, outside of this run's closed folder."""
    folder = Path(tempfile.mkdtemp(prefix="derive-setup-"))
    (folder / "tools").mkdir()
    (folder / "bin").mkdir()
    for name in ("tools/setup.sh", "pyproject.toml", "requirements.lock", "requirements-dev.lock"):
        shutil.copy(ROOT / name, folder / name)
    put(folder, python3=PYTHON, sudo=REFUSE, **{"apt-get": REFUSE}, uname=LINUX)
    if os.geteuid() == 0:
        for path in (folder, *folder.rglob("*")):
            os.chown(path, NOBODY, NOBODY)
    yield folder
    shutil.rmtree(folder)


def setup(place: Path, goal: str, fail: str) -> tuple[int, list[str], str]:
    """Exit code, lines printed and the commands run, as a user who is not root."""
    drop = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    env = {"PATH": f"{place}/bin:/usr/bin:/bin", "PYTHON": f"{place}/bin/python3", "FAIL": fail}
    run = subprocess.run(
        [*(drop if os.geteuid() == 0 else []), "tools/setup.sh", goal],
        cwd=place,
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    calls = place / "calls"
    return run.returncode, (run.stdout + run.stderr).splitlines(), calls.read_text()


def test_without_venv_it_stops_before_any_work_with_one_line(place: Path) -> None:
    code, lines, calls = setup(place, "report", "venv pango")
    assert code == 2
    assert lines == [f"setup: an administrator must run: apt-get install -y python3-venv {PANGO}"]
    assert not (place / ".venv").exists()
    assert "apt-get" not in calls


def test_without_pango_it_goes_on_and_says_what_pdf_needs(place: Path) -> None:
    code, lines, calls = setup(place, "report", "pango")
    assert code == 0
    assert lines[0] == f"setup: no PDF until an administrator runs: apt-get install -y {PANGO}"
    assert "--require-hashes -r requirements.lock" in calls
    assert "apt-get" not in calls


def test_tests_need_everything(place: Path) -> None:
    code, lines, _ = setup(place, "test", "pango")
    assert code == 2
    assert len(lines) == 1
    assert lines[0].endswith(PANGO)
    assert not (place / ".venv").exists()


def test_second_run_installs_nothing_until_the_lock_changes(place: Path) -> None:
    setup(place, "report", "")
    (place / "calls").unlink()
    code, lines, calls = setup(place, "report", "")
    assert (code, lines) == (0, [])
    assert "install" not in calls
    with (place / "requirements.lock").open("a") as lock:
        lock.write("# another release\n")
    assert "install" in setup(place, "report", "")[2]


def test_installing_prints_errors_alone(place: Path) -> None:
    """A machine may have pip warn once a package: that stays out, a failure does not."""
    put(place, python3=PYTHON + PIP)
    code, lines, _ = setup(place, "report", "")
    assert code == 0
    assert lines == ["setup: installing Python packages from requirements.lock into .venv"]
    shutil.rmtree(place / ".venv")
    code, lines, _ = setup(place, "report", "install")
    assert code != 0
    assert lines[-1] == "ERROR: no matching distribution"
    assert not list((place / ".venv").glob(".stamp-*"))


def test_a_moved_checkout_gets_a_new_environment(place: Path) -> None:
    setup(place, "report", "")
    (place / ".venv" / "bin" / "pip").write_text("#!/elsewhere/.venv/bin/python\n")
    assert "-m venv --clear" in setup(place, "report", "")[2]


def test_on_macos_it_names_homebrew(place: Path) -> None:
    put(place, uname=MACOS, brew=REFUSE)
    code, lines, calls = setup(place, "report", "pango")
    assert code == 0
    assert lines[0] == "setup: no PDF without Pango: brew install python pango"
    assert "apt-get" not in calls
