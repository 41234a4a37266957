"""How often one value is another: the multiples and shares that a claim states."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

from derive.audit.interval import Interval

if TYPE_CHECKING:
    from derive.audit.types import Claim, Figure, Span

TWO = Fraction(2)
NEAR = 2  # characters between a number and its "times"
MOST = 8  # multiples of a sentence that are held against anything
FAR = 60  # characters before a percentage in which the word of change stands
ASIDE = ("devices", "number", "ratio")  # figures that are no quantity of a product
# "43% more", 高出约 43%, "15% of", …的 15%
BEHIND = re.compile(
    r" ?(?:(?P<more>(?:more|higher|greater|larger|bigger|faster|better|above)(?![a-z]))"
    r"|(?P<less>(?:less|lower|fewer|smaller|slower|below)(?![a-z]))"
    r"|(?P<of>of(?= (?:the|what|an?|its|[A-Z]))))",
    re.IGNORECASE,
)
AHEAD = re.compile(
    r"(?:(?P<more>(?:(?<![a-z])(?:rais|increas|boost|improv|grow)[a-z]{0,6}[^0-9,;]{0,24} by"
    r"(?: about| roughly)? ?|高|多|快|大|强|领先|提升|提高|增加)出?)"
    r"|(?P<less>低|慢|小|弱|落后|减?少|降低)|(?P<of>的))了?[ 约大近]*$"
)
HAN = {c: n for n, c in enumerate("一二三四五六七八九十", 1)} | {"两": 2}
SPELLED = {
    "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10,
}  # fmt: skip
WHOLE = re.compile(
    rf"(?<![a-z])(?P<word>{'|'.join(SPELLED)})(?:[ -]?fold|[ -]times)(?![a-z])"
    r"|(?<![a-z])(?P<again>half as (?:much|many|large|big|fast|high|wide) again|half again)"
    r"|(?<![a-z])(?P<triple>tripl(?:es?|ed|ing))(?![a-z])"
    r"|(?<![a-z])(?P<four>quadrupl(?:es?|ed|ing))(?![a-z])"
    r"|(?P<han>[二两三四五六七八九十])倍(?![率增频速])|(?<=[高多大快强出了])(?P<once>一倍)",
    re.IGNORECASE,
)
PART = re.compile(
    r"(?<![a-z])(?P<half>half)(?= (?:of|the|that|as|an?)(?![a-z]))(?! as [a-z]+ again)"
    r"|(?<![a-z-])(?:(?P<top>an?|one|two|three)[ -])"
    r"(?P<of>third|quarter|fourth|fifth|sixth|seventh|eighth|tenth)s?"
    r"(?= (?:of|the|that|as|(?P<more>more|higher|larger|greater|bigger|faster|wider)"
    r"|(?P<less>less|lower|smaller|fewer|slower))(?![a-z]))"
    r"|(?P<below>[二三四五六七八九十])分之(?P<above>[一二两三四五六七八九])"
    r"|(?P<halved>一半)(?![天以儿])",
    re.IGNORECASE,
)
PARTS = {
    "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8,
    "tenth": 10,
}  # fmt: skip
TOPS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3}
OVER = re.compile(
    r"(?:more than|over|above|at least|超过?|不止|大于|高于|至少)[^,;，；。0-9]{0,6}$",
    re.IGNORECASE,
)
UNDER = re.compile(
    r"(?:less than|under|below|at most|not even|不到|不足|低于|至多)[^,;，；。]{0,32}$",
    re.IGNORECASE,
)
HIGHER = re.compile(
    r"(?:[高多大快强]出?|增加|增长|提升|提高|扩大|上涨)了?[ 约近]*$"
)  # 高 3 倍: three times, or three times as much on top
LOWER = re.compile(r"(?:[少低慢小弱]|下降|缩短|缩减|缩水|砍掉|减少)了?[ 约近]*$")  # 少了三分之一
AND_HALF = re.compile(r"半(?![个年天数])")
AND_MORE = re.compile(r" ?(?:多(?!少)|以上|有余)")
SOME = Fraction(1, 10)  # what a share in words may be off by
ROUGH = Fraction(3, 20)  # one that is said to be rough
ROUGHLY = re.compile(
    r"(?:about|around|roughly|nearly|almost|close to|some|[大]?约[为是]?|近|将近|接近|差不多)"
    r"(?:[^,;，；。0-9]{0,24}的)? ?$",
    re.IGNORECASE,
)
LARGE = Fraction(10**6)
DOUBLE = ("twice", "double", "doubles", "两倍", "翻倍")


@dataclass(frozen=True)
class Multiple:
    """A stated ratio with where it stands; the figure that says it, where one does."""

    interval: Interval
    text: str
    span: Span
    figure: Figure | None = None

    def meets(self, value: Fraction) -> bool:
        """Whether an exact ratio lies within what is stated."""
        return self.interval.low <= value <= self.interval.high


def multiple(claim: Claim) -> Multiple | None:
    """The first multiple (18 times, 30x, 2.4 倍), "twice", or percentage between products."""
    return next(iter(multiples(claim)), None)


def multiples(claim: Claim) -> list[Multiple]:
    """All of them in their order: numbers and percentages between two products, else a word."""
    found = [*in_numbers(claim)[:MOST], *in_percent(claim)[:MOST]]
    apart = [m for m in in_words(claim)[:MOST] if all(clear(m, other) for other in found)]
    return sorted([*found, *apart], key=lambda m: m.span)


def clear(one: Multiple, other: Multiple) -> bool:
    """Whether two multiples stand in places of their own."""
    return one.span[1] <= other.span[0] or other.span[1] <= one.span[0]


def in_numbers(claim: Claim) -> list[Multiple]:
    """Numbers that a word or a sign marks as multiples."""
    words = [t for t in claim.terms if t.kind == "relation" and t.says == "times"]
    if not words:
        return []
    return [
        Multiple(open_ended(f, claim.text), f.text, f.span, f)
        for f in claim.figures
        if f.role in ("number", "ratio") and not f.unit.terms
        and any(f.span[0] < t.span[1] and t.span[0] <= f.span[1] + NEAR for t in words)
    ]  # fmt: skip


def open_ended(figure: Figure, text: str) -> Interval:
    """What a multiple stands for; "more than 2x" has no upper end."""
    if figure.bound != ">=":
        made = figure.interval
        higher = HIGHER.search(text[max(0, figure.span[0] - 8) : figure.span[0]])
        return Interval(made.low, made.high + 1) if higher else made
    return Interval(figure.interval.low, max(LARGE, figure.interval.high))


def spelled(claim: Claim) -> tuple[Multiple, ...]:
    """Multiples and shares in words: three times, a quarter of, 三倍, 三分之一."""
    return spelled_in(claim.text)


@lru_cache(maxsize=64)
def spelled_in(text: str) -> tuple[Multiple, ...]:
    """Those of a text: many rules ask for them."""
    made = []
    for found in WHOLE.finditer(text):
        value = Fraction(
            Fraction(3, 2) if found["again"] else 3 if found["triple"] else 4 if found["four"]
            else TWO if found["once"]
            else SPELLED.get((found["word"] or "").lower()) or HAN[found["han"]]
        )  # fmt: skip
        half = Fraction(1, 2) if value > TWO else SOME if found["again"] else TWO * SOME
        if AND_HALF.match(text, found.end()):  # 两倍半
            value, half = value + Fraction(1, 2), Fraction(1, 4)
        made.append(worded(text, found.span(), value, half))
    for found in PART.finditer(text):
        if found["below"]:
            value = Fraction(HAN[found["above"]], HAN[found["below"]])
        elif found["of"]:
            value = Fraction(TOPS[found["top"].lower()], PARTS[found["of"].lower()])
            if found["more"] or found["less"]:  # a third more: four thirds; less turns it round
                part = value
                value = 1 + part if found["more"] else 1 / (1 - part)
                made.append(worded(text, found.span(), value, part * SOME))
                continue
        else:
            value = Fraction(1, 2)
        made.append(worded(text, found.span(), value, value * SOME))
    return tuple(made)


def worded(text: str, span: Span, value: Fraction, half: Fraction) -> Multiple:
    """One such multiple: "more than" and "less than" before it leave one end open."""
    before = text[max(0, span[0] - 40) : span[0]]
    if ROUGHLY.search(before):
        half = max(half, value * ROUGH)
    low, high = value - half, value + half
    if HIGHER.search(before) and not text.startswith("一倍", span[0]):  # 高一倍 is twice as much
        high += 1
        low += 1 if value < 1 else 0  # 多三分之一 is four thirds
    if value < 1 and LOWER.search(before):
        low, high = 1 - high, 1 - low
    if OVER.search(before) or AND_MORE.match(text, span[1]):
        low, high = value, LARGE
    elif UNDER.search(before):
        low, high = Fraction(0), value
    return Multiple(Interval(low, high), text[slice(*span)], span)


def turned(claim: Claim, stated: Multiple) -> bool:
    """Whether the words turn a quotient round ("3 times less"); "less than half" does not."""
    return any(
        t.kind == "relation" and t.says == "less"
        and not 0 <= stated.span[0] - t.span[1] <= len(" than ")
        for t in claim.terms
    )  # fmt: skip


def in_words(claim: Claim) -> list[Multiple]:
    """Multiples and shares in words: twice, 翻倍, three times, a quarter of, 三分之一."""
    made = [*spelled(claim)]
    for term in claim.terms:
        text = claim.text[slice(*term.span)]
        double = term.kind == "relation" and term.says == "times" and text.lower() in DOUBLE
        if double and not any(m.span[0] < term.span[1] and term.span[0] < m.span[1] for m in made):
            made.append(worded(claim.text, term.span, TWO, TWO * SOME))
    return sorted(made, key=lambda m: m.span)


def in_percent(claim: Claim) -> list[Multiple]:
    """Percentages between two products: 43% more than, 15% of what the other has."""
    made: list[Multiple] = []
    if not claim.of("share") or len({n.ids for n in claim.hardware}) != 2:
        return made
    for figure in claim.of("share")[:MOST]:
        start, end = figure.span
        ahead, behind = (
            AHEAD.search(claim.text, max(0, start - FAR), start),
            BEHIND.match(claim.text, end),
        )
        if not (ahead or behind) or not any(symbol == "%" for symbol, _ in figure.unit.terms):
            continue
        said = (ahead or behind).groupdict()  # type: ignore[union-attr]  # one of them is there
        one = Interval.of(Fraction(1))
        ratio = (
            figure.interval
            if said["of"]
            else one - figure.interval
            if said["less"]
            else one + figure.interval
        )
        if ratio.low <= 0:
            continue
        if claim.says("relation", "less"):  # the words turn the quotient round
            ratio = one / ratio
        span = (ahead.start() if ahead else start, behind.end() if behind else end)
        span = figure.span if said["of"] else span
        made.append(Multiple(ratio, claim.text[slice(*span)].strip(), span, figure))
    return made


def others(claim: Claim, stated: Multiple) -> list[Figure]:
    """The figures of a claim but its multiples and counts."""
    aside = {m.span for m in multiples(claim)} | {stated.span}
    shares = [f for f in claim.of("share") if any(a <= f.span[0] < b for a, b in aside)]
    return [f for f in claim.figures if f not in shares and f.role not in ASIDE]


def share(claim: Claim) -> Multiple | None:
    """The first percentage that is a share of something."""
    for figure in claim.of("share", "mbu"):
        if any(symbol == "%" for symbol, _ in figure.unit.terms):
            return Multiple(figure.interval, figure.text, figure.span, figure)
    return None
