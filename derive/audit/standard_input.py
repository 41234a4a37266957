"""Claims and documents from standard input, where a file is named `-`."""

from __future__ import annotations

import sys
from pathlib import Path

from derive.errors import DeriveError, Problem
from derive.text import tr

STDIN = "-"
LARGEST = 64 * 1024 * 1024  # bytes


def is_stdin(path: Path) -> bool:
    """Whether a path stands for standard input."""
    return str(path) == STDIN


def stdin_text() -> str:
    """All of standard input; DeriveError C112 where it is no text."""
    raw = sys.stdin.buffer.read(LARGEST)
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        what = tr("standard input is no text in UTF-8: line {line}", line=line)
        raise DeriveError(Problem("C112", what)) from None


def asked_once(*named: str) -> None:
    """DeriveError C114 where several arguments ask for standard input."""
    if named.count(STDIN) > 1:
        what = tr("standard input is asked for {count} times: it can be read once",
                  count=named.count(STDIN))  # fmt: skip
        raise DeriveError(Problem("C114", what))
