"""`--set NAME=VALUE`: symbol ids and dotted keys laid over a scenario before it is read.

A setting is the text NAME=VALUE, or a pair of the option by which it came and that text; what came
by `--with` is laid over the rest.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from derive.errors import Place, printable
from derive.notation import CONSTANTS
from derive.specs.amounts import read_amount
from derive.specs.faults import Faults, nearest
from derive.specs.fields import Field
from derive.specs.hardware_fields import HARDWARE
from derive.specs.model import SYMBOLS as MODEL_KEYS
from derive.specs.model_fields import MODEL
from derive.specs.nodes import Items, Node, Scalar, Table
from derive.specs.scenario_fields import SCENARIO
from derive.specs.types import Value
from derive.text import Text, tr

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# symbol id -> scenario key: two names of one thing
KEYS = {
    "g": "devices",
    "b": "workload.requests",
    "T_in": "workload.input",
    "T_out": "workload.output",
    "T": "workload.context",
    "arrival": "workload.arrival",
    "M_frac": "memory.fraction",
    "M_other": "memory.other",
    "T_block": "memory.block",
    "TP": "parallel.TP",
    "PP": "parallel.PP",
    "DP": "parallel.DP",
    "EP": "parallel.EP",
    "b_pre": "workload.prompts",
    "k_draft": "speculation.draft",
    "alpha": "speculation.acceptance",
    "N_draft": "speculation.parameters",
    "hit": "prefix_cache.hit",
    "T_chunk": "chunk",
    "g_pre": "disaggregation.prefill_devices",
    "B_pd": "disaggregation.link",
    "MFU": "calibration.MFU",
    "MBU": "calibration.MBU",
    "target_TTFT": "slo.TTFT",
    "target_TPOT": "slo.TPOT",
    "PUE": "pue",
}
# a symbol that a scenario key decides as well
DECIDED_BY = {"w": "precision.weights", "W": "precision.weights", "w_kv": "precision.kv_cache",
              "w_draft": "speculation.weights"}  # fmt: skip
# symbol id -> keys of the hardware file
HARDWARE_KEYS = {
    "P_peak": ("peak", "bf16", "dense"),
    "B_peak": ("memory", "bandwidth"),
    "M_dev": ("memory", "driver_visible"),
    "B_link": ("interconnect", "per_direction"),
    "TDP": ("power",),
}
# symbol id -> keys that decide it: set by itself it would contradict them
FOLLOWS = {"N_par": ("PP", "DP"), "N_mb": ("PP", "DP")}
BARE_UNITS = ("", "request", "device", "token/request")  # counts and ratios
IMPLIED = {"s*request/token": "request", "token/s/request": "1/request"}  # per request
# contract unit -> the unit people write, and bounds beyond which no figure is sensible
USUAL = {
    "s": "ms", "s*request/token": "ms/token", "byte": "GB", "byte/token": "kB/token",
    "byte/request": "GB/request", "FLOP": "TFLOP", "FLOP/token": "GFLOP/token",
    "FLOP/s/device": "TFLOP/s/device", "USD/token": "USD/Mtoken",
}  # fmt: skip
MOST = 10**24
MAY_BE_ZERO = (
    "t_hop", "C2_in", "kappa_draft", "N_emb_draft", "L_draft", "d_draft", "hit", "alpha",
)  # fmt: skip
FROM_OUTSIDE = Text("set from outside the scenario", "在场景之外给定")


@dataclass(frozen=True)
class Settings:
    """What was set: the scenario with it, ranges beside a named calibration, further symbols."""

    root: Table
    ranges: Mapping[str, Node]
    symbols: Mapping[str, Scalar]


Setting = str | tuple[str, str]


@dataclass(frozen=True)
class Given:
    """One well-formed setting: how it was given, the name, the thing it sets, the text."""

    option: str
    name: str
    thing: str
    node: Scalar

    @property
    def shown(self) -> str:
        """How messages call it: an option of its own stands for its name."""
        return self.name if self.option in NAMING else self.option


NAMING = ("--set", "--with", "--over")  # options whose value names what is set


def dotted_keys() -> list[str]:
    """Every scenario key that can be set."""
    keys: list[str] = []
    for field in SCENARIO:
        if field.kind in ("table", "either"):
            keys += [f"{field.key}.{inner.key}" for inner in field.fields]
        if field.kind not in ("table", "notes", "bilingual") and field.key != "scenario":
            keys.append(field.key)
    return keys


def apply(
    root: Table, sets: Sequence[Setting], symbols: Mapping[str, str], faults: Faults
) -> Settings:
    """Lay settings over a scenario; what is malformed, unknown or given twice is a fault."""
    ranges: dict[str, Node] = {}
    others: dict[str, Scalar] = {}
    seen: dict[str, Given] = {}
    for setting in sets:
        given = well_formed(setting, symbols, faults)
        if given is None:
            continue
        before = seen.get(given.thing)
        if before and (before.option == "--with") == (given.option == "--with"):
            twice(given, before, faults)
            continue
        if before:
            others.pop(before.name, None)
        seen[given.thing] = given
        key = KEYS.get(given.name, given.name)
        if key in ("calibration.MFU", "calibration.MBU"):
            ranges[key.removeprefix("calibration.")] = as_range(given.node)
        elif key in dotted_keys():
            root = with_key(root, key.split("."), given.node)
        else:
            others[given.name] = given.node
    return Settings(root, ranges, others)


def well_formed(setting: Setting, symbols: Mapping[str, str], faults: Faults) -> Given | None:
    """A setting with a known name and a value, or None with the fault noted."""
    option, written = ("--set", setting) if isinstance(setting, str) else setting
    name, equals, text = (part.strip() for part in written.partition("="))
    key = KEYS.get(name, name)
    place = Place(option, key=printable(name, 60)) if option in NAMING else Place(key=option)
    if not (name and equals and text):
        what = tr("{setting} is not NAME=VALUE", setting=printable(written, 60) or "''")
        faults.add("S501", what, Place(option))
    elif name in CONSTANTS:
        what = tr("{name} is a constant of the formulas and cannot be set", name=name)
        faults.add("S502", what, place)
    elif name in FOLLOWS:
        one, two = FOLLOWS[name]
        what = tr(
            "{name} follows from {one} and {two} and cannot be set", name=name, one=one, two=two
        )
        faults.add("S502", what, place, tr("set {one} or {two}", one=one, two=two))
    elif key not in dotted_keys() and name not in symbols:
        what = tr("nothing is called {name}", name=printable(name, 60))
        near = nearest(name, [*KEYS, *dotted_keys(), *symbols])
        ends = [k for k in dotted_keys() if k.endswith(f".{name}")]
        if len(ends) == 1:  # input stands for workload.input
            near = tr("did you mean {near}?", near=ends[0])
        faults.add("S502", what, place, near)
    else:
        return Given(option, name, DECIDED_BY.get(name, key), Scalar(text, place))
    return None


def twice(given: Given, before: Given, faults: Faults) -> None:
    """Note that one thing was set twice."""
    name, other = given.shown, before.shown
    if name == other:
        faults.add("S504", tr("{name} is set twice", name=name), given.node.place)
    else:
        what = tr("{name} and {other} name one thing: set one of them", name=name, other=other)
        faults.add("S503", what, given.node.place)


def as_range(node: Scalar) -> Items:
    """`0.5` or `0.4, 0.5, 0.6` as low, typical, high."""
    parts = [Scalar(p.strip(), node.place) for p in node.text.strip("[]").split(",")]
    return Items(tuple(parts * 3 if len(parts) == 1 else parts), node.place)


def with_key(table: Table, path: Sequence[str], node: Node) -> Table:
    """A copy of a table with one node laid in; a value that stands where a table must be stays."""
    key, *rest = path
    inner: Node = node
    if rest:
        below = table.entries.get(key, Table({}, node.place))
        inner = with_key(below, rest, node) if isinstance(below, Table) else below
    return Table({**table.entries, key: inner}, table.place, {**table.places, key: node.place})


def declared(symbol: str, contract: str) -> Field:
    """The field a symbol is read by: its declaration where it has one, in the contract unit."""
    usual = (USUAL[contract],) if contract in USUAL else ()
    field = Field(
        symbol, "quantity", Text(symbol, symbol),
        likely=usual, most=MOST, zero=symbol in MAY_BE_ZERO,
    )  # fmt: skip
    if symbol in MODEL_KEYS:
        field = next(f for f in MODEL if f.key == MODEL_KEYS[symbol])
    elif symbol in HARDWARE_KEYS:
        fields: tuple[Field, ...] = HARDWARE
        for key in HARDWARE_KEYS[symbol]:
            field = next(f for f in fields if f.key == key)
            fields = field.fields
    return replace(
        field,
        kind="number" if contract in BARE_UNITS else "quantity",
        unit=contract,
        implied=IMPLIED.get(contract, ""),
        likely=tuple(u + "/device" * (symbol in HARDWARE_KEYS) for u in field.likely),
    )


def read_symbols(
    nodes: Mapping[str, Scalar], symbols: Mapping[str, str], faults: Faults
) -> dict[str, Value]:
    """Values of symbols set from outside, each in the dimension of its contract unit."""
    values: dict[str, Value] = {}
    for name, node in nodes.items():
        quantity = read_amount(declared(name, symbols[name]), node, faults)
        if quantity:
            values[name] = Value(quantity, node.text, node.place, how=FROM_OUTSIDE)
    return values
