"""Events of a Chrome trace, streamed piece by piece: what runs on the device and who launched it.

A trace of half a gigabyte has some two million events. Of each only a few integers are kept, in
arrays: objects would take ten times the memory.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from decimal import Decimal
from typing import Any, NoReturn, TypeGuard

import ijson

from derive.errors import Place, printable
from derive.measured.files import Found, refuse
from derive.measured.profile.shapes import Inputs, Work, work
from derive.text import Text, tr

LARGEST = 8_000_000_000  # bytes of a trace, unpacked
SILENT = 64_000_000  # bytes without the end of an event: no profiler writes one as long
MOST_NAMES = 200_000
MOST_SHAPES = 5_000  # beyond that calls of an operator are no longer told apart by shape
PICO = 1_000_000  # picoseconds of a microsecond; no profiler's clock is finer
LATEST = 1 << 62
LONGEST = 10**12  # microseconds that one event can last
TINIEST = -20  # digits behind the point: more would be no measurement
NONE = -1
LONG = (1 << 63) - 1

OPERATOR, KERNEL, COPY, LAUNCH = "operator", "kernel", "copy", "launch"
KINDS = {
    "cpu_op": OPERATOR, "operator": OPERATOR,
    "kernel": KERNEL,
    "gpu_memcpy": COPY, "gpu_memset": COPY, "memcpy": COPY, "memset": COPY,
    "cuda_runtime": LAUNCH, "cuda_driver": LAUNCH, "runtime": LAUNCH, "hip_runtime": LAUNCH,
}  # fmt: skip
OWNER = ("External id", "external id", "External Id")
FLOPS = ("FLOPs", "flops", "Flops")


class Operators:
    """Operators by name and, where shapes give operations, by shape; which call had which."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.work: list[Work] = []
        self.counted: list[bool] = []  # whether the trace itself gives the operations
        self.known: dict[tuple[str, Any, Any], int] = {}
        self.calls, self.keys = array("q"), array("i")
        self.start, self.time, self.thread = array("q"), array("q"), array("i")

    def add(self, name: str, args: dict[str, Any], when: tuple[int, int, int]) -> None:
        """One call of an operator, with its start, time and thread."""
        dims, types = args.get("Input Dims") or args.get("Input dims"), args.get("Input type")
        own = next((args[k] for k in FLOPS if k in args), None)
        key = (name, str(dims) if dims and len(self.known) < MOST_SHAPES else own, str(types))
        at = self.known.get(key)
        if at is None:
            at = self.known[key] = len(self.names)
            found = work(name, inputs(args, dims, types))
            if isinstance(own, int) and own > 0:
                found = Work(own, found.traffic)
            if found.flops is not None and isinstance(dims, list):
                shapes = ", ".join("×".join(map(str, d)) for d in dims if d)
                name = f"{name} ({shapes})"
            self.names.append(printable(name, 120))
            self.work.append(found)
            self.counted.append(own is not None)
        self.calls.append(number(args, *OWNER))
        self.keys.append(at)
        self.start.append(when[0])
        self.time.append(when[1])
        self.thread.append(when[2])


class Events:
    """What a trace says of the device."""

    def __init__(self, found: Found) -> None:
        self.found = found
        self.operators = Operators()
        self.names: dict[str, int] = {}
        self.name, self.owner, self.launch = array("i"), array("q"), array("q")
        self.start, self.time, self.lane = array("q"), array("q"), array("i")
        self.lanes: dict[tuple[int, str], int] = {}
        self.launches, self.launchers = array("q"), array("q")
        self.launched_at, self.launched_by = array("q"), array("i")
        self.threads: dict[tuple[str, str], int] = {}
        self.graphs: set[int] = set()
        self.copies: dict[str, list[int]] = {}
        self.origin: int | None = None
        self.seen = self.by_time = 0  # events; kernels whose operator only the time tells
        for event in streamed(found):
            self.take(event)
            self.seen += 1

    def take(self, event: Any) -> None:
        """One event."""
        if not isinstance(event, dict):
            self.fault("", repr(event), tr("an object"))
        kind = KINDS.get(str(event.get("cat")).lower())
        if kind is None or event.get("ph") != "X":
            return
        args, name = event.get("args") or {}, event.get("name")
        if not isinstance(args, dict) or not isinstance(name, str):
            self.fault("args" if isinstance(name, str) else "name", repr(name), tr("a text"))
        if kind == OPERATOR:
            self.operators.add(name, args, self.when(event))
        elif kind == LAUNCH:
            self.launched(name, args, self.when(event))
        elif kind == COPY:
            row = self.copies.setdefault(printable(name, 120), [0, 0, 0])
            row[0] += 1
            row[1] += self.pico(event, "dur")
            row[2] += max(number(args, "bytes", "Bytes"), 0) * (2 if "DtoD" in name else 1)
        else:
            self.kernel(event, name, args)
        if len(self.names) + len(self.operators.names) + len(self.copies) > MOST_NAMES:
            what = tr("the trace names more than {most} operators", most=f"{MOST_NAMES:,}")
            refuse("B102", what, self.found.place)

    def launched(self, name: str, args: dict[str, Any], when: tuple[int, int, int]) -> None:
        """A call of the runtime: it ties a kernel to the operator, or is a graph's."""
        number_of = number(args, "correlation", "Correlation ID")
        if number_of == NONE:
            return
        if "GraphLaunch" in name:
            self.graphs.add(number_of)
        self.launches.append(number_of)
        self.launchers.append(number(args, *OWNER))
        self.launched_at.append(when[0])
        self.launched_by.append(when[2])

    def when(self, event: dict[str, Any]) -> tuple[int, int, int]:
        """Start, time and thread of what the host did; a time of NONE where it has none."""
        thread = str(event.get("pid"))[:40], str(event.get("tid"))[:40]
        at = self.threads.setdefault(thread, len(self.threads))
        start, time = event.get("ts"), event.get("dur")
        if not fits(start, -LATEST, LATEST) or not fits(time, 0, LONGEST):
            return 0, NONE, at
        since = int(start * PICO) - self.since(int(start * PICO))
        return (since, int(time * PICO), at) if abs(since) < LATEST else (0, NONE, at)

    def since(self, start: int) -> int:
        """The first event's start, which the others are counted from."""
        if self.origin is None:
            self.origin = start
        return self.origin

    def kernel(self, event: dict[str, Any], name: str, args: dict[str, Any]) -> None:
        """A kernel on a stream of a device."""
        start = self.pico(event, "ts")
        start -= self.since(start)
        stream = args.get("stream", event.get("tid"))
        lane = max(number(args, "device"), 0), str(stream).removeprefix("stream ")[:60]
        self.name.append(self.names.setdefault(name, len(self.names)))
        self.owner.append(number(args, *OWNER))
        self.launch.append(number(args, "correlation", "Correlation ID"))
        self.time.append(self.pico(event, "dur"))
        if abs(start) > LATEST:
            self.fault("ts", str(event["ts"]), tr("a time near that of the others"))
        self.start.append(start)
        self.lane.append(self.lanes.setdefault(lane, len(self.lanes)))
        if len(self.lanes) > MOST_SHAPES or len(self.threads) > MOST_NAMES:
            self.fault("args.stream", str(stream), tr("a stream"))

    def pico(self, event: dict[str, Any], key: str) -> int:
        """A time, written in microseconds, in picoseconds; a start may lie before the origin."""
        value = event.get(key)
        least, most = (-LATEST, LATEST) if key == "ts" else (0, LONGEST)
        if not fits(value, least, most):
            self.fault(key, str(value), tr("a time in microseconds"))
        return int(value * PICO)

    def fault(self, key: str, found: str, wanted: Text) -> NoReturn:
        """An event that no profiler writes."""
        place = f"traceEvents[{self.seen}]" + (f".{key}" if key else "")
        what = tr("{key} is {found}; {wanted} is expected",
                  key=place, found=printable(found, 60), wanted=wanted)  # fmt: skip
        refuse("B106", what, Place(self.found.name, key=place))


def streamed(found: Found) -> Iterator[Any]:
    """Events as they come; DeriveError B103 where the file breaks off or is no JSON."""
    prefix = "item" if found.head.lstrip().startswith("[") else "traceEvents.item"
    made = ijson.sendable_list()
    reader = ijson.items_coro(made, prefix)
    seen = silent = 0
    try:
        for piece in found.chunks(LARGEST):
            reader.send(piece)
            silent = 0 if made else silent + len(piece)
            if silent > SILENT:
                refuse("B102", tr("the trace has {bytes} bytes without an event",
                                  bytes=f"{silent:,}"), found.place)  # fmt: skip
            seen += len(made)
            yield from made
            del made[:]
        reader.close()
        yield from made
    except ijson.IncompleteJSONError as fault:
        cut = "premature EOF" in str(fault) or "parse error" not in str(fault)
        if cut:
            what = tr("the trace ends in the middle: it was cut off after {events} events",
                      events=f"{seen:,}")  # fmt: skip
        else:
            what = tr("the trace is not JSON after event {events}", events=f"{seen:,}")
        refuse("B103", what, found.place)
    except (ijson.JSONError, UnicodeDecodeError, ValueError):
        what = tr("the trace is not JSON after event {events}", events=f"{seen:,}")
        refuse("B103", what, found.place)


def fits(value: Any, least: int, most: int) -> TypeGuard[int | Decimal]:
    """Whether a time, in microseconds, is one."""
    if isinstance(value, Decimal):
        return value.is_finite() and least <= value < most and value.adjusted() > TINIEST
    return isinstance(value, int) and not isinstance(value, bool) and least <= value < most


def number(args: dict[str, Any], *keys: str) -> int:
    """An identity or a count; NONE where there is none."""
    for key in keys:
        value = args.get(key)
        if isinstance(value, str) and value.isdecimal() and len(value) < 20:
            value = int(value)
        if isinstance(value, int) and not isinstance(value, bool):
            return value & LONG
    return NONE


def inputs(args: dict[str, Any], dims: Any, types: Any) -> Inputs:
    """Arguments of an operator; what is no plain shape (lists of tensors) counts as none."""
    return Inputs(
        [shape(d) for d in dims] if isinstance(dims, list) else (),
        [str(t) for t in types] if isinstance(types, list) else (),
        [shape(s) for s in args.get("Input Strides") or ()]
        if isinstance(args.get("Input Strides"), list)
        else (),
        [str(v) for v in args.get("Concrete Inputs") or ()]
        if isinstance(args.get("Concrete Inputs"), list)
        else (),
    )


def shape(found: Any) -> tuple[int, ...]:
    """Sizes; () where something else stands there."""
    if isinstance(found, list) and all(isinstance(d, int) and d >= 0 for d in found):
        return tuple(found)
    return ()
