"""Prefill by more devices than KV heads: each reads and writes a whole head at least, by hand."""

from __future__ import annotations

from fractions import Fraction

import pytest

from derive.formula import standing_in
from derive.study.bind import bind

from .test_stages_and_groups import holds
from .test_switches import LAUNCH, SPARSE, exact, loaded, text

# Llama 3 70B on 16 H100, eight KV heads of 40,960 byte a token; MFU 0.5 of 989.5 TFLOP/s and MBU
# 0.6 of 3.35 TB/s; 100 of 100,000 tokens are new
N, HEAD = 70_553_706_496, 40_960
RATE = Fraction(3_350 * 10**9)
LONG = ("g=16", "T_in=100000", "b=1", "hit=0.999")
LATENT = ("TP=8", "T_in=100000", "b=1", "hit=0.999")


def test_a_prefix_is_read_with_the_copies_of_its_heads() -> None:
    read = Fraction(2 * N, 16) + 99_900 * HEAD
    assert exact(*LONG, of="TTFT") == read / (RATE * 6 / 10)
    assert text(*LONG, of="TTFT").startswith("≈ 6.423 ms")
    assert exact(*LONG, of="t_prefill") == read / RATE
    assert text(*LONG, of="TTFT_ideal").startswith("≈ 3.815 ms")
    # a burst takes as many turns
    assert exact("g=16", "T_in=100000", "b=3", "hit=0.999", of="TTFT_burst") == 3 * read / (
        RATE * 6 / 10
    )


def test_a_latent_cache_is_whole_on_each_device() -> None:
    """70,272 byte of each of 99,900 tokens on all eight H200 of a named layout."""
    more = Fraction(99_900 * 70_272 * 7, 8) / (4_800 * 10**9)
    plain = tuple(s for s in LATENT if s != "TP=8")
    ideal = exact(*LATENT, name=SPARSE, of="TTFT_ideal")
    assert ideal == exact(*plain, name=SPARSE, of="TTFT_ideal") + more
    assert text(*LATENT, name=SPARSE, of="TTFT").startswith("≈ 30.47 ms")
    assert text(*plain, name=SPARSE, of="TTFT").startswith("≈ 28.33 ms")


def test_the_second_order_reads_and_writes_copies() -> None:
    """Two prompts: 99,990 tokens of each are read and 10 of each written, a head on a device."""
    sets = ("g=16", "T_in=100000", "b=1", "hit=0.9999", "b_pre=2")
    weights = exact(*sets, of="W_pre") / 16
    read, written = 2 * 99_990 * HEAD, 2 * 10 * HEAD
    over = exact(*sets, of="t_over_pre")
    assert exact(*sets, of="TTFT_ideal") == (weights + read) / RATE
    assert exact(*sets, of="TTFT_second") == (weights + read + written) / RATE + over
    typical = (weights + read + written) / (RATE * 6 / 10) + over
    assert exact(*sets, of="TTFT_exp") == typical
    # without a prefix cache what is written is copied, too: a prompt of 24 tokens
    short = ("g=16", "T_in=24")
    weights, over = (exact(*short, of=of) for of in ("W_pre", "t_over_pre"))
    made = (weights / 16 + 24 * HEAD) / RATE + over
    assert exact(*short, of="TTFT_second") == made


@pytest.mark.parametrize("sets", [("g=8", *LONG[1:]), ("g=4", *LONG[1:])], ids=str)
def test_up_to_the_number_of_heads_there_are_no_copies(sets: tuple[str, ...]) -> None:
    g = exact(*sets, of="TP")
    whole = 2 * N + 99_900 * 8 * HEAD
    assert exact(*sets, of="TTFT") == whole / (g * RATE * 6 / 10)


@pytest.mark.parametrize("name", [LAUNCH, SPARSE])
@pytest.mark.parametrize("hit", ["0", "0.5", "0.999"])
def test_further_devices_shorten_prefill_less_and_less(name: str, hit: str) -> None:
    """No device shortens it by more than its share, and the orders stay in their order."""
    layout = ("TP",) if name == SPARSE else ()
    before: tuple[int, Fraction] | None = None
    for g in (4, 8, 16, 32):
        sets = (f"devices={g}", *(f"{one}={g}" for one in layout), "T_in=100000", f"hit={hit}")
        bound = bind(loaded(name, sets))
        with standing_in(bound.variants):
            get = bound.typical.get
            assert get("t_prefill") <= get("TTFT")
            assert get("TTFT_ideal") <= get("TTFT_second") <= get("TTFT_exp")
            now = get("TTFT")
        if before:
            assert before[1] * before[0] / g <= now <= before[1]
        before = (g, now)


@pytest.mark.parametrize(("name", "sets"), [(LAUNCH, LONG), (SPARSE, LATENT), (LAUNCH, ("g=16",))])
def test_a_ledger_with_copies_holds(name: str, sets: tuple[str, ...]) -> None:
    holds(name, sets)
