"""The screen document: one file, no script, nothing fetched; languages switch by style sheet."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from derive.render import cards, charts, fonts, page
from derive.render.equations import Screen
from derive.render.math import MATH_CSS
from derive.render.words import Words, seen

WIDE, NARROW = 760, 340  # px of a figure on a desk and on a phone
FACES = "<style>/* faces */</style>"  # a bracket: no text of the document can hold it
TAGS = re.compile(r"<[^>]*>")
BOLD = re.compile(r"<(h[1-6]|th|b|strong|figcaption)\b[^>]*>(.*?)</\1>", re.DOTALL)


@dataclass
class ScreenView(page.View):
    """The view with drawings that follow the page's language and colours."""

    def boxed(self, latex: Sequence[str], alt: str, room: float) -> Markup:
        """Mathematics in a box of its own: it scrolls where the window is too narrow."""
        return Markup('<div class="math">{}</div>').format(super().boxed(latex, alt, room))

    def tail(self, row: cards.Row) -> Markup:
        """The rounding, which may move to the next line."""
        return Markup('<div class="math">{}</div>').format(super().tail(row))

    def drawing(self, figure: Mapping[str, Any], number: int) -> Markup:  # noqa: ARG002 - as in print
        """Two drawings, for wide and for narrow windows; the style sheet shows one."""
        drawn = []
        for name, width in (("wide", WIDE), ("narrow", NARROW)):
            try:
                svg = charts.svg(figure, mode=self.w.mode, theme="css", width=width)
            except ValueError:
                return Markup("")  # the data stand in the table below
            drawn.append(f'<div class="drawing {name}">{svg}</div>')
        return Markup("".join(drawn))  # noqa: S704 - the charts escape their words


class KeyboardView(ScreenView):
    """Few formulas, each of which the keyboard can scroll too."""

    def boxed(self, latex: Sequence[str], alt: str, room: float) -> Markup:
        """Mathematics that takes the focus."""
        return focused(super().boxed(latex, alt, room))

    def tail(self, row: cards.Row) -> Markup:
        """The rounding, too."""
        return focused(super().tail(row))


def focused(made: Markup) -> Markup:
    """A box of mathematics in the order of the tab key."""
    return made.replace('<div class="math">', Markup('<div class="math" tabindex="0">'), 1)


def document(ledger: Mapping[str, Any], lang: str, stem: str, date: str) -> str:
    """The finished HTML, fonts inside."""
    view = ScreenView(ledger, Words(lang, ledger["symbols"]), Screen())
    template = page.environment().get_template("page.html")
    math_css = Markup(MATH_CSS)  # noqa: S704 - our own
    return embedded(seen(template.render(**page.shared(view, stem, date), math_css=math_css)))


def embedded(text: str) -> str:
    """A finished page with the faces that its characters need."""
    plain = page.characters(TAGS.sub("", text))
    bold = page.characters("".join(TAGS.sub("", m[2]) for m in BOLD.finditer(text)))
    faces = f"<style>\n{fonts.web_faces(plain, bold)}\n</style>"
    return text.replace(FACES, faces, 1)
