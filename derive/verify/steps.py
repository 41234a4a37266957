"""The symbolic steps: each is a consequence of the recorded formulas, at exact places."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from derive.expression.tree import Name, Node
from derive.formula import Formula, catalogue, unit_of
from derive.text import Text, tr
from derive.verify.lines import Line, at_step, check_lines, lines
from derive.verify.numbers import check_numbers
from derive.verify.say import quoted
from derive.verify.texts import Broken, NoValue
from derive.verify.values import Held, Ledger


def check_steps(ledger: Ledger) -> Iterator[Text]:
    """Every step of every card, and that all cards call things alike."""
    names: dict[str, Mapping[str, str]] = {}
    counts: dict[bool, set[str]] = {False: set(), True: set()}
    for card in ledger.cards.values():
        yield from check_card(ledger, card)
        for number, step in enumerate(card["steps"], 1):
            if names.setdefault(step["rule"], step["rule_name"]) != step["rule_name"]:
                rule = quoted(step["rule_name"]["en"])
                yield at_step(card["id"], number, tr("is called {rule}, others are not", rule=rule))
        checks = [c for step in card["steps"] for c in step["checks"]]
        kind = catalogue()[card["id"]].within is not None and "search" not in card
        counts[kind] |= {c["found"] for c in checks if c["by"] == "points" and c["found"].isdigit()}
    for found in counts.values():
        if len(found) > 1:
            text = quoted(", ".join(sorted(found)), 60)
            yield tr("the steps claim different numbers of points: {counts}", counts=text)


def check_card(ledger: Ledger, card: Mapping[str, Any]) -> Iterator[Text]:
    """Every step of one card: how it is written, then what it says."""
    found, faults = lines(card)
    yield from faults
    try:
        yield from check_lines(card, found)
    except Broken as error:
        yield tr("{name}: {why}", name=card["id"], why=error.why)
    yield from symbolic(ledger, card, [one for one in found if not one.numeric])
    yield from check_numbers(ledger, card, [one for one in found if one.numeric])


def symbolic(ledger: Ledger, card: Mapping[str, Any], found: list[Line]) -> Iterator[Text]:
    """The symbolic lines of one card."""
    name = card["id"]
    if not (found or card["set_by_hand"]):
        yield tr("{name}: no derivation is recorded", name=name)
    about = Derivation(ledger, catalogue()[name])
    for one in found:
        try:
            if not about.holds(one):
                why: Text = tr("does not hold: {text}", text=one.text)
                yield at_step(name, one.number, why)
        except (Broken, NoValue) as error:
            yield at_step(name, one.number, error.why)
    if found and not about.concluded:
        text = card["tree"] or card["search"]["left"]
        yield tr("{name}: no step ends in the formula {text}", name=name, text=quoted(text, 160))


class Derivation:
    """What has been held and opened so far in one card."""

    def __init__(self, ledger: Ledger, declared: Formula) -> None:
        self.ledger, self.declared = ledger, declared
        self.tree = ledger.trees.get(declared.id)
        self.search = ledger.searches.get(declared.id)
        self.me = Name(declared.id)
        self.held: dict[str, Node] = {}
        self.cases: list[Node] = []
        self.seen: list[Node] = []
        self.concluded = False

    def equal(self, left: Node, right: Node) -> bool:
        """Whether two sides agree at every place away from the scenario, with what is held."""
        kept = self.declared.held
        places = (place.fixed(self.held, kept) for place in self.ledger.elsewhere)
        return all(place.equal(left, right) for place in places)

    def holds(self, one: Line) -> bool:
        """Whether a line follows; what it fixes or concludes is remembered."""
        if self.search:
            self.concluded |= one.left == self.search.left and one.right == self.search.right
        else:
            self.concluded |= one.left == self.me and one.right == self.tree
        rule = getattr(self, one.rule, self.equality)
        good = bool(rule(one))
        if one.before is not None:  # the line that this one starts from
            good &= one.before in self.seen and self.equal(one.before, self.start(one))
        self.seen.append(one.right)
        return good

    def start(self, one: Line) -> Node:
        """What the form before a line must equal."""
        return self.tree if one.left == self.me and self.tree is not None else one.left

    def fix(self, one: Line) -> bool:
        """A symbol held at what the declaration says, or N_act at N for a dense model."""
        if not isinstance(one.left, Name) or one.relation != "=":
            return False
        declared = dict(self.declared.at)
        if self.declared.dense:
            declared["N_act"] = Name("N")
        self.held[one.left.id] = one.right
        return declared.get(one.left.id) == one.right

    def definition(self, one: Line) -> bool:
        """A recorded formula: this one, or the one that this is a case or a limit of."""
        of = self.declared.of or (self.declared.limit[0] if self.declared.limit else "")
        left = Name(of) if self.declared.limit else self.me
        return (
            one.relation == "="
            and one.left == left
            and one.right == (self.ledger.trees.get(of) if of else self.tree)
        )

    def insert(self, one: Line) -> bool:
        """A recorded formula by its symbol, opened further where that says the same."""
        if not isinstance(one.left, Name) or one.relation != "=":
            return False
        tree = self.ledger.trees.get(one.left.id)
        return tree is not None and (one.right == tree or self.equal(one.right, tree))

    def equation(self, one: Line) -> bool:
        """The declared equation or inequality, which need not hold everywhere."""
        return (one.left, one.right, one.relation) == self.sides

    @property
    def sides(self) -> tuple[Node, Node, str]:
        """The declared equation."""
        if self.declared.solve:
            return self.declared.solve[0], self.declared.solve[1], "="
        of, target, _ = self.declared.within or ("", "", "")
        return Name(of), Name(target), "≤"

    def equality(self, one: Line) -> bool:
        """Both sides agree; those of an equation agree with its own sides, each with its own."""
        if one.left == self.me and self.tree is not None:
            return one.relation == "=" and self.equal(one.right, self.tree)
        if self.declared.solve or self.declared.within:
            left, right, relation = self.sides
            return (
                one.relation == relation
                and self.equal(one.left, left)
                and self.equal(one.right, right)
            )
        return one.relation == "=" and self.equal(one.left, one.right)

    def limit(self, one: Line) -> bool:
        """The limit is the recorded formula, which `declared` holds against the limit itself."""
        of = self.declared.limit[0] if self.declared.limit else ""
        self.concluded = one.right == self.tree
        return one.relation == "→" and one.left == Name(of) and self.concluded

    def case(self, one: Line) -> bool:
        """One argument of a max alone against the target; its bound comes next."""
        self.cases.append(one.left)
        return one.relation == "≤" and one.right == self.sides[1]

    def solve(self, one: Line) -> bool:
        """The recorded formula, or the bound at which one case is met exactly."""
        variable = (self.declared.solve or self.declared.within or ("",))[-1]
        if not variable:
            return False
        if one.left == self.me:
            return one.relation == "=" and one.right == self.tree and self.all_cases()
        sign = "≥" if self.declared.smallest else "≤"
        if one.relation != sign or one.left != Name(str(variable)) or not self.cases:
            return False
        for place in self.ledger.elsewhere:
            bound = place.quantity(one.right, unit_of(str(variable)))
            there = place.with_({str(variable): Held(bound.value, bound.unit)})
            if not there.equal(self.cases[-1], self.sides[1]):
                return False
        return True

    def all_cases(self) -> bool:
        """Whether the cases are all arguments: the largest of them is the whole."""
        if not self.cases:
            return True
        whole = self.sides[0]
        return all(
            any(place.equal(case, whole) for case in self.cases) for place in self.ledger.elsewhere
        )
