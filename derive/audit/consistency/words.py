"""What is said of a law: the arithmetic, the likely cause, what should stand instead."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING

from derive.audit.consistency.law import Filled, Law, interval, tree, used
from derive.audit.consistency.slips import NEAR, positive, slip
from derive.audit.interval import Interval
from derive.audit.reading.roles import ROLES
from derive.audit.types import Finding, Reading
from derive.expression.tree import names
from derive.text import Text, same, tr
from derive.units import Quantity, show

if TYPE_CHECKING:
    from derive.audit.types import Figure

THINGS = ("request", "token", "device")
COUNTS = ("flight", "devices")


def finding(
    law: Law,
    verdict: str,
    filled: Filled,
    printed: Figure,
    tried: list[Filled] | None = None,
    *,
    chinese: bool = False,
) -> Finding:
    """A verdict in words, with the arithmetic and what would have to be written."""
    spans = tuple(f.span for f in filled.figures.values())
    follows = follow(filled, printed)
    line = same(f"{written(filled)} {show(follows).equals}")
    role = ROLES[printed.role].name
    name = Text(*law.name)
    readings = tuple(Reading(follow(f, printed), f.under) for f in tried or [filled])
    if verdict == "consistent":
        what = tr(
            "{law}: {line} agrees with {figure}", law=name, line=line, figure=same(printed.text)
        )
        return Finding(law.id, verdict, "info", what, spans, readings, (line,))
    if verdict == "ambiguous":
        what = tr("{law}: {figure} is right under one reading only: {under}", law=name,
                  figure=same(printed.text), under=filled.under)  # fmt: skip
        corrected = tr("It should read {line} ({role}, {under}).", line=line, role=role,
                       under=filled.under)  # fmt: skip
        return Finding(law.id, verdict, "warning", what, spans, readings, (line,), corrected)
    ratio = filled.expected / positive(printed.interval)
    cause = counted(filled, ratio) or slipped(ratio, printed, chinese=chinese)
    last, should = conclusion(filled, printed, follows)
    what = tr("{law}: {line}, not {figure}{cause}", law=name, line=line,
              figure=same(printed.text), cause=cause)  # fmt: skip
    role = ROLES[last.role].name if last.role else same("")
    corrected = tr("The {role} must be {value}: {law}.", role=role, value=amount(should),
                   law=name)  # fmt: skip
    return Finding(law.id, verdict, "error", what, spans, readings, (line,), corrected)


def amount(quantity: Quantity) -> str:
    """A quantity; a count without the thing that its own name already says (80 request)."""
    text = show(quantity).text
    return text.removesuffix(f" {quantity.unit.text}") if quantity.unit.text in THINGS else text


def counted(filled: Filled, ratio: Interval) -> Text | None:
    """Where the factor is a count that the claim names: a sum was taken for one part."""
    for name in COUNTS:
        figure = filled.figures.get(name)
        if (
            figure
            and figure.value > 1
            and any(
                ratio.meets(Interval.of(f * figure.value, f * figure.value * NEAR))
                for f in (Fraction(1), 1 / figure.value**2)
            )
        ):
            return tr(" (a factor of {count}: the sum over all was taken for one of them)",
                      count=f"{int(figure.value):,}")  # fmt: skip
    return None


def slipped(ratio: Interval, printed: Figure, *, chinese: bool) -> Text:
    """The likely cause in brackets, or nothing."""
    cause = slip(ratio, printed.dimension, chinese=chinese)
    return tr(" ({cause})", cause=cause.cause) if cause else same("")


def conclusion(filled: Filled, printed: Figure, follows: Quantity) -> tuple[Figure, Quantity]:
    """The figure that stands last in the text and what it should be; else the result."""
    name, last = max(filled.figures.items(), key=lambda item: item[1].span)
    if last is printed or printed.value == 0 or not last.value:
        return printed, follows
    bounds = {n: Interval.of(f.quantity.base) for n, f in filled.figures.items()}
    doubled = bounds | {name: bounds[name].scaled(2)}
    wanted, w = used(filled.form.text), filled.w
    one, two = (interval(filled.form.text, {n: b[n] for n in wanted}, w) for b in (bounds, doubled))
    if not one or not two or not one.low or two.low / one.low not in (2, Fraction(1, 2)):
        return printed, follows
    factor = printed.quantity.base / one.low
    factor = factor if two.low > one.low else 1 / factor
    return last, Quantity(last.value * factor, last.unit)


def follow(filled: Filled, printed: Figure) -> Quantity:
    """The middle of what follows, in the unit of the printed figure."""
    bounds = {n: Interval.of(f.quantity.base) for n, f in filled.figures.items()}
    middle = interval(filled.form.text, {n: bounds[n] for n in used(filled.form.text)}, filled.w)
    base = middle.middle if middle and not filled.binary else filled.expected.middle
    return Quantity(base / printed.unit.factor, printed.unit)


def written(filled: Filled) -> str:
    """The form with the figures as they are printed in place of its names."""
    shown = {n: f.text.strip("=≈ ") for n, f in filled.figures.items()}
    shown |= {"one_token": "1", "one_bit": "1 bit"}
    if "w" in names(tree(filled.form.text)):
        shown["w"] = f"{float(filled.w):g} byte/param"
    signs = {"*": "×", "-": "−"}
    text = re.sub(r"[*-]", lambda m: signs[m[0]], filled.form.text)
    return re.sub(r"[a-z_0-9]+", lambda m: shown.get(m[0], m[0]), text)
