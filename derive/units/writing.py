"""Writing of numbers and quantities: exact values plain, rounded values with ≈."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from derive.units.quantity import Quantity, Unit, unit

FIGURES = 4
EXACT_DIGITS = 6  # a terminating decimal of at most this many digits is shown in full
LONGEST_INTEGER = 10**7  # integers below it keep the contract unit and all their digits
SCALED = ("byte", "FLOP", "s", "J", "W", "B")


def grouped(digits: str) -> str:
    """Thousands separators in a plain decimal string."""
    sign = "-" if digits.startswith("-") else ""
    whole, dot, decimals = digits.removeprefix("-").partition(".")
    return f"{sign}{int(whole):,}{dot}{decimals}"


def terminating(value: Fraction) -> str | None:
    """The finite decimal expansion of a value, or None."""
    rest, places = value.denominator, 0
    for prime in (2, 5):
        count = 0
        while rest % prime == 0:
            rest //= prime
            count += 1
        places = max(places, count)
    if rest != 1 or places > 40:
        return None
    scaled = abs(value.numerator) * 10**places // value.denominator
    digits = str(scaled).rjust(places + 1, "0")
    text = digits[:-places] + "." + digits[-places:] if places else digits
    return ("-" if value < 0 else "") + text


def significant(value: Fraction, figures: int = FIGURES) -> str:
    """A value rounded half to even at `figures` significant figures, never in e-notation."""
    if value == 0:
        return "0"
    size = abs(value)
    exponent = len(str(size.numerator)) - len(str(size.denominator))
    if size < Fraction(10) ** exponent:
        exponent -= 1
    elif size >= Fraction(10) ** (exponent + 1):
        exponent += 1
    places = figures - 1 - exponent
    scaled = round(size * Fraction(10) ** places)
    if len(str(scaled)) > figures:  # 9999.6 becomes 10000: one place less
        places -= 1
        scaled = round(size * Fraction(10) ** places)
    text = str(scaled * 10**-places) if places <= 0 else _point(str(scaled), places)
    return ("-" if value < 0 else "") + text


def _point(digits: str, places: int) -> str:
    digits = digits.rjust(places + 1, "0")
    return f"{digits[:-places]}.{digits[-places:]}"


@dataclass(frozen=True)
class Shown:
    """A number as displayed: its digits, its unit, and whether nothing was rounded."""

    number: str
    unit: str
    exact: bool

    @property
    def text(self) -> str:
        """`≈ 295.4 FLOP/byte` or `140 GB`."""
        body = f"{self.number} {self.unit}".rstrip()
        return body if self.exact else f"≈ {body}"

    @property
    def sign(self) -> str:
        """The relation that introduces it."""
        return "=" if self.exact else "≈"


def digits(value: Fraction, figures: int = FIGURES) -> tuple[str, bool]:
    """Digits of a pure number and whether they are exact."""
    full = terminating(value)
    if full is not None:
        count = len(full.replace(".", "").replace("-", "").lstrip("0").rstrip())
        whole = value.denominator == 1
        if (whole and count <= 15) or count <= EXACT_DIGITS:
            return grouped(full), True
    text = significant(value, figures)
    return grouped(text), Fraction(text) == value


def scaled_unit(value: Fraction, in_unit: Unit) -> Unit:
    """The unit with the prefix that leaves one to three digits before the point."""
    if not in_unit.terms or in_unit.terms[0][1] != 1 or in_unit.terms[0][0] not in SCALED:
        return in_unit
    symbol, rest = in_unit.terms[0][0], in_unit.terms[1:]
    if symbol == "byte":
        symbol = "B"
    size = abs(value)
    if symbol == "s":
        steps = (("s", 0), ("ms", -3), ("µs", -6), ("ns", -9))
        best = next((s for s, p in steps if size >= Fraction(10) ** p), "ns")
        return Unit(((best, 1), *rest))
    if size < 1000 and symbol == "B":
        return in_unit
    prefixes = (("E", 18), ("P", 15), ("T", 12), ("G", 9), ("M", 6), ("k", 3))
    best = next((p for p, power in prefixes if size >= 10**power), "")
    return Unit(((best + symbol, 1), *rest))


# Dimensions that have a customary display unit, by contract unit.
CUSTOM = {
    "USD/token": "USD/Mtoken",
    "FLOP/s/device": "TFLOP/s/device",
    "J/token": "J/token",
    "USD/hour/device": "USD/hour/device",
    "FLOP/byte": "FLOP/byte",
    "FLOP/param/token": "FLOP/param/token",
    "byte/param": "byte/param",
    "byte/element": "byte/element",
    "FLOP*request/element/token": "FLOP*request/element/token",
}


def show(quantity: Quantity, figures: int = FIGURES, fixed: Unit | None = None) -> Shown:
    """A quantity given in its contract unit, as reports print it."""
    contract, value = quantity.unit, quantity.value
    if fixed is not None:
        target = fixed
    elif contract.text in CUSTOM:
        target = unit(CUSTOM[contract.text])
    elif value.denominator == 1 and 1 <= abs(value) < LONGEST_INTEGER and contract.text != "s":
        target = contract
    else:
        target = scaled_unit(value, contract)
    number, exact = digits(quantity.to(target).value, figures)
    return Shown(number, target.text, exact)


def gib(quantity: Quantity, figures: int = FIGURES) -> Shown:
    """A capacity in GiB, to stand beside its GB."""
    rest = quantity.unit.terms[1:]
    return show(quantity, figures, Unit((("GiB", 1), *rest)))
