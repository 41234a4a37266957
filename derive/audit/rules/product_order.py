"""Which of two products has more of something, told without a figure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product as combinations
from typing import TYPE_CHECKING

from derive.audit.consistency.between import lowered
from derive.audit.rule import rule
from derive.audit.rules.generations import NOUNS, two
from derive.audit.sheet.bare import usual
from derive.audit.sheet.entries import Entry, entries
from derive.audit.sheet.ratios import multiples
from derive.audit.sheet.variants import KINDS
from derive.audit.sheet.words import KIND, conditions, size
from derive.audit.types import Finding
from derive.audit.wording import GRAVE
from derive.text import Text, joined, tr

if TYPE_CHECKING:
    from derive.audit.library import Library
    from derive.audit.types import Claim, Named

ONE, OTHER = "①", "②"  # what stands for the two names in a pattern
MORE = r"(?P<more>more|higher|larger|greater|bigger|faster|wider)"
LESS = r"(?P<less>less|lower|smaller|fewer|slower|narrower)"
HOW = r"(?:much |far |slightly |even |somewhat |a bit )?"
MUCH = r"(?P<more>大|高|多|强|快|宽)"
LITTLE = r"(?P<less>小|低|少|弱|慢|窄)"
QUITE = r"(?:还要|还|更|要|略|稍|都|得|也|明显|远){0,2}"
SAME = (
    r"(?P<about>(?:about|roughly|nearly|almost|approximately|essentially|大致|基本|几乎|差不多)(?: ?的)? ?)?"
    r"(?:the (?:very |exact )?same|identical|equal|完全相同|相同|一样|一致|相等|持平)"
)
ORDERS = [
    re.compile(pattern)
    for pattern in (
        rf"①[^,;②]{{0,40}}?(?<![a-z]){HOW}(?:{MORE}|{LESS})(?![a-z])[^,;②]{{0,40}}? than (?:the |an? )?②",
        r"①[^,;②]{0,40}?(?<![a-z])(?:(?P<more>exceeds?|beats?|tops|outclasses|is above|surpasses)"
        r"|(?P<less>trails?|is below|falls short of|lags(?: behind)?)) (?:that of )?(?:the |an? )?②",
        rf"①[^,;②]{{0,24}}?(?:[0-9][^,;②]{{0,12}}, ?)?(?:却|而|但)?(?:要)?比 ?②[^,;]{{0,8}}?{QUITE}(?:{MUCH}|{LITTLE})",
        r"①[^,;②]{0,24}?(?:(?P<more>高于|超过|大于|多于|强于|快于|优于)"
        r"|(?P<less>低于|小于|少于|弱于|慢于|不如|不及|逊于)) ?②",
        rf"①[^,;②]{{0,40}}?(?<![a-z]){SAME} [^,;②]{{0,40}}?(?:as|to|with) (?:the |an? )?②",
        rf"① ?(?:'s )?(?:and|&|与|和|跟|同|及|、) ?(?:the |an? )?②[^,;]{{0,32}}?{SAME}",
        rf"①[^,;②]{{0,24}}?(?:与|和|跟|同) ?② ?{SAME}",
    )
]
# what the sheet values of two products do not decide, or what turns the words round
OTHERWISE = re.compile(
    r"(?<![a-z])(?:not|no|never|isn'?t|doesn'?t|don'?t|hardly|per|efficien\w*|price\w*|cost\w*|cheap\w*"
    r"|effective|measured|real|usable|if|would|should|software|token\w*)(?![a-z])"
    r"|(?<!差)不(?![如及])|没|并非|每|性价比|能效|价格|成本|实测|如果|若|软件|有效"
)
TOLERANCE = {True: Fraction(1, 10), False: Fraction(1, 100)}  # of "about the same", of "the same"
MOST = 6


@dataclass(frozen=True)
class Order:
    """What is said of the first product against the second: 1 more, -1 less, 0 as much."""

    sign: int
    about: bool
    span: tuple[int, int]


@rule(
    "COND028",
    name=("which of two products has more", "两款产品孰多孰少"),
    page=(
        "A comparison of a datasheet quantity of two products without figures is held against both specs on one basis, "
        "each variant of a name: right where the order holds for all, contradicted where it holds for none.",
        "不带数字地比较两款产品的某项规格时，按同一口径、逐个型号对照两者的规格：全部成立则相符，无一成立则矛盾。",
    ),
    fires="The H20 has more memory bandwidth than the H200.",
    quiet="The H20 has less memory bandwidth than the H200.",
    chinese=("H20 的显存带宽比 H200 大。", "H20 的显存带宽比 H200 小。"),
)
def order(claim: Claim, library: Library) -> Iterator[Finding]:
    """One finding for a comparison of one quantity between two products."""
    sides = two(claim) if len(claim.hardware) == 2 and not claim.models else None
    if sides is None or len(claim.text) > 200:
        return
    said, kind = told(claim), quantity(claim)
    if said is None or kind is None or multiples(claim):
        return
    pairs = [
        (a, b)
        for p, q in combinations(*(library.products(n) for n in sides))
        if (a := usual(entries(p), kind, claim)) and (b := usual(entries(q), kind, claim))
    ]
    if pairs:
        yield judged(said, kind, pairs)


def told(claim: Claim) -> Order | None:
    """The order that the words tell; None where they may mean something else.

    Figures with a unit are compared by other rules; only "the same" is said beside its value.
    """
    text = claim.text
    for named, mark in sorted(
        zip(claim.hardware, (ONE, OTHER), strict=True), key=start, reverse=True
    ):
        text = text[: named.span[0]] + mark + text[named.span[1] :]
    text = lowered(text)
    if OTHERWISE.search(text) or claim.says("scope", "node", "rack", "pod"):
        return None
    found = next((m for pattern in ORDERS if (m := pattern.search(text))), None)
    if found is None or any(f.value > 1 for f in claim.of("devices")):
        return None
    words = found.groupdict()
    sign = 1 if words.get("more") else -1 if words.get("less") else 0
    printed = [f for f in claim.figures if f.unit.terms and f.role != "devices"]
    one_side = len(printed) == 1 and printed[0].role in KINDS
    if sign and printed and not (one_side and "," in found[0]):
        return None
    span = claim.hardware[0].span[0], claim.hardware[1].span[1]
    return Order(sign, bool(words.get("about")), span)


def start(pair: tuple[Named, str]) -> tuple[int, int]:
    """Where a name stands."""
    return pair[0].span


def quantity(claim: Claim) -> str | None:
    """The one quantity of a data sheet that the words name."""
    kinds = {NOUNS[n] for n in claim.said("noun") if n in NOUNS}
    if "link" in kinds and not claim.says("noun", "memory_bandwidth"):
        kinds -= {"memory_bandwidth"}  # 带宽 behind NVLink is that of the link
    if not kinds and claim.says("precision") and claim.says("noun", "throughput"):
        return "peak"
    return kinds.pop() if len(kinds) == 1 else None


def holds(said: Order, one: Entry, other: Entry) -> bool:
    """Whether two values stand in the order that is told."""
    a, b = one.quantity.base, other.quantity.base
    if said.sign:
        return (a - b) * said.sign > 0
    return abs(a - b) <= max(a, b) * TOLERANCE[said.about] or one.interval.meets(other.interval)


def judged(said: Order, kind: str, pairs: list[tuple[Entry, Entry]]) -> Finding:
    """The order against every pair of variants."""
    right = [holds(said, a, b) for a, b in pairs]
    verdict = "consistent" if all(right) else "ambiguous" if any(right) else "contradicted"
    each = joined(sentence(a, b) for a, b in pairs[:MOST])
    basis = conditions(pairs[0][0])
    what = KIND[kind]
    if basis.en != what.en and kind != "link":
        what = Text(f"{what.en}, {basis.en}", f"{what.zh}，{basis.zh}")
    elif kind == "link":
        what = basis
    message = tr("by the specs ({what}): {each}", what=what, each=each)
    if verdict == "ambiguous":
        message = tr("right for some variants only ({what}): {each}", what=what, each=each)
    corrected = None
    if verdict != "consistent":
        corrected = tr("By the specs ({what}): {each}.", what=what, each=each)
    sources = tuple(dict.fromkeys(s for a, b in pairs for e in (a, b) for s in e.sources))
    return Finding("COND028", verdict, GRAVE[verdict], message, (said.span,), (), (), corrected,
                   sources=sources)  # fmt: skip


def sentence(one: Entry, other: Entry) -> Text:
    """Both values with their products."""
    return tr("{a} for the {product}, {b} for the {second}", product=one.product.name,
              second=other.product.name, a=size(one.quantity), b=size(other.quantity))  # fmt: skip
