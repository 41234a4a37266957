"""Serving engines as the rules need them: a table of metric names, and the labels of a replica."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from derive.measured.metric_names import ENGINE_LABEL, MODEL_LABEL, VERSIONS, Metric
from derive.measured.metric_names import VLLM as VLLM_METRICS


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
    VERSIONS,
    VLLM_METRICS,
    ("job", "namespace", "pod", "instance", MODEL_LABEL),
    ENGINE_LABEL,
)
