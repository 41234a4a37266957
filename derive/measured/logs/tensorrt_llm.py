"""TensorRT-LLM's start: the paged KV cache, which the PyTorch backend allocates twice.

Strings as in cpp/tensorrt_llm/batch_manager/kvCacheManager.cpp and runtime/tllmRuntime.cpp from
0.9 on; GiB there is 2^30 bytes.
"""

from __future__ import annotations

import re

from derive.measured.logs.scan import Engine, Filled, Start
from derive.text import tr

PATTERNS = {
    "start": re.compile(r"TensorRT[- ]LLM version:? (?P<version>[\w.+-]{1,40})"),
    "weights": re.compile(r"Loaded engine size: (?P<size>\d+) MiB"),
    "free": re.compile(
        r"when calculating max tokens in paged kv cache: total: [\d.]+ GiB, "
        r"available: (?P<size>\d+(?:\.\d+)?) GiB"
    ),
    "blocks": re.compile(
        r"(?:blocks in KV cache primary pool: |Max KV cache blocks per sequence: \d+ "
        r"\[window size=(?P<window>\d+)\].*?primary blocks=)(?P<blocks>\d+)"
    ),
    "block": re.compile(r"(?:Number of tokens per block: |tokens per block=)(?P<tokens>\d+)"),
    "pool": re.compile(
        r"Allocated (?P<size>\d+(?:\.\d+)?) GiB for max tokens in paged KV cache "
        r"\((?P<tokens>\d[\d,]*)\)"
    ),
}


def fill(start: Start, made: Filled) -> None:
    """The figures of one start: of allocations made one after the other, the last one stays."""
    for seen in start.of("start")[-1:]:
        made.fact("engine", f"TensorRT-LLM {seen.groups['version']}", seen)
    for seen in start.last("weights")[-1:]:
        made.add("M_weights", seen.number("size"), "MiB/device", seen,
                 tr("size of the engine: weights and its plan"))  # fmt: skip
    pools = start.last("pool")
    made.least("M_pool", pools, "size", "GiB/device")
    made.least("tokens_pool", pools, "tokens", "token")
    if len(start.of("pool")) > len(pools):
        made.notes.append(tr("the cache was allocated more than once: the last one is read"))
    windows = {s.groups["window"] for s in start.of("blocks")} - {None}
    if len(windows) < 2:
        made.least("blocks", start.last("blocks"), "blocks", "")
    made.least("T_block", start.last("block"), "tokens", "token/request")
    for seen in start.last("free")[-1:] if pools else ():
        made.add("M_avail", seen.number("size"), "GiB/device", seen, None, seen.half("size"))
    if not pools:
        for seen in start.last("free")[-1:]:
            made.notes.append(
                tr("{size} GiB were free before the cache took its share of them",
                   size=seen.groups["size"])
            )  # fmt: skip


TENSORRT_LLM = Engine(
    "TensorRT-LLM", PATTERNS, frozenset({"start", "weights", "free"}), frozenset({"pool"}), fill,
    restarts=False,
)  # fmt: skip
