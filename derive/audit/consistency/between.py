"""What stands between two figures of a claim: whether they are two writings of one value."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from derive.audit.reading.normal import normal
from derive.audit.reading.roles import ROLES
from derive.units import unit

if TYPE_CHECKING:
    from derive.audit.types import Claim, Figure

LEAD = re.compile(r"[^0-9]*")
SMALL = (
    r"(?:the|a|an|its|their|about|around|roughly|only|just|exactly|some|nearly|almost|precisely"
    r"|at most|up to|no more than|a maximum of|至多|最多|最高"
    r"|每秒|每分钟|约|大约|只有|恰好|正好|~|≈|=)"
)
# these say that the value is the same, whatever the unit
STRONG = (
    r"(?:is|are|was|were)? ?equal(?:s|led)?(?: to)?|=|==|≈|i\.?e\.?,?|that is|in other words"
    r"|namely|is the same as|are the same as|is exactly|are exactly|corresponds? to|converts? to"
    r"|works? out (?:to|at|as)|amounts? to|comes? to"
    r"|即|也即|亦即|也就是(?:说)?|就是|等于|约等于|等同于|折合(?:成|为)?"
    r"|换算(?:成|为|后为|后是|过来是)?|相当于|合"
    r"|on average|averages?|averaging|(?:即|折算|折合|相当于)?平均(?:下来|约?为|是)?"
    r"|(?:平均|折算|均摊|分摊)到"
)
# these may also say something else where both figures carry the same unit
WEAK = (
    r"is|are|was|were|or|means?|makes?|gives?|moves?|carries|transfers?|delivers?|provides?"
    r"|yields?|offers?|约为|约合|为|是|可?传(?:输)?|能传(?:输)?|可?提供|每秒(?:可|能)?(?:传输?|搬运)|搬运|达到?|或"
)
LINK = re.compile(
    rf"[,;:]? ?(?:which |that |this |these |it |这|则)?(?P<how>{STRONG}|{WEAK})(?: ?{SMALL})*"
)
SAME = re.compile(r"(?:are|be) (?:the same|equal|identical)|是?(?:一样|相同|相等|一回事|等价)")
FIRM = re.compile(rf"(?:{STRONG})")
OPERATOR_BEHIND = re.compile(r" ?[×x*+/÷−-] ?[0-9(]")
OPERATOR_BEFORE = re.compile(  # also "140 GB + KV 6 GB"
    r"[0-9a-z)%\u4e00-\u9fff] ?[×x*+/÷−-] ?$|[+×÷] ?[a-z\u4e00-\u9fff]{1,12} ?$"
)
# a pure number is written twice only in words of magnitude: 70 亿 = 7 billion, 0.5 = 50 %
MAGNITUDE = re.compile(r"[万亿千百%]|illion|thousand|[0-9][eE][0-9]|\^")
LONGEST_GAP = 120
GENERIC = ("data_rate", "bytes")  # what only the unit tells
RATE_WORDS = {
    "data_rate": ("speed", "bandwidth"),
    "network": ("speed", "bandwidth"),
    "link": ("bandwidth",),
}
CARRIERS = ("network", "link", "data_rate")
SPELLED_OUT = 10**6
PARAM = unit("param")
LARGE = re.compile(r"[万亿]+|[mbtr]+illion")
AGAIN = re.compile(r", ?(?:about|around|roughly|approximately|i\.e\.|or|约|大约|即|合|≈|~)?")
COUNTED = ("devices", "shape", "tp")


def gap(claim: Claim, one: Figure, other: Figure) -> str:
    """The normal text from the end of a figure to the first digit of the next; short ones only."""
    if other.span[0] - one.span[1] > LONGEST_GAP:
        return "..."
    lead = LEAD.match(other.text)
    written = claim.text[one.span[1] : other.span[0] + (lead.end() if lead else 0)]
    return lowered(written)


def before(claim: Claim, figure: Figure, most: int = 40) -> str:
    """The normal text in front of the digits of a figure."""
    lead = LEAD.match(figure.text)
    end = figure.span[0] + (lead.end() if lead else 0)
    return lowered(claim.text[max(0, end - most) : end])


def behind(claim: Claim, figure: Figure, most: int = 40) -> str:
    """The normal text after a figure."""
    return lowered(claim.text[figure.span[1] : figure.span[1] + most])


@lru_cache(maxsize=4096)
def lowered(written: str) -> str:
    """Normal form, small letters, single spaces."""
    text = written if written.isascii() else normal(written).text
    return re.sub(r"\s+", " ", text).lower().strip()


def neighbours(claim: Claim) -> Iterator[tuple[Figure, Figure]]:
    """Each figure with the next, counts of devices left out."""
    listed = [f for f in claim.figures if f.role not in COUNTED]
    yield from pairwise(listed)


def without_nouns(words: str, claim: Claim, one: Figure, other: Figure) -> str:
    """A gap without the words that name what both figures are figures of."""
    alike = one.role == other.role or (other.role in GENERIC and one.role != "pin_rate")
    role = one.role if alike else ""
    known = (*ROLES[role].nouns, role, *RATE_WORDS.get(other.role, ())) if role else ()
    for term in claim.terms:
        inside = one.span[1] <= term.span[0] and term.span[1] <= other.span[0]
        if inside and term.kind == "noun" and term.says in known:
            words = words.replace(lowered(claim.text[term.span[0] : term.span[1]]), "", 1)
    words = re.sub(r"^(?:of|的) ?", "", words.strip())
    words = re.sub(r"^(?:理论上?|峰值|标称|theoretical|nominal|peak) ?", "", words)
    words = re.sub(r"^(?:服务|请求|调用|处理|使用|总)*(?:总|用|流|业务)?量 ?(?=[,;])", "", words)
    words = re.sub(
        r"^(?:(?:link|port|line|connection)\b|链路|端口|线路) ?(?:的传输)? ?|^的?传输 ?", "", words
    )
    return re.sub(r"\s+", " ", words).strip()


def bracketed(claim: Claim, other: Figure, words: str) -> bool:
    """Whether the second figure stands alone in brackets behind the first."""
    return bool(re.fullmatch(rf"\( ?(?:{SMALL} ?)*", words)) and behind(claim, other, 2)[:1] == ")"


def writings(claim: Claim) -> Iterator[tuple[Figure, Figure]]:
    """Neighbours that the text gives as one value: in brackets, with =, "are", 即.

    In the same unit only where the words leave nothing else: "40 GB or 80 GB" are two values.
    """
    for pair in neighbours(claim):
        one, other = as_parameters(*pair)
        part = "share" in (one.role, other.role) and "number" not in (one.role, other.role)
        if one.dimension != other.dimension or part:
            continue
        if one.says("direction", "one") != other.says("direction", "one"):
            continue  # 900 GB/s in all, that is 450 GB/s each way
        if not one.unit.terms and not MAGNITUDE.search(one.text + other.text):
            continue
        words = gap(claim, one, other)
        if len(words) > 60 or arithmetic_around(claim, one, other):
            continue
        differ = one.unit.text != other.unit.text or (not one.unit.terms and one.text != other.text)
        differ = differ or LARGE.findall(one.text) != LARGE.findall(other.text)  # billion and 亿
        if bracketed(claim, other, words):
            if differ:
                yield one, other
            continue
        if words in ("and", "和", "与", "跟", "同") and SAME.match(behind(claim, other)):
            yield one, other
            continue
        if re.fullmatch(r"is what (?:a|an|the)", words) or spelled_out(one, other, words):
            yield one, other
            continue
        if words.startswith(")") and one.role in CARRIERS:
            words = words[1:]  # a network (400 Gb/s) moves 400 GB/s
        found = LINK.fullmatch(without_nouns(words, claim, one, other))
        if found and ((differ and one.unit.terms) or FIRM.fullmatch(found["how"].strip())):
            yield one, other


def as_parameters(one: Figure, other: Figure) -> tuple[Figure, Figure]:
    """A bare number of 亿 or billions counts parameters beside one that does: 700 亿即 70B."""
    for bare, known in ((one, other), (other, one)):
        if not bare.unit.terms and known.unit == PARAM and LARGE.search(bare.text):
            lent = replace(bare, unit=PARAM, role=known.role)
            return (lent, other) if bare is one else (one, lent)
    return one, other


def spelled_out(one: Figure, other: Figure, words: str) -> bool:
    """Whether bytes counted to the last are said again in short (…, about 1.05 GB)."""
    exact = one.unit.text == "byte" and one.value >= SPELLED_OUT
    alike = other.role in ("bytes", one.role) and other.unit.text != "byte"
    return exact and alike and bool(AGAIN.fullmatch(words))


def arithmetic_around(claim: Claim, one: Figure, other: Figure) -> bool:
    """Whether either figure is a term of a longer expression."""
    return bool(
        OPERATOR_BEHIND.match(behind(claim, other, 6))
        or OPERATOR_BEFORE.search(before(claim, one, 20))
    )
