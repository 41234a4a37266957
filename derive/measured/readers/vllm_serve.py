"""`vllm bench serve --save-result` and its ancestor `benchmark_serving.py`."""

from __future__ import annotations

from derive.measured.files import Document
from derive.measured.gather import Gather
from derive.measured.reader import OBJECT, Reader
from derive.measured.record import MEAN, Run
from derive.text import Text, tr

TOOL = "vLLM bench serve"
PREFIXES = {"mean": MEAN, "median": "p50"}
TIMES = {
    "ttft": ("TTFT_meas", "s"),
    "tpot": ("TPOT_meas", "s*request/token"),
    "itl": ("ITL_meas", "s"),
    "e2el": ("E2E_meas", "s"),
}


def read(document: Document) -> list[Run]:
    """One object is one run; which metrics and percentiles it has was chosen when it was made."""
    gather = Gather(TOOL, document)
    for key in document.data:  # type: ignore[attr-defined]
        statistic, _, rest = key.partition("_")
        metric = rest.removesuffix("_ms")
        if not rest.endswith("_ms") or metric not in TIMES:
            continue
        name, units = TIMES[metric]
        kind = PREFIXES.get(statistic) or (statistic if statistic[:1] == "p" else "")
        if kind:
            gather.figure(name, key, units.replace("s", "ms", 1), kind)
    gather.figure("X_meas", "output_throughput", "token/s")
    gather.figure("X_all", "total_token_throughput", "token/s")
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
    gather.fact("model", "model_id")
    return [gather.run()]


def in_flight(gather: Gather) -> None:
    """Mean requests in flight: time spent in requests over the duration, else by Little's law."""
    spent, duration = gather.raw("latencies"), gather.number("duration")
    if isinstance(spent, list) and spent and duration:
        times = [gather.checked(t, "latencies") for t in spent]
        if None not in times:
            how = tr("sum of latencies / duration")
            gather.add("b_meas", sum(times) / duration, "request", "latencies", MEAN, how)  # type: ignore[arg-type]
        return
    rate, mean = gather.number("request_throughput"), gather.number("mean_e2el_ms")
    if rate is not None and mean is not None:
        how = tr("by Little's law: request rate × mean end-to-end time")
        gather.add("b_meas", rate * mean / 1000, "request", "mean_e2el_ms", MEAN, how)


def speculation(gather: Gather) -> None:
    """Accepted tokens a step, the bonus token counted; the acceptance rate stands in percent."""
    gather.figure("accepted", "spec_decode_acceptance_length", "token/request")
    share = gather.number("spec_decode_acceptance_rate")
    if share is not None:
        gather.add("acceptance", share / 100, "", "spec_decode_acceptance_rate", MEAN,
                   tr("the file gives percent"))  # fmt: skip


READERS = [
    Reader(
        "vllm-serve", TOOL, OBJECT,
        (("backend", "completed", "total_input_tokens", "output_throughput", "duration",
          "total_token_throughput"),),
        read,
        Text("JSON of `--save-result`", "`--save-result` 写出的 JSON"),
    )
]  # fmt: skip
