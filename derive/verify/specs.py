"""The ledger against the specs at hand: sources, notes and inputs that no result depends on.

The specs are read anew with the settings that the ledger records. This is the one place where
verification uses code of the study, to bind a scenario; no number is computed with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from derive.errors import DeriveError, printable
from derive.formula import catalogue
from derive.ledger import canonical
from derive.notation import SYMBOLS
from derive.text import Text, tr

SET = "--set: "


def check_specs(record: Mapping[str, Any], roots: Sequence[Path]) -> Iterator[Text] | None:
    """Differences from the specs; None where the scenario's spec is not at hand."""
    from derive.specs import load
    from derive.specs.lookup import NAME, is_path

    scenario = record["scenario"]
    ids = [scenario["id"], scenario["model"]["id"], scenario["hardware"]["id"]]
    if any(is_path(name) or not NAME.fullmatch(name) for name in ids):
        return None
    units = {i: s.unit.text for i, s in SYMBOLS.items()}
    units |= {i: f.unit.text for i, f in catalogue().items()}
    try:
        plain = load.scenario(scenario["id"], roots, symbols=units)
        loaded = load.scenario(scenario["id"], roots, settings(record, plain), units)
    except DeriveError:
        return None
    return compared(record, loaded, load.sources(roots))


def settings(record: Mapping[str, Any], plain: Any) -> list[str]:
    """What the ledger says was set on top of the scenario."""
    scenario = record["scenario"]
    made = [f"precision.{k}={v}" for k, v in scenario["precision"].items() if plain.precision.get(k) != v]
    for key in ("model", "hardware"):
        if scenario[key]["id"] != getattr(plain, key).id:
            made.append(f"{key}={scenario[key]['id']}")
    if scenario["date"] != plain.date and scenario["date"]:
        made.append(f"date={scenario['date']}")
    for row in record["inputs"]:
        if row["origin"].startswith(SET):
            made.append(f"{row['id']}={row['text']}")
    for name, triple in record["calibration"].items():
        if any(level.get("origin", "").startswith(SET) for level in triple.values()):
            made.append(f"{name}=" + ", ".join(triple[k]["text"] for k in ("low", "typical", "high")))
    return made


def compared(record: Mapping[str, Any], loaded: Any, sources: Mapping[str, Any]) -> Iterator[Text]:
    """Header, inputs, calibration, notes and sources as the specs have them."""
    from derive.study import assemble
    from derive.study.bind import bind

    bound = bind(loaded)
    fresh = {i.id: assemble.input_record(i) for i in bound.inputs.values()}
    recorded = {row["id"]: row for row in record["inputs"]}
    for name in dict.fromkeys([*fresh, *recorded]):
        if canonical(fresh.get(name, {})) != canonical(recorded.get(name, {})):
            yield tr("{name}: differs from the spec at hand", name=printable(name, 40))
    pairs = {
        "scenario": (record["scenario"], assemble.header(loaded)),
        "calibration": (record["calibration"], assemble.calibration(bound)),
        "notes": (record["notes"], [n.json() for n in (*loaded.model.notes, *loaded.hardware.notes)]),
        "sources": (record["sources"], assemble.cited(record, sources)),
    }
    for name, (found, wanted) in pairs.items():
        if canonical({name: found}) != canonical({name: wanted}):
            yield tr("{name}: differs from the spec at hand", name=name)
