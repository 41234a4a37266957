"""What a structured claim gives: each value the interval of its rounding, before and after."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from derive.audit.binary import binary
from derive.audit.fields.evaluation import claim_unit
from derive.audit.interval import Interval, half_of
from derive.errors import DeriveError, Place, Problem, printable
from derive.text import tr
from derive.units import Dimension, Quantity, Reading, Unit, read, unit

CHANGE = re.compile(r"^(?P<one>.+?) ?(?:->|→) ?(?P<two>.+)$")
COUNTED = {"token", "request", "device"}
# what a whole number of these states exactly: counts, bytes of a stored number, sizes of a shape
_COUNTS = ("", "request", "device", "token", "token/request", "element/token")
EXACT = {unit(u).dimension for u in (*_COUNTS, "byte/param", "byte/element", "FLOP/param/token")}
BARE = {unit(u).dimension for u in (*_COUNTS, "param", "device*hour")}


@dataclass(frozen=True)
class Given:
    """One given value, in base units: at the start and, where it changes, at the end."""

    name: str
    text: str
    states: tuple[Interval, ...]
    quantity: Quantity
    binary: tuple[Interval, ...] = ()  # with GB taken as GiB, for an amount of bytes

    @property
    def dimension(self) -> Dimension:
        """What it measures."""
        return self.quantity.dimension


@lru_cache(maxsize=4096)
def fits(found: Dimension, contract: Dimension) -> bool:
    """Whether a unit is the contract's but for a token, a request or a device."""
    rest = dict((contract / found).powers)
    return set(rest) <= COUNTED and all(abs(p) == 1 for p in rest.values())


def read_given(given: Mapping[str, str]) -> dict[str, Given]:
    """Every given value; DeriveError with all that cannot be read, each under its name as key."""
    return dict(_read_given(tuple(given.items())))


@lru_cache(maxsize=1024)
def _read_given(given: tuple[tuple[str, str], ...]) -> dict[str, Given]:
    made: dict[str, Given] = {}
    problems: list[Problem] = []
    for written, text in given:
        factors = [n.strip() for n in re.split(r"[*·×]", written)]
        contract = known_unit(factors)
        try:
            found = one(written, text, contract)
        except DeriveError as error:
            if contract is not None:
                problems += [Problem(p.code, p.what, Place(key=written), hint=p.hint)
                             for p in error.problems]  # fmt: skip
            continue  # a name of the claim's own with words behind it: nothing to compute with
        made[factors[0]] = found
        for other in factors[1:]:
            made[other] = Given(
                other, "", (Interval.of(Fraction(1)),), Quantity(Fraction(1), Unit())
            )
    if problems:
        raise DeriveError(problems)
    return made


def known_unit(factors: list[str]) -> Unit | None:
    """The unit of a name, or of a product of names; None for a name of the claim's own."""
    made = Unit()
    for name in factors:
        try:
            made = made * claim_unit(name)
        except DeriveError:
            return None
    return made


def one(name: str, text: str, contract: Unit | None) -> Given:
    """One value, or two with an arrow between them."""
    changed = CHANGE.match(text)
    parts = [changed["one"], changed["two"]] if changed else [text]
    readings = [read_once(part) for part in parts]
    last = readings[-1].unit
    intervals, binaries = [], []
    used = Unit()
    for part, found in zip(parts, readings, strict=True):
        said = found.unit or last
        used = completed(name, text, said, contract) if contract else said or Unit()
        whole = re.fullmatch(r"[0-9][0-9,]*", part.split(" ")[0]) is not None
        exact = whole and used.dimension in EXACT
        half = Fraction(0) if exact else half_of(part, found.value)
        intervals.append(Interval.of(found.value, half).scaled(used.factor))
        if of := binary(used):
            binaries.append(Interval.of(found.value, half).scaled(of.factor))
    quantity = Quantity(readings[-1].value, used)
    return Given(name, text, tuple(intervals), quantity, tuple(binaries))


@lru_cache(maxsize=4096)
def read_once(text: str) -> Reading:
    """A written quantity, with one unit for the same text."""
    return read(text)


@lru_cache(maxsize=4096)
def completed(name: str, text: str, written: Unit | None, contract: Unit) -> Unit:
    """The written unit, held against the contract's; a count may be bare."""
    if written is None:
        if contract.dimension in BARE:
            return contract
        what = tr("{key}: {number} has no unit", key=name, number=printable(text, 40))
        raise DeriveError(
            Problem("A108", what, hint=tr("write {first}", first=f"{text} {contract.text}"))
        )
    if not fits(written.dimension, contract.dimension):
        found, expected = (d.everyday or d.text for d in (written.dimension, contract.dimension))
        what = tr(
            "{key}: found {found}, expected {expected}", key=name, found=found, expected=expected
        )
        raise DeriveError(Problem("A109", what))
    return written
