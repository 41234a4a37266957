"""The second order of prefill under the switches: figures by hand, and what holds everywhere."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest

from derive.derivation.points import Point, Undefined
from derive.formula import standing_in
from derive.study.bind import bind
from derive.study.values import values

from .test_switches import APART, CHUNK, HIT, LAUNCH, SPARSE, SPEC, SWITCHES, exact, loaded, point

GEMMA = "gemma-2-9b-on-1x-l40s"
EVERY = (LAUNCH, SPARSE, GEMMA)
# Llama 3 70B on four H100: 80 layers of 64 heads of 128; head and table of 128,256 × 8,192
PAIR, HEAD, NORMS = 4 * 80 * 64 * 128, 128_256 * 8_192, 161 * 8_192
MATRICES = 70_553_706_496 - HEAD - NORMS  # without the table that is looked up
STREAMED, KAPPA = 139_006_066_688, 327_680
PEAK, BYTES = 4 * 989_500 * 10**9, 4 * 3_350 * 10**9
TIMES = ("TTFT_ideal", "TTFT_second", "TTFT_exp")


def test_a_hit_spares_the_products_and_the_pairs_within_the_prefix() -> None:
    """1,024 of 2,048 tokens: half the products, three quarters of the pairs."""
    pairs = 2048 * 2049 // 2 - 1024 * 1025 // 2
    assert exact(*HIT, of="F_att_pre") == PAIR * pairs
    products = 2 * ((MATRICES - HEAD) * 1024 + HEAD)
    assert exact(*HIT, of="F_matmul_pre") == products
    assert exact(*HIT, of="TTFT_ideal") == Fraction(products + PAIR * pairs, PEAK)
    assert exact(*HIT, of="KV_fill") == 1024 * KAPPA
    assert exact(*HIT, of="Q_pre") == STREAMED + 1024 * KAPPA
    assert exact(*HIT, of="t_comm_pre") == exact(of="t_comm_pre") / 2


def test_one_token_left_reads_the_prefix() -> None:
    sets = ("prefix_cache.hit=1",)
    assert exact(*sets, of="F_att_pre") == PAIR * 2048
    assert exact(*sets, of="TTFT_ideal") == Fraction(STREAMED + 2047 * KAPPA, BYTES)


def test_chunks_read_the_weights_again_and_launch_again() -> None:
    """Chunks of 512 are four passes, which read 0, 512, 1,024 and 1,536 tokens of KV."""
    assert exact(*CHUNK, of="Q_pre") == 4 * STREAMED + 3072 * KAPPA
    assert exact(*CHUNK, of="t_launch_pre") == 4 * exact(of="t_launch_pre")
    for same in ("F_matmul_pre", "F_att_pre", "t_comm_pre", "KV_fill", "TTFT_ideal"):
        assert exact(*CHUNK, of=same) == exact(of=same), same
    small = ("chunk=64",)
    read = 32 * STREAMED + sum(range(0, 2048, 64)) * KAPPA
    assert exact(*small, of="TTFT_ideal") == Fraction(read, BYTES)


def test_other_devices_compute_and_hand_over() -> None:
    sets = ("disaggregation.prefill_devices=8", "disaggregation.link=50 GB/s")
    moved = Fraction(2048 * KAPPA, 50 * 10**9)
    assert exact(*sets, of="TTFT_ideal") == exact(of="TTFT_ideal") / 2 + moved
    ring = 80 * 4 * Fraction(7, 8) * 2048 * 8192 * 2 / Fraction(450 * 10**9)
    assert exact(*sets, of="t_comm_pre") == ring
    second = exact(*sets, of="TTFT_second") - exact(*sets, of="TTFT_ideal")
    assert second == ring + exact(of="t_launch_pre")
    three = (*sets, "b_pre=3")
    assert exact(*three, of="TTFT_ideal") == 3 * exact(of="TTFT_ideal") / 2 + 3 * moved


def test_the_devices_of_prefill_are_no_stages_of_decode() -> None:
    sets = ("disaggregation.prefill_devices=4", "disaggregation.link=50 GB/s", "TP=2", "PP=2")
    assert exact("TP=2", "PP=2", of="t_bubble") > 0
    assert exact(*sets, of="t_bubble") == 0
    for name in ("t_comm_pre", "t_ops_pre", *TIMES):
        assert exact(*sets, of=name) == exact(*APART, of=name)


def test_as_many_devices_of_their_own_take_as_long_and_the_hand_over() -> None:
    moved = exact(*APART, of="t_move")
    for name in TIMES:
        assert exact(*APART, of=name) == exact(of=name) + moved


def test_a_chunk_rides_on_a_step() -> None:
    """The step's own operations, and a quarter of the prompt's, at half of the peak."""
    operations = exact(of="t_ops") + exact(of="t_ops_pre") / 4
    waits = exact(of="t_over") + exact(of="t_comm_pre") / 4
    assert exact(*CHUNK, of="t_mix_exp") == 2 * operations + waits
    assert exact(*CHUNK, of="TTFT_mix_exp") == 4 * exact(*CHUNK, of="t_mix_exp")


# --- what must hold everywhere


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("more", [(), APART, CHUNK], ids=str)
def test_nothing_found_is_no_prefix_cache(name: str, more: tuple[str, ...]) -> None:
    for of in ("F_matmul_pre", "F_att_pre", "Q_pre", "KV_fill", "t_over_pre", "t_bubble",
               "TTFT_ideal", "TTFT_second"):  # fmt: skip
        none, off = (
            values(loaded(name, sets), (of,))[of]["exact"]
            for sets in (("prefix_cache.hit=0", *more), more)
        )
        assert none == off, of


@pytest.mark.parametrize("name", EVERY)
def test_a_chunk_that_holds_the_prompt_is_one_pass(name: str) -> None:
    whole = f"chunk={bind(loaded(name, ())).inputs['T_in'].quantity.value}"
    for of in ("Q_pre", "t_launch_pre", "t_bubble", "TTFT_ideal", "TTFT_second"):
        assert exact(whole, name=name, of=of) == exact(name=name, of=of)


def shares(here: Point) -> list[Point]:
    return [here.with_(hit=Fraction(h, 24)) for h in range(25)]


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("more", [(), CHUNK, APART], ids=str)
def test_more_found_never_adds_but_the_kv_that_is_read(name: str, more: tuple[str, ...]) -> None:
    here, variants = point(*HIT, *more, name=name)
    with standing_in(variants):
        at = shares(here)
        falls = ["F_matmul_pre", "F_att_pre", "t_ops_pre", "KV_fill", "W_pre"]
        falls += ["t_comm_pre"] if here.get("g") > 1 else []
        for of in falls:
            found = [p.get(of) for p in at]
            assert found == sorted(found, reverse=True), of
            assert found[-1] < found[0] or (of == "W_pre" and name != SPARSE), of
        rate = here.get("g_pre" if "g_pre" in here.given else "g") * here.get("B_peak")
        passes = [p.get("N_pass") if "T_chunk" in p.given else Fraction(1) for p in at]
        read = [p.get("KV_hit") * n / rate for p, n in zip(at, passes, strict=True)]
        times = [p.get("TTFT_ideal") for p in at]
        # full chunks come to stand behind a longer prefix: each has more pairs of attention
        full = [p.get("t_turn_pre") if "T_chunk" in p.given else Fraction(0) for p in at]
    more_pairs = [
        (n - 1) * max(0, b - a) for (a, b), n in zip(pairwise(full), passes, strict=False)
    ]
    steps = zip(pairwise(times), read[1:], more_pairs, strict=True)
    assert all(after <= before + kv + pairs for (before, after), kv, pairs in steps)
    assert min(times) < times[0]


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("sets", [(), HIT, CHUNK, APART, (*HIT, *CHUNK), (*HIT, *APART)], ids=str)
def test_each_order_is_above_the_one_before(name: str, sets: tuple[str, ...]) -> None:
    """Overheads never shorten, nor do rates below peak."""
    if name == GEMMA:  # no link between its devices is known: one of them
        sets = tuple(one.replace("devices=4", "devices=1") for one in sets)
    here, variants = point(*sets, name=name)
    with standing_in(variants):
        for length in (1, 100, 2048, 30_000):
            p = here.with_(T_in=Fraction(length))
            ideal, second, expected = (p.get(i) for i in TIMES)
            assert ideal <= second <= expected
            assert ideal >= p.get("t_ops_pre")


@pytest.mark.parametrize("name", EVERY)
def test_matrices_without_lookups_never_undercut_the_first_order(name: str) -> None:
    """The ideal is at or above the first order once this counts what is multiplied and read."""
    for sets in ((), HIT, CHUNK, APART):
        here, variants = point(*sets, name=name)
        with standing_in(variants):
            less = here.get("F_matmul_pre") / here.get("b_pre")
            tokens = here.get("T_new") if sets in (HIT, CHUNK) else here.get("T_in")
            made = {"F_tok": less / tokens}
            for read in ("W_read", "W_prefill"):
                made[read] = here.get("W_pre")
            if "T_chunk" in here.given:
                made["W_last"] = here.get("W_pre_last")
            light = here.with_(**made)
            first = light.get("t_prefill")
            if "g_pre" in here.given:
                first += here.get("t_move")
            assert here.get("TTFT_ideal") >= first, sets


@pytest.mark.parametrize("name", [LAUNCH, GEMMA])
@pytest.mark.parametrize("more", [(), HIT, SPEC, (*HIT, *SPEC)], ids=str)
def test_a_mixed_step_takes_no_less_than_one_that_only_decodes(
    name: str, more: tuple[str, ...]
) -> None:
    here, variants = point(*CHUNK, *more, name=name)
    with standing_in(variants):
        for chunk in (1, 64, 512, 4096):
            p = here.with_(T_chunk=Fraction(chunk))
            assert p.get("TPOT_mix_exp") >= p.get("TPOT_exp")
            assert p.get("TTFT_mix_exp") >= p.get("TTFT_exp")


def test_what_is_not_modelled_is_refused_in_words() -> None:
    here, variants = point(*CHUNK, "b_pre=4")
    with standing_in(variants):
        for of in (*TIMES, "t_mix_exp"):
            with pytest.raises(Undefined, match="chunks part one prompt"):
                here.get(of)


def test_one_device_of_prefill_waits_for_no_other() -> None:
    one = ("disaggregation.prefill_devices=1", "disaggregation.link=50 GB/s")
    second = exact(*one, of="TTFT_second") - exact(*one, of="TTFT_ideal")
    assert second == exact(*one, of="t_over_pre") == exact(of="t_launch_pre")


def test_chunks_fill_a_pipeline() -> None:
    """Four chunks through two stages: one turn more; a whole prompt waits for a turn of its own."""
    layout = ("TP=2", "PP=2")
    assert exact(*layout, of="t_bubble") == exact(of="t_ops_pre")
    assert exact(*CHUNK, *layout, of="t_bubble") == exact(of="t_ops_pre") / 4


def test_every_switch_has_its_second_order() -> None:
    for switched, sets in SWITCHES.items():
        found = values(loaded(LAUNCH, sets), TIMES)
        assert all(found[n]["exact"] is not None for n in TIMES), switched
