"""Constant states and long powers of experts, by arithmetic on the numbers of the configs."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from derive.expression.value import power
from derive.verify import judge
from derive.verify import powers as independent

from .configs import H200, config, exact, ledger, said, scenario, why

# Falcon-H1-0.5B: 36 layers, each 24 heads of 64 with a state of 128, and 3 past steps to convolve
STATE = 2 * 36 * (24 * 64 * 128 + 3 * (24 * 64 + 2 * 128))


def test_one_request_reads_its_state_too() -> None:
    found = scenario(config("Falcon-H1-0.5B-Instruct"), hardware=H200, devices=1, batch=200)
    weights, work = exact(found, "W_read"), exact(found, "F_tok")
    assert exact(found, "S_kv") == STATE
    assert exact(found, "I_decode_1") == work / (weights + STATE) < 1


def test_one_request_reads_the_experts_of_one_token_and_its_state() -> None:
    found = scenario(config("AI21-Jamba-1.5-Mini"), hardware=H200, devices=2, batch=64)
    inner, layers = 2 * 4096, 28
    state = 2 * layers * inner * (16 + 3)
    routed = 16 * 16 * 3 * 4096 * 14336  # sixteen layers with sixteen experts, two of them used
    rest = 51_570_323_328 - routed
    read = 2 * (rest + routed // 8)
    assert exact(found, "I_decode_1") == Fraction(2 * 12_110_311_296, read + state)


def test_writing_the_states_back_is_told_with_its_size() -> None:
    found = scenario(
        config("Falcon-H1-0.5B-Instruct"),
        hardware=H200, devices=1, batch=200, input=1000, output=200,
    )  # fmt: skip
    keys = 2 * 36 * 2 * 2 * 64 * 1200  # a key and a value in 2 heads of 64
    step = exact(found, "W_read") + 200 * (STATE + keys)
    assert exact(found, "share_state") == Fraction(200 * STATE, 1) / step > Fraction(1, 5)
    record = ledger(found)
    assert judge.verify(record, roots=()) == []
    percent = f"≈ {float(200 * STATE / step) * 100:.1f} %"
    assert percent in said(record, "assumptions", "share_state", "size")["en"]
    told = said(record, "findings", "left_out_share_state", "text")
    assert f"writes the constant states back, {percent}" in told["en"]
    assert "TPOT is a lower figure" in told["en"]
    assert "TPOT 偏低" in told["zh"]


@pytest.mark.parametrize("name", ["gemma-2-9b", "Meta-Llama-3.1-70B"])
def test_models_without_a_state_do_not_speak_of_one(name: str) -> None:
    record = ledger(scenario(config(name)))
    assert not [r for r in record["assumptions"] if r["id"] in ("share_state", "recurrence")]


def test_a_state_alone_past_the_wall_is_the_reason() -> None:
    found = scenario(config("Falcon-H1-0.5B-Instruct"), devices=1)
    assert exact(found, "I_ridge") * STATE > exact(found, "F_tok")
    assert "past the wall at any context" in why(found, "T_wall")


def test_without_a_cache_that_grows_no_context_is_the_wall() -> None:
    """Mamba: the traffic does not depend on T, so the two sides never meet."""
    found = scenario(config("Mamba-Codestral-7B-v0.1"), "S_kv=1 MB/request", devices=1)
    for name in ("T_wall", "T_cross", "T_wall_att"):
        assert "at no T above zero" in why(found, name)
    assert judge.verify(ledger(found), roots=()) == []


def test_where_the_cache_outweighs_the_weights_at_every_context_it_is_said_so() -> None:
    found = scenario(config("recurrentgemma-2b"), batch=100_000, devices=8)
    assert 100_000 * exact(found, "S_kv") > exact(found, "W_read")
    assert why(found, "T_cross").startswith("b · T · kappa is at or above W_read for every T")
    assert judge.verify(ledger(found), roots=()) == []


def test_a_burst_of_one_prompt_is_one_prompt() -> None:
    for name in ("Qwen3-30B-A3B", "Llama-4-Scout-17B-16E-Instruct", "gemma-4-26B-A4B"):
        found = scenario(config(name), hardware=H200, batch=1, input=3, output=2)
        assert exact(found, "TTFT_burst") == exact(found, "TTFT")


def test_a_small_burst_reads_the_experts_that_its_tokens_hit() -> None:
    found = scenario(config("Mixtral-8x7B-v0.1"), hardware=H200, batch=2, input=3, output=2)
    routed = 32 * 8 * 3 * 4096 * 14336
    read = 2 * (46_702_792_704 - routed + routed * (1 - Fraction(3, 4) ** 6))
    rate = 8 * Fraction("4.8e12") * exact(found, "TTFT_burst")
    assert read / rate == Fraction(3, 5)  # the typical MBU


@pytest.mark.parametrize("tokens", [932_000, 10**7])
def test_a_prompt_of_any_length_has_a_first_token(tokens: int) -> None:
    """512 experts of which a token uses 10: in the end every one is read."""
    found = scenario(
        config("Qwen3-Next-80B-A3B-Instruct"), "PP=4", devices=64, batch=1, input=tokens, output=100
    )  # fmt: skip
    record = ledger(found)
    assert record["results"]["TTFT"]["value"] == pytest.approx(
        2 * 3_874_929_408 * tokens / (16 * 989.5e12 * 0.5),
        rel=1e-12,  # stage after stage
    )
    assert record["results"]["W_prefill"]["value"] == pytest.approx(2 * 79_674_391_296, rel=1e-12)
    assert judge.verify(record, roots=()) == []


@pytest.mark.parametrize(
    ("base", "exponent"),
    [("31/32", 30_000), ("251/256", 400_000), ("127/128", 10**6), ("511/512", 10**4)],
)
def test_long_powers_keep_every_digit_that_is_shown(base: str, exponent: int) -> None:
    made = power(Fraction(base), Fraction(exponent))
    logarithm = exponent * math.log2(Fraction(base))
    assert math.log2(made.numerator) - math.log2(made.denominator) == pytest.approx(
        logarithm, rel=1e-12
    )
    theirs = independent.power(Fraction(base), Fraction(exponent))
    assert abs(made - theirs) < Fraction(1, 2**10_000)
    assert made.denominator.bit_length() < 2**18


def test_powers_of_nought_and_one() -> None:
    for of in (power, independent.power):
        assert of(Fraction(0), Fraction(10**9)) == 0
        assert of(Fraction(0), Fraction(0)) == 1
        assert of(Fraction(1), Fraction(10**30)) == 1
    with pytest.raises(OverflowError):
        power(Fraction(3, 2), Fraction(10**9))


def test_the_router_bias_is_read() -> None:
    """DeepSeek-V3: 58 layers with 256 biases of 4 bytes, which no lookup leaves out."""
    found = scenario(config("DeepSeek-V3"), hardware=H200, batch=1)
    table = 2 * 129_280 * 7168
    assert exact(found, "W_read") - exact(found, "W_stream") == table


def test_the_floor_of_experts_is_held_to_its_routing() -> None:
    """Fewer experts than expected may be hit, so bytes expected are no bound without a word."""
    for name, held in (("Qwen3-30B-A3B", True), ("Meta-Llama-3.1-70B", False)):
        told = said(ledger(scenario(config(name))), "findings", "floor_streamed", "text")
        assert ("as many experts as uniform routing" in told["en"]) == held
        assert ("命中的专家数与均匀路由时相同" in told["zh"]) == held


@pytest.mark.parametrize("targets", [(), ("slo.TTFT=1 s", "slo.TPOT=50 ms/token")])
def test_a_ledger_of_what_does_not_fit_is_proved(targets: tuple[str, ...]) -> None:
    record = ledger(scenario(config("Meta-Llama-3.1-70B"), *targets, batch=2000))
    assert record["results"]["TPOT"]["value"] is None
    assert "at least 22 devices" in said(record, "checklist", "alert-TPOT", "answer")["en"]
    assert judge.verify(record, roots=()) == []
