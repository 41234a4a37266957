"""Bilingual passages as markup: both languages tagged, numbers never parted from their units."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from markupsafe import Markup, escape

from derive.render.symbols import symbol_html
from derive.text import Text

if TYPE_CHECKING:
    from derive.render.charts import Mode

Given = Text | Mapping[str, str] | str

# A number with its unit, and a sign with its number, are one word.
QUANTITY = re.compile(
    r"(?:[=≈≤≥<>×±] ?)*(?<![\w.])[−-]?\d[\d,]*(?:\.\d+)?"
    r"(?:[ \u00a0](?:%|[A-Za-zµ]+(?:[/*][A-Za-z]+)*)(?![A-Za-z]))?"
)
POWER = re.compile(r"(\d)\^(-?\d+)")
NO_BREAK = "\u00a0"
UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufffe\uffff\ud800-\udfff]"
)
MODES = {"both": ("zh", "en"), "zh": ("zh",), "en": ("en",)}
REPLACED = str.maketrans({"✗": "×"})  # the sans has no ballot cross
YEAR = r"(?:19|20)\d\d"
SET: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = (
    # how signs are typed, and how they are set
    (re.compile(rf"(?<![\w-])({YEAR})-(?={YEAR}(?![\w-]))"), r"\1–"),
    (re.compile(r"(?<=\d) x (?=\d)"), " × "),
    (re.compile(r"(?<=[A-Za-z0-9_)\]²³] )·(?= [A-Za-z0-9_(])|(?<=[A-Za-z])·(?=[A-Za-z])"), "⋅"),
    (re.compile(r"(?<![\w.,+−-])[1-9]\d{4,}(?![\w-])"), lambda m: f"{int(m[0]):,}"),
)
# where a symbol without a subscript is one: in a list in brackets, beside a dot, as a letter alone
LISTED = r"(?<=[(（])[A-Za-z]\w*(?:(?:, |、|，)[A-Za-z]\w*)+(?=[)）])"
BESIDE_DOT = r"(?<![A-Za-z0-9_&;])[A-Za-z]+(?= ⋅ )|(?<= ⋅ )[A-Za-z]+(?![A-Za-z0-9_])"
LETTER = r"(?<![A-Za-z0-9_.'’&;*-])(?<!\d[ \u00a0])[bgnTw](?![A-Za-z0-9_'’&*-])"
# A value keeps to the sign before it, and the sign to the word or symbol before that.
SIGNED = re.compile(r"(?<=[A-Za-z0-9_>)]) (?=[=≈]\u00a0)")  # Chinese words may end a line


def texts(words: Given | None) -> tuple[str, str]:
    """English and Chinese of anything that carries words; a missing language takes the other's."""
    if words is None:
        return "", ""
    if isinstance(words, str):
        return words, words
    if isinstance(words, Text):
        return words.en, words.zh
    en, zh = str(words.get("en") or ""), str(words.get("zh") or "")
    return en or zh, zh or en


def seen(text: str) -> str:
    """Text with every character that cannot be seen, or turns the line round, as its code point."""
    return UNSEEN.sub(lambda m: f"[U+{ord(m[0]):04X}]", text)


def set_signs(text: str) -> str:
    """Text with the signs of print: en dashes, crosses, dots of products, grouped digits."""
    for pattern, sign in SET:
        text = pattern.sub(sign, text)
    return text.translate(REPLACED)


def glued(text: str) -> str:
    """Plain text with no-break spaces inside quantities."""
    text = set_signs(text)
    return QUANTITY.sub(lambda m: m[0].replace(" ", NO_BREAK), text)


class Words:
    """Markup of bilingual words for one document: its languages, and the symbols it knows."""

    def __init__(self, lang: str, symbols: Mapping[str, Any]) -> None:
        self.mode: Mode = "both" if lang == "both" else "zh" if lang == "zh" else "en"
        self.langs = MODES[self.mode]
        self.both = len(self.langs) == 2
        self._prose = _prose_maker(symbols)

    def prose(self, text: str) -> Markup:
        """One language's text: symbols set as symbols, quantities kept together."""
        return Markup(self._prose(text))  # noqa: S704 - escaped there

    def bi(self, words: Given | None, *, own: bool = False) -> Markup:
        """The languages as spans; the place decides whether they stack or follow one another.

        `own` words, titles and names that a user gave, stand exactly as they were written.
        """
        en, zh = texts(words)
        made = _as_written if own else self._prose
        if not self.both or en == zh:
            return Markup(made(self._one(en, zh)))  # noqa: S704 - escaped there
        return Markup(f"{_span('zh', made(zh))} {_span('en', made(en))}")  # noqa: S704

    def stack(self, words: Given | None) -> Markup:
        """The languages under one another."""
        return self._wrapped("bi", words)

    def run(self, words: Given | None, *, own: bool = False) -> Markup:
        """The languages on one line."""
        return self._wrapped("run", words, own=own)

    def _wrapped(self, kind: str, words: Given | None, *, own: bool = False) -> Markup:
        inner = self.bi(words, own=own)
        if not inner.startswith('<span class="zh"'):
            return inner  # one language, or words that read alike in both
        return Markup(f'<span class="{kind}">{inner}</span>')  # noqa: S704 - escaped there

    def noted(self, words: Given | None, mark: Markup, medium: str) -> Markup:
        """Stacked words with a mark after them: in print after the last, on screen after each."""
        en, zh = texts(words)
        if not self.both or en == zh:
            return self.bi(words) + mark
        first = mark if medium == "screen" else ""
        return Markup(  # noqa: S704 - escaped there
            f"{_span('zh', f'{self._prose(zh)}{first}')} {_span('en', f'{self._prose(en)}{mark}')}"
        )

    def pair(self, words: Given | None, cls: str = "", *, strong: bool = False) -> Markup:
        """Prose: Chinese left, English right; one under the other where there is no room."""
        begin, end = ("<b>", "</b>") if strong else ("", "")
        en, zh = texts(words)
        if not self.both or en == zh:
            text, kind = self._prose(self._one(en, zh)), f"prose {cls}".strip()
            return Markup(f'<div class="{kind}"><p>{begin}{text}{end}</p></div>')  # noqa: S704 - escaped there
        kind = f"pair {cls}".strip()
        return Markup(  # noqa: S704 - escaped there
            f'<div class="{kind}"><p class="zh" lang="zh">{begin}{self._prose(zh)}{end}</p>'
            f'<p class="en" lang="en">{begin}{self._prose(en)}{end}</p></div>'
        )

    def plain(self, words: Given | None, separator: str = " / ") -> str:
        """Plain text, for attributes and running heads."""
        en, zh = texts(words)
        return separator.join(dict.fromkeys((zh, en))) if self.both else self._one(en, zh)

    def _one(self, en: str, zh: str) -> str:
        return zh if self.langs[0] == "zh" else en


def _as_written(text: str) -> str:
    return str(escape(text))


def _span(lang: str, markup: str) -> str:
    return f'<span class="{lang}" lang="{lang}">{markup}</span>'


def _prose_maker(symbols: Mapping[str, Any]) -> Callable[[str], str]:
    """Escape, mend, glue, and set the symbols that a text names by their id."""
    known = {n: str(s["latex"]) for n, s in symbols.items() if n.isascii()}
    names = sorted((n for n in known if "_" in n), key=len, reverse=True)
    either = "|".join(map(re.escape, names)) or "(?!)"
    named = rf"(?<![A-Za-z0-9_])(?:{either})(?![A-Za-z0-9_])"
    pattern = re.compile(f"{LISTED}|{named}|{BESIDE_DOT}|{LETTER}")

    def symbol(match: re.Match[str]) -> str:
        name = match[0]  # a letter beside a dot is one, declared or not
        latex = known.get(name) or (name if len(name) == 1 else "")
        return symbol_html(latex) or name

    def symbols_of(match: re.Match[str]) -> str:
        found = re.findall(r"[A-Za-z]\w*", match[0], re.ASCII)
        if len(found) == 1:
            return symbol(match)
        if all(name in known for name in found):
            return re.sub(r"[A-Za-z]\w*", symbol, match[0], flags=re.ASCII)
        return re.sub(named, symbol, match[0])  # a list of other things

    @lru_cache(maxsize=4096)
    def prose(text: str) -> str:
        markup = QUANTITY.sub(_kept, str(escape(set_signs(text))))
        markup = POWER.sub(r"\1<sup>\2</sup>", markup)
        if known:
            markup = pattern.sub(symbols_of, markup)
        return SIGNED.sub(NO_BREAK, markup.replace("ᵀ", "<sup>T</sup>"))

    return prose


def _kept(match: re.Match[str]) -> str:
    """A quantity as one word: no-break spaces, and no break after the slash of its unit."""
    text = match[0].replace(" ", NO_BREAK)
    return f'<span class="q">{text}</span>' if "/" in text else text
