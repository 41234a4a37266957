"""Chrome traces of the PyTorch profiler (Kineto), plain or packed, streamed."""

from __future__ import annotations

import json
from fractions import Fraction

from derive.errors import Place, printable
from derive.measured.files import Found, refuse
from derive.measured.profile.events import Events
from derive.measured.profile.rows import SECOND, busy, rows
from derive.measured.quantities import MEASURABLE
from derive.measured.reader import TRACE, Reader
from derive.measured.record import Fact, Figure, Run
from derive.text import Text, tr
from derive.units import Quantity, unit

TOOL = "PyTorch profiler"


def read(found: Found) -> list[Run]:
    """One trace is one run of one process; its devices are told apart."""
    events = Events(found)
    if not events.names and not events.copies:
        what = tr("the trace has {events} events and no kernel: was the device profiled?",
                  events=f"{events.seen:,}")  # fmt: skip
        refuse("B105", what, found.place)
    kernels = rows(events)
    place = Place(found.name, key="traceEvents")
    notes = []
    if all(k.flops is None for k in kernels):
        notes.append(tr("no shapes in the trace: times alone (record_shapes gives them)"))
    if events.by_time:
        notes.append(
            tr("{kernels} kernels name no operator: it is the one that ran when they were launched",
               kernels=f"{events.by_time:,}")
        )  # fmt: skip
    if events.graphs:
        notes.append(tr("kernels of a CUDA graph have no operator: they are listed by their names"))
    figures = [figure("graphs", Fraction(len(events.graphs)), place)]
    for device, (ran, total, span) in sorted(busy(events).items()):
        streams = sum(1 for d, _ in events.lanes if d == device)
        about = tr("device {device}, streams: {streams}", device=device, streams=streams)
        figures += [
            figure("t_kernels", Fraction(total, SECOND), place, about),
            figure("t_busy", Fraction(ran, SECOND), place, about),
            figure("duration", Fraction(span, SECOND), place,
                   tr("first start to last end of a kernel, {about}", about=about)),
        ]  # fmt: skip
        if total > ran:
            notes.append(
                tr("kernels on {about} overlap: their times add up to {total} ms, in {ran} ms",
                   about=about, total=milli(total), ran=milli(ran))
            )  # fmt: skip
    facts, label = head(found, min((device for device, _ in events.lanes), default=0))
    return [Run(TOOL, found.place, "profile", tuple(figures), facts, tuple(notes),
                tuple(kernels), label)]  # fmt: skip


def figure(name: str, value: Fraction, place: Place, note: Text | None = None) -> Figure:
    """A figure of the whole trace."""
    kind = MEASURABLE[name]
    base = Quantity(value, unit("s") if kind.unit.text == "s" else kind.unit)
    return Figure(name, base.to(kind.unit), place, "total", note)


def milli(pico: int) -> str:
    """Milliseconds with three digits behind the point."""
    return f"{round(Fraction(pico, 10**6)) / 1000:,.3f}"


def head(found: Found, used: int) -> tuple[dict[str, Fact], str]:
    """The accelerator that was used and the rank, where they stand before the events."""
    facts = {}
    devices = section(found, "deviceProperties")
    for number, device in enumerate(devices if isinstance(devices, list) else ()):
        name = device.get("name") if isinstance(device, dict) else None
        if isinstance(name, str) and name.strip() and device.get("id", used) == used:
            place = Place(found.name, key=f"deviceProperties[{number}].name")
            facts["hardware"] = Fact(printable(name.strip(), 120), place)
    group = section(found, "distributedInfo")
    rank = group.get("rank") if isinstance(group, dict) else None
    return facts, f"rank {rank}" if isinstance(rank, int) else ""


def section(found: Found, key: str) -> object:
    """A value of the file's head; None where it is not whole there."""
    before, mark, rest = found.head.partition(f'"{key}"')
    if not mark or "traceEvents" in before:
        return None
    try:
        return json.JSONDecoder().raw_decode(rest.lstrip(" \t\r\n:"))[0]
    except (ValueError, RecursionError):
        return None


READERS = [
    Reader(
        "torch-trace", TOOL, TRACE,
        ((r'"traceEvents"\s*:\s*\[',), (r'^\s*\[\s*\{[^{}]*"ph"\s*:',),
         (r'^\s*\{\s*"schemaVersion"\s*:', r'"deviceProperties"\s*:')),
        read,
        Text("Chrome trace of torch.profiler, plain or packed with gzip",
             "torch.profiler 导出的 Chrome trace，可用 gzip 压缩"),
    )
]  # fmt: skip
