"""Two writings of one value: "1,050,673,152 bytes (7.8 GB)", "80 GB equal 80 GiB", "0.08 s = 80 ms"."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

from derive.audit.binary import binary, is_binary
from derive.audit.consistency.arithmetic import should_read
from derive.audit.consistency.between import writings
from derive.audit.consistency.slips import BINARY, Slip, positive, slip
from derive.audit.interval import Interval
from derive.audit.rule import rule
from derive.audit.types import Finding, Reading
from derive.text import Text, same, tr
from derive.units import Quantity, show

if TYPE_CHECKING:
    from derive.audit.library import Library
    from derive.audit.types import Claim, Figure
    from derive.units import Unit

DECIMAL_TEXT = Text("GB decimal", "GB 按十进制")
BINARY_TEXT = Text("GB read as GiB", "把 GB 读作 GiB")


@dataclass(frozen=True)
class Pair:
    """Two figures that are to be one value, and how they stand to each other."""

    one: Figure
    other: Figure
    verdict: str
    slip: Slip | None
    binary_only: bool = False


_last: tuple[Claim, tuple[Pair, ...]] | None = None


def pairs(claim: Claim) -> tuple[Pair, ...]:
    """Every pair of a claim; kept for the rules that ask for the same claim one after the other."""
    global _last
    if _last is None or _last[0] is not claim:
        found = writings(claim) if len(claim.figures) > 1 else ()
        _last = (claim, tuple(compared(claim, one, other) for one, other in found))
    return _last[1]


def exact(figure: Figure, partner: Figure) -> Interval:
    """What a figure stands for; the 1 of a definition ("1 GiB = 1,024 MiB") is exact, as is its whole partner."""
    defining = 1 in (figure.value, partner.value) and not (figure.about or partner.about)
    whole = "." not in figure.text and figure.unit != partner.unit
    if defining and whole and {"number"} & {figure.role, partner.role} == set():
        return Interval.of(figure.quantity.base)
    return figure.interval


def converted(interval: Interval, of: Unit) -> Interval | None:
    """An interval with its decimal bytes read as binary ones."""
    unit = binary(of)
    return interval.scaled(unit.factor / of.factor) if unit else None


def compared(claim: Claim, one: Figure, other: Figure) -> Pair:
    """The verdict on one pair."""
    a, b = exact(one, other), exact(other, one)
    if a.meets(b) or (other.bound == "<=" and b.high < a.low):  # what is moved of it, at most
        return Pair(one, other, "consistent", BINARY[0] if mixed(one, other) else None)
    if not any(is_binary(f.unit) for f in claim.figures):
        as_a, as_b = converted(a, one.unit), converted(b, other.unit)
        tried = [(as_a, b), (a, as_b), (as_a, as_b)]
        if any(x and y and x.meets(y) for x, y in tried):
            return Pair(one, other, "ambiguous", BINARY[0], binary_only=True)
    found = slip(a / positive(b), one.dimension, chinese="亿" in claim.text)
    return Pair(one, other, "contradicted", found)


def mixed(one: Figure, other: Figure) -> bool:
    """Whether decimal and binary bytes stand beside each other."""
    return is_binary(one.unit) != is_binary(other.unit) and one.value == other.value


def of_kind(rule_id: str, kind: str, claim: Claim, _: Library) -> Iterator[Finding]:
    """The findings of one rule: its kind of slip, and agreement for the general rule alone."""
    for pair in pairs(claim):
        found = pair.slip.kind if pair.slip else ""
        if (found if found in SPECIAL else "") == kind:
            yield spoken(rule_id, pair)


SPECIAL = ("bits", "binary", "time", "prefix")


def spoken(rule_id: str, pair: Pair) -> Finding:
    """One pair in words."""
    one, other = pair.one, pair.other
    as_first = show(Quantity(one.quantity.base / other.unit.factor, other.unit), fixed=other.unit)
    line = same(f"{one.text.strip('=≈ ')} {as_first.equals}")
    spans = (one.span, other.span)
    readings = tuple(
        Reading(Quantity(value / other.unit.factor, other.unit), under)
        for value, under in values(one)
    )
    if pair.verdict == "consistent":
        what = tr("{line} agrees with {figure}", line=line, figure=same(other.text.strip("=≈ ")))
        if pair.slip:
            what = tr("{line} rounds to {figure}: GB and GiB agree to the digits that are printed",
                      line=line, figure=same(other.text.strip("=≈ ")))  # fmt: skip
        return Finding(rule_id, "consistent", "info", what, spans, readings, (line,))
    if pair.verdict == "ambiguous":
        what = tr("{one} and {other} are one value only where GB is read as GiB",
                  one=same(one.text), other=same(other.text))  # fmt: skip
        corrected = tr("It should read {line} (decimal), or say GiB.", line=line)
        return Finding(rule_id, "ambiguous", "warning", what, spans, readings, (line,), corrected)
    cause = tr(" ({cause})", cause=pair.slip.cause) if pair.slip else same("")
    what = tr(
        "{line}, not {figure}{cause}", line=line, figure=same(other.text.strip("=≈ ")), cause=cause
    )
    return Finding(rule_id, "contradicted", "error", what, spans, readings, (line,),
                   should_read(line))  # fmt: skip


def values(one: Figure) -> Iterator[tuple[Fraction, Text]]:
    """The value of a figure in decimal and in binary bytes."""
    yield one.quantity.base, DECIMAL_TEXT if binary(one.unit) else Text("as printed", "按字面")
    if unit := binary(one.unit):
        yield one.value * unit.factor, BINARY_TEXT


def writing(id: str, kind: str, **texts: Any) -> None:  # noqa: A002  the contract calls it id
    """Declare the rule of one kind of slip; "" for agreement and for no usual factor."""
    rule(id, **texts)(partial(of_kind, id, kind))


# agreement, and disagreement by no usual factor
writing(
    "CONS001",
    "",
    name=("two writings of one value", "同一数值的两种写法"),
    page=(
        'Where the text gives one value twice (in brackets, with =, "are", "i.e."), both must agree within what '
        "their last digits leave open. Slips with a name (bits, binary bytes, ms, prefixes) are told by their own rules.",
        "文中把同一数值写了两次（括号内、等号、“即”等）时，二者须在末位数字允许的范围内一致。比特与字节、GB 与 GiB、毫秒与秒、"
        "词头错位等有名目的错误由各自的规则说明。",
    ),
    fires="The KV cache takes 1,050,673,152 bytes (7.8 GB).",
    quiet="13,540 tokens per minute are 225.7 token/s.",
    chinese=(
        "KV cache 占 1,050,673,152 字节（7.8 GB）。",
        "每分钟 13,540 token 即 225.7 token/s。",
    ),
)


# pairs that are 8 apart
writing(
    "UNIT010",
    "bits",
    name=("bits for bytes", "把比特当字节"),
    page=(
        "A byte is 8 bits: networks are sold in Gb/s, memory and links in GB/s. Two writings of one value that are "
        "8 apart took one for the other.",
        "1 字节为 8 比特：网络按 Gb/s 标称，显存与互联按 GB/s 标称。同一数值的两种写法相差 8 倍，就是把两者混为一谈。",
    ),
    fires="A 400 Gb/s network moves 400 GB/s.",
    quiet="A 400 Gb/s network moves 50 GB/s.",
    chinese=(
        "400 Gb/s 网络每秒传输 400 GB。",
        "400 Gb/s 网络每秒传输 50 GB。",
    ),
)


# pairs that are a power of ten apart
writing(
    "UNIT011",
    "prefix",
    name=("prefix slip", "词头或位数错误"),
    page=(
        "Two writings of one value that are a power of ten apart: k for M, a lost digit, bytes for KB, 亿 (10^8) "
        "for a billion (10^9).",
        "同一数值的两种写法相差 10 的整数次幂：k 与 M 混淆、少写一位、把 KB 写成字节、把亿（10^8）当成 billion（10^9）。",
    ),
    fires="70 亿 = 70 billion.",
    quiet="70 亿 = 7 billion.",
    chinese=(
        "70 亿等于 70 billion。",
        "70 亿等于 7 billion。",
    ),
)


# pairs that differ as decimal and binary bytes do
writing(
    "UNIT012",
    "binary",
    name=("GB against GiB", "GB 与 GiB"),
    page=(
        "GB is 10^9 bytes, GiB is 2^30, 7.4 % more. Where the printed digits cannot tell them apart nothing is "
        "wrong; where they can, the two are not equal.",
        "GB 是 10^9 字节，GiB 是 2^30 字节，大 7.4 %。印出的位数分不出两者时不算错；分得出时，两者就不相等。",
    ),
    fires="80 GB equal 80 GiB.",
    quiet="80 GiB equal 85.9 GB.",
    chinese=(
        "80 GB 等于 80 GiB。",
        "80 GiB 等于 85.9 GB。",
    ),
)


# pairs of times that differ by 60, 1,000 or 3,600
writing(
    "UNIT013",
    "time",
    name=("ms against s", "毫秒与秒"),
    page=(
        "Reports mix seconds, milliseconds and tokens per minute: convert before comparing.",
        "报告里秒、毫秒、每分钟 token 数常混用：先换算再比较。",
    ),
    fires="A TTFT of 0.08 s, i.e. 0.08 ms.",
    quiet="A TTFT of 0.08 s, i.e. 80 ms.",
    chinese=(
        "TTFT 为 0.08 s，即 0.08 ms。",
        "TTFT 为 0.08 s，即 80 ms。",
    ),
)
