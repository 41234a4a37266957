"""One statement of a printed value against everything that it can be about."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from derive.audit.binary import binary
from derive.audit.fields.evaluation import Missing, evaluate, tree_dimension
from derive.audit.fields.given import fits
from derive.audit.fields.quantities import aliased
from derive.audit.interval import Interval
from derive.derivation.points import Undefined
from derive.derivation.stored import trees
from derive.errors import DeriveError
from derive.expression.text import plain as plain_text
from derive.expression.tree import Binary, Call, Name, Node, walk
from derive.text import Text, same, tr
from derive.units import NUMBER, Quantity, Unit, unit

if TYPE_CHECKING:
    from derive.audit.fields.case import Case
    from derive.audit.fields.statements import Statement

OPEN = Fraction(10) ** 200
PEAKS = {unit("FLOP/s/device").dimension}
PeakFactor = Callable[[str], "Fraction | None"]


@dataclass(frozen=True)
class Held:
    """A statement against one reading: what it says and what comes out, both in base units."""

    says: Interval
    found: Interval
    shown: Quantity
    under: Text
    plain: bool
    of: str = ""  # the name of another quantity that the statement is about
    binary: bool = False  # GB is taken as GiB

    @property
    def hit(self) -> bool:
        """Whether both can be true."""
        return self.says.meets(self.found)


def hold(case: Case, says: Statement, place: tuple[int, int], peaks: PeakFactor) -> list[Held]:
    """Every comparison that a statement allows; empty where nothing here is of its kind.

    `place` is its number among the statements, and how many there are.
    """
    contract = case.target.unit
    if says.kind == "fits":
        return list(fit(case, says))
    if says.kind == "change":
        return list(change(case, says))
    if says.kind == "coefficient":
        return list(coefficient(case, says))
    if case.target.ratio or case.target.tree is None:
        return list(ratio(case, says, place))
    pure = says.unit is not None and says.unit.dimension == NUMBER
    if contract.dimension != NUMBER and (says.kind == "ratio" or pure):
        return list(share(case, says))
    written = says.unit or contract
    if fits(written.dimension, contract.dimension):
        return list(direct(case, says, written, peaks))
    return list(aside(case, says, written))


def bounds(says: Statement, factor: Fraction) -> Interval:
    """What a statement says, in base units; open ends far away."""
    low = -OPEN if says.low is None else says.low * factor
    high = OPEN if says.high is None else says.high * factor
    return Interval(low, high)


def number(value: Fraction, one: Unit) -> Quantity:
    """A base value in a unit."""
    return Quantity(value / one.factor, one)


def direct(case: Case, says: Statement, written: Unit, peaks: PeakFactor) -> Iterator[Held]:
    """A figure of the quantity itself, decimal bytes as printed and as binary ones."""
    for each in case.readings:
        factor: Fraction | None = Fraction(1)
        if says.precision and "P_peak" in case.given:
            factor = peaks(says.precision)
        if factor is None:
            continue
        if case.target.unit.dimension in PEAKS:
            factor = 1 / factor
        found, middle = each.last.interval.scaled(factor), each.last.middle * factor
        percent = written.terms == (("%", 1),)
        shown = number(middle, written if percent else case.target.unit)
        yield Held(bounds(says, written.factor), found, shown, each.under, each.plain,
                   binary=each.binary)  # fmt: skip
        if says.unit and (other := binary(written)):
            under = tr("the printed {unit} taken as {binary}", unit=written.text, binary=other.text)
            yield Held(bounds(says, other.factor), found, shown, under, plain=False, binary=True)


def fit(case: Case, says: Statement) -> Iterator[Held]:
    """Whether something fits: fewer than one request, or more devices than are named."""
    contract = case.target.unit
    devices = contract.dimension == unit("device").dimension
    count = Fraction(says.count or 1)
    for each in case.readings:
        above = Interval(count + Fraction(1, 2), OPEN)
        below = Interval(Fraction(0), count - Fraction(1, 2))
        if devices:
            wanted = above if says.no else Interval(Fraction(0), count)
        elif contract.dimension == unit("request").dimension:
            wanted = below if says.no else Interval(count, OPEN)
        else:
            return
        shown = number(each.last.middle, contract)
        yield Held(wanted, each.last.interval, shown, each.under, each.plain)


def change(case: Case, says: Statement) -> Iterator[Held]:
    """From one value to another: both ends against both states."""
    contract, after = case.target.unit, says.after
    for each in case.readings:
        if after is None or len(each.states) < 2:
            return
        for one, found in ((says, each.states[0]), (after, each.states[1])):
            factor = (one.unit or contract).factor
            shown = number(found.middle, contract)
            yield Held(bounds(one, factor), found.interval, shown, each.under, each.plain)


def coefficient(case: Case, says: Statement) -> Iterator[Held]:
    """`6N`: the quantity is so many times a symbol, whatever the symbol's value."""
    tree = case.target.tree
    if tree is None:
        return
    divided = Binary("/", tree, Name(says.symbol))
    try:
        found = evaluate(divided, case.intervals())
    except (Missing, Undefined):
        return
    shown = number(found.middle, tree_dimension(divided).unit)
    yield Held(
        bounds(says, Fraction(1)),
        found.interval,
        shown,
        tr("per {name}", name=says.symbol),
        plain=True,
    )


def ratio(case: Case, says: Statement, place: tuple[int, int]) -> Iterator[Held]:
    """A pure number of the given values: one over the other, a reciprocal, what is left of one."""
    factor = (says.unit or Unit()).factor
    wanted = bounds(says, factor)
    if case.target.tree is not None:
        for each in case.readings:
            value = each.last
            shown = Quantity(value.middle, Unit())
            yield Held(wanted, value.interval, shown, each.under, each.plain)
        return
    if says.idle:
        for name, one in case.given.items():
            if one.dimension == NUMBER:
                found = Interval.of(Fraction(1)) - one.states[-1]
                yield Held(
                    wanted, found, Quantity(found.middle, Unit()), same(f"1 - {name}"), plain=True
                )
        return
    names = list(case.given)
    if place[1] == len(names) > 1 and case.given[names[place[0]]].dimension == NUMBER:
        name = names[place[0]]
        found = Interval.of(Fraction(1)) / case.given[name].states[0]
        yield Held(wanted, found, Quantity(found.middle, Unit()), same(f"1 / {name}"), plain=True)
    for found, middle, under in quotients(case):
        if says.apart:
            gap = found - Interval.of(Fraction(1))
            shown, words = Quantity(middle - 1, Unit()), tr("{ratio}, less one", ratio=under)
            if gap.low > 0:
                yield Held(wanted, gap, shown, words, plain=True)
        else:
            yield Held(wanted, found, Quantity(middle, Unit()), under, plain=True)


def quotients(case: Case) -> Iterator[tuple[Interval, Fraction, Text]]:
    """Every ratio of two given values that measure the same, either way round."""
    values = [(n, g.states[0], g.dimension) for n, g in case.given.items() if g.states[0].low > 0]
    for i, (one, a, measures) in enumerate(values):
        for other, b, same_kind in values[i + 1 :]:
            if measures == same_kind:
                yield b / a, b.middle / a.middle, same(f"{other} / {one}")
                yield a / b, a.middle / b.middle, same(f"{one} / {other}")
    for name, changed in case.given.items():
        if len(changed.states) > 1 and changed.states[0].low > 0:
            before, after = changed.states
            yield (
                after / before,
                after.middle / before.middle,
                tr("{name}, after over before", name=name),
            )


def share(case: Case, says: Statement) -> Iterator[Held]:
    """The quantity over what is named, over a given value of its kind, or over its past."""
    contract = case.target.unit
    wanted = bounds(says, (says.unit or Unit()).factor)
    wholes: list[tuple[Interval, Text]] = []
    if says.of is not None:
        if fits(says.of.dimension, contract.dimension):
            wholes.append((Interval.of(says.of.base), same(says.of.text)))
    elif says.kind != "ratio":  # "under 1 %": of the given value of its kind
        per_device = contract.dimension * unit("device").dimension
        wholes += [
            (g.states[0], same(n)) for n, g in case.given.items()
            if g.dimension in (contract.dimension, per_device)
        ]  # fmt: skip
    for each in case.readings:
        if not wholes and len(each.states) > 1:
            middle = each.states[1].middle / each.states[0].middle
            found = each.states[1].interval / each.states[0].interval
            yield Held(wanted, found, Quantity(middle, Unit()), tr("after over before"), each.plain)
        for whole, name in wholes:
            found = each.last.interval / whole
            shown = Quantity(each.last.middle / whole.middle, Unit())
            yield Held(wanted, found, shown, tr("share of {name}", name=name), each.plain)


def aside(case: Case, says: Statement, written: Unit) -> Iterator[Held]:
    """A figure of something else: of a given value, or of a part of the quantity's own formula."""
    wanted = bounds(says, written.factor)
    made: list[Held] = []
    for name, one in case.given.items():
        if fits(written.dimension, one.dimension):
            shown = number(one.states[-1].middle, one.quantity.unit)
            made.append(Held(wanted, one.states[-1], shown, tr("as given"), plain=True, of=name))
    for part in parts(case):
        try:
            measures = tree_dimension(part)
            if not fits(written.dimension, measures):
                continue
            found = evaluate(part, case.intervals())
        except (DeriveError, Missing, Undefined):
            continue
        shown, text = number(found.middle, measures.unit), plain_text(part)
        made.append(
            Held(wanted, found.interval, shown, tr("a part of the formula"), plain=True, of=text)
        )
    # what lies nearest is what is spoken of
    yield from sorted(made, key=lambda h: abs(h.shown.base - wanted.middle))[:1]


def parts(case: Case) -> Iterator[Node]:
    """The products and quotients inside the formula that was evaluated."""
    tree = case.target.tree
    if isinstance(tree, Name):
        stood = {s.name: s.tree for each in case.readings for f in each.states for s in f.stood}
        tree = stood.get(tree.id) or trees().get(tree.id) or aliased(tree.id)
    if tree is not None:
        yield from (n for n in walk(tree) if isinstance(n, Binary | Call) and n is not tree)
