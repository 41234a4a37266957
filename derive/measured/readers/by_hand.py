"""Measurements written down by hand: our own YAML, each entry with model, hardware and load."""

from __future__ import annotations

from typing import Any

from derive.errors import Place
from derive.measured.files import Found
from derive.measured.quantities import MEASURABLE
from derive.measured.reader import TEXT, Reader
from derive.measured.record import MEAN, Fact, Figure, Run
from derive.specs import load
from derive.specs.document import Limits, parsed
from derive.specs.faults import Faults
from derive.specs.measurement_fields import MEASUREMENTS
from derive.specs.nodes import Table
from derive.specs.reader import Reader as FieldReader
from derive.specs.types import Value
from derive.text import Text
from derive.units import Quantity

TOOL = "measurements"
LIMITS = Limits(bytes=4_000_000, nodes=400_000)
FIGURES = {"TTFT": "TTFT_meas", "TPOT": "TPOT_meas", "rate": "R_meas", "throughput": "X_meas",
           "prefill": "X_in", "accepted": "accepted", "hit": "hit"}  # fmt: skip
LOAD = {"requests": "b_meas", "input": "T_in_meas", "output": "T_out_meas", "devices": "g"}
DEFAULTS = {"devices": "1", "batch": "1", "input": "1", "output": "1"}  # one request, no context


def read(found: Found) -> list[Run]:
    """Every entry as a run that carries its own scenario; DeriveError with all that is wrong."""
    document = parsed(found.text, found.name, LIMITS)
    faults = Faults()
    faults.knows(document)
    fields = FieldReader(faults, load.sources).table(document.root, MEASUREMENTS)
    entries: list[tuple[Table, dict[str, Any]]] = fields.get("measurements", [])
    faults.raise_any()
    return [run(node, entry) for node, entry in entries]


def run(node: Table, entry: dict[str, Any]) -> Run:
    """One entry."""
    measured: dict[str, Value] = entry["measured"]
    figures = [figure(FIGURES[key], value) for key, value in measured.items()]
    figures += [figure(LOAD[key], entry[key], "one") for key in LOAD if key in entry]
    phase = "prefill" if not {"TPOT", "rate", "throughput"} & set(measured) else "decode"
    if "requests" not in entry and "throughput" in measured:
        phase = "serving"  # a total of nobody knows how many
    facts = {key: Fact(entry[key], node.place_of(key)) for key in ("model", "hardware")}
    notes = (entry["note"],) if "note" in entry else ()
    return Run(TOOL, first_place(node), phase, tuple(figures), facts, notes,
               label=entry["id"], own=own(entry))  # fmt: skip


def own(entry: dict[str, Any]) -> dict[str, Any]:
    """The options of a scenario without a file."""
    given = {"devices": "devices", "batch": "requests", "input": "input", "output": "output"}
    load_of = {option: entry[key].text for option, key in given.items() if key in entry}
    sets = [f"precision.{k}={v}" for k, v in entry.get("precision", {}).items()]
    sets += [f"{k}={v}" for k, v in entry.get("set", {}).items()]
    return {**DEFAULTS, **load_of, "model": entry["model"], "hardware": entry["hardware"],
            "sets": tuple(sets)}  # fmt: skip


def figure(name: str, value: Value, statistic: str = MEAN) -> Figure:
    """A value of the file as a figure."""
    contract = MEASURABLE[name].unit
    found = value.quantity
    quantity = found.to(contract) if found.unit.text else Quantity(found.value, contract)
    return Figure(name, quantity, value.place, statistic)


def first_place(node: Table) -> Place:
    """Where an entry begins."""
    return node.place_of("id")


READERS = [
    Reader(
        "by-hand", TOOL, TEXT, ((r"(?m)^measurements:",),), read,
        Text("YAML of measurements written down by hand", "手工记录的实测 YAML"),
    )
]  # fmt: skip
