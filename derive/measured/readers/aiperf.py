"""AIPerf and its ancestor GenAI-Perf: JSON, CSV and one JSON line a request.

Every metric is a block with its unit, which is authoritative; all files are brought to that form.
"""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction

from derive.errors import Problem, printable
from derive.measured.files import Document, Table, exact
from derive.measured.gather import Gather, statistic, under
from derive.measured.reader import OBJECT, RECORDS, TABLE, Reader
from derive.measured.record import MEAN, Fact, Run
from derive.measured.serving import finish
from derive.text import Text, tr

TOOL, ANCESTOR = "AIPerf", "GenAI-Perf"
SECOND = {
    "ns": "ns", "nanoseconds": "ns", "us": "µs", "µs": "µs", "microseconds": "µs", "ms": "ms",
    "milliseconds": "ms", "s": "s", "sec": "s", "seconds": "s",
}  # fmt: skip
TOKEN = {"tokens": "token", "token": "token", "": "token", "count": "token"}
REQUEST = {"requests": "request", "count": "request", "": "request"}
TOKENS_A_SECOND = dict.fromkeys(("tokens/sec", "tokens/s", "tokens/second", "per sec"), "token/s")
A_USER = dict.fromkeys(("tokens/sec/user", "tokens/s/user", "tokens/sec"), "token/s/request")
REQUESTS_A_SECOND = dict.fromkeys(("requests/sec", "requests/s", "per sec"), "request/s")
Words = dict[str, str]

# metric -> (figure, unit words, what follows the unit, statistic of a single value)
METRICS: dict[str, tuple[str, Words, str, str]] = {
    "time_to_first_token": ("TTFT_meas", SECOND, "", MEAN),
    "inter_token_latency": ("TPOT_meas", SECOND, "*request/token", MEAN),
    "inter_chunk_latency": ("ITL_meas", SECOND, "", MEAN),
    "request_latency": ("E2E_meas", SECOND, "", MEAN),
    "output_token_throughput_per_user": ("R_meas", A_USER, "", MEAN),
    "output_token_throughput_per_request": ("R_all", A_USER, "", MEAN),
    "output_token_throughput": ("X_meas", TOKENS_A_SECOND, "", MEAN),
    "total_token_throughput": ("X_all", TOKENS_A_SECOND, "", MEAN),
    "request_throughput": ("rate", REQUESTS_A_SECOND, "", MEAN),
    "input_sequence_length": ("T_in_meas", TOKEN, "/request", MEAN),
    "output_sequence_length": ("T_out_meas", TOKEN, "/request", MEAN),
    "benchmark_duration": ("duration", SECOND, "", "one"),
    "request_count": ("requests", REQUEST, "", "one"),
    "error_request_count": ("failed", REQUEST, "", "one"),
    "total_isl": ("tokens_in", TOKEN, "", "one"),
    "total_osl": ("tokens_out", TOKEN, "", "one"),
}
ALIASES = {
    "total_input_sequence_length": "total_isl",
    "total_output_sequence_length": "total_osl",
    "num_input_token": "input_sequence_length",
    "num_output_token": "output_sequence_length",
}
TITLE = re.compile(r"([^()]+?)(?:\s*\(([^()]*)\))?")
GROUPED = re.compile(r"-?\d{1,3}(,\d{3})+(\.\d+)?")


def document(given: Document) -> list[Run]:
    """One object is one run."""
    tool = TOOL if any(k in given.data for k in ("schema_version", "aiperf_version")) else ANCESTOR  # type: ignore[operator]
    gather = Gather(tool, given)
    figures(gather)
    for key in ("input_config.model_names", "input_config.endpoint.model_names"):
        names = gather.raw(key)
        if isinstance(names, list) and len(names) == 1 and isinstance(names[0], str):
            gather.facts["model"] = Fact(printable(names[0], 120), given.place(key))
    for key in ("input_config.concurrency", "input_config.loadgen.concurrency"):
        if gather.raw(key) is not None:
            gather.count("b_asked", key)
    if gather.raw("was_cancelled") is True:
        gather.note(tr("the run was cancelled: its figures are of a part"))
    accelerators(gather)
    return finish(gather)


def figures(gather: Gather) -> None:
    """Every metric that is known, in the unit of its block."""
    for key in gather.fields():
        metric = METRICS.get(ALIASES.get(key, key))
        block = gather.raw(key)
        if metric is None or not isinstance(block, dict):
            continue
        name, words, suffix, single = metric
        found = str(block.get("unit") or "").strip().lower()
        if found not in words:
            known = ", ".join(sorted(filter(None, words)))
            what = tr("{key} is in {found}; one of {units} is expected", key=key,
                      found=printable(found, 40) or "?", units=known)  # fmt: skip
            gather.problems.append(Problem("B109", what, gather.document.place(f"{key}.unit")))
        elif single == MEAN:
            gather.spread(name, key, words[found] + suffix, note(name))
        else:
            gather.figure(name, f"{key}.avg", words[found] + suffix, single)
    for key, name in (
        ("input_sequence_length", "tokens_in"),
        ("output_sequence_length", "tokens_out"),
    ):
        if gather.raw(f"{key}.sum") is not None and not gather.has(name, "one"):
            gather.figure(name, f"{key}.sum", "token", "one")


def note(name: str) -> Text | None:
    """What the tool's word hides."""
    if name == "TPOT_meas":
        return tr("the tool calls it inter token latency; it is the mean of a request, not of the"
                  " stream's gaps")  # fmt: skip
    return None


def accelerators(gather: Gather) -> None:
    """The accelerator, where telemetry saw one kind only; how many of them served is not said."""
    endpoints = gather.raw("telemetry_data.endpoints")
    names: set[str] = set()
    for endpoint in endpoints.values() if isinstance(endpoints, dict) else ():
        gpus = endpoint.get("gpus") if isinstance(endpoint, dict) else None
        for gpu in gpus.values() if isinstance(gpus, dict) else ():
            names.add(str(under(gpu, "gpu_name") or ""))
    if len(names) == 1 and (one := names.pop()):
        place = gather.document.place("telemetry_data.endpoints")
        gather.facts["hardware"] = Fact(printable(one, 120), place)


def several(given: Document) -> list[Run]:
    """The aggregate of repeated runs: `<metric>_<statistic>` with its mean over the runs."""
    data: dict[str, object] = {}
    metrics = under(given.data, "metrics")
    for key, block in metrics.items() if isinstance(metrics, dict) else ():
        name, _, word = key.rpartition("_")
        if name in METRICS and statistic(word) and isinstance(block, dict):
            made = data.setdefault(name, {"unit": block.get("unit")})
            made[word] = block.get("mean")  # type: ignore[index]
    gather = Gather(TOOL, Document(data, given.file, given.line))
    figures(gather)
    count = under(given.data, "metadata.num_successful_runs")
    gather.note(tr("means over {count} repeated runs", count=printable(str(count), 20)))
    return finish(gather)


def tables(given: tuple[Table, ...]) -> list[Run]:
    """Distributions and single values stand in two tables; others are of the accelerators."""
    data: dict[str, object] = {}
    lines: dict[str, int] = {}
    for table in given:
        single = table.header == ("Metric", "Value")
        if not single and not (table.header[0] == "Metric" and "avg" in table.header):
            continue
        for line, row in table.rows:
            title = TITLE.fullmatch(row["Metric"].strip())
            key = re.sub(r"\W+", "_", title[1].strip().lower()) if title else ""
            if not title or key in data:
                continue
            cells = {"avg": row["Value"]} if single else row
            values = {k: plain(v) for k, v in cells.items() if statistic(k) or k == "sum"}
            data[key] = {"unit": title[2] or "", **{k: v for k, v in values.items() if v != ""}}
            lines[key] = line
    file = given[0].file
    gather = Gather(f"{TOOL} / {ANCESTOR}", Document(data, file, 0, "", lines))
    figures(gather)
    return finish(gather)


def plain(cell: str) -> Decimal | str:
    """A number without the commas between its thousands; other text as it is."""
    text = cell.strip()
    if GROUPED.fullmatch(text):
        text = text.replace(",", "")
    try:
        return exact(text)
    except (ValueError, ArithmeticError):
        return text


def records(given: tuple[Document, ...]) -> list[Run]:
    """One line a request: means over those that succeeded."""
    sums: dict[str, list[Fraction]] = {}
    units: dict[str, object] = {}
    lines: dict[str, int] = {}
    failed = 0
    for one in given:
        request = Gather(TOOL, one)
        if request.raw("error") is not None:
            failed += 1
            continue
        blocks = request.raw("metrics")
        for key, block in blocks.items() if isinstance(blocks, dict) else ():
            if not isinstance(block, dict) or key not in METRICS or block.get("value") is None:
                continue
            values = block["value"] if isinstance(block["value"], list) else [block["value"]]
            numbers = [request.checked(v, f"metrics.{key}.value") for v in values]
            sums.setdefault(key, []).extend(n for n in numbers if n is not None)
            if units.setdefault(key, block.get("unit")) != block.get("unit"):
                request.fault(f"metrics.{key}.unit", str(block.get("unit")))
            lines.setdefault(key, one.line)
        if request.problems:
            request.run()
    means = {k: {"unit": units[k], "avg": sum(v) / len(v)} for k, v in sums.items() if v}
    gather = Gather(TOOL, Document(means, given[0].file, 0, "", lines))
    figures(gather)
    gather.add("requests", Fraction(len(given) - failed), "request", "metrics", "one")
    gather.add("failed", Fraction(failed), "request", "error", "one")
    gather.note(
        tr("means over {count} requests, each on a line of its own", count=len(given) - failed)
    )
    return finish(gather)


ABOUT = Text("JSON or CSV of a profile", "profile 的 JSON 或 CSV")
READERS = [
    Reader(
        "aiperf", f"{TOOL} / {ANCESTOR}", OBJECT,
        (
            ("request_latency.unit", "request_latency.avg"),
            ("request_throughput.unit", "request_throughput.avg", "input_config"),
        ),
        document, ABOUT,
    ),
    Reader(
        "aiperf-several", TOOL, OBJECT,
        (("metadata.aggregation_type", "metadata.num_successful_runs", "metrics"),), several, ABOUT,
    ),
    Reader(
        "aiperf-csv", f"{TOOL} / {ANCESTOR}", TABLE, (("Metric", "avg", "min", "max"),), tables,
        ABOUT,
    ),
    Reader(
        "aiperf-records", TOOL, RECORDS,
        (("metadata.request_start_ns", "metrics"), ("metadata.x_request_id", "metrics")), records,
        Text("`profile_export.jsonl`, a request a line", "`profile_export.jsonl`，每行一个请求"),
    ),
]  # fmt: skip
