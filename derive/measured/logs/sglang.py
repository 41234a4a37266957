"""SGLang's start: weights, the pool of keys and values, and the scheduler's limits.

Strings as in python/sglang/srt/mem_cache/memory_pool.py, model_executor/model_runner.py and
managers/scheduler.py from 0.2 on; what they call GB is divided by 2^30 there.
"""

from __future__ import annotations

import re
from fractions import Fraction

from derive.measured.logs.scan import Engine, Filled, Sighting, Start, gib_note
from derive.text import tr

PATTERNS = {
    "start": re.compile(r"server_args=(?:ServerArgs\()?(?P<config>.*)"),
    "weights": re.compile(r"Load weight end\..*?mem usage=(?P<size>\d[\d.]*?) (?P<unit>GB)"),
    "pool": re.compile(
        r"KV Cache is allocated\. (?:dtype: (?P<dtype>[\w.]+), )?(?:#tokens: (?P<tokens>\d+), )?"
        r"(?:K size: (?P<keys>\d[\d.]*) GB, V size: (?P<values>\d[\d.]*) GB"
        r"|KV size: (?P<both>\d[\d.]*) GB)"
    ),
    "states": re.compile(r"Mamba Cache is allocated\."),
    "limits": re.compile(
        r"max_total_num_tokens=(?P<tokens>\d+), .*?max_running_requests=(?P<requests>\d+)"
    ),
}
CONFIG = {
    "model": re.compile(r"model_path='([^']{1,200})'"),
    "weights": re.compile(r"(?<!\w)quantization='(\w{1,40})'"),
    "kv_cache": re.compile(r"(?<!\w)kv_cache_dtype='(\w{1,40})'"),
    "tensor": re.compile(r"(?<!\w)tp_size=(\d{1,5})"),
    "stages": re.compile(r"(?<!\w)pp_size=(\d{1,5})"),
    "page": re.compile(r"(?<!\w)page_size=(\d{1,5})"),
}


def fill(start: Start, made: Filled) -> None:
    """The figures of one start."""
    made.fact("engine", "SGLang", start.seen[0])
    for seen in start.of("start"):
        config(seen, made)
    weights(start, made)
    pool(start, made)
    limits = start.last("limits")
    made.least("tokens_pool", limits, "tokens", "token")
    made.least("b_asked", limits, "requests", "request",
               tr("places for requests; memory may hold fewer"))  # fmt: skip
    if start.of("states"):
        made.notes.append(tr("states of linear attention are kept apart and are not in the pool"))


def config(seen: Sighting, made: Filled) -> None:
    """Model, precisions and devices of the arguments that the server prints."""
    text = seen.groups["config"] or ""
    found = {k: m[1] for k, p in CONFIG.items() if (m := p.search(text))}
    for name in ("model", "weights", "kv_cache"):
        made.fact(name, found.get(name), seen)
    if "page" in found:
        made.add("T_block", int(found["page"]), "token/request", seen)
    if "tensor" in found:
        tensor, stages = int(found["tensor"]), int(found.get("stages", 1))
        made.add("g", tensor * stages, "device", seen,
                 tr("tensor parallel {tensor} × pipeline parallel {stages}",
                    tensor=tensor, stages=stages))  # fmt: skip
        made.add("g_tensor", tensor, "device", seen)
        made.add("stages", stages, "", seen)


def weights(start: Start, made: Filled) -> None:
    """Weights of the fullest rank; a draft model is loaded after the model."""
    totals: dict[str, list[Sighting]] = {}
    for seen in start.of("weights"):
        totals.setdefault(seen.rank, []).append(seen)
    if totals:
        fullest = max(totals.values(), key=lambda s: s[0].number("size"))
        made.add("M_weights", fullest[0].number("size"), "GiB/device", fullest[0], gib_note("GB"),
                 fullest[0].half("size"))  # fmt: skip
        if len(fullest) > 1:
            made.notes.append(
                tr("a draft model takes {size} GiB more", size=fullest[1].groups["size"])
            )


def pool(start: Start, made: Filled) -> None:
    """Keys and values of one device together; pools of layers of other kinds are added up."""
    ranks: dict[str, list[Sighting]] = {}
    for seen in start.of("pool"):
        ranks.setdefault(seen.rank, []).append(seen)
    if not ranks:
        return
    sizes = {rank: sum((size(s) for s in seen), Fraction(0)) for rank, seen in ranks.items()}
    rank = min(sizes, key=lambda r: sizes[r])
    pools = ranks[rank]
    first = pools[0]
    note = tr("keys and values; the lines say GB and count GiB (2^30 bytes)")
    if len(pools) > 1:
        note = tr("{count} pools added up; the lines say GB and count GiB (2^30 bytes)",
                  count=len(pools))  # fmt: skip
    half = sum((s.half(k) for s in pools for k in ("keys", "values", "both")), Fraction(0))
    made.add("M_pool", sizes[rank], "GiB/device", first, note, half)
    made.fact("kv_cache", (first.groups["dtype"] or "").removeprefix("torch."), first)
    if start.of("limits") or not first.groups["tokens"]:
        return
    if len({s.groups["tokens"] for s in start.of("pool")}) == 1:
        made.add("tokens_pool", first.number("tokens"), "token", first)
    else:
        made.notes.append(tr("pools of several sizes, and no line that says what they hold"))


def size(seen: Sighting) -> Fraction:
    """GiB of one pool."""
    if seen.groups["both"]:
        return seen.number("both")
    return seen.number("keys") + seen.number("values")


SGLANG = Engine("SGLang", PATTERNS, frozenset({"start", "weights"}), frozenset({"limits"}), fill)
