"""A comparison as HTML and PDF: verdict by candidate, one figure, the derivations side by side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from derive.render import charts, compared, fonts, page, tables
from derive.render.equations import Print, Screen
from derive.render.html import NARROW, WIDE, embedded
from derive.render.math import MATH_CSS
from derive.render.page import unit
from derive.render.printed import FIGURE
from derive.render.words import Words, seen

Record = Mapping[str, Any]


@dataclass
class View:
    """What the template asks for, in either medium."""

    record: Record
    w: Words
    eq: Screen | Print

    @property
    def medium(self) -> str:
        """Window or paper."""
        return self.eq.medium

    def symbol(self, name: str) -> Markup:
        """A symbol by its id; any other text as it is."""
        known = self.record["symbols"].get(name)
        return self.eq.symbol(known["latex"], name) if known else self.w.prose(unit(name))

    def formula(self, form: Record, name: str, room: float = 640.0) -> Markup:
        """The formula of a derivation on a line of its own."""
        made = self.eq.row(form["latex"], f"{name} = {form['text']}", room)
        if self.medium == "print":
            return made
        return Markup('<div class="math" tabindex="0">{}</div>').format(made)

    def value(self, text: str) -> Markup:
        """A displayed value with its unit."""
        return self.w.prose(unit(text))

    def drawing(self, figure: Record) -> Markup:
        """The figure for this medium."""
        try:
            if isinstance(self.eq, Print):
                svg = charts.svg(figure, mode=self.w.mode, theme="light", width=FIGURE)
                self.eq.store["derive:f1"] = (svg.encode(), "image/svg+xml")
                return Markup('<img class="drawing" src="derive:f1" alt="{}">').format(
                    self.w.plain(figure["alt"], " ")
                )
            drawn = [
                f'<div class="drawing {name}">'
                f"{charts.svg(figure, mode=self.w.mode, theme='css', width=width)}</div>"
                for name, width in (("wide", WIDE), ("narrow", NARROW))
            ]
        except ValueError:
            return Markup("")  # the data stand in the table below
        return Markup("".join(drawn))  # noqa: S704 - the charts escape their words

    def data_table(self, figure: Record) -> dict[str, Any]:
        """The figure's rows."""
        return tables.data(figure, fold=False)

    def link(self, url: str) -> str:
        """A web address that may become a link, else nothing."""
        safe = url.startswith(("https://", "http://")) and not any(c in url for c in " <>\"'\\")
        return url if safe else ""


def filled(view: View) -> str:
    """The template with its words."""
    record = view.record
    template = page.environment().get_template("compare.html")
    return seen(template.render(
        v=view, title=compared.title(record), rows=compared.overview(record),
        candidates=compared.candidates(record), sheets=compared.sheets(record),
        headline=[(n, compared.row_names()[n]) for n in compared.HEADLINE],
        signs=compared.SIGNS, math_css=Markup(MATH_CSS),  # noqa: S704 - our own
    ))  # fmt: skip


def html(record: Record, lang: str) -> bytes:
    """One file, its fonts inside."""
    return embedded(filled(View(record, Words(lang, record["symbols"]), Screen()))).encode()


def pdf(record: Record, lang: str, stem: str, data: bytes) -> bytes:
    """The PDF with the record attached."""
    from derive.render import pdf as writer
    from derive.render.report import date_of

    eq = Print()
    view = View(record, Words(lang, record["symbols"]), eq)
    text = filled(view)
    _, stamp = date_of({"scenario": {"date": record["date"]}})
    with writer.quick_process():
        return writer.write(
            fonts.spelled(text) if fonts.uncovered(text) else text, eq.store,
            title=view.w.plain(compared.title(record)), lang=view.w.langs[0], date=stamp,
            attachments=[(f"{stem}.json", data, "application/json", "comparison of derive")],
        )  # fmt: skip
