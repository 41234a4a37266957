"""Where decode reaches the ridge: said only as far as it holds with everything counted."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from derive.text import Text, tr
from derive.verify import judge

from .configs import A100, H200, config, exact, ledger, said, scenario, why

FIRST_ORDER = "past the KV wall of the first order"
NO_BATCH = "no batch reaches the ridge"


def test_the_wall_of_the_first_order_is_not_said_to_be_the_wall() -> None:
    """DeepSeek-V3 on A100: absorbed latent attention is above the ridge, there is no KV wall."""
    found = scenario(config("DeepSeek-V3"), "T=8000", hardware=A100, devices=32, batch=64)
    ridge = Fraction(312_000, 2039)
    bytes_each, attention = 8000 * 70272, 8000 * 16_990_208
    active, fixed, routed = 2 * 37_552_282_624, 17_117_633_536, 653_908_770_816
    expert = Fraction(654_068_416_512, routed)
    rest = Fraction(673_150_611_808 - 654_068_416_512, fixed)
    assert "attention does as many" in why(found, "T_wall_att")
    assert exact(found, "I_att") >= ridge
    assert why(found, "b_crit_T").startswith(FIRST_ORDER)

    def reaches(b: int) -> bool:
        read = rest * fixed + expert * routed * (1 - Fraction(31, 32) ** b)
        return (active + attention) * b >= ridge * (read + b * bytes_each)

    best = int(exact(found, "b_crit_att"))
    assert reaches(best)
    assert not reaches(best - 1)
    assert 800 < best < 850
    record = ledger(found)
    answer = said(record, "checklist", "critical", "answer")["en"]
    assert f"with attention operations counted, the critical batch is {best} requests" in answer
    assert NO_BATCH not in answer
    wall = said(record, "findings", "kv_wall", "text")["en"]
    assert f"then the critical batch is {best} requests" in wall
    assert judge.verify(record, roots=()) == []


def test_the_sentence_stands_where_attention_changes_nothing() -> None:
    found = scenario("llama-3-70b", devices=4)
    assert exact(found, "I_wall_att") < exact(found, "I_ridge")
    assert why(found, "b_crit_T") == f"past the KV wall {NO_BATCH}"
    assert NO_BATCH in said(ledger(found), "checklist", "critical", "answer")["en"]


def test_a_batch_beyond_the_search_is_said_in_words() -> None:
    found = scenario("deepseek-v3", hardware=H200, batch=64, input=2048, output=512)
    assert why(found, "b_crit_T") == "above 131,072 requests, where the search ends"
    record = ledger(found)
    assert "with attention operations counted, the critical batch is 6,247 requests" in text(record)
    assert judge.verify(record, roots=()) == []


def test_beyond_the_search_with_attention_too() -> None:
    active = exact(scenario("deepseek-v3", hardware=H200), "N_act")  # as if all were products
    sets = ("a_full=1 FLOP*request/token^2", f"N_mat={active} param")
    found = scenario("deepseek-v3", *sets, hardware=H200, output=512)
    record = ledger(found)
    assert "critical batch is above 131,072 requests" in text(record)
    assert "临界批大小超过 131,072 个请求" in text(record, "zh")
    assert "above 131,072" in said(record, "checklist", "critical", "answer")["en"]
    assert judge.verify(record, roots=()) == []


def text(record: dict[str, Any], lang: str = "en") -> str:
    """What the finding on the wall says."""
    return str(said(record, "findings", "kv_wall", "text")[lang])


def test_every_batch_meets_a_loose_target() -> None:
    found = scenario(config("Qwen3-30B-A3B"), "slo.TPOT=1000 s/token")
    assert why(found, "b_slo") == "every batch up to 131,072 requests meets the target"
    assert judge.verify(ledger(found), roots=()) == []


def test_a_constant_state_moves_the_critical_batch() -> None:
    """Nemotron-H-56B on 8 x H200: I W / (2 N_act - I S), the state as the config counts it."""
    found = scenario(config("Nemotron-H-56B-Base-8K"), hardware=H200)
    ridge, state = exact(found, "I_ridge"), exact(found, "S_kv")
    weights, work = exact(found, "W_read"), 2 * exact(found, "N_act")
    assert exact(found, "b_crit") == ridge * weights / (work - ridge * state)
    assert 1290 < exact(found, "b_crit") < 1305
    assert judge.verify(ledger(found), roots=()) == []


def test_experts_and_a_state_are_searched_together() -> None:
    """Jamba 1.5 Mini on 8 x H200: the next whole batch after the meeting."""
    found = scenario(config("AI21-Jamba-1.5-Mini"), hardware=H200)
    ridge, state, work = (exact(found, n) for n in ("I_ridge", "S_kv", "F_tok"))
    fixed, routed = 2 * exact(found, "N_fix"), 2 * exact(found, "N_exp")

    def reaches(b: int) -> bool:
        return work * b >= ridge * (fixed + routed * (1 - Fraction(7, 8) ** b) + b * state)

    best = int(exact(found, "b_crit"))
    assert reaches(best)
    assert not reaches(best - 1)
    assert 945 < best < 950


def test_a_state_that_is_slower_to_read_than_to_work_on() -> None:
    found = scenario(config("Qwen3-Next-80B-A3B-Instruct"), hardware=H200, devices=2, input=32000)
    assert exact(found, "I_ridge") * exact(found, "S_kv") > exact(found, "F_tok")
    assert NO_BATCH in why(found, "b_crit")
    record = ledger(found)
    assert said(record, "checklist", "critical", "answer")["en"].endswith(NO_BATCH)
    assert judge.verify(record, roots=()) == []


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (Text("8 requests", "8 个请求"), "8 个请求仍能满足"),
        (Text("–", "–"), "– 仍能满足"),
    ],
)
def test_no_space_stands_between_two_chinese_words(value: Text, wanted: str) -> None:
    message = "Memory binds before latency: {limit} fit, {slo} would still meet the TPOT target."
    assert wanted in tr(message, limit=value, slo=value).zh
