"""Bilingual text: every message, label and reason exists in English and in Chinese."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

LANGUAGES = ("en", "zh")
BETWEEN_CHINESE = re.compile("(?<=[\u4e00-\u9fff）]) (?=[\u4e00-\u9fff])")
IS_ABOUT = re.compile(" ?(?<![实变成化称作因分即均])为 ≈ ")  # ≈ says it already
CATALOGUE = Path(__file__).parent / "locale" / "zh" / "LC_MESSAGES" / "derive.po"


@dataclass(frozen=True)
class Text:
    """One statement in both languages."""

    en: str
    zh: str

    def in_(self, lang: str) -> str:
        """The statement in one language, `en` or `zh`."""
        return self.zh if lang == "zh" else self.en

    def json(self) -> dict[str, str]:
        """The ledger's form."""
        return {"en": self.en, "zh": self.zh}


def same(text: object) -> Text:
    """Text that reads alike in both languages: numbers, units, identifiers."""
    return Text(str(text), str(text))


def joined(parts: Iterable[Text], en: str = "; ", zh: str = "；") -> Text:
    """Several texts as one, with a mark between them."""
    listed = list(parts)
    return Text(en.join(p.en for p in listed), zh.join(p.zh for p in listed))


@cache
def chinese() -> dict[str, str]:
    """The Chinese catalogue, English message id to Chinese text."""
    from babel.messages.pofile import read_po

    with CATALOGUE.open("rb") as file:
        return {str(m.id): str(m.string) for m in read_po(file, locale="zh") if m.id and m.string}


def tr(message: str, **values: Any) -> Text:
    """A message of the program in both languages; values may be Text themselves."""

    def fill(template: str, lang: str) -> str:
        parts = {k: v.in_(lang) if isinstance(v, Text) else str(v) for k, v in values.items()}
        return template.format(**parts) if parts else template

    # a value may end in Chinese words ("8 个请求"): no space stands between two of those
    zh = BETWEEN_CHINESE.sub("", fill(chinese().get(message, message), "zh"))
    return Text(fill(message, "en"), IS_ABOUT.sub(" ≈ ", zh))
