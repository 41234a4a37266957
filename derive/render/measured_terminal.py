"""Measured runs in the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from derive.errors import columns, printable
from derive.text import tr

Record = Mapping[str, Any]
MARKS = {"explains": "+", "cannot": "-", "open": "?"}


def document(found: Record, lang: str) -> str:
    """Every run, then the experiment."""
    parts = [run_text(run, lang) for run in found["runs"]]
    if found.get("across"):
        parts.append("\n".join(f"! {text[lang]}" for text in found["across"]))
    if found.get("experiment"):
        parts.append(experiment_text(found["experiment"], lang))
    return "\n\n".join(parts)


def run_text(run: Record, lang: str) -> str:
    """One run: what the file says, then each phase beside its bound."""
    head = "  ".join(printable(t) for t in (run["tool"], run["file"], run["label"]) if t)
    facts = "  ".join(f"{key}: {printable(text)}" for key, text in run["facts"].items())
    lines = [head, *(["   " + facts] if facts else [])]
    rows = [
        (f"   {f['id']}", statistic(f["statistic"], lang), f["display"], f["meaning"][lang],
         printable(f["field"], 60))
        for f in run["figures"]
    ]  # fmt: skip
    if "phases" not in run:
        lines += columns(rows)
    lines += [f"   ! {note[lang]}" for note in run["notes"]]
    if "phases" in run:
        lines += load_lines(run, lang)
        for phase in run["phases"]:
            lines += ["", *phase_lines(phase, lang)]
        for total in run["totals"]:
            lines += ["", *total_lines(total, lang)]
        if not run["phases"] and not run["totals"]:
            lines.append("   " + tr("the file has neither TTFT nor TPOT to compare").in_(lang))
    return "\n".join(lines)


def statistic(name: str, lang: str) -> str:
    """Mean, median, percentile."""
    words = {"mean": tr("mean"), "p50": tr("median"), "one": tr("value"), "total": tr("total")}
    return words[name].in_(lang) if name in words else name


def load_lines(run: Record, lang: str) -> list[str]:
    """The load the bounds are computed at."""
    load = "  ".join(f"{name} = {value['display'][lang]}" for name, value in run["setting"].items())
    lines = ["   " + tr("bounds at {load}", load=load).in_(lang)]
    lines += [f"   ! {note[lang]}" for note in run["taken_notes"]]
    for figure in run["taken"]:
        if figure["note"]:
            lines.append(
                f"   {figure['id']}: {figure['note'][lang]} ({printable(figure['field'])})"
            )
    return lines


def phase_lines(phase: Record, lang: str) -> list[str]:
    """Measured, bounds, shares; meaning; what to do."""
    rows = [(f"   {phase['name']}", phase["measured"]["display"], tr("measured").in_(lang))]
    bounds = (
        ("bound", "share", tr("first-order bound at peak, weights and KV cache")),
        ("streamed", None, tr("the same with the bytes really read")),
        ("weights", "share_weights", tr("weights alone")),
    )
    for key, ratio, words in bounds:
        if phase[key]:
            told = words.in_(lang)
            if ratio and phase[ratio]:
                told += "  " + tr("share {share}", share=phase[ratio]["display"]).in_(lang)
            rows.append(("", phase[key]["display"], told))
    rows += [("", phase[key]["display"], key) for key in ("MBU", "MFU") if phase[key]]
    lines = columns(rows)
    lines.append(f"   {phase['wall'][lang]}; {phase['meaning'][lang]}")
    lines += [f"   {MARKS[e['state']]} {e['text'][lang]}" for e in phase["explanations"]]
    lines += [f"   → {text[lang]}" for text in phase["first"]]
    lines += [f"   × {text[lang]}" for text in phase["skip"]]
    return lines


def total_lines(total: Record, lang: str) -> list[str]:
    """A rate of the whole system."""
    share = tr("share {share}", share=total["share"]["display"]).in_(lang)
    roof = tr("compute roof, all requests together").in_(lang)
    rows = [
        (f"   {total['name']}", total["measured"]["display"], tr("measured").in_(lang)),
        ("", total["bound"]["display"], f"{roof}  {share}"),
    ]
    return [*columns(rows), *(f"   ! {note[lang]}" for note in total["notes"])]


def experiment_text(found: Record, lang: str) -> str:
    """What changed, the ratios, and what they support."""
    lines = [tr("experiment").in_(lang)]
    rows = [
        (f"   {name}", f"{change['before']['display']} → {change['after']['display']}")
        for name, change in found["changed"].items()
    ]
    lines += columns(rows)
    ratios = [("TPOT", found["TPOT"]), ("X", found["X"])]
    lines += columns(
        [
            (f"   {name}", "× " + (r["measured"] or {"display": "–"})["display"],
             tr("expected × {ratio}", ratio=r["expected"]["display"]).in_(lang))
            for name, r in ratios
            if r["expected"]
        ]
    )  # fmt: skip
    states: Sequence[Record] = found["hypotheses"]
    marks = {"supported": "+", "excluded": "-"}
    lines += columns(
        [
            (f"   {marks[h['state']]} {h['text'][lang]}", "× " + h["expected"]["display"])
            for h in states
        ]
    )
    return "\n".join([*lines, "   " + found["reading"][lang]])
