"""A comparison: every candidate's ledger is proved, then all that is said beside follows from them.

The whole record is made again from the ledgers' own text and held against what is written, so that
no number, unit, id or sentence of it can be another one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from derive.ledger import COMPARISON
from derive.text import Text, tr
from derive.verify.candidate import Candidate, candidate
from derive.verify.compared_columns import ROWS, column, settings_hold
from derive.verify.compared_sheets import Document, rooflines, sources
from derive.verify.judge import MOST_FAULTS, UNEXPECTED, check_hash, judged, standing
from derive.verify.say import quoted
from derive.verify.texts import Broken, NoValue

LONGEST_NAME = 2_000  # of a candidate, as it was asked for


def judged_comparison(
    record: Mapping[str, Any], roots: tuple[Path, ...] | None
) -> tuple[list[Text], bool]:
    """The faults of a comparison, and whether specs were at hand for every candidate."""
    found = list(check_hash(record))
    ledgers, columns = record.get("ledgers"), record.get("columns")
    if not (tables(ledgers) and tables(columns) and len(ledgers or ()) == len(columns or ())):
        return [*found, tr("ledgers and columns: expected one of each for every candidate")], False
    compared = True
    for number, ledger in enumerate(ledgers or ()):
        faults, at_hand = judged(ledger, roots)
        compared &= at_hand
        if faults:  # what is compared relies on it
            told = (tr("candidate {number}: {fault}", number=str(number), fault=f) for f in faults)
            return [*found, *told][:MOST_FAULTS], compared
    try:
        found += islice(differences(record, Basis(ledgers or [])), MOST_FAULTS)
    except (Broken, NoValue) as error:
        found.append(tr("the comparison cannot be computed: {why}", why=error.why))
    except UNEXPECTED as error:
        why = quoted(f"{type(error).__name__}: {error}", 120)
        found.append(tr("the comparison cannot be computed: {why}", why=why))
    return found[:MOST_FAULTS], compared


def tables(value: Any) -> bool:
    """Whether a value is a list of tables that is not empty."""
    return isinstance(value, list) and bool(value) and all(isinstance(v, dict) for v in value)


class Basis:
    """What the candidates' ledgers, which hold, give to a comparison."""

    def __init__(self, ledgers: list[Any]) -> None:
        self.document = Document()
        self.candidates: list[Candidate] = []
        for ledger in ledgers:
            with standing(ledger):
                self.candidates.append(candidate(ledger, tuple(ROWS)))
                self.document.add(self.candidates[-1])
        base, document = ledgers[0]["scenario"], self.document
        self.wanted = {
            "format": COMPARISON,
            "program": ledgers[0]["program"],
            "title": base["title"],
            "date": base["date"],
            "scenario": base["id"],
            "cautions": cautions(ledgers),
            "sheets": list(document.sheets.values()),
            "figures": [rooflines(document.places)],
            "symbols": document.symbols(),
            "sources": sources(document.cited, ledgers),
        }


def differences(record: Mapping[str, Any], basis: Basis) -> Iterator[Text]:
    """Where a comparison is not what its candidates' ledgers give."""
    first = basis.candidates[0]
    for number, here in enumerate(basis.candidates):
        name = record["columns"][number].get("name")
        known = isinstance(name, str) and len(name) <= LONGEST_NAME
        if number and not (known and settings_hold(str(name), here)):
            yield tr("candidate {number}: {name} is not what its ledger holds",
                     number=str(number), name=quoted(name))  # fmt: skip
    columns = [
        column(first, here, record["columns"][number])
        for number, here in enumerate(basis.candidates)
    ]
    found = {k: v for k, v in record.items() if k not in ("hash", "ledgers")}
    yield from unlike(found, {**basis.wanted, "columns": columns}, "")


def cautions(ledgers: list[Any]) -> list[Any]:
    """What the models' own files contradict, each once, as the findings of the ledgers say it."""
    made = list[Any]()
    for ledger in ledgers:
        for row in ledger["findings"]:
            if row["id"] == "model_files" and row["text"] not in made:
                made.append(row["text"])
    return made


def unlike(found: Any, wanted: Any, where: str) -> Iterator[Text]:
    """Where two values differ, each place by its name."""
    if isinstance(wanted, dict) and isinstance(found, dict):
        for key in dict.fromkeys((*wanted, *found)):
            place = f"{where}.{quoted(key)}".lstrip(".")
            if key in wanted and key in found:
                yield from unlike(found[key], wanted[key], place)
            else:
                yield tr("{where} is missing", where=place) if key in wanted else tr(
                    "{where}: is not known here", where=place)  # fmt: skip
    elif isinstance(wanted, list) and isinstance(found, list) and len(wanted) == len(found):
        for number, (one, other) in enumerate(zip(found, wanted, strict=True)):
            yield from unlike(one, other, f"{where}[{number}]")
    elif found != wanted or isinstance(found, bool) != isinstance(wanted, bool):
        yield tr("{where}: recomputed {value}, recorded {found}",
                 where=where, value=quoted(wanted, 120), found=quoted(found, 120))  # fmt: skip
