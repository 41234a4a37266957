"""Writing of quantities: exact values plain, rounded values with ≈, at four significant figures.

What is printed depends on the quantity alone: 2,500 ms and 2.5 s print alike. Capacities print in
decimal prefixes, with GiB beside them (`gib`). Counts keep every digit before the point.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache

from derive.units.digits import FIGURES, digits, grouped, significant, terminating
from derive.units.names import BINARY, COUNTING, PREFIX_POWER, symbols
from derive.units.quantity import Dimension, Quantity, Unit, unit

LARGEST_PLAIN = 10**7  # whole numbers below it keep the plain unit and all their digits
SCALED = ("byte", "B", "bit", "FLOP", "OP", "s", "J", "W")  # what takes the prefix that fits
LARGE, SMALL = ("", "k", "M", "G", "T", "P", "E"), ("ns", "µs", "ms", "s")

# Dimensions with a customary display unit, whatever the size.
CUSTOMARY = (
    "FLOP/s/device", "USD/token", "USD/hour", "USD/hour/device", "J/token", "FLOP/byte",
    "CNY/token", "CNY/hour", "CNY/hour/device", "EUR/token", "EUR/hour", "EUR/hour/device",
    "FLOP/param/token", "FLOP*request/element/token", "byte/param", "byte/element",
)  # fmt: skip
INSTEAD = {"FLOP/s/device": "TFLOP/s/device", "USD/token": "USD/Mtoken",
           "CNY/token": "CNY/Mtoken", "EUR/token": "EUR/Mtoken"}  # fmt: skip

__all__ = [
    "FIGURES", "Shown", "digits", "gib", "grouped", "show", "significant", "terminating",
]  # fmt: skip


@dataclass(frozen=True)
class Shown:
    """A number as displayed: its digits, its unit, and whether nothing was rounded."""

    number: str
    unit: str
    exact: bool

    @property
    def text(self) -> str:
        """`≈ 295.4 FLOP/byte` or `140 GB`."""
        return self.body if self.exact else f"≈ {self.body}"

    @property
    def body(self) -> str:
        """`295.4 FLOP/byte`: for a sentence that says "at most" or "about" itself."""
        return f"{self.number} {self.unit}".rstrip()

    @property
    def equals(self) -> str:
        """`≈ 295.4 FLOP/byte` or `= 140 GB`: behind what it is the value of."""
        return f"{self.sign} {self.body}"

    @property
    def sign(self) -> str:
        """The relation that introduces it."""
        return "=" if self.exact else "≈"

    @property
    def quantity(self) -> Quantity:
        """What the printed digits and unit say."""
        return Quantity(Fraction(self.number.replace(",", "")), unit(self.unit))


@cache
def customary() -> dict[Dimension, Unit]:
    """Dimension to display unit."""
    return {unit(text).dimension: unit(INSTEAD.get(text, text)) for text in CUSTOMARY}


@lru_cache(maxsize=1024)
def interned(terms: tuple[tuple[str, int], ...]) -> Unit:
    """One unit for the same terms, so that its factor and dimension are worked out once."""
    return Unit(terms)


@lru_cache(maxsize=1024)
def plain(given: Unit) -> Unit:
    """The unit without decimal prefixes, bytes under one name; a binary prefix stays."""

    def bare(symbol: str) -> str:
        _, stem, prefix = symbols()[symbol]
        return symbol if prefix in BINARY else "byte" if stem == "B" else stem

    return Unit() * Unit(tuple((bare(symbol), power) for symbol, power in given.terms))


def scaled(value: Fraction, in_unit: Unit) -> Unit:
    """A plain unit with the prefix that leaves one to three digits before the point."""
    takes_prefix = in_unit.terms and in_unit.terms[0][1] == 1 and in_unit.terms[0][0] in SCALED
    if value == 0 or not takes_prefix:
        return in_unit
    symbol, rest, size = in_unit.terms[0][0], in_unit.terms[1:], abs(value)
    if symbol == "s":
        fitting = [s for s in SMALL if size >= Fraction(10) ** PREFIX_POWER[s[:-1]]]
        return interned((((fitting or SMALL)[-1 if fitting else 0], 1), *rest))
    prefix = [p for p in LARGE if not p or size >= 10 ** PREFIX_POWER[p]][-1]
    stem = "B" if symbol == "byte" and prefix else symbol
    return interned(((prefix + stem, 1), *rest))


def display_unit(quantity: Quantity) -> Unit:
    """The unit in which a quantity is printed."""
    in_unit = plain(quantity.unit)
    if quantity.dimension in customary():
        usual = customary()[quantity.dimension]
        first = in_unit.terms[0] if in_unit.terms else ("", 0)
        if first[0] != "OP":
            return usual
        # TOPS stay TOP/s, on the scale of the TFLOP/s beside them
        name = usual.terms[0][0].replace("FLOP", "OP")
        return interned(((name, first[1]), *usual.terms[1:]))
    value = quantity.to(in_unit).value
    if value.denominator == 1 and abs(value) < LARGEST_PLAIN and in_unit.terms[:1] != (("s", 1),):
        return in_unit
    return scaled(value, in_unit)


def counts(in_unit: Unit) -> bool:
    """Whether a unit counts things one by one: token, request, token/request."""
    terms = in_unit.terms
    return bool(terms) and terms[0][1] > 0 and all(symbol in COUNTING for symbol, _ in terms)


@lru_cache(maxsize=4096)
def show(quantity: Quantity, figures: int = FIGURES, fixed: Unit | None = None) -> Shown:
    """A quantity as reports print it, in a unit that suits its size unless one is `fixed`."""
    target = fixed or display_unit(quantity)
    number, exact = digits(quantity.to(target).value, figures, whole=counts(target))
    shown = Shown(number, target.text, exact)
    if fixed is None and not exact and quantity.dimension not in customary():
        better = scaled(shown.quantity.to(plain(target)).value, plain(target))
        if scaled(quantity.to(plain(target)).value, plain(target)) == target != better:
            return show(quantity, figures, better)  # 999.96 GB rounds to 1.000 TB
    return shown


def gib(quantity: Quantity, figures: int = FIGURES) -> Shown:
    """A capacity in GiB, to stand beside its GB; ValueError for anything else."""
    return show(quantity, figures, Unit((("GiB", 1), *quantity.unit.terms[1:])))
