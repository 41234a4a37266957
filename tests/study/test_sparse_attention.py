"""Sparse attention: a step reads what the indexer picks, memory holds every token."""

from __future__ import annotations

from fractions import Fraction

import pytest

from derive.verify import judge

from .configs import B200, config, exact, ledger, scenario

LAYERS, LATENT, KEY, TOP = 78, 512 + 64, 128, 2048  # GLM-5: 2,048 of the tokens are picked
ATTENTION, SCORES = 2 * 64 * (2 * 512 + 64), 2 * 32 * 128


@pytest.mark.parametrize("context", [1024, 2048, 131072])
def test_what_is_read_and_what_is_held(context: int) -> None:
    found = scenario(config("GLM-5"), hardware=B200, devices=16, input=context - 64, output=64)
    picked = min(context, TOP)
    read = 2 * LAYERS * (KEY * context + LATENT * picked)
    work = LAYERS * (SCORES * context + ATTENTION * picked)
    assert exact(found, "kappa") == 2 * LAYERS * (LATENT + KEY)
    assert exact(found, "KV_request") == 2 * LAYERS * (LATENT + KEY) * context
    assert exact(found, "KV_read_request") == read
    assert exact(found, "Q_step") == exact(found, "W_read") + 8 * read
    assert exact(found, "F_att") == work
    assert exact(found, "I_att") == Fraction(work, read)
    assert exact(found, "I_wall_att") == (exact(found, "F_tok") + work) / read
    assert exact(found, "I_decode_inf") == exact(found, "F_tok") / read
    held = exact(found, "M_free") / exact(found, "KV_request")
    assert exact(found, "b_max") == int(held)


def test_prefill_scores_all_and_attends_to_what_is_picked() -> None:
    found = scenario(config("GLM-5"), hardware=B200, devices=16, input=8192)
    seen = TOP - Fraction(TOP**2, 2 * 8192)
    work = LAYERS * (SCORES * Fraction(8192, 2) + ATTENTION * seen)
    assert exact(found, "share_att_prefill") == work / exact(found, "F_tok")


def test_the_contexts_of_the_wall_are_searched_on_what_is_read() -> None:
    found = scenario(config("GLM-5"), hardware=B200, devices=16)
    ridge, work = exact(found, "I_ridge"), exact(found, "F_tok")
    for name, operations in (("T_wall", 0), ("T_wall_att", 1)):
        context = int(exact(found, name))

        def above(t: int, counted: int = operations) -> bool:
            picked = min(t, TOP)
            attention = counted * LAYERS * (SCORES * t + ATTENTION * picked)
            return work + attention >= ridge * 2 * LAYERS * (KEY * t + LATENT * picked)

        assert above(context)
        assert not above(context + 1)
    assert judge.verify(ledger(found), roots=()) == []
