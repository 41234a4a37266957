"""A draft model on stages, groups and copied KV heads: each group drafts for itself; by hand."""

from __future__ import annotations

from fractions import Fraction

import pytest

from derive.derivation.points import Point
from derive.formula import standing_in
from derive.specs import load
from derive.study import study
from derive.study.bind import bind
from derive.study.drafts import heads

from .test_stages_and_groups import BOTH, MODELS, PAIRS, PLACED, STAGES, holds
from .test_switches import APART, CHUNK, DRAFT, LAUNCH, SPARSE, SPEC, exact, loaded, text

# Llama 3.1 8B drafts four tokens for Llama 3 70B on H100: both in bf16, with their input tables;
# MFU 0.5 of 989.5 TFLOP/s, MBU 0.6 of 3.35 TB/s; 81,559 MiB a device, of which 0.9 are usable
DRAFTS, KAPPA_DRAFT = 8_030_261_248, 131_072
TABLE = 525_336_576
N, KAPPA, RATE = 70_553_706_496, 327_680, Fraction(3_350 * 10**9 * 6, 10)
GROUPS = ("devices=8", "TP=4", "DP=2")
ONE = ("devices=4", "TP=4")
USABLE = Fraction(9, 10) * 81_559 * 2**20


def test_each_group_reads_a_copy_for_its_own_requests() -> None:
    """Nine requests on two groups of four: five of them, 16.06 GB and 1.51 GB, over 8.04 TB/s."""
    sets = (*GROUPS, *DRAFT, "b=9")
    cache = 5 * 2304 * KAPPA_DRAFT
    assert exact(*sets, of="t_draft") == (2 * DRAFTS + cache) / (4 * RATE)
    assert text(*sets, of="t_draft").startswith("≈ 2.185 ms")
    step = (2 * N + 5 * 2304 * KAPPA) / (4 * RATE)
    drafts = 4 * (2 * DRAFTS + cache) / (4 * RATE)
    assert exact(*sets, of="t_round") == step + drafts
    streamed = 2 * (DRAFTS - TABLE) + cache
    assert exact(*sets, of="t_draft_peak") == streamed / Fraction(4 * 3_350 * 10**9)
    assert exact(*sets, of="t_draft_exp") == streamed / (4 * RATE)


def test_operations_of_a_draft_are_those_of_the_fullest_group() -> None:
    """A thousand requests at two tokens of context: 501 of them would be half and one."""
    sets = (*GROUPS, *DRAFT, "b=1001", "T_in=1", "T_out=1")
    operations = Fraction(2 * 501, 4 * 989_500 * 10**9)
    assert exact(*sets, of="t_draft") == operations * DRAFTS * 2
    assert exact(*sets, of="t_draft_peak") == operations * (DRAFTS - TABLE)


def test_the_floor_reads_a_copy_of_the_draft_in_each_group() -> None:
    gain = Fraction("2.7731")
    drafts = 4 * 2 * DRAFTS
    bandwidth = 4 * Fraction(3_350 * 10**9)
    assert exact(*GROUPS, *DRAFT, of="TPOT_floor") == (2 * N + drafts) / bandwidth / gain


def test_the_bytes_of_a_round_count_a_copy_of_the_draft_in_each_group() -> None:
    """Nine requests: two readings of 16.06 GB for each of four drafts; one group where b = 1."""
    for batch, groups in ((9, 2), (1, 1)):
        sets = (*GROUPS, *DRAFT, f"b={batch}")
        drafts = 4 * (groups * 2 * DRAFTS + batch * 2304 * KAPPA_DRAFT)
        laid = groups * 2 * N + batch * 2304 * KAPPA
        assert exact(*sets, of="Q_laid") == laid
        gain = Fraction("2.7731")
        assert exact(*sets, of="bytes_per_token") == (laid + drafts) / (batch * gain)


def test_drafts_are_sent_among_the_devices_of_a_group() -> None:
    """Five tokens of 4,096 × 2 byte, 64 ring all-reduces over four devices, 32 layers launched."""
    sets = (*GROUPS, *DRAFT, "b=9")
    ring = 64 * 2 * Fraction(3, 4) * 5 * 4096 * 2 / (450 * 10**9)
    launches = 32 * Fraction(56, 10**7)
    assert exact(*sets, of="t_draft_over") == launches + ring
    waits = (*sets, "t_hop=10 us")
    assert exact(*waits, of="t_draft_over") == launches + ring + 64 * Fraction(1, 10**5)
    # four stages of one device share the draft model as well: all nine tokens among them
    stages = exact(*STAGES, *DRAFT, "b=9", of="t_draft_over")
    assert stages == launches + ring * 9 / 5


@pytest.mark.parametrize("more", [(), ("t_hop=10 us",), CHUNK], ids=str)
def test_a_request_on_each_group_is_one_on_a_replica_of_that_group(more: tuple[str, ...]) -> None:
    names = ["t_draft", "t_draft_peak", "t_draft_exp", "t_draft_over", "t_round", "TPOT",
             "TPOT_floor", "TPOT_ideal", "TPOT_second", "TPOT_exp"]  # fmt: skip
    for name in names:
        groups = exact(*GROUPS, *DRAFT, *more, "b=2", of=name)
        assert groups == exact(*ONE, *DRAFT, *more, "b=1", of=name), name


def test_each_device_holds_its_part_of_a_copy() -> None:
    """Two groups of two: 70.55 GB of the model and 8.03 GB of the draft fit no 81,559 MiB."""
    assert exact(*PAIRS, *DRAFT, of="M_free") == 4 * (USABLE - N - DRAFTS)
    assert exact(*PAIRS, *DRAFT, of="b_max") == 0
    sets = (*GROUPS, *DRAFT)
    free = USABLE - Fraction(2 * N + 2 * DRAFTS, 4)
    token = Fraction(KAPPA + KAPPA_DRAFT, 4)
    assert exact(*sets, of="M_free") == 8 * free
    assert exact(*sets, of="tokens_max") == 2 * free / token
    assert exact(*sets, of="b_max") == 2 * (free // (2304 * token))
    # the engine reserves 8,192 tokens of both caches for each request
    assert exact(*sets, "T_rsv=8192", of="b_max_reserved") == 2 * (free // (8192 * token))
    held = Fraction(2 * N + 2 * DRAFTS, 4)
    assert exact(*sets, of="g_min") == 2 * -(-held * 4 // USABLE)
    many = (*sets, "b=101")
    assert exact(*many, of="g_fit") == 2 * -(-(held + 51 * 2304 * token) * 4 // USABLE)


def test_heads_are_copied_in_both_caches() -> None:
    """Sixteen devices for eight KV heads of model and draft: two copies of each cache."""
    sets = ("devices=16", *DRAFT)
    held = Fraction(2 * N + 2 * DRAFTS, 16)
    token = Fraction(KAPPA + KAPPA_DRAFT, 8)
    assert exact(*sets, of="kappa_draft_dev") == 16_384
    for name in ("b_max", "b_max_dev"):
        assert exact(*sets, of=name) == (USABLE - held) // (2304 * token)
    assert exact(*sets, "b=64", of="b_max") == 508
    assert exact(*sets, of="tokens_max") == (USABLE - held) / token
    assert exact(*sets, "T_rsv=8192", of="b_max_reserved") == (USABLE - held) // (8192 * token)
    cache = 8 * 2304 * Fraction(KAPPA_DRAFT, 8)
    assert exact(*sets, of="t_draft") == (Fraction(2 * DRAFTS, 16) + cache) / RATE
    streamed = Fraction(2 * (DRAFTS - TABLE), 16) + cache
    assert exact(*sets, of="t_draft_peak") == streamed / Fraction(3_350 * 10**9)
    assert exact(*sets, of="t_draft_exp") == streamed / RATE


def test_a_draft_of_fewer_heads_is_copied_where_the_model_is_not() -> None:
    """Qwen2.5 0.5B has two KV heads: on four devices each keeps one of them, half of its cache."""
    small = (*SPEC, "speculation.draft_model=qwen2.5-0.5b")
    cache = exact(*small, of="kappa_draft")
    assert exact(*small, of="H_draft") == 2
    assert exact(*small, of="kappa_draft_dev") == cache / 2
    held = (2 * N + exact(*small, of="W_draft")) / 4
    fit = (USABLE - held) // (2304 * (Fraction(KAPPA, 4) + cache / 2))
    assert exact(*small, of="b_max") == exact(*small, of="b_max_dev") == fit
    read = exact(*small, of="W_draft") / 4 + 8 * 2304 * cache / 2
    assert exact(*small, of="t_draft") == read / RATE
    # four stages share a draft as well; pairs of devices have a head each
    assert exact(*STAGES, *small, of="kappa_draft_dev") == cache / 2
    assert exact(*PAIRS, *small, of="kappa_draft_dev") == cache / 2
    laid = exact(*STAGES, *small, of="Q_laid") + 4 * (
        exact(*small, of="W_draft") + 8 * 2304 * 2 * cache
    )
    assert exact(*STAGES, *small, of="bytes_per_token") == laid / (8 * Fraction("2.7731"))


def test_which_models_have_heads_to_share() -> None:
    """A latent is whole on every device; the channels of a constant state are split evenly."""
    ((name, latent),) = heads(loaded(SPARSE, ()).model)
    assert name == "H_draft"
    assert latent.base == 1
    assert heads(loaded(LAUNCH, ("model=lfm2-2.6b",)).model) == []


@pytest.mark.parametrize("layout", [STAGES, PAIRS, BOTH, ("devices=16",)], ids=str)
def test_the_memory_of_a_draft_is_never_said_to_be_left_out(layout: tuple[str, ...]) -> None:
    ledger = study(loaded(LAUNCH, (*layout, *DRAFT)), load.sources())
    told = [row["id"] for row in ledger["assumptions"]]
    assert "draft_prefill" in told
    assert "draft_memory" not in told


# --- over every layout


def points(name: str, sets: tuple[str, ...], of: tuple[str, ...]) -> list[dict[str, Fraction]]:
    bound = bind(loaded(name, sets))
    with standing_in(bound.variants):
        at: tuple[Point, ...] = (bound.corners[0], bound.typical, bound.peak)
        return [{one: p.get(one) for one in of} for p in at]


MEMORY = ("M_free", "tokens_max", "b_max", "b_max_reserved")
DEVICES = ("g_min", "g_fit")


@pytest.mark.parametrize(("name", "layout"), PLACED, ids=str)
def test_a_draft_takes_memory_and_time_in_every_layout(name: str, layout: tuple[str, ...]) -> None:
    sets = ("devices=8", *layout)
    asked = (*MEMORY, *DEVICES, "b_max_dev", "t_step_eff")
    for batch in ("b=1", "b=13"):
        with_draft = points(name, (*sets, *DRAFT, batch), (*asked, "t_round", "t_draft"))
        without = points(name, (*sets, *SPEC, batch), asked)
        for drafted, plain in zip(with_draft, without, strict=True):
            assert all(drafted[one] < plain[one] for one in MEMORY[:2] if plain[one] > 0)
            assert all(drafted[one] <= plain[one] for one in MEMORY)
            assert all(drafted[one] >= plain[one] for one in DEVICES)
            assert drafted["t_round"] == drafted["t_step_eff"] + 4 * drafted["t_draft"]
            assert drafted["t_step_eff"] == plain["t_step_eff"]
            if layout:
                assert drafted["b_max"] == drafted["b_max_dev"]


@pytest.mark.parametrize("name", MODELS)
def test_more_groups_never_draft_faster(name: str) -> None:
    times = []
    for groups in (1, 2, 4, 8):
        sets = ("devices=8", f"DP={groups}", *DRAFT, "b=16")
        (_, typical, _) = points(name, sets, ("t_draft",))
        times.append(typical["t_draft"])
    assert times == sorted(times)
    assert times[0] < times[-1]


@pytest.mark.parametrize(
    "sets",
    [BOTH, (*PAIRS, *CHUNK), (*GROUPS, "b=9"), (*PAIRS, *APART), ("devices=16",)],
    ids=str,
)
def test_a_ledger_of_drafts_in_a_layout_holds(sets: tuple[str, ...]) -> None:
    holds(LAUNCH, (*sets, *DRAFT))


def test_a_ledger_of_a_draft_of_fewer_heads_holds() -> None:
    holds(LAUNCH, (*SPEC, "speculation.draft_model=qwen2.5-0.5b"))


def test_a_ledger_of_drafts_beside_spread_experts_holds() -> None:
    holds(SPARSE, ("TP=1", "DP=8", "EP=8", *DRAFT))
