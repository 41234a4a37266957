"""The twin `.pytorch.json` that vLLM's benchmarks write for a CI database: one record a metric."""

from __future__ import annotations

from derive.measured.files import Document
from derive.measured.gather import Gather, under
from derive.measured.reader import ARRAY, Reader
from derive.measured.readers import vllm_offline, vllm_serve
from derive.measured.record import Run
from derive.measured.serving import finish
from derive.text import Text, tr

SERVE, LATENCY, THROUGHPUT = "output_throughput", "avg_latency", "tokens_per_second"


def read(document: Document) -> list[Run]:
    """The records of one run, put together to what the plain file holds, and its arguments."""
    records = document.data if isinstance(document.data, list) else []
    flat: dict[str, object] = {}
    for record in records:
        extra = under(record, "metric.extra_info")
        flat |= extra if isinstance(extra, dict) else {}
        name, values = under(record, "metric.name"), under(record, "metric.benchmark_values")
        if isinstance(name, str) and isinstance(values, list) and len(values) == 1:
            flat[name] = values[0]
    first = records[0] if records else None
    flat["args"] = under(first, "benchmark.extra_info.args")
    flat["model"] = under(first, "model.name")
    return run(Document(flat, document.file, document.line))


def run(document: Document) -> list[Run]:
    """Which of the benchmarks it was shows in its metrics."""
    tool, figures = next(
        (tool, figures)
        for key, tool, figures in (
            (SERVE, vllm_serve.TOOL, vllm_serve.figures),
            (LATENCY, vllm_offline.LATENCY, vllm_offline.batch_times),
            (THROUGHPUT, vllm_offline.THROUGHPUT, vllm_offline.totals),
            ("", vllm_serve.TOOL, vllm_serve.figures),
        )
        if not key or under(document.data, key) is not None
    )
    gather = Gather(tool, document)
    figures(gather)
    gather.fact("model", "model")
    arguments(gather, tool)
    return finish(gather)


def arguments(gather: Gather, tool: str) -> None:
    """What the benchmark was started with; the engine's own where it ran the engine itself."""
    if tool == vllm_serve.TOOL:
        return
    gather.figure("b_meas", "args.batch_size", "request")
    gather.figure("T_in_meas", "args.input_len", "token/request")
    gather.figure("T_out_meas", "args.output_len", "token/request")
    tensor = gather.number("args.tensor_parallel_size")
    stages = gather.number("args.pipeline_parallel_size")
    if tensor and stages:
        how = tr("tensor parallel size × pipeline stages")
        gather.add("g", tensor * stages, "device", "args.tensor_parallel_size", "one", how)


READERS = [
    Reader(
        "vllm-ci", "vLLM bench", ARRAY,
        (("benchmark.name", "model.name", "metric.name", "metric.benchmark_values"),), read,
        Text("`.pytorch.json` of the benchmarks", "基准测试写出的 `.pytorch.json`"),
    )
]  # fmt: skip
