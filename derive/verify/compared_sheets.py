"""The rest of a comparison's document: derivations by candidate, the figure, letters, sources."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from derive.expression.latex import latex
from derive.expression.text import plain
from derive.expression.tree import Name, names
from derive.expression.wrapped import settings
from derive.formula import catalogue, letters, unit_of
from derive.notation import CONSTANTS
from derive.text import Text, same, tr
from derive.verify.candidate import MISSING, Candidate
from derive.verify.figures import coordinate
from derive.verify.results import fitting
from derive.verify.shown import NOTHING, written
from derive.verify.values import Values

SHEETS = ("I_ridge", "I_decode", "Q_step", "t_step_eff", "TTFT", "kappa", "M_free", "b_max",
          "cost_token")  # fmt: skip
NAMED = ("TPOT", "TTFT", "b_slo", "F_step", "W_read", "P_peak", "B_peak", "M_dev")
MOST_ROOFS, MOST_NUMBERS = 6, 5
TERA = 10**12


@dataclass(frozen=True)
class Place:
    """Where a candidate stands on the roofline, at peak."""

    number: int
    rate: Fraction
    peak: Fraction
    decode: Fraction | None
    prefill: Fraction | None


@dataclass
class Document:
    """What is gathered of each candidate, one after the other."""

    sheets: dict[str, dict[str, Any]] = field(default_factory=dict)
    places: list[Place] = field(default_factory=list)
    cited: dict[str, None] = field(default_factory=dict)

    def add(self, here: Candidate) -> None:
        """One candidate; its formulas must stand in meanwhile."""
        number = len(self.places)
        self.cited |= dict.fromkeys(k for r in here.record["inputs"] for k in r["sources"])
        for name in SHEETS:
            if name in here.ledger.trees and name not in here.ledger.given:
                self.line(name, here, number)
        self.places.append(place(here, number))

    def line(self, name: str, here: Candidate, number: int) -> None:
        """The line of one candidate in one derivation."""
        about, tree = catalogue()[name], here.ledger.trees[name]
        sheet = self.sheets.setdefault(
            name, {"id": name, "latex": about.latex, "name": about.name.json(), "forms": []}
        )
        self.cited |= dict.fromkeys(about.sources)
        text = plain(tree)
        form = next((f for f in sheet["forms"] if f["text"] == text), None)
        if form is None:
            left = f"{latex(Name(name), letters)} ="
            form = {
                "text": text, "latex": settings(left, tree, letters),
                "symbols": [n for n in names(tree) if n not in CONSTANTS], "rows": [],
            }  # fmt: skip
            sheet["forms"].append(form)
        cells = [printed(here, symbol) for symbol in form["symbols"]]
        form["rows"].append({"column": number, "cells": cells, "value": printed(here, name)})

    def symbols(self) -> dict[str, Any]:
        """The letters of every symbol that the document may name."""
        inside = {n for s in self.sheets.values() for f in s["forms"] for n in f["symbols"]}
        every = sorted({*inside, *NAMED, *catalogue()})
        return {n: {"latex": letters(n), "unit": unit_of(n).text} for n in every}


def printed(here: Candidate, name: str) -> str:
    """A value as a table prints it; devices that do not hold the candidate have no speed."""
    declared = catalogue().get(name)
    speed = declared is not None and declared.calibre == "reachable" and not declared.needed
    if speed and name not in here.ledger.given and not fitting(here.ledger):
        return NOTHING
    try:
        return written(here.ledger.here(name))
    except MISSING:
        return NOTHING


def place(here: Candidate, number: int) -> Place:
    """Both roofs of a replica, and where decode and prefill work."""
    peak: Values = here.ledger.here.at("peak", "peak")

    def base(name: str) -> Fraction | None:
        try:
            return peak(name).base
        except MISSING:
            return None

    g = peak("g").base
    rate, compute = g * peak("B_peak").base, g * peak("P_peak").base
    return Place(number, rate, compute, base("I_decode"), base("I_prefill"))


def numbered(group: Sequence[Place]) -> str:
    """The numbers of candidates at one place, the first few of them."""
    more = "" if len(group) <= MOST_NUMBERS else f" +{len(group) - MOST_NUMBERS}"
    return ", ".join(str(p.number) for p in group[:MOST_NUMBERS]) + more


def rooflines(places: Sequence[Place]) -> dict[str, Any]:
    """The drawing: a line for each pair of roofs, the points of those that share it."""
    groups: dict[tuple[Fraction, Fraction], list[Place]] = {}
    for one in places:
        groups.setdefault((one.rate, one.peak), []).append(one)
    drawn = list(groups.items())[:MOST_ROOFS]
    xs = [peak / rate for (rate, peak), _ in drawn]
    xs += [x for _, group in drawn for p in group for x in (p.decode, p.prefill) if x]
    low, high = min(xs) / 2, max(xs) * 3
    lines, points = list[dict[str, Any]](), list[dict[str, Any]]()
    for number, ((rate, peak), group) in enumerate(drawn):
        lines.append({
            "id": f"roof-{number}", "label": same(numbered(group)).json(), "role": "neutral",
            "dash": number > 0,
            "points": [spot(x, rate, peak) for x in (low, peak / rate, high)],
        })  # fmt: skip
        shared: dict[tuple[str, Fraction], list[Place]] = {}
        for p in group:
            for kind, x in (("decode", p.decode), ("prefill", p.prefill)):
                if x:
                    shared.setdefault((kind, x), []).append(p)
        for (kind, x), here in shared.items():
            here_x, here_y = spot(x, rate, peak)
            points.append({
                "id": f"{kind}-{number}-{len(points)}", "label": labelled(kind, here).json(),
                "role": "memory" if x < peak / rate else "compute", "x": here_x, "y": here_y,
            })  # fmt: skip
    least = min(min(peak, low * rate) for (rate, peak), _ in drawn) / TERA
    top = max(peak for (_, peak), _ in drawn) / TERA * 2
    return {
        "id": "rooflines",
        "title": tr("Rooflines of the candidates, one replica each").json(),
        "alt": tr(
            "Attainable compute over arithmetic intensity on logarithmic axes: a line for each "
            "candidate with other roofs, with its points of decode and prefill; the numbers are "
            "those of the candidates, 0 is the base."
        ).json(),
        "left_out": len(groups) - len(drawn),
        "x": axis(tr("arithmetic intensity"), "FLOP/byte", low, high),
        "y": axis(tr("attainable compute"), "TFLOP/s", least, top),
        "lines": lines, "points": points, "marks": [], "bands": [], "table": table(places),
    }  # fmt: skip


def spot(x: Fraction, rate: Fraction, peak: Fraction) -> list[str]:
    """A point on the lower of both roofs."""
    return [coordinate(x), coordinate(min(peak, x * rate) / TERA)]


def labelled(kind: str, group: Sequence[Place]) -> Text:
    """The label of a point."""
    numbers = numbered(group)
    if kind == "decode":
        return tr("decode {numbers}", numbers=numbers)
    return tr("prefill {numbers}", numbers=numbers)


def axis(label: Text, units: str, low: Fraction, high: Fraction) -> dict[str, str | dict[str, str]]:
    """A logarithmic axis."""
    ends = {"min": coordinate(low), "max": coordinate(high)}
    return {"label": label.json(), "unit": units, "scale": "log", **ends}


def table(places: Sequence[Place]) -> dict[str, Any]:
    """The data beside the drawing, every candidate."""
    columns = (
        (tr("candidate"), ""), (tr("bandwidth of the replica"), "TB/s"),
        (tr("compute of the replica"), "TFLOP/s"), (tr("ridge point"), "FLOP/byte"),
        (tr("intensity of decode"), "FLOP/byte"),
    )  # fmt: skip
    rows = [
        (Fraction(p.number), p.rate / TERA, p.peak / TERA, p.peak / p.rate, p.decode)
        for p in places
    ]
    return {
        "columns": [{"label": label.json(), "unit": units} for label, units in columns],
        "rows": [[NOTHING if v is None else coordinate(v, 4) for v in row] for row in rows],
    }


def sources(keys: Mapping[str, None], ledgers: Sequence[Mapping[str, Any]]) -> list[Any]:
    """The records of all that is cited, as the ledgers have them."""
    known = {row["key"]: row for one in ledgers for row in one["sources"]}
    return [known.get(key) for key in keys]
