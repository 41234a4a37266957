"""Measured runs as a document of their own: HTML and PDF through the report's view."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from markupsafe import Markup

from derive.render import fonts, page, runs
from derive.render.equations import Print, Screen
from derive.render.html import BOLD, FACES, TAGS, ScreenView
from derive.render.math import MATH_CSS
from derive.render.printed import PrintView
from derive.render.words import Words, seen
from derive.text import tr

Ledger = Mapping[str, Any]
SHOWN = ("I_ridge", "t_step", "TPOT_floor", "W_stream", "MBU_meas", "utilisation", "MFU_meas",
         "t_prefill", "MFU_prefill_meas")  # fmt: skip


def rendered(view: page.View, stem: str) -> str:
    """The page of a view, before its fonts."""
    template = page.environment().get_template("measured.html")
    title = tr("{what}: {scenario}", what=runs.title(), scenario=view.ledger["scenario"]["id"])
    shown = [name for name in SHOWN if name in view.cards]
    math_css = Markup(MATH_CSS)  # noqa: S704 - our own
    about = page.shared(view, stem, "")
    return seen(template.render(**about, title=title, shown=shown, math_css=math_css))


def html(ledger: Ledger, lang: str, stem: str) -> bytes:
    """One file, its fonts inside."""
    text = rendered(ScreenView(ledger, Words(lang, ledger["symbols"]), Screen()), stem)
    plain = page.characters(TAGS.sub("", text))
    bold = page.characters("".join(TAGS.sub("", m[2]) for m in BOLD.finditer(text)))
    return text.replace(FACES, f"<style>\n{fonts.web_faces(plain, bold)}\n</style>", 1).encode()


def pdf(ledger: Ledger, lang: str, stem: str, data: bytes, say: Callable[[str], None]) -> bytes:
    """The PDF with the ledger attached."""
    from derive.render import pdf as writer

    fonts.faces(progress=lambda text: say(text.en))
    view = PrintView(ledger, Words(lang, ledger["symbols"]), Print())
    text = rendered(view, stem)
    return writer.write(
        fonts.spelled(text) if fonts.uncovered(text) else text, view.eq.store,
        title=view.w.plain(runs.title()), lang=view.w.langs[0],
        attachments=[(f"{stem}.json", data, "application/json", "derive ledger")],
        progress=lambda text: say(text.en),
    )  # fmt: skip
