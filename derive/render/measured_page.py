"""Measured runs as a document of their own: HTML and PDF through the report's view."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from markupsafe import Markup

from derive.render import cards, fonts, page, printed, runs
from derive.render.equations import Print, Screen
from derive.render.html import KeyboardView, embedded
from derive.render.math import MATH_CSS
from derive.render.printed import PrintView
from derive.render.words import Words, seen
from derive.text import Text, same, tr

Ledger = Mapping[str, Any]
SHOWN = ("I_ridge", "t_step", "TPOT_floor", "W_stream", "MBU_meas", "utilisation", "MFU_meas",
         "t_prefill", "MFU_prefill_meas")  # fmt: skip


def subject(ledger: Ledger, stem: str) -> Text:
    """What was measured: the scenario, or the file where its runs have scenarios of their own."""
    held = [run for run in ledger["measured"]["runs"] if "of" in run]
    if len({run["of"]["scenario"] for run in held}) > 1:
        return same(stem.removesuffix("-measured"))
    return Text(**ledger["scenario"]["title"])


def lead() -> Text:
    """How to read the document."""
    return tr(
        "Each run beside the bound at its own load; the edges 0.3 and 0.6 of the bands are rules "
        "of thumb."
    )


def behind(measured: Mapping[str, Any]) -> Text:
    """Whose derivations follow."""
    first = next(run for run in measured["runs"] if "setting" in run)
    return tr("At the load of run {number}, {name}.", number=first["number"], name=first["called"])


def shown(view: page.View) -> list[cards.Card]:
    """The cards behind the bounds and the shares; behind a profile alone, the ridge."""
    phased = any(run.get("phases") for run in view.ledger["measured"]["runs"])
    return [view.cards[name] for name in (SHOWN if phased else SHOWN[:1]) if name in view.cards]


def rendered(view: page.View, stem: str) -> str:
    """The page of a view, before its fonts."""
    template = page.environment().get_template("measured.html")
    of = subject(view.ledger, stem)
    title = tr("{what}: {scenario}", what=runs.title(), scenario=of)
    measured = view.measured()
    about = {**page.shared(view, stem, ""), "kind": runs.title(), "title": title, "subject": of,
             "running": printed.running(view, title), "shown": shown(view), "measured": measured,
             "lead": lead(), "behind": behind(measured)}  # fmt: skip
    math_css = Markup(MATH_CSS)  # noqa: S704 - our own
    return seen(template.render(**about, math_css=math_css))


def html(ledger: Ledger, lang: str, stem: str) -> bytes:
    """One file, its fonts inside."""
    view = KeyboardView(ledger, Words(lang, ledger["symbols"]), Screen())
    return embedded(rendered(view, stem)).encode()


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
