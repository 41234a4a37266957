"""One language or both, as annotations, comments and titles carry them."""

from __future__ import annotations

from derive.errors import printable
from derive.text import LANGUAGES, Text


def languages(lang: str) -> tuple[str, ...]:
    """The languages asked for, English first."""
    return LANGUAGES if lang == "both" else (lang,)


def annotation(name: str, text: Text, lang: str) -> dict[str, str]:
    """One annotation; in both languages a second one with `_zh`, as templates pick them by name."""
    if lang == "both":
        return {name: text.en, f"{name}_zh": text.zh}
    return {name: text.in_(lang)}


def line(text: Text, lang: str) -> str:
    """One line for both languages, without anything that could end it."""
    told = dict.fromkeys(text.in_(each) for each in languages(lang))
    return printable(" · ".join(told), 2000)


def comments(texts: list[Text], lang: str) -> str:
    """The head of a file: language after language, a line each."""
    rows = [printable(t.in_(each), 2000) for each in languages(lang) for t in texts]
    return "".join(f"# {row}".rstrip() + "\n" for row in dict.fromkeys(rows))


def literal(text: str) -> str:
    """A user's words inside what Prometheus reads as a template: labels of alerts, annotations."""
    return text.replace("{{", '{{ "{{" }}')
