"""What was studied, in short lines of plain words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from derive.render import numbers, tables
from derive.text import Text, joined, same, tr


def plain_facts(ledger: Mapping[str, Any]) -> list[tuple[Text, Text]]:
    """Model, hardware, precision, workload, each with its label."""
    scenario = ledger["scenario"]
    shown = {i["id"]: i["shown"] for i in ledger["inputs"]}
    count = shown.get("g", "").partition(" ")[0]
    model, hardware = (Text(**scenario[key]["name"]) for key in ("model", "hardware"))
    loads = [
        (tr("{b} at once", b=counted(shown.get("b"))), "b"),
        (tr("input {T_in}", T_in=shown.get("T_in", "")), "T_in"),
        (tr("output {T_out}", T_out=shown.get("T_out", "")), "T_out"),
        (tr("arrival {rate}", rate=shown.get("arrival", "")), "arrival"),
    ]
    return [
        (tr("model"), model),
        (tr("hardware"), Text(f"{count} × {hardware.en}", f"{count} × {hardware.zh}")),
        (tr("precision"), tables.precision(scenario["precision"])),
        (tr("workload"), joined((text for text, key in loads if key in shown), ", ", "，")),
    ]


def counted(text: str | None) -> Text:
    """A count with its unit in words."""
    parts = numbers.split(text or "")
    words = numbers.counted(parts)
    return tr("{n} {words}", n=parts.number, words=words) if words else same(text or "")
