"""Proving a ledger again, from its own text alone.

Every line is read back by the grammar and computed with pint quantities and exact fractions; the
derivation engine's evaluation is not used. The hash shows any change; the recomputation shows a
changed number, unit or operator even where the hash was made right again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from derive.errors import DeriveError, printable
from derive.formula import catalogue
from derive.ledger import FORMAT, digest
from derive.text import Text, same, tr
from derive.verify.declared import (
    check_cards,
    check_constants,
    check_ids,
    check_symbols,
    check_trees,
)
from derive.verify.figures import check_figures
from derive.verify.inputs import check_calibration, check_citations, check_inputs
from derive.verify.levers import check_levers
from derive.verify.prose import check_prose
from derive.verify.reading import load_ledger
from derive.verify.results import check_results
from derive.verify.shape import PLOT, SHAPE, unlike
from derive.verify.specs import check_specs
from derive.verify.steps import check_steps
from derive.verify.values import Broken, Ledger, NoValue

MOST_FAULTS = 200
CHECKS: tuple[Callable[[Ledger], Iterator[Text]], ...] = (
    check_symbols, check_constants, check_inputs, check_calibration, check_citations, check_cards,
    check_results, check_steps, check_levers, check_figures, check_prose,
)  # fmt: skip


def verify(record: Mapping[str, Any], roots: tuple[Path, ...] | None = None) -> list[Text]:
    """All faults of a ledger; an empty list is a proof. `roots` are the specs at hand."""
    return judged(record, roots)[0]


def judged(record: Mapping[str, Any], roots: tuple[Path, ...] | None) -> tuple[list[Text], bool]:
    """All faults, and whether the specs were at hand to compare with."""
    catalogue()
    faults = list(check_hash(record))
    for gate in (check_shape, check_ids, check_trees):  # what follows relies on these
        found = list(gate(record))[:MOST_FAULTS]
        if found:
            return [*faults, *found], False
    try:
        ledger = Ledger(record)
        for check in CHECKS:
            for fault in check(ledger):
                faults.append(fault)
                if len(faults) > MOST_FAULTS:
                    return faults, False
    except (Broken, NoValue) as error:
        faults.append(tr("the ledger cannot be computed: {why}", why=error.why))
    compared = check_specs(record, spec_places() if roots is None else roots)
    faults += compared or []
    return list(dict.fromkeys(faults)), compared is not None


def check_hash(record: Mapping[str, Any]) -> Iterator[Text]:
    """The record's own hash."""
    try:
        right = record.get("hash") == digest(record)
    except (TypeError, ValueError, RecursionError):
        right = False
    if not right:
        yield tr("the hash does not match: the ledger was changed after it was written")


def check_shape(record: Mapping[str, Any]) -> Iterator[Text]:
    """Every value that verification reads is of its kind."""
    found = list(unlike(record, SHAPE))
    if not found and record["format"] != FORMAT:
        found = [tr("format: expected {format}", format=FORMAT)]
    yield from found
    for figure in [] if found else record["figures"]:
        for plot in figure.get("panels") or [figure]:
            yield from unlike(plot, PLOT, f"figures.{printable(figure['id'], 40)}")


def spec_places() -> tuple[Path, ...]:
    """The packaged specs and the user's own."""
    from derive.specs.lookup import specs_home, spec_roots

    try:
        return spec_roots()
    except DeriveError:  # a folder of DERIVE_SPECS is gone: the packaged ones are still at hand
        return (specs_home(),)


def verify_file(path: Path) -> tuple[list[Text], Text]:
    """Faults and a one-line summary; DeriveError where the file is no ledger."""
    record = load_ledger(path)
    faults, compared = judged(record, None)
    if faults:
        return faults, tr("{count} faults: the ledger does not hold", count=str(len(faults)))
    steps = sum(len(d["steps"]) for d in record["derivations"])
    beside = (
        tr("sources and inputs agree with the specs at hand") if compared else
        tr("no specs at hand to compare sources with")
    )  # fmt: skip
    return faults, tr(
        "holds: {results} results, {steps} steps recomputed; {beside}; {hash}",
        results=str(len(record["results"])), steps=str(steps), beside=beside,
        hash=same(record["hash"][:19]),
    )  # fmt: skip


__all__ = ["load_ledger", "verify", "verify_file"]
