"""Rows of the results tables of MLPerf Inference (`summary_results.json`)."""

from __future__ import annotations

from derive.errors import Problem, printable
from derive.measured.files import Document
from derive.measured.gather import Gather
from derive.measured.reader import ARRAY, OBJECT, Reader
from derive.measured.record import MEAN, Run
from derive.text import Text, tr

TOOL = "MLPerf Inference"
UNITS = {
    "tokens/s": ("X_meas", "token/s", MEAN),
    "samples/s": ("rate", "request/s", MEAN),
    "queries/s": ("rate", "request/s", MEAN),
}
LATENCIES = {"singlestream": "p90", "multistream": "p99"}
POWER = ("watts", "joule", "energy", "millijoules")


def array(document: Document) -> list[Run]:
    """A list of rows; those of power are left out."""
    listed = document.data if isinstance(document.data, list) else []
    made = (row(document.part(f"[{number}]", data)) for number, data in enumerate(listed))
    return [run for one in made for run in one]


def row(document: Document) -> list[Run]:
    """One result: the whole system in one scenario."""
    gather = Gather(TOOL, document)
    unit = str(gather.raw("Performance_Units") or "").strip()
    scenario = str(gather.raw("Scenario") or "").strip()
    kind = LATENCIES.get(scenario.replace(" ", "").lower())
    if unit.lower().startswith(POWER):
        return []
    if unit.lower() in UNITS:
        name, units, statistic = UNITS[unit.lower()]
        gather.figure(name, "Performance_Result", units, statistic)
        if name == "rate":
            gather.note(tr("{unit}: a sample is a request", unit=unit))
    elif unit.lower() in ("ms", "latency (ms)") and kind:
        how = tr("the benchmark reports this percentile in {scenario}", scenario=scenario)
        gather.figure("E2E_meas", "Performance_Result", "ms", kind, how)
    else:
        known = "Tokens/s, Samples/s, Queries/s, Latency (ms)"
        what = tr("{key} is in {found}; one of {units} is expected", key="Performance_Result",
                  found=printable(unit, 40) or "?", units=known)  # fmt: skip
        place = document.place("Performance_Units")
        gather.problems.append(Problem("B109", what, place))
    devices(gather)
    for fact, key in (("model", "Model"), ("hardware", "Accelerator"), ("engine", "Software"),
                      ("weights", "weight_data_types")):  # fmt: skip
        gather.fact(fact, key)
    names = (gather.raw(key) for key in ("System", "Model", "Scenario"))
    gather.label = printable(" ".join(str(n) for n in names if n), 120)
    return [gather.run()]


def devices(gather: Gather) -> None:
    """Accelerators of the whole system, where the row states them."""
    total = gather.number("Total Accelerators") if gather.raw("Total Accelerators") else None
    each = gather.number("a#") if gather.raw("a#") not in (None, "", "N/A") else None
    nodes = gather.number("Nodes") if gather.raw("Nodes") else None
    if total:
        gather.add("devices", total, "device", "Total Accelerators", "one")
        if each and nodes and each * nodes != total:
            gather.note(tr("{a} accelerators a node in {n} nodes are not the {total} stated",
                           a=each, n=nodes, total=total))  # fmt: skip
    elif each and nodes:
        how = tr("accelerators a node × nodes")
        gather.add("devices", each * nodes, "device", "a#", "one", how)
    else:
        gather.note(tr("the row does not state how many accelerators the system has: the rate"
                       " cannot be divided"))  # fmt: skip


FIELDS = ("Performance_Result", "Performance_Units", "Scenario")
ABOUT = Text("rows of the results table", "结果表中的行")
READERS = [
    Reader("mlperf", TOOL, ARRAY, (FIELDS,), array, ABOUT),
    Reader("mlperf-row", TOOL, OBJECT, (FIELDS,), row, ABOUT),
]
