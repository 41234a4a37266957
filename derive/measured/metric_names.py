"""What vLLM calls its metrics: one table, names newest first, as they are scraped.

Read in vllm/engine/metrics.py (V0), vllm/v1/metrics/loggers.py and vllm/v1/spec_decode/metrics.py.
`gpu_cache_usage_perc` was renamed in 0.9.2 and is gone since 0.12; `time_per_output_token_seconds`
was renamed in 0.11 and is gone since 0.13. A counter without `_total` is the same one: the client
library adds the ending to what it exposes.
"""

from __future__ import annotations

from dataclasses import dataclass

GAUGE, COUNTER, HISTOGRAM, INFO = "gauge", "counter", "histogram", "info"
VERSIONS = "0.6 – 0.30"
MODEL_LABEL, ENGINE_LABEL = "model_name", "engine"


@dataclass(frozen=True)
class Metric:
    """One quantity: its kind and its names."""

    kind: str
    names: tuple[str, ...]


VLLM = {
    # the state at the moment of the scrape
    "running": Metric(GAUGE, ("vllm:num_requests_running",)),
    "waiting": Metric(GAUGE, ("vllm:num_requests_waiting",)),
    # a share from 0 to 1, in spite of its name
    "kv_usage": Metric(GAUGE, ("vllm:kv_cache_usage_perc", "vllm:gpu_cache_usage_perc")),
    "cache_config": Metric(INFO, ("vllm:cache_config_info",)),
    # totals since the server's start
    "preemptions": Metric(COUNTER, ("vllm:num_preemptions_total",)),
    "output": Metric(COUNTER, ("vllm:generation_tokens_total",)),
    # every token of the prompts, those found in the prefix cache too
    "prompt": Metric(COUNTER, ("vllm:prompt_tokens_total",)),
    "success": Metric(COUNTER, ("vllm:request_success_total",)),
    "cached": Metric(COUNTER, ("vllm:prefix_cache_hits_total",)),
    "queried": Metric(COUNTER, ("vllm:prefix_cache_queries_total",)),
    # counted blocks at first: not the names of old of the two above, though the share is the same
    "cached_blocks": Metric(COUNTER, ("vllm:gpu_prefix_cache_hits_total",)),
    "queried_blocks": Metric(COUNTER, ("vllm:gpu_prefix_cache_queries_total",)),
    "drafts": Metric(COUNTER, ("vllm:spec_decode_num_drafts_total",)),
    "draft_tokens": Metric(COUNTER, ("vllm:spec_decode_num_draft_tokens_total",)),
    "accepted_tokens": Metric(COUNTER, ("vllm:spec_decode_num_accepted_tokens_total",)),
    "acceptance": Metric(GAUGE, ("vllm:spec_decode_draft_acceptance_rate",)),
    # histograms, since the server's start
    "ttft": Metric(HISTOGRAM, ("vllm:time_to_first_token_seconds",)),
    # one observation for each request that ended: the mean over its output tokens but the first
    "tpot": Metric(HISTOGRAM, ("vllm:request_time_per_output_token_seconds",)),
    # one observation for each output after the first: the time of a step, however many tokens it
    # brought
    "step": Metric(
        HISTOGRAM, ("vllm:inter_token_latency_seconds", "vllm:time_per_output_token_seconds")
    ),
    "e2e": Metric(HISTOGRAM, ("vllm:e2e_request_latency_seconds",)),
    "prefill": Metric(HISTOGRAM, ("vllm:request_prefill_time_seconds",)),
    # one observation for each step of the engine: tokens of prompts and outputs together
    "iteration": Metric(HISTOGRAM, ("vllm:iteration_tokens_total",)),
    "prompt_length": Metric(HISTOGRAM, ("vllm:request_prompt_tokens",)),
    "output_length": Metric(HISTOGRAM, ("vllm:request_generation_tokens",)),
}
