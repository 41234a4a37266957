"""Bilingual passages as markup: both languages tagged, numbers never parted from their units."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any

from markupsafe import Markup, escape

from derive.render.symbols import symbol_html
from derive.text import Text

Words_ = Text | Mapping[str, str] | str

# A number with its unit, and a sign with its number, are one word.
QUANTITY = re.compile(
    r"(?:[≈≤≥<>×±] ?)*(?<![\w.])[−-]?\d[\d,]*(?:\.\d+)?"
    r"(?:[ \u00a0](?:%|[A-Za-zµ]+(?:[/*][A-Za-z]+)*)(?![A-Za-z]))?"
)
POWER = re.compile(r"(\d)\^(-?\d+)")
NO_BREAK = "\u00a0"
MODES = {"both": ("zh", "en"), "zh": ("zh",), "en": ("en",)}
TAGS = {"zh": "zh", "en": "en"}
REPLACED = str.maketrans({"✗": "×", "*": "·"})  # the sans has no ballot cross; units multiply by ·


def texts(words: Words_ | None) -> tuple[str, str]:
    """English and Chinese of anything that carries words; a missing language takes the other's."""
    if words is None:
        return "", ""
    if isinstance(words, str):
        return words, words
    if isinstance(words, Text):
        return words.en, words.zh
    en, zh = str(words.get("en") or ""), str(words.get("zh") or "")
    return en or zh, zh or en


def glued(text: str) -> str:
    """Plain text with no-break spaces inside quantities."""
    return QUANTITY.sub(lambda m: m[0].replace(" ", NO_BREAK), text)


class Words:
    """Markup of bilingual words for one document: its languages, and the symbols it knows."""

    def __init__(self, lang: str, symbols: Mapping[str, Any]) -> None:
        self.langs = MODES[lang]
        self.both = len(self.langs) == 2
        self._prose = _prose_maker(symbols)

    def prose(self, text: str) -> Markup:
        """One language's text: symbols set as symbols, quantities kept together."""
        return self._prose(text)

    def bi(self, words: Words_ | None) -> Markup:
        """The languages as spans; the place decides whether they stack or follow one another."""
        en, zh = texts(words)
        if not self.both:
            return self._prose(zh if self.langs[0] == "zh" else en)
        if en == zh:
            return self._prose(en)
        return Markup('<span class="zh" lang="zh">{}</span><span class="en" lang="en">{}</span>').format(
            self._prose(zh), self._prose(en)
        )

    def stack(self, words: Words_ | None) -> Markup:
        """The languages under one another."""
        return Markup('<span class="bi">{}</span>').format(self.bi(words))

    def run(self, words: Words_ | None) -> Markup:
        """The languages on one line."""
        return Markup('<span class="run">{}</span>').format(self.bi(words))

    def pair(self, words: Words_ | None, cls: str = "") -> Markup:
        """Prose: Chinese left, English right; one under the other where there is no room."""
        en, zh = texts(words)
        kind = f"pair {cls}".strip()
        if not self.both or en == zh:
            return Markup('<div class="{}"><p>{}</p></div>').format(
                kind.replace("pair", "prose"), self._prose(zh if self.langs[0] == "zh" else en)
            )
        return Markup(
            '<div class="{}"><p class="zh" lang="zh">{}</p><p class="en" lang="en">{}</p></div>'
        ).format(kind, self._prose(zh), self._prose(en))

    def plain(self, words: Words_ | None, separator: str = " · ") -> str:
        """Plain text, for attributes and running heads."""
        en, zh = texts(words)
        if not self.both:
            return zh if self.langs[0] == "zh" else en
        return separator.join(dict.fromkeys((zh, en)))


def _prose_maker(symbols: Mapping[str, Any]) -> Callable[[str], Markup]:
    """Escape, mend, glue, and set the symbols that a text names by their id."""
    known = {n: str(s["latex"]) for n, s in symbols.items() if "_" in n and n.isascii()}
    names = sorted(known, key=len, reverse=True)
    pattern = re.compile(rf"(?<![A-Za-z0-9_])(?:{'|'.join(map(re.escape, names))})(?![A-Za-z0-9_])") if names else None

    def symbol(match: re.Match[str]) -> str:
        return symbol_html(known[match[0]]) or match[0]

    @lru_cache(maxsize=4096)
    def prose(text: str) -> Markup:
        markup = QUANTITY.sub(_kept, str(escape(text.translate(REPLACED))))
        markup = POWER.sub(r"\1<sup>\2</sup>", markup).replace("ᵀ", "<sup>T</sup>")
        if pattern is not None and "_" in markup:
            markup = pattern.sub(symbol, markup)
        return Markup(markup)  # noqa: S704 - escaped above

    return prose


def _kept(match: re.Match[str]) -> str:
    """A quantity as one word: no-break spaces, and no break after the slash of its unit."""
    text = match[0].replace(" ", NO_BREAK)
    return f'<span class="q">{text}</span>' if "/" in text else text


def joined(parts: Iterable[Markup | str], separator: str = "") -> Markup:
    """Markup pieces as one."""
    return Markup(separator).join(parts)
