"""Rates of each of many requests, and what they add up to."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from derive.audit.types import Figure

AT_RATE = re.compile(
    r"[ -]?(?:(?:concurrent |parallel |simultaneous )?"
    r"(?:users?|streams?|requests?|sequences?|sessions?)"
    r"|个?(?:并发)?(?:用户|请求|会话))?,? ?(?:at|@|x|×|\*|with|of|每[个人路]?(?:用户|请求)?|各)"
    r"(?: about| around|约)? ?",
    re.IGNORECASE,
)
MAKES = re.compile(
    r"(?:add(?:s|ing)? up to|sum(?:s|ming)? (?:up )?to|mak(?:es?|ing)|giv(?:es?|ing)|is|are|=|≈"
    r"|total(?:s|ling)?"
    r"|amounts? to|comes? to|i\.e\.|that's|for|合计|共|就是|加起来|即|等于|为)"
    r"(?: an? (?:total|aggregate) of| about| around| roughly| only|约| )*$",
    re.IGNORECASE,
)


def summed_up(before: list[Figure], one: Figure, other: Figure, text: str) -> bool:
    """Whether so many at one rate make the other: "32 users at 30 tok/s is 960 tok/s"."""
    many = [f for f in before if f.role in ("concurrency", "batch")]
    said = (one.conditions.get("user"), other.conditions.get("user"))
    if not many or said not in ((None, None), (("one",), ("one",)), (("one",), None)):
        return False
    at = AT_RATE.fullmatch(text[many[-1].span[1] : one.span[0]])
    return bool(at and MAKES.search(text[one.span[1] : other.span[0]]))


def sum_beside_each(figures: list[Figure], text: str) -> None:
    """A larger rate beside the rate of each of many requests is that of all of them."""
    rates = [(i, f) for i, f in enumerate(figures) if f.role == "speed"]
    many = any(f.role in ("concurrency", "batch") and f.value > 1 for f in figures)
    if len(rates) != 2 or not many:
        return
    (i, one), (j, other) = rates
    if one.quantity.base < other.quantity.base and summed_up(figures[:i], one, other, text):
        figures[i] = replace(one, conditions={**one.conditions, "user": ("one",)})
        figures[j] = replace(other, conditions={**other.conditions, "user": ("all",)})
        return
    for at, whole, each in ((i, one, other), (j, other, one)):
        free = not whole.says("user") and not whole.says("tokens", "input")
        if free and each.says("user", "one") and whole.quantity.base > each.quantity.base:
            figures[at] = replace(whole, conditions={**whole.conditions, "user": ("all",)})
