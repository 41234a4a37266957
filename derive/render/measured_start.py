"""Lines of an engine's start in the terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from derive.errors import columns
from derive.text import tr

Record = Mapping[str, Any]


def start_lines(rows: list[Record], lang: str) -> list[str]:
    """Printed beside expected, the verdict, and the reasons."""
    words = {
        "agrees": tr("agrees"), "explained": tr("explained"), "open": tr("may be explained"),
        "differs": tr("differs"), "compared": tr("compared"),
    }  # fmt: skip
    lines: list[str] = []
    for row in rows:
        follows = row["expected"]["display"]
        if row["low"]:
            ends = row["low"]["display"], row["high"]["display"]
            follows = ends[0] if ends[0] == ends[1] else f"{ends[0]} … {ends[1]}"
        if row["printed"] is None:
            lines += columns([(f"   {row['name'][lang]}", follows)])
            continue
        printed = tr("printed {value}", value=row["printed"]["display"]).in_(lang)
        told = tr("follows {value}", value=follows).in_(lang)
        lines += columns(
            [(f"   {row['name'][lang]}", printed, told, words[row["state"]].in_(lang))]
        )
        lines += [f"     {reason['text'][lang]}" for reason in row["reasons"]]
    return lines


def profile_lines(found: Record | None, lang: str) -> list[str]:
    """Where the time of a profile goes."""
    return [f"   → {text[lang]}" for text in (found or {}).get("diagnosis", ())]
