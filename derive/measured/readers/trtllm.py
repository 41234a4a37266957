"""TensorRT-LLM `trtllm-bench`: the JSON of `--report_json` and the report in text, old and new."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from decimal import Decimal

from derive.measured.files import Document, Found, exact
from derive.measured.gather import Gather
from derive.measured.reader import OBJECT, TEXT, Reader
from derive.measured.record import MEAN, Run
from derive.measured.serving import finish
from derive.text import Text, tr

TOOL = "trtllm-bench"
TPOT, USER = "ms*request/token", "token/s/request"
SPREADS = (  # figure, block of percentiles, unit
    ("E2E_meas", "performance.request_latency_percentiles_ms", "ms"),
    ("TTFT_meas", "streaming_metrics.ttft_percentiles", "ms"),
    ("TPOT_meas", "streaming_metrics.tpot_percentiles", TPOT),
    ("R_meas", "streaming_metrics.gen_tps_percentiles", USER),
)
SINGLE = (
    ("TTFT_meas", "streaming_metrics.avg_ttft_ms", "ms", MEAN),
    ("TPOT_meas", "streaming_metrics.avg_tpot_ms", TPOT, MEAN),
    ("R_meas", "streaming_metrics.token_output_speed_tok_s", USER, MEAN),
    ("E2E_meas", "performance.avg_request_latency_ms", "ms", MEAN),
    ("X_meas", "performance.system_output_throughput_tok_s", "token/s", MEAN),
    ("X_all", "performance.system_total_throughput_tok_s", "token/s", MEAN),
    ("R_all", "performance.output_throughput_per_user_tok_s", USER, MEAN),
    ("rate", "performance.request_throughput_req_s", "request/s", MEAN),
    ("duration", "performance.total_latency_ms", "ms", "one"),
    ("requests", "request_info.num_requests", "request", "one"),
    ("b_meas", "request_info.avg_num_concurrent_requests", "request", MEAN),
    ("T_in_meas", "request_info.avg_input_length", "token/request", MEAN),
    ("T_out_meas", "request_info.avg_output_length", "token/request", MEAN),
    ("g", "world_info.world_size", "device", "one"),
    ("b_asked", "world_info.max_batch_size", "request", "one"),
    ("accepted", "decoding_stats.acceptance_length_percentiles.average", "token/request", MEAN),
    ("acceptance", "decoding_stats.draft_acceptance_rate_percentiles.average", "", MEAN),
)
FACTS = (
    ("model", "engine.model"), ("engine", "engine.version"), ("weights", "engine.quantization"),
    ("weights", "engine.dtype"), ("kv_cache", "engine.kv_cache_dtype"),
    ("hardware", "machine.name"),
)  # fmt: skip

# labels of the report in text -> figure; the unit stands in brackets behind the label
LABELS = {
    "request throughput": ("rate", MEAN),
    "total output throughput": ("X_meas", MEAN),
    "token throughput": ("X_meas", MEAN),  # up to 0.16: output tokens only
    "total token throughput": ("X_all", MEAN),
    "total latency": ("duration", "one"),
    "average request latency": ("E2E_meas", MEAN),
    "per user output throughput": ("R_all", MEAN),
    "per user output throughput [w/ ctx]": ("R_all", MEAN),
    "per user output speed": ("R_meas", MEAN),
    "per user output speed [1/tpot]": ("R_meas", MEAN),
    "average time-to-first-token [ttft]": ("TTFT_meas", MEAN),
    "average time-per-output-token [tpot]": ("TPOT_meas", MEAN),
    "number of requests": ("requests", "one"),
    "number of concurrent requests": ("b_meas", MEAN),
    "average input length": ("T_in_meas", MEAN),
    "average output length": ("T_out_meas", MEAN),
    "max runtime batch size": ("b_asked", "one"),
}
UNITS = {
    "req/sec": "request/s", "tokens/sec": "token/s", "ms": "ms", "seconds": "s",
    "tokens/sec/user": USER, "tps/user": USER, "tokens": "token/request", "": "request",
}  # fmt: skip
TEXT_FACTS = {  # where quantization is None, the dtype is the weights'
    "model": "model", "tensorrt llm version": "engine", "tensorrt-llm version": "engine",
    "quantization": "weights", "dtype": "weights", "kv cache dtype": "kv_cache",
}  # fmt: skip
SIZES = ("tp size", "pp size")
KNOWN = {*LABELS, *TEXT_FACTS, *SIZES}
LONGEST = 300  # characters of a line of the report
BREAKDOWN = {
    "tpot": ("TPOT_meas", TPOT),
    "ttft": ("TTFT_meas", "ms"),
    "latency": ("E2E_meas", "ms"),
    "gtps": ("R_meas", USER),
}
LINE = re.compile(
    r"\s*(?P<label>[A-Za-z][^():]*?)\s*(?:\((?P<unit>[^()]*)\))?\s*:\s*(?P<value>.*\S)\s*"
)
PART = re.compile(
    r"\s*\[(?P<label>TPOT|TTFT|Latency|GTPS)\]\s*(?P<kind>P\d+)\s*:\s*(?P<value>\S+)\s*"
)
SPEEDS = re.compile(r"total output throughput|token throughput")


def report(document: Document) -> list[Run]:
    """The JSON report: one object, one run."""
    gather = Gather(TOOL, document)
    for name, key, units, kind in SINGLE:
        gather.figure(name, key, units, kind, batch_limit(name))
    for name, block, units in SPREADS:
        gather.spread(name, block, units)
    for fact, key in FACTS:
        if fact not in gather.facts:
            gather.fact(fact, key)
    queued(gather)
    return finish(gather)


def batch_limit(name: str) -> Text | None:
    """What the engine allows is not what the client asked for."""
    return tr("largest batch of the engine") if name == "b_asked" else None


def queued(gather: Gather) -> None:
    """All requests are handed over at once unless limited: TTFT then is mostly waiting."""
    values = {f.id: f.quantity.base for f in gather.figures if f.statistic in (MEAN, "one")}
    most, in_flight = values.get("b_asked"), values.get("b_meas")
    waiting = most is not None and in_flight is not None and in_flight > most
    if waiting or ("TTFT_meas" in values and not limited(gather)):
        gather.note(tr("TTFT holds the wait in the queue where all requests are sent at once: it is"
                       " no prefill time"))  # fmt: skip


def limited(gather: Gather) -> bool:
    """Whether requests were issued at a rate that a server could be asked at."""
    rate = gather.number("world_info.issue_rate")
    return rate is not None and rate < 1000


def text(found: Found) -> list[Run]:
    """Reports in text: a file may hold several, among the lines of a log."""
    made: list[Run] = []
    for lines in reports(found.lines):
        made += one(found, lines)
    return made


def reports(lines: tuple[str, ...]) -> Iterator[list[tuple[int, str]]]:
    """The numbered lines of each report: one ends where its throughput is told a second time."""
    part: list[tuple[int, str]] = []
    told: set[str] = set()
    for number, line in enumerate(lines, 1):
        match = LINE.fullmatch(line) if len(line) <= LONGEST else None
        label = match["label"].lower() if match else ""
        header = re.match(r"\s*= (ENGINE DETAILS|PYTORCH BACKEND)", line)
        if told and (header or label in told):
            yield part
            part, told = [], set()
        if SPEEDS.match(label):
            told.add(label)
        part.append((number, line))
    if told:
        yield part


def one(found: Found, lines: list[tuple[int, str]]) -> list[Run]:
    """One report in text."""
    data: dict[str, object] = {}
    at: dict[str, int] = {}
    units: dict[str, str] = {}
    parts: list[tuple[str, str, str]] = []
    for number, line in lines:
        if len(line) > LONGEST:
            continue
        if part := PART.fullmatch(line):
            key = f"[{part['label']}] {part['kind']}"
            data[key], at[key] = number_of(part["value"]), number
            parts.append((key, part["label"].lower(), part["kind"].lower()))
        elif (match := LINE.fullmatch(line)) and match["label"].lower() in KNOWN:
            key = match["label"]
            data[key], at[key], units[key] = number_of(match["value"]), number, match["unit"] or ""
    gather = Gather(TOOL, Document(data, found.name, lines[0][0] if lines else 0, "", at))
    for key, unit in units.items():
        labelled(gather, key, unit)
    for key in sorted(units, key=str.lower, reverse=True):  # quantization before dtype
        fact = TEXT_FACTS.get(key.lower())
        if fact and fact not in gather.facts and data[key] != "None":
            gather.fact(fact, key)
    for key, label, kind in parts:
        name, units_of = BREAKDOWN[label]
        gather.figure(name, key, units_of, kind)
    devices(gather)
    queued(gather)
    return finish(gather)


def labelled(gather: Gather, key: str, unit: str) -> None:
    """A figure of the report, its unit as it stands in brackets."""
    name, kind = LABELS.get(key.lower(), ("", ""))
    if name and unit not in UNITS:
        gather.fault(f"{key} ({unit})", str(gather.raw(key)))
    elif name:
        units = UNITS[unit] + ("*request/token" if name == "TPOT_meas" else "")
        gather.figure(name, key, units, kind, batch_limit(name))


def devices(gather: Gather) -> None:
    """Tensor parallel size times pipeline stages."""
    sizes = {k.lower(): gather.number(k) for k in gather.fields() if k.lower() in SIZES}
    tensor, stages = sizes.get("tp size"), sizes.get("pp size")
    if tensor and stages:
        how = tr("tensor parallel size × pipeline stages")
        gather.add("g", tensor * stages, "device", "TP Size", "one", how)


def number_of(value: str) -> Decimal | str:
    """A number where it is one."""
    with suppress(ValueError, ArithmeticError):
        return exact(value.strip())
    return value.strip()


READERS = [
    Reader(
        "trtllm-json", TOOL, OBJECT,
        (("engine", "world_info", "request_info", "performance"),
         ("performance.request_throughput_req_s", "performance.total_latency_ms")),
        report, Text("JSON of `--report_json`", "`--report_json` 写出的 JSON"),
    ),
    Reader(
        "trtllm-text", TOOL, TEXT,
        ((r"(?m)^[ \t]*(Total Output|Token) Throughput \(tokens/sec\):",
          r"(?m)^[ \t]*Request Throughput \(req/sec\):"),),
        text, Text("the report that is printed", "打印出来的报告"),
    ),
]  # fmt: skip
