"""Reading an object's fields: each figure checked, each fault named with file, line and field."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction

from derive.errors import DeriveError, Problem, printable
from derive.measured.files import Document, Odd, exact
from derive.measured.quantities import MEASURABLE
from derive.measured.record import MEAN, Fact, Figure, Kernel, Run
from derive.text import Text, tr
from derive.units import Quantity, unit

TIMES = ("s", "s*request/token")
WORDS = {"mean": MEAN, "avg": MEAN, "average": MEAN, "median": "p50"}
PERCENTILE = re.compile(r"p\d{1,2}(\.\d+)?")


def under(data: object, key: str) -> object:
    """What stands under a dotted key, whose parts may hold dots themselves (`p99.9`)."""
    rest = key
    while isinstance(data, dict):
        if rest in data:
            return data[rest]
        head, dot, rest = rest.partition(".")
        if not dot:
            return None
        data = data.get(head)
    return None


def statistic(word: str) -> str:
    """Which statistic a word of a tool is: the mean, a percentile such as "p99"; else ""."""
    return WORDS.get(word, word if PERCENTILE.fullmatch(word) else "")


def as_written(found: object) -> str:
    """A value as its file has it: numbers plain, words in quotes."""
    if isinstance(found, Odd):
        return found.token
    return str(found) if isinstance(found, (int, Decimal, Fraction)) else repr(found)


class Gather:
    """Collects the figures of one run from one object; `run` raises all faults at once."""

    def __init__(self, tool: str, document: Document, phase: str = "serving") -> None:
        self.tool, self.document, self.phase = tool, document, phase
        self.figures: list[Figure] = []
        self.facts: dict[str, Fact] = {}
        self.notes: list[Text] = []
        self.kernels: list[Kernel] = []
        self.problems: list[Problem] = []
        self.label = ""

    def raw(self, key: str) -> object:
        """What stands under a dotted key; None where nothing does."""
        return under(self.document.data, key)

    def fields(self) -> tuple[str, ...]:
        """The fields of the object itself."""
        return tuple(self.document.data) if isinstance(self.document.data, dict) else ()

    def one_of(self, *keys: str) -> str:
        """The spelling that the file uses, else the first."""
        return next((k for k in keys if self.raw(k) is not None), keys[0])

    def number(self, key: str) -> Fraction | None:
        """A finite number that is not negative; a fault where something else stands there."""
        found = self.raw(key)
        if found is None:
            return None
        return self.checked(found, key)

    def checked(self, found: object, key: str) -> Fraction | None:
        """The same for a value that was found already."""
        if isinstance(found, str):
            with suppress(ValueError, ArithmeticError):
                found = exact(found.strip())
        if isinstance(found, (int, Decimal, Fraction)) and not isinstance(found, bool):
            if isinstance(found, Decimal) and not found.is_finite():
                self.fault(key, str(found))
                return None
            if found >= 0:
                return Fraction(found)
        self.fault(key, as_written(found))
        return None

    def fault(self, key: str, found: str) -> None:
        """Not a number that measures anything."""
        what = tr("{key} is {found}; a number of at least 0 is expected",
                  key=key, found=printable(found, 60))  # fmt: skip
        self.problems.append(Problem("B106", what, self.document.place(key)))

    def add(
        self, name: str, value: Fraction | None, units: str, key: str,
        statistic: str = MEAN, note: Text | None = None,
    ) -> None:  # fmt: skip
        """A figure with its value at hand; nothing where there is none.

        A time of zero measures nothing: tools write it where there was nothing to measure.
        """
        if value is not None and not (value == 0 and MEASURABLE[name].unit.text in TIMES):
            quantity = Quantity(value, unit(units)).to(MEASURABLE[name].unit)
            place = self.document.place(key)
            self.figures.append(Figure(name, quantity, place, statistic, note))

    def figure(
        self, name: str, key: str, units: str, statistic: str = MEAN, note: Text | None = None
    ) -> None:
        """A figure from a field, in the unit that the tool writes it in."""
        self.add(name, self.number(key), units, key, statistic, note)

    def spread(
        self, name: str, key: str, units: str, note: Text | None = None,
        statistics: Mapping[str, str] | None = None,
    ) -> None:  # fmt: skip
        """Mean, median and percentiles that stand together under a key."""
        block = self.raw(key)
        if block is None:
            return
        if not isinstance(block, dict):
            self.fault(key, as_written(block))
            return
        for word, found in block.items():
            kind = statistics.get(word) if statistics else statistic(word)
            if kind and found is not None and not self.has(name, kind):
                at = f"{key}.{word}"
                self.add(name, self.checked(found, at), units, at, kind, note)

    def has(self, name: str, kind: str = MEAN) -> bool:
        """Whether that figure is there already."""
        return any(f.id == name and f.statistic == kind for f in self.figures)

    def count(self, name: str, key: str) -> None:
        """A count or setting of the run, in its own unit."""
        self.add(name, self.number(key), MEASURABLE[name].unit.text, key, "one")

    def fact(self, name: str, key: str) -> None:
        """A word of the file: model, accelerator."""
        found = self.raw(key)
        if isinstance(found, str) and found.strip():
            self.facts[name] = Fact(printable(found.strip(), 120), self.document.place(key))

    def ratio(self, name: str, above: str, below: str, units: str, how: Text | None = None) -> None:
        """A mean that the file gives as total and count."""
        total, count = self.number(above), self.number(below)
        if total is not None and count:
            note = how or tr("{above} / {below}", above=above, below=below)
            self.add(name, total / count, units, f"{above} / {below}", MEAN, note)

    def note(self, text: Text) -> None:
        """Something the file leaves open, or that does not add up."""
        self.notes.append(text)

    def run(self) -> Run:
        """The run, its identities checked; DeriveError with every fault."""
        from derive.measured.identities import unlike

        if self.problems:
            raise DeriveError(self.problems)
        made = Run(
            self.tool, self.document.place(), self.phase, tuple(self.figures), self.facts,
            tuple(self.notes), tuple(self.kernels), self.label,
        )  # fmt: skip
        return Run(**{**made.__dict__, "notes": (*made.notes, *unlike(made))})
