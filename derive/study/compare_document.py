"""What the document of a comparison holds beside the table: derivations by candidate, one figure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

from derive import __version__
from derive.derivation.points import Absent, Undefined
from derive.derivation.stored import crossings, trees
from derive.expression.latex import latex
from derive.expression.text import plain
from derive.expression.tree import Name, names
from derive.expression.wrapped import settings
from derive.formula import catalogue, letters, standing_in, unit_of
from derive.ledger import COMPARISON, sealed
from derive.notation import CONSTANTS
from derive.specs.types import Scenario, Source
from derive.study.assemble import study
from derive.study.bind import Bound, bind
from derive.study.compare import comparison
from derive.study.drawing import axis, dot, line, table
from derive.study.results import fitting, shown, withheld
from derive.text import same, tr

SHEETS = ("I_ridge", "I_decode", "Q_step", "t_step_eff", "TTFT", "kappa", "M_free", "b_max",
          "cost_token")  # fmt: skip
MOST_ROOFS = 6  # of different heights in one drawing; more could not be told apart
MOST_NUMBERS = 5  # of candidates in one label
TERA = Fraction(10**12)


@dataclass(frozen=True)
class Place:
    """What of one candidate is drawn: both roofs of its replica, and where it works."""

    number: int
    rate: Fraction
    peak: Fraction
    decode: Fraction | None
    prefill: Fraction | None


def document(
    base: Scenario, others: Sequence[tuple[str, Scenario]], sources: Mapping[str, Source]
) -> dict[str, Any]:
    """The whole record, sealed; time and size grow with the candidates one by one.

    It holds the ledger of each, so that all that is said of them can be proved from it alone.
    """
    found = comparison(base, others)
    every = [base, *(other for _, other in others)]
    sheets: dict[str, dict[str, Any]] = {}
    places, keys = [], dict[str, None]()
    for number, scenario in enumerate(every):
        bound = bind(scenario)
        keys |= dict.fromkeys(k for i in bound.inputs.values() for k in i.sources)
        with standing_in(bound.variants):
            named = collect(sheets, bound, number)
            keys |= dict.fromkeys(k for name in named for k in catalogue()[name].sources)
            places.append(place(bound, number))
    return sealed({
        "format": COMPARISON,
        "program": f"derive {__version__}",
        "title": base.title.json(),
        "date": base.date,
        **found,
        "sheets": list(sheets.values()),
        "figures": [roofs(places)],
        "symbols": symbols(sheets),
        "sources": [asdict(sources.get(k) or Source(k, k)) for k in keys],
        "ledgers": [study(scenario, sources) for scenario in every],
    })  # fmt: skip


def collect(sheets: dict[str, dict[str, Any]], bound: Bound, number: int) -> list[str]:
    """The line of one candidate in each derivation that it has; which these are.

    Devices that do not hold the candidate have no speed.
    """
    point, fits, made = bound.typical, fitting(bound) is not False, list[str]()
    for name in SHEETS:
        if name in crossings() or name in point.given:
            continue
        about, tree = catalogue()[name], trees()[name]
        try:
            value = shown(point.quantity(name))
        except Absent:
            continue
        except Undefined:
            value = "–"
        value = value if fits or not withheld(bound, name) else "–"
        sheet = sheets.setdefault(name, {
            "id": name, "latex": about.latex, "name": about.name.json(), "forms": [],
        })  # fmt: skip
        text = plain(tree)
        form = next((f for f in sheet["forms"] if f["text"] == text), None)
        if form is None:
            inside = [n for n in names(tree) if n not in CONSTANTS]
            form = {
                "text": text,
                "latex": settings(f"{latex(Name(name), letters)} =", tree, letters),
                "symbols": inside,
                "rows": [],
            }
            sheet["forms"].append(form)
        told = (n if fits or not withheld(bound, n) else None for n in form["symbols"])
        cells = [cell(bound, n) if n else "–" for n in told]
        form["rows"].append({"column": number, "cells": cells, "value": value})
        made.append(name)
    return made


def cell(bound: Bound, name: str) -> str:
    """A symbol's value as a table prints it."""
    try:
        return shown(bound.typical.quantity(name))
    except (Absent, Undefined):
        return "–"


def symbols(sheets: Mapping[str, Any]) -> dict[str, Any]:
    """The letters of every symbol that the document names."""
    every = {n for s in sheets.values() for f in s["forms"] for n in f["symbols"]}
    every |= {
        "TPOT",
        "TTFT",
        "b_slo",
        "F_step",
        "W_read",
        "P_peak",
        "B_peak",
        "M_dev",
        *catalogue(),
    }
    return {n: {"latex": letters(n), "unit": unit_of(n).text} for n in sorted(every)}


def place(bound: Bound, number: int) -> Place:
    """Where a candidate stands on the roofline, at peak."""
    point = bound.peak

    def get(symbol: str) -> Fraction | None:
        try:
            return point.get(symbol)
        except (Absent, Undefined):
            return None

    g = point.get("g")
    decode, prefill = get("I_decode"), get("I_prefill")
    return Place(number, g * point.get("B_peak"), g * point.get("P_peak"), decode, prefill)


def roofs(places: Sequence[Place]) -> dict[str, Any]:
    """The rooflines of the candidates in one drawing: a line for each different pair of roofs."""
    different: dict[tuple[Fraction, Fraction], list[Place]] = {}
    for one in places:
        different.setdefault((one.rate, one.peak), []).append(one)
    drawn = dict(list(different.items())[:MOST_ROOFS])
    ridges = [peak / rate for rate, peak in drawn]
    there = [i for group in drawn.values() for p in group for i in (p.decode, p.prefill) if i]
    low, high = min([*there, *ridges]) / 2, max([*there, *ridges]) * 3
    lines, points = list[dict[str, Any]](), list[dict[str, Any]]()
    for number, ((rate, peak), group) in enumerate(drawn.items()):
        corners = [(x, min(peak, x * rate) / TERA) for x in (low, peak / rate, high)]
        lines.append(
            line(f"roof-{number}", same(numbered(group)), "neutral", corners, dash=number > 0)
        )
        spots: dict[tuple[str, Fraction], list[Place]] = {}
        for p in group:
            for kind, at in (("decode", p.decode), ("prefill", p.prefill)):
                if at:
                    spots.setdefault((kind, at), []).append(p)
        for (kind, at), here in spots.items():
            role = "memory" if at < peak / rate else "compute"
            label = tr("decode {numbers}", numbers=numbered(here)) if kind == "decode" else tr(
                "prefill {numbers}", numbers=numbered(here))  # fmt: skip
            spot = f"{kind}-{number}-{len(points)}"
            points.append(dot(spot, label, role, at, min(peak, at * rate) / TERA))
    top = max(peak for _, peak in drawn) / TERA * 2
    least = min(min(peak, low * rate) for rate, peak in drawn) / TERA
    columns = [
        (tr("candidate"), ""), (tr("bandwidth of the replica"), "TB/s"),
        (tr("compute of the replica"), "TFLOP/s"), (tr("ridge point"), "FLOP/byte"),
        (tr("intensity of decode"), "FLOP/byte"),
    ]  # fmt: skip
    rows = [
        [Fraction(n), p.rate / TERA, p.peak / TERA, p.peak / p.rate, p.decode]
        for n, p in enumerate(places)
    ]
    return {
        "id": "rooflines",
        "title": tr("Rooflines of the candidates, one replica each").json(),
        "alt": tr(
            "Attainable compute over arithmetic intensity on logarithmic axes: a line for each "
            "candidate with other roofs, with its points of decode and prefill; the numbers are those "
            "of the candidates, 0 is the base."
        ).json(),
        "left_out": len(different) - len(drawn),
        "x": axis(tr("arithmetic intensity"), "FLOP/byte", "log", [low, high]),
        "y": axis(tr("attainable compute"), "TFLOP/s", "log", [least, top]),
        "lines": lines, "points": points, "marks": [], "bands": [],
        "table": table(columns, rows),
    }  # fmt: skip


def numbered(group: Sequence[Place]) -> str:
    """The numbers of candidates that share a roof or a place, the first few of them."""
    more = "" if len(group) <= MOST_NUMBERS else f" +{len(group) - MOST_NUMBERS}"
    return ", ".join(str(p.number) for p in group[:MOST_NUMBERS]) + more
