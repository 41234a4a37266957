"""A change in percent beside the two values that it is between."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from derive.audit.consistency.arithmetic import like
from derive.audit.consistency.between import before, lowered
from derive.audit.interval import Interval
from derive.audit.rule import rule
from derive.audit.types import Finding
from derive.text import Text, same, tr
from derive.units import Quantity, show, unit

if TYPE_CHECKING:
    from derive.audit.library import Library
    from derive.audit.types import Claim, Figure

FASTER = r"faster|quicker|speed ?-?up|speeds? up|更快|加速|提速|快"
CHANGE = re.compile(
    rf"(?<![a-z])(?:reduc|cut|lower|decreas|drop|f[ae]ll|shrink|sav|less|fewer|short|increas|rais|rose|ris|gr[eo]w|improv|boost"
    rf"|(?:br[io][nu]\w*|c[ao]m\w*|w[e]nt|go\w*)(?: [a-z]+){{0,4}} down|gain|more|higher|larger|slower|{FASTER})|降|减|缩|少|省|增|提|升|高|多|大|涨|慢|{FASTER}"
)
FAST = re.compile(rf"(?<![a-z])(?:{FASTER})")
DOWN = re.compile(
    r"(?<![a-z])(?:reduc|cut|lower|decreas|drop|f[ae]ll|shrink|sav|less|fewer|short|(?:brought|bringing|brings?|comes?|came|went|goes)(?: [a-z]+){0,4} down(?![a-z]))|降|减|缩|少|省"
)
UP = re.compile(
    r"(?<![a-z])(?:increas|rais|rose|gr[eo]w|boost|more than|higher|larger)|增|提升|提高|上升|涨|升至|升到"
)
FROM = re.compile(r"(?<![a-z])from(?![a-z])|从|由|原来的?|→|->")
BECOMES = re.compile(r"[降减增升提缩涨砍压][^0-9,;.]{0,4}[到至为成]|^ ?(?:down |up )?to(?![a-z])")
TO = re.compile(
    r"(?<![a-z])to(?: only| about| just)?$|[降减增升提缩小少加高](?:低|少|小|高|加|短)?[到至](?:原来的)?(?:约)?$|为?原来的(?:约)?$"
)
ABOVE = re.compile(r"高出?|多出?|(?<![a-z])above(?![a-z])")
PERCENT = Fraction(1, 100)
TIMES = ("tpot", "itl", "ttft", "e2e", "latency", "time")
LENGTHS = ("prompt", "output", "tokens", "context")
NEAR = 48  # characters from a percentage to a word of change


@rule(
    "CONS036",
    name=("change in percent", "百分比变化"),
    page=(
        'A change in percent is told of the first value: (before − after) / before. "Faster" said of a time may also be '
        "meant of the rate, before / after − 1: both are readings. Where the text does not say which value came first, "
        "either may be the base.",
        "百分比变化以变化前的值为基准：(前 − 后) / 前。对时间说“快”，也可能指速率：前 / 后 − 1，两种读法都列出。"
        "文中没有说明先后时，任一值都可作基准。",
    ),
    fires="FP8 reduces TPOT by 40 % from 50 ms to 35 ms.",
    quiet="FP8 reduces TPOT by 40 % from 50 ms to 30 ms.",
    chinese=("TPOT 从 50 ms 降到 35 ms，下降 40 %。", "TPOT 从 50 ms 降到 30 ms，下降 40 %。"),
)
def change(claim: Claim, _: Library) -> Iterator[Finding]:
    """One percentage and two values of a kind."""
    shares = claim.of("share")
    values = [
        f
        for f in claim.figures
        if f.unit.terms and f.role not in ("share", "devices", "parameters", "mfu", "mbu")
    ]
    if len(values) > 2:  # one kind of which there are two: the others stand aside
        pairs = [
            pair for role in dict.fromkeys(f.role for f in values)
            if len(pair := [f for f in values if f.role == role]) == 2
        ]  # fmt: skip
        if len(pairs) > 1 and len(shares) == 1:
            pairs = [p for p in pairs if beside(claim, p, shares[0])]
            pairs = sorted(pairs, key=lambda p: apart(p, shares[0]))[:1]
        values = pairs[0] if len(pairs) == 1 else []
    if len(shares) != 1 or len(values) != 2 or not like(*values):
        return
    if values[0].role != values[1].role and not {f.role for f in values} <= set(TIMES):
        return
    share, text = shares[0], lowered(claim.text)
    if not any(p == "%" for p, _ in share.unit.terms) or not near_change(claim, share):
        return
    first, last = values
    if first.value <= 0 or last.value <= 0:
        return
    told = bool(FROM.search(lowered(claim.text[: first.span[0]]))) or "→" in text or "->" in text
    told = told or bool(BECOMES.search(lowered(claim.text[first.span[1] : last.span[0]])))
    if not told and {f.role for f in values} & set(LENGTHS):
        return  # two lengths side by side are parts more often than before and after
    fast = bool(FAST.search(near(claim, share))) and first.role in TIMES
    ways = list(changes(first, last, fast=fast))
    if TO.search(before(claim, share, 16)):
        ways = [
            Way(
                last.interval / first.interval,
                last.quantity.base / first.quantity.base,
                quotient(last, first, ""),
            )
        ]
    elif not told:
        ways += changes(last, first, fast=fast)
    against = told and other_way(text, grows=last.interval.low > first.interval.high)
    spans = (share.span, first.span, last.span)
    hit = None if against else next((w for w in ways if w.interval.meets(share.interval)), None)
    what = {"one": plain(first), "other": plain(last), "figure": same(share.text)}
    if hit:
        message = tr("{line} agrees with {figure}", line=hit.shown, figure=same(share.text))
        yield Finding("CONS036", "consistent", "info", message, spans, (), (hit.shown,))
        return
    lower = all(w.interval.high < share.interval.low for w in ways)
    if not against and ((share.bound == "<=" and not lower) or (share.bound == ">=" and lower)):
        return
    if not told and last.value * last.unit.factor < first.value * first.unit.factor and rises(text):
        first, last = last, first  # "4.8, 43 % above the 3.35": from the smaller one
        what = {"one": plain(first), "other": plain(last), "figure": same(share.text)}
        ways = list(changes(first, last, fast=fast))
    value = show(
        Quantity(abs(last.quantity.base / first.quantity.base - 1) / PERCENT, unit("%"))
    ).text
    less = last.quantity.base < first.quantity.base
    said = (tr("From {one} to {other} is {value} less.", value=value, **what) if less
            else tr("From {one} to {other} is {value} more.", value=value, **what))  # fmt: skip
    message = tr("{line}, not {figure}", line=ways[0].shown, figure=same(share.text))
    if against:
        message = tr("from {one} to {other} is a change the other way round", **what)
    yield Finding(
        "CONS036", "contradicted", "error", message, spans, (), tuple(w.shown for w in ways), said
    )


def beside(claim: Claim, pair: Sequence[Figure], share: Figure) -> bool:
    """Whether a percentage stands right before or behind two figures, with none between."""
    at = [claim.figures.index(f) for f in pair]
    return max(at) - min(at) == 1 and claim.figures.index(share) in (min(at) - 1, max(at) + 1)


def apart(pair: Sequence[Figure], share: Figure) -> int:
    """Characters between a percentage and the nearer of two figures."""
    return min(max(share.span[0] - f.span[1], f.span[0] - share.span[1]) for f in pair)


@dataclass(frozen=True)
class Way:
    """One way to form the change: what it may be, its exact value, the line of arithmetic."""

    interval: Interval
    exact: Fraction
    line: str

    @property
    def shown(self) -> Text:
        """The line with its result."""
        return same(f"{self.line} {show(Quantity(self.exact / PERCENT, unit('%'))).equals}")


def other_way(text: str, *, grows: bool) -> bool:
    """Whether the words say a fall where the values grow, or a rise where they fall."""
    down, up = bool(DOWN.search(text)), bool(UP.search(text))
    return (down and not up) if grows else (up and not down and not FAST.search(text))


def rises(text: str) -> bool:
    """Whether the words tell of more, and of nothing less."""
    return bool(UP.search(text) or ABOVE.search(text)) and not DOWN.search(text)


def near(claim: Claim, share: Figure) -> str:
    """The text around a percentage."""
    return lowered(claim.text[max(0, share.span[0] - NEAR) : share.span[1] + NEAR])


def near_change(claim: Claim, share: Figure) -> bool:
    """Whether a word of change stands by a percentage."""
    return bool(CHANGE.search(near(claim, share)))


def changes(one: Figure, other: Figure, *, fast: bool) -> Iterator[Way]:
    """The change from one value to another as a share of the first; for a time also that of the rate."""
    pairs = ((other, one), (one, other)) if fast else ((other, one),)
    for top, bottom in pairs:
        exact = top.quantity.base / bottom.quantity.base - 1
        yield Way(
            size(top.interval / bottom.interval),
            abs(exact),
            quotient(top, bottom, " − 1", fall=exact < 0),
        )


def quotient(top: Figure, bottom: Figure, rest: str, *, fall: bool = False) -> str:
    """The quotient of two figures, less one; a fall as what is missing to one."""
    ratio = f"{plain(top).en} / {plain(bottom).en}"
    return f"1 − {ratio}" if fall else ratio + rest


def plain(figure: Figure) -> Text:
    """A figure without the sign before it."""
    return same(figure.text.strip("=≈ "))


def size(ratio: Interval) -> Interval:
    """How far a ratio is from one, either way."""
    low, high = ratio.low - 1, ratio.high - 1
    if low >= 0:
        return Interval(low, high)
    return Interval(-high, -low) if high <= 0 else Interval(Fraction(0), max(-low, high))
