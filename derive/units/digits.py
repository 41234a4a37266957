"""Digits of exact numbers: in full, or rounded half to even at significant figures."""

from __future__ import annotations

from fractions import Fraction

FIGURES = 4
EXACT_DIGITS = 6  # a terminating decimal of at most this many digits is shown in full
LONGEST_WHOLE = 15  # digits of a whole number that is shown in full
LONGEST_DECIMAL = 30  # characters of a decimal before a fraction is shorter to read
MOST_PLACES = 40


def grouped(digits: str) -> str:
    """Thousands separators in a plain decimal string."""
    sign = "-" if digits.startswith("-") else ""
    whole, dot, decimals = digits.removeprefix("-").partition(".")
    return f"{sign}{int(whole):,}{dot}{decimals}"


def terminating(value: Fraction) -> str | None:
    """The finite decimal expansion of a value, None where it does not end or is very long."""
    if value.denominator.bit_length() > 200 or value.numerator.bit_length() > 2000:
        return None
    rest, places = value.denominator, 0
    for prime in (2, 5):
        count = 0
        while rest % prime == 0:
            rest //= prime
            count += 1
        places = max(places, count)
    if rest != 1 or places > MOST_PLACES:
        return None
    scaled = abs(value.numerator) * 10**places // value.denominator
    return ("-" if value < 0 else "") + pointed(str(scaled), places)


def pointed(digits: str, places: int) -> str:
    """A string of digits with a point before the last `places` of them."""
    if places == 0:
        return digits
    digits = digits.rjust(places + 1, "0")
    return f"{digits[:-places]}.{digits[-places:]}"


def exact(value: Fraction) -> str:
    """An exact number: a grouped decimal where it ends soon, else a fraction in lowest terms."""
    decimal = terminating(value)
    if decimal is not None and len(decimal) <= LONGEST_DECIMAL:
        return grouped(decimal)
    return f"{value.numerator:,}/{value.denominator:,}"


def magnitude(size: Fraction) -> int:
    """The power of ten of the leading digit of a positive value."""
    bits = size.numerator.bit_length() - size.denominator.bit_length()
    power = bits * 30103 // 100000
    while size < Fraction(10) ** power:
        power -= 1
    while size >= Fraction(10) ** (power + 1):
        power += 1
    return power


def significant(value: Fraction, figures: int = FIGURES) -> str:
    """A value at `figures` significant figures, trailing zeros kept, never in e-notation."""
    if value == 0:
        return "0"
    size = abs(value)
    places = figures - 1 - magnitude(size)
    scaled = round(size * Fraction(10) ** places)
    if scaled == 10**figures:  # 9999.6 becomes 10000: one place less
        scaled, places = scaled // 10, places - 1
    text = pointed(str(scaled), places) if places > 0 else str(scaled) + "0" * -places
    return ("-" if value < 0 else "") + text


def digits(value: Fraction, figures: int = FIGURES, *, whole: bool = False) -> tuple[str, bool]:
    """Digits of a number and whether they are exact; `whole` keeps every digit before the point."""
    full = terminating(value)
    if full is not None:
        plain = full.lstrip("-")
        short = len(plain.replace(".", "").lstrip("0")) <= EXACT_DIGITS
        if short or ("." not in plain and len(plain) <= LONGEST_WHOLE):
            return grouped(full), True
    long_whole = whole and abs(value) >= 10**figures
    text = str(round(value)) if long_whole else significant(value, figures)
    return grouped(text), Fraction(text) == value
