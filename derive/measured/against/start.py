"""What an engine printed at its start, held against the scenario: pool, tokens, weights."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor

from derive.derivation.points import Point
from derive.formula import standing_in
from derive.measured.against import start_reasons as reasons
from derive.measured.against.setting import Setting
from derive.measured.against.shares import get
from derive.measured.record import Figure, Run
from derive.study.bind import Bound
from derive.text import Text, tr

AGREES, EXPLAINED, OPEN, DIFFERS, COMPARED = "agrees", "explained", "open", "differs", "compared"
BLOCK = 16  # tokens, where neither log nor scenario says
GROUPED = ("e_win", "e_win2", "e_cmp", "e_cmp2", "S_kv")  # a cache that is no rate per token
LOADED = Fraction(3, 100)  # what loaders add to the weights: buffers, padding; a rule of thumb


@dataclass(frozen=True)
class Row:
    """One printed figure beside what follows: expected, or the range of what the print allows."""

    id: str
    name: Text
    unit: str
    printed: Fraction | None
    expected: Fraction
    low: Fraction | None = None
    high: Fraction | None = None
    state: str = COMPARED
    reasons: tuple[reasons.Reason, ...] = ()


@dataclass(frozen=True)
class Cache:
    """The cache of one device: bytes of contexts, in blocks, split over heads and stages."""

    bound: Bound
    point: Point
    tensor: int
    stages: int
    block: int
    scale: Fraction = Fraction(1)  # what another reading of the log multiplies the bytes by

    @property
    def grouped(self) -> bool:
        """Whether memory over tokens is no rate: windows, compressed entries, constant states."""
        return any(name in self.bound.inputs for name in GROUPED)

    @property
    def heads(self) -> Fraction:
        """Share of a token's bytes on one device of the group; a latent has no heads to split."""
        if self.bound.scenario.model.latent:
            return Fraction(1)
        heads = get(self.point, "H_kv")
        if heads is None:
            return Fraction(1, self.tensor)
        return Fraction(max(1, ceil(heads / self.tensor)), int(heads))

    @property
    def layers(self) -> Fraction:
        """Share of the layers on the largest pipeline stage."""
        every = get(self.point, "L")
        if every is None or self.stages == 1:
            return Fraction(1, self.stages)
        return Fraction(ceil(every / self.stages), int(every))

    def reserved(self, tokens: Fraction) -> Fraction | None:
        """Bytes set aside on one device for a context, in whole blocks."""
        return self.size(Fraction(ceil(tokens / self.block) * self.block))

    def size(self, tokens: Fraction) -> Fraction | None:
        """Bytes of a context on one device."""
        with standing_in(self.bound.variants):
            whole = get(self.point.with_(T=tokens), "KV_request")
        return None if whole is None else whole * self.heads * self.layers * self.scale

    def holds(self, pool: Fraction, length: Fraction | None) -> Fraction | None:
        """Tokens in whole blocks; of a grouped cache contexts of a length that fit, in tokens."""
        if self.grouped:
            each = self.reserved(length) if length else None
            return pool / each * length if each and length else None
        each = self.size(Fraction(self.block))
        return Fraction(floor(pool / each) * self.block) if each else None


def one(run: Run, name: str) -> Fraction | None:
    """A figure of the log in base units."""
    return run.value(name, "one")


def cache_of(run: Run, setting: Setting) -> Cache:
    """The log's own tensor group, stages and block; else the scenario's devices in one group."""
    point = setting.bound.peak
    g = get(point, "g") or Fraction(1)
    tensor, stages = one(run, "g_tensor"), one(run, "stages")
    block = one(run, "T_block") or get(point, "T_block") or Fraction(BLOCK)
    return Cache(setting.bound, point, int(tensor or g), int(stages or 1), max(1, int(block)))


def rows(run: Run, setting: Setting) -> list[Row]:
    """Every figure that the log and the scenario both have."""
    if run.phase != "start":
        return []
    cache = cache_of(run, setting)
    return [*pool(run, cache), *tokens(run, cache), *need(run, cache), *times(run),
            *weights(run, cache), *reserved(run, cache)]  # fmt: skip


def pool(run: Run, cache: Cache) -> Iterator[Row]:
    """What the scenario leaves for the cache of a device; the engine's workspace lies between."""
    with standing_in(cache.bound.variants):
        free, devices = get(cache.point, "M_free"), get(cache.point, "g")
    printed = one(run, "M_pool")
    if free is None or not devices or printed is None:
        return
    expected = free / devices
    why: tuple[reasons.Reason, ...] = ()
    if all(row.state == AGREES for row in weights(run, cache)):  # else the weights are the reason
        why = tuple(reasons.of_pool(cache.point, expected, printed))
    yield Row("pool", tr("KV cache pool of one device"), "GiB/device", printed, expected,
              reasons=why)  # fmt: skip
    before = one(run, "M_avail")
    if before:
        yield Row("free", tr("KV cache pool beside the memory that was free before it"),
                  "GiB/device", printed, before,
                  reasons=(reasons.share_of_free(printed / before),))  # fmt: skip


def tokens(run: Run, cache: Cache) -> Iterator[Row]:
    """Tokens that the printed bytes hold, within their rounding, against the printed tokens."""
    size, printed = run.get("M_pool", "one"), one(run, "tokens_pool")
    length = one(run, "T_asked")
    if size is None or not printed:
        return
    low, high = (cache.holds(edge, length) for edge in edges(size))
    middle = cache.holds(size.quantity.base, length)
    if low is None or high is None or middle is None:
        return
    found: tuple[reasons.Reason, ...] = ()
    if low <= printed <= high:
        state = AGREES
    else:
        found = tuple(of_tokens(cache, size, printed, length))
        state = next((r.state for r in found), DIFFERS)
    yield Row("tokens", tr("tokens that the printed pool holds"), "token", printed, middle, low,
              high, state, found)  # fmt: skip


def edges(figure: Figure) -> tuple[Fraction, Fraction]:
    """The least and the most that are printed so."""
    value = figure.quantity.base
    return value - figure.half, value + figure.half


def readings(cache: Cache) -> Iterator[tuple[str, Cache]]:
    """Other readings of a log, by the id of their reason."""
    if cache.stages > 1:
        yield "all-layers", replace(cache, stages=1)
    if cache.heads < 1:
        yield "all-heads", replace(cache, scale=1 / cache.heads)
    stored = get(cache.point, "w_kv")
    for name, width in (("cache-8", Fraction(1)), ("cache-16", Fraction(2))):
        if stored and stored != width:
            yield name, replace(cache, scale=width / stored)
    if not cache.grouped:
        for block in reasons.BLOCKS:
            if block != cache.block:
                yield f"block-{block}", replace(cache, block=block)


def of_tokens(
    cache: Cache, size: Figure, printed: Fraction, length: Fraction | None
) -> Iterator[reasons.Reason]:
    """The readings under which the printed tokens follow, the first alone; else what may be."""
    for name, other in readings(cache):
        low, high = (other.holds(edge, length) for edge in edges(size))
        fits = low is not None and high is not None and low <= printed <= high
        if fits and printed % other.block == 0:
            yield reasons.reading(name, EXPLAINED)
            return
    middle = cache.holds(size.quantity.base, length)
    if cache.grouped:
        yield reasons.grouped(OPEN)
    elif middle and printed < middle:
        held = cache.size(printed)
        yield reasons.smaller_rank(held or Fraction(0), printed / middle, OPEN)


def need(run: Run, cache: Cache) -> Iterator[Row]:
    """Memory that the engine asks for one request."""
    asked, length = run.get("M_need", "one"), one(run, "T_asked")
    expected = cache.reserved(length) if length else None
    if asked is None or expected is None or length is None:
        return
    low, high = edges(asked)
    found: tuple[reasons.Reason, ...] = ()
    state = AGREES if low <= expected <= high else DIFFERS
    if state == DIFFERS:
        for name, other in readings(cache):
            size = other.reserved(length)
            if size is not None and low <= size <= high:
                state, found = EXPLAINED, (reasons.reading(name, EXPLAINED),)
                break
    yield Row("need", tr("KV cache of one request of the asked context, on one device"),
              "GiB/device", asked.quantity.base, expected, state=state, reasons=found)  # fmt: skip


def times(run: Run) -> Iterator[Row]:
    """Requests of the asked context: printed tokens over its length."""
    printed, length = run.get("b_pool", "one"), one(run, "T_asked")
    held = one(run, "tokens_pool")
    if printed is None or not length or not held:
        return
    low, high = edges(printed)
    expected = held / length
    # the tokens of a grouped cache are themselves this number times the length, rounded down
    state = AGREES if low - 1 / length <= expected <= high else DIFFERS
    yield Row("concurrency", tr("requests of the asked context"), "request",
              printed.quantity.base, expected, low, high, state)  # fmt: skip


def weights(run: Run, cache: Cache) -> Iterator[Row]:
    """Weights of one device."""
    printed = one(run, "M_weights")
    with standing_in(cache.bound.variants):
        whole = get(cache.point, "W")
    if not printed or not whole:
        return
    devices = cache.tensor * cache.stages
    expected = whole / devices
    ratio = printed / expected
    found: tuple[reasons.Reason, ...] = ()
    state = AGREES if 1 - LOADED / 3 <= ratio <= 1 + LOADED else DIFFERS
    if state == DIFFERS:
        found = tuple(reasons.of_weights(cache.point, ratio, cache.stages, EXPLAINED, OPEN))
        state = next((r.state for r in found), DIFFERS)
    yield Row("weights", tr("weights on one device"), "GiB/device", printed, expected,
              state=state, reasons=found)  # fmt: skip


def reserved(run: Run, cache: Cache) -> Iterator[Row]:
    """Live bytes of the asked context, and what whole blocks set aside for it."""
    length = one(run, "T_asked")
    live, kept = (f(length) if length else None for f in (cache.size, cache.reserved))
    if live is not None and kept is not None:
        yield Row("live", tr("live KV bytes of one request of that context, on one device"),
                  "GiB/device", None, live)  # fmt: skip
        yield Row("reserved", tr("bytes that whole blocks of {block} tokens reserve for it",
                                 block=f"{cache.block:,}"),
                  "GiB/device", None, kept)  # fmt: skip
