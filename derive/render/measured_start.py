"""Lines of an engine's start in the terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from derive.errors import columns
from derive.render.runs import started
from derive.text import tr

Record = Mapping[str, Any]


def start_lines(rows: list[Record], lang: str) -> list[str]:
    """Printed beside expected, the verdict, and the reasons."""
    lines: list[str] = []
    for row in map(started, rows):
        if not row["shown"]:
            lines += columns([(f"   {row['name'][lang]}", row["follows"])])
            continue
        printed = tr("printed {value}", value=row["shown"]).in_(lang)
        told = tr("follows {value}", value=row["follows"]).in_(lang)
        lines += columns([(f"   {row['name'][lang]}", printed, told, row["verdict"].in_(lang))])
        lines += [f"     {reason['text'][lang]}" for reason in row["reasons"]]
    return lines


def profile_lines(found: Record | None, lang: str) -> list[str]:
    """Where the time of a profile goes."""
    return [f"   → {text[lang]}" for text in (found or {}).get("diagnosis", ())]
