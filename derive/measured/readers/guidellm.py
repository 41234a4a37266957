"""guidellm `benchmarks.json`: every benchmark of a file is a run."""

from __future__ import annotations

from derive.errors import printable
from derive.measured.files import Document, refuse
from derive.measured.gather import Gather, under
from derive.measured.reader import OBJECT, Reader
from derive.measured.record import Fact, Run
from derive.measured.serving import finish
from derive.text import Text, tr

TOOL = "guidellm"
TPOT = "ms*request/token"
# p001 is the 0.1th percentile, p01 the first
STATISTICS = {
    "p001": "p0.1", "p01": "p1", "p05": "p5", "p10": "p10", "p25": "p25", "p50": "p50",
    "p75": "p75", "p90": "p90", "p95": "p95", "p99": "p99", "p999": "p99.9",
}  # fmt: skip
SPREADS = (
    ("TTFT_meas", "time_to_first_token_ms", "ms"),
    ("TPOT_meas", "inter_token_latency_ms", TPOT),
    ("TPOT_all", "time_per_output_token_ms", TPOT),
    ("E2E_meas", "request_latency", "s"),
    ("T_in_meas", "prompt_token_count", "token/request"),
    ("T_out_meas", "output_token_count", "token/request"),
)
RATES = (
    ("X_meas", "output_tokens_per_second", "token/s"),
    ("X_in", "prompt_tokens_per_second", "token/s"),
    ("X_all", "tokens_per_second", "token/s"),
    ("rate", "requests_per_second", "request/s"),
    ("b_meas", "request_concurrency", "request"),
)


def read(document: Document) -> list[Run]:
    """All benchmarks of the file."""
    made: list[Run] = []
    listed = under(document.data, "benchmarks")
    for number, data in enumerate(listed if isinstance(listed, list) else ()):
        part = document.part(f"benchmarks[{number}]", data)
        if isinstance(under(data, "benchmarks"), list):
            what = tr("this is the layout of guidellm 0.1, which lists requests without figures;"
                      " derive reads files of 0.2 and newer")  # fmt: skip
            refuse("B110", what, part.place("benchmarks"))
        if not isinstance(under(data, "metrics"), dict):
            refuse("B110", tr("this benchmark has no metrics"), part.place("metrics"))
        made += one(Gather(TOOL, part), document)
    return made


def one(gather: Gather, document: Document) -> list[Run]:
    """One benchmark; requests that succeeded alone, as in all its percentiles."""
    old = under(gather.document.data, "args.strategy") is not None
    for name, key, units in SPREADS:
        if name == "TPOT_all" and old:
            continue  # up to 0.3 it was (last - first token) / tokens: neither TPOT nor the whole
        block = f"metrics.{key}.successful"
        gather.spread(name, block, units, weighted(name))
        gather.spread(name, f"{block}.percentiles", units, weighted(name), STATISTICS)
    for name, key, units in RATES:
        gather.figure(name, f"metrics.{key}.successful.mean", units)
    duration(gather)
    totals = gather.one_of("metrics.request_totals", "request_totals")
    gather.count("requests", f"{totals}.successful")
    gather.count("failed", f"{totals}.errored")
    strategy(gather)
    for key in ("config.backend.model", "worker.backend_model", "benchmarker.backend.model"):
        gather.fact("model", key)
    model = under(document.data, "args.model")
    if isinstance(model, str) and model and "model" not in gather.facts:
        gather.facts["model"] = Fact(printable(model, 120), document.place("args.model"))
    others = [gather.number(f"{totals}.{k}") for k in ("errored", "incomplete")]
    if any(others):
        gather.note(tr("only requests that succeeded are counted; errored and incomplete ones used"
                       " the server too"))  # fmt: skip
    return finish(gather)


def weighted(name: str) -> Text | None:
    """How the tool averages."""
    if name == "TPOT_meas":
        return tr("the mean over output tokens, not over requests: long answers count more")
    return None


def duration(gather: Gather) -> None:
    """Written in newer layouts; in older ones the difference of two clocks."""
    if gather.raw("duration") is not None:
        gather.figure("duration", "duration", "s", "one")
        return
    for start, end in (("start_time", "end_time"), ("run_stats.start_time", "run_stats.end_time")):
        first, last = gather.number(start), gather.number(end)
        if first is not None and last is not None and last > first:
            how = tr("{end} - {start}", end=end, start=start)
            gather.add("duration", last - first, "s", end, "one", how)
            return


def strategy(gather: Gather) -> None:
    """How many requests were let in at once, where it was limited."""
    key = gather.one_of("config.strategy", "args.strategy")
    kind = gather.raw(f"{key}.type_")
    if kind == "synchronous":
        gather.add("b_asked", gather.checked(1, key), "request", f"{key}.type_", "one")
    else:
        gather.count("b_asked", gather.one_of(f"{key}.streams", f"{key}.max_concurrency"))
    if isinstance(kind, str):
        rate = gather.raw(f"{key}.rate")
        gather.label = printable(kind if rate is None else f"{kind} {rate}", 60)


READERS = [
    Reader(
        "guidellm",
        TOOL,
        OBJECT,
        (("benchmarks",),),
        read,
        Text("`benchmarks.json`", "`benchmarks.json`"),
    ),
]
