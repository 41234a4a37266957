"""Prefill in chunks, by hand: what a busy replica has time for, a last chunk that is part full."""

from __future__ import annotations

from fractions import Fraction

import pytest

from derive.derivation.points import Absent
from derive.formula import standing_in
from derive.specs import load
from derive.specs.lookup import spec_roots
from derive.study import study
from derive.study.bind import bind
from derive.study.values import values
from derive.verify.judge import judged

from .test_switches import DRAFT, HIT, LAUNCH, SPARSE, SPEC, exact, loaded, text

# Llama 3 70B on four H100: 70,553,706,496 parameters of 2 byte, 327,680 byte of KV a token; MFU 0.5
# of 989.5 TFLOP/s and MBU 0.6 of 3.35 TB/s on each of four devices
N, KAPPA = 70_553_706_496, 327_680
OPS, RATE = Fraction(4 * 989_500_000_000_000, 2), Fraction(4 * 3_350_000_000_000 * 6, 10)
LOAD = ("arrival=20 request/s",)

# --- a busy replica ------------------------------------------------------------------------------


def busy(*sets: str, name: str = LAUNCH) -> Fraction:
    """The time that a whole request takes of a replica, decode included."""
    decode = (exact(*sets, name=name, of="T_out") - 1) * exact(*sets, name=name, of="TPOT")
    return exact(*sets, name=name, of="t_load") + decode / exact(*sets, name=name, of="b")


def test_chunks_without_steps_of_decode_bound_a_replica() -> None:
    """Sixteen chunks of 128, 63 tokens out: 63/16 requests decode beside each chunk, not 33."""
    sets = ("b=33", "chunk=128", "T_out=64", *LOAD)
    beside = Fraction(63, 16)
    context = exact(*sets, of="T")
    step = (2 * N + beside * context * KAPPA + Fraction(15 * 128, 2) * KAPPA) / RATE
    assert step > 2 * N * (128 + beside) / OPS
    assert exact(*sets, of="b_mix") == beside
    assert exact(*sets, of="t_mix_busy") == step
    assert busy(*sets) == 16 * step
    assert round(float(16 * step * 1000), 1) == 286.9
    assert exact(*sets, of="replicas") == 9  # 20 × 0.2869 / 0.7 = 8.2
    assert text(*sets, of="cost_token").startswith("≈ 12.45 USD/Mtoken")


@pytest.mark.parametrize(
    ("sets", "shown", "replicas"),
    [(("b=33", "chunk=128"), 305.4, 9), (("b=64", "chunk=256"), 164.6, 5),
     (("b=220", "chunk=512"), 164.2, 5), (("b=64", "chunk=128", "TP=2", "PP=2"), 305.5, 9)],
)  # fmt: skip
def test_a_request_takes_as_many_steps_as_its_chunks(
    sets: tuple[str, ...], shown: float, replicas: int
) -> None:
    assert round(float(busy(*sets, *LOAD) * 1000), 1) == shown
    assert exact(*sets, *LOAD, of="replicas") == replicas


def test_steps_that_are_there_anyway_take_what_chunks_add() -> None:
    """255 / 8 = 31.9 steps of decode for each request, four of which carry a chunk."""
    assert exact("chunk=512", of="b_mix") == 8
    assert exact("chunk=512", of="t_load") == exact("chunk=512", of="t_add")


def test_rounds_of_speculation_are_fewer_than_tokens() -> None:
    """127 tokens in rounds of 2.7731: 45.8 rounds, for sixteen chunks 2.86 requests beside each."""
    sets = ("b=33", "chunk=128", "T_out=128", *SPEC)
    assert exact(*sets, of="b_mix") == 127 / Fraction("2.7731") / 16
    waits = exact(*sets, of="t_round") - exact(*sets, of="t_step_eff")
    assert busy(*sets) == 16 * (exact(*sets, of="t_mix_busy") + waits)


def test_experts_are_hit_by_whole_requests() -> None:
    """DeepSeek-V3, 32 chunks: 511 / 32 = 15.97 requests, counted as 16."""
    assert exact("b=64", "chunk=64", name=SPARSE, of="b_mix") == 16


def test_a_prompt_of_one_output_token_has_no_decode_beside_it() -> None:
    """Two groups of two: 2,048 tokens on half of the devices each, two prompts at a time."""
    sets = ("TP=2", "DP=2", "chunk=512", "T_out=1")
    assert exact(*sets, of="b_mix") == 0
    assert exact(*sets, of="t_mix_busy") == 2 * N * 512 / (OPS / 2)
    assert exact(*sets, of="t_load") == 2 * N * 2048 / OPS
    spread = ("TP=1", "DP=8", "EP=8", "chunk=512", "T_out=1")
    assert exact(*spread, name=SPARSE, of="t_load") > 0


@pytest.mark.parametrize("name", [LAUNCH, SPARSE])
@pytest.mark.parametrize("more", [(), SPEC, DRAFT, HIT], ids=str)
@pytest.mark.parametrize("layout", [(), ("PP=2",), ("DP=2",)], ids=str)
def test_no_request_takes_less_than_its_operations(
    name: str, more: tuple[str, ...], layout: tuple[str, ...]
) -> None:
    """Nor do shorter chunks make a prompt cheaper where every step carries one already."""
    bound = bind(loaded(name, (*layout, *more, "chunk=512")))
    with standing_in(bound.variants):
        for batch, out in ((1, 2), (8, 256), (33, 64), (256, 256)):
            here = bound.typical.with_(b=Fraction(batch), T_out=Fraction(out))
            loads, full = [], []
            for chunk in (2048, 1024, 512, 128, 64):
                at = here.with_(T_chunk=Fraction(chunk))
                loads.append(at.get("t_load"))
                full.append(at.get("b_mix") < batch)
                assert loads[-1] >= at.get("t_add") > 0
                whole = loads[-1] + (out - 1) * at.get("TPOT") / batch
                tokens = at.get("T_new") + out - 1
                rate = at.get("g") * at.get("MFU") * at.get("P_peak")
                assert whole >= at.get("F_tok") * tokens / rate
            bound_by_chunks = [load for load, every in zip(loads, full, strict=True) if every]
            assert bound_by_chunks == sorted(bound_by_chunks)


@pytest.mark.parametrize(
    "name",
    ["t_load", "t_add", "b_mix", "TTFT_mix", "TPOT_mix", "t_mix_busy", "t_last_busy", "t_last",
     "N_pass", "T_last", "KV_seen"],
)  # fmt: skip
@pytest.mark.parametrize("layout", [(), ("TP=2", "PP=2")], ids=str)
def test_without_chunks_a_mixed_step_asks_for_them(name: str, layout: tuple[str, ...]) -> None:
    found = values(loaded(LAUNCH, layout), (name,))[name]
    assert found["value"] is None
    assert found["why"]["en"] == "needs T_chunk, which is not given"


# --- the queue -----------------------------------------------------------------------------------


def test_prompts_in_chunks_queue_for_the_steps_that_carry_them() -> None:
    """Two a second on one replica: each takes sixteen steps beside 32 requests, M/D/1."""
    sets = ("b=32", "chunk=128", "replicas=1", "arrival=2 request/s")
    step = (2 * N + 32 * 2304 * KAPPA + Fraction(15 * 128, 2) * KAPPA) / RATE
    service, busy = 16 * step, 2 * 16 * step
    plain = (2 * N + 32 * 2304 * KAPPA) / RATE
    wait = busy * service / (2 * (1 - busy)) + plain / 2
    assert exact(*sets, of="share_slots") == busy
    assert exact(*sets, of="t_queue") == wait
    assert exact(*sets, of="TTFT_queue") == wait + service == wait + exact(*sets, of="TTFT_mix")
    assert text(*sets, of="t_queue").startswith("≈ 328.7 ms")
    assert text(*sets, of="TTFT_queue").startswith("≈ 658.2 ms")
    spread = exact(*sets, "C2_in=1", of="t_queue") - plain / 2
    assert spread == 2 * (wait - plain / 2)


@pytest.mark.parametrize("more", [(), SPEC], ids=str)
def test_each_group_queues_for_its_own_turns(more: tuple[str, ...]) -> None:
    """Two stages of two groups: a prompt takes four turns, each of half a step."""
    sets = ("devices=8", "TP=2", "PP=2", "DP=2", "b=32", "chunk=512", "arrival=3 request/s", *more)
    draft = exact(*sets, of="t_round") - exact(*sets, of="t_step_eff") if more else 0
    service = (exact(*sets, of="t_mix") + draft) * 4 / 2
    assert exact(*sets, of="t_slots") == service
    busy = 3 * service / (2 * exact(*sets, of="replicas"))
    assert exact(*sets, of="share_slots") == busy
    waits = exact(*sets, of="t_step_eff") / 4
    assert exact(*sets, of="t_queue") == busy * service / (2 * (1 - busy)) + waits
    there = exact(*sets, of="t_queue") + exact(*sets, of="TTFT_mix")
    assert exact(*sets, of="TTFT_queue") == there


@pytest.mark.parametrize(
    ("sets", "english", "chinese"),
    [(("b=32", "chunk=128", "replicas=1", "arrival=4 request/s"), "without end", "无限增长"),
     (("b=220", "chunk=128", "arrival=20 request/s"), "the replicas keep up", "副本仍能承接")],
    ids=("too many prompts", "too large a batch beside them"),
)  # fmt: skip
def test_a_queue_of_chunks_that_grows_has_no_wait(
    sets: tuple[str, ...], english: str, chinese: str
) -> None:
    found = values(loaded(LAUNCH, sets), ("t_queue", "TTFT_queue"))
    for row in found.values():
        assert row["value"] is None
        assert english in row["why"]["en"]
        assert chinese in row["why"]["zh"]


@pytest.mark.parametrize(
    ("sets", "english"),
    [(("b=32", "chunk=128"), "a prompt waits ≈ "),
     (("TP=2", "PP=2", "chunk=512"), "a prompt waits ≈ "),
     (("b=32", "chunk=128", "replicas=1", "arrival=4 request/s"), "the chunks of the prompts ask")],
    ids=str,
)  # fmt: skip
def test_the_wait_of_chunks_is_told_and_verified(sets: tuple[str, ...], english: str) -> None:
    asked = [LAUNCH, *(word for one in sets for word in ("--set", one))]
    ledger = study(loaded(LAUNCH, sets), load.sources(), asked=asked)
    faults, _ = judged(ledger, spec_roots())
    assert [fault.en for fault in faults] == []
    (told,) = [f["text"] for f in ledger["findings"] if f["id"] == "ttft_queue"]
    assert english in told["en"]
    assert ("carry chunks" in told["en"]) == (english == "a prompt waits ≈ ")


# --- a last chunk that is part full --------------------------------------------------------------


def test_a_last_chunk_of_one_token_takes_a_step_of_decode() -> None:
    """2,049 tokens in chunks of 2,048: one step of 2,056 tokens, one of nine."""
    sets = ("chunk=2048", "T_in=2049")
    full = 2 * N * 2056 / OPS
    read = 2 * N + 8 * exact(*sets, of="T") * KAPPA
    last = (read + 1024 * KAPPA) / RATE
    assert exact(*sets, of="T_last") == 1
    assert exact(*sets, of="t_mix") == exact(*sets, of="TPOT_mix") == full
    assert exact(*sets, of="t_last") == last
    assert exact(*sets, of="TTFT_mix") == full + last
    assert text(*sets, of="TTFT_mix").startswith("≈ 164.9 ms")
    assert exact(*sets, of="t_add") == full + last - 2 * read / RATE
    assert text(*sets, of="t_add").startswith("≈ 128.3 ms")
    spec = (*sets, *SPEC)
    waits = exact(*spec, of="t_round") - exact(*spec, of="t_step_eff")
    both = exact(*spec, of="t_mix") + exact(*spec, of="t_last")
    assert exact(*spec, of="TTFT_mix") == both + 2 * waits


def test_the_last_chunk_paces_its_own_last_turn() -> None:
    """Two stages, two chunks: two turns of the full one, one of the last."""
    sets = ("TP=2", "PP=2", "chunk=2048", "T_in=2049")
    full, last = exact(*sets, of="t_mix"), exact(*sets, of="t_last")
    assert full == 2 * N * 2 * (4 + 2048) / OPS
    assert exact(*sets, of="TTFT_mix") == full + last / 2
    assert exact(*sets, of="t_add") == (full + last - 2 * exact(*sets, of="t_step_eff")) / 2


# --- a prompt alone ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("length", "tokens", "reads", "shown"),
    [(2048, 4 * 2048, 0, "≈ 292.1 ms"), (2049, 4 * 2048, 1, "≈ 300.9 ms"),
     (2500, 4 * 2048 + 452, 0, "≈ 308.2 ms"), (4096, 5 * 2048, 0, "≈ 365.1 ms"),
     (4097, 5 * 2048, 1, "≈ 373.9 ms")],
)  # fmt: skip
def test_the_stages_take_turns_at_full_chunks(
    length: int, tokens: int, reads: int, shown: str
) -> None:
    """Turns of full chunks on TP 2, and the last: its operations, or a quarter of all bytes."""
    sets = ("devices=8", "TP=2", "PP=4", "b=1", "chunk=2048", f"T_in={length}")
    seen = 1024 * KAPPA * ((length - 1) // 2048)  # the mean of nought and one chunk before, …
    last = reads * Fraction(2 * N + seen, 4) / (RATE / 2)
    assert exact(*sets, of="TTFT") == 2 * N * Fraction(tokens, 4) / (OPS / 2) + last
    assert text(*sets, of="TTFT").startswith(shown)


def test_each_pass_is_paced_by_its_own_operations_or_bytes() -> None:
    """One full chunk by its operations, one token by the weights; not the sums of both."""
    sets = ("chunk=2048", "T_in=2049")
    last = (2 * N + 1024 * KAPPA) / RATE
    assert exact(*sets, of="TTFT") == 2 * N * 2048 / OPS + last
    assert exact("TP=2", "DP=2", *sets, of="t_busy") == exact(*sets, of="TTFT")


def test_a_short_last_chunk_hits_few_experts() -> None:
    """DeepSeek-V3: 2,048 tokens hit all experts, the 2,049th eight of 256."""
    sets = ("b=8", "T_in=2049", "chunk=2048")
    first = exact(name=SPARSE, of="TTFT")
    fixed = exact(name=SPARSE, of="N_fix") * exact(name=SPARSE, of="w_fix")
    routed = exact(name=SPARSE, of="N_exp") * exact(name=SPARSE, of="w_exp") * 8 / 256
    assert exact(*sets, name=SPARSE, of="W_last") == fixed + routed
    assert exact(name=SPARSE, of="T_in") == 2048
    assert text(*sets, name=SPARSE, of="TTFT").startswith("≈ 30.94 ms")
    assert Fraction(1, 1000) < exact(*sets, name=SPARSE, of="TTFT") - first < Fraction(2, 1000)


GROWS = ("TTFT", "t_prefill", "TTFT_mix", "t_busy", "TTFT_ideal", "TTFT_second", "TTFT_exp",
         "t_comm_pre")  # fmt: skip
SPREAD = (("devices=8",), ("devices=8", "TP=2", "PP=4"), ("devices=8", "TP=2", "PP=2", "DP=2"))


@pytest.mark.parametrize("name", [LAUNCH, SPARSE])
@pytest.mark.parametrize("layout", SPREAD, ids=str)
@pytest.mark.parametrize("more", [(), HIT], ids=str)
def test_a_longer_prompt_never_takes_less(
    name: str, layout: tuple[str, ...], more: tuple[str, ...]
) -> None:
    bound = bind(loaded(name, (*layout, *more, "chunk=2048")))
    with standing_in(bound.variants):
        for lengths in (range(2040, 2061), range(4090, 4101)):
            at = [bound.typical.with_(T_in=Fraction(t)) for t in lengths]
            for of in GROWS:
                try:
                    times = [point.get(of) for point in at]
                except Absent:  # a replica of one group takes TTFT for a prompt
                    assert of == "t_busy"
                    continue
                assert times == sorted(times), of


def test_the_longest_prompt_and_the_fewest_devices_are_searched() -> None:
    for sets in (("chunk=512",), ("devices=8", "TP=2", "PP=4", "chunk=512")):
        bound = bind(loaded(LAUNCH, (*sets, "slo.TTFT=500 ms")))
        with standing_in(bound.variants):
            longest = bound.typical.get("T_in_slo")
            at = [bound.typical.with_(T_in=longest + k).get("TTFT") for k in (0, 1)]
            assert at[0] <= Fraction(1, 2) < at[1]
            fewest = bound.typical.get("g_ttft")
            at = [bound.typical.with_(g=fewest - k).get("TTFT") for k in (0, 1)]
            assert at[0] <= Fraction(1, 2) < at[1]


# --- the second order ----------------------------------------------------------------------------


def test_to_the_second_order_each_pass_is_paced_on_its_own() -> None:
    """2,048 tokens by their operations, one by the weights and the KV that it reads and writes."""
    sets = ("chunk=2048", "T_in=2049")
    full = exact(*sets, of="t_ops_pre") * Fraction(2048, 2049)
    streamed = 139_006_066_688 + 1024 * KAPPA
    rate = Fraction(4 * 3_350 * 10**9)
    assert exact(*sets, of="TTFT_ideal") == full + streamed / rate
    over = exact(*sets, of="t_over_pre")
    assert exact(*sets, of="TTFT_second") == full + (streamed + KAPPA) / rate + over
    assert exact(*sets, of="Q_pre") == 2 * streamed


def test_the_second_order_of_stages_waits_for_full_chunks() -> None:
    """Two turns of 2,048 tokens and one of 452, of 2,500; as much is sent and handed over."""
    sets = ("TP=2", "PP=2", "chunk=2048", "T_in=2500")
    tokens = 2 * 2048 + 452
    assert exact(*sets, of="TTFT_ideal") == exact(*sets, of="t_ops_pre") * Fraction(tokens, 2500)
    assert text(*sets, of="TTFT_ideal").startswith("≈ 161.1 ms")
    ring = 80 * 4 * Fraction(1, 2) * tokens / 2 * 8192 * 2 / Fraction(450 * 10**9)
    assert exact(*sets, of="t_comm_pre") == ring
    assert exact(*sets, of="t_send_pre") == Fraction(2500 * 8192 * 2, 450 * 10**9)
    wide = ("devices=8", "TP=1", "PP=4", "DP=2", *sets[2:])
    assert text(*wide, of="TTFT_ideal").startswith("≈ 306.1 ms")
    assert exact("TP=1", "DP=8", "EP=8", *sets[2:], name=SPARSE, of="t_bubble") > 0


# --- ledgers -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "sets"),
    [(LAUNCH, ("chunk=4096",)), (LAUNCH, ("b=33", "chunk=128", "T_in=2049")),
     (LAUNCH, ("TP=2", "PP=2", "b=64", "chunk=100", *SPEC)),
     (SPARSE, ("b=64", "chunk=48", *HIT))],
    ids=str,
)  # fmt: skip
def test_a_ledger_of_chunks_holds(name: str, sets: tuple[str, ...]) -> None:
    sets = (*sets, *LOAD)
    asked = [name, *(word for one in sets for word in ("--set", one))]
    ledger = study(loaded(name, sets), load.sources(), asked=asked)
    faults, compared = judged(ledger, spec_roots())
    assert [fault.en for fault in faults] == []
    assert compared
    (told,) = [f["text"] for f in ledger["findings"] if f["id"] == "chunked_prefill"]
    few = exact(*sets, name=name, of="b_mix") < exact(*sets, name=name, of="b")
    assert few == ("every step carries a chunk" in told["en"]) == ("每一步都带一块" in told["zh"])
