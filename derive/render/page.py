"""The document as its templates see it: one view over the ledger for page and print."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from html import unescape
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from derive.render import cards as card_view
from derive.render import numbers, sections
from derive.render.equations import Equations
from derive.render.words import Words
from derive.text import Text, tr

LONGEST_TABLE, WIDEST_HALF = 8, 4  # rows and columns of a figure's data before it is folded in print


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
    return made


def style(name: str) -> Markup:
    """A style sheet of the templates."""
    return Markup((templates_home() / "style" / name).read_text("utf-8"))  # noqa: S704 - our own file


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
        self.parts = sections.parts(bool(self.checklist))
        self.number = {p.key: n for n, p in enumerate(self.parts, 1)}
        groups = list(card_view.cards(self.ledger))
        self.bytes_cards = next((c for g, c in groups if g.key == sections.SECTION_OF_BYTES), [])
        self.groups = [(g, c) for g, c in groups if g.key != sections.SECTION_OF_BYTES]
        self.cards = {c.record["id"]: c for _, group in groups for c in group}
        self.source_number = {s["key"]: n for n, s in enumerate(self.ledger["sources"], 1)}
        self.inputs = {i["id"]: i for i in self.ledger["inputs"]}

    def refs(self, keys: Sequence[str]) -> list[int]:
        """The numbers of sources, in the order of the list at the end."""
        return sorted(self.source_number[k] for k in keys if k in self.source_number)

    def symbol(self, name: str) -> Markup:
        """A symbol by its id."""
        known = self.ledger["symbols"].get(name)
        return self.eq.symbol(known["latex"], name) if known else Markup("{}").format(name)

    def unit(self, text: str) -> str:
        """A contract unit as the document prints it."""
        return text.replace("s*request/token", "s/token").replace("*", "⋅")

    def formula(self, row: card_view.Row) -> Markup:
        """A step's mathematics."""
        return self.eq.row(row.latex, row.alt, row.room)

    def tail(self, row: card_view.Row) -> Markup:
        """The rounding on the same line."""
        return self.eq.inline(row.tail, row.tail_alt)

    def tiles(self) -> list[dict[str, Any]]:
        """The cover's large numbers, split into sign, digits and unit."""
        return [{**tile, "shown": numbers.split(tile["value"]), **self._tile_rows(tile)} for tile in self.verdict["tiles"]]

    def _tile_rows(self, tile: Mapping[str, Any]) -> dict[str, Any]:
        """Range, peak and target as short rows where the tile's result is in the ledger; else its notes."""
        card = self.cards.get(tile["id"])
        goal = self._target(tile["id"])
        if card is None or card.shown is None or not (card.span or card.peak):
            return {"rows": [], "notes": tile["notes"]}
        rows = []
        if card.span:
            rows.append((tr("range"), f"{card.span[0].number} – {card.span[1].number}"))
        if card.peak:
            rows.append((tr("peak"), card.peak.number))
        if goal:
            rows.append((tr("target"), f"≤ {goal['shown']}"))
        return {"rows": rows, "notes": []}

    def facts(self) -> list[tuple[Text, Markup]]:
        """What was studied, in short lines for the cover."""
        s, count = self.scenario, self.inputs.get("g", {}).get("shown", "").partition(" ")[0]
        model, hardware = (self.w.plain(s[k]["name"]) for k in ("model", "hardware"))
        loads = [
            Markup("{} = {}").format(self.symbol(k), self.w.prose(self.inputs[k]["shown"]))
            for k in ("b", "T_in", "T_out", "arrival") if k in self.inputs
        ]  # fmt: skip
        return [
            (tr("model"), self.w.prose(model)),
            (tr("hardware"), self.w.prose(f"{count} × {hardware}" if count else hardware)),
            (tr("precision"), self.w.prose(", ".join(dict.fromkeys(map(str, s["precision"].values()))))),
            (tr("workload"), Markup(", ").join(loads)),
        ]

    def key_results(self) -> list[dict[str, Any]]:
        """The headline quantities with range, peak and target, columns aligned."""
        wanted = ("TTFT", "TTFT_burst", "TPOT", "E2E", "X", "b_slo", "b_max", "replicas", "cost_token", "energy_token")
        rows = []
        for name in wanted:
            card = self.cards.get(name)
            if card is None or card.result is None:
                continue
            low, high = card.span or (None, None)
            cells = [c.sign + c.number if c is card.shown and c else c.number if c else "" for c in (card.shown, low, high, card.peak)]
            rows.append({
                "card": card, "value": card.shown, "cells": cells,
                "unit": card.shown.unit if card.shown else "", "target": self._target(name),
            })  # fmt: skip
        columns = [numbers.aligned(column) for column in zip(*(r["cells"] for r in rows), strict=True)]
        for row, cells in zip(rows, zip(*columns, strict=True), strict=True):
            row["cells"] = cells
        return rows

    def guide(self) -> list[tuple[Text, Text]]:
        """How to read the document."""
        return sections.guide()

    def _target(self, name: str) -> dict[str, Any] | None:
        goal = self.inputs.get(f"target_{name}")
        tile = next((t for t in self.verdict["tiles"] if t["id"] == name), None)
        return {"shown": goal["shown"], "state": tile["state"]} if goal and tile else None

    def input_groups(self) -> list[tuple[str, Text, list[dict[str, Any]]]]:
        """Inputs by what they are about, numbers aligned within the whole table."""
        titles = {
            "hardware": tr("Hardware"), "model": tr("Model"), "workload": tr("Workload and targets"),
            "calibration": tr("Calibration and memory"), "measured": tr("Measured"), "derived": tr("Set by hand"),
        }  # fmt: skip
        given = [i for i in self.ledger["inputs"]]
        parts = [numbers.split(i["shown"]) for i in given]
        column = numbers.aligned(p.sign + p.number for p in parts)
        rows: dict[str, list[dict[str, Any]]] = {}
        for record, part, number in zip(given, parts, column, strict=True):
            rows.setdefault(record["about"], []).append({
                **record, "number": number, "unit_shown": part.unit, "given": as_given(record), "tags": tags(record),
                "key": record["origin"].partition(": ")[2],
            })  # fmt: skip
        order = [*titles, *(k for k in rows if k not in titles)]
        return [(k, titles.get(k, Text(k, k)), rows[k]) for k in order if k in rows]

    def calibration(self) -> list[dict[str, Any]]:
        """MFU and MBU: low, typical, high and their sources."""
        made = []
        for name, triple in self.ledger["calibration"].items():
            keys = [k for v in triple.values() for k in v["sources"]]
            how = next((v["how"] for v in triple.values() if v["how"]), None)
            made.append({"id": name, **{k: triple[k]["text"] for k in ("low", "typical", "high")},
                         "sources": list(dict.fromkeys(keys)), "how": how})  # fmt: skip
        return made

    def bytes_rows(self) -> list[card_view.Card]:
        """What one decode step moves, and what a token pays."""
        return [self.cards[i] for i in ("W_read", "KV_total", "Q_step", "bytes_per_token") if i in self.cards]

    def bytes_split(self) -> tuple[float, float] | None:
        """Weights and KV as shares of a drawing's width, in percent."""
        parts = [self.ledger["results"].get(i, {}).get("exact") for i in ("W_read", "KV_total")]
        if not all(parts):
            return None
        weights, cache = (Fraction(str(p)) for p in parts)
        if not weights + cache:
            return None
        share = float(weights / (weights + cache)) * 100
        return round(share, 2), round(100 - share, 2)

    def exact(self, card: card_view.Card) -> str:
        """The exact value in its contract unit, where it is a whole number."""
        value = Fraction(str(card.result["exact"])) if card.result else Fraction(0)
        return f"{value.numerator:,} {card.record['unit']}" if value.denominator == 1 else ""

    def levers(self) -> list[tuple[str, list[dict[str, Any]]]]:
        """Levers by target, elasticities aligned."""
        by_target: dict[str, list[dict[str, Any]]] = {}
        for lever in self.ledger["levers"]:
            by_target.setdefault(lever["target"], []).append({**lever, "number": numbers.elasticity(lever["exact"])})
        return list(by_target.items())

    def data_table(self, figure: Mapping[str, Any]) -> dict[str, Any]:
        """A figure's rows, each column aligned; in print a long narrow table stands in two halves."""
        columns = [numbers.aligned(numbers.whole(c)) for c in zip(*figure["table"]["rows"], strict=True)]
        rows = [list(row) for row in zip(*columns, strict=True)]
        folds = 2 if self.medium == "print" and len(rows) > LONGEST_TABLE and len(columns) <= WIDEST_HALF else 1
        height = -(-len(rows) // folds)
        blank = [""] * len(columns)
        halves = [rows[k * height : (k + 1) * height] for k in range(folds)]
        halves = [half + [blank] * (height - len(half)) for half in halves]
        return {"folds": folds, "rows": [sum(line, []) for line in zip(*halves, strict=True)]}

    def link(self, url: str) -> str:
        """A web address that may become a link, else nothing."""
        return url if url.startswith(("https://", "http://")) and not any(c in url for c in " <>\"'\\") else ""

    def used_symbols(self) -> list[tuple[str, Mapping[str, Any]]]:
        """Symbols that occur in this document and are neither inputs nor constants."""
        return [(n, s) for n, s in self.ledger["symbols"].items() if n in self.cards]


def tags(record: Mapping[str, Any]) -> Text:
    """The basis of a value as one phrase a language."""
    basis = record["basis"]
    return Text(", ".join(b["en"] for b in basis), "，".join(b["zh"] for b in basis))


def as_given(record: Mapping[str, Any]) -> str:
    """How the specification words a value, where the display shows another number."""
    given, shown = numbers.split(str(record["text"])), numbers.split(str(record["shown"]))
    if not numbers.BARE.match(given.number) or not numbers.BARE.match(shown.number):
        return ""
    same = Fraction(given.number.replace(",", "")) == Fraction(shown.number.replace(",", "").replace("−", "-"))
    return "" if same else str(record["text"])


def shared(view: View, stem: str, date: str) -> dict[str, Any]:
    """What both templates know."""
    return {
        "v": view, "stem": stem, "date": date, "kind": sections.document_kind(),
        "severity": {"error": tr("error"), "warning": tr("caution"), "info": tr("note")},
        "basis": {"derived": tr("derived"), "rule of thumb": tr("rule of thumb"), "measured": tr("measured")},
    }  # fmt: skip


def characters(markup: str) -> str:
    """The characters of markup without its tags."""
    return "".join(sorted(set(unescape(markup))))
