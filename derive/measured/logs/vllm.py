"""vLLM's start: V0 (blocks), V1 (tokens), and the refusals that state what would have fitted.

Strings as in vllm/worker/worker.py, vllm/executor/executor_base.py, vllm/v1/worker/gpu_worker.py,
vllm/v1/worker/gpu_model_runner.py and vllm/v1/core/kv_cache_utils.py from 0.6 on.
"""

from __future__ import annotations

import re
from fractions import Fraction
from math import ceil, floor

from derive.measured.logs.scan import Engine, Filled, Sighting, Start, gib_note
from derive.text import tr

HALF = Fraction(1, 200)  # half of the last printed digit of a concurrency
PATTERNS = {
    "start": re.compile(
        r"Initializing an? (?:V1 )?LLM engine \(v(?P<version>[^)]{1,60})\) with config:"
        r"(?P<config>.*)"
    ),
    "weights": re.compile(
        r"(?:Loading model weights took|Model loading took) "
        r"(?P<size>\d[\d.]*) ?(?P<unit>GB|GiB)"
    ),
    "weights_rounded": re.compile(r"model weights take (?P<size>\d[\d.]*)(?P<unit>GiB)"),
    "pool": re.compile(
        r"(?:Available KV cache memory: |reserved for KV Cache is |reserved (?=[\d.]+ GiB memory "
        r"for KV Cache))(?P<size>-?\d+(?:\.\d+)?) ?GiB"
    ),
    "tokens": re.compile(r"GPU KV cache size: (?P<tokens>\d[\d,]*) tokens"),
    "blocks": re.compile(r"# (?!CPU)\w+ blocks: (?P<blocks>\d+)"),
    "concurrency": re.compile(
        r"Maximum concurrency for (?P<length>\d[\d,]*) tokens per request: (?P<times>\d+\.\d+)x"
    ),
    "block": re.compile(r"(?:Setting attention block size to |'block_size': )(?P<tokens>\d+)"),
    "too_long": re.compile(
        r"max seq len \((?P<length>\d+)\) is larger than the maximum number of tokens that can be "
        r"stored in KV cache \((?P<tokens>\d+)\)"
    ),
    "too_large": re.compile(
        r"max seq len \((?P<length>\d+)\), \(?(?P<needed>[\d.]+) GiB KV cache is needed, which is "
        r"larger than the available KV cache memory \((?P<size>[\d.]+) GiB\)"
        r"(?:.*?estimated maximum model length is (?P<tokens>\d+))?"
    ),
}
CONFIG = {
    "model": re.compile(r"(?<![\w-])model='([^']{1,200})'"),
    "weights": re.compile(r"(?<!\w)quantization=(\w{1,40})"),
    "dtype": re.compile(r"(?<!\w)dtype=(?:torch\.)?(\w{1,40})"),
    "kv_cache": re.compile(r"kv_cache_dtype=(\w{1,40})"),
    "tensor": re.compile(r"tensor_parallel_size=(\d{1,5})"),
    "stages": re.compile(r"pipeline_parallel_size=(\d{1,5})"),
}


def fill(start: Start, made: Filled) -> None:
    """The figures of one start."""
    for seen in start.of("start"):
        config(seen, made)
    weights(start, made)
    pool(start, made)
    capacity(start, made)
    made.least("T_asked", start.last("concurrency"), "length", "token/request")
    made.least("b_pool", start.last("concurrency"), "times", "request")
    refusal(start, made)


def config(seen: Sighting, made: Filled) -> None:
    """Model, precisions and devices of the engine's own line."""
    text = seen.groups["config"] or ""
    found = {k: m[1] for k, p in CONFIG.items() if (m := p.search(text))}
    made.fact("engine", f"vLLM {seen.groups['version']}", seen)
    made.fact("model", found.get("model"), seen)
    quantized = found.get("weights")
    made.fact("weights", found.get("dtype") if quantized in (None, "None") else quantized, seen)
    made.fact("kv_cache", found.get("kv_cache"), seen)
    if "tensor" in found:
        tensor, stages = int(found["tensor"]), int(found.get("stages", 1))
        made.add("g", tensor * stages, "device", seen,
                 tr("tensor parallel {tensor} × pipeline parallel {stages}",
                    tensor=tensor, stages=stages))  # fmt: skip
        made.add("g_tensor", tensor, "device", seen)
        made.add("stages", stages, "", seen)


def weights(start: Start, made: Filled) -> None:
    """Weights of the fullest rank."""
    if seen := start.last("weights") or start.last("weights_rounded"):
        fullest = max(seen, key=lambda s: s.number("size"))
        made.add("M_weights", fullest.number("size"), "GiB/device", fullest,
                 gib_note(fullest.groups["unit"]), fullest.half("size"))  # fmt: skip


def pool(start: Start, made: Filled) -> None:
    """Memory of the pool; below zero where nothing was left."""
    seen = start.last("pool")
    if any(s.number("size") < 0 for s in seen):
        made.notes.append(tr("no memory was left for the KV cache"))
        return
    made.least("M_pool", seen, "size", "GiB/device",
               tr("of one device, before blocks are cut"))  # fmt: skip


def capacity(start: Start, made: Filled) -> None:
    """Blocks, their size and the tokens they hold; V0 prints blocks and leaves their size out."""
    blocks, tokens, told = start.last("blocks"), start.last("tokens"), start.last("block")
    made.least("tokens_pool", tokens, "tokens", "token",
               tr("of the replica: tensor-parallel ranks hold shares of each token"))  # fmt: skip
    made.least("blocks", blocks, "blocks", "")
    if told:
        made.add("T_block", told[-1].number("tokens"), "token/request", told[-1])
    if not blocks or tokens:
        return
    least = min(blocks, key=lambda s: s.number("blocks"))
    size = told[-1].number("tokens") if told else block_size(least, start.last("concurrency"))
    if size is None:
        return
    if not told:
        made.add("T_block", size, "token/request", start.last("concurrency")[-1],
                 tr("the one size that gives the printed concurrency"))  # fmt: skip
    made.add("tokens_pool", least.number("blocks") * size, "token", least,
             tr("{blocks} blocks of {size} tokens", blocks=least.groups["blocks"],
                size=size))  # fmt: skip


def block_size(blocks: Sighting, concurrency: list[Sighting]) -> Fraction | None:
    """Tokens of a block from blocks · size / length = concurrency; None unless one size fits."""
    count = blocks.number("blocks")
    if not concurrency or not count:
        return None
    seen = concurrency[-1]
    low, high = ((seen.number("times") + d) * seen.number("length") / count for d in (-HALF, HALF))
    fitting = range(max(1, ceil(low)), floor(high) + 1)
    return Fraction(fitting[0]) if len(fitting) == 1 else None


def refusal(start: Start, made: Filled) -> None:
    """The engine did not start: what it says would have fitted."""
    for seen in start.of("too_long")[-1:]:
        made.notes.append(tr("the engine refused to start: one request does not fit"))
        made.add("T_asked", seen.number("length"), "token/request", seen)
        if not any(f.id == "tokens_pool" for f in made.figures):
            made.add("tokens_pool", seen.number("tokens"), "token", seen)
    for seen in start.of("too_large")[-1:]:
        made.notes.append(
            tr("the engine refused to start: one request needs {needed} GiB",
               needed=seen.groups["needed"])
        )  # fmt: skip
        made.add("T_asked", seen.number("length"), "token/request", seen)
        made.add("M_need", seen.number("needed"), "GiB/device", seen, None, seen.half("needed"))
        if not any(f.id == "M_pool" for f in made.figures):
            made.add("M_pool", seen.number("size"), "GiB/device", seen, None, seen.half("size"))
        if seen.groups["tokens"] and not any(f.id == "tokens_pool" for f in made.figures):
            made.add("tokens_pool", seen.number("tokens"), "token", seen,
                     tr("the longest request that would fit, as the engine estimates"))  # fmt: skip


VLLM = Engine(
    "vLLM", PATTERNS, frozenset({"start", "weights", "pool"}), frozenset({"tokens", "blocks"}), fill
)
