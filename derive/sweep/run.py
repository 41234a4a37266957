"""A sweep from the first block to the last: evaluated here or elsewhere, written as it comes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from derive.sweep.axes import Words
from derive.sweep.columns import Column
from derive.sweep.evaluate import Job, axis_values, job, shaped
from derive.sweep.grid import Block, Grid, blocks
from derive.sweep.machine import Array
from derive.sweep.ranges import Ranged, ranged_job
from derive.text import Text, tr

BLOCK = 32_768  # rows: registers of this size stay in the cache of a core
Evaluated = Iterable[tuple[Block, list[Any]]]


@dataclass(frozen=True)
class Rows:
    """The columns of a block, each in the shape of the axes that it changes with.

    A column is an array, one number or word for all rows, or None where it is empty throughout.
    """

    shape: tuple[int, ...]
    values: tuple[Any, ...]

    @property
    def count(self) -> int:
        """How many rows."""
        return int(np.prod(self.shape, dtype=np.int64))

    def full(self, values: Any) -> Array:
        """One value a row."""
        return np.broadcast_to(values, self.shape).reshape(-1)


class Writer(Protocol):
    """A file under construction."""

    def write(self, rows: Rows) -> None:
        """Add rows."""

    def close(self, about: dict[str, Any]) -> None:
        """Finish, with the description of the whole."""


@dataclass
class Sweep:
    """What is swept: the grid, its columns, and how many values of each turned out empty."""

    grid: Grid
    columns: tuple[Column, ...]
    ranges: bool = False

    def __post_init__(self) -> None:
        self.empty = [0] * len(self.columns)
        self.outputs = [c.name for c in self.columns[len(self.grid.axes) + 1 :] if not c.end]

    def jobs(self) -> Iterator[tuple[Job | Ranged, list[Block]]]:
        """Every combination compiled, with its blocks."""
        found: list[Block] = []
        for block in blocks(self.grid, BLOCK):
            if found and found[0].part != block.part:
                yield self.job(found[0].part), found
                found = []
            found.append(block)
        yield self.job(found[0].part), found

    def job(self, part: int) -> Job | Ranged:
        """One combination compiled."""
        make = ranged_job if self.ranges else job
        return make(self.grid, self.grid.parts[part].bound, self.outputs)

    def evaluated(self) -> Iterator[tuple[Block, list[Any]]]:
        """Every block in order, in this process."""
        at, ready = -1, None
        for block in blocks(self.grid, BLOCK):
            if ready is None or block.part != at:
                at, ready = block.part, self.job(block.part)
            yield block, ready.run(block.spans)

    def rows(self, block: Block, found: Sequence[Any]) -> Rows:
        """A block's results beside its axes."""
        shape = tuple(stop - start for start, stop in block.spans)
        index = self.grid.parts[block.part].index
        outer = dict(zip((a.name for a in self.grid.outer), index, strict=True))
        made: list[Any] = []
        for axis in self.grid.axes:
            if isinstance(axis, Words):
                made.append(axis.text(outer[axis.name]))
            elif axis.name in outer:
                made.append(float(axis.exact(outer[axis.name])))
            else:
                number = self.grid.inner.index(axis)
                start, stop = block.spans[number]
                along = axis_values(self.grid.inner[number], start, stop, base=False)
                made.append(shaped(along, number, len(shape)))
        return self.counted(Rows(shape, (*made, *found)))

    def counted(self, rows: Rows) -> Rows:
        """The same, infinities and all that does not exist empty, and these counted."""
        made = []
        for number, (column, values) in enumerate(zip(self.columns, rows.values, strict=True)):
            kept, lost = values, 0
            if values is None:
                lost = rows.count
            elif column.kind in ("integer", "number"):
                holds = np.isfinite(values)
                if not holds.all():
                    kept = np.where(holds, values, np.nan)
                    lost = int(np.count_nonzero(~rows.full(holds)))
                    kept = None if lost == rows.count else kept
            self.empty[number] += lost
            made.append(kept)
        return Rows(rows.shape, tuple(made))

    def write(
        self, writers: Sequence[Writer], evaluated: Evaluated, progress: Callable[[int], None]
    ) -> None:
        """Every row into every file."""
        done = 0
        for block, found in evaluated:
            rows = self.rows(block, found)
            for writer in writers:
                writer.write(rows)
            done += rows.count
            progress(done)

    def about(self, asked: Sequence[str], program: str) -> dict[str, Any]:
        """The description of the whole: what was asked, every column, what is empty and why."""
        first = self.grid.parts[0].bound
        stated = {
            name: [str(v) for v in values] if self.ranges else str(values[1])
            for name, values in first.calibration.items()
        }
        moved = {a.name for a in self.grid.axes} | {a.symbol for a in self.grid.inner}
        return {
            "program": program,
            "scenario": first.scenario.id,
            "asked": list(asked),
            "rows": self.grid.rows,
            **({"left_out": self.grid.left_out} if self.grid.left_out else {}),
            "over": {a.name: len(a) for a in (*self.grid.outer, *self.grid.inner)},
            "numbers": exactness().json(),
            "calibration": {n: v for n, v in stated.items() if n not in moved},
            "columns": [
                {
                    "name": column.name,
                    "unit": column.unit,
                    "kind": column.kind,
                    "meaning": column.meaning.json(),
                    "empty": lost,
                    "why": [w.json() for w in column.why] if lost else [],
                }
                for column, lost in zip(self.columns, self.empty, strict=True)
            ],
        }


def exactness() -> Text:
    """What the numbers of a sweep are."""
    return tr(
        "doubles, within 1e-12 of the exact value; after a difference, of its larger term; counts "
        "are decided exactly where a double is near a whole number"
    )
