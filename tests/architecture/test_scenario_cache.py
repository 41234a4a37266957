"""What a scenario makes of a config's cache, against arithmetic by hand from the shapes."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from derive.architecture import Architecture, read
from derive.architecture.kv import Group
from derive.architecture.model_spec import as_model
from derive.asked import read_config
from derive.derivation.points import Point, Undefined
from derive.errors import DeriveError
from derive.formula import catalogue, standing_in
from derive.notation import SYMBOLS
from derive.specs import load
from derive.study.bind import Bound, bind

HERE = Path(__file__).parent
CONFIGS = HERE / "configs"
TRUTH: dict[str, Any] = json.loads((HERE / "truth.json").read_text("utf-8"))["models"]
CONTEXTS = (16, 100, 513, 2304, 4097, 8192, 33_333, 131_072)
RIDGE = Fraction("989.5e12") / Fraction("4.8e12")  # FLOP/byte of one H200 in bf16
BATCH, NEVER = 4, "never"
Curve = Callable[[Fraction], Fraction | int]


@dataclass(frozen=True)
class Hand:
    """A model by hand: bytes and attention operations at a context, experts; where walls are."""

    kv: Curve
    reserved: Curve  # at a context that is already a whole number of blocks
    attention: Curve
    experts: tuple[int, int] | None = None  # of a layer, and of them per token
    wall: str = ""  # `never` where no context is one
    wall_att: str = ""
    read: Curve | None = None  # bytes of the cache that a step reads, where not all of it

    def moved(self, t: Fraction) -> Fraction | int:
        """Bytes of the cache that a step reads."""
        return (self.read or self.kv)(t)


def entries(t: Fraction, rate: int) -> int:
    """Whole runs of tokens."""
    return int(t // rate)


HANDS = {
    # 32 layers, 8 heads of 128, 32 query heads
    "meta-llama__Meta-Llama-3.1-8B": Hand(
        kv=lambda t: 32 * 2 * 8 * 128 * 2 * t,
        reserved=lambda t: 32 * 2 * 8 * 128 * 2 * t,
        attention=lambda t: 32 * 4 * 32 * 128 * t,
    ),
    # 28 layers, 4 heads of 128, 28 query heads; a tower for images beside them
    "Qwen__Qwen2-VL-7B-Instruct": Hand(
        kv=lambda t: 28 * 2 * 4 * 128 * 2 * t,
        reserved=lambda t: 28 * 2 * 4 * 128 * 2 * t,
        attention=lambda t: 28 * 4 * 28 * 128 * t,
    ),
    # 61 latents of 512 + 64; absorbed: 128 heads score 576 and sum 512
    "deepseek-ai__DeepSeek-V3": Hand(
        kv=lambda t: 61 * 576 * 2 * t,
        reserved=lambda t: 61 * 576 * 2 * t,
        attention=lambda t: 61 * 2 * 128 * (576 + 512) * t,
        experts=(256, 8),
        wall_att=NEVER,  # 2 · 128 · 1088 / 1152 = 241.8 FLOP/byte is above the ridge
    ),
    # 78 latents and as many index keys of 128; 64 heads, and 32 that score the keys and pick 2048
    "zai-org__GLM-5": Hand(
        kv=lambda t: 78 * (576 + 128) * 2 * t,
        reserved=lambda t: 78 * (576 + 128) * 2 * t,
        attention=lambda t: 78 * (2 * 64 * (576 + 512) * min(t, 2048) + 2 * 32 * 128 * t),
        read=lambda t: 78 * 2 * (576 * min(t, 2048) + 128 * t),
        experts=(256, 8),
    ),
    # 42 layers of 8 heads of 256, every other one with a window of 4096
    "google__gemma-2-9b": Hand(
        kv=lambda t: 21 * 2 * 8 * 256 * 2 * (t + min(t, 4096)),
        reserved=lambda t: 42 * 2 * 8 * 256 * 2 * t,
        attention=lambda t: 21 * 4 * 16 * 256 * (t + min(t, 4096)),
    ),
    # 48 layers of 8 heads of 128, three of four in chunks of 8192
    "meta-llama__Llama-4-Scout-17B-16E-Instruct": Hand(
        kv=lambda t: 2 * 8 * 128 * 2 * (12 * t + 36 * min(t, 8192)),
        reserved=lambda t: 2 * 8 * 128 * 2 * 48 * t,
        attention=lambda t: 4 * 40 * 128 * (12 * t + 36 * min(t, 8192)),
        experts=(16, 1),
    ),
    # 24 layers of 8 heads of 64, every other one with a window of 128
    "openai__gpt-oss-20b": Hand(
        kv=lambda t: 12 * 2 * 8 * 64 * 2 * (t + min(t, 128)),
        reserved=lambda t: 24 * 2 * 8 * 64 * 2 * t,
        attention=lambda t: 12 * 4 * 64 * 64 * (t + min(t, 128)),
        experts=(32, 4),
    ),
    # 12 layers of 2 heads of 256; 36 delta layers of 8192 × 3 past inputs, 32 states of 128 × 128
    "Qwen__Qwen3-Next-80B-A3B-Instruct": Hand(
        kv=lambda t: 12 * 2 * 2 * 256 * 2 * t + 36 * (8192 * 3 + 32 * 128 * 128) * 2,
        reserved=lambda t: 12 * 2 * 2 * 256 * 2 * t + 36 * (8192 * 3 + 32 * 128 * 128) * 2,
        attention=lambda t: 12 * 4 * 16 * 256 * t,
        experts=(512, 10),
        wall=NEVER,  # the state alone is 39.5 MB against 37.6 MB for 7.75 GFLOP at the ridge
        wall_att=NEVER,
    ),
    # 4 attention layers of 8 heads of 128; 28 Mamba layers of 8192 × (3 + 16)
    "ai21labs__AI21-Jamba-1.5-Mini": Hand(
        kv=lambda t: 4 * 2 * 8 * 128 * 2 * t + 28 * 8192 * 19 * 2,
        reserved=lambda t: 4 * 2 * 8 * 128 * 2 * t + 28 * 8192 * 19 * 2,
        attention=lambda t: 4 * 4 * 32 * 128 * t,
        experts=(16, 2),
    ),
    # 8 attention layers of one head of 256 behind a window of 2048; 18 of 2560 × (3 + 1)
    "google__recurrentgemma-2b": Hand(
        kv=lambda t: 8 * 2 * 256 * 2 * min(t, 2048) + 18 * 2560 * 4 * 2,
        reserved=lambda t: 8 * 2 * 256 * 2 * t + 18 * 2560 * 4 * 2,
        attention=lambda t: 8 * 4 * 10 * 256 * min(t, 2048),
        wall=NEVER,
        wall_att=NEVER,
    ),
    # 35 layers of 2 heads of 256, the last 15 read the caches of others; 28 have a window of 512
    "google__gemma-3n-E4B-it": Hand(
        kv=lambda t: 2 * 2 * 256 * 2 * (4 * t + 16 * min(t, 512)),
        reserved=lambda t: 2 * 2 * 256 * 2 * 20 * t,
        attention=lambda t: 4 * 8 * 256 * (7 * t + 28 * min(t, 512)),
        read=lambda t: 2 * 2 * 256 * 2 * (7 * t + 28 * min(t, 512)),
    ),
    # 43 layers keep the last 128 latents of 512; 21 keep one latent and one index key of 128 for
    # 4 tokens, of which 64 heads score all and read 512; 20 keep one latent for 128 tokens
    "deepseek-ai__DeepSeek-V4-Flash": Hand(
        kv=lambda t: 2 * (43 * 512 * min(t, 128) + 21 * 640 * entries(t, 4)
                          + 20 * 512 * entries(t, 128)),
        reserved=lambda t: 2 * (43 * 512 * t + 21 * 640 * entries(t + 3, 4)
                                + 20 * 512 * entries(t + 127, 128)),
        attention=lambda t: 4 * 64 * 512 * (43 * min(t, 128) + 21 * min(entries(t, 4), 512)
                                            + 20 * entries(t, 128))
        + 21 * 2 * 64 * 128 * entries(t, 4),
        read=lambda t: 2 * (43 * 512 * min(t, 128) + 21 * (512 * min(entries(t, 4), 512)
                            + 128 * entries(t, 4)) + 20 * 512 * entries(t, 128)),
        experts=(256, 6),
    ),
}  # fmt: skip
models = pytest.mark.parametrize("name", HANDS)


@cache
def bound(model: str, *sets: str) -> Bound:
    units = {i: s.unit.text for i, s in SYMBOLS.items()}
    units |= {i: f.unit.text for i, f in catalogue().items()}
    formats = ("weights", "kv_cache", "compute")
    return bind(
        load.ad_hoc(
            model=model, hardware="nvidia-h200-sxm-141gb", devices=8, batch=BATCH, input=2048,
            output=256, sets=(*(f"precision.{f}=bf16" for f in formats), *sets), symbols=units,
            config=read_config,
        )
    )  # fmt: skip


def of(name: str) -> Bound:
    return bound(str(CONFIGS / f"{name}.json"))


def at(point: Point, context: Fraction | int) -> Point:
    return point.with_(T=Fraction(context))


def blocks(context: Fraction | int) -> Fraction:
    """The next whole number of 16 tokens."""
    return Fraction(-(-context // 16) * 16)


@models
def test_live_and_reserved_bytes_are_those_by_hand(name: str) -> None:
    hand, here = HANDS[name], of(name)
    record: Any = read(CONFIGS / f"{name}.json", CONTEXTS).json()["kv"]
    state = record["state_bytes_per_sequence"]["all_bf16_conv_width_minus_1"]
    full = record["reserved_bytes_at_context"]["every_layer_in_full"]
    with standing_in(here.variants):
        for t in CONTEXTS:
            point = at(here.typical, t)
            live = point.get("KV_request")
            assert live == hand.kv(Fraction(t)) == record["bytes_at_context"][str(t)] + state
            assert point.get("kappa") == Fraction(live, t)
            assert point.get("KV_total") == BATCH * hand.moved(Fraction(t))
            assert point.get("T_rsv") == blocks(t)
            set_aside = point.get("KV_reserved")
            assert set_aside == hand.reserved(blocks(t)) == full[str(t)] + state
            assert set_aside >= live
            free, kept = point.get("M_free"), held_by_all(point, live, Fraction(state))
            assert point.get("b_max") == max(0, free // kept)
            assert point.get("b_max_reserved") == max(0, free * live // (set_aside * kept))


def held_by_all(point: Point, live: Fraction, state: Fraction) -> Fraction:
    """A request on all devices: heads are copied where devices outnumber them, states are split."""
    heads = point.given.get("H_kv")
    if heads is None or "g_tp" in point.given:
        return live
    return (live - state) * max(Fraction(1), point.get("g") / heads) + state


@models
def test_attention_operations_are_those_by_hand(name: str) -> None:
    here = of(name)
    with standing_in(here.variants):
        for t in CONTEXTS:
            point = at(here.typical, t)
            wanted = Fraction(HANDS[name].attention(Fraction(t)))
            assert point.get("F_att") == wanted
            assert point.get("I_att") == wanted / read_by_all(name, Fraction(t))


def read_by_all(name: str, t: Fraction) -> Fraction:
    """KV bytes of a request that all devices read in a step, copies of heads included."""
    hand = HANDS[name]
    return held_by_all(of(name).typical, Fraction(hand.moved(t)), Fraction(hand.kv(Fraction(0))))


def meets(found: Fraction, left: Curve, right: Curve, *, rises: bool) -> None:
    """Both sides are equal at the value; a whole one may be the first where left ≥ right."""
    if left(found) == right(found):
        return
    assert found.denominator == 1
    step = -1 if rises else 1
    assert left(found) > right(found)
    assert left(found + step) < right(found + step)


@models
def test_the_walls_are_where_they_are_by_hand(name: str) -> None:
    hand, here = HANDS[name], of(name)
    work = operations(name)
    walls: tuple[tuple[str, str, Curve], ...] = (
        ("T_wall", hand.wall, lambda _: work),
        ("T_wall_att", hand.wall_att, lambda t: work + hand.attention(t)),
    )
    with standing_in(here.variants):
        assert here.typical.get("I_ridge") == RIDGE
        for wall, expected, made in walls:
            sides = {made(c) > RIDGE * read_by_all(name, c) for c in map(Fraction, CONTEXTS)}
            if expected == NEVER and len(sides) == 1:  # copies of its one head can make a wall
                with pytest.raises(Undefined):
                    here.typical.get(wall)
                continue
            assert expected != NEVER or here.typical.given["g"] > here.typical.given["H_kv"]
            meets(here.typical.get(wall), made, lambda t: RIDGE * read_by_all(name, t), rises=False)


def operations(name: str) -> int:
    """Two for each parameter of a token; the tables of single layers are looked up alone."""
    params = TRUTH[name]["params"]
    return 2 * int(params["active_per_token"] - params["by_kind"].get("embedding_per_layer", 0))


def read_bytes(name: str, batch: Fraction) -> Fraction:
    """Weight bytes of a pass over text: experts by the chance that one of b tokens hits them."""
    params = TRUTH[name]["params"]
    text = params["text_only_total"]
    if HANDS[name].experts is None:
        return Fraction(2 * text)
    count, top = HANDS[name].experts or (1, 1)
    routed = params["by_kind"]["routed_expert"]
    hit = 1 - Fraction(count - top, count) ** int(batch)
    return 2 * (text - routed + routed * hit)


@models
def test_weights_take_memory_but_towers_are_not_read(name: str) -> None:
    here, params = of(name), TRUTH[name]["params"]
    with standing_in(here.variants):
        assert here.typical.get("W") == 2 * params["total_unique"]
        assert here.typical.get("W_read") == read_bytes(name, Fraction(BATCH))
        table = here.typical.get("W_read") - here.typical.get("W_stream")
        tied = params["total_if_untied"] != params["total_unique"]
        looked_up = 0 if tied else params["by_kind"]["embedding"]
        assert table == 2 * (looked_up + params["by_kind"].get("embedding_per_layer", 0))


@models
def test_critical_batches_and_the_crossing_are_those_by_hand(name: str) -> None:
    hand, here = HANDS[name], of(name)
    work, context = operations(name), Fraction(2304)
    with standing_in(here.variants):
        state = RIDGE * hand.kv(Fraction(0))  # without a context it is still read
        if work > state:
            meets(here.typical.get("b_crit"), lambda b: work * b,
                  lambda b: RIDGE * read_bytes(name, b) + state * b, rises=True)  # fmt: skip
        else:
            with pytest.raises(Undefined):
                here.typical.get("b_crit")
        cached = RIDGE * read_by_all(name, context)
        if work > cached:
            meets(here.typical.get("b_crit_T"), lambda b: work * b,
                  lambda b: RIDGE * read_bytes(name, b) + cached * b, rises=True)  # fmt: skip
        else:
            with pytest.raises(Undefined):
                here.typical.get("b_crit_T")
        if name == "google__recurrentgemma-2b":  # its cache is bounded below the weights
            with pytest.raises(Undefined):
                here.typical.get("T_cross")
            return
        weights = read_bytes(name, Fraction(BATCH))
        meets(here.typical.get("T_cross"), lambda t: BATCH * Fraction(hand.moved(t)),
              lambda _: weights, rises=True)  # fmt: skip


@models
@given(context=st.integers(1, 10**6), block=st.integers(1, 4096))
def test_reserved_is_live_at_least_and_less_than_a_block_more_in_full(
    name: str, context: int, block: int
) -> None:
    here = of(name)
    with standing_in(here.variants):
        point = at(here.typical, context).with_(T_block=Fraction(block))
        live, set_aside = point.get("KV_request"), point.get("KV_reserved")
        whole = Fraction(-(-context // block) * block)
        assert set_aside == HANDS[name].reserved(whole)
        assert set_aside >= live
        assert at(point, whole).get("KV_reserved") == set_aside
        assert point.get("b_max_reserved") <= point.get("b_max")


def test_the_block_is_an_input() -> None:
    spec = "llama-3.1-8b"
    assert bound(spec).typical.get("T_block") == 16
    for setting in ("T_block=64", "memory.block=64 token/request"):
        assert bound(spec, setting).typical.get("KV_reserved") == 131_072 * 2304  # 36 blocks
    assert bound(spec, "T_block=1000").typical.get("KV_reserved") == 131_072 * 3000


# --- windows of two lengths: no config at hand has them ----------------------------------------


def two_windows(lengths: tuple[int, ...]) -> Architecture:
    """Gemma 2 with some of its 21 windows cut to another length."""
    found = read(CONFIGS / "google__gemma-2-9b.json")
    group = next(g for g in found.kept.groups if g.window)
    found.kept.groups.remove(group)
    shares = (len(lengths) - 1) * [5] + [21 - 5 * (len(lengths) - 1)]
    found.kept.groups += [
        Group(group.layer, replace(group.cache, window=str(w)), n)
        for w, n in zip(lengths, shares, strict=True)
    ]
    return found


def by_hand(t: int) -> int:
    """21 layers in full, 5 with a window of 512, 16 with one of 4096; 8 heads of 256."""
    return 2 * 8 * 256 * 2 * (21 * t + 5 * min(t, 512) + 16 * min(t, 4096))


def test_windows_of_two_lengths() -> None:
    found = two_windows((512, 4096))
    values = as_model(found, Path("two.json")).structure
    given = {name: v.quantity.base for name, v in values.items()}
    with standing_in(("F_att_windows", "KV_reserved_windows", "kappa_windows")):
        for t in (16, 513, 4097, 8190):
            point = Point({**given, "w_kv": Fraction(2), "T_block": Fraction(16),
                           "T": Fraction(t)})  # fmt: skip
            assert point.get("KV_request") == by_hand(t) == found.kept.at(t)
            assert point.get("KV_reserved") == 42 * 2 * 8 * 256 * 2 * blocks(t)
            seen = 21 * t + 5 * min(t, 512) + 16 * min(t, 4096)
            assert point.get("F_att") == 4 * 16 * 256 * seen


def test_what_a_scenario_does_not_hold_is_refused() -> None:
    with pytest.raises(DeriveError, match="more than two lengths of windows"):
        as_model(two_windows((256, 512, 4096)), Path("three.json"))


def test_what_gives_an_upper_figure_is_said() -> None:
    def said(name: str) -> str:
        path = CONFIGS / f"{name}.json"
        return " ".join(n.en for n in as_model(read(path), path).notes)

    assert "the 2048 tokens that the indexer picks at most" in said("zai-org__GLM-5")
    assert "the 512 entries that the indexer picks at most" in said(
        "deepseek-ai__DeepSeek-V4-Flash"
    )
    assert "a whole chunk" in said("meta-llama__Llama-4-Scout-17B-16E-Instruct")
    assert "675,759,104 parameters of towers" in said("Qwen__Qwen2-VL-7B-Instruct")
    assert "upper figure" not in said("google__gemma-2-9b")
    assert "2-byte elements" not in said("google__gemma-2-9b")  # the scenario names the format
