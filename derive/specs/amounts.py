"""Reading one written figure against its field: unit, dimension, sign, range, whole numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.errors import DeriveError, printable
from derive.specs.measure import dimension
from derive.specs.measure import measure as measured
from derive.text import tr
from derive.units import Dimension, Quantity, Unit, read, unit

if TYPE_CHECKING:
    from fractions import Fraction

    from derive.specs.document import Scalar
    from derive.specs.faults import Faults
    from derive.specs.fields import Field
    from derive.text import Text

# what is likely meant when a unit lacks a part, in the order of likelihood
COMPLETIONS = ("/device", "/request", "/token", "*request", "/s", "/hour", "/param", "/element")


def read_amount(field: Field, node: Scalar, faults: Faults) -> Quantity | None:
    """The quantity a field's text stands for, or None with the fault noted."""
    try:
        reading = read(node.text, node.place)
    except DeriveError as error:
        faults.adopt(error, node.place, node.text)
        return None
    contract = unit(field.unit)
    if reading.unit is None:
        if field.kind == "quantity":
            no_unit(field, node, faults)
            return None
        quantity = Quantity(reading.value, contract)
    else:
        written = completed(field, reading.unit)
        if dimension(written) != dimension(contract):
            wrong_dimension(field, node, reading.unit, faults)
            return None
        quantity = Quantity(reading.value, written)
    return quantity if sensible(field, node, quantity, faults) else None


def completed(field: Field, written: Unit) -> Unit:
    """The written unit with what the key adds, unless the writer said it."""
    if not field.implied or dimension(written) == dimension(unit(field.unit)):
        return written
    return Unit((*written.terms, *unit(field.implied).terms))


def no_unit(field: Field, node: Scalar, faults: Faults) -> None:
    """Note a bare number where a unit is needed."""
    number = printable(node.text, 40)
    first, *others = [f"{number} {u}" for u in field.likely or (expected_unit(field).text,)]
    hint = tr("write {first}", first=first)
    if others:
        hint = tr("write {first} or {second}", first=first, second=others[0])
    what = tr("{key}: {number} has no unit", key=node.place.key or field.key, number=number)
    faults.add("S301", what, node.place, hint, mark=node.text)


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
    is_now, should = dimension(found), dimension(expected)
    key = node.place.key or field.key
    what = tr(
        "{key}: found {found}, expected {expected}",
        key=key, found=named(is_now), expected=named(should),
    )  # fmt: skip
    if named(is_now) == named(should):  # a rate per device and a rate share their everyday name
        what = tr(
            "{key}: found {found}, expected {expected}",
            key=key, found=is_now.text, expected=should.text,
        )  # fmt: skip
    rows = (
        (tr("found"), is_now.text, printable(node.text, 40)),
        (tr("expected"), should.text, field.likely[0] if field.likely else expected.text),
    )
    hint = None
    for more in COMPLETIONS:
        if dimension(found * unit("1" + more if more[0] == "/" else more[1:])) == should:
            hint = tr("write {first}", first=printable(node.text, 40) + more)
            break
    faults.add("S302", what, node.place, hint, rows, mark=node.text)


def sensible(field: Field, node: Scalar, quantity: Quantity, faults: Faults) -> bool:
    """Check sign, range and wholeness of a figure that has the right dimension."""
    key, text, place = node.place.key or field.key, printable(node.text, 60), node.place
    value = in_contract(field, quantity)
    if value < 0:
        faults.add(
            "S304", tr("{key}: {text} is negative", key=key, text=text), place, mark=node.text
        )
    elif value == 0 and not field.zero:
        faults.add("S304", tr("{key}: zero has no meaning here", key=key), place, mark=node.text)
    elif field.most == 1 and value > 1:
        percent = 2 <= value <= 100 and not text.endswith("%")
        hint = tr("write {first}", first=f"{text} %") if percent else None
        what = tr("{key}: {text} is not a share above 0 up to 1", key=key, text=text)
        faults.add("S305", what, place, hint, mark=node.text)
    elif field.most and value > field.most:
        what = tr("{key}: {text} is beyond anything sensible", key=key, text=text)
        shown = unit(field.likely[0]) if field.likely else expected_unit(field)
        most = field.most * measured(expected_unit(field))[0] / measured(shown)[0]
        rows = ((tr("largest"), f"{int(most):,} {shown.text}".strip()),)
        faults.add("S305", what, place, rows=rows, mark=node.text)
    elif field.whole and value.denominator != 1:
        what = tr("{key}: {text} is not a whole number", key=key, text=text)
        faults.add("S303", what, place, mark=node.text)
    else:
        return True
    return False


def in_contract(field: Field, quantity: Quantity) -> Fraction:
    """The value in the field's contract unit."""
    return quantity.value * measured(quantity.unit)[0] / measured(unit(field.unit))[0]
