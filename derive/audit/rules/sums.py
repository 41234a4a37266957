"""Totals and expressions that a claim prints together with their result."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

from derive.audit.binary import binary, is_binary
from derive.audit.consistency.arithmetic import bare, like, result, shown
from derive.audit.consistency.between import COUNTED, STRONG, before, behind, gap, lowered
from derive.audit.interval import Interval
from derive.audit.rule import rule
from derive.text import Text, same

if TYPE_CHECKING:
    from derive.audit.library import Library
    from derive.audit.types import Claim, Figure, Finding

TOTAL = r"(?:in total|together|altogether|in all|combined|summed|total(?:ling)?|sum|共计?|合计|总计|总共|一共|总和|加起来)"
AND = re.compile(
    r"(?:,|and|plus|\+|和|与|及|加上?|another|a further| |;)+|[^0-9]{0,40}(?:,|and|plus|\+|和|与|及|加上?|;)[^0-9]{0,30}"
)
JOINED = re.compile(r"\band\b|plus|\+|和|与|及|加")
THEN = re.compile(
    rf"(?:,|;|:|=|makes?|gives?|is|are|that is|for|a|an|of|and|即|为|是| )*(?:{TOTAL}(?:,|:|=|of|is|are|to|为|是|即|约|about| )*)?"
)


@rule(
    "CONS006",
    name=("sum of parts", "各部分之和"),
    page=(
        'Parts that the text adds up, with a total beside them, must give it: "A and B, C in total".',
        "文中相加的各部分与所给总量须相符，如“A 与 B，合计 C”。",
    ),
    fires="Weights 140 GB and KV cache 40 GB, 200 GB in total.",
    quiet="Weights 140 GB and KV cache 40 GB, 180 GB in total.",
    chinese=(
        "权重 140 GB 加 KV cache 40 GB，合计 200 GB。",
        "权重 140 GB 加 KV cache 40 GB，合计 180 GB。",
    ),
)
def total(claim: Claim, _: Library) -> Iterator[Finding]:
    """A and B [and C], D in total."""
    if len(claim.figures) < 3 or not re.search(TOTAL, lowered(claim.text)):
        return
    listed = [f for f in claim.figures if f.role not in COUNTED]
    if (
        len(listed) < 3
        or len(listed) != len(claim.figures)
        or not all(like(listed[0], f) for f in listed)
    ):
        return
    *parts, whole = listed
    words = gap(claim, parts[-1], whole)
    after = re.match(rf" ?(?:{TOTAL})", behind(claim, whole, 24))
    if not THEN.fullmatch(words + " ") or not (after or re.search(TOTAL, words)):
        return
    if not all(AND.fullmatch(gap(claim, a, b)) for a, b in pairwise(parts)):
        return
    listing = " ".join(gap(claim, a, b) for a, b in pairwise(parts))
    expected = parts[0].interval
    for part in parts[1:]:
        expected = expected + part.interval
    if expected.high < whole.interval.low and not JOINED.search(listing):
        return  # a list with commas need not be the whole
    line = same(
        " + ".join(p.text.strip("=≈ ") for p in parts)
        + " "
        + shown(sum((p.quantity.base for p in parts), Fraction(0)), whole)
    )
    yield result("CONS006", claim, tuple(listed), whole, expected, line)


SIGNS = re.compile(r" ?(?P<sign>[×x*/÷+−-]|times|plus|minus|divided by|over|乘以?|加|减|除以) ?")
# what a factor counts ("80 layers × 8 heads"): words that carry no unit
COUNTS = re.compile(
    r"^ ?(?:个 ?)?(?:(?:transformer |decoder |attention |kv |query )?(?:layers?|heads?|dims?|dimensions?|elements?|caches?|matrices)"
    r"|(?:kv ?)?(?:层|头|维|个|份|元素))(?: ?(?:数|each))?(?= |[×x*])"
)
MEANING = {"x": "*", "×": "*", "*": "*", "times": "*", "乘": "*", "乘以": "*", "/": "/", "÷": "/",
           "divided by": "/", "over": "/", "除以": "/", "+": "+", "plus": "+", "加": "+", "-": "-", "−": "-",
           "minus": "-", "减": "-"}  # fmt: skip
GIVES = re.compile(
    rf"(?:{STRONG}|is|are|gives?|makes?|是|为|得(?:到)?)?(?: ?(?:about|roughly|约|=|≈))*"
)
COUNTING = ("token", "parameter", "element", "request", "device")


@rule(
    "CONS002",
    name=("an expression and its result", "算式与结果"),
    page=(
        'Where a claim prints an expression over figures ("23.08 GB × 2 − 13.95 GB = 32.2 GB") it is computed: '
        "exactly, with the unit that follows, within the digits that are printed.",
        "论断里写出的算式（如“23.08 GB × 2 − 13.95 GB = 32.2 GB”）会按精确算术重算，单位一并推出，在所印位数内比较。",
    ),
    fires="312 TFLOP/s / 2,039 GB/s = 15.3 FLOP/byte",
    quiet="312 TFLOP/s / 2,039 GB/s = 153 FLOP/byte",
    chinese=(
        "312 TFLOP/s ÷ 2,039 GB/s 等于 15.3 FLOP/byte",
        "312 TFLOP/s ÷ 2,039 GB/s 等于 153 FLOP/byte",
    ),
)
def expression(claim: Claim, _: Library) -> Iterator[Finding]:
    """Chains of figures with signs between them, and the figure behind the equals sign."""
    figures = [f for f in claim.figures if f.role != "shape"]
    at = 0
    while at < len(figures) - 1:
        chain, signs, end = [figures[at]], [], at
        while end + 1 < len(figures):
            found = SIGNS.fullmatch(COUNTS.sub("", gap(claim, figures[end], figures[end + 1])))
            if not found:
                break
            signs.append(MEANING[found["sign"]])
            end += 1
            chain.append(figures[end])
        if (
            signs
            and end + 1 < len(figures)
            and computes(claim, chain[0], figures[end], figures[end + 1])
        ):
            made = computed(claim, chain, signs, figures[end + 1])
            if made:
                yield made
        at = max(end, at + 1)


def computes(claim: Claim, first: Figure, last: Figure, printed: Figure) -> bool:
    """Whether an equals sign, and nothing more, leads from an expression to its result."""
    words = gap(claim, last, printed)
    lead = printed.text[:1]
    lead, tail = before(claim, first, 4), behind(claim, printed, 3)
    aside = lead.endswith("(") and tail.startswith(")")  # (989 / 3.35 = 295)
    free = aside or not (re.search(r"[×x*/÷+(-] ?$", lead) or SIGNS.match(tail or "a"))
    return free and bool(words or lead in "=≈") and bool(GIVES.fullmatch(words))


def computed(
    claim: Claim, chain: list[Figure], signs: list[str], printed: Figure
) -> Finding | None:
    """The finding on one expression; None where bare digits leave its unit open."""
    terms: list[tuple[Interval, Fraction, dict[str, int]]] = []
    ops: list[str] = []
    for sign, figure in zip(["+", *signs], chain, strict=True):
        powers = {b: p for b, p in figure.dimension.powers if b not in COUNTING}
        count = bare(figure) and figure.value.denominator == 1 and not figure.about
        stands = Interval.of(figure.value) if count and signs[0] in "*/" else figure.interval
        item = (stands, figure.quantity.base, powers)
        if sign in "*/" and terms:
            left, value, mine = terms[-1]
            if sign == "/" and (item[0].low <= 0 or not item[1]):
                return None
            merged = {
                b: mine.get(b, 0) + (p if sign == "*" else -p)
                for b, p in {**dict.fromkeys(mine, 0), **powers}.items()
            }
            terms[-1] = (left * item[0] if sign == "*" else left / item[0],
                         value * item[1] if sign == "*" else value / item[1],
                         {b: p for b, p in merged.items() if p})  # fmt: skip
        else:
            terms.append(item)
            ops.append(sign)
    # bare digits take the unit of the result only in sums over one kind
    kinds = {tuple(sorted(t[2].items())) for t in terms}
    wanted = tuple(sorted((b, p) for b, p in printed.dimension.powers if b not in COUNTING))
    adopts = all(not f.unit.terms for f in chain) and bool(wanted)
    if adopts:
        factor = printed.unit.factor
        terms = [(t[0].scaled(factor), t[1] * factor, t[2]) for t in terms]
    elif kinds != {wanted}:
        return None
    expected, value = terms[0][0], terms[0][1]
    for op, (interval, exact, _) in zip(ops[1:], terms[1:], strict=True):
        expected = expected + interval if op == "+" else expected - interval
        value = value + exact if op == "+" else value - exact
    words = {"*": "×", "-": "−"}
    text = chain[0].text.strip("=≈ ") + "".join(
        f" {words.get(s, s)} {f.text.strip('=≈ ')}" for s, f in zip(signs, chain[1:], strict=True)
    )
    line = same(f"{text} {shown(value, printed)}")
    others: tuple[tuple[Interval, Text], ...] = ()
    if (of := binary(printed.unit)) and not any(is_binary(f.unit) for f in claim.figures):
        scaled = Interval(
            expected.low * printed.unit.factor / of.factor,
            expected.high * printed.unit.factor / of.factor,
        )
        others = ((scaled, Text("the result in GiB", "结果按 GiB 计")),)
    hidden = adopts or not printed.unit.terms
    if hidden and slip_of_ten(expected, printed):
        return None  # bare digits in other prefixes: 9,216 × 2,307 = 21.3 (exa)
    return result("CONS002", claim, (*chain, printed), printed, expected, line, others=others)


def slip_of_ten(expected: Interval, printed: Figure) -> bool:
    """Whether two bare numbers differ by a power of a thousand: prefixes that are not written."""
    if not printed.value or expected.high <= 0:
        return False
    factors = [Fraction(1000) ** n for n in range(-4, 5) if n]
    return any(printed.interval.scaled(f).meets(expected) for f in factors)
