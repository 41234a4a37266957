"""The document as its templates see it: one view over the ledger for page and print."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from html import unescape
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from derive.render import cards as card_view
from derive.render import judged, numbers, runs, sections, tables
from derive.render.equations import Equations
from derive.render.words import Words, set_signs
from derive.text import Text, same, tr

MISSED = ": missed"  # ends a note of a target that is missed at another end
ROWS = ("range ", "peak ", "target ")  # notes of a tile that its rows tell


def templates_home() -> Path:
    """The templates: beside the code in a wheel, at the top of a checkout."""
    code = Path(__file__).resolve().parent.parent
    packaged = code / "_data" / "templates"
    return packaged if packaged.is_dir() else code.parent / "templates"


@lru_cache(maxsize=1)
def environment() -> Environment:
    """Templates, escaped throughout; a name that is not there is a fault, never an empty place."""
    made = Environment(
        loader=FileSystemLoader(templates_home()), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    made.globals.update(tr=tr, style=style)
    made.filters.update(unit=unit, signs=set_signs)
    return made


def style(name: str) -> Markup:
    """A style sheet of the templates."""
    text = (templates_home() / "style" / name).read_text("utf-8")
    return Markup(text)  # noqa: S704 - our own file


def unit(text: str) -> str:
    """A contract unit as the document prints it: also at the end of a value."""
    text = numbers.per_request(text).replace("*", "⋅")
    return text.replace("^2", "²").replace("^3", "³")


def _without_unit(note: Mapping[str, str], shared: str) -> dict[str, str]:
    """A note under a large number, without the unit that the number has already."""
    if not shared:
        return dict(note)
    again = re.compile(rf"(?<=\d) {re.escape(shared)}(?![\w/])")
    return {lang: again.sub("", text) for lang, text in note.items()}


@dataclass
class View:
    """Everything a template asks for."""

    ledger: Mapping[str, Any]
    w: Words
    eq: Equations

    def __post_init__(self) -> None:
        self.medium = self.eq.medium
        self.scenario = self.ledger["scenario"]
        self.verdict = self.ledger["verdict"]
        self.checklist = list(self.ledger.get("checklist") or ())
        self.misconceptions = list(self.ledger.get("misconceptions") or ())
        self.parts = sections.parts(
            checklist=bool(self.checklist),
            measured="measured" in self.ledger,
            audit="audit" in self.ledger,
        )
        self.number = {p.key: n for n, p in enumerate(self.parts, 1)}
        groups = list(card_view.cards(self.ledger))
        self.bytes_cards = next((c for g, c in groups if g.key == sections.BYTES), [])
        self.groups = [(g, c) for g, c in groups if g.key != sections.BYTES]
        self.cards = {c.record["id"]: c for _, group in groups for c in group}
        self.source_number = {s["key"]: n for n, s in enumerate(self.ledger["sources"], 1)}
        self.guide = sections.guide()

    def claims(self) -> list[dict[str, Any]]:
        """The audited claims of the vendor."""
        claims = self.ledger["audit"]["claims"]
        return [judged.view(c, self.source_number, f"claim-{n}") for n, c in enumerate(claims, 1)]

    def measured(self) -> dict[str, Any]:
        """The measured runs, numbered."""
        return runs.view(self.ledger["measured"])

    @property
    def audit_words(self) -> dict[str, Any]:
        """Verdicts and severities in both languages, and their colour."""
        return judged.words(self.ledger["audit"])

    def refs(self, keys: Sequence[str]) -> list[int]:
        """The numbers of sources, in the order of the list at the end."""
        return sorted(self.source_number[k] for k in keys if k in self.source_number)

    def symbol(self, name: str) -> Markup:
        """A symbol by its id."""
        known = self.ledger["symbols"].get(name)
        return self.eq.symbol(known["latex"], name) if known else Markup("{}").format(name)

    def formula(self, row: card_view.Row) -> Markup:
        """A step's mathematics."""
        return self.boxed(row.latex, row.alt, row.room)

    def boxed(self, latex: Sequence[str], alt: str, room: float) -> Markup:
        """Mathematics on a line of its own."""
        return self.eq.row(latex, alt, room)

    def unit(self, shown: numbers.Shown) -> Markup:
        """The unit behind a number: what is counted in words, any other as it is printed."""
        words = numbers.counted(shown)
        return self.w.run(words) if words else Markup("{}").format(unit(shown.unit))

    def quantity(self, text: str) -> Markup:
        """A displayed value with its unit."""
        shown = numbers.split(text)
        if not numbers.counted(shown):
            return self.w.prose(unit(text))
        number = self.w.prose(f"{shown.sign}{shown.number}")
        return Markup("{}\u00a0{}").format(number, self.unit(shown))

    def tail(self, row: card_view.Row) -> Markup:
        """The rounding on the same line."""
        return self.eq.inline(row.tail, row.tail_alt)

    def tiles(self) -> list[dict[str, Any]]:
        """The cover's large numbers, split into sign, digits and unit."""
        made = []
        for tile in self.verdict["tiles"]:
            rows = self._tile_rows(tile["id"])
            shown = numbers.split(tile["value"])
            notes = [n for n in tile["notes"] if not rows or not n["en"].startswith(ROWS)]
            notes = [_without_unit(n, shown.unit) for n in notes]
            notes = [{**n, "missed": n["en"].endswith(MISSED)} for n in notes]
            made.append({**tile, "shown": shown, "rows": rows, "notes": notes})
        return made

    def _tile_rows(self, name: str) -> list[tuple[Text, str]]:
        """Range, peak and target as short rows, where the tile is a result with a range."""
        card, goal = self.cards.get(name), tables.target(self.ledger, name)
        if card is None or card.shown is None or not (card.low or card.peak):
            return []
        rows = []
        if card.low and card.high:
            rows.append((tr("range"), f"{card.low.number} – {card.high.number}"))
        if card.peak:
            rows.append((tr("peak"), card.peak.number))
        if goal:
            rows.append((tr("target"), f"≤ {goal['shown']}"))
        return rows

    def facts(self) -> list[tuple[Text, Markup]]:
        """What was studied, in short lines for the cover."""
        shown = {i["id"]: i["shown"] for i in self.ledger["inputs"]}
        count = shown.get("g", "").partition(" ")[0]
        model, hardware = (self.w.plain(self.scenario[k]["name"]) for k in ("model", "hardware"))
        comma = "，" if self.w.mode == "zh" else ", "
        loads = [
            Markup('<span class="q">{}\u00a0=\u00a0{}</span>').format(
                self.symbol(k), self.quantity(shown[k])
            )
            for k in ("b", "T_in", "T_out", "arrival")
            if k in shown
        ]
        return [
            (tr("model"), escape(model)),
            (tr("hardware"), escape(f"{count} × {hardware}" if count else hardware)),
            (tr("precision"), self.w.run(tables.precision(self.scenario["precision"]))),
            (tr("workload"), escape(comma).join(loads)),
        ]

    def key_results(self) -> list[dict[str, Any]]:
        """The headline quantities."""
        return tables.key_results(self.ledger, self.cards)

    def targets(self) -> list[dict[str, Any]]:
        """Targets with their margins."""
        return tables.targets(self.ledger, self.cards)

    def input_groups(self) -> list[tuple[str, Text, list[dict[str, Any]]]]:
        """Inputs by what they are about."""
        return tables.input_groups(self.ledger)

    def calibration(self) -> list[dict[str, Any]]:
        """MFU and MBU with their sources."""
        return tables.calibration(self.ledger)

    def bytes_rows(self) -> list[card_view.Card]:
        """What one decode step moves, and what a token pays."""
        return [self.cards[i] for i in tables.summed(self.ledger) if i in self.cards]

    def bytes_split(self) -> tuple[float, float] | None:
        """Weights and KV cache in percent of their sum."""
        return tables.bytes_split(self.ledger)

    def exact(self, card: card_view.Card) -> str:
        """The exact value in its contract unit, where it is a whole number."""
        if not card.result or card.result["exact"] is None:
            return ""
        value = Fraction(str(card.result["exact"]))
        return f"{value.numerator:,} {unit(card.record['unit'])}" if value.denominator == 1 else ""

    def levers(self) -> list[tuple[str, list[dict[str, Any]]]]:
        """Levers by target."""
        return tables.levers(self.ledger)

    def levers_missing(self, target: str) -> list[Mapping[str, str]]:
        """What is said of levers without an elasticity."""
        return tables.levers_missing(self.ledger).get(target, [])

    def lines(self) -> list[tuple[sections.Part, list[Mapping[str, Any]]]]:
        """The checklist by group."""
        return sections.grouped(self.checklist)

    def line_heads(self, group: str) -> tuple[Text, Text]:
        """What the first two columns of a group hold."""
        return sections.line_heads(group)

    def line_id(self, item: Mapping[str, Any]) -> str:
        """The fragment of a line."""
        return f"c-{item['id']}"

    def basis(self, name: str) -> Text:
        """Where a threshold is from."""
        return sections.bases().get(name) or same(name)

    def data_table(self, figure: Mapping[str, Any]) -> dict[str, Any]:
        """A figure's rows; in print a long narrow table stands in two halves."""
        return tables.data(figure, fold=self.medium == "print")

    def orders(self) -> list[dict[str, Any]]:
        """First and second order side by side."""
        return tables.orders(self.ledger)

    def orders_note(self) -> Text | None:
        """What the orders count differently, where they do."""
        return tables.orders_note(self.ledger)

    def order_heads(self) -> tuple[Text, ...]:
        """What the columns of that table hold."""
        return tables.order_heads()

    def adding(self) -> dict[str, Any] | None:
        """What more devices buy, by kind of parallelism."""
        return tables.adding(self.ledger)

    def asked(self) -> str:
        """The words after `derive report` that ask for this document again."""
        words = self.scenario.get("asked") or [self.scenario["id"]]
        return shlex.join(map(str, words))

    def link(self, url: str) -> str:
        """A web address that may become a link, else nothing."""
        safe = url.startswith(("https://", "http://")) and not any(c in url for c in " <>\"'\\")
        return url if safe else ""

    def derived_symbols(self) -> list[tuple[str, Mapping[str, Any]]]:
        """Symbols that have a card."""
        return [(n, s) for n, s in self.ledger["symbols"].items() if n in self.cards]


def shared(view: View, stem: str, date: str) -> dict[str, Any]:
    """What both templates know."""
    return {
        "v": view,
        "stem": stem,
        "date": date,
        "kind": sections.document_kind(),
        "severity": sections.severities(),
        "words": runs.words(),
    }


def characters(markup: str) -> str:
    """The characters of markup without tags."""
    return "".join(sorted(set(unescape(markup))))
