"""The waterfall of a ledger: every bar from one sum to the next, each sum computed again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from derive.text import Text, tr
from derive.units import unit
from derive.units.digits import significant
from derive.verify.say import quoted
from derive.verify.texts import NoValue, read
from derive.verify.values import Ledger

NAME = "waterfall"
AXIS = "ms*request/token"
READ = "PP * W_stream_dev + KV_dev"
IDEAL = f"({READ}) / B_peak"
FULL = f"max(t_ops, ({READ} + Q_more_dev) / B_peak)"
WRITES = "KV_write * kappa_dev / kappa / DP"
# id -> the sum with this term and all above it
SUMS = {
    "floor": "TPOT_floor",
    "tables": "TPOT_floor - PP * (W_read_dev - W_stream_dev) / B_peak / n",
    "copies": "PP * W_stream_dev / B_peak / n",
    "cache": "(PP * W_stream_dev + KV_read / g) / B_peak / n",
    "cache_copies": f"{IDEAL} / n",
    "operations": f"max(t_ops, {IDEAL}) / n",
    "writes": f"max(t_ops, ({READ} + {WRITES}) / B_peak) / n",
    "activations": f"{FULL} / n",
    "launch": f"({FULL} + L * t_launch) / n",
    "links": f"({FULL} + t_over) / n",
    "rates": f"(max(t_ops / MFU, ({READ} + Q_more_dev) / (MBU * B_peak)) + t_over) / n",
}
TOTALS = {"ideal": "operations", "second": "links", "expected": "rates"}  # total -> its last term
ALWAYS = ("floor", "tables", "cache", "rates", *TOTALS)


def check_waterfall(ledger: Ledger, figure: Mapping[str, Any]) -> Iterator[Text]:
    """Bars, table and axis."""
    bars, rows = figure.get("bars", ()), figure["table"]["rows"]
    try:
        wanted = expected(ledger)
    except NoValue as missing:
        yield tr("figure {figure}: {why}", figure=NAME, why=missing.why)
        return
    if [(b["id"], b["from"], b["to"]) for b in bars] != [
        (name, coordinate(low), coordinate(high)) for name, low, high in wanted
    ]:
        yield wrong("bars", ", ".join(f"{b['id']} {b['from']} {b['to']}" for b in bars))
        return
    last = wanted[-1][2]
    cells = [
        [coordinate(high - low, 4), coordinate(high, 4), coordinate((high - low) / last * 100, 4)]
        for _, low, high in wanted
    ]
    if rows != cells:
        yield wrong("table", "; ".join(", ".join(row) for row in rows))
    if [c["unit"] for c in figure["table"]["columns"]] != ["ms/token", "ms/token", "%"]:
        yield wrong("table", ", ".join(c["unit"] for c in figure["table"]["columns"]))
    if figure["table"].get("labels") != [bar["label"] for bar in bars]:
        yield wrong("table", "labels")
    axis = figure["x"]
    most = max(max(low, high) for _, low, high in wanted) * Fraction(11, 10)
    found = (axis["unit"], axis["scale"], axis["min"], axis["max"])
    if found != ("ms/token", "linear", "0", coordinate(most)):
        yield wrong("x", " ".join(found))


def expected(ledger: Ledger) -> list[tuple[str, Fraction, Fraction]]:
    """Each bar with both ends in milliseconds per token; terms that change nothing left out."""
    made: list[tuple[str, Fraction, Fraction]] = []
    before = Fraction(0)
    for name, text in SUMS.items():
        after = ledger.here.quantity(read(text), unit(AXIS)).value
        if name in ALWAYS or after != before:
            made.append((name, before, after))
        before = after
        made += [(total, Fraction(0), after) for total, term in TOTALS.items() if term == name]
    return made


def coordinate(value: Fraction, figures: int = 6) -> str:
    """A value as the figure notes it."""
    return str(value) if value.denominator == 1 else significant(value, figures)


def wrong(item: str, found: str) -> Text:
    """One part that does not hold."""
    return tr(
        "figure {figure}: {item}: {found} is not the value there",
        figure=NAME, item=quoted(item), found=quoted(found),
    )  # fmt: skip
