"""A file proved from end to end: a ledger or a comparison of several, and one line that says so."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from derive.ledger import COMPARISON
from derive.text import Text, same, tr
from derive.verify.compared import judged_comparison
from derive.verify.judge import MOST_FAULTS, judged
from derive.verify.reading import load_ledger


def verify_file(path: Path) -> tuple[list[Text], Text]:
    """The faults and a one-line summary; DeriveError where the file is no ledger."""
    record = load_ledger(path)
    several = record["format"] == COMPARISON
    found, compared = (judged_comparison if several else judged)(record, None)
    if found:
        count = str(len(found)) if len(found) < MOST_FAULTS else f"{MOST_FAULTS}+"
        if several:
            return found, tr("{count} faults: the comparison does not hold", count=count)
        return found, tr("{count} faults: the ledger does not hold", count=count)
    ledgers = record["ledgers"] if several else [record]
    told: dict[str, Text | str] = {
        "beside": beside(ledgers, compared),
        "hash": same(record["hash"][:19]),
    }
    told |= {"results": str(sum(len(one["results"]) for one in ledgers))}
    steps = str(sum(len(d["steps"]) for one in ledgers for d in one["derivations"]))
    if several:
        return found, tr(
            "holds: {count} candidates, {results} results, {steps} steps recomputed, and every "
            "ratio, verdict and reason from them; {beside}; {hash}",
            count=str(len(ledgers)), steps=steps, **told,
        )  # fmt: skip
    return found, tr(
        "holds: {results} results, {steps} steps recomputed; {beside}; {hash}", steps=steps, **told
    )


def beside(ledgers: list[Mapping[str, Any]], compared: bool) -> Text:
    """What was held against the specs, and what could not be."""
    made = (
        tr("sources and inputs agree with the specs at hand") if compared else
        tr("no specs at hand to compare sources with")
    )  # fmt: skip
    if others := sum(len(of_others(one)) for one in ledgers):
        made = tr("{beside}; {count} measured runs are of another model or accelerator and are "
                  "not proved here", beside=made, count=others)  # fmt: skip
    return made


def of_others(record: Mapping[str, Any]) -> list[Any]:
    """Measured runs that name their own model or accelerator, which is not the ledger's."""
    own = {key: record["scenario"][key]["id"] for key in ("model", "hardware")}
    runs = record.get("measured", {}).get("runs", ())
    return [run for run in runs if "scenario" in run and run["scenario"] != own]
