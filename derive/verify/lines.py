"""The lines of a derivation as texts: LaTeX, relation and checks belong to the two sides."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from derive.errors import DeriveError
from derive.expression.dimension import dimension
from derive.expression.latex import latex
from derive.expression.text import plain
from derive.expression.tree import Measure, Negative, Node, Number, names, rebuild
from derive.expression.wrapped import settings
from derive.formula import catalogue, dimension_of, letters
from derive.text import Text, tr
from derive.units import Quantity, unit
from derive.verify.say import quoted
from derive.verify.texts import Broken, read

NUMERIC = ("values", "compute", "round")
RULES = (
    *NUMERIC, "definition", "equation", "insert", "fix", "substitute", "cancel", "divide", "limit",
    "solve", "case", "search",
)  # fmt: skip
DECLARED = ("definition", "equation", "insert")  # rules whose reason is that of a formula
SIGNS = {"=": "=", "≈": r"\approx", "→": "=", "≤": r"\leq", "≥": r"\geq"}
NEIGHBOUR = "neighbour"
FOUND = {"sympy": ("proved",), "recomputed": ("equal",)}


@dataclass(frozen=True)
class Line:
    """One step, read: its sides and the form before it."""

    number: int
    rule: str
    relation: str
    left: Node
    right: Node
    before: Node | None
    record: Mapping[str, Any]

    @property
    def text(self) -> str:
        """The line as messages show it."""
        r = self.record
        return quoted(f"{r['left']} {r['relation']} {r['right']}", 160)

    @property
    def is_value(self) -> bool:
        """Whether the right side is one number."""
        return isinstance(self.right, Measure | Number)

    @property
    def numeric(self) -> bool:
        """Whether the line is about this scenario's numbers."""
        if self.rule == "fix":  # a value on either side of what is searched
            return any(check["found"] == NEIGHBOUR for check in self.record["checks"])
        bound = self.rule == "case" and self.relation == "≤"
        return self.rule in (*NUMERIC, "case", "search") and not bound


def lines(card: Mapping[str, Any]) -> tuple[list[Line], list[Text]]:
    """The steps of a card, and what could not be read."""
    found, faults = [], []
    for number, step in enumerate(card["steps"], 1):
        try:
            found.append(line(number, step))
        except Broken as error:
            faults.append(at_step(card["id"], number, error.why))
    return found, faults


def at_step(name: str, number: int, why: Text | str) -> Text:
    """A fault of one step."""
    return tr("{name}: step {step}: {why}", name=name, step=str(number), why=why)


def line(number: int, step: Mapping[str, Any]) -> Line:
    """One recorded step, read; Broken where it is none."""
    if step["rule"] not in RULES:
        raise Broken(tr("unknown rule {rule}", rule=quoted(step["rule"])))
    if step["relation"] not in SIGNS:
        raise Broken(tr("unknown relation {sign}", sign=quoted(step["relation"], 10)))
    before = folded(read(step["before"])) if step["before"] is not None else None
    return Line(
        number, step["rule"], step["relation"], folded(read(step["left"])),
        folded(read(step["right"])), before, step,
    )  # fmt: skip


def folded(node: Node) -> Node:
    """A negative number as one leaf, as the writer had it."""
    if isinstance(node, Negative) and isinstance(node.inner, Measure):
        held = node.inner.quantity
        digits = f"-{node.inner.digits}" if node.inner.digits else ""
        return Measure(Quantity(-held.value, held.unit), digits=digits)
    if isinstance(node, Negative) and isinstance(node.inner, Number):
        digits = f"-{node.inner.digits}" if node.inner.digits else ""
        return Number(-node.inner.value, digits=digits)
    return rebuild(node, folded)


def check_lines(card: Mapping[str, Any], found: list[Line]) -> Iterator[Text]:
    """What each line shows besides its plain text."""
    name = card["id"]
    for one in found:
        if one.record["latex"] != setting(one):
            yield at_step(
                name, one.number, tr("the mathematics shown is not the line {text}", text=one.text)
            )
        if spelled(one) != (one.record["left"], one.record["right"]):
            yield at_step(
                name, one.number, tr("the line {text} is not written as it is read", text=one.text)
            )
        if one.rule in DECLARED and one.record["reason"] not in declared_reasons():
            yield at_step(name, one.number, tr("its reason is not a declared one"))
        yield from bad_checks(name, one)


def declared_reasons() -> tuple[Mapping[str, str], ...]:
    """The reasons that formulas are declared with."""
    return tuple(declared.reason.json() for declared in catalogue().values())


def setting(one: Line) -> list[str]:
    """The LaTeX of a line, from the widest setting to the narrowest."""
    shown = one.record["latex"][0] if one.record["latex"] else ""
    struck = {
        n for n in (names(one.before) if one.before else ())
        if rf"\cancel{{{letters(n)}}}" in shown
    } - set(names(one.right))  # fmt: skip

    def letter(name: str) -> str:
        return rf"\cancel{{{letters(name)}}}" if name in struck else letters(name)

    left = latex(one.left, letters)
    left = rf"\lim_{{b \to \infty}} {left}" if one.rule == "limit" else left
    middle = f" = {latex(one.before, letter)}" if one.before is not None and struck else ""
    sign = SIGNS[one.relation]
    return settings(f"{left}{middle} {sign}", one.right, letters)


def spelled(one: Line) -> tuple[str, str]:
    """Both sides as the printer writes them."""
    return plain(one.left), plain(one.right, dot="×" if one.rule in NUMERIC else "·")


def bad_checks(name: str, one: Line) -> Iterator[Text]:
    """The checks that a line claims: there is one, each found what it must."""
    if not one.record["checks"]:
        yield at_step(name, one.number, tr("no check is recorded"))
    for check in one.record["checks"]:
        by, found = check["by"], check["found"]
        if by == "pint":
            right = same_unit(found, one.right)
        elif by == "points":
            right = found.isdigit() or found in without_points(one)
        else:
            right = found in FOUND.get(by, ())
        if not right:
            text = quoted(f"{by}: {found}")
            yield at_step(name, one.number, tr("the check {text} cannot be so", text=text))


def without_points(one: Line) -> tuple[str, ...]:
    """What a check by points may say of a line that claims no equality at points."""
    if one.rule == "values":
        return ("reads back" if one.relation == "=" else "reads back within rounding",)
    if one.rule == "fix":
        return ("reads back", NEIGHBOUR)
    return ("reads back",) if one.rule in ("equation", "case", "solve") else ()


def same_unit(text: str, node: Node) -> bool:
    """Whether a text is the coherent unit of a side, its factors in whatever order."""
    try:
        measured = dimension(node, dimension_of).unit
        return sorted(unit(text).terms) == sorted(measured.terms) and bool(text)
    except DeriveError as error:
        raise Broken(error.problems[0].what) from None
    except KeyError:
        return False
