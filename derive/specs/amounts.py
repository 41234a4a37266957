"""Reading one written figure against its field: unit, dimension, sign, range, whole numbers."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from derive.errors import DeriveError, printable
from derive.text import tr
from derive.units import Dimension, Quantity, Unit, read, unit

if TYPE_CHECKING:
    from derive.specs.faults import Faults
    from derive.specs.fields import Field
    from derive.specs.nodes import Scalar
    from derive.text import Text

TENS = 12  # powers of ten that are looked through for an example
QUANTILES = "{p50: 512, p90: 4096, p99: 16384}"
# what is likely meant when a unit lacks a part, in the order of likelihood
LEADING = re.compile(r"[0-9]{1,12}(\.[0-9]{1,12})?(?![0-9.,])")
COMPLETIONS = ("/device", "/request", "/token", "*request", "/s", "/hour", "/param", "/element")


def read_amount(field: Field, node: Scalar, faults: Faults) -> Quantity | None:
    """The quantity a field's text stands for, or None with the fault noted."""
    try:
        reading = read(node.text, node.place)
    except DeriveError as error:
        unreadable(field, node, error, faults)
        return None
    contract = unit(field.unit)
    if reading.unit is None:
        if field.kind == "quantity":
            no_unit(field, node, faults)
            return None
        quantity = Quantity(reading.value, contract)
    else:
        written = completed(field, reading.unit)
        if written.dimension != contract.dimension:
            wrong_dimension(field, node, reading.unit, faults)
            return None
        quantity = Quantity(reading.value, written)
    return quantity if sensible(field, node, quantity, faults) else None


def unreadable(field: Field, node: Scalar, error: DeriveError, faults: Faults) -> None:
    """Note a text that is no quantity: no number at all, one beyond all bounds, an odd unit."""
    key, text = node.place.key or field.key, printable(node.text, 60)
    problem = error.problems[0]
    if any(c.isdigit() for c in text) and problem.code != "U201":  # it starts as a number does
        if problem.code == "U203":
            what = tr("{key}: {text} is beyond anything sensible", key=key, text=text)
            faults.add("S305", what, node.place, mark=node.text)
        else:
            meant = of_two(field, node) if problem.code == "U207" else None
            problem = replace(problem, hint=meant or problem.hint or quantiles_told(field, node))
            faults.adopt(DeriveError(problem), node.place, node.text)
        return
    what = tr("{key}: {text} is no number", key=key, text=text or "''")
    if field.kind == "quantity":
        such = example(field)
        what = tr("{key}: {text} is no quantity such as {such}", key=key, text=text, such=such)
    faults.add("S309", what, node.place, quantiles_told(field, node), mark=node.text)


def quantiles_told(field: Field, node: Scalar) -> Text | None:
    """How a length is written, where one is written as what looks like a mapping or a list."""
    if not field.quantiles or not (node.text.startswith(("{", "[", "p")) or "," in node.text):
        return None
    return tr(
        "give one length, such as 2048; quantiles stand in a scenario file: {key}: {example}",
        key=field.key, example=QUANTILES,
    )  # fmt: skip


def of_two(field: Field, node: Scalar) -> Text | None:
    """The reading that this key wants of a unit with two: 8B parameters, 100 Tflops of a peak."""
    number = LEADING.match(node.text)
    if number is None:
        return None
    for written in field.likely:
        meant = f"{number[0]} {written}"
        if within(field, Quantity(read(meant).value, full(field, written))):
            return tr("write {first}", first=meant)
    return None


def completed(field: Field, written: Unit) -> Unit:
    """The written unit with what the key adds, unless the writer said it."""
    if not field.implied or written.dimension == unit(field.unit).dimension:
        return written
    return Unit((*written.terms, *unit(field.implied).terms))


def likely_units(field: Field) -> tuple[str, ...]:
    """Units to suggest, the likeliest first; never empty."""
    return field.likely or (expected_unit(field).text,)


def no_unit(field: Field, node: Scalar, faults: Faults) -> None:
    """Note a bare number where a unit is needed, with the units that make it sensible."""
    number = printable(node.text, 40)
    value = read(node.text).value
    fitting = [u for u in likely_units(field) if takes(field, Quantity(value, full(field, u)))]
    such = tr("for example {example}", example=example(field))
    hint = tr("write {first}", first=f"{number} {fitting[0]}") if fitting else such
    if len(fitting) > 1:
        first, second = (f"{number} {u}" for u in fitting[:2])
        hint = tr("write {first} or {second}", first=first, second=second)
    what = tr("{key}: {number} has no unit", key=node.place.key or field.key, number=number)
    faults.add("S301", what, node.place, hint, mark=node.text)


def example(field: Field) -> str:
    """A value that the field takes: the least power of ten in the unit that people write."""
    usual = likely_units(field)[0]
    tens = (10**power for power in range(TENS))
    taken = (n for n in tens if takes(field, Quantity(Fraction(n), full(field, usual))))
    return f"{next(taken, 1)} {usual}"


def takes(field: Field, quantity: Quantity) -> bool:
    """Whether a figure of the right dimension is one that the field takes."""
    return within(field, quantity) and (quantity.value > 0 or (field.zero and not quantity.value))


def full(field: Field, written: str) -> Unit:
    """A suggested unit with what the key adds."""
    return completed(field, unit(written))


def within(field: Field, quantity: Quantity) -> bool:
    """Whether a figure lies between the smallest and the largest sensible one."""
    value = in_contract(field, quantity)
    return field.least <= value and (not field.most or value <= field.most)


def named(of: Dimension) -> Text:
    """Everyday name of a dimension, or the dimension itself."""
    return of.everyday or of.text


def expected_unit(field: Field) -> Unit:
    """The contract unit as the file writes it: without what the key adds."""
    contract = unit(field.unit)
    return contract * unit(field.implied) ** -1 if field.implied else contract


def wrong_dimension(field: Field, node: Scalar, found: Unit, faults: Faults) -> None:
    """Note a unit of another dimension, both dimensions expanded and aligned."""
    expected = expected_unit(field)
    is_now, should = found.dimension, expected.dimension
    key, text = node.place.key or field.key, printable(node.text, 40)
    more = lacking(found, should)
    what = tr(
        "{key}: found {found}, expected {expected}",
        key=key, found=named(is_now), expected=named(should),
    )  # fmt: skip
    if named(is_now) == named(should):  # a rate per device and a rate share their everyday name
        what = tr(
            "{key}: found {found}, expected {expected}",
            key=key, found=is_now.text, expected=should.text,
        )  # fmt: skip
    if more:
        what = tr("{key}: {text} lacks {more}", key=key, text=text, more=more)
    rows = (
        (tr("found"), is_now.text, text),
        (tr("expected"), should.text, likely_units(field)[0]),
    )
    hint = tr("write {first}", first=text + more) if more else None
    faults.add("S302", what, node.place, hint, rows, mark=node.text)


def lacking(found: Unit, should: Dimension) -> str:
    """The one part that makes a unit the expected one; J/s is no way to write a power."""
    if dict(found.dimension.powers).get("energy"):
        return ""
    for more in COMPLETIONS:
        part = unit("1" + more if more[0] == "/" else more[1:])
        if (found * part).dimension == should:
            return more
    return ""


def sensible(field: Field, node: Scalar, quantity: Quantity, faults: Faults) -> bool:
    """Check sign, range and wholeness of a figure that has the right dimension."""
    key, text, place = node.place.key or field.key, printable(node.text, 60), node.place
    value = in_contract(field, quantity)
    if value < 0:
        what = tr("{key}: {text} is negative", key=key, text=text)
        faults.add("S304", what, place, mark=node.text)
    elif value == 0 and not field.zero:
        what = tr("{key}: must be above zero, found {text}", key=key, text=text)
        faults.add("S304", what, place, mark=node.text)
    elif field.most == 1 and value > 1:
        percent = 2 <= value <= 100 and not text.endswith("%")
        hint = tr("write {first}", first=f"{text} %") if percent else None
        what = (
            tr("{key}: must be from 0 to 1, found {text}", key=key, text=text)
            if field.zero
            else tr("{key}: must be above 0 and at most 1, found {text}", key=key, text=text)
        )
        faults.add("S305", what, place, hint, mark=node.text)
    elif field.whole and value.denominator != 1:
        what = tr("{key}: {text} is not a whole number", key=key, text=text)
        faults.add("S303", what, place, mark=node.text)
    elif not within(field, quantity):
        what = tr("{key}: {text} is beyond anything sensible", key=key, text=text)
        low = value < field.least
        bound = tr("smallest") if low else tr("largest")
        row = (bound, limit(field, field.least if low else field.most))
        faults.add("S305", what, place, rows=(row,), mark=node.text)
    else:
        return True
    return False


def limit(field: Field, value: int) -> str:
    """A bound of a field in the unit that people write."""
    shown = full(field, likely_units(field)[0])
    there = Fraction(value) * unit(field.unit).factor / shown.factor
    number = f"{int(there):,}" if there >= 1 else f"{float(there):g}"
    return f"{number} {likely_units(field)[0]}".strip()


def in_contract(field: Field, quantity: Quantity) -> Fraction:
    """The value in the field's contract unit."""
    return quantity.value * quantity.unit.factor / unit(field.unit).factor
