"""`vllm bench latency` and `vllm bench throughput`: batches without a server."""

from __future__ import annotations

from derive.measured.files import Document
from derive.measured.gather import Gather
from derive.measured.reader import OBJECT, Reader
from derive.measured.record import MEAN, Run
from derive.text import Text, tr

LATENCY, THROUGHPUT = "vLLM bench latency", "vLLM bench throughput"


def latency(document: Document) -> list[Run]:
    """Seconds that a whole batch takes from prompt to last token."""
    gather = Gather(LATENCY, document)
    batch_times(gather)
    gather.note(tr("the times are of a whole batch, whose requests start and end together; its"
                   " size and lengths do not stand in the file"))  # fmt: skip
    return [gather.run()]


def batch_times(gather: Gather) -> None:
    """End-to-end times of a batch, as the tool writes them."""
    how = tr("time of a whole batch")
    gather.figure("E2E_meas", "avg_latency", "s", MEAN, how)
    percentiles = gather.raw("percentiles")
    if not isinstance(percentiles, dict):
        return
    for percent in percentiles:
        if percent.isascii() and percent.isdigit():
            gather.figure("E2E_meas", f"percentiles.{percent}", "s", f"p{percent}", how)


def throughput(document: Document) -> list[Run]:
    """All requests handed over at once; the engine batches them as it can."""
    gather = Gather(THROUGHPUT, document)
    totals(gather)
    gather.note(tr("input and output tokens are counted together; how they divide does not stand"
                   " in the file"))  # fmt: skip
    return [gather.run()]


def totals(gather: Gather) -> None:
    """Rates over the whole run."""
    gather.figure("duration", "elapsed_time", "s", "one")
    gather.count("requests", "num_requests")
    gather.figure("rate", "requests_per_second", "request/s")
    gather.figure("X_all", "tokens_per_second", "token/s")
    gather.count("tokens_all", "total_num_tokens")


READERS = [
    Reader(
        "vllm-latency", LATENCY, OBJECT, (("avg_latency", "latencies", "percentiles"),), latency,
        Text("JSON of `--output-json`", "`--output-json` 写出的 JSON"),
    ),
    Reader(
        "vllm-throughput", THROUGHPUT, OBJECT,
        (("elapsed_time", "num_requests", "requests_per_second", "tokens_per_second"),), throughput,
        Text("JSON of `--output-json`", "`--output-json` 写出的 JSON"),
    ),
]  # fmt: skip
