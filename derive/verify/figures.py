"""Figures: every point, mark, band and cell computed again at its place on the axis."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any

from derive.text import Text, tr
from derive.units import unit
from derive.units.digits import significant
from derive.verify.laid_out import as_moved
from derive.verify.say import quoted
from derive.verify.shape import drawings
from derive.verify.shown import NOTHING, half_unit
from derive.verify.texts import Broken, NoValue, read
from derive.verify.values import Held, Ledger, Values
from derive.verify.waterfall import NAME as WATERFALL
from derive.verify.waterfall import check_waterfall

# figure, item -> expression, calibre, unit of the axis; curves run along the figure's variable
VARIABLES = {
    "roofline": "b",
    "batch_sweep": "b",
    "bytes_over_context": "T",
    "concurrency_over_context": "T",
    "experts_over_batch": "b",
}
CURVES = {
    ("batch_sweep", "X"): ("X", "typical", "token/s"),
    ("batch_sweep", "TPOT"): ("TPOT", "typical", "ms*request/token"),
    ("batch_sweep", "TPOT-peak"): ("TPOT", "peak", "ms*request/token"),
    ("bytes_over_context", "weights"): ("W_read", "peak", "GB"),
    ("bytes_over_context", "kv"): ("KV_total", "peak", "GB"),
    ("bytes_over_context", "total"): ("Q_step", "peak", "GB"),
    ("concurrency_over_context", "b_max"): ("b_max", "typical", "request"),
    ("concurrency_over_context", "b_max_reserved"): ("b_max_reserved", "typical", "request"),
    ("concurrency_over_context", "b_max_tp"): ("b_max_tp", "typical", "request"),
    ("experts_over_batch", "E_hit"): ("E_hit", "peak", ""),
    ("experts_over_batch", "E_hit2"): ("E_hit2", "peak", ""),
}  # fmt: skip
FIGURES = 6
FLAT = ("g * P_peak", "peak", "TFLOP/s")
ROOF = "min(g * P_peak, I_decode * (g * B_peak))"


def curves(figure: str, *lines: str) -> list[tuple[str, str, str]]:
    """The curves of a figure, as columns of its table."""
    return [CURVES[figure, line] for line in lines]


COLUMNS = {
    "roofline": [
        ("b", "peak", "request"), ("I_decode", "peak", "FLOP/byte"), (ROOF, "peak", "TFLOP/s"),
    ],
    "batch_sweep": [("b", "typical", "request"), *curves("batch_sweep", "X", "TPOT", "TPOT-peak")],
    "bytes_over_context": [
        ("T", "peak", "token/request"), *curves("bytes_over_context", "weights", "kv", "total"),
    ],
    "concurrency_over_context": [("T", "typical", "token/request")],  # and each curve drawn
    "experts_over_batch": [("b", "peak", "request")],  # and each curve drawn
}  # fmt: skip
MARKS = {
    "ridge": ("I_ridge", "peak", "FLOP/byte"),
    "wall": ("I_decode_inf", "peak", "FLOP/byte"),
    "b_max": ("b_max", "typical", "request"),
    "b_max_reserved": ("b_max_reserved", "typical", "request"),
    "b_max_tp": ("b_max_tp", "typical", "request"),
    "b_crit": ("b_crit_T", "peak", "request"),
    "b_knee": ("b_crit_T", "reached", "request"),
    "b_slo": ("b_slo", "typical", "request"),
    "b": ("b", "typical", "request"),
    "slo": ("target_TPOT", "typical", "ms*request/token"),
    "T": ("T", "typical", "token/request"),
    "T_max": ("T_max", "typical", "token/request"),
    "T_cross": ("T_cross", "peak", "token/request"),
    "E": ("E", "peak", ""),
    "k_exp": ("k_exp", "peak", ""),
}
ON_Y = ("slo", "E", "k_exp")  # marks on the other axis
LINEAR = ("batch_sweep", "experts_over_batch")  # figures whose second axis starts at nought
Fault = Iterator[Text]


def check_figures(ledger: Ledger) -> Fault:
    """Every figure of the ledger."""
    for figure in ledger.record["figures"]:
        yield from check_figure(ledger, figure)


def check_figure(ledger: Ledger, figure: Mapping[str, Any]) -> Fault:
    """One figure: its drawings and its table."""
    name = figure["id"]
    if name == WATERFALL:
        yield from check_waterfall(ledger, figure)
        return
    if name not in VARIABLES or "bars" in figure:
        yield tr("figure {figure} is unknown", figure=quoted(name))
        return
    about = Figure(ledger, figure)
    plots = figure.get("panels") or [figure]
    if figure["x"] != plots[0].get("x"):
        yield about.wrong("x", f"{figure['x']['min']} – {figure['x']['max']}")
    drawn = [line["id"] for plot in plots for line in plot["lines"]]
    if len(drawn) > len(set(drawn)):
        yield about.wrong("lines", ", ".join(drawn))
        return
    try:
        for plot in plots:
            yield from about.plot(plot)
        yield from about.table(figure["table"])
    except Broken as error:
        yield tr("figure {figure}: {why}", figure=name, why=error.why)


RIDGE = "I_ridge * MFU / MBU"  # of both roofs at the share that is reachable


def levels(ledger: Ledger) -> dict[str, Values]:
    """The places that curves and marks are taken at."""
    found = {level: ledger.here.at(level, level) for level in ("typical", "peak")}
    if "I_ridge" in ledger.cards:
        there = found["typical"]
        ridge = there.quantity(read(RIDGE), ledger.units["I_ridge"])
        found["reached"] = there.with_({"I_ridge": ridge})
    return found


class Figure:
    """One figure: what its items are, and what was computed for its axes."""

    def __init__(self, ledger: Ledger, figure: Mapping[str, Any]) -> None:
        self.ledger, self.figure, self.name = ledger, figure, figure["id"]
        self.variable = VARIABLES[self.name]
        self.at = levels(ledger)

    def wrong(self, item: str, found: str) -> Text:
        """One coordinate that does not hold."""
        return tr(
            "figure {figure}: {item}: {found} is not the value there",
            figure=self.name, item=quoted(item), found=quoted(found),
        )  # fmt: skip

    def exact(self, what: tuple[str, str, str], x: Fraction | None = None) -> Fraction | None:
        """An expression in the unit of the axis, along the variable where x is given."""
        text, level, units = what
        text = as_moved(text, self.name, self.ledger.given)
        if level not in self.at:
            return None
        place: Values = self.at[level]
        if x is not None:
            place = place.with_({self.variable: Held(x, self.ledger.units[self.variable])})
        try:
            return place.quantity(read(text), unit(units)).value
        except NoValue:
            return None

    def plot(self, plot: Mapping[str, Any]) -> Fault:
        """One drawing: curves, points, marks, bands, and the ends of its axes."""
        ys: list[Fraction] = []
        for line in plot["lines"]:
            if (self.name, line["id"]) in CURVES:
                yield from self.curve(line, ys)
            elif self.name == "roofline" and line["points"]:
                yield from self.roof(line)
            else:
                yield self.wrong(line["id"], "")
        for point in plot["points"]:
            yield from self.dot(point)
        for mark in plot["marks"]:
            at, axis = self.mark(mark["id"]), "y" if mark["id"] in ON_Y else "x"
            if at is None or (mark["at"], mark["axis"]) != (coordinate(at), axis):
                yield self.wrong(mark["id"], mark["at"])
            elif axis == "y":
                ys.append(at)
        xs = [Fraction(pair[0]) for line in plot["lines"] for pair in line["points"]]
        for band in plot["bands"] if xs else ():
            yield from self.band(band, max(xs))
        yield from self.axes(plot, ys)

    def curve(self, line: Mapping[str, Any], ys: list[Fraction]) -> Fault:
        """Points along the variable; x is exact there."""
        tabled = self.tabled
        xs = [Fraction(pair[0]) for pair in line["points"]]
        if any(one >= other for one, other in pairwise(xs)):
            yield self.wrong(line["id"], ", ".join(pair[0] for pair in line["points"]))
        for pair in line["points"]:
            y = self.exact(CURVES[self.name, line["id"]], Fraction(pair[0]))
            if y is None or pair[1] != coordinate(y) or pair[0] not in tabled:
                yield self.wrong(line["id"], ", ".join(pair))
            else:
                ys.append(y)

    @cached_property
    def tabled(self) -> set[str]:
        """Where curves may have points: at the rows of the table, or at those of the first curve.

        The sweep over the batch is drawn closer than its table; its curves share their places.
        """
        rows = {row[0] for row in self.figure["table"]["rows"] if row}
        if self.name != "batch_sweep":
            return rows
        lines = [line for plot in self.figure["panels"] for line in plot["lines"]]
        drawn = [{pair[0] for pair in line["points"]} for line in lines]
        same = all(places == drawn[0] for places in drawn) and rows <= drawn[0]
        return drawn[0] if same else set()

    def roof(self, line: Mapping[str, Any]) -> Fault:
        """A roof of the roofline: x may be rounded there, so y has that room."""
        ridge = self.exact(MARKS["ridge"])
        corner = line["points"][-1 if line["id"] == "memory-roof" else 0]
        if ridge is None or corner[0] != coordinate(ridge):
            yield self.wrong(line["id"], corner[0])
        for pair in line["points"]:
            if not self.on_roof(pair[0], pair[1]):
                yield self.wrong(line["id"], ", ".join(pair))

    def on_roof(self, x: str, y: str) -> bool:
        """Whether a point lies on the lower of both roofs."""
        low, high = (self.roof_at(Fraction(x) + sign * slack(x)) for sign in (-1, 1))
        return low - slack(y) <= Fraction(y) <= high + slack(y)

    def roof_at(self, intensity: Fraction) -> Fraction:
        """The roof of the replica in TFLOP/s."""
        there = self.at["peak"]
        flat, slanted = there("P_peak").base, intensity * there("B_peak").base
        return there("g").base * min(flat, slanted) / 10**12

    def dot(self, point: Mapping[str, Any]) -> Fault:
        """A point of the scenario, or of a batch named in its id."""
        name = point["id"]
        batch = name.removeprefix("decode-")
        if self.name == "roofline" and name == "prefill":
            x = self.exact(("I_prefill", "peak", "FLOP/byte"))
            y = self.roof_at(x) if x is not None else None
        elif self.name == "roofline" and batch.isdigit() and len(batch) < 60:
            x, y = (self.exact(c, Fraction(batch)) for c in COLUMNS["roofline"][1:])
        elif name == "here":
            x, y = self.mark("T"), self.mark("b_max")
        else:
            x = y = None
        found = (point["x"], point["y"])
        if x is None or y is None or found != (coordinate(x), coordinate(y)):
            yield self.wrong(name, ", ".join(found))

    def mark(self, name: str) -> Fraction | None:
        """Where a mark belongs."""
        return self.exact(MARKS[name]) if name in MARKS and MARKS[name][0] in self.known else None

    @property
    def known(self) -> set[str]:
        """Ids that have a value or a formula here."""
        return {*self.ledger.given, *self.ledger.cards}

    def band(self, band: Mapping[str, Any], end: Fraction) -> Fault:
        """Within all limits: from one request to the first, or to the end of the drawing."""
        limits = [v for v in map(self.mark, ("b_max", "b_max_reserved", "b_knee", "b_slo")) if v]
        if (band["from"], band["to"]) != ("1", coordinate(min([*limits, end]))):
            yield self.wrong(band["id"], f"{band['from']} – {band['to']}")

    def axes(self, plot: Mapping[str, Any], ys: list[Fraction]) -> Fault:
        """Axes end where the data do: logarithmic ones exactly, others from nought with room."""
        xs = sorted((p[0] for line in plot["lines"] for p in line["points"]), key=Fraction)
        if xs and (plot["x"]["min"], plot["x"]["max"]) != (xs[0], xs[-1]):
            yield self.wrong("x", f"{plot['x']['min']} – {plot['x']['max']}")
        units = [friendly(CURVES.get((self.name, line["id"]), FLAT)[2]) for line in plot["lines"]]
        scales = ("log", "linear" if self.name in LINEAR else "log")
        if (plot["x"]["scale"], plot["y"]["scale"]) != scales:
            yield self.wrong("scale", ", ".join(scales))
        if plot["x"]["unit"] != COLUMNS[self.name][0 if self.name != "roofline" else 1][2]:
            yield self.wrong("x", plot["x"]["unit"])
        if {plot["y"]["unit"]} != set(units):
            yield self.wrong("y", plot["y"]["unit"])
        found, wanted = (plot["y"]["min"], plot["y"]["max"]), ("", "")
        if self.name == "roofline":
            texts = sorted((p[1] for line in plot["lines"] for p in line["points"]), key=Fraction)
            top = self.exact(FLAT)
            wanted = (texts[0] if texts else "", coordinate(2 * (top or Fraction(0))))
        elif plot["y"]["scale"] == "log" and ys:
            ys = [*ys, Fraction(1)] if self.name == "concurrency_over_context" else ys
            wanted = coordinate(min(ys)), coordinate(max(ys))
        elif ys:
            wanted = "0", coordinate(max(ys) * Fraction(11, 10))
        if found != wanted:
            yield self.wrong("y", " – ".join(found))

    @cached_property
    def places(self) -> set[str]:
        """The values of the variable that are drawn somewhere."""
        found = set()
        for figure in self.ledger.record["figures"]:
            for plot in drawings(figure):
                if figure["id"] == "roofline" == self.name:
                    found |= {p["id"].removeprefix("decode-") for p in plot["points"]}
                elif "roofline" not in (figure["id"], self.name):
                    found |= {p[0] for line in plot["lines"] for p in line["points"]}
        return {x for x in found if x.isdigit()}

    def table(self, table: Mapping[str, Any]) -> Fault:
        """The data beside the drawing, at four figures."""
        columns = COLUMNS[self.name]
        if self.name in ("concurrency_over_context", "experts_over_batch"):
            drawn = [
                line["id"] for line in self.figure["lines"] if (self.name, line["id"]) in CURVES
            ]
            columns = [*columns, *curves(self.name, *drawn)]
        units = tuple(c["unit"] for c in table["columns"])
        if units != tuple(friendly(c[2]) for c in columns):
            yield self.wrong("table", ", ".join(units))
        for row in table["rows"]:
            if len(row) != len(columns) or row[0] not in self.places:
                yield self.wrong("table", ", ".join(row))
                continue
            for column, cell in zip(columns, row, strict=True):
                value = self.exact(column, Fraction(row[0]))
                if cell != (NOTHING if value is None else coordinate(value, 4)):
                    yield self.wrong(f"table {row[0]}", cell)


def friendly(units: str) -> str:
    """A unit as axes name it: times per token are per request."""
    return units.replace("s*request/token", "s/token")


def coordinate(value: Fraction, figures: int = FIGURES) -> str:
    """A value as a drawing notes it: whole numbers in full, others at some figures."""
    return str(value) if value.denominator == 1 else significant(value, figures)


def slack(text: str) -> Fraction:
    """How far a noted coordinate may be from the exact one; short whole numbers are exact."""
    return half_unit(text) if "." in text or len(text) >= FIGURES else Fraction(0)
