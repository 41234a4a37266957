"""The order of the checks, and what is said of a whole ledger."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from itertools import islice
from pathlib import Path
from typing import Any

from derive.errors import DeriveError
from derive.formula import VARIANTS, catalogue, standing_in
from derive.ledger import FORMAT, digest
from derive.text import Text, tr
from derive.verify.adding import check_adding
from derive.verify.declared import (
    check_cards,
    check_constants,
    check_ids,
    check_symbols,
    check_trees,
)
from derive.verify.figures import check_figures
from derive.verify.inputs import check_asked, check_calibration, check_citations, check_inputs
from derive.verify.levers import check_levers
from derive.verify.measured import check_measured
from derive.verify.prose import check_prose
from derive.verify.results import check_results
from derive.verify.say import quoted
from derive.verify.shape import misshapen
from derive.verify.specs import check_origins, check_specs
from derive.verify.steps import check_steps
from derive.verify.texts import Broken, NoValue
from derive.verify.values import Ledger

MOST_FAULTS = 100
UNEXPECTED = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
CHECKS: tuple[Callable[[Ledger], Iterator[Text]], ...] = (
    check_symbols, check_constants, check_inputs, check_calibration, check_asked, check_citations,
    check_cards, check_results, check_steps, check_levers, check_figures, check_adding, check_prose,
    check_measured,
)  # fmt: skip


def verify(record: Mapping[str, Any], roots: tuple[Path, ...] | None = None) -> list[Text]:
    """The faults of a ledger, at most 100; an empty list is a proof.

    `roots` are the folders of specs at hand: the packaged ones and those of DERIVE_SPECS.
    """
    return judged(record, roots)[0]


def judged(record: Mapping[str, Any], roots: tuple[Path, ...] | None) -> tuple[list[Text], bool]:
    """The faults, and whether specs were at hand to compare with."""
    found: list[Text] = []
    compared = None
    with standing(record):
        try:
            found += islice(faults(record), MOST_FAULTS)
            if not any(check_shape(record)):
                compared = check_specs(record, spec_places() if roots is None else roots)
                found += (compared or [])[:MOST_FAULTS]
        except UNEXPECTED as error:  # a falsification that no check foresaw is one all the same
            why = quoted(f"{type(error).__name__}: {error}", 120)
            found.append(tr("the ledger cannot be computed: {why}", why=why))
    return list(dict.fromkeys(found))[:MOST_FAULTS], compared is not None


def standing(record: Mapping[str, Any]) -> AbstractContextManager[None]:
    """The formulas that stand in for plain ones in a record are the declarations meanwhile."""
    catalogue()
    named = record.get("variants")
    texts = [v for v in named if isinstance(v, str)] if isinstance(named, list) else []
    return standing_in({VARIANTS[v].instead_of: v for v in texts if v in VARIANTS}.values())


def faults(record: Mapping[str, Any]) -> Iterator[Text]:
    """What does not hold in the record itself, one after the other; `standing` is in force."""
    yield from check_hash(record)
    for gate in (check_shape, check_ids, check_trees):  # what follows relies on these
        found = list(gate(record))
        yield from found
        if found:
            return
    yield from check_origins(record)
    try:
        ledger = Ledger(record)
        for check in CHECKS:
            yield from check(ledger)
    except (Broken, NoValue) as error:
        yield tr("the ledger cannot be computed: {why}", why=error.why)


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
    found = list(misshapen(record))
    if not found and record["format"] != FORMAT:
        found = [tr("format: expected {format}", format=FORMAT)]
    yield from found


def spec_places() -> tuple[Path, ...]:
    """The packaged specs and the user's own."""
    from derive.specs.lookup import spec_roots, specs_home

    try:
        return spec_roots()
    except DeriveError:  # a folder of DERIVE_SPECS is gone: the packaged ones are still at hand
        return (specs_home(),)
