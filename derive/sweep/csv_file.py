"""Rows as CSV (RFC 4180), described beside as the W3C's CSV on the Web has it."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, BinaryIO

import numpy as np

from derive.sweep.columns import Column
from derive.sweep.run import Rows

END = "\r\n"
TYPES = {"text": "string", "integer": "integer", "number": "double", "truth": "boolean"}
TRUTH = {True: "true", False: "false"}


def quoted(text: str) -> str:
    """A field as RFC 4180 writes it."""
    if any(sign in text for sign in ',"\r\n'):
        return '"' + text.replace('"', '""') + '"'
    return text


def whole(value: float) -> str:
    """A count; nothing where there is none."""
    return str(int(value)) if value == value else ""


def number(value: float) -> str:
    """The shortest digits that read back as this double."""
    return repr(value) if value == value else ""


WRITTEN: dict[str, Callable[[Any], str]] = {
    "text": quoted,
    "integer": whole,
    "number": number,
    "truth": lambda value: TRUTH[bool(value)],
}


class CsvWriter:
    """A CSV file under construction: every block is written as it comes."""

    def __init__(self, out: BinaryIO, columns: Sequence[Column]) -> None:
        self.out, self.columns = out, columns
        self.line([quoted(column.head) for column in columns])

    def line(self, fields: Sequence[str]) -> None:
        """One line."""
        self.out.write((",".join(fields) + END).encode())

    def write(self, rows: Rows) -> None:
        """Add rows; what several rows share is written out once."""
        fields = [
            self.field(rows, column, values)
            for column, values in zip(self.columns, rows.values, strict=True)
        ]
        lines = map(",".join, zip(*fields, strict=True))
        self.out.write((END.join(lines) + END).encode())

    def field(self, rows: Rows, column: Column, values: Any) -> list[str]:
        """One column's text, a row each."""
        if values is None:
            return [""] * rows.count
        written = WRITTEN[column.kind]
        if np.ndim(values) == 0:
            return [written(values)] * rows.count
        texts = np.empty(values.shape, dtype=object)
        texts[...] = np.array([written(v) for v in values.ravel().tolist()], dtype=object).reshape(
            values.shape
        )
        return list(rows.full(texts).tolist())

    def close(self, about: dict[str, Any]) -> None:
        """Everything is written."""


def described(name: str, columns: Sequence[Column], about: dict[str, Any]) -> bytes:
    """The file beside the CSV: names, units and meaning of its columns, and how it was made."""
    schema = [
        {
            "titles": column.head,
            "name": column.name,
            "datatype": TYPES[column.kind],
            "dc:description": [
                {"@value": column.meaning.en, "@language": "en"},
                {"@value": column.meaning.zh, "@language": "zh"},
            ],
        }
        for column in columns
    ]
    record = {
        "@context": "http://www.w3.org/ns/csvw",
        "url": name,
        "tableSchema": {"columns": schema},
        "notes": [about],
    }
    return (json.dumps(record, ensure_ascii=False, indent=1) + "\n").encode()
