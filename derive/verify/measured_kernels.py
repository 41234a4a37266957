"""Operators of a profile beside the roofs of one device, anew."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from derive.text import Text
from derive.units import Quantity, Unit, unit
from derive.verify.measured_texts import Stated

if TYPE_CHECKING:
    from derive.verify.measured import Row, Run
    from derive.verify.values import Values

LIMIT, SLACK = Fraction(6, 10), Fraction(3, 10)
MOST = 12  # operators that are listed
NO_BOUND = {"unknown", "transfer"}


def check_kernels(run: Run, here: Values) -> Iterator[Text]:
    """Bounds, shares and bands of the listed operators; time by band where all are listed."""
    from derive.verify.measured import base, forms, wrong

    found = run.row["kernels"]
    if found is None:
        return
    where = f"{run.where}.kernels"
    total = base(found["total"])
    for key in ("total", "busy"):
        if found[key] is not None:
            yield from forms(f"{where}.{key}", found[key])
    times = sum((base(row["time"]) for row in found["rows"]), Fraction(0))
    every = found["count"] == len(found["rows"])
    if found["count"] < len(found["rows"]) or (not every and len(found["rows"]) < MOST):
        yield wrong(f"{where}.count", found["count"])
    if times > total or (every and times != total):
        yield wrong(f"{where}.total", found["total"]["display"])
    busy = run.figure("t_busy")
    if found["busy"] is not None and base(found["busy"]) != busy:
        yield wrong(f"{where}.busy", found["busy"]["display"])
    spent: dict[str, Fraction] = {}
    for i, row in enumerate(found["rows"]):
        yield from one(run, here, row, total, f"{where}.{i}")
        spent[row["band"]] = spent.get(row["band"], Fraction(0)) + base(row["share"])
    for band, share in found["spent"].items():
        value = base(share)
        yield from forms(f"{where}.spent.{band}", share)
        least = spent.get(band, Fraction(0))
        if (every and value != least) or value < least:
            yield wrong(f"{where}.spent.{band}", share["display"])
    if sum(base(s) for s in found["spent"].values()) != 1:
        yield wrong(f"{where}.spent", "1")
    stated = Stated(quantities(run, found))
    for i, text in enumerate(found["diagnosis"]):
        yield from stated.check(f"{where}.diagnosis.{i}", text)


def quantities(run: Run, found: Row) -> Iterator[Quantity]:
    """What the diagnosis may state."""
    from derive.verify.measured import base

    for share in found["spent"].values():
        yield Quantity(base(share), Unit())
    for row in (found["total"], found["busy"]):
        if row is not None:
            yield Quantity(Fraction(row["exact"]), unit(row["unit"]))
    busy, duration = run.figure("t_busy"), run.figure("duration")
    if busy and duration:
        yield Quantity(1 - busy / duration, Unit())


def one(run: Run, here: Values, row: Row, total: Fraction, where: str) -> Iterator[Text]:
    """One operator."""
    from derive.verify.measured import amount, base, forms, wrong

    for key in ("time", "flops", "traffic"):
        if row[key] is not None:
            yield from forms(f"{where}.{key}", row[key])
    time = base(row["time"])
    yield from amount(f"{where}.share", row["share"], time / total, "")
    rates = {"flops": run.get(here, "P_peak"), "traffic": run.get(here, "B_peak")}
    needs = {k: base(row[k]) / rate for k, rate in rates.items()
             if row[k] is not None and rate and base(row[k])}  # fmt: skip
    both = row["flops"] is not None and row["traffic"] is not None and base(row["traffic"])
    intensity = base(row["flops"]) / base(row["traffic"]) if both else None
    yield from amount(f"{where}.intensity", row["intensity"], intensity or None, "FLOP/byte")
    bound = max(needs.values(), default=None) if row["band"] != "transfer" else None
    yield from amount(f"{where}.bound", row["bound"], bound, "µs")
    reached = bound / time if bound is not None else None
    yield from amount(f"{where}.reached", row["reached"], reached, "")
    if reached is None:
        band = row["band"] if row["band"] in NO_BOUND else "unknown"
    elif reached > 1:
        band = "above"
    else:
        band = "roof" if reached >= LIMIT else "low" if reached < SLACK else "between"
        if band != "roof" and "traffic" not in needs:
            band = "unknown"
    more = "flops" in needs and needs["flops"] >= needs.get("traffic", Fraction(0))
    for key, wanted in (("band", band), ("side", "compute" if more else "memory")):
        if row[key] != wanted:
            yield wrong(f"{where}.{key}", row[key])
    yield from Stated(()).alike(f"{where}.how", row["how"])
