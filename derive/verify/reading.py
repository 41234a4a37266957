"""Reading a ledger file: bounded, and refused with one sentence where it is none."""

from __future__ import annotations

import json
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from derive.errors import DeriveError, Place, Problem, printable
from derive.ledger import COMPARISON, FORMAT, canonical
from derive.text import Text, tr

LARGEST_FILE = 4_000_000  # bytes; a ledger has some 700,000
LARGEST_COMPARISON = 64_000_000  # of some ninety ledgers
HEAD = 200  # bytes at the start of a file, which name the format of a larger one


def load_ledger(path: Path) -> Mapping[str, Any]:
    """The record in a ledger file; DeriveError where there is none."""
    name = printable(str(path), 80)  # the name of "." is empty
    place = Place(file=name)

    def refused(code: str, what: Text, hint: Text | None = None) -> DeriveError:
        return DeriveError(Problem(code, what, place, hint=hint))

    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise refused("L101", tr("{file} is no file", file=name))
        with path.open("rb") as file:
            raw = file.read(LARGEST_FILE + 1)
            most = LARGEST_FILE
            if len(raw) > most and COMPARISON.encode() in raw[:HEAD]:
                most = LARGEST_COMPARISON
                raw += file.read(most + 1 - len(raw))
    except (OSError, ValueError):
        raise refused("L101", tr("no such file: {file}", file=printable(str(path)))) from None
    if len(raw) > most:
        raise refused("L102", tr("{file} is too large for a ledger", file=name))
    try:
        record = json.loads(raw.decode("utf-8"), object_pairs_hook=once, parse_constant=no_number)
        if isinstance(record, dict):
            canonical(record).encode("utf-8")  # half of a surrogate pair is no text
    except (ValueError, RecursionError):
        raise refused("L103", tr("{file} is no readable JSON", file=name)) from None
    if not isinstance(record, dict) or record.get("format") not in (FORMAT, COMPARISON):
        what = tr("{file} is no ledger of this format ({format})", file=name, format=FORMAT)
        hint = tr(
            "verify reads what report, compare, measure or checklist writes with --to json; what "
            "--json prints holds no ledger"
        )
        raise refused("L104", what, hint)
    return record


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose keys stand once; which of two would count is nobody's guess."""
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("a key stands twice")
    return made


def no_number(text: str) -> float:
    """NaN and Infinity are no JSON."""
    raise ValueError(text)
