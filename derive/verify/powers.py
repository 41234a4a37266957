"""Powers of any length, in bounded time."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from derive.text import tr
from derive.verify.texts import Broken, NoValue

LONGEST = 200_000  # bits of a value; those of real ledgers have some hundreds, with powers more
LARGEST_POWER = 40_000  # bits of a power that is taken exactly; of longer ones so many are kept:
KEPT = 16_384
REFUSED = 2**23  # bits of a power above 1 that the engine gives no value for

# counts stay whole where formulas take powers of them, small so that every number stays exact; one
# new token a request, for which those formulas are declared
WHOLE = {
    "E": (30, 90), "k_exp": (2, 9), "E2": (30, 90), "k_exp2": (2, 9), "b": (11, 50), "n": (1, 2),
    "T_in": (101, 499), "T_chunk": (51, 299), "k_draft": (1, 9),
}  # fmt: skip


@lru_cache(maxsize=4096)  # a search asks for the same ones at every level of MFU and MBU
def power(base: Fraction, exponent: Fraction) -> Fraction:
    """A whole power: exact where it is short, else to so many bits that no shown digit differs."""
    size = max(base.numerator.bit_length(), base.denominator.bit_length())
    if exponent.denominator != 1 or not 0 <= exponent < 2**1000 or base < 0:
        raise Broken(tr("no whole power of a positive number"))
    if base in (0, 1):
        return base if exponent else Fraction(1)
    if base > 1 and size * exponent > REFUSED:
        raise NoValue(tr("a power is too long a number"))
    if size * exponent <= LARGEST_POWER:
        return base ** int(exponent)
    least, made, square, left = Fraction(1, 2**KEPT), Fraction(1), base, int(exponent)
    while left:
        if left % 2:
            made = max(shortened(made * square), least)
        square, left = max(shortened(square * square), least), left // 2
        if max(made.numerator.bit_length(), square.numerator.bit_length()) > LONGEST:
            raise Broken(tr("a power is too long a number"))
    return made


def shortened(value: Fraction) -> Fraction:
    """A number to so many places in the binary system."""
    return Fraction((value.numerator << KEPT) // value.denominator, 1 << KEPT)
