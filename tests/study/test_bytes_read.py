"""What a step reads and multiplies, by arithmetic on the numbers of the configs themselves."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

from derive.verify import judge

from .configs import H200, changed, config, exact, ledger, said, scenario, why

# gemma-3n-E4B: 35 layers, each fifth in full; the last 15 read the keys and values of earlier ones
FULL, SLIDING, WINDOW = 4, 16, 512
FULL_AGAIN, SLIDING_AGAIN = 3, 12
PAIR = 2 * 2 * 256  # a key and a value in 2 heads of 256


@pytest.mark.parametrize("context", [256, 512, 5000])
def test_layers_that_share_a_cache_read_it_again(context: int) -> None:
    found = scenario(
        config("gemma-3n-E4B-it"),
        hardware=H200, devices=1, batch=4, input=context - 100, output=100,
    )  # fmt: skip
    kept = min(context, WINDOW)
    held = 2 * PAIR * (FULL * context + SLIDING * kept)
    read = 2 * PAIR * ((FULL + FULL_AGAIN) * context + (SLIDING + SLIDING_AGAIN) * kept)
    assert exact(found, "KV_request") == held
    assert exact(found, "KV_read_request") == read
    assert exact(found, "KV_total") == 4 * read
    assert exact(found, "Q_step") == exact(found, "W_read") + 4 * read
    assert exact(found, "I_att") == Fraction(8, 2)  # query heads over KV heads, at 2 bytes
    assert exact(found, "b_max") == int(exact(found, "M_free") / held)


def test_tables_of_single_layers_multiply_nothing() -> None:
    found = scenario(config("gemma-3n-E4B-it"), hardware=H200, devices=1, batch=4, input=4000)
    assert exact(found, "N") - exact(found, "N_act") == 262144 * 35 * 256
    record = ledger(found)
    (row,) = [r for r in record["inputs"] if r["id"] == "N_act"]
    assert "per-layer embeddings are left out" in row["how"]["en"]
    assert not [f for f in record["findings"] if f["id"] == "moe_weights"]
    assert judge.verify(record, roots=()) == []


def gpt_oss(context: int) -> tuple[Fraction, Fraction]:
    """Products of one token, attention included, and bytes of its cache: by the config alone."""
    width, heads, head, pairs, layers = 2880, 64, 64, 8, 24
    attention = width * (heads + 2 * pairs) * head + heads * head * width
    experts = 4 * 3 * width * 2880 + width * 32
    matrices = layers * (attention + experts) + width * 201088
    seen = layers // 2 * (context + min(context, 128))
    products = 2 * matrices + 4 * heads * head * seen
    return Fraction(products), Fraction(2 * 2 * pairs * head * seen)


def test_the_wall_is_decided_by_products() -> None:
    found = scenario(config("gpt-oss-20b"), hardware=H200, devices=1, input=1400, output=50)
    products, read = gpt_oss(1450)
    limit, ridge = products / read, exact(found, "I_ridge")
    assert exact(found, "I_wall_mat") == limit
    assert limit < ridge < exact(found, "I_decode_inf")  # F_tok counts the table that is looked up
    assert "no batch" in why(found, "b_crit_mat")
    record = ledger(found)
    assert judge.verify(record, roots=()) == []
    told = said(record, "findings", "kv_wall", "text")["en"]
    assert "no batch makes decode compute-bound, counted by the products" in told
    assert "≈ 194.0 FLOP/byte is below" in told
    assert "can reach" not in told
    answer = said(record, "checklist", "critical", "answer")["en"]
    assert "no batch reaches the ridge by the products really made" in answer


def test_where_products_reach_the_ridge_the_batch_is_that_of_products() -> None:
    found = scenario(config("gpt-oss-20b"), hardware=H200, devices=1, input=700, output=50)
    products, read = gpt_oss(750)
    batch, ridge = int(exact(found, "b_crit_mat")), exact(found, "I_ridge")
    for b, above in ((batch, True), (batch - 1, False)):
        experts = 32 * (1 - (1 - Fraction(4, 32)) ** b)
        weights = (
            exact(found, "N_fix") * exact(found, "w_fix")
            + exact(found, "N_exp") * exact(found, "w_exp") * experts / 32
        )
        assert (products * b >= ridge * (weights + b * read)) == above


# DeepSeek-V4-Flash: 43 layers, 2 with a window alone, 21 compressed 4 to 1, 20 compressed 128 to 1
LATENT, KEY, TOP, HEADS = 512, 128, 512, 64
QUARTER, RARE = 21, 20


@pytest.mark.parametrize("context", [1000, 2304, 32003])
def test_a_compressed_cache_is_read_as_its_indexer_picks(context: int) -> None:
    found = scenario(
        config("DeepSeek-V4-Flash"), "precision.kv_cache=bf16",
        hardware=H200, input=context - 100, output=100,
    )  # fmt: skip
    entries, rare, near = context // 4, context // 128, min(context, 128)
    picked = min(entries, TOP)
    held = 43 * LATENT * near + QUARTER * (LATENT + KEY) * entries + RARE * LATENT * rare
    read = 43 * LATENT * near + QUARTER * (LATENT * picked + KEY * entries) + RARE * LATENT * rare
    seen = 43 * near + QUARTER * picked + RARE * rare
    work = 4 * HEADS * LATENT * seen + QUARTER * 2 * 64 * KEY * entries
    assert exact(found, "KV_request") == 2 * held
    assert exact(found, "KV_read_request") == 2 * read
    assert exact(found, "F_att") == work
    assert exact(found, "I_wall_att") == (exact(found, "F_tok") + work) / (2 * read)


def test_a_sparse_compressed_cache_has_no_wall_where_picks_are_read() -> None:
    found = scenario(config("DeepSeek-V4-Flash"), hardware=H200, input=8000, output=1000)
    record = ledger(found)
    assert judge.verify(record, roots=()) == []
    assert exact(found, "I_decode_inf") > exact(found, "I_ridge")
    told = said(record, "findings", "kv_wall", "text")["en"]
    assert "can reach the ridge" in told


def test_the_floor_of_the_bytes_streamed_is_said() -> None:
    found = scenario(config("gpt-oss-20b"), hardware=H200, devices=1, input=1400, output=50)
    table = 2 * 201088 * 2880  # the input table, in 2 bytes
    assert exact(found, "W_read") - exact(found, "W_stream") == table
    told = said(ledger(found), "findings", "floor_streamed", "text")["en"]
    below = exact(found, "W_stream") / exact(found, "B_peak")
    assert f"no software goes below ≈ {float(below) * 1000:.3f} ms/token" in told


def test_fewer_shared_layers_hold_more_and_read_as_much(tmp_path: Path) -> None:
    inner = json.loads(config("gemma-3n-E4B-it").read_text(encoding="utf-8"))["text_config"]
    path = changed(
        "gemma-3n-E4B-it", tmp_path, text_config={**inner, "num_kv_shared_layers": 5}
    )  # fmt: skip
    found = scenario(path, hardware=H200, devices=1, batch=4, input=4000, output=1000)
    assert exact(found, "KV_request") == 2 * PAIR * (6 * 5000 + 24 * WINDOW)
    assert exact(found, "KV_read_request") == 2 * PAIR * (7 * 5000 + 28 * WINDOW)
