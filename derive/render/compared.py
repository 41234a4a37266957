"""A comparison as templates and Markdown ask for it: rows, numbers aligned, words for columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from derive.render import numbers
from derive.text import Text, same, tr

Record = Mapping[str, Any]
HEADLINE = ("TTFT", "TPOT", "b_max", "cost_token")
LESS_IS_BETTER = ("TTFT", "TPOT", "TTFT_mix", "TPOT_mix", "cost_token", "energy_token",
                  "replicas", "g_fleet")  # fmt: skip
NEUTRAL = ("TPOT_floor", "R_max", "I_ridge", "b_crit", "T_wall", "g_fit")


def title(record: Record) -> Text:
    """The heading."""
    return tr("Comparison: {scenario}", scenario=Text(**record["title"]))


def row_names() -> dict[str, Text]:
    """What the rows of a candidate are called."""
    return {
        "TTFT": tr("TTFT, one prompt"), "TPOT": same("TPOT"), "X": tr("decode throughput"),
        "b_max": tr("requests in memory"), "b_max_reserved": tr("requests as an engine reserves"),
        "b_slo": tr("requests within the TPOT target"), "replicas": tr("replicas"),
        "TTFT_mix": tr("TTFT in chunks among decode"),
        "TPOT_mix": tr("TPOT while a prompt is prefilled"), "g_fleet": tr("devices of the fleet"),
        "cost_token": tr("cost of an output token"),
        "energy_token": tr("energy of an output token"), "TPOT_floor": tr("TPOT floor"),
        "R_max": tr("most tokens a second of one request"), "I_ridge": tr("ridge point"),
        "b_crit": tr("critical batch"), "T_wall": tr("context of the KV wall"),
        "g_fit": tr("devices needed"),
    }  # fmt: skip


def tone(row: str, cell: Record) -> str:
    """Better, worse, or neither, by the direction of a row."""
    times = cell["ratio"]
    if times is None or times == 1 or row in NEUTRAL:
        return ""
    return "met" if (times < 1) == (row in LESS_IS_BETTER) else "missed"


SIGNS = {"met": "✓", "missed": "×", "": ""}


def overview(record: Record) -> list[dict[str, Any]]:
    """A row a candidate: the headline quantities with their ratio to the base."""
    return [
        {
            "number": number,
            "name": column["name"],
            "fits": column["fits"],
            "cells": [
                {**column["rows"][row], "tone": tone(row, column["rows"][row])} for row in HEADLINE
            ],
        }
        for number, column in enumerate(record["columns"])
    ]


def candidates(record: Record) -> list[dict[str, Any]]:
    """Every candidate but the base: its verdict, what moved, why, and all its rows."""
    base, *others = record["columns"]
    names = row_names()
    return [
        {
            **column,
            "number": number,
            "why": [(row, names[row], column["reasons"][row]) for row in HEADLINE],
            "changes": [(n, m["from"], m["to"]) for n, m in column["moved"].items()],
            "table": [
                {
                    "id": row, "name": names[row], "base": base["rows"][row]["display"],
                    "here": cell["display"], "ratio": cell["ratio_shown"],
                    "tone": tone(row, cell),
                }
                for row, cell in column["rows"].items()
                if cell["display"] != "–" or base["rows"][row]["display"] != "–"
            ],
        }
        for number, column in enumerate(others, 1)
    ]  # fmt: skip


def sheets(record: Record) -> list[dict[str, Any]]:
    """The derivations: each form with a row for every candidate that has it."""
    names = [column["name"] for column in record["columns"]]
    made = []
    for sheet in record["sheets"]:
        forms = []
        for form in sheet["forms"]:
            cells = [[*row["cells"], row["value"]] for row in form["rows"]]
            units, columns = zip(
                *(shared(column) for column in zip(*cells, strict=True)), strict=True
            )
            rows = [
                {"number": row["column"], "name": names[row["column"]], "cells": line}
                for row, line in zip(form["rows"], zip(*columns, strict=True), strict=True)
            ]
            heads = list(zip([*form["symbols"], sheet["id"]], units, strict=True))
            forms.append({**form, "heads": heads, "rows": rows})
        made.append({**sheet, "forms": forms})
    return made


def shared(column: Sequence[str]) -> tuple[str, list[str]]:
    """The unit of a column, where all its values have the same, and the aligned cells."""
    parts = [numbers.split(cell) for cell in column]
    units = {part.unit for part in parts if part.number != "–"}
    if len(units) != 1:
        return "", list(column)
    return units.pop(), numbers.aligned(part.sign + part.number for part in parts)
