"""Files appear whole or not at all, under safe names, dated by the scenario or not at all."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from derive.errors import DeriveError
from derive.render import pdf, report
from derive.text import Text

from .report_ledgers import LAUNCH, ledger

LIGHT = ["html", "md", "json"]


def write(directory: Path, formats: list[str], lang: str = "both") -> tuple[bool, list[str]]:
    said: list[str] = []
    return report.write_report(ledger(), formats, lang, directory, said.append), said


def test_each_format_is_one_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    done, said = write(tmp_path / "new" / "folder", LIGHT)
    assert done
    assert said
    found = sorted(p.name for p in (tmp_path / "new" / "folder").iterdir())
    assert found == [f"{LAUNCH}.{f}" for f in ("html", "json", "md")]
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3
    assert all(line.startswith("wrote ") and line.endswith(" kB)") for line in lines)
    assert json.loads((tmp_path / "new" / "folder" / f"{LAUNCH}.json").read_text()) == ledger()
    mode = (tmp_path / "new" / "folder" / f"{LAUNCH}.html").stat().st_mode & 0o777
    assert mode == 0o666 & ~report.umask()


def test_a_failure_leaves_the_earlier_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in LIGHT:
        (tmp_path / f"{LAUNCH}.{name}").write_text("earlier")

    def broken(*_: Any) -> tuple[bytes, str]:
        raise RuntimeError("in the middle")

    with monkeypatch.context() as patch:
        patch.setattr("derive.render.markdown.document", broken)
        with pytest.raises(RuntimeError, match="in the middle"):
            write(tmp_path, LIGHT)
    assert {p.read_text() for p in tmp_path.iterdir()} == {"earlier"}

    replace = Path.replace

    def full(self: Path, target: Path) -> Path:
        if (
            str(target).endswith(".json")
            and "derive" in self.name
            and not self.name.endswith(".old")
        ):
            raise OSError(28, "No space left on device")
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(DeriveError) as caught:
        write(tmp_path, LIGHT)
    assert caught.value.problems[0].code == "R101"
    assert "no space is left" in caught.value.problems[0].what.en
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        f"{LAUNCH}.{f}" for f in ("html", "json", "md")
    ]
    assert {p.read_text() for p in tmp_path.iterdir()} == {"earlier"}


def test_what_cannot_be_written_is_said_before_any_work(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("taken")
    with pytest.raises(DeriveError) as caught:
        write(tmp_path / "file", LIGHT)
    assert caught.value.problems[0].code == "R101"
    (tmp_path / f"{LAUNCH}.json").mkdir()
    with pytest.raises(DeriveError) as caught:
        write(tmp_path, LIGHT)
    assert caught.value.problems[0].code == "R102"
    assert not (tmp_path / f"{LAUNCH}.html").exists()


def test_without_pango_the_rest_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf, "available", lambda: Text("no Pango here", "没有 Pango"))
    done, said = write(tmp_path, ["pdf", "html", "json"])
    assert not done
    assert any("no Pango here" in line and "没有 Pango" in line for line in said)
    assert sorted(p.suffix for p in tmp_path.iterdir()) == [".html", ".json"]


@pytest.mark.parametrize(
    ("identifier", "stem"),
    [
        ("llama-3.1-8b", "llama-3.1-8b"),
        ("../../etc/passwd", "etc-passwd"),
        ("a/b\\c:d*e\n\0f", "a-b-c-d-e-f"),
        (".hidden", "hidden"),
        ("容量 评估", "容量-评估"),
        ("", "report"),
        ("../..", "report"),
        ("x" * 300, "x" * 100),
    ],
)
def test_file_names_are_safe(identifier: str, stem: str) -> None:
    assert report.file_stem(identifier) == stem


@pytest.mark.parametrize(
    ("date", "epoch", "shown"),
    [
        ("2026-11-30", None, "2026-11-30"),
        ("2026-11-30", "0", "2026-11-30"),
        (None, "1700000000", "2023-11-14"),
        (None, None, ""),
        ("<b>", "never", ""),
        ("", "9" * 30, ""),
    ],
)
def test_the_date(
    date: str | None, epoch: str | None, shown: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    if epoch is not None:
        monkeypatch.setenv("SOURCE_DATE_EPOCH", epoch)
    found, stamp = report.date_of({"scenario": {"date": date}})
    assert found == shown
    assert (stamp is None) == (shown == "")


def test_a_locked_folder(tmp_path: Path) -> None:
    locked = Path("/proc")  # where root may not write either
    if os.geteuid():
        locked = tmp_path / "locked"
        locked.mkdir(mode=0o500)
    with pytest.raises(DeriveError) as caught:
        write(locked, LIGHT)
    assert caught.value.problems[0].code == "R101"
