"""What chunks and a prefix find of a prompt where layers have a window: counted pass by pass."""

from __future__ import annotations

from fractions import Fraction

import pytest

from derive.derivation.points import Point
from derive.formula import called_for, standing_in
from derive.specs import load
from derive.specs.lookup import spec_roots
from derive.study import study
from derive.study.bind import bind
from derive.verify.judge import judged

from .test_switches import LAUNCH, exact, loaded

# Gemma 2 9B: 42 layers of 8 heads of 256, keys and values, every other one with a window of 4,096
GEMMA = ("model=gemma-2-9b", "devices=2")
HALF, WINDOW = 21 * 2 * 8 * 256, 4096


def found(total: int, chunk: int, prefix: int = 0) -> Fraction:
    """Bytes that a pass finds of a prompt on average: every pass by itself."""
    starts = range(prefix, total, chunk)
    return Fraction(2 * HALF * sum(s + min(s, WINDOW) for s in starts), len(starts))


@pytest.mark.parametrize(
    ("total", "chunk"),
    [(14_593, 256), (14_848, 256), (4096, 512), (4097, 512), (9000, 1000), (9000, 4096), (700, 512),
     (300, 512), (20_000, 5000)],
)  # fmt: skip
def test_a_pass_finds_the_last_tokens_where_a_layer_has_a_window(total: int, chunk: int) -> None:
    sets = (*GEMMA, f"chunk={chunk}", f"T_in={total}")
    assert exact(*sets, of="KV_seen") == found(total, chunk)
    if chunk == 256:
        assert round(float(found(total, chunk)) / 1e9, 3) == 1.857


@pytest.mark.parametrize(("total", "hit"), [(8000, "0.25"), (8000, "0.75"), (2000, "0.5")])
def test_a_prefix_takes_its_part_of_the_window(total: int, hit: str) -> None:
    sets = (*GEMMA, f"T_in={total}", f"prefix_cache.hit={hit}")
    prefix = int(total * Fraction(hit))
    assert exact(*sets, of="T_hit") == prefix
    assert exact(*sets, of="KV_hit") == 2 * HALF * (prefix + min(prefix, WINDOW))
    seen, least = exact(*sets, "chunk=256", of="KV_seen"), found(total, 256, prefix)
    passes = -(-(total - prefix) // 256)
    left = min(Fraction(passes - 1, 2) * 256, max(0, WINDOW - prefix))
    assert seen == 2 * HALF * (
        2 * prefix + Fraction(passes - 1, 2) * 256 + left - max(0, prefix - WINDOW)
    )
    full_or_wide = prefix >= WINDOW or total <= WINDOW
    assert seen == least if full_or_wide else least < seen < least * Fraction(5, 4)


def test_two_windows_and_states_by_hand() -> None:
    """6,000 tokens in chunks of 700: windows of 1,000 and 2,500, states of 1 MB a request."""
    given = {n: Fraction(v) for n, v in {
        "e_full": 10, "e_win": 20, "e_win2": 30, "w_kv": 2, "S_kv": 10**6, "T_win": 1000,
        "T_win2": 2500, "T_chunk": 700, "T_in": 6000, "g": 1, "PP": 1, "DP": 1, "EP": 1,
    }.items()}  # fmt: skip
    starts = range(0, 6000, 700)
    read = [2 * (10 * s + 20 * min(s, 1000) + 30 * min(s, 2500)) + (10**6 if s else 0)
            for s in starts]  # fmt: skip
    with standing_in(called_for(given)):
        assert Point(given).get("KV_seen") == Fraction(sum(read), len(read))
    given["hit"] = Fraction(1, 4)  # 1,500 tokens; 4,500 in seven passes
    prefix = 2 * (10 * 1500 + 20 * 1000 + 30 * 1500) + 10**6
    with standing_in(called_for(given)):
        assert Point(given).get("KV_hit") == prefix
        assert Point(given).get("KV_seen") == prefix + 2 * (10 * 2100 + 20 * 0 + 30 * 1000)


def test_a_longer_prompt_never_reads_less() -> None:
    for more in ((), ("prefix_cache.hit=0.5",)):
        bound = bind(loaded(LAUNCH, (*GEMMA, *more, "chunk=256")))
        with standing_in(bound.variants):
            lengths = (*range(4080, 4110), *range(8180, 8210), 14_593, 14_848)
            at = [bound.typical.with_(T_in=Fraction(t)) for t in lengths]
            seen = [point.get("KV_seen") for point in at]
            assert seen == sorted(seen)


@pytest.mark.parametrize("more", [(), ("prefix_cache.hit=0.5",)], ids=str)
def test_a_ledger_of_windows_holds(more: tuple[str, ...]) -> None:
    sets = (*GEMMA, "chunk=256", "T_in=6000", *more)
    asked = [LAUNCH, *(word for one in sets for word in ("--set", one))]
    faults, compared = judged(
        study(loaded(LAUNCH, sets), load.sources(), asked=asked), spec_roots()
    )
    assert [fault.en for fault in faults] == []
    assert compared
