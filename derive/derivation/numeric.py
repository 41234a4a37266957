"""The numeric half of a derivation: values inserted, cases decided, result, rounding."""

from __future__ import annotations

from fractions import Fraction

from derive.derivation.crossing import Crossing
from derive.derivation.points import Point, in_contract
from derive.derivation.steps import Check, Disproved, Step
from derive.derivation.stored import crossings, trees
from derive.expression.grammar import parse
from derive.expression.recompute import in_unit, recompute
from derive.expression.text import number_text, plain
from derive.expression.tree import (
    Binary,
    Call,
    Measure,
    Name,
    Node,
    Number,
    names,
    substitute,
    walk,
)
from derive.expression.value import value
from derive.formula import Formula, unit_of
from derive.text import Text, tr
from derive.units import Quantity, Unit, show, unit
from derive.units.writing import grouped, significant

LONGEST_EXACT = 18  # characters of a number that is still shown in full
FIGURES = (7, 10, 15, 25)  # of rounded values; more where terms of the formula nearly cancel


def written(quantity: Quantity, figures: int = FIGURES[0]) -> tuple[Quantity, str]:
    """A quantity as it stands in a line of values: exact where short, else rounded.

    The digits are those to print where trailing zeros matter, else empty.
    """
    shown = show(quantity, 15)
    if shown.exact:
        target = quantity.to(unit(shown.unit))
        if is_short(target.value):
            return target, ""
    if is_short(quantity.value) and abs(quantity.value) >= Fraction(1, 100):
        return quantity, ""
    target = quantity.to(unit(show(quantity).unit))
    digits = grouped(significant(target.value, figures))
    return Quantity(Fraction(digits.replace(",", "")), target.unit), digits


def is_short(value: Fraction, longest: int = LONGEST_EXACT) -> bool:
    """Whether an exact number may stand in a line; powers run to thousands of digits."""
    small = max(value.numerator.bit_length(), value.denominator.bit_length()) < 4 * longest
    return small and len(number_text(value)) <= longest


def value_steps(formula: Formula, point: Point) -> tuple[Step, ...]:
    """Values inserted into the formula, cases of max and min, the result, its rounding."""
    if formula.id in crossings():
        return search_steps(formula, point)
    me, tree = Name(formula.id), trees()[formula.id]
    exact = point.get(formula.id)
    contract = formula.unit
    result = in_contract(exact, contract)
    steps: list[Step] = []
    line, rounded = inserted(tree, point, exact)
    if not isinstance(line, Measure):
        relation = "≈" if rounded else "="
        steps.append(close_to(Step("values", me, line, relation), exact, rounded))
        steps += cases(tree, point)
    final = recompute(tree, point.quantity)
    if in_unit(final, contract) != result.value:
        raise Disproved(f"{formula.id}: recomputed value differs")
    steps += [s.checked(Check("recomputed", "equal")) for s in outcome(me, result)]
    return tuple(steps)


def search_steps(formula: Formula, point: Point) -> tuple[Step, ...]:
    """Both sides at the value found and at its neighbour: between them the answer changes.

    A side that does not depend on what is searched stands once.
    """
    crossing = crossings()[formula.id]
    variable = Name(crossing.variable)
    contract = unit_of(crossing.variable)
    steps: list[Step] = []
    found_at: list[tuple[Fraction, ...]] = []  # the value tried, then both sides
    for number in point.neighbours(crossing, formula):
        here = point.with_(**{crossing.variable: number})
        sides = [crossing.left, crossing.right]
        values = [here.value(side) for side in sides]
        says = tr("left ≥ right") if values[0] >= values[1] else tr("left < right")
        if crossing.at_most:
            says = tr("left ≤ right") if values[0] <= values[1] else tr("left > right")
        steps.append(
            Step("fix", variable, Measure(Quantity(number, contract))).checked(
                Check("points", "neighbour")
            )
        )
        unchanged = bool(found_at) and found_at[0][2] == values[1]
        shown_sides = sides[:1] if unchanged else sides
        for side, found in zip(shown_sides, values, strict=False):
            quantity = in_contract(found, part_unit(side))
            shown, digits = written(quantity)
            relation = "=" if shown.base == found else "≈"
            reason = says if side is shown_sides[-1] else None
            step = Step("search", side, leaf(shown, digits), relation, reason)
            steps.append(step.checked(*agreed(side, here, quantity)))
        found_at.append((number, *values))
    result = in_contract(point.get(formula.id), formula.unit)
    if len(found_at) == 1:
        why: Text | None = tr("met at 1 already: there is no smaller whole number")
    else:
        (one, first, _), (other, second, _) = found_at
        why = enough(crossing, rises=(other > one) == (second > first))
    compute = Step("compute", Name(formula.id), leaf(result), reason=why)
    return (*steps, compute.checked(Check("recomputed", "equal")))


def enough(crossing: Crossing, *, rises: bool) -> Text | None:
    """Why two neighbours prove a search, where the left side runs one way.

    The traffic of a step grows with batch and context, and so does the intensity with the batch.
    More devices lengthen no time of a device: each part is shared out, or read whole by every one.
    Where attention operations grow with the context too, it may turn with the mixture of layers.
    """
    if crossing.variable == "T" and any(n.startswith("a_") for n in names(crossing.left)):
        return None
    if crossing.variable == "T" and {"F_att", "H_q"} & set(names(crossing.left)):
        return None
    if rises:
        return tr(
            "with {symbol} the left side never falls, the right one stays: these neighbours decide",
            symbol=crossing.variable,
        )
    return tr(
        "with {symbol} the left side never rises, the right one stays: these neighbours decide",
        symbol=crossing.variable,
    )


def inserted(tree: Node, point: Point, exact: Fraction) -> tuple[Node, bool]:
    """The tree with each symbol replaced by its value, and whether one of them was rounded."""
    for figures in FIGURES:
        by: dict[str, Node] = {}
        rounded = False
        for name in names(tree):
            quantity = point.quantity(name)
            shown, digits = written(quantity, figures)
            rounded |= shown.base != quantity.base
            by[name] = leaf(shown, digits)
        line = substitute(tree, by)
        if not rounded or near(value(line, no_names), exact, line, Fraction(0)):
            break
    return line, rounded


def near(found: Fraction, exact: Fraction, line: Node, whole: Fraction) -> bool:
    """Whether a line of rounded values gives the exact value, within their rounding.

    `whole` is how far a line that is rounded to a whole number may be off.
    """
    rounds = any(isinstance(n, Call) and n.function in ("floor", "ceil") for n in walk(line))
    return abs(found - exact) <= (whole if rounds else abs(exact) / 10**5)


def no_names(name: str) -> Fraction:
    """A line of values holds no symbols."""
    raise Disproved(f"{name} stands in a line of values")


def close_to(step: Step, exact: Fraction, rounded: bool) -> Step:
    """Read the printed line back: it must give the value, within its rounding."""
    again = value(parse(plain(step.right, dot="×")), no_names)
    if not (near(again, exact, step.right, Fraction(1)) if rounded else again == exact):
        raise Disproved(f"{plain(step.left)}: the line of values reads back as another value")
    found = "reads back" if not rounded else "reads back within rounding"
    return step.checked(Check("points", found))


def cases(tree: Node, point: Point) -> list[Step]:
    """Each argument of a max or min with its value, and which one decides; each call once."""
    steps: list[Step] = []
    calls = [p for p in walk(tree) if isinstance(p, Call) and p.function in ("max", "min")]
    calls = list(dict.fromkeys(calls))
    for part in calls:
        values = [(a, point.value(a)) for a in part.args]
        chosen = (max if part.function == "max" else min)(v for _, v in values)
        for argument, found in values:
            if isinstance(argument, Number):
                continue
            reason = tr("decides") if found == chosen else tr("does not decide")
            if len(calls) > 1:
                reason = tr("{verdict} in {call}", verdict=reason, call=plain(part))
            quantity = in_contract(found, part_unit(argument))
            shown, digits = written(quantity)
            relation = "=" if shown.base == found else "≈"
            right = leaf(shown, digits)
            steps.append(
                Step("case", argument, right, relation, reason).checked(
                    *agreed(argument, point, quantity)
                )
            )
    return steps


def part_unit(tree: Node) -> Unit:
    """The coherent unit of a part, with the customary token form for times per token."""
    from derive.expression.dimension import dimension
    from derive.formula import dimension_of

    return dimension(tree, dimension_of).unit


def agreed(tree: Node, point: Point, quantity: Quantity) -> tuple[Check, ...]:
    """The independent recomputation of a part."""
    if in_unit(recompute(tree, point.quantity), quantity.unit) != quantity.value:
        raise Disproved(f"{plain(tree)}: recomputed value differs")
    return (Check("recomputed", "equal"),)


def outcome(me: Name, result: Quantity) -> list[Step]:
    """The exact result, and its rounding where it does not end soon."""
    shown = show(result)
    if shown.exact:
        target = result.to(unit(shown.unit))
        return [Step("compute", me, leaf(target))]
    steps = []
    if is_short(result.value, 36):
        steps.append(Step("compute", me, leaf(result)))
    target = result.to(unit(shown.unit))
    rounded = Quantity(shown.quantity.value, target.unit)
    steps.append(Step("round", me, leaf(rounded, shown.number), "≈"))
    return steps


def leaf(quantity: Quantity, digits: str = "") -> Node:
    """A value as a tree; `digits` keeps the trailing zeros of a rounded one."""
    if quantity.unit.terms:
        return Measure(quantity, digits=digits)
    return Number(quantity.value, digits=digits)


def active(tree: Node, point: Point) -> Node:
    """The tree with each max and min replaced by the argument that decides here."""
    if isinstance(tree, Call) and tree.function in ("max", "min"):
        choose = max if tree.function == "max" else min
        return active(choose(tree.args, key=point.value), point)
    if isinstance(tree, Binary):
        return Binary(tree.op, active(tree.left, point), active(tree.right, point))
    return tree


__all__ = ["active", "inserted", "outcome", "value_steps", "written"]
