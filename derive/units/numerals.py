"""Reading of numbers as people write them: grouped, scientific, with 万 and 亿, with "billion"."""

from __future__ import annotations

import re
import unicodedata
from fractions import Fraction

MOST_DIGITS = 60
LARGEST_EXPONENT = 60
DIGITS = r"(?:[1-9][0-9]{0,2}(?:,[0-9]{3})+(?!,?[0-9])|[0-9]+)"
NUMBER = re.compile(
    rf"(?P<sign>[+-]?)(?P<digits>{DIGITS}(?:\.[0-9]+)?|\.[0-9]+)(?P<power>[eE][+-]?[0-9]{{1,4}}(?![0-9.]))?"
    rf"(?:/(?P<below>{DIGITS})(?![0-9.,A-Za-z]))?"
)
POWER_OF_TEN = re.compile(r" ?[×x*·] ?10 ?(?:\^|\*\*) ?([+-]?[0-9]{1,3})(?![0-9.])")
MULTIPLIERS = {
    "万亿": 10**12, "亿": 10**8, "万": 10**4, "千": 10**3, "百": 10**2, "十": 10,
    "trillion": 10**12, "billion": 10**9, "million": 10**6, "thousand": 10**3,
}  # fmt: skip
MULTIPLIER = re.compile(
    r" ?(?:(?P<small>[十百千])(?=万|亿))?"
    r"(?P<large>万亿|[亿万千百十]|(?:trillion|billion|million|thousand)(?![A-Za-z]))"
)
CHINESE = re.compile(r"[一二两三四五六七八九十百千零〇]+")
CHINESE_DIGITS = {c: i for i, c in enumerate("〇一二三四五六七八九")} | {"零": 0, "两": 2}
CHINESE_PLACES = {"十": 10, "百": 100, "千": 1000}
SUPERSCRIPT = re.compile("[⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+")
PLAIN = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
SPACES = re.compile("[ \t\r\n\u00a0\u2002-\u200a\u202f\u205f\u3000]+")


class Unusable(Exception):
    """A number too large, too long or divided by zero; a DeriveError where the text is known."""


def normal(text: str) -> str:
    """Full-width forms, minus signs, spaces and superscripts brought to one spelling."""
    text = SUPERSCRIPT.sub(lambda m: "^" + m[0].translate(PLAIN).lstrip("+"), text)
    text = "".join(unicodedata.normalize("NFKC", c) if is_form(c) else c for c in text)
    text = text.replace("μ", "µ").replace("−", "-")
    return SPACES.sub(" ", text).strip(" ")


def is_form(char: str) -> bool:
    """Full-width Latin forms and squared units (㎇); other compatibility forms stay and fail."""
    return "\uff01" <= char <= "\uff5e" or "\u3380" <= char <= "\u33df"


def number(text: str, *, fraction: bool = True) -> tuple[Fraction, str] | None:
    """A leading number and the rest of the text, None where none stands; may raise Unusable."""
    match = NUMBER.match(text)
    if match is None:
        numeral = CHINESE.match(text)
        whole = chinese(numeral[0]) if numeral else None
        if numeral is None or whole is None:
            return None
        return multiplied(Fraction(whole), text[numeral.end() :])
    digits = match["digits"].replace(",", "")
    exponent = int(match["power"][1:]) if match["power"] else 0
    if len(digits) > MOST_DIGITS or abs(exponent) > LARGEST_EXPONENT:
        raise Unusable
    value = Fraction(match["sign"] + digits) * Fraction(10) ** exponent
    if not (fraction and match["below"]):
        end = match.start("below") - 1 if match["below"] else match.end()
        return multiplied(value, text[end:])
    below = int(match["below"].replace(",", "")[: MOST_DIGITS + 1])
    if not 0 < below < 10**MOST_DIGITS:
        raise Unusable
    return multiplied(value / below, text[match.end() :])


def multiplied(value: Fraction, rest: str) -> tuple[Fraction, str]:
    """A value with the power of ten or the 万, 亿, million that follows it."""
    if power := POWER_OF_TEN.match(rest):
        if abs(int(power[1])) > LARGEST_EXPONENT:
            raise Unusable
        value, rest = value * Fraction(10) ** int(power[1]), rest[power.end() :]
    if word := MULTIPLIER.match(rest):
        value *= CHINESE_PLACES.get(word["small"] or "", 1) * MULTIPLIERS[word["large"]]
        rest = rest[word.end() :]
    return value, rest.strip(" ")


def chinese(text: str) -> int | None:
    """A Chinese numeral below ten thousand (三百二十), None where it is none."""
    total, digit, last = 0, None, 10**4
    for char in text:
        if char in CHINESE_PLACES:
            place = CHINESE_PLACES[char]
            if place >= last or (not digit and (digit, place) != (None, 10)):
                return None
            total, digit, last = total + (digit or 1) * place, None, place
        elif digit in (None, 0):
            digit = CHINESE_DIGITS[char]
        else:
            return None
    if digit and last > 10 and len(text) > 1 and text[-2] not in "零〇":
        return None  # 一百二 is a hundred and twenty in speech, a hundred and two by the rule
    return total + (digit or 0)
