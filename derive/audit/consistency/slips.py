"""The usual ways in which a number goes wrong, each by its factor."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from derive.audit.interval import Interval
from derive.text import Text
from derive.units import Dimension

NEAR = Fraction(3, 100)  # how far a factor may be off and still be named as the likely cause


@dataclass(frozen=True)
class Slip:
    """A factor, the cause that it points to, and the kind of slip."""

    factor: Fraction
    kind: str  # bits, binary, time, prefix, mac
    cause: Text


BITS = Slip(
    Fraction(8), "bits", Text("a factor of 8: bits taken for bytes", "相差 8 倍：把比特当成了字节")
)
BINARY = [
    Slip(Fraction(1024**n, 1000**n), "binary",
         Text(f"a factor of {1.024**n:.3f}: {small} against {large}", f"相差 {1.024**n:.3f} 倍：{small} 与 {large} 之别"))
    for n, small, large in ((3, "GB", "GiB"), (2, "MB", "MiB"), (1, "kB", "KiB"), (4, "TB", "TiB"))
]  # fmt: skip
TIMES = [
    Slip(Fraction(1000), "time", Text("a factor of 1,000: ms against s", "相差 1000 倍：毫秒与秒之别")),
    Slip(Fraction(60), "time", Text("a factor of 60: minutes against seconds", "相差 60 倍：分与秒之别")),
    Slip(Fraction(3600), "time", Text("a factor of 3,600: hours against seconds", "相差 3600 倍：小时与秒之别")),
]  # fmt: skip
MAC = Slip(Fraction(2), "mac", Text("a factor of 2: one multiply-accumulate is two operations", "相差 2 倍：一次乘加计两次运算"))  # fmt: skip
DOUBLE = Slip(Fraction(2), "double", Text("a factor of 2", "相差 2 倍"))
PREFIXES = [
    Slip(Fraction(1000), "prefix", Text("a factor of 1,000: the prefix slipped (k, M, G, T)", "相差 1000 倍：词头错位（k、M、G、T）")),
    Slip(Fraction(10), "prefix", Text("a factor of 10: a digit or a power of ten slipped", "相差 10 倍：错了一位")),
    Slip(Fraction(10**6), "prefix", Text("a factor of 1,000,000: two prefixes slipped", "相差 100 万倍：词头错了两级")),
    Slip(Fraction(100), "prefix", Text("a factor of 100: a percent sign or two digits slipped", "相差 100 倍：百分号或两位数字错位")),
]  # fmt: skip
HUNDRED_MILLION = Slip(Fraction(10), "prefix", Text(
    "a factor of 10: 亿 is 10^8, a billion is 10^9", "相差 10 倍：亿是 10^8，billion 是 10^9（十亿）"))  # fmt: skip


def slips_of(dimension: Dimension, *, chinese: bool = False) -> list[Slip]:
    """Those that a quantity of this dimension is exposed to, likelier ones first."""
    bases = dict(dimension.powers)
    listed: list[Slip] = []
    if "information" in bases:
        listed += [BITS, *BINARY]
    if "time" in bases and "information" not in bases and "operation" not in bases:
        listed += TIMES
    if "operation" in bases:
        listed.append(MAC)
    if chinese:
        listed.append(HUNDRED_MILLION)
    return [*listed, *PREFIXES, DOUBLE]


def slip(ratio: Interval, dimension: Dimension, *, chinese: bool = False) -> Slip | None:
    """The slip that a ratio of the two values points to; None where no usual one is near."""
    found = [
        (abs(ratio.middle / factor - 1), each)
        for each in slips_of(dimension, chinese=chinese)
        for factor in (each.factor, 1 / each.factor)
        if ratio.meets(Interval.of(factor, factor * near(each.factor)))
    ]
    return min(found, key=lambda pair: pair[0], default=(Fraction(0), None))[1]


def near(factor: Fraction) -> Fraction:
    """How far a ratio may lie from a factor: less where the factor itself is close to one."""
    return NEAR if factor > Fraction(11, 10) else (factor - 1) / 10


def positive(interval: Interval) -> Interval:
    """An interval that can divide: nothing of it at or below zero."""
    high = max(interval.high, Fraction(1, 10**30))
    return Interval(max(interval.low, high / 10**6), high)
