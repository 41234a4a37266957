"""The document's tables: rows with their numbers aligned, from the records of the ledger."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from derive.render import numbers
from derive.render.cards import Card
from derive.text import Text, same, tr

HEADLINES = ("TTFT", "TTFT_burst", "TPOT", "TPOT_tp", "E2E", "X", "b_slo", "b_max", "b_max_tp",
             "b_max_reserved",
             "T_in_slo", "g_slo", "TTFT_queue", "replicas", "cost_token", "cost_in", "cost_out",
             "energy_token")  # fmt: skip
LONGEST, WIDEST_HALF = 8, 4  # rows and columns beyond which a figure's data is not folded in two

Record = Mapping[str, Any]


def precision(of: Mapping[str, str]) -> Text:
    """The formats, each by what it is of where they differ, and what the peak is."""
    peak = tr("without sparsity") if of["sparsity"] == "dense" else tr("with sparsity")
    formats = [of[key] for key in ("weights", "kv_cache", "compute")]
    if len(set(formats)) == 1:
        return tr("{format}, {peak}", format=formats[0], peak=peak)
    weights, cache, compute = formats
    return tr(
        "weights {weights} · KV {cache} · matmul {compute} · {peak}",
        weights=weights, cache=cache, compute=compute, peak=peak,
    )  # fmt: skip


def target(ledger: Record, name: str) -> dict[str, Any] | None:
    """What a result is held against, and whether it is met."""
    goal = next((i for i in ledger["inputs"] if i["id"] == f"target_{name}"), None)
    tile = next((t for t in ledger["verdict"]["tiles"] if t["id"] == name), None)
    return {"shown": goal["shown"], "state": tile["state"]} if goal and tile else None


KEPT_BY = {"TTFT": ("T_in_slo", "g_ttft"), "TPOT": ("b_slo", "g_tpot")}


def targets(ledger: Record, cards: Mapping[str, Card]) -> list[dict[str, Any]]:
    """Each target with the margins at low, typical and high, and what keeps it."""
    rows = []
    for name, (most, devices) in KEPT_BY.items():
        goal, card, left = target(ledger, name), cards.get(name), cards.get(f"margin_{name}")
        if goal is None or card is None:
            continue
        result = (left.result if left else None) or {}
        ends = [result.get(key) for key in ("low_exact", "exact", "high_exact")]
        rows.append({
            "card": card, "target": goal,
            "margins": [numbers.percent(e) if e else "–" for e in ends],
            "most": cards.get(most), "devices": cards.get(devices),
        })  # fmt: skip
    return rows


def key_results(ledger: Record, cards: Mapping[str, Card]) -> list[dict[str, Any]]:
    """The headline quantities with range, peak and target; a reason is given once."""
    chosen = [cards[n] for n in HEADLINES if n in cards and cards[n].result is not None]
    rows: list[dict[str, Any]] = []
    before: Record | None = None
    for card in chosen:
        first = card.shown.sign + card.shown.number if card.shown else ""
        ends = (v.number if v else "" for v in (card.low, card.high, card.peak))
        rows.append({  # each row has its own unit: no decimal point is another's
            "card": card, "value": card.shown, "cells": [first, *ends],
            "target": target(ledger, card.record["id"]),
            "why": tr("as above") if card.why and card.why == before else card.why,
        })  # fmt: skip
        before = card.why
    return rows


def input_groups(ledger: Record) -> list[tuple[str, Text, list[dict[str, Any]]]]:
    """Inputs by what they are about; one alignment for all of them."""
    titles = {
        "hardware": tr("Hardware"),
        "model": tr("Model"),
        "workload": tr("Workload and targets"),
        "calibration": tr("Calibration and memory"),
        "measured": tr("Measured"),
        "derived": tr("Set by hand"),
    }
    parts = [numbers.split(i["shown"]) for i in ledger["inputs"]]
    column = numbers.aligned(p.sign + p.number for p in parts)
    rows: dict[str, list[dict[str, Any]]] = {}
    for record, part, number in zip(ledger["inputs"], parts, column, strict=True):
        rows.setdefault(record["about"], []).append({
            **record, "number": number, "parts": part, "given": as_given(record),
            "tags": tags(record), "key": key(record["origin"]),
        })  # fmt: skip
    order = [*titles, *(k for k in rows if k not in titles)]
    return [(k, titles.get(k, Text(k, k)), rows[k]) for k in order if k in rows]


def tags(record: Record) -> Text:
    """The basis of a value as one phrase a language."""
    basis = record["basis"]
    return Text(", ".join(b["en"] for b in basis), "，".join(b["zh"] for b in basis))


def key(origin: str) -> Text:
    """The key of a file that gave a value, or the option of the command line."""
    if origin.startswith("--"):
        return tr("command line {option}", option=origin.replace(": ", " "))
    return same(origin.partition(": ")[2])


def as_given(record: Record) -> str:
    """How the specification words a value, where the display shows another number."""
    given, shown = (numbers.value(numbers.split(str(record[k])).number) for k in ("text", "shown"))
    return "" if given is None or shown is None or given == shown else str(record["text"])


def calibration(ledger: Record) -> list[dict[str, Any]]:
    """MFU and MBU: low, typical, high and their sources."""
    rows = []
    for name, triple in ledger["calibration"].items():
        keys = [k for v in triple.values() for k in v["sources"]]
        row = {k: triple[k]["text"] for k in ("low", "typical", "high")}
        how = next((v["how"] for v in triple.values() if v["how"]), None)
        rows.append({"id": name, **row, "sources": list(dict.fromkeys(keys)), "how": how})
    return rows


def summed(ledger: Record) -> tuple[str, ...]:
    """The rows of the bytes table; stages and groups read weights again."""
    laid = ledger["results"].get("Q_laid", {}).get("value") is not None
    parts = ("W_laid", "KV_laid", "Q_laid") if laid else ("W_read", "KV_total", "Q_step")
    return (*parts, "bytes_per_token")


def bytes_split(ledger: Record) -> tuple[float, float] | None:
    """Weights and KV cache as shares of a drawing's width, in percent."""
    found = [ledger["results"].get(i, {}) for i in summed(ledger)[:2]]
    if any(f.get("value") is None for f in found):
        return None
    # an exact fraction may be too long to note
    weights, cache = (Fraction(str(f["exact"] or f["value"])) for f in found)
    if not weights + cache:
        return None
    share = round(float(weights / (weights + cache)) * 100, 2)
    return share, round(100 - share, 2)


def levers(ledger: Record) -> list[tuple[str, list[dict[str, Any]]]]:
    """Levers by target, elasticities as aligned numbers."""
    by_target: dict[str, list[dict[str, Any]]] = {}
    for lever in ledger["levers"]:
        near = numbers.value(numbers.split(lever["shown"].removesuffix(" %")).number)
        row = {
            **lever,
            "number": numbers.elasticity(lever["exact"] or str(near)),
            "formula": numbers.value(lever["tree"]) is None,  # a number stands in its column
        }
        by_target.setdefault(lever["target"], []).append(row)
    return list(by_target.items())


def levers_missing(ledger: Record) -> dict[str, list[Mapping[str, str]]]:
    """Levers that have no elasticity, by target, each with its sentence."""
    by_target: dict[str, list[Mapping[str, str]]] = {}
    for row in ledger.get("levers_missing", ()):
        by_target.setdefault(row["target"], []).append(row["text"])
    return by_target


def data(figure: Record, *, fold: bool) -> dict[str, Any]:
    """A figure's rows, columns aligned; `fold` lays a long narrow table in two halves."""
    columns = [
        numbers.aligned(numbers.grouped(c)) for c in zip(*figure["table"]["rows"], strict=True)
    ]
    rows = list(zip(*columns, strict=True))
    labels = figure["table"].get("labels")
    if not fold or labels or len(rows) <= LONGEST or len(columns) > WIDEST_HALF:
        return {"folds": 1, "rows": rows, "labels": labels}
    height = (len(rows) + 1) // 2
    blank: Sequence[str] = ("",) * len(columns)
    right = [*rows[height:], *([blank] * (2 * height - len(rows)))]
    return {
        "folds": 2,
        "labels": None,
        "rows": [(*a, *b) for a, b in zip(rows[:height], right, strict=True)],
    }


# each target: first order at peak, the ideal of the second order, with overheads, then reachable
ORDERS = {
    "TTFT": ("t_prefill", "TTFT_ideal", "TTFT_second", "TTFT", "TTFT_exp"),
    "TPOT": ("t_step", "TPOT_ideal", "TPOT_second", "TPOT", "TPOT_exp"),
}


def orders(ledger: Record) -> list[dict[str, Any]]:
    """First order, second order and reachable side by side; nothing where no second is known."""
    found = ledger["results"]
    several = next((i["text"] for i in ledger["inputs"] if i["id"] == "b_pre"), "1 request")
    rows = []
    for target, names in ORDERS.items():
        if not all(name in found for name in names):
            continue
        one = target == "TTFT" and several.split()[0] != "1"  # the first order is of one prompt
        shown = ["–" if one and n in FIRST else found[n]["display"]["en"] for n in names]
        rows.append({"id": target, "names": names, "shown": [spread(text) for text in shown]})
    return rows


def orders_note(ledger: Record) -> Text | None:
    """Why one report's orders count other bytes: only the second knows what is held in copies."""
    if not any(i["id"] == "g_tp" and i["exact"] != "1/1" for i in ledger["inputs"]):
        return None
    return tr(
        "No layout was named. The first order counts every byte once, the second counts the latent "
        "cache as tensor parallelism keeps it, a copy on each device: a first-order time may lie "
        "below the ideal of the second."
    )


FIRST = ("t_prefill", "TTFT")


def spread(shown: str) -> dict[str, str]:
    """A value and its range apart; both read alike in every language."""
    value, _, ends = shown.partition(" (")
    low, _, high = ends.removesuffix(")").partition(" – ")
    one, other = numbers.split(low), numbers.split(high)
    span = f"{one.number} – {other.number}" if one.unit == other.unit else f"{low} – {high}"
    return {"shown": value, "range": span if high else ""}


def adding(ledger: Record) -> dict[str, Any] | None:
    """Layouts with what each gives; a unit that a column shares stands in its head."""
    found = ledger.get("adding") or ()
    if not found:
        return None
    columns, heads = [], []
    for name in found[0]["values"]:
        shown = [numbers.split(row["values"][name]["shown"]) for row in found]
        units = {one.unit for one in shown}
        shared = units.pop() if len(units) == 1 else ""
        heads.append({"id": name, "unit": shared})
        columns.append([f"{s.sign}{s.number}" + ("" if shared else f" {s.unit}") for s in shown])
    rows = [
        {
            "name": row["name"],
            "sizes": " · ".join(row["layout"][kind] for kind in ("TP", "PP", "DP", "EP")),
            "cells": cells,
        }
        for row, cells in zip(found, zip(*columns, strict=True), strict=True)
    ]
    return {"heads": heads, "rows": rows, "what": [row["what"] for row in found if row["what"]]}


def order_heads() -> tuple[Text, ...]:
    """The columns of that table."""
    return (
        tr("first order, peak"),
        tr("second order, ideal"),
        tr("with overheads, peak"),
        tr("first order, reachable"),
        tr("second order, expected"),
    )
