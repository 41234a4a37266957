"""The checklist on its own as HTML and PDF: a sheet a language, then the derivations behind it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from derive.ledger import dump
from derive.render import cards, fonts, page, sections
from derive.render.equations import Print, Screen
from derive.render.facts import plain_facts
from derive.render.html import KeyboardView, embedded
from derive.render.math import MATH_CSS
from derive.render.printed import PrintView
from derive.render.short import referred, short
from derive.render.words import MODES, Words, seen
from derive.text import Text

Say = Callable[[Text | str], None]


def document(ledger: Mapping[str, Any], lang: str, date: str) -> str:
    """The finished page for a window, fonts inside."""
    eq = Screen()
    views = [OnScreen(ledger, Words(each, ledger["symbols"]), eq) for each in MODES[lang]]
    both = OnScreen(ledger, Words(lang, ledger["symbols"]), eq)
    return embedded(filled(both, views, date))


def printed(ledger: Mapping[str, Any], lang: str, date: str) -> tuple[str, PrintView]:
    """The finished page for paper, and the view with its store of pictures."""
    eq = Print()
    views = [OnPaper(ledger, Words(each, ledger["symbols"]), eq) for each in MODES[lang]]
    both = OnPaper(ledger, Words(lang, ledger["symbols"]), eq)
    text = filled(both, views, date)
    return (fonts.spelled(text) if fonts.uncovered(text) else text), both


def write_pdf(ledger: Mapping[str, Any], lang: str, say: Say) -> bytes:
    """The PDF with the ledger attached."""
    from derive.render import pdf
    from derive.render.report import date_of

    shown, stamp = date_of(ledger)
    html, view = printed(ledger, lang, shown)
    attached = ("ledger.json", dump(dict(ledger)).encode(), "application/json", "ledger of derive")
    with pdf.quick_process():
        return pdf.write(
            html, view.eq.store,
            title=view.w.plain(view.scenario["title"]), lang=view.w.langs[0], date=stamp,
            attachments=[attached], progress=say,
        )  # fmt: skip


class Alone:
    """What a page without a list of sources and without other sections changes."""

    w: Words

    def refs(self, keys: Sequence[str]) -> list[int]:  # noqa: ARG002 - the sources stand in the report
        """No list of sources to point to."""
        return []

    def line_id(self, item: Mapping[str, Any]) -> str:
        """The fragment of a line, one for each language."""
        return f"c-{self.w.langs[0]}-{item['id']}"


class OnScreen(Alone, KeyboardView):
    """The sheet in a window."""


class OnPaper(Alone, PrintView):
    """The sheet on paper."""


def filled(both: page.View, views: Sequence[page.View], date: str) -> str:
    """The template with its words."""
    template = page.environment().get_template("checklist.html")
    return seen(
        template.render(
            v=both, views=views, medium=both.medium, date=date,
            kind=sections.checklist_kind(), facts=plain_facts(both.ledger),
            behind=[shortened(both, name) for name in referred(both.ledger) if name in both.cards],
            math_css=Markup(MATH_CSS),  # noqa: S704 - our own
        )
    )  # fmt: skip


def shortened(view: page.View, name: str) -> cards.Card:
    """A derivation's card with formula, values and result alone."""
    whole = view.cards[name]
    record = {**whole.record, "steps": short(whole.record), "conditions": [], "reading": None}
    return cards.card(record, whole.result, whole.pointer)
