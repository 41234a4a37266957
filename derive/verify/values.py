"""Values of a ledger, computed from its own text: pint quantities with exact fractions.

Nothing of the derivation engine is used; a formula is what the ledger says it is.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from functools import cached_property
from typing import Any

from derive.expression.dimension import dimension
from derive.expression.recompute import in_unit, recompute
from derive.expression.tree import Call, Node, Number, rebuild, walk
from derive.formula import catalogue, never_meets, unit_of
from derive.notation import known
from derive.text import Text, tr
from derive.units import Quantity, Unit, pint_error
from derive.verify.powers import LONGEST, WHOLE, power
from derive.verify.reach import closures
from derive.verify.say import quoted
from derive.verify.search import FARTHEST, apart, no_count, not_even_one, recorded, search
from derive.verify.texts import Broken, NoDivision, NoValue, comparison, read

CALIBRES = ("low", "typical", "high")
LAUNCH = "t_launch"
AGAINST = {
    "low": "high",
    "typical": "typical",
    "high": "low",
    "peak": "typical",
}  # of MBU: of launch


class Held(Quantity):
    """A quantity that keeps its pint form: it is asked for many times."""

    @cached_property
    def pint(self) -> Any:
        """The same quantity as pint holds it."""
        return super().pint


class Ledger:
    """The readings of one ledger: inputs, constants, formulas by their recorded text."""

    def __init__(self, record: Mapping[str, Any]) -> None:
        self.record = record
        self.units = {name: unit_of(name) for name in (*known(), *catalogue())}
        self.given = self.quantities("inputs")
        self.constants = self.quantities("constants")
        self.cards: dict[str, Mapping[str, Any]] = {d["id"]: d for d in record["derivations"]}
        self.trees = {n: read(card["tree"]) for n, card in self.cards.items() if card["tree"]}
        self.searches = {n: search(card) for n, card in self.cards.items() if n not in self.trees}
        self.looked: dict[int, tuple[Node, bool]] = {}
        self.powers = any("pow(" in text for card in self.cards.values() for text in lines_of(card))
        self.levels = {
            name: {key: Fraction(triple[key]["exact"]) for key in CALIBRES}
            for name, triple in record["calibration"].items()
        }
        self.reach = closures(self.cards, self.trees, self.searches)

    def quantities(self, group: str) -> dict[str, Held]:
        """Recorded values, in the units of the notation; the recorded units are checked apart."""
        return {
            row["id"]: Held(Fraction(row["exact"]), self.units[row["id"]])
            for row in self.record[group]
        }

    def has_power(self, tree: Node) -> bool:
        """Whether a tree holds a symbolic power; looked for once in each."""
        key = id(tree)  # the tree is kept too, so that no other gets its id
        if key not in self.looked:
            found = any(isinstance(n, Call) and n.function == "pow" for n in walk(tree))
            self.looked[key] = (tree, found)
        return self.looked[key][1]

    @cached_property
    def here(self) -> Values:
        """The scenario's own values, at the typical calibration."""
        return Values(self, {**self.given, **self.calibrated("typical", "typical")}, strict=True)

    def calibrated(self, mfu: str, mbu: str) -> dict[str, Held]:
        """MFU and MBU at a level, or at peak; the launch floor is slow where MBU is low."""
        found = {
            name: Held(Fraction(1) if key == "peak" else self.levels[name][key], Unit())
            for name, key in (("MFU", mfu), ("MBU", mbu))
            if name in self.levels
        }
        if LAUNCH in self.levels:
            found[LAUNCH] = Held(self.levels[LAUNCH][AGAINST[mbu]], self.units[LAUNCH])
        return found

    @cached_property
    def elsewhere(self) -> tuple[Values, Values]:
        """The inputs moved off by odd factors, so that what happens to agree no longer does.

        The second place has little compute, so that the other argument of each max decides. The
        places follow from the record's hash: whoever edits a line moves them.
        """
        names = {*self.given, *self.levels} - self.cards.keys()  # what was set by hand is derived
        return self.moved("1", names), self.moved("2", names, Fraction(1, 10**5))

    @cached_property
    def nearby(self) -> tuple[Values, Values]:
        """Such places where what was set by hand stays an input."""
        if not self.given.keys() & self.cards.keys():
            return self.elsewhere
        names = {*self.given, *self.levels}
        return self.moved("3", names), self.moved("4", names, Fraction(1, 10**5))

    def moved(self, seed: str, names: Iterable[str], compute: Fraction = Fraction(1)) -> Values:
        """One place away from the scenario."""
        draw = random.Random(f"{seed} {self.record['hash']}")  # noqa: S311  points of a proof
        given = {}
        for name in sorted(names):
            start = self.given.get(name) or self.calibrated("typical", "typical")[name]
            if name in WHOLE and self.powers:
                given[name] = Held(Fraction(draw.randrange(*WHOLE[name])), start.unit)
                continue
            factor = Fraction(draw.randrange(1001, 9973), draw.randrange(1001, 9973))
            factor *= compute if name == "P_peak" else 1
            given[name] = Held((start.value or Fraction(1)) * factor, start.unit)
        return Values(self, given, strict=False)


def lines_of(card: Mapping[str, Any]) -> Iterator[str]:
    """Every formula of a card."""
    yield card["tree"]
    yield from (side for side in card.get("search", {}).values() if isinstance(side, str))
    yield from (condition["text"] for condition in card["conditions"])
    for step in card["steps"]:
        yield from (step["left"], step["right"], step["before"] or "")


class Values:
    """Values by id at one place; formulas by pint from their text, each computed once."""

    def __init__(
        self,
        ledger: Ledger,
        given: Mapping[str, Held],
        beneath: Values | None = None,
        *,
        strict: bool,
    ) -> None:
        self.ledger, self.given, self.beneath, self.strict = ledger, given, beneath, strict
        self.memo: dict[str, Held | NoValue] = {}
        self.others: dict[tuple[tuple[str, Fraction], ...], Values] = {}

    def __call__(self, name: str) -> Held:
        """The value in its contract unit; NoValue, or Broken."""
        if name not in self.memo:
            try:
                self.memo[name] = self.find(name)
            except NoValue as missing:
                self.memo[name] = missing
        found = self.memo[name]
        if isinstance(found, NoValue):
            raise found
        return found

    def find(self, name: str) -> Held:
        """A given value, one that the changes leave alone, or a computed one."""
        below = self.beneath
        if name in self.given:
            return self.given[name]
        if below and not self.ledger.reach.get(name, {name}) & self.given.keys():
            return below(name)
        while below:  # given, although a formula exists for it: set by hand
            if name in below.given:
                return below.given[name]
            below = below.beneath
        if name in self.ledger.constants:
            return self.ledger.constants[name]
        if name not in self.ledger.cards:
            raise Broken(tr("{name} has no value", name=quoted(name)))
        return self.compute(name)

    @property
    def root(self) -> Values:
        """The place without changes."""
        return self if self.beneath is None else self.beneath.root

    def compute(self, name: str) -> Held:
        """A formula's value, where its conditions of existence hold."""
        card = self.ledger.cards[name]
        exists = catalogue()[name].exists
        if self.strict and exists and not self.holds(exists.text):
            raise NoValue(self.lacking(name, exists.meaning))
        if name in self.ledger.searches:
            return Held(Fraction(self.searched(name)), self.ledger.units[name])
        tree = self.ledger.trees[name]
        found = self.solution(name, tree)
        if max(found.value.numerator.bit_length(), found.value.denominator.bit_length()) > LONGEST:
            raise Broken(tr("{name} is too long a number", name=name))
        largest = catalogue()[name].largest is not None
        if self.strict and largest and found.value < 1:
            raise NoValue(not_even_one(card["variable"]))
        if self.strict and catalogue()[name].solve and found.value <= 0:
            raise NoValue(never_meets(catalogue()[name]))
        return found

    def solution(self, name: str, tree: Node) -> Held:
        """A tree's value; the sides of an equation meet nowhere where its divisor is zero."""
        declared = catalogue()[name]
        try:
            return self.quantity(tree, self.ledger.units[name])
        except NoDivision:
            if self.strict and declared.solve:
                raise NoValue(never_meets(declared)) from None
            raise

    def lacking(self, name: str, usual: Text) -> Text:
        """Why there is no value where a condition of existence does not hold."""
        otherwise = catalogue()[name].otherwise
        try:
            return otherwise.meaning if otherwise and self.holds(otherwise.text) else usual
        except (NoValue, Broken):  # what it compares is not in this ledger
            return usual

    def searched(self, name: str) -> int:
        """The whole value next to which two sides meet; where one is recorded, only tried."""
        found = self.ledger.searches[name]
        farthest = FARTHEST.get(found.variable, 2**30)
        for number in recorded(self.ledger.record["results"].get(name, {})):
            near = [n for n in found.beside(number) if 0 < n <= farthest]
            holds = 0 < number <= farthest and self.meets(name, number)
            if holds and found.smallest and number == 1:
                return number
            if holds and any(not self.meets(name, other) for other in near):
                return number
        start, low, high = self.meets(name, 1), 1, 2
        if found.largest and not start:
            raise NoValue(not_even_one(found.variable))
        if found.smallest and start:
            return 1
        while self.meets(name, high) == start:
            low, high = high, high * 2
            if high > farthest:
                last = f"{farthest:,}"
                if found.smallest:
                    raise NoValue(no_count(last))
                which = {"above": start, "largest": found.largest}
                raise NoValue(apart(catalogue()[name], found.variable, last, **which))
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.meets(name, middle) == start else (low, middle)
        return low if self.meets(name, low) else high

    def meets(self, name: str, number: int) -> bool:
        """Whether the sides of a search stand as asked at a whole value of its symbol."""
        found = self.ledger.searches[name]
        contract = self.ledger.units[found.variable]
        there = self.with_({found.variable: Quantity(Fraction(number), contract)})
        above = there.above(found.left, found.right)
        return above <= 0 if found.at_most else above >= 0

    def of(self, tree: Node) -> Any:
        """A tree as a pint quantity."""
        try:
            return recompute(self.raised(tree), self)
        except ZeroDivisionError:
            raise NoDivision(tr("a divisor is zero")) from None
        except pint_error():
            raise Broken(tr("the units do not fit together")) from None

    def raised(self, tree: Node) -> Node:
        """A tree with its symbolic powers taken."""
        if not (self.ledger.powers and self.ledger.has_power(tree)):
            return tree
        if isinstance(tree, Call) and tree.function == "pow":
            base, exponent = (self.quantity(part, Unit()).value for part in tree.args)
            return Number(power(base, exponent))
        return rebuild(tree, self.raised)

    def quantity(self, tree: Node, contract: Unit) -> Held:
        """A tree's value in a unit; Broken where it measures something else."""
        found = self.of(tree)
        try:
            return Held(in_unit(found, contract), contract)
        except pint_error():
            raise Broken(tr("the units do not fit together")) from None

    def in_its_unit(self, tree: Node) -> Quantity:
        """A tree's value in the coherent unit of what it measures."""
        contract = dimension(tree, lambda n: self.ledger.units[n].dimension).unit
        return self.quantity(tree, contract)

    def holds(self, text: str) -> bool:
        """A recorded comparison at these values."""
        left, sign, right = comparison(text)
        above = self.above(left, right)
        return {"<": above < 0, "<=": above <= 0, ">": above > 0, ">=": above >= 0}[sign]

    def above(self, left: Node, right: Node) -> Fraction:
        """By how much the left side is above the right one, in units of the left."""
        a, b = self.of(left), self.of(right)
        return Fraction(a.magnitude) - in_units_of(a, b)

    def equal(self, left: Node, right: Node) -> bool:
        """Whether two sides are the same quantity."""
        return left == right or self.above(left, right) == 0

    def fixed(self, at: Mapping[str, Node], kept: Iterable[str] = ()) -> Values:
        """The same place with some symbols held, and some formulas kept at their value here."""
        held: dict[str, Quantity] = {n: self(n) for n in kept if n in self.ledger.cards}
        held |= {n: self.quantity(tree, self.ledger.units[n]) for n, tree in at.items()}
        return self.with_(held)

    def with_(self, changed: Mapping[str, Quantity]) -> Values:
        """The same place with some values changed; remembered."""
        if not changed:
            return self
        key = tuple(sorted((name, q.base) for name, q in changed.items()))
        if key not in self.others:
            held = {name: Held(q.value, q.unit) for name, q in changed.items()}
            self.others[key] = Values(self.ledger, held, self, strict=self.strict)
        return self.others[key]

    def at(self, mfu: str, mbu: str) -> Values:
        """The same place at another calibration."""
        level = self.ledger.calibrated(mfu, mbu)
        return self.with_({n: q for n, q in level.items() if q != self.root.given.get(n)})


def in_units_of(a: Any, b: Any) -> Fraction:
    """The magnitude of b in the units of a; Broken where they measure different things."""
    try:
        return Fraction(b.to(a.units).magnitude)
    except pint_error():
        raise Broken(tr("the units do not fit together")) from None
