"""The ledger against the specs at hand: sources, notes and inputs that no result depends on.

The specs are read anew with the settings that the ledger records. This is the one place where
verification uses code of the study, to bind a scenario; no number is computed with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from derive.errors import DeriveError
from derive.formula import catalogue
from derive.ledger import canonical
from derive.notation import SYMBOLS
from derive.text import Text, tr
from derive.verify.say import quoted

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
        changed = settings(record, plain)
        loaded = load.scenario(scenario["id"], roots, changed, units) if changed else plain
    except DeriveError:
        return None
    return compared(record, loaded, load.sources(roots))


def settings(record: Mapping[str, Any], plain: Any) -> list[str]:
    """What the ledger says was set on top of the scenario."""
    from derive.specs.sets import KEYS

    scenario = record["scenario"]
    made = [
        f"precision.{k}={v}"
        for k, v in scenario["precision"].items()
        if plain.precision.get(k) != v
    ]
    named = [(key, scenario[key]["id"]) for key in ("model", "hardware")]
    made += [f"{key}={name}" for key, name in named if name != getattr(plain, key).id]
    if scenario["date"] != plain.date and scenario["date"]:
        made.append(f"date={scenario['date']}")
    made += named_calibration(record, plain)
    given: dict[str, str] = {}
    for row in record["inputs"]:
        if row["origin"].startswith(SET):
            given.setdefault(row["origin"].removeprefix(SET), row["text"])
    for triple in record["calibration"].values():
        low = triple["low"]
        if low["origin"].startswith(SET):
            key = low["origin"].removeprefix(SET).removesuffix(".low")
            several = low["origin"].endswith(".low")  # else one value for all three
            texts = [triple[k]["text"] for k in ("low", "typical", "high")]
            given[key] = ", ".join(texts) if several else low["text"]
    allowed = {*SYMBOLS, *catalogue(), *KEYS.values()}  # never a name of a file
    return [*made, *(f"{k}={v}" for k, v in given.items() if k in allowed)]


def named_calibration(record: Mapping[str, Any], plain: Any) -> list[str]:
    """Another calibration file than the scenario's."""
    from derive.specs.lookup import NAME, is_path
    from derive.study.bind import origin

    found = record["calibration"]["MFU"]["low"]["origin"]
    name = found.partition(".yaml")[0]
    if found.startswith(SET) or found == origin(plain.MFU[0].place) or not NAME.fullmatch(name):
        return []
    return [] if is_path(name) else [f"calibration={name}"]


def compared(record: Mapping[str, Any], loaded: Any, sources: Mapping[str, Any]) -> Iterator[Text]:
    """Header, inputs, calibration, notes and sources as the specs have them."""
    from derive.study import assemble
    from derive.study.bind import bind

    bound = bind(loaded)
    fresh = {i.id: assemble.input_record(i) for i in bound.inputs.values()}
    recorded = {row["id"]: row for row in record["inputs"]}
    for name in dict.fromkeys([*fresh, *recorded]):
        if canonical(fresh.get(name, {})) != canonical(recorded.get(name, {})):
            yield tr("{name}: differs from the spec at hand", name=quoted(name))
    pairs = {
        "scenario": (record["scenario"], assemble.header(loaded)),
        "calibration": (record["calibration"], assemble.calibration(bound)),
        "notes": (
            record["notes"],
            [n.json() for n in (*loaded.model.notes, *loaded.hardware.notes)],
        ),
        "sources": (record["sources"], assemble.cited(record, sources)),
    }
    for name, (found, wanted) in pairs.items():
        if canonical({name: found}) != canonical({name: wanted}):
            yield tr("{name}: differs from the spec at hand", name=name)
