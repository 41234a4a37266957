"""Measured runs as the templates ask for them, in a report and in a document of their own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from derive.render import numbers
from derive.text import Text, same, tr

Record = Mapping[str, Any]
TONE = {"beats": "missed", "hardware": "met", "between": "", "software": "missed"}
DECIMAL = re.compile(r"\d[\d,]*\.\d+")
STATES = (None, "explains", "open", "cannot")
BANDS = ("beats", "software", "between", "hardware")  # what asks for attention first


def words() -> dict[str, Any]:
    """What bands, bounds and states are called, and the colour of each band."""
    return {
        "tone": TONE,
        "bands": {
            "beats": tr("beats the bound"),
            "hardware": tr("hardware"),
            "between": tr("both"),
            "software": tr("software"),
        },
        "states": {
            "explains": tr("explains it"),
            "cannot": tr("cannot explain it"),
            "open": tr("open"),
            "supported": tr("supported"),
            "excluded": tr("excluded"),
        },
    }


def view(measured: Record) -> dict[str, Any]:
    """The runs numbered; those with bounds by machine, diagnoses each once, profiles."""
    runs = [numbered(run, number) for number, run in enumerate(measured["runs"], 1)]
    held = [run for run in runs if run["lines"]]
    machines = by_machine(held)
    return {
        **measured,
        "runs": runs,
        "held": held,
        "machines": machines,
        "named": len(machines) > 1,
        "phased": [run for run in held if run["phases"]],
        "diagnoses": diagnoses(held),
        "profiles": [run for run in runs if run["kernels"]],
        "starts": [run for run in runs if run["start"]],
    }


def numbered(run: Record, number: int) -> dict[str, Any]:
    """A run with what its rows show; a run without a scenario has no phases and no totals."""
    phases, totals = run.get("phases", ()), run.get("totals", ())
    notes = [note for one in totals for note in one["notes"]]
    return {
        **run,
        "number": number,
        "called": called(run),
        "load": load(run),
        "format": run["of"]["precision"]["weights"] if "of" in run else "",
        "said": facts(run),
        "told": [*run["notes"], *run.get("cautions", ()), *run.get("taken_notes", ()), *notes],
        "start": [started(row) for row in run.get("start") or ()],
        "taken": run.get("taken", ()),
        "phases": phases,
        "kernels": with_intensity(run["kernels"]) if run["kernels"] else None,
        "kernel_notes": kernel_notes(run),
        "figures": [{**f, "statistic_name": statistic(f["statistic"])} for f in run["figures"]],
        "lines": [*map(phase, phases), *map(total, totals)],
    }


def started(row: Record) -> dict[str, Any]:
    """A figure that an engine printed at its start beside the one that follows."""
    verdicts = {
        "agrees": tr("agrees"),
        "explained": tr("explained"),
        "open": tr("may be explained"),
        "differs": tr("differs"),
        "compared": tr("compared"),
    }
    follows = row["expected"]["display"]
    if row["low"]:
        ends = row["low"]["display"], row["high"]["display"]
        follows = ends[0] if ends[0] == ends[1] else f"{ends[0]} … {ends[1]}"
    printed = row["printed"]["display"] if row["printed"] else ""
    return {**row, "follows": follows, "shown": printed, "verdict": verdicts[row["state"]]}


def called(run: Record) -> str:
    """What tells a run from the others."""
    return str(run["label"] or run["tool"])


def load(run: Record) -> dict[str, str]:
    """Counts of the load without their units."""
    setting = run.get("setting", {})
    return {name: numbers.split(value["display"]["en"]).number for name, value in setting.items()}


def phase(record: Record) -> dict[str, Any]:
    """A row of the overview for TTFT or TPOT."""
    return {**record, "tone": TONE[record["band"]], "limit": words()["bands"][record["band"]]}


def total(record: Record) -> dict[str, Any]:
    """A row for a rate of the whole system, whose roof no band judges."""
    if record["share"]["value"] > 1:
        return {**record, "band": None, "tone": TONE["beats"], "limit": words()["bands"]["beats"]}
    return {**record, "band": None, "tone": "", "limit": None}


def by_machine(runs: Iterable[Record]) -> list[dict[str, Any]]:
    """Runs of one model on one machine together, in the order in which machines appear."""
    found: dict[str, dict[str, Any]] = {}
    for run in runs:
        name = machine(run["of"])
        found.setdefault(name.en, {"name": name, "runs": []})["runs"].append(run)
    return list(found.values())


def machine(of: Record) -> Text:
    """Model and devices in one line."""
    names = zip(*(of[key].values() for key in ("model", "hardware")), strict=True)
    return Text(*(f"{model}, {of['devices']} × {hardware}" for model, hardware in names))


def diagnoses(runs: Iterable[Record]) -> list[dict[str, Any]]:
    """Each finding once: its wall and band, its runs, and advice with the runs it is for."""
    groups: dict[tuple[str, ...], list[tuple[Record, Record]]] = {}
    for run in runs:
        for one in run["phases"]:
            key = (one["band"], one["name"], one["wall"]["en"])
            groups.setdefault(key, []).append((run, one))
    order = sorted(groups, key=lambda key: (BANDS.index(key[0]), -len(groups[key])))
    return [diagnosis(groups[key]) for key in order]


def diagnosis(found: Sequence[tuple[Record, Record]]) -> dict[str, Any]:
    """What the phases of one group say."""
    first = found[0][1]
    listed = {
        key: gathered([(run, text, None) for run, one in found for text in one[key]], len(found))
        for key in ("first", "skip")
    }
    why = [(run, e["text"], e["state"]) for run, one in found for e in one["explanations"]]
    return {
        **first, **listed,
        "runs": [run for run, _ in found],
        "tone": TONE[first["band"]],
        "limit": words()["bands"][first["band"]],
        "explanations": gathered(why, len(found)),
    }  # fmt: skip


def gathered(
    given: Iterable[tuple[Record, Mapping[str, str], str | None]], all_runs: int
) -> list[dict[str, Any]]:
    """Sentences each once; `runs` are empty where a sentence is for every run of the group.

    Sentences that differ in decimals alone become one, with the least and the most of each.
    """
    found: dict[tuple[str, str, str | None], list[tuple[Record, Mapping[str, str]]]] = {}
    for run, text, state in given:
        en, zh = (DECIMAL.sub("0", text[lang]) for lang in ("en", "zh"))
        found.setdefault((en, zh, state), []).append((run, text))
    rows = [
        {"text": {lang: spanned([text[lang] for _, text in one]) for lang in ("en", "zh")},
         "state": state, "runs": [run for run, _ in one] if len(one) < all_runs else []}
        for (_, _, state), one in found.items()
    ]  # fmt: skip
    return sorted(rows, key=lambda row: STATES.index(row["state"]))


def spanned(texts: Sequence[str]) -> str:
    """Texts of the same words as one: where their decimals differ, from the least to the most."""
    each = zip(*map(DECIMAL.findall, texts), strict=True)
    slots = [sorted(set(found), key=plain) for found in each]
    ends = iter(s[0] if len(s) == 1 else f"{s[0]} – {s[-1]}" for s in slots)
    return DECIMAL.sub(lambda _: next(ends), texts[0])


def plain(number: str) -> Fraction:
    """A displayed number as a value to sort by."""
    return Fraction(number.replace(",", ""))


def with_intensity(profile: Record) -> dict[str, Any]:
    """Kernels whose rows all have an intensity, or none."""
    return {**profile, "rows": [{"intensity": None, **row} for row in profile["rows"]]}


def kernel_notes(run: Record) -> list[Mapping[str, str]]:
    """Where the time goes, and how operations and bytes were told, each way once."""
    found = run["kernels"] or {}
    ways = {row["how"]["en"]: row["how"] for row in found.get("rows", ()) if row["how"]}
    return [*found.get("diagnosis", ()), *ways.values()]


def facts(run: Record) -> list[tuple[Text, str]]:
    """What the file says that is no figure."""
    names = {
        "model": tr("model"), "hardware": tr("hardware"), "engine": tr("engine"),
        "weights": tr("weights"), "kv_cache": tr("KV cache"), "parallel": tr("parallel"),
    }  # fmt: skip
    return [(names.get(key, same(key)), text) for key, text in run["facts"].items()]


def statistic(name: str) -> Text:
    """Mean, median, percentile."""
    known = {"mean": tr("mean"), "p50": tr("median"), "one": tr("value"), "total": tr("total")}
    return known.get(name) or same(name)


def title() -> Text:
    """The heading of a document of measured runs."""
    return tr("Measured against the bound")
