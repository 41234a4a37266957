"""What serving engines call the quantities that the rules need: one table an engine.

Names newest first; `or` between them lets one file serve several versions. A name of old whose unit
was another is left out. Read in the source of vLLM (vllm/v1/metrics/loggers.py and
vllm/engine/metrics.py): `gpu_cache_usage_perc` was renamed in 0.9.2 and is gone since 0.12,
`time_per_output_token_seconds` was renamed in 0.11 and is gone since 0.13; `gpu_prefix_cache_hits`
counted blocks at first and is no name of old for the same thing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Metric:
    """One quantity: gauge, counter or histogram, and its names as they are scraped."""

    kind: str
    names: tuple[str, ...]


@dataclass(frozen=True)
class Engine:
    """The metrics of an engine and the labels that tell its replicas apart."""

    name: str
    versions: str
    metrics: Mapping[str, Metric]
    target_labels: tuple[str, ...]  # of the scrape, and of the model: absent ones do no harm
    engine_label: str  # one data-parallel engine inside an instance


VLLM = Engine(
    "vLLM",
    "0.6 – 0.30",
    {
        "running": Metric("gauge", ("vllm:num_requests_running",)),
        "waiting": Metric("gauge", ("vllm:num_requests_waiting",)),
        # a share from 0 to 1, in spite of its name
        "kv_usage": Metric("gauge", ("vllm:kv_cache_usage_perc", "vllm:gpu_cache_usage_perc")),
        "preemptions": Metric("counter", ("vllm:num_preemptions_total",)),
        "output": Metric("counter", ("vllm:generation_tokens_total",)),
        # every token of the prompts, those found in the prefix cache too
        "prompt": Metric("counter", ("vllm:prompt_tokens_total",)),
        "cached": Metric("counter", ("vllm:prefix_cache_hits_total",)),
        "ttft": Metric("histogram", ("vllm:time_to_first_token_seconds",)),
        # one observation for each output after the first: the time of a step, however many tokens
        # it brought
        "step": Metric(
            "histogram",
            ("vllm:inter_token_latency_seconds", "vllm:time_per_output_token_seconds"),
        ),
        "prompt_length": Metric("histogram", ("vllm:request_prompt_tokens",)),
        "output_length": Metric("histogram", ("vllm:request_generation_tokens",)),
    },
    ("job", "namespace", "pod", "instance", "model_name"),
    "engine",
)
