"""Numbers in tables: split from their units, aligned on the decimal point."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from derive.text import Text

# What is counted, as each language names it behind a number; formulas keep the unit itself.
COUNTED = {
    "request": (Text("request", "个请求"), Text("requests", "个请求")),
    "device": (Text("device", "个设备"), Text("devices", "个设备")),
    "token": (Text("token", "个 token"), Text("tokens", "个 token")),
}
FIGURE_SPACE, POINT_SPACE = "\u2007", "\u2008"  # as wide as a digit, as wide as a point
VALUE = re.compile(r"(?P<sign>≈ )?(?P<number>[−-]?[\d,]+(?:\.\d+)?)(?: (?P<unit>\S.*))?\Z")
REQUEST = re.compile(r"s[*·⋅]request/token")
PLAIN = re.compile(r"-?\d+(?:\.\d+)?\Z")
BARE = re.compile(r"[−-]?\d[\d,]*(?:\.\d+)?\Z")


@dataclass(frozen=True)
class Shown:
    """A displayed value in parts: `≈ ` or nothing, digits, unit."""

    sign: str
    number: str
    unit: str

    @property
    def text(self) -> str:
        """The parts as one."""
        return f"{self.sign}{self.number} {self.unit}".strip()


def counted(shown: Shown) -> Text | None:
    """The words for the unit of a count, or None where the unit is no count."""
    if shown.unit not in COUNTED:
        return None
    one, many = COUNTED[shown.unit]
    return one if shown.number == "1" else many


def split(text: str) -> Shown:
    """`≈ 18.30 ms/token` in parts; a text that is no value keeps its words as the number."""
    found = VALUE.match(text)
    if not found:
        return Shown("", text, "")
    return Shown(found["sign"] or "", found["number"].replace("-", "−"), found["unit"] or "")


def value(number: str) -> Fraction | None:
    """The number that a displayed text shows, or None."""
    plain = number.replace(",", "").replace("−", "-")
    return Fraction(plain) if PLAIN.match(plain) else None


def per_request(text: str) -> str:
    """A finished value as its head has it: a time per token is that of one request."""
    return REQUEST.sub("s/token", text)


def main_text(record: Mapping[str, Any]) -> str:
    """The typical value of a result as the ledger displays it, without its range."""
    return str(record["display"]["en"]).partition(" (")[0]


def written(exact: str, contract: str, like: str) -> Shown:
    """An exact value of a contract unit, in the display unit of another value of the same id."""
    from derive.units import Quantity, show, unit

    fixed = (
        like.replace("s/token", "s*request/token")
        if "request" in contract and "s*" in contract
        else like
    )
    given = unit(contract)
    shown = show(Quantity(Fraction(exact), given), 4, unit(fixed) if fixed else None)
    return Shown("" if shown.exact else "≈ ", shown.number.replace("-", "−"), like)


def elasticity(exact: str) -> str:
    """A pure number with three decimals and its sign."""
    value = round(Fraction(exact), 3)
    text = f"{abs(value.numerator * 1000 // value.denominator):04d}"
    return ("−" if value < 0 else "+" if value > 0 else "") + f"{text[:-3]}.{text[-3:]}"


def percent(exact: str) -> str:
    """A share in percent with one decimal and its sign."""
    value = Fraction(exact) * 1000
    whole = round(abs(value))
    sign = "−" if value < 0 else "+"
    return f"{sign}{whole // 10:,}.{whole % 10} %"


def grouped(cells: Iterable[str]) -> list[str]:
    """A column with thousands grouped and a minus; one of whole numbers only has no decimals."""
    column = list(cells)
    values = [Fraction(c) if PLAIN.match(c) else None for c in column]
    parts = any(v is not None and v.denominator != 1 for v in values)
    return [
        c if v is None else (_grouped(c) if parts else f"{v.numerator:,}").replace("-", "−")
        for c, v in zip(column, values, strict=True)
    ]


def _grouped(number: str) -> str:
    whole, point, rest = number.partition(".")
    return f"{int(whole):,}{point}{rest}" if len(whole) > 3 else number


def aligned(cells: Iterable[str]) -> list[str]:
    """Cells of one right-aligned column, padded so that their decimal points stand in one line."""
    column = list(cells)
    places = [
        len(c.partition(".")[2]) if BARE.match(c.removeprefix("≈ ").lstrip("+")) else None
        for c in column
    ]
    most = max((p for p in places if p is not None), default=0)
    return [
        cell if place is None or place == most
        else cell + (POINT_SPACE if not place else "") + FIGURE_SPACE * (most - place)
        for cell, place in zip(column, places, strict=True)
    ]  # fmt: skip
