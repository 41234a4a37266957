"""Rows of a profile: kernels gathered under the operator that launched them."""

from __future__ import annotations

from fractions import Fraction

from derive.errors import printable
from derive.measured.profile.events import NONE, Events
from derive.measured.profile.owners import owning
from derive.measured.profile.shapes import Work
from derive.measured.record import Kernel
from derive.text import Text, tr

SECOND = 10**12  # picoseconds


class Row:
    """Sums over the calls of one operator or kernel."""

    def __init__(self) -> None:
        self.calls = self.time = 0
        self.flops: int | None = 0
        self.traffic: int | None = 0

    def call(self, work: Work) -> None:
        """One more call; a call whose work is unknown makes the sum unknown."""
        self.calls += 1
        self.flops = None if None in (self.flops, work.flops) else self.flops + work.flops  # type: ignore[operator]
        self.traffic = None if None in (self.traffic, work.traffic) else self.traffic + work.traffic  # type: ignore[operator]


def rows(events: Events) -> list[Kernel]:
    """Operators with their kernels, kernels without an operator, and copies; longest first."""
    operators = events.operators
    made: dict[tuple[bool, str], Row] = {}
    counted: dict[tuple[bool, str], bool] = {}
    names = list(events.names)
    begun = bytearray(len(operators.calls))
    nothing = Work()
    for at, call in enumerate(owning(events)):
        key = None if call == NONE else operators.keys[call]
        name = names[events.name[at]] if key is None else operators.names[key]
        row = made.setdefault((key is not None, name), Row())
        row.time += events.time[at]
        if key is None:
            row.call(nothing)
        elif not begun[call]:
            begun[call] = True
            row.call(operators.work[key])
            counted[True, name] = operators.counted[key]
    kernels = [
        Kernel(
            printable(name, 120), row.calls, Fraction(row.time, SECOND),
            None if row.flops is None else Fraction(row.flops),
            None if row.traffic is None else Fraction(row.traffic),
            how(row, operator=operator, counted=counted.get((operator, name), False)),
        )
        for (operator, name), row in made.items()
    ]  # fmt: skip
    for name, (copies, time, moved) in events.copies.items():
        note = tr("bytes as the trace gives them; a copy within the device reads and writes them")
        kernels.append(Kernel(name, copies, Fraction(time, SECOND), None, Fraction(moved), note))
    return sorted(kernels, key=lambda k: (-k.time, k.name))


def how(row: Row, *, operator: bool, counted: bool) -> Text:
    """Where operations and bytes of a row come from."""
    if not operator:
        return tr("no operator launched it: the trace tells its time alone")
    if row.flops is None and row.traffic is None:
        return tr("the trace gives no shapes that tell operations and bytes")
    flops = tr("operations unknown")
    if row.flops is not None:
        flops = (tr("operations as the trace counts them") if counted
                 else tr("operations 2·M·K·N of the shapes"))  # fmt: skip
    if row.traffic is None:
        return tr("{flops}; bytes unknown: a type is not given", flops=flops)
    return tr("{flops}; bytes: each input read once, the result written once, the least there is",
              flops=flops)  # fmt: skip


def busy(events: Events) -> dict[int, tuple[int, int, int]]:
    """By device: time in which a kernel ran, sum of kernel times, first start to last end; ps."""
    devices = [device for device, _ in events.lanes]
    made: dict[int, tuple[int, int, int]] = {}
    ends: dict[int, tuple[int, int]] = {}  # first start, latest end so far
    for at in sorted(range(len(events.start)), key=events.start.__getitem__):
        device, start = devices[events.lane[at]], events.start[at]
        end = start + events.time[at]
        first, last = ends.get(device, (start, start))
        ran, total, _ = made.get(device, (0, 0, 0))
        ran += max(0, end - max(start, last))
        last = max(last, end)
        ends[device] = first, last
        made[device] = ran, total + events.time[at], last - first
    return made
