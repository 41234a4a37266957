"""Reading `--over NAME=VALUES`: lists, ranges with a step or a factor, and words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from derive.errors import DeriveError, Place, Problem, printable
from derive.specs.amounts import read_amount
from derive.specs.faults import Faults
from derive.specs.nodes import Scalar
from derive.specs.sets import BARE_UNITS, KEYS, declared
from derive.text import tr
from derive.units import Quantity, Unit, unit

OPTION = "--over"
SYMBOL_OF = {key: symbol for symbol, key in KEYS.items()}
LONGEST_LIST = 10_000  # values that are written one by one, or by a factor
BARE = re.compile(r"[0-9][0-9_]*(\.[0-9]+)?([eE][+-]?[0-9]+)?")
FACTOR = re.compile(r"[x×]\s*(.+)")


@dataclass(frozen=True)
class Words:
    """An axis of words: one load of the scenario each."""

    name: str
    words: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.words)

    def text(self, index: int) -> str:
        """The word as it is set."""
        return self.words[index]


@dataclass(frozen=True)
class Span:
    """`count` values from `start`, `step` apart, in the contract unit."""

    start: Fraction
    step: Fraction
    count: int


@dataclass(frozen=True)
class Numbers:
    """An axis of numbers in the contract unit of its symbol, exact; spans are not written out."""

    name: str
    symbol: str
    unit: Unit
    spans: tuple[Span, ...]

    def __len__(self) -> int:
        return sum(span.count for span in self.spans)

    def exact(self, index: int) -> Fraction:
        """One value."""
        for span in self.spans:
            if index < span.count:
                return span.start + index * span.step
            index -= span.count
        raise IndexError(index)

    def base(self, index: int) -> Fraction:
        """One value in base units."""
        return self.exact(index) * self.unit.factor

    def text(self, index: int) -> str:
        """One value as `--set` takes it, exact."""
        value = self.exact(index)
        number = str(value.numerator) if value.denominator == 1 else decimal(value)
        bare = self.unit.text in BARE_UNITS
        return number if bare else f"{number} {self.unit.text}"

    @property
    def whole(self) -> bool:
        """Whether every value is a whole number."""
        return all(
            s.start.denominator == 1 and (s.count == 1 or s.step.denominator == 1)
            for s in self.spans
        )

    @property
    def probes(self) -> list[int]:
        """Where the binding is asked: the first two, the middle and the last of every span."""
        found, before = set[int](), 0
        for span in self.spans:
            found |= {before + i for i in {0, 1, span.count // 2, span.count - 1} if i < span.count}
            before += span.count
        return sorted(found)


Axis = Words | Numbers


def decimal(value: Fraction) -> str:
    """A fraction as decimal digits, exact: what was read from decimals always is one."""
    places, rest = 0, value.denominator
    while rest % 10 == 0:
        rest, places = rest // 10, places + 1
    for prime in (2, 5):
        while rest % prime == 0:
            rest, places = rest // prime, places + 1
    if rest != 1:
        raise ArithmeticError(f"{value} is no decimal fraction")
    digits = str(value * 10**places).rjust(places + 1, "0")
    return f"{digits[:-places]}.{digits[-places:]}" if places else digits


def read_axes(texts: Sequence[str], units: Mapping[str, str]) -> list[Axis]:
    """Every axis; all that is wrong in one error."""
    faults = Faults()
    found = [axis for text in texts if (axis := read_axis(text, units, faults))]
    seen = dict[str, str]()
    for axis in found:
        key = KEYS.get(axis.name, axis.name)
        if key in seen:
            what = tr("{name} and {other} name one thing: set one of them",
                      name=axis.name, other=seen[key]) if seen[key] != axis.name else tr(
                          "{name} is set twice", name=axis.name)  # fmt: skip
            faults.add("C116", what, Place(OPTION, key=printable(axis.name, 60)))
        seen[key] = axis.name
    faults.raise_any()
    return found


def read_axis(written: str, units: Mapping[str, str], faults: Faults) -> Axis | None:
    """One axis, or None with the fault noted."""
    name, sign, text = (part.strip() for part in written.partition("="))
    parts = [part.strip() for part in text.split(",")]
    if not (name and sign and all(parts)):
        what = tr("{setting} is not NAME=VALUES", setting=printable(written, 60) or "''")
        hint = tr("for example {text}", text="b=1:512, T=1024,8192, b=1:512:x2")
        faults.add("C114", what, Place(OPTION), hint)
        return None
    symbol = SYMBOL_OF.get(name, name)
    if symbol not in units:  # a model, hardware, a format: or nothing, as the loader will say
        return Words(name, tuple(dict.fromkeys(parts)))
    before = len(faults.found)
    spans = [span for part in parts for span in spans_of(name, symbol, part, units, faults)]
    if len(faults.found) > before:
        return None
    return Numbers(name, symbol, unit(units[symbol]), joined(spans))


def joined(spans: Sequence[Span]) -> tuple[Span, ...]:
    """Spans without values that came before: of a list each value once."""
    singles, made = set[Fraction](), list[Span]()
    for span in spans:
        if span.count == 1 and span.start in singles:
            continue
        if span.count == 1:
            singles.add(span.start)
        made.append(span)
    return tuple(made)


def spans_of(
    name: str, symbol: str, part: str, units: Mapping[str, str], faults: Faults
) -> list[Span]:
    """`8`, `1:512`, `1:512:8` or `1:512:x2`; what is wrong is noted."""
    place = Place(OPTION, key=printable(name, 60))
    pieces = [piece.strip() for piece in part.split(":")]
    if len(pieces) > 3 or not all(pieces):
        what = tr("{key}: {text} is no range", key=name, text=printable(part, 60))
        faults.add("C114", what, place, tr("for example {text}", text="1:512, 1:512:8, 1:512:x2"))
        return []
    factor = FACTOR.fullmatch(pieces[2]) if len(pieces) == 3 else None
    if factor:  # a unit behind the factor is that of the range
        multiple, tail = split_unit(factor[1])
        amounts = with_unit([*pieces[:2], f"1 {tail}"])[:2]
    else:
        amounts = with_unit([*pieces, "1"] if len(pieces) == 2 else pieces)
    read = [amount(symbol, units[symbol], piece, place, faults) for piece in amounts]
    if factor:
        read.append(times(multiple, place, faults))
    values = [value for value in read if value is not None]
    if len(values) < len(read):
        return []
    if len(values) == 1:
        return [Span(values[0], Fraction(0), 1)]
    first, last = values[:2]
    if last < first:
        what = tr("{key}: the range {text} ends below its start", key=name,
                  text=printable(part, 60))  # fmt: skip
        faults.add("C115", what, place)
        return []
    if factor:
        return multiples(first, last, values[2])
    return [Span(first, values[2], int((last - first) / values[2]) + 1)]


def split_unit(text: str) -> tuple[str, str]:
    """A number and what stands behind it."""
    found = BARE.match(text)
    return (found[0], text[found.end() :].strip()) if found else (text, "")


def with_unit(pieces: Sequence[str]) -> list[str]:
    """A number without a unit has that of the next one that has, else of the one before."""
    tails = [split_unit(piece)[1] for piece in pieces]
    made = []
    for number, piece in enumerate(pieces):
        others = [*tails[number + 1 :], *reversed(tails[:number])]
        near = next((tail for tail in others if tail), "")
        made.append(f"{piece} {near}".strip() if BARE.fullmatch(piece) else piece)
    return made


def multiples(first: Fraction, last: Fraction, factor: Fraction) -> list[Span]:
    """Each value the one before times the factor."""
    made = list[Span]()
    while first <= last and len(made) < LONGEST_LIST:
        made.append(Span(first, Fraction(0), 1))
        first *= factor
    return made


def times(text: str, place: Place, faults: Faults) -> Fraction | None:
    """The factor of a range: above 1, or the range would never end."""
    found = BARE.fullmatch(text)
    value = Fraction(text.replace("_", "")) if found and len(text) < 20 else Fraction(0)
    if value <= 1:
        what = tr("{key}: {text} is no factor above 1", key=place.key, text=printable(text, 60))
        faults.add("C114", what, place)
        return None
    return value


def amount(symbol: str, contract: str, text: str, place: Place, faults: Faults) -> Fraction | None:
    """One value in the contract unit, read as `--set` reads it."""
    field = declared(symbol, contract)
    found: Quantity | None = read_amount(field, Scalar(text, place), faults)
    return found.to(unit(contract)).value if found else None


def too_many(rows: int, most: int) -> DeriveError:
    """A grid that no disk holds."""
    what = tr("the grid has {rows} points, more than {most}", rows=f"{rows:,}", most=f"{most:,}")
    return DeriveError(Problem("C117", what, Place(OPTION)))
