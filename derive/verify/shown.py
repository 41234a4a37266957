"""Displayed numbers against exact values: read back, and held against their last digit."""

from __future__ import annotations

from fractions import Fraction

from derive.errors import DeriveError
from derive.text import Text, same
from derive.units import Quantity, Reading, read, show, unit

NOTHING = "–"
COUNTED = {"request": "个请求", "device": "个设备", "token": "个 token"}
# what a datasheet, a scenario or a display may leave unsaid of a unit
UNSAID = tuple(unit(u).dimension for u in ("", "1/device", "request", "1/request"))


def half_unit(digits: str) -> Fraction:
    """Half a unit of the last printed digit; zeros at the end of a whole number may be rounded."""
    digits = digits.replace(",", "").lstrip("-−")
    whole, point, decimals = digits.partition(".")
    if not (whole + decimals).isdigit():  # 1e9 or 2/3: not how a rounded number is printed
        return Fraction(0)
    if point:
        return Fraction(1, 2 * 10 ** len(decimals))
    zeros = len(digits) - len(digits.rstrip("0"))
    return Fraction(10**zeros, 2) if int(digits) else Fraction(0)


def reading(text: str) -> Reading | None:
    """A displayed value read back; None where nobody could read it."""
    try:
        return read(text)
    except DeriveError:
        return None


def measures(found: Reading, exact: Quantity) -> bool:
    """Whether a reading has the dimension of a quantity, or leaves out what is customary."""
    if found.unit is None:
        return True
    missing = exact.unit.dimension / found.unit.dimension
    return missing in UNSAID


def agrees(text: str, exact: Quantity, *, rounded: bool | None = None) -> bool:
    """Whether a displayed value is the exact one, or that one rounded where it says ≈.

    `rounded` says it for texts that carry no sign, such as the ends of a range.
    """
    marked = text.startswith("≈ ")
    body = text.removeprefix("≈ ")
    found = reading(body)
    if found is None or not measures(found, exact):
        return False
    if found.unit is None and exact.unit.terms and exact.unit.factor != 1:
        return False
    factor = found.unit.factor if found.unit else Fraction(1)
    off = abs(found.value - exact.base / factor)
    digits = body.split(" ")[0]
    slack = half_unit(digits) if "/" not in digits else Fraction(0)
    if rounded is None:
        return 0 < off <= slack if marked else off == 0
    return not marked and off <= slack


def written(quantity: Quantity) -> str:
    """A value as this program prints it; times per token are read as per request."""
    return show(quantity).text.replace("s*request/token", "s/token")


def said(quantity: Quantity) -> Text:
    """A value within a sentence: what is counted is named as each language does."""
    found = show(quantity)
    if found.unit not in COUNTED:
        return same(written(quantity))
    number = found.text.removesuffix(found.unit).rstrip()
    many = found.unit if number == "1" else f"{found.unit}s"
    return Text(f"{number} {many}", f"{number} {COUNTED[found.unit]}")


def same_number(number: object, exact: Fraction) -> bool:
    """A JSON number against the exact value: a count in full, else the nearest float."""
    if isinstance(number, bool) or not isinstance(number, int | float):
        return False
    if isinstance(number, int):
        return exact == number
    try:
        return number == float(exact)
    except OverflowError:
        return False
