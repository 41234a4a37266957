"""SGLang: `bench_serving --output-file` and `bench_one_batch --result-filename`, JSON lines."""

from __future__ import annotations

from fractions import Fraction

from derive.measured.files import Document
from derive.measured.gather import Gather, statistic
from derive.measured.reader import OBJECT, Reader
from derive.measured.record import MEAN, Run
from derive.measured.serving import finish
from derive.text import Text, tr

SERVING, ONE_BATCH = "SGLang bench_serving", "SGLang bench_one_batch"
TIMES = {
    "ttft": ("TTFT_meas", "ms"),
    "tpot": ("TPOT_meas", "ms*request/token"),
    "itl": ("ITL_meas", "ms"),
    "e2e_latency": ("E2E_meas", "ms"),
}
# the layouts of 2024 used other words; their times are milliseconds without saying so
KEYS = {
    "X_meas": ("output_throughput", "output_token_throughput"),
    "duration": ("duration", "benchmark_duration"),
    "tokens_in": ("total_input_tokens", "total_input"),
    "tokens_out": ("total_output_tokens", "total_output"),
}
AGAIN = ("total_output_tokens_retokenized", "total_output_retokenized")
APART = Fraction(1, 10)
SETTINGS = ("b_meas", "T_in_meas", "T_out_meas")


def serving(document: Document) -> list[Run]:
    """One object is one run."""
    gather = Gather(SERVING, document)
    for key in gather.fields():
        word, _, rest = key.partition("_")
        metric, kind = rest.removesuffix("_ms"), statistic(word)
        if metric in TIMES and kind:
            name, units = TIMES[metric]
            how = (
                None if rest.endswith("_ms") else tr("milliseconds, though the key does not say so")
            )
            gather.figure(name, key, units, kind, how)
    at = {name: gather.one_of(*keys) for name, keys in KEYS.items()}
    gather.figure("X_meas", at["X_meas"], "token/s")
    gather.figure("X_in", "input_throughput", "token/s")
    gather.figure("X_all", "total_throughput", "token/s")
    gather.figure("rate", "request_throughput", "request/s")
    gather.figure("duration", at["duration"], "s", "one")
    gather.figure("b_meas", "concurrency", "request")
    gather.count("b_asked", "max_concurrency")
    gather.count("requests", "completed")
    gather.count("failed", "failed")
    gather.count("tokens_in", at["tokens_in"])
    gather.count("tokens_out", at["tokens_out"])
    gather.ratio("T_in_meas", at["tokens_in"], "completed", "token/request")
    gather.ratio("T_out_meas", at["tokens_out"], "completed", "token/request")
    gather.figure("accepted", "accept_length", "token/request")
    encoded_again(gather, at["tokens_out"])
    server(gather)
    return finish(gather)


def encoded_again(gather: Gather, key: str) -> None:
    """Two counts of the same output; the server's is the number of decode steps."""
    counted, again = gather.number(key), gather.number(gather.one_of(*AGAIN))
    if counted and again is not None and abs(again / counted - 1) > APART:
        gather.note(tr("the server counts {counted} output tokens, the text encoded again has"
                       " {again}: the server's count is used",
                       counted=f"{int(counted):,}", again=f"{int(again):,}"))  # fmt: skip


def server(gather: Gather) -> None:
    """What newer versions add: the arguments of the server itself."""
    gather.fact("model", "server_info.model_path")
    gather.fact("weights", "server_info.quantization")
    gather.fact("kv_cache", "server_info.kv_cache_dtype")
    gather.fact("engine", "server_info.version")
    tensor = gather.number("server_info.tp_size")
    stages = gather.number("server_info.pp_size") or 1
    if tensor:
        how = tr("tensor parallel size × pipeline stages")
        gather.add("g", tensor * stages, "device", "server_info.tp_size", "one", how)


def one_batch(document: Document) -> list[Run]:
    """One object is one batch, its prefill and its decode steps timed apart."""
    made = []
    for phase in ("prefill", "decode", "serving"):
        gather = Gather(ONE_BATCH, document, phase)
        gather.figure("b_meas", "batch_size", "request")
        gather.figure("T_in_meas", "input_len", "token/request")
        if phase == "prefill":
            gather.figure(
                "t_prefill_meas", "prefill_latency", "s", MEAN, tr("one prefill of the whole batch")
            )
            gather.figure("X_in", "prefill_throughput", "token/s")
        elif phase == "decode":
            gather.figure("T_out_meas", "output_len", "token/request")
            gather.figure("t_step_meas", "median_decode_latency", "s", "p50")
            gather.figure("TPOT_meas", "median_decode_latency", "s*request/token", "p50",
                          tr("a step gives each request one token"))  # fmt: skip
            gather.figure("X_meas", "median_decode_throughput", "token/s", "p50",
                          tr("decode alone, prefill left out"))  # fmt: skip
        else:
            gather.figure("T_out_meas", "output_len", "token/request")
            gather.figure("E2E_meas", "total_latency", "s", MEAN, tr("time of a whole batch"))
            gather.figure("X_all", "overall_throughput", "token/s")
        gather.label = str(gather.raw("run_name") or "")[:60]
        made.append(gather.run())
    return [r for r in made if any(f.id not in SETTINGS for f in r.figures)]


SHORT = ("backend", "request_rate", "completed")
READERS = [
    Reader(
        "sglang-serving", SERVING, OBJECT,
        (
            (*SHORT, "total_output_tokens_retokenized", "output_throughput", "duration"),
            (*SHORT, "total_output_retokenized", "output_token_throughput", "benchmark_duration"),
        ),
        serving,
        Text("JSON lines of `--output-file`", "`--output-file` 写出的 JSON 行"),
    ),
    Reader(
        "sglang-one-batch", ONE_BATCH, OBJECT,
        (("batch_size", "input_len", "output_len", "prefill_latency", "total_latency"),), one_batch,
        Text("JSON lines of `--result-filename`", "`--result-filename` 写出的 JSON 行"),
    ),
]  # fmt: skip
