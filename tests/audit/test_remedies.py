"""What would have to be true: at the bound the claim holds, just below it does not."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from derive.audit.judge import judge
from derive.audit.library import Library
from derive.audit.physics import bounds, solving
from derive.audit.physics.remedies import for_user_rate, out_of_reach
from derive.audit.physics.setting import Setting
from derive.audit.physics.settings import settings as of_claim
from derive.audit.reading.claim import read_claim
from derive.specs.lookup import spec_roots

ROOTS = spec_roots()
LIBRARY = Library(ROOTS)
HAIR = Fraction(1, 10**9)
DENSE = "Llama-3-70B in BF16 on one H100 SXM, context 4,096 tokens: a single user gets 60 token/s."
EXPERTS = (
    "Mixtral-8x7B in BF16 on one H200 SXM, context 4,096 tokens: a single user gets 400 token/s"
)


def setting(text: str) -> Setting:
    claim = read_claim(text, ROOTS)
    return of_claim(claim, LIBRARY, claim.of("speed")[0])[0]


def holds(here: Setting, rate: Fraction, **changed: Fraction) -> bool:
    found = bounds.user_rate(here, best=False, **changed)
    return found is not None and found >= rate


@pytest.mark.parametrize("text", [DENSE, EXPERTS])
@settings(deadline=None, max_examples=20)
@given(rate=st.integers(30, 900))
def test_each_solution_is_tight(text: str, rate: int) -> None:
    here, asked = setting(text), Fraction(rate)
    size = solving.bytes_per_parameter(here, asked)
    if size is not None:
        assert holds(here, asked, w=size)
        assert not holds(here, asked, w=size * (1 + HAIR))
    wide = solving.bandwidth_for(here, asked)
    assert wide is not None
    assert holds(here, asked, B_peak=wide)
    assert not holds(here, asked, B_peak=wide * (1 - HAIR))
    longest = solving.context_for(here, asked)
    if longest is not None:
        assert holds(here, asked, T=longest)
        assert not holds(here, asked, T=longest * (1 + HAIR))
    accepted = solving.tokens_per_step(here, asked)
    time = bounds.step_time(here, best=False)
    assert accepted is not None
    assert time is not None
    assert accepted / time == asked


@settings(deadline=None, max_examples=20)
@given(rate=st.integers(30, 900))
def test_devices_and_requests_are_the_fewest(rate: int) -> None:
    here, asked = setting(DENSE), Fraction(rate)
    count = solving.devices_for(here, asked)
    assert count is not None
    fewest = bounds.least_devices(here, best=False)
    assert holds(here, asked, g=Fraction(count))
    assert count == fewest or not holds(here, asked, g=Fraction(count - 1))
    requests = bounds.least_batch(here, asked)
    if requests is not None:
        time = bounds.step_time(here, best=False, b=Fraction(requests))
        less = bounds.step_time(here, best=False, b=Fraction(requests - 1))
        assert time is not None
        assert requests / time >= asked
        assert requests == 1 or (less is not None and (requests - 1) / less < asked)


def test_a_context_that_no_batch_can_serve_is_said() -> None:
    """Past 3.35e12 / (60 × 327,680) tokens of context even one request's cache is too much."""
    text = DENSE.replace("4,096", "200,000")
    here = setting(text)
    assert solving.bytes_per_parameter(here, Fraction(60)) is None
    assert bounds.least_batch(here, Fraction(60)) is None
    words = [t.en for t in out_of_reach(here, Fraction(60))]
    assert "not as a total either: no batch reaches this rate" in words
    assert not any("total" in t.en for t in for_user_rate(here, Fraction(60), LIBRARY))


def test_the_numbers_of_the_known_case() -> None:
    """139.0 GB of streamed weights, 3.35 TB/s: 60 token/s needs 2.49 times the rate."""
    text = "70B fp16 在单张 H100 SXM 上单路 60 token/s"
    found = judge(read_claim(text, ROOTS), LIBRARY)
    words = [t.en for f in found.findings for t in f.remedies]
    # 3.35e12 / 60 / 70e9 = 0.7976; 60 × 140 / 3,350 = 2.507; 60 × 140e9 = 8.4e12
    assert "a parameter takes at most ≈ 0.7976 byte/param (INT4)" in words
    assert "at least 3 devices share every step, links and waiting left out" in words
    assert any("at least 2.51 tokens a step" in w for w in words)
    assert "it is the total of at least 3 requests in one batch" in words
    assert any(w.startswith("memory bandwidth is at least 8.4 TB/s a device") for w in words)
    assert any("FP8 weights on 2 × NVIDIA H100 SXM5 80 GB" in w for w in words)
    assert all(t.zh for f in found.findings for t in f.remedies)
    assert "at least 2 devices hold the weights" in words


def test_an_accelerator_is_named_where_one_is_fast_enough() -> None:
    text = "Llama-3.1-8B in BF16 decodes at 150 token/s per user on one A100 80GB SXM."
    found = judge(read_claim(text, ROOTS), LIBRARY)
    words = " ".join(t.en for f in found.findings for t in f.remedies)
    assert "memory bandwidth is at least ≈ 2.251 TB/s a device (for example: " in words


def test_a_prompt_is_cut_or_shared() -> None:
    """2 × 8.03e9 × 8,192 / 989.5e12 = 133 ms: 50 ms is 3,080 tokens or 3 devices."""
    text = "Llama-3.1-8B in BF16 on one H100 SXM: TTFT 50 ms for a prompt of 8,192 tokens."
    found = judge(read_claim(text, ROOTS), LIBRARY)
    words = [t.en for f in found.findings for t in f.remedies]
    assert "at least 3 devices share the prompt, links left out" in words
    assert "the prompt has at most 3,080 tokens that are not cached" in words


def test_requests_get_their_context_or_devices() -> None:
    """69.46 GB beside the weights over 64 requests of 131,072 byte/token: 8,280 tokens."""
    text = (
        "One H100 SXM serves 64 concurrent requests of Llama-3.1-8B in BF16 "
        "with a context of 32,768 tokens."
    )
    found = judge(read_claim(text, ROOTS), LIBRARY)
    words = [t.en for f in found.findings for t in f.remedies]
    assert "the context is at most 8,280 tokens" in words
    assert "at least 4 devices hold weights and cache" in words
