"""Every message a user can be shown, whole, in both languages.

A folder is one mistake: `args.txt` holds the command line, an argument a line, the other files the
wrong input, `message.<lang>.txt` what stderr must say. `--update-golden` writes the messages anew.
"""

from __future__ import annotations

import gzip
import os
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from derive import sweep_command
from derive.cli import main
from derive.sweep import cluster

if TYPE_CHECKING:
    from collections.abc import Callable

HERE = Path(__file__).parent
CASES = sorted(p.parent.name for p in HERE.glob("*/args.txt"))
SPECS = HERE.parent.parent / "derive" / "specs"
# what only another parser of arguments, standard input or a cluster brings
UNSEEN = {"C100", "C112", "C120", "C121"}
ESCAPE = "a\x1b[31m\u202eb.yaml"


def deny(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Permissions do not bind root, which continuous integration often is."""
    plain = os.open

    def opened(path: object, *args: object, **more: object) -> int:
        if Path(str(path)).name == name or Path(str(path)).parent.name == name:
            raise PermissionError(13, "Permission denied", str(path))
        return plain(path, *args, **more)  # type: ignore[arg-type]

    def read(path: Path, *args: object, **more: object) -> object:
        if path.name == name:
            raise PermissionError(13, "Permission denied", str(path))
        return plain_read(path, *args, **more)  # type: ignore[arg-type]

    plain_read = Path.open
    monkeypatch.setattr(os, "open", opened)
    monkeypatch.setattr(Path, "open", read)


def hole(name: str, size: int) -> None:
    """A JSON file of that size that takes no place on the disk."""
    with Path(name).open("wb") as file:
        file.write(b"[{")
        file.truncate(size)


# what a checkout cannot hold: made before the command runs
PREPARE: dict[str, Callable[[pytest.MonkeyPatch], object]] = {
    "file-is-directory": lambda _: Path("folder.yaml").mkdir(),
    "file-unreadable": lambda patch: (Path("secret.yaml").touch(), deny(patch, "secret.yaml")),
    "file-binary": lambda _: Path("binary.yaml").write_bytes(bytes(range(1, 256))),
    "file-not-utf8": lambda _: Path("latin.yaml").write_bytes(b"scenario: a\nmodel: caf\xe9\n"),
    "file-utf16": lambda _: Path("wide.yaml").write_text("scenario: a\n", encoding="utf-16"),
    "file-nul": lambda _: Path("nul.yaml").write_bytes(b"scenario: a\nmodel: b\0c\n"),
    "file-huge": lambda _: Path("huge.yaml").write_bytes(b"# a comment\n" * 100_000),
    "yaml-many-values": lambda _: Path("many.yaml").write_text("notes:\n" + "- 1\n" * 20_001),
    "file-fifo": lambda _: os.mkfifo("pipe.yaml"),
    "file-name-hostile": lambda _: Path(ESCAPE).write_text("scenario: a\n"),
    "specs-of-environment": lambda patch: patch.setenv("DERIVE_SPECS", "nowhere"),
    "audit-document-binary": lambda _: Path("binary.md").write_bytes(b"\xff\xfe H100"),
    "audit-document-huge": lambda _: Path("huge.md").write_bytes(bytes(2**24 + 1)),
    "audit-document-fifo": lambda _: os.mkfifo("pipe.md"),
    "audit-document-many": lambda _: Path("many.md").write_text("80 GB. " * 10_001),
    "sweep-library": lambda patch: patch.setattr(sweep_command, "find_spec", lambda _: None),
    "sweep-scheduler": lambda patch: patch.setattr(cluster, "PATIENCE", 0.2),
    "sweep-directory": lambda patch: (Path("locked").mkdir(), deny(patch, "out")),
    "measure-not-text": lambda _: Path("run.json").write_bytes(b'{"backend": "caf\xe9"}'),
    "measure-too-large": lambda _: hole("huge.json", 300_000_000),
    "measure-deep": lambda _: Path("deep.json").write_text("[" * 100_000),
    "measure-gzip-cut": lambda _: Path("trace.json.gz").write_bytes(
        gzip.compress(b'{"traceEvents": []}', mtime=0)[:-9]
    ),
    "output-unwritable": lambda patch: (Path("locked").mkdir(), deny(patch, "locked")),
    "output-name-is-directory": lambda _: Path("llama-3-70b-on-4x-h100.json").mkdir(),
}


def run(name: str, lang: str, monkeypatch: pytest.MonkeyPatch, directory: Path) -> tuple[int, str]:
    """The exit code and stderr of a case, run where its files lie."""
    shutil.copytree(HERE / name, directory, dirs_exist_ok=True)
    monkeypatch.chdir(directory)
    if name in PREPARE:
        PREPARE[name](monkeypatch)
    lines = (HERE / name / "args.txt").read_text(encoding="utf-8").splitlines()
    args = [line.encode().decode("unicode_escape") if "\\" in line else line for line in lines]
    given = bool(args) and not any(a.startswith("--lang") for a in args)
    done = CliRunner().invoke(
        main, [*args, *(["--lang", lang] if given else [])], prog_name="derive"
    )
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    assert done.stdout == ""
    return done.exit_code, done.stderr


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("name", CASES)
def test_message(
    name: str,
    lang: str,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setenv("LANG", {"en": "C.UTF-8", "zh": "zh_CN.UTF-8"}[lang])
    for name_of in ("LC_ALL", "LC_MESSAGES", "DERIVE_SPECS"):
        monkeypatch.delenv(name_of, raising=False)
    code, found = run(name, lang, monkeypatch, tmp_path)
    golden = HERE / name / f"message.{lang}.txt"
    if request.config.getoption("--update-golden"):
        golden.write_text(found, encoding="utf-8")
    assert code == 2
    assert all(c.isprintable() or c == "\n" for c in found)
    assert str(tmp_path) not in found
    assert found == golden.read_text(encoding="utf-8"), f"{name}: see --update-golden"


def test_every_code_has_a_case() -> None:
    code = re.compile(r'"([ABSC][0-9]{3})"')
    package = SPECS.parent
    files = [*SPECS.glob("*.py"), *package.glob("*.py"), *(package / "audit").rglob("*.py")]
    files += [*(package / "sweep").glob("*.py"), *(package / "measured").rglob("*.py")]
    known = {c for path in files for c in code.findall(path.read_text("utf-8"))}
    shown = "".join(p.read_text("utf-8") for p in HERE.glob("*/message.en.txt"))
    assert known - set(re.findall(r"^[ABSC][0-9]{3}", shown, re.MULTILINE)) == UNSEEN
