"""Rows as Parquet: units in the metadata of each field, the description in that of the file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from derive.sweep.columns import Column
from derive.sweep.run import Rows

GROUP = 131_072  # rows of a row group: what is held back before it is written
TYPES = {
    "text": pa.string(),
    "integer": pa.int64(),
    "number": pa.float64(),
    "truth": pa.bool_(),
}


class ParquetWriter:
    """A Parquet file under construction: a row group is written when it is full."""

    def __init__(self, path: Path, columns: Sequence[Column]) -> None:
        self.columns = columns
        self.schema = pa.schema([field(column) for column in columns])
        self.file = parquet.ParquetWriter(path, self.schema, compression="zstd")
        self.waiting: list[pa.RecordBatch] = []
        self.rows = 0

    def write(self, rows: Rows) -> None:
        """Add rows."""
        arrays = [
            array(rows, column, values)
            for column, values in zip(self.columns, rows.values, strict=True)
        ]
        self.waiting.append(pa.RecordBatch.from_arrays(arrays, schema=self.schema))
        self.rows += rows.count
        if self.rows >= GROUP:
            self.flush()

    def flush(self) -> None:
        """Write what waits as one row group."""
        if self.waiting:
            self.file.write_table(pa.Table.from_batches(self.waiting), row_group_size=2 * GROUP)
        self.waiting, self.rows = [], 0

    def close(self, about: dict[str, Any]) -> None:
        """The last rows and the description."""
        self.flush()
        self.file.add_key_value_metadata({"derive": json.dumps(about, ensure_ascii=False)})
        self.file.close()

    def abandon(self) -> None:
        """Let go of the file, whether it was finished or not."""
        self.file.close()


def field(column: Column) -> pa.Field:
    """A field with its unit and meaning."""
    about = {"unit": column.unit, "meaning": column.meaning.en, "meaning:zh": column.meaning.zh}
    return pa.field(column.name, TYPES[column.kind], metadata=about)


def array(rows: Rows, column: Column, values: Any) -> pa.Array:
    """One column's values, a row each."""
    kind = TYPES[column.kind]
    if values is None:
        return pa.nulls(rows.count, kind)
    if column.kind == "text":
        return pa.repeat(pa.scalar(values, kind), rows.count)
    full = rows.full(values)
    if column.kind == "truth":
        return pa.array(full.astype(bool))
    lost = np.isnan(full)
    some = bool(lost.any())
    if column.kind == "integer":
        full = (np.where(lost, 0, full) if some else full).astype(np.int64)
    return pa.array(full, mask=lost if some else None)
