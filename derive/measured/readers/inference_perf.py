"""inference-perf: `summary_lifecycle_metrics.json` and the file of each load stage."""

from __future__ import annotations

from fractions import Fraction

from derive.measured.files import Document
from derive.measured.gather import Gather
from derive.measured.reader import OBJECT, Reader
from derive.measured.record import MEAN, Run
from derive.measured.serving import finish
from derive.text import Text, tr

TOOL = "inference-perf"
APART = Fraction(1, 20)
LATENCIES = (  # all in seconds, whatever the key says
    ("E2E_meas", "request_latency", "s"),
    ("TTFT_meas", "time_to_first_token", "s"),
    ("TPOT_meas", "time_per_output_token", "s*request/token"),
    ("TPOT_all", "normalized_time_per_output_token", "s*request/token"),
    ("ITL_meas", "inter_token_latency", "s"),
)
THROUGHPUT = (
    ("X_meas", "output_tokens_per_sec", "token/s"),
    ("X_in", "input_tokens_per_sec", "token/s"),
    ("X_all", "total_tokens_per_sec", "token/s"),
    ("rate", "requests_per_sec", "request/s"),
)


def read(document: Document) -> list[Run]:
    """One object is one stage, or all stages pooled; only requests that succeeded are counted."""
    gather = Gather(TOOL, document)
    for name, key, units in LATENCIES:
        gather.spread(name, f"successes.latency.{key}", units)
    for name, key, units in THROUGHPUT:
        gather.figure(name, f"successes.throughput.{key}", units)
    gather.figure("duration", "benchmark_time_seconds", "s", "one")
    gather.count("requests", "successes.count")
    gather.count("failed", "failures.count")
    gather.count("b_asked", "load_summary.concurrency")
    lengths(gather)
    prefix(gather)
    if gather.raw("load_summary.requested_rate") is None:
        gather.note(tr("the file tells no request rate: a summary pools all its load stages"))
    return finish(gather)


def lengths(gather: Gather) -> None:
    """The client counts output tokens by encoding the text again; newer files have the server's."""
    for name, client, newer in (("T_in_meas", "prompt_len", "prompt_tokens"),
                                ("T_out_meas", "output_len", "output_tokens")):  # fmt: skip
        mine, servers = f"successes.{client}", f"successes.{newer}"
        gather.spread(name, gather.one_of(mine, servers), "token/request")
        one, other = gather.number(f"{mine}.mean"), gather.number(f"{servers}.mean")
        if one and other and abs(other / one - 1) > APART:
            counts = {"one": f"{float(one):.1f}", "other": f"{float(other):.1f}"}
            gather.note(tr("the client counts {one} tokens a request in {mine}, the server {other}"
                           " in {servers}: the client's count is used, as in TPOT",
                           mine=client, servers=newer, **counts))  # fmt: skip


def prefix(gather: Gather) -> None:
    """Prompt tokens that the server found in its cache."""
    cached, total = (gather.number(f"successes.prompt_tokens.{k}") for k in ("cached", "total"))
    count = gather.number("successes.count")
    if cached and total and count:
        how = tr("{above} / {below}", above="cached", below="total")
        gather.add("hit", cached / total, "", "successes.prompt_tokens.cached", MEAN, how)
        how = tr("{above} / {below}", above="cached", below="count")
        gather.add(
            "T_hit", cached / count, "token/request", "successes.prompt_tokens.cached", MEAN, how
        )


READERS = [
    Reader(
        "inference-perf", TOOL, OBJECT,
        (("load_summary", "successes.latency", "successes.throughput", "failures"),), read,
        Text("`summary_lifecycle_metrics.json`, `stage_N_lifecycle_metrics.json`",
             "`summary_lifecycle_metrics.json`、`stage_N_lifecycle_metrics.json`"),
    )
]  # fmt: skip
