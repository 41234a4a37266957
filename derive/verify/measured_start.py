"""Rows of an engine's start: tokens, bytes and weights of one device, anew."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import ceil, floor
from typing import TYPE_CHECKING

from derive.text import Text
from derive.units import Quantity, Unit, unit
from derive.verify.measured_texts import Stated
from derive.verify.values import Held

if TYPE_CHECKING:
    from derive.verify.measured import Row, Run
    from derive.verify.values import Values

GROUPED = {"e_win", "e_win2", "e_cmp", "e_cmp2", "S_kv"}
GIB = 2**30


class Cache:
    """The cache of one device, as the record says that it lies there."""

    def __init__(self, run: Run, here: Values, about: Row) -> None:
        self.run, self.here, self.about = run, here, about
        self.block = int(about["block"])
        self.split = Fraction(about["heads"]) * Fraction(about["layers"])
        self.grouped = bool(GROUPED & run.ledger.given.keys())

    def faults(self) -> Iterator[Text]:
        """Group, stages and block are the file's; the split follows from heads and layers."""
        from derive.verify.measured import wrong

        tensor, stages = int(self.about["tensor"]), int(self.about["stages"])
        for key, kind in (("tensor", "g_tensor"), ("stages", "stages"), ("block", "T_block")):
            said = self.run.figure(kind)
            if said is not None and said != int(self.about[key]):
                yield wrong(f"{self.run.where}.start_cache.{key}", self.about[key])
        heads, layers = (self.run.get(self.here, n) for n in ("H_kv", "L"))
        fitting = {Fraction(1)}  # a latent has no heads
        fitting |= {Fraction(max(1, ceil(heads / tensor)), int(heads))} if heads else {
            Fraction(1, tensor)}  # fmt: skip
        if Fraction(self.about["heads"]) not in fitting:
            yield wrong(f"{self.run.where}.start_cache.heads", self.about["heads"])
        stage = Fraction(ceil(layers / stages), int(layers)) if layers else Fraction(1, stages)
        if Fraction(self.about["layers"]) != stage:
            yield wrong(f"{self.run.where}.start_cache.layers", self.about["layers"])

    def size(self, tokens: Fraction) -> Fraction | None:
        """Bytes of a context on one device."""
        context = Held(tokens, self.run.ledger.units["T"])
        whole = self.run.get(self.here.with_({"T": context}), "KV_request")
        return None if whole is None else whole * self.split

    def reserved(self, tokens: Fraction | None) -> Fraction | None:
        """The same in whole blocks."""
        if not tokens:
            return None
        return self.size(Fraction(ceil(tokens / self.block) * self.block))

    def holds(self, pool: Fraction) -> Fraction | None:
        """Tokens that a pool holds."""
        length = self.run.figure("T_asked")
        if self.grouped:
            each = self.reserved(length)
            return pool / each * length if each and length else None
        one = self.size(Fraction(self.block))
        return Fraction(floor(pool / one) * self.block) if one else None


def half(run: Run, name: str) -> Fraction:
    """Half of the last printed digit of a figure."""
    found = [f["half"] for f in run.row["figures"] if f["id"] == name and f["half"]]
    return Fraction(found[0]) if found else Fraction(0)


def check_start(run: Run, here: Values) -> Iterator[Text]:
    """Every row of a start."""
    from derive.verify.measured import amount, wrong

    about = run.row["start_cache"]
    if about is None:
        if run.row["start"]:
            yield wrong(f"{run.where}.start", "")
        return
    cache = Cache(run, here, about)
    yield from cache.faults()
    stated = Stated(quantities(run, cache, here))
    for row in run.row["start"]:
        where = f"{run.where}.start.{row['id']}"
        if row["id"] not in WANTED:
            yield wrong(where, row["id"])
            continue
        printed, expected, low, high, units = WANTED[row["id"]](run, cache, here)
        for key, value in (("printed", printed), ("expected", expected), ("low", low),
                           ("high", high)):  # fmt: skip
            yield from amount(f"{where}.{key}", row[key], value, units)
        ratio = printed / expected if printed and expected else None
        yield from amount(f"{where}.ratio", row["ratio"], ratio, "")
        reasons = [reason["state"] for reason in row["reasons"]]
        state = "agrees" if agrees(run, row["id"], printed, expected) else [*reasons, "differs"][0]
        if row["state"] != (state if row["id"] in JUDGED else "compared"):
            yield wrong(f"{where}.state", row["state"])
        yield from stated.check(f"{where}.name", row["name"])
        for reason in row["reasons"]:
            yield from stated.check(f"{where}.{reason['id']}", reason["text"])


JUDGED = {"tokens": "M_pool", "need": "M_need", "concurrency": "b_pool", "weights": "M_weights"}
LOADED = Fraction(3, 100)


def agrees(run: Run, name: str, printed: Fraction | None, expected: Fraction | None) -> bool:
    """Whether what is printed is what follows, within the rounding of the line."""
    if printed is None or not expected or name not in JUDGED:
        return False
    if name == "weights":
        return 1 - LOADED / 3 <= printed / expected <= 1 + LOADED
    off = half(run, JUDGED[name])
    if name == "tokens":
        cache = Cache(run, run.here, run.row["start_cache"])
        size = run.figure("M_pool") or Fraction(0)
        low, high = (cache.holds(size + d) for d in (-off, off))
        return low is not None and high is not None and low <= printed <= high
    length = run.figure("T_asked") or Fraction(1)
    below = 1 / length if name == "concurrency" else Fraction(0)
    return printed - off - below <= expected <= printed + off


Wanted = tuple[Fraction | None, Fraction | None, Fraction | None, Fraction | None, str]
BYTES = "GiB/device"


def pool(run: Run, _: Cache, here: Values) -> Wanted:
    """What the scenario leaves for the cache of one device."""
    return run.figure("M_pool"), run.get(here, "M_free / g"), None, None, BYTES


def free(run: Run, _: Cache, __: Values) -> Wanted:
    """Beside the memory that was free before."""
    return run.figure("M_pool"), run.figure("M_avail"), None, None, BYTES


def tokens(run: Run, cache: Cache, _: Values) -> Wanted:
    """Tokens that the printed bytes hold."""
    size, off = run.figure("M_pool") or Fraction(0), half(run, "M_pool")
    middle, low, high = (cache.holds(size + d) for d in (Fraction(0), -off, off))
    return run.figure("tokens_pool"), middle, low, high, "token"


def need(run: Run, cache: Cache, _: Values) -> Wanted:
    """Memory for one request."""
    return run.figure("M_need"), cache.reserved(run.figure("T_asked")), None, None, BYTES


def times(run: Run, _: Cache, __: Values) -> Wanted:
    """Requests of the asked context."""
    printed, off = run.figure("b_pool"), half(run, "b_pool")
    held, length = run.figure("tokens_pool"), run.figure("T_asked")
    expected = held / length if held and length else None
    low, high = (printed - off, printed + off) if printed else (None, None)
    return printed, expected, low, high, "request"


def weights(run: Run, cache: Cache, here: Values) -> Wanted:
    """Weights of one device."""
    whole = run.get(here, "W")
    devices = int(cache.about["tensor"]) * int(cache.about["stages"])
    return run.figure("M_weights"), whole / devices if whole else None, None, None, BYTES


def live(run: Run, cache: Cache, _: Values) -> Wanted:
    """Live bytes of one request."""
    return None, cache.size(run.figure("T_asked") or Fraction(1)), None, None, BYTES


def reserved(run: Run, cache: Cache, _: Values) -> Wanted:
    """Reserved bytes of one request."""
    return None, cache.reserved(run.figure("T_asked")), None, None, BYTES


WANTED = {"pool": pool, "free": free, "tokens": tokens, "need": need, "concurrency": times,
          "weights": weights, "live": live, "reserved": reserved}  # fmt: skip


def quantities(run: Run, cache: Cache, here: Values) -> Iterator[Quantity]:
    """What names and reasons of the rows may state."""
    device = unit(BYTES)
    yield Quantity(Fraction(cache.block), unit("token"))
    yield from (Quantity(Fraction(n), unit("token")) for n in (1, 16, 32, 64, 128, 256, 512, 1024))
    printed, expected = run.figure("M_pool"), run.get(here, "M_free / g")
    if printed and expected is not None:
        other = (run.get(here, "M_other") or Fraction(0)) + expected - printed
        yield from (Quantity(v / device.factor, device) for v in (other, printed - expected))
    before, held = run.figure("M_avail"), run.figure("tokens_pool")
    if printed and before:
        yield Quantity(printed / before, Unit())
    if printed and held:
        whole, size = cache.holds(printed), cache.size(held)
        if whole and size:
            yield Quantity(held / whole, Unit())
            yield Quantity(size / device.factor, device)
    stored = run.get(here, "w")
    for width in (stored, Fraction(2), Fraction(1), Fraction(1, 2)):
        if width is not None:
            yield Quantity(width, unit("byte/param"))
