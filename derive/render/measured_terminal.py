"""Measured runs in the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from derive.errors import columns, printable
from derive.render import runs
from derive.render.folding import folded
from derive.render.measured_start import profile_lines, start_lines
from derive.text import Text, tr

Record = Mapping[str, Any]
MARKS = {"explains": "+", "cannot": "-", "open": "?"}
INDENT = "   "
MOST_KERNELS, LONGEST_NAME = 10, 44
SINGLE, SPREAD = ("mean", "one", "total"), ("p50", "p90", "p99")
BOUNDS = {"TPOT": tr("first-order bound at peak, weights and KV cache"),
          "TTFT": tr("prefill of one prompt at peak")}  # fmt: skip
TOLD = {"model": tr("model"), "hardware": tr("hardware"), "weights": tr("weights")}


def document(found: Record, lang: str) -> str:
    """Every run, then what does not fit together, then the experiment."""
    parts = [run_text(run, lang) for run in found["runs"]]
    if found.get("across"):
        parts.append("\n".join(said("! ", found["across"], lang, "")))
    if found.get("experiment"):
        parts.append(experiment_text(found["experiment"], lang))
    return "\n\n".join(parts)


def said(
    mark: str, texts: Iterable[Mapping[str, str] | Text], lang: str, indent: str = INDENT
) -> list[str]:
    """Sentences behind a mark, folded."""
    made = (t.in_(lang) if isinstance(t, Text) else t[lang] for t in texts)
    return [line for text in made for line in folded(text, indent + mark)]


def run_text(run: Record, lang: str) -> str:
    """One run: what the file says, then each phase beside its bound."""
    head = "  ".join(printable(t) for t in (run["tool"], run["file"], run["label"]) if t)
    colon = "：" if lang == "zh" else ": "
    facts = "  ".join(f"{n.in_(lang)}{colon}{printable(t)}" for n, t in runs.facts(run))
    lines = [head, *folded(facts, INDENT)] if facts else [head]
    if "setting" not in run:
        lines += figure_lines(run, lang)
        lines += said("! ", [*run["notes"], *untold(run)], lang)
        return "\n".join([*lines, *kernel_lines(run, lang)])
    lines += said("! ", [*run["notes"], *run["cautions"]], lang)
    lines += load_lines(run, lang)
    for phase in run["phases"]:
        lines += ["", *phase_lines(phase, lang)]
    for total in run["totals"]:
        lines += ["", *total_lines(total, lang)]
    lines += kernel_lines(run, lang)
    lines += profile_lines(run["kernels"], lang)
    lines += start_lines(run["start"], lang)
    known = ("phases", "totals", "kernels", "start")
    if not any(run[key] for key in known):
        lines += said("", [tr("the file has neither TTFT nor TPOT to compare")], lang)
    return "\n".join(lines)


def figure_lines(run: Record, lang: str) -> list[str]:
    """A line a figure: its mean or its only value, then what else is told of it."""
    by_id: dict[str, list[Record]] = {}
    for figure in run["figures"]:
        by_id.setdefault(figure["id"], []).append(figure)
    rows: list[tuple[str, ...]] = []
    for name, found in by_id.items():
        first, *others = sorted(found, key=lambda f: f["statistic"] not in SINGLE)
        more = [f for f in others if f["statistic"] in SPREAD]
        spread = "  ".join(f"{statistic(f, lang)} {bare(f, first)}" for f in more)
        rows.append((INDENT + name, statistic(first, lang), first["display"], spread,
                     first["meaning"][lang], printable(first["field"], 60)))  # fmt: skip
    if not any(row[3] for row in rows):
        rows = [row[:3] + row[4:] for row in rows]
    return columns(rows)


def statistic(figure: Record, lang: str) -> str:
    """Mean, median, percentile."""
    return runs.statistic(figure["statistic"]).in_(lang)


def bare(figure: Record, first: Record) -> str:
    """A value without the unit that stands before it already."""
    _, _, unit = first["display"].removeprefix("≈ ").partition(" ")
    return str(figure["display"].removesuffix(f" {unit}") if unit else figure["display"])


def untold(run: Record) -> list[Text]:
    """What a scenario must say because the file does not."""
    lacking = [name for key, name in TOLD.items() if key not in run["facts"]]
    if not lacking:
        return []
    names = Text(", ".join(n.en for n in lacking), "、".join(n.zh for n in lacking))
    return [tr("the file does not tell: {names}", names=names)]


def load_lines(run: Record, lang: str) -> list[str]:
    """The load the bounds are computed at."""
    comma = "，" if lang == "zh" else ", "
    load = comma.join(f"{name} = {v['display'][lang]}" for name, v in run["setting"].items())
    lines = said("", [tr("bounds at {load}", load=load)], lang)
    lines += said("! ", run["taken_notes"], lang)
    for figure in run["taken"]:
        if figure["note"]:
            field = printable(figure["field"])
            where = f"（{field}）" if lang == "zh" else f" ({field})"
            lines += folded(f"{figure['note'][lang]}{where}", f"{INDENT}{figure['id']}  ")
    return lines


def phase_lines(phase: Record, lang: str) -> list[str]:
    """Measured, bounds, shares; meaning; what to do."""
    rows = [(f"{INDENT}{phase['name']}", phase["measured"]["display"], tr("measured").in_(lang))]
    bounds = (
        ("bound", "share", BOUNDS[phase["name"]]),
        ("streamed", None, tr("the same with the bytes really read")),
        ("weights", "share_weights", tr("weights alone")),
    )
    for key, ratio, words in bounds:
        if phase[key]:
            share = tr("share {share}", share=phase[ratio]["display"]) if ratio else None
            rows.append(("", phase[key]["display"], words.in_(lang),
                         *([share.in_(lang)] if share else [])))  # fmt: skip
    rows += [("", phase[key]["display"], key) for key in ("MBU", "MFU") if phase[key]]
    stop = "；" if lang == "zh" else "; "
    lines = [
        *columns(rows),
        *folded(f"{phase['wall'][lang]}{stop}{phase['meaning'][lang]}", INDENT),
    ]
    for why in phase["explanations"]:
        lines += said(f"{MARKS[why['state']]} ", [why["text"]], lang)
    return [*lines, *said("→ ", phase["first"], lang), *said("× ", phase["skip"], lang)]


def total_lines(total: Record, lang: str) -> list[str]:
    """A rate of the whole system."""
    rows = [
        (f"{INDENT}{total['name']}", total["measured"]["display"], tr("measured").in_(lang)),
        ("", total["bound"]["display"], tr("compute roof, all requests together").in_(lang),
         tr("share {share}", share=total["share"]["display"]).in_(lang)),
    ]  # fmt: skip
    return [*columns(rows), *said("! ", total["notes"], lang)]


def kernel_lines(run: Record, lang: str) -> list[str]:
    """The longest kernels; with a scenario also their place under the roof of one device."""
    if not run["kernels"]:
        return []
    found = runs.with_intensity(run["kernels"])
    names = [tr("kernel"), tr("calls"), tr("time"), tr("share of the time"), tr("intensity"),
             tr("time at the roof"), tr("roof / time")]  # fmt: skip
    keys = ["time", "share", "intensity", "bound", "reached"]
    if "setting" not in run:
        names, keys = names[:-2], keys[:-2]
    rows = [(INDENT + names[0].in_(lang), *(n.in_(lang) for n in names[1:]))]
    rows += [
        (INDENT + printable(row["name"], LONGEST_NAME), f"{row['calls']:,}",
         *(row[key]["display"] if row[key] else "–" for key in keys))
        for row in found["rows"][:MOST_KERNELS]
    ]  # fmt: skip
    lines = ["", *columns(rows)]
    if found["count"] > MOST_KERNELS:
        lines += said("", [tr("{count} kernels, {time} in all; the others are in --json and --to",
                              count=f"{found['count']:,}", time=found["total"]["display"])],
                      lang)  # fmt: skip
    return [*lines, *said("! ", runs.kernel_notes(run), lang)]


def experiment_text(found: Record, lang: str) -> str:
    """What changed, the ratios, and what they support."""
    lines = [tr("experiment").in_(lang)]
    lines += columns(
        (f"{INDENT}{name}", f"{change['before']['display']} → {change['after']['display']}")
        for name, change in found["changed"].items()
    )
    lines += columns(
        (f"{INDENT}{name}", "× " + (found[name]["measured"] or {"display": "–"})["display"],
         tr("expected × {ratio}", ratio=found[name]["expected"]["display"]).in_(lang))
        for name in ("TPOT", "X")
        if found[name]["expected"]
    )  # fmt: skip
    marks = {"supported": "+", "excluded": "-"}
    lines += columns(
        (f"{INDENT}{marks[h['state']]} {h['text'][lang]}", "× " + h["expected"]["display"])
        for h in found["hypotheses"]
    )
    return "\n".join([*lines, *said("", [found["reading"]], lang)])
