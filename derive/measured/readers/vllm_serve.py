"""`vllm bench serve --save-result` and its ancestor `benchmark_serving.py`."""

from __future__ import annotations

from derive.measured.files import Document
from derive.measured.gather import Gather, statistic
from derive.measured.reader import OBJECT, Reader
from derive.measured.record import MEAN, Run
from derive.measured.serving import finish
from derive.text import Text, tr

TOOL = "vLLM bench serve"
TIMES = {
    "ttft": ("TTFT_meas", "ms"),
    "tpot": ("TPOT_meas", "ms*request/token"),
    "itl": ("ITL_meas", "ms"),
    "e2el": ("E2E_meas", "ms"),
}


def read(document: Document) -> list[Run]:
    """One object is one run; which metrics and percentiles it has was chosen when it was made."""
    gather = Gather(TOOL, document)
    figures(gather)
    gather.fact("model", "model_id")
    return finish(gather)


def figures(gather: Gather) -> None:
    """The figures of a flat object; also those of a CI record."""
    for key in gather.fields():
        word, _, rest = key.partition("_")
        metric = rest.removesuffix("_ms")
        if rest.endswith("_ms") and metric in TIMES and (kind := statistic(word)):
            name, units = TIMES[metric]
            gather.figure(name, key, units, kind)
    gather.figure("X_meas", "output_throughput", "token/s")
    gather.figure("X_all", "total_token_throughput", "token/s")
    gather.figure("X_in", "input_throughput", "token/s")
    gather.figure("rate", "request_throughput", "request/s")
    gather.figure("duration", "duration", "s", "one")
    gather.count("requests", "completed")
    gather.count("failed", "failed")
    gather.count("tokens_in", "total_input_tokens")
    gather.count("tokens_out", "total_output_tokens")
    gather.count("b_asked", "max_concurrency")
    gather.ratio("T_in_meas", "total_input_tokens", "completed", "token/request")
    gather.ratio("T_out_meas", "total_output_tokens", "completed", "token/request")
    in_flight(gather)
    speculation(gather)


def in_flight(gather: Gather) -> None:
    """Mean requests in flight: time spent in requests over the duration, where it is listed."""
    spent, duration = gather.raw("latencies"), gather.number("duration")
    if isinstance(spent, list) and spent and duration:
        times = [gather.checked(t, "latencies") for t in spent]
        if None not in times:
            how = tr("sum of latencies / duration")
            gather.add("b_meas", sum(times) / duration, "request", "latencies", MEAN, how)  # type: ignore[arg-type]


def speculation(gather: Gather) -> None:
    """Accepted tokens a step, the bonus token counted; the acceptance rate stands in percent."""
    gather.figure("accepted", "spec_decode_acceptance_length", "token/request")
    share = gather.number("spec_decode_acceptance_rate")
    if share is not None:
        gather.add("acceptance", share / 100, "", "spec_decode_acceptance_rate", MEAN,
                   tr("the file gives percent"))  # fmt: skip


# the first layouts gave input_throughput in place of total_token_throughput
COMMON = ("model_id", "backend", "completed", "total_input_tokens", "output_throughput", "duration")
READERS = [
    Reader(
        "vllm-serve", TOOL, OBJECT,
        ((*COMMON, "total_token_throughput"), (*COMMON, "request_throughput")),
        read,
        Text("JSON of `--save-result`", "`--save-result` 写出的 JSON"),
    )
]  # fmt: skip
