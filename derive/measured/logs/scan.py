"""Lines of a log that tell something, gathered into starts of an engine's replicas."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction

from derive.errors import Place, printable
from derive.measured.files import Found
from derive.measured.quantities import MEASURABLE
from derive.measured.record import Fact, Figure, Run
from derive.text import Text, tr
from derive.units import Quantity, unit

COLOUR = re.compile(r"(?:\x1b|#033)\[[0-9;]*m")
# who speaks: `(Worker_DP0_TP1 pid=7)`, `[2025-03-08 12:29:21 DP0 TP1]`, `[RANK 1]`
RANK = re.compile(r"(?<![A-Za-z])(DP|PP|TP|EP|RANK |rank[= ])(\d+)")
WORKER = re.compile(r"\((?:Vllm|Ray)?Worker[^)]*\)")
LONGEST_LINE = 20_000
MOST = 100_000  # lines that tell something


@dataclass(frozen=True)
class Sighting:
    """A line that tells something: what kind, the groups of its pattern, which rank spoke."""

    kind: str
    groups: Mapping[str, str | None]
    line: int
    rank: str

    def number(self, group: str) -> Fraction:
        """A group as an exact number, its thousands separators left out."""
        return Fraction(Decimal((self.groups[group] or "0").replace(",", "")))

    def half(self, group: str) -> Fraction:
        """Half of the last printed digit, where the line prints decimals."""
        decimals = (self.groups[group] or "").partition(".")[2]
        return Fraction(1, 2 * 10 ** len(decimals)) if decimals else Fraction(0)


@dataclass
class Start:
    """One start of one replica."""

    engine: Engine
    file: str
    replica: str
    seen: list[Sighting] = field(default_factory=list)

    def of(self, kind: str) -> list[Sighting]:
        """Every line of a kind."""
        return [s for s in self.seen if s.kind == kind]

    def last(self, kind: str) -> list[Sighting]:
        """The last line of a kind that each rank printed."""
        return list({s.rank: s for s in self.of(kind)}.values())

    def place(self, sighting: Sighting) -> Place:
        """Where a line stands."""
        return Place(self.file, sighting.line)


@dataclass(frozen=True)
class Engine:
    """An engine's lines. `closing` kinds end a start: what is in `opening` then begins another."""

    name: str
    patterns: Mapping[str, re.Pattern[str]]
    opening: frozenset[str]
    closing: frozenset[str]
    fill: Callable[[Start, Filled], None]
    restarts: bool = True  # whether each `start` line is another start (not one of many ranks)


class Filled:
    """The figures of one start."""

    def __init__(self, start: Start) -> None:
        self.start = start
        self.figures: list[Figure] = []
        self.facts: dict[str, Fact] = {}
        self.notes: list[Text] = []

    def add(
        self, name: str, value: Fraction | int, units: str, seen: Sighting,
        note: Text | None = None, half: Fraction = Fraction(0),
    ) -> None:  # fmt: skip
        """A figure that a line gives; `half` of its last printed digit in its own unit."""
        contract = MEASURABLE[name].unit
        quantity = Quantity(Fraction(value), unit(units)).to(contract)
        half = Quantity(half, unit(units)).base
        self.figures.append(Figure(name, quantity, self.start.place(seen), "one", note, half))

    def fact(self, name: str, text: str | None, seen: Sighting) -> None:
        """A word that a line gives."""
        if text and text not in ("None", "auto"):
            self.facts[name] = Fact(printable(text, 120), self.start.place(seen))

    def least(
        self, name: str, seen: Sequence[Sighting], group: str, units: str, note: Text | None = None
    ) -> None:
        """The smallest among the ranks: it decides; differences are said."""
        if not seen:
            return
        values = {s.number(group) for s in seen}
        if len(values) > 1:
            self.notes.append(
                tr("{name} differs among ranks, from {least} to {most} {units}: the least decides",
                   name=MEASURABLE[name].meaning, least=plain(min(values)), most=plain(max(values)),
                   units=units)
            )  # fmt: skip
        lowest = min(seen, key=lambda s: s.number(group))
        self.add(name, lowest.number(group), units, lowest, note, lowest.half(group))

    def run(self, label: str) -> Run:
        """The run; identities are checked."""
        from derive.measured.identities import unlike

        first = self.start.seen[0] if self.start.seen else None
        place = self.start.place(first) if first else Place(self.start.file)
        made = Run(self.start.engine.name, place, "start", tuple(self.figures), self.facts,
                   tuple(self.notes), (), label)  # fmt: skip
        return Run(**{**made.__dict__, "notes": (*made.notes, *unlike(made))})


def plain(value: Fraction) -> str:
    """A figure of a log as it was printed."""
    return f"{Decimal(value.numerator) / Decimal(value.denominator):,f}"


def gib_note(printed: str | None) -> Text | None:
    """GB in these lines counts 2^30 bytes: the engines' sources divide by it."""
    return tr("the line says GB and counts GiB (2^30 bytes)") if printed == "GB" else None


def starts(found: Found, engines: Sequence[Engine]) -> list[Start]:
    """Every start in a log, in order."""
    made: list[Start] = []
    open_: dict[tuple[str, str], Start] = {}
    headers: dict[str, Sighting] = {}
    count = 0
    for number, raw in enumerate(found.text.split("\n"), 1):
        line = COLOUR.sub("", raw[:LONGEST_LINE])
        for engine in engines:
            for kind, pattern in engine.patterns.items():
                match = pattern.search(line)
                if match is None or count >= MOST:
                    continue
                count += 1
                rank, replica = speaker(line[: match.start()])
                seen = Sighting(kind, match.groupdict(), number, rank)
                key = engine.name, replica
                current = open_.get(key)
                if kind == "start" and not replica:
                    if engine.restarts or (current and closed(current)):
                        for other in [k for k in open_ if k[0] == engine.name]:
                            del open_[other]
                    headers[engine.name] = seen
                    continue
                if current is None or begins(current, seen):
                    head = [headers[engine.name]] if engine.name in headers else []
                    current = open_[key] = Start(engine, found.name, replica, head)
                    made.append(current)
                current.seen.append(seen)
    return made


def begins(current: Start, seen: Sighting) -> bool:
    """Whether a line belongs to another start than the current one."""
    again = seen.kind == "start" and current.engine.restarts and bool(current.of("start"))
    return again or (seen.kind in current.engine.opening and closed(current))


def closed(current: Start) -> bool:
    """Whether a start has printed what comes last."""
    return any(s.kind in current.engine.closing for s in current.seen)


def speaker(prefix: str) -> tuple[str, str]:
    """The rank that speaks, and the data-parallel replica it is of."""
    ranks = RANK.findall(prefix)
    worker = WORKER.search(prefix)
    rank = " ".join(f"{kind.strip(' =')}{number}" for kind, number in ranks)
    replica = next((f"DP{number}" for kind, number in ranks if kind == "DP"), "")
    return rank or (worker[0] if worker else ""), "" if replica == "DP0" else replica
