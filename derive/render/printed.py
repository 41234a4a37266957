"""The print document: HTML for WeasyPrint and the store of its pictures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from derive.render import charts, fonts, page
from derive.render.equations import Print
from derive.render.words import Given, Words, seen, texts

FIGURE = 800  # px: drawn somewhat larger than the text block, so that two stand on a page
RUNNING = 64  # half-width places of the running title


@dataclass
class PrintView(page.View):
    """The view with drawings as pictures of the store."""

    eq: Print
    missing = ""  # characters that no font of the report has: printed as code points

    def drawing(self, figure: Mapping[str, Any], number: int) -> Markup:
        """A figure in the light palette."""
        try:
            svg = charts.svg(figure, mode=self.w.mode, theme="light", width=FIGURE)
        except ValueError:
            return Markup("")  # the data stand in the appendix
        self.eq.store[f"derive:f{number}"] = (svg.encode(), "image/svg+xml")
        return Markup('<img class="drawing" src="derive:f{}" alt="{}">').format(
            number, self.w.plain(figure["alt"], " ")
        )


def document(ledger: Mapping[str, Any], lang: str, stem: str, date: str) -> tuple[str, PrintView]:
    """The finished HTML, and the view with its store and the formulas that had to be narrowed."""
    view = PrintView(ledger, Words(lang, ledger["symbols"]), Print())
    template = page.environment().get_template("print.html")
    running_title = running(view, view.scenario["title"])
    text = seen(template.render(**page.shared(view, stem, date), running=running_title))
    view.missing = "".join(sorted(fonts.uncovered(text)))
    return (fonts.spelled(text) if view.missing else text), view


def running(view: page.View, title: Given) -> str:
    """The title for the head of a page: both languages where they fit on half a line."""
    en, zh = texts(title)
    both = view.w.plain(title)
    for text in (both, zh if "zh" in view.w.langs else en):
        if places(text) <= RUNNING:
            return text
    return both[: RUNNING // 2] + "…"


def places(text: str) -> int:
    """Half-width places a text takes."""
    return sum(1 if c < "\u2e80" else 2 for c in text)
