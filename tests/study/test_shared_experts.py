"""Prefill of groups that share experts: one reading for all, and turns as full as they are."""

from __future__ import annotations

from fractions import Fraction

import pytest

from derive.formula import standing_in
from derive.study.bind import bind

from .test_stages_and_groups import holds
from .test_switches import SPARSE, loaded, text

# DeepSeek-V3 on H200: MFU 0.5 of 989.5 TFLOP/s (twice that in fp8), MBU 0.6 of 4.8 TB/s a device
RATE = Fraction(4_800 * 10**9 * 6, 10)
EIGHT = ("DP=8", "EP=8")
CALIBRATION = ("MFU=0.5", "MBU=0.6")


def of(name: str, *sets: str) -> Fraction:
    """The value at the typical point, of a layout that does not fit, too."""
    bound = bind(loaded(SPARSE, (*CALIBRATION, *sets)))
    with standing_in(bound.variants):
        return bound.typical.get(name)


def shown(name: str, *sets: str) -> str:
    return text(*CALIBRATION, *sets, name=SPARSE, of=name)


def hit(tokens: int) -> Fraction:
    """Bytes of the routed experts that so many tokens hit: each misses one by 1 − 8/256."""
    experts = bind(loaded(SPARSE, EIGHT)).inputs["N_exp"].quantity.base
    return experts * of("w_exp", *EIGHT) * (1 - Fraction(31, 32) ** tokens)


def rest(*sets: str) -> Fraction:
    return of("W_rest", *sets)


def speed(*sets: str) -> Fraction:
    """Reachable operations of one device, from what one token alone takes of it."""
    bound = bind(loaded(SPARSE, (*CALIBRATION, *sets)))
    return bound.inputs["P_peak"].quantity.base / 2


def test_one_reading_serves_the_prompts_of_all_groups() -> None:
    """With 2,048 tokens operations decide: 19.43 ms, not the 29.22 ms of eight readings."""
    assert of("t_busy", *EIGHT) == of("F_tok", *EIGHT) * 2048 / (8 * speed(*EIGHT))
    assert shown("t_busy", *EIGHT).startswith("≈ 19.43 ms")
    assert shown("cost_in", *EIGHT).startswith("≈ 0.07379 USD")
    assert shown("t_busy", *EIGHT, "T_in=512").startswith("≈ 4.858 ms")


def test_a_turn_reads_each_groups_own_weights_and_the_experts_once() -> None:
    """8 tokens a prompt: 64 hit 87 % of the experts, 8 of them 22 %; 8 prompts end in a turn."""
    sets = (*EIGHT, "T_in=8")
    turn = (rest(*sets) + hit(64) / 8) / RATE
    assert of("t_busy", *sets) == turn / 8
    assert of("W_turn", *sets) == hit(64)
    assert of("TTFT", *sets) == (rest(*sets) + hit(8) / 8) / RATE
    assert of("t_busy", *EIGHT, "T_in=80", "hit=0.9") == (
        rest(*sets) + hit(64) / 8 + 72 * 70_272
    ) / (8 * RATE)
    # four groups of two devices, and a copy of the experts for all of them
    pairs = ("TP=2", "DP=4", "EP=8", "T_in=8")
    assert of("t_busy", *pairs) == (rest(*sets) / 2 + hit(32) / 8) / (4 * RATE)
    # two stages of two groups: a copy on the four devices of a stage
    stages = ("TP=2", "PP=2", "DP=2", "EP=4", "T_in=8")
    assert of("t_busy", *stages) == (rest(*sets) / 2 + hit(16) / 4) / (4 * RATE)
    # two copies, each for four groups
    assert of("t_busy", "DP=8", "EP=4", "T_in=8") == (rest(*sets) + hit(32) / 4) / (8 * RATE)


@pytest.mark.parametrize(
    ("sets", "busy"),
    [((*EIGHT, "hit=0.9", "b=8"), "4.382"), (("TP=2", "DP=4", "EP=8", "T_in=512"), "7.925"),
     (("TP=2", "PP=2", "DP=2", "EP=4", "T_in=512"), "15.02")],
    ids=str,
)  # fmt: skip
def test_what_a_prompt_takes_of_a_replica(sets: tuple[str, ...], busy: str) -> None:
    assert shown("t_busy", *sets).startswith(f"≈ {busy} ms")


def test_a_chunk_of_each_group_meets_the_experts_once() -> None:
    """Chunks of 8 of 32 tokens: four turns, 12 tokens of KV before each on average."""
    sets = (*EIGHT, "T_in=32", "chunk=8", "b=8")
    turn = (rest(*sets) + hit(64) / 8 + 12 * 70_272) / RATE
    assert of("t_busy", *sets) == 4 * turn / 8
    assert of("TTFT_burst", *sets) == 4 * turn
    one = (rest(*sets) + hit(8) / 8 + 12 * 70_272) / RATE
    nine = (*EIGHT, "T_in=32", "chunk=8", "b=9")
    assert of("TTFT_burst", *nine) == 4 * (turn + one)


@pytest.mark.parametrize(("prompts", "last", "time"),
                         [(3, 3, "102.6 ms"), (8, 8, "155.4 ms"), (9, 1, "236.9 ms")])  # fmt: skip
def test_a_burst_is_as_long_as_its_turns_are_full(prompts: int, last: int, time: str) -> None:
    """All but the routed experts on a prompt's own device, an eighth of those of every prompt."""
    sets = (*EIGHT, f"b={prompts}", "T_in=2048")
    own = of("F_tok", *sets) - of("F_routed", *sets)
    turns = [8] * (prompts > 8) + [last]
    made = sum(2048 * (own + n * of("F_routed", *sets) / 8) / speed(*sets) for n in turns)
    assert of("N_end", *sets) == last
    assert of("TTFT_burst", *sets) == made
    assert shown("TTFT_burst", *sets).startswith(f"≈ {time}")


@pytest.mark.parametrize(
    ("sets", "time"),
    [(("b=4", "T_in=20000"), "1.105 s"), (("b=3", "T_in=100000"), "5.009 s"),
     (("b=9", "T_in=20000"), "2.313 s"), (("hit=0.9", "b=8"), "35.06 ms"),
     (("T_in=512",), "310.9 ms"), (("chunk=512", "b=8"), "155.4 ms")],
    ids=str,
)  # fmt: skip
def test_bursts_of_a_simulation(sets: tuple[str, ...], time: str) -> None:
    """As an event-driven simulation of the same turns gives them."""
    assert shown("TTFT_burst", *EIGHT, *sets).startswith(f"≈ {time}")


def test_the_last_turn_parts_its_prompts_over_the_copies() -> None:
    """13 prompts on eight groups with two copies: five in the second turn, three of them share."""
    sets = ("DP=8", "EP=4", "b=13", "T_in=8")
    assert of("N_end", *sets) == 3
    full, last = ((rest(*sets) + hit(8 * n) / 4) / RATE for n in (4, 3))
    assert of("TTFT_burst", *sets) == full + last
    # two stages: the full turn comes first and fills the second stage, the last follows it
    stages = ("TP=2", "PP=2", "DP=2", "EP=4", "T_in=8")
    full, last = ((rest(*stages) / 2 + hit(8 * n) / 4) / 2 / RATE for n in (2, 1))
    assert of("TTFT_burst", *stages, "b=1") == 2 * last == of("TTFT", *stages)
    assert of("TTFT_burst", *stages, "b=3") == 2 * full + last


def test_the_second_order_counts_the_last_turn_as_full_as_it_is() -> None:
    """Nine prompts: a turn of eight, and one with an eighth of the routed experts of one."""
    sets = (*EIGHT, "b_pre=9")
    one = (of("F_matmul_pre", *sets) + of("F_att_pre", *sets)) / 9
    idle = of("F_routed", *sets) * 2048 * Fraction(7, 8)
    peak = 2 * speed(*sets)
    assert of("TTFT_ideal", *sets) == (2 * one - idle) / peak
    assert shown("TTFT_ideal", *sets).startswith("≈ 121.4 ms")
    # four prompts on two copies for four groups each: two to a copy
    two = ("DP=8", "EP=4", "b_pre=4")
    one = (of("F_matmul_pre", *two) + of("F_att_pre", *two)) / 4
    idle = of("F_routed", *two) * 2048 * Fraction(2, 4)
    assert of("TTFT_ideal", *two) == (one - idle) / peak


@pytest.mark.parametrize(("sets", "tokens", "shares"), [
    ((*EIGHT, "b_pre=8", "T_in=16"), (128,), (1,)),
    ((*EIGHT, "b_pre=8", "hit=0.99"), (168,), (1,)),  # 21 new tokens of each
    ((*EIGHT, "b_pre=9", "T_in=16"), (128, 16), (1, 1)),  # a full turn and one of one prompt
    (("DP=8", "EP=4", "b_pre=13", "T_in=8"), (32, 24), (1, 1)),  # two copies: 4 prompts, then 3
    # two stages: a turn that is alone passes both; else the first fills the pipe, too
    (("TP=2", "PP=2", "DP=2", "EP=4", "b_pre=1", "T_in=8"), (8,), (2,)),
    (("TP=2", "PP=2", "DP=2", "EP=4", "b_pre=3", "T_in=8"), (16, 8), (2, 1)),
], ids=str)  # fmt: skip
def test_the_second_order_reads_the_experts_of_all_prompts_of_a_turn(
    sets: tuple[str, ...], tokens: tuple[int, ...], shares: tuple[int, ...]
) -> None:
    """As the first order does, turn by turn; without what is looked up."""
    spread, stages = of("g_exp", *sets), of("PP", *sets)
    experts = sum(n * hit(t) for t, n in zip(tokens, shares, strict=True)) / spread
    fixed = (of("W_stream", *sets) - of("W_hit", *sets)) / of("TP", *sets)
    assert of("N_turn", *sets) == sum(shares)
    weights = sum(shares) * fixed + experts
    assert of("N_turn", *sets) * of("W_pre_dev", *sets) == weights
    if "hit=0.99" not in sets:
        assert of("TTFT_ideal", *sets) == weights / stages / (4_800 * 10**9)


def test_eight_short_prompts_read_more_experts_than_one() -> None:
    assert shown("TTFT_ideal", *EIGHT, "b_pre=8", "b=8", "hit=0.99").startswith("≈ 20.57 ms")
    short = (*EIGHT, "T_in=16", "T_out=16")
    assert shown("TTFT_ideal", *short, "b_pre=8").startswith("≈ 20.33 ms")
    assert shown("TTFT_ideal", *short).startswith("≈ 10.37 ms")


LAYOUTS = (EIGHT, ("DP=8", "EP=4"), ("DP=8",), ("TP=2", "DP=4", "EP=8"),
           ("TP=2", "PP=2", "DP=2", "EP=4"), ("PP=4", "DP=2", "EP=2"), ("TP=2", "DP=4", "EP=4"),
           ("devices=12", "TP=2", "DP=6", "EP=4"))  # fmt: skip


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
@pytest.mark.parametrize("more", [(), ("hit=0.9",), ("chunk=64",), ("hit=0.5", "chunk=512")])
def test_a_burst_grows_and_is_no_faster_than_can_be(
    layout: tuple[str, ...], more: tuple[str, ...]
) -> None:
    """At least the first token of one, the ideal at peak, and what all devices together take."""
    for tokens in (16, 512, 2048):
        before = Fraction(0)
        for prompts in (1, 2, 3, 5, 8, 9, 16, 17):
            sets = (*CALIBRATION, *layout, *more, f"T_in={tokens}", f"b={prompts}")
            chunks = any(one.startswith("chunk") for one in more)
            bound = bind(loaded(SPARSE, (*sets, *(() if chunks else (f"b_pre={prompts}",)))))
            with standing_in(bound.variants):
                get = bound.typical.get
                burst = get("TTFT_burst")
                assert burst >= max(before, get("TTFT"), prompts * get("t_busy") * 99 / 100)
                assert chunks or burst >= get("TTFT_ideal")
                if get("g_exp") == get("TP"):
                    turns = -(-prompts // int(get("DP")))
                    assert burst == get("TTFT") + (turns - 1) * get("DP") * get("t_busy")
            before = burst


@pytest.mark.parametrize("sets", [EIGHT, ("TP=2", "PP=2", "DP=2", "EP=4", "chunk=512"),
                                  (*EIGHT, "hit=0.9", "b=9")], ids=str)  # fmt: skip
def test_a_ledger_of_shared_experts_holds(sets: tuple[str, ...]) -> None:
    holds(SPARSE, sets)
