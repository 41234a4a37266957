"""Why the lines of an engine's start may disagree with the scenario: the known reasons."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from derive.derivation.points import Point
from derive.measured.against.beats import amount, percent
from derive.measured.against.shares import get
from derive.specs.precision import BYTES
from derive.text import Text, tr

BLOCKS = (1, 16, 32, 64, 128, 256, 512, 1024)  # tokens; what engines and backends use
NEAR = Fraction(1, 33)


@dataclass(frozen=True)
class Reason:
    """A known reason: it explains the line, or it may."""

    id: str
    state: str
    text: Text


def reading(name: str, state: str) -> Reason:
    """Another reading under which the printed figure follows exactly."""
    kind, _, number = name.partition("-")
    if kind == "block":
        text = tr("blocks of {block} tokens give it: the block size depends on the backend",
                  block=number)  # fmt: skip
        return Reason(name, state, text)
    text = {
        "all-layers": tr("it counts all layers of the model; a device holds those of one pipeline "
                         "stage"),
        "all-heads": tr("it counts the KV heads of the whole model on each device; a device holds "
                        "its share of them"),
        "cache-8": tr("a KV cache of 8 bits gives it; the scenario has another"),
        "cache-16": tr("a KV cache of 16 bits gives it; the scenario has another: weights in FP8 "
                       "do not make the cache FP8"),
    }[name]  # fmt: skip
    return Reason(name, state, text)


def grouped(state: str) -> Reason:
    """Layers of several kinds in one pool."""
    text = tr("the cache is in groups of layers: the printed tokens are concurrency times context, "
              "states and windows take whole pages, and memory over tokens is no rate")  # fmt: skip
    return Reason("grouped", state, text)


def smaller_rank(held: Fraction, share: Fraction, state: str) -> Reason:
    """A pool that another rank sized."""
    text = tr("the rank with the least memory sizes the pool: {size} hold the printed tokens, "
              "{share} of what this line holds; ranks print their own memory",
              size=amount(held, "GiB/device"), share=percent(share))  # fmt: skip
    return Reason("smaller-rank", state, text)


def of_pool(point: Point, expected: Fraction, printed: Fraction) -> Iterator[Reason]:
    """What the engine's workspace must be for the pool to be so."""
    other = (get(point, "M_other") or Fraction(0)) + expected - printed
    if other >= 0:
        text = tr("activations, CUDA graphs and the runtime take {size} by this log: set M_other "
                  "to it; the profiled activations grow with the context that is asked for",
                  size=amount(other, "GiB/device"))  # fmt: skip
        yield Reason("workspace", "open", text)
    else:
        text = tr("the pool is {size} above what the scenario leaves: a larger share of memory, "
                  "fewer weight bytes on a device, or another device",
                  size=amount(printed - expected, "GiB/device"))  # fmt: skip
        yield Reason("above", "open", text)


def share_of_free(share: Fraction) -> Reason:
    """TensorRT-LLM takes a share of what is free, its last block rounded up."""
    text = tr("the pool takes {share} of the free memory; kv_cache_free_gpu_mem_fraction is 0.9 "
              "where it is not set, and the last block is rounded up",
              share=percent(share))  # fmt: skip
    return Reason("share-of-free", "open", text)


def of_weights(
    point: Point, ratio: Fraction, stages: int, explained: str, open_: str
) -> Iterator[Reason]:
    """Weights in another format, or unevenly spread."""
    stored = get(point, "w")
    for name in ("bf16", "fp8", "int4"):
        if stored and stored != BYTES[name] and abs(ratio * stored / BYTES[name] - 1) <= NEAR:
            text = tr("weights of {width} give it; the scenario has {own}",
                      width=amount(BYTES[name], "byte/param"),
                      own=amount(stored, "byte/param"))  # fmt: skip
            yield Reason("format", explained, text)
            return
    if stages > 1:
        yield Reason("stages", open_, tr("pipeline stages hold unlike shares: the first and the "
                                         "last have the input table and the head"))  # fmt: skip
    elif ratio > 1:
        yield Reason("replicated", open_, tr("what is not split lies on every device: norms, "
                                             "latent projections, tables, buffers of the "
                                             "quantized kernels"))  # fmt: skip
    else:
        yield Reason("fewer", open_, tr("fewer bytes than the scenario's weights: part of them is "
                                        "in a narrower format or on other devices"))  # fmt: skip
