"""What engines print of their KV cache at start-up follows from the derived cache."""

from __future__ import annotations

import json
from fractions import Fraction
from functools import cache
from math import ceil, floor
from pathlib import Path
from typing import Any

import pytest
import yaml

from derive.architecture import Architecture, read
from derive.architecture.json_file import read_text
from derive.architecture.opening import Opened
from derive.architecture.record import build

HERE = Path(__file__).parent
LOGS: dict[str, Any] = yaml.safe_load((HERE / "kv-logs.yaml").read_text("utf-8"))
STRANGERS: dict[str, Any] = json.loads((HERE / "strangers.json").read_text("utf-8"))
GIB = 2**30


@cache
def architecture(name: str) -> Architecture:
    if name in STRANGERS:
        return build(Opened(read_text(json.dumps(STRANGERS[name]["config"]), "config.json")))
    folder = next(f for f in ("configs", "configs-extra") if (HERE / f / f"{name}.json").exists())
    return read(HERE / folder / f"{name}.json")


class Device:
    """The cache on one device of an entry."""

    def __init__(self, entry: dict[str, Any], row: dict[str, Any]) -> None:
        self.made = architecture(entry["model"])
        self.kept = self.made.kept
        self.block: int = entry.get("block", 16)
        self.tp: int = row.get("tp", entry.get("tp", 1))
        self.width = Fraction(entry.get("bytes", 2), 2)  # the record counts 2-byte elements
        layers = sum(g.layers for g in self.kept.groups)
        self.stage = Fraction(row.get("stage", layers), layers)

    def heads(self) -> Fraction:
        """Share of the heads: one at least; a latent has none and is not split."""
        shares = set()
        for group in self.kept.groups:
            if group.cache.kind.startswith("mla"):
                shares.add(Fraction(1))
            elif group.bytes_per_token:
                heads = group.number("H_kv")
                shares.add(Fraction(max(1, heads // self.tp), heads))
        (share,) = shares
        return share

    def size(self, tokens: int, block: int | None = None) -> Fraction:
        """Bytes set aside for a context."""
        whole = self.kept.reserved(tokens, block=block or self.block)
        return whole * self.heads() * self.width * self.stage

    def holds(self, pool: Fraction) -> int:
        """Tokens in whole blocks that a pool holds."""
        return floor(pool / self.size(self.block)) * self.block


def printed(text: str) -> tuple[Fraction, Fraction]:
    """Bytes that are printed so in GiB: from, to."""
    half = Fraction(1, 2 * 10 ** len(text.partition(".")[2]))
    return (Fraction(text) - half) * GIB, (Fraction(text) + half) * GIB


def prints(value: Fraction, text: str) -> bool:
    """Whether a value is printed so."""
    low, high = printed(text)
    return low <= value * GIB <= high


def pool(device: Device, row: dict[str, Any]) -> None:
    """Memory for the cache, the tokens that it holds, requests of a length."""
    low, high = printed(row["gib"])
    assert device.holds(low) <= row["tokens"] <= device.holds(high)
    assert row["tokens"] % device.block == 0
    assert row.get("blocks", row["tokens"] // device.block) * device.block == row["tokens"]
    if "times" in row:
        assert prints(Fraction(row["tokens"], row["length"]), row["times"])


def need(device: Device, row: dict[str, Any]) -> None:
    """Memory that a number of tokens takes."""
    assert prints(device.size(row["tokens"]) / GIB, row["gib"])
    assert row.get("blocks", 0) * device.block in (0, row["tokens"])


def whole_blocks(device: Device, row: dict[str, Any]) -> None:
    """Blocks that a request of a length takes."""
    assert device.size(row["tokens"]) == row["blocks"] * device.size(device.block)


def weights(device: Device, row: dict[str, Any]) -> None:
    """GiB of the weights as loaded, at most a hundredth above their bytes."""
    ratio = Fraction(row["gib"]) * GIB / device.made.stored.total
    assert 1 <= ratio <= Fraction(101, 100)


def smaller_rank(device: Device, row: dict[str, Any]) -> None:
    """Fewer tokens than the printed memory holds, from a pool of the other rank."""
    assert row["tokens"] < device.holds(printed(row["gib"])[0])
    assert prints(device.size(row["tokens"]) / GIB, row["pool"])


def keys_alone(device: Device, row: dict[str, Any]) -> None:
    """Keys without values."""
    assert prints(device.size(row["tokens"]) / 2 / GIB, row["gib"])


def share_of_free(device: Device, row: dict[str, Any]) -> None:
    """A share of the free memory, the last block rounded up."""
    one = device.size(device.block)
    for free in printed(row["free"]):
        assert ceil(free * Fraction(row["share"]) / one) == row["blocks"]
    assert prints(row["blocks"] * one / GIB, row["pool"])


def all_heads(device: Device, row: dict[str, Any]) -> None:
    """A pool that was divided by the heads of the whole model, and then by those of a device."""
    assert row["after"] * device.block == row["tokens"]
    held = device.size(row["tokens"])
    assert prints(held / GIB, row["pool"])
    one = device.size(device.block)
    assert floor(held / (one / device.heads())) == row["before"]


def token(device: Device, row: dict[str, Any]) -> None:
    """Bytes of a token on one device, and how often the devices store it."""
    one = device.size(1, block=1)
    assert one == row["size"]
    assert one * device.tp == row["copies"] * device.kept.at(1)


def gain(device: Device, row: dict[str, Any]) -> None:
    """How many more tokens one byte an element holds than two; no constant state here."""
    assert not device.kept.state()
    wide = device.size(row["tokens"])
    device.width = Fraction(1, 2)
    assert prints(wide / device.size(row["tokens"]), row["times"])


def pages(device: Device, row: dict[str, Any]) -> None:
    """Pages that hold a block of one attention layer or the state of one recurrent layer."""
    recurrent = [g for g in device.kept.groups if g.state]
    (attention,) = [g for g in device.kept.groups if not g.state]
    layers = sum(g.layers for g in recurrent)
    state = Fraction(device.kept.state(4), layers * device.tp)
    each = attention.bytes_per_token * device.heads() * device.width
    assert 16 * ceil(state / (16 * each)) == device.block  # the block that the log prints

    page = device.block * each
    assert device.size(row["length"]) % (page * attention.layers) == 0
    blocks = device.size(row["length"]) / (page * attention.layers)
    blocks += row["states"] * Fraction(layers, attention.layers)
    (held,) = {floor(gib / (page * attention.layers)) for gib in printed(row["gib"])}
    assert prints(held / blocks, row["times"])
    assert floor(held / blocks * row["length"]) == row["tokens"]


KINDS = {
    f.__name__: f
    for f in (pool, need, whole_blocks, weights, smaller_rank, keys_alone, share_of_free,
              all_heads, token, gain, pages)
}  # fmt: skip
CASES = [
    pytest.param(entry, row, id=f"{entry['id']}-{number}-{row['kind']}")
    for entry in LOGS["entries"]
    for number, row in enumerate(entry["checks"], 1)
]


@pytest.mark.parametrize(("entry", "row"), CASES)
def test_the_log_follows_from_the_cache(entry: dict[str, Any], row: dict[str, Any]) -> None:
    KINDS[row["kind"]](Device(entry, row), row)


@pytest.mark.parametrize("name", LOGS["cards"])
def test_own_configs_have_the_size_of_their_cards(name: str) -> None:
    text = LOGS["cards"][name]
    assert prints(Fraction(architecture(name).totals.total_unique, 10**9), text)


@pytest.mark.parametrize("name", [n for n, e in LOGS["not_reproduced"].items() if "model" in e])
def test_bytes_per_token_that_are_no_rate(name: str) -> None:
    """Memory over tokens stays above what a token adds: part of it is there at any length."""
    entry = LOGS["not_reproduced"][name]
    kept = architecture(entry["model"]).kept
    slope = kept.unbounded / 2  # at a byte an element
    assert kept.inside_windows > kept.unbounded  # the windows are the part that does not grow
    assert all(slope < printed_rate for printed_rate in entry["bytes_per_token"])


def test_every_entry_is_checked_or_says_why_not() -> None:
    checked, left = LOGS["entries"], LOGS["not_reproduced"]
    assert all(e["source"].startswith("https://github.com/") for e in [*checked, *left.values()])
    assert all(e["reason"] for e in left.values())
    named = [e["id"] for e in checked]
    assert len(named) == len(set(named)) == 16
    assert sum("inferred" in e for e in checked) == 3
    whole = {n for n in left if "," not in n}
    assert len(whole) == 5
    assert not whole & set(named)
    assert {n.partition(",")[0] for n in left} - whole <= set(named)
