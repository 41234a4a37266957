"""Replicas of several stages or groups: figures by hand, and what no layout may break."""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from derive.derivation.points import Absent, Undefined
from derive.formula import standing_in
from derive.specs import load
from derive.specs.lookup import spec_roots
from derive.study import study
from derive.study.bind import bind
from derive.verify.judge import judged

from .test_switches import APART, CHUNK, DRAFT, HIT, LAUNCH, SPARSE, SPEC, exact, loaded, text

# Llama 3 70B on H100: 70,553,706,496 parameters of 2 byte, 2,048 tokens in; MFU 0.5 of 989.5
# TFLOP/s and MBU 0.6 of 3.35 TB/s on each device; 327,680 byte of KV a token
N, KAPPA = 70_553_706_496, 327_680
PEAK, RATE = Fraction(989_500 * 10**9), Fraction(3_350 * 10**9)
PROMPT = 2 * N * 2048 / PEAK  # of one device at peak
STAGES, PAIRS = ("TP=1", "PP=4"), ("TP=2", "DP=2")
BOTH = ("devices=8", "TP=2", "PP=2", "DP=2")


def test_a_prompt_passes_the_stages_one_after_another() -> None:
    """584 ms on one device at a time, and the target of 500 ms is missed."""
    assert exact(*STAGES, of="TTFT") == 2 * PROMPT
    assert text(*STAGES, of="TTFT").startswith("≈ 584.1 ms")
    assert exact(*STAGES, of="t_prefill") == PROMPT
    assert exact(*STAGES, of="margin_TTFT") == 1 - 4 * PROMPT
    assert exact(*STAGES, of="T_in_slo") == PEAK / 2 // 2 // (2 * N) == 1753
    assert exact(*STAGES, of="g_ttft") == 5  # 4 × 584 / 500
    assert exact(*STAGES, of="TTFT_one") == 2 * N / (RATE * 6 / 10)


def test_groups_do_not_help_each_other() -> None:
    assert exact(*PAIRS, of="TTFT") == PROMPT
    assert text(*PAIRS, of="TTFT").startswith("≈ 292.1 ms")
    assert text("devices=8", "TP=4", "DP=2", of="share_comm_prefill").startswith("≈ 0.2451")


@pytest.mark.parametrize("layout", [STAGES, PAIRS, ("TP=2", "PP=2")], ids=str)
def test_what_a_prompt_takes_of_the_replica_is_as_before(layout: tuple[str, ...]) -> None:
    """All devices are at work while there are prompts for them."""
    assert exact(*layout, of="t_busy") == exact(of="TTFT")
    assert exact(*layout, of="cost_in") == exact(of="cost_in")
    for name in ("cost_token", "energy_token"):
        decode = exact(*layout, of="TPOT") - exact(of="TPOT")  # copies and stages slow decode
        share = decode * 255 / 8 / 256
        each = {"cost_token": Fraction(exact(of="cost_in") * 2048) / exact(of="TTFT"),
                "energy_token": Fraction(4 * 700)}[name]  # fmt: skip
        assert exact(*layout, of=name) - exact(of=name) == share * each


def test_a_burst_fills_the_stages() -> None:
    """Eight prompts: 8 + 3 turns of four stages; 4 turns of two groups."""
    assert exact(*STAGES, of="TTFT_burst") == 11 * PROMPT / 2
    assert exact(*PAIRS, of="TTFT_burst") == 4 * PROMPT
    assert exact(*BOTH, of="TTFT_burst") == 5 * PROMPT / 2  # 4 + 1 turns of half a TTFT


def test_each_group_is_a_server_of_its_own() -> None:
    """M/D/1: busy for TTFT / PP, and half a micro-batch of decode that stands in the way."""
    for layout, pp, dp in ((STAGES, 4, 1), (PAIRS, 1, 2)):
        sets = (*layout, "arrival=4 request/s")
        replicas = exact(*sets, of="replicas")
        service = exact(*layout, of="TTFT") / pp
        busy = 4 / (replicas * dp) * service
        wait = busy * service / (2 * (1 - busy)) + exact(*layout, of="t_step_eff") / pp / 2
        assert exact(*sets, of="t_queue") == wait
        assert exact(*sets, of="share_prefill") == busy


def test_a_step_reads_every_stage_and_every_copy() -> None:
    assert text("devices=8", "TP=4", "DP=2", of="R_max").startswith("≈ 94.96 token/s")
    assert text(*STAGES, of="R_max").startswith("≈ 23.74 token/s")
    assert exact(*STAGES, of="TPOT_floor") == 2 * N / RATE
    gain = Fraction("2.7731")
    assert exact(*STAGES, *SPEC, of="TPOT_floor") == 2 * N / RATE / gain
    draft = 4 * 2 * 8_030_261_248 / (4 * RATE)
    assert exact(*STAGES, *DRAFT, of="TPOT_floor") == (2 * N / RATE + draft) / gain


@pytest.mark.parametrize(("layout", "times"), [(STAGES, 4), (PAIRS, 2)])
def test_the_bytes_of_a_step_count_the_weights_as_often_as_they_are_read(
    layout: tuple[str, ...], times: int
) -> None:
    """8 requests at 2,304 tokens: stages read for each micro-batch, groups their own copy."""
    kv = 8 * 2304 * KAPPA
    assert exact(*layout, of="Q_laid") == times * 2 * N + kv
    assert exact(*layout, of="I_decode") == Fraction(8 * 2 * N, times * 2 * N + kv)
    assert exact(*layout, of="bytes_per_token") == Fraction(times * 2 * N + kv, 8)
    assert exact(*layout, of="Q_step") == 2 * N + kv


def test_the_second_order_of_two_stages_by_hand() -> None:
    """Two turns of 72.2 ms, all 160 all-reduces of one prompt, 80 launches, one hand-over."""
    layout = ("TP=2", "PP=2")
    ring = 80 * 4 * Fraction(1, 2) * 2048 * 8192 * 2 / Fraction(450 * 10**9)
    send = Fraction(2048 * 8192 * 2, 450 * 10**9)
    assert text(*layout, of="t_comm_pre").startswith("≈ 11.93 ms")
    assert exact(*layout, of="t_comm_pre") == ring
    assert exact(*layout, of="t_send_pre") == send
    made = 2 * exact(of="t_ops_pre") + ring + send + exact(of="t_launch_pre")
    assert exact(*layout, of="TTFT_second") == made
    assert text(*layout, of="TTFT_second").startswith("≈ 156.9 ms")
    # four prompts: five turns of half a prompt's layers each
    four = (*layout, "b_pre=4")
    assert exact(*four, of="t_comm_pre") == ring * 5 / 2
    assert exact(*four, of="t_send_pre") == send * 4
    assert exact(*four, of="TTFT_ideal") == 5 * exact(of="t_ops_pre")
    # the all-reduces of the first order's share are the same
    assert exact(*layout, of="share_comm_prefill") == ring / exact(*layout, of="t_prefill")


def test_experts_of_idle_groups_compute() -> None:
    """DeepSeek-V3, TP 1, DP 8, EP 8: routed experts over eight ranks, the rest on one."""
    sets = ("TP=1", "DP=8", "EP=8")
    scenario = bind(loaded(SPARSE, sets))
    given = {n: i.quantity.base for n, i in scenario.inputs.items()}
    given["w_fix"] = exact(*sets, name=SPARSE, of="w_fix")
    routed = 2 * given["N_exp"] * given["k_exp"] / given["E"]
    every = exact(*sets, name=SPARSE, of="F_tok")
    hit = exact(*sets, name=SPARSE, of="W_prefill") - given["N_fix"] * given["w_fix"]
    operations = ((every - routed) + routed / 8) * given["T_in"] / given["P_peak"]
    read = (given["N_fix"] * given["w_fix"] + hit / 8) / given["B_peak"]
    assert exact(*sets, name=SPARSE, of="t_prefill") == max(operations, read)
    whole = every * given["T_in"] / (8 * given["P_peak"])
    # beside each other no more than all devices together can do
    peak = scenario.peak
    with standing_in(scenario.variants):
        rest = given["N_fix"] * given["w_fix"]  # of each group, the experts for all eight
        shared = given["N_exp"] * peak.get("w_exp") / 8  # 16,384 tokens miss none of 256
        assert (
            0
            <= 1 - peak.get("t_busy") / max(whole, (rest + shared) / (8 * given["B_peak"]))
            < Fraction(1, 10**12)
        )
        assert peak.get("t_busy") <= peak.get("TTFT") <= 8 * peak.get("t_busy")


def test_the_prefill_pool_has_a_queue() -> None:
    """4.5 request/s of 146 ms each on one replica of prefill: 65.7 % busy, M/D/1."""
    sets = (*APART, "arrival=4.5 request/s")
    turn = PROMPT / 2
    busy = Fraction(9, 2) * turn
    assert exact(*sets, of="replicas_pre") == 1
    assert exact(*sets, of="share_pool") == busy
    assert exact(*sets, of="t_queue") == busy * turn / (2 * (1 - busy))
    assert text(*sets, of="t_queue").startswith("≈ 139.9 ms")
    assert text(*sets, of="TTFT_queue").startswith("≈ 299.4 ms")
    ledger = study(loaded(LAUNCH, sets), load.sources())
    (told,) = [f["text"]["en"] for f in ledger["findings"] if f["id"] == "ttft_queue"]
    assert "replicas of prefill" in told
    assert "65.7" in told


def test_chunks_follow_each_other_through_the_stages() -> None:
    """Four chunks on four stages: seven turns of a quarter of a chunk's operations."""
    assert exact(*STAGES, *CHUNK, of="TTFT") == 2 * PROMPT * 7 / 16
    assert exact(*PAIRS, *CHUNK, of="TTFT") == PROMPT
    assert exact(*STAGES, *CHUNK, of="t_busy") == PROMPT / 2


def test_a_mixed_step_reads_what_a_step_of_decode_reads() -> None:
    """Chunks of 64: the KV of the prompt so far, 62 of 64 halves of 2,048 tokens on average."""
    small = ("chunk=64",)
    step = exact(*STAGES, of="t_step_eff") * RATE * 6 / 10
    seen = Fraction(31 * 64, 2) * KAPPA / 4  # a quarter of the layers on each device
    assert exact(*STAGES, *small, of="t_mix") == (step + 4 * seen) / (RATE * 6 / 10)
    assert exact(*PAIRS, *CHUNK, of="F_mix") == 2 * N * (8 + 2 * 512)
    two = 4 * (exact(*PAIRS, *CHUNK, of="t_mix") - exact(*PAIRS, of="t_step_eff")) / 2
    assert exact(*PAIRS, *CHUNK, of="t_add") == two


def test_every_micro_batch_carries_a_chunk() -> None:
    """Two stages of two: two turns of 4 + 512 tokens a step, 4 + 1 turns to a first token."""
    layout = ("TP=2", "PP=2", *CHUNK)
    turn = 2 * N * 516 / (4 * PEAK / 2)
    assert exact(*layout, of="t_mix") == 2 * turn
    assert text(*layout, of="TPOT_mix").startswith("≈ 73.58 ms/token")
    assert exact(*layout, of="TTFT_mix") == 5 * turn
    added = 4 * (2 * turn - exact("TP=2", "PP=2", of="t_step_eff"))
    assert exact(*layout, of="t_add") == added / 2
    whole = ("TP=2", "PP=2", "chunk=2048")
    assert exact(*whole, of="TTFT_mix") == 2 * N * 2052 / PEAK
    assert text(*whole, of="TTFT_mix").startswith("≈ 292.6 ms")
    assert text(*whole, of="TTFT").startswith("≈ 292.1 ms")
    speculated = (*layout, *SPEC)  # 5 tokens of each of 4 requests are verified
    assert exact(*speculated, of="TTFT_mix") == 5 * 2 * N * 532 / (4 * PEAK / 2)


# --- whole requests


def test_a_group_is_never_served_a_part_of_a_request() -> None:
    """One request at 100,000 tokens on two of four H200: as on two alone, 30.19 ms."""
    sets = ("hardware=nvidia-h200-sxm-141gb", "T_in=99900", "T_out=100", "b=1")
    step = (2 * N + 100_000 * KAPPA) / Fraction(2 * 4_800 * 10**9 * 6, 10)
    assert exact(*sets, *PAIRS, of="TPOT") == step == exact(*sets, "devices=2", of="TPOT")
    assert text(*sets, *PAIRS, of="TPOT").startswith("≈ 30.19 ms")


@pytest.mark.parametrize(
    ("layout", "batch", "fullest", "shown"),
    [(STAGES, 1, 1, "≈ 70.58"), (("TP=2", "PP=2"), 3, 2, "≈ 35.48"), (PAIRS, 3, 2, "≈ 35.48"),
     (("devices=16", "TP=4", "PP=2", "DP=2"), 5, 2, "≈ 17.74")],
    ids=str,
)  # fmt: skip
def test_the_fullest_micro_batch_paces(
    layout: tuple[str, ...], batch: int, fullest: int, shown: str
) -> None:
    """Every stage reads its weights and the KV of whole requests, one micro-batch after another."""
    sets = (*layout, f"b={batch}")
    shared, stages = exact(*layout, of="TP"), exact(*layout, of="PP")
    read = 2 * N + stages * fullest * 2304 * KAPPA / stages
    assert exact(*sets, of="t_step_eff") == read / (shared * RATE * 6 / 10)
    assert text(*sets, of="TPOT").startswith(shown)
    groups = exact(*layout, of="DP")
    passes = min(Fraction(batch), stages * groups)
    assert exact(*sets, of="Q_laid") == passes * 2 * N + batch * 2304 * KAPPA


def test_requests_that_part_evenly_count_as_before() -> None:
    """A layout with full micro-batches is the same as its parts side by side."""
    for name, times in (("t_step_eff", 1), ("TPOT_ideal", 1), ("t_ops", 1), ("t_ring", 1)):
        two = exact("devices=8", "TP=4", "DP=2", "b=16", of=name)
        assert two == times * exact("devices=4", "b=8", of=name)
    for name in ("t_ring", "t_ops", "KV_dev", "Q_more_dev"):
        seven = exact("devices=8", "TP=4", "DP=2", "b=15", of=name)
        assert seven == exact("devices=8", "TP=4", "DP=2", "b=16", of=name)


def test_the_bytes_of_a_step_with_experts_spread_over_groups() -> None:
    """One request on eight groups: one reads the other weights, all read the experts it hits."""
    sets = ("TP=1", "DP=8", "EP=8", "b=1")
    hit = exact(*sets, name=SPARSE, of="W_hit")
    rest = exact(*sets, name=SPARSE, of="W_read_dev") - hit / 8
    kv = exact(*sets, name=SPARSE, of="KV_read")
    assert exact(*sets, name=SPARSE, of="Q_laid") == rest + hit + kv


# --- over every pair of switch and layout

MODELS = (LAUNCH, SPARSE, "gemma-2-9b-on-1x-l40s")
LAYOUTS = ((), ("PP=2",), ("DP=2",), ("PP=2", "DP=2"), ("DP=8",), ("DP=8", "EP=8"),
           ("EP=4",), ("PP=8",), ("DP=4", "EP=2"))  # fmt: skip
ON = {"spec": SPEC, "draft": DRAFT, "hit": HIT, "chunk": CHUNK, "small": ("chunk=64",),
      "apart": APART}  # fmt: skip
APART_FROM = ({"chunk", "small"}, {"chunk", "apart"}, {"small", "apart"}, {"spec", "draft"})
SWITCHED = [(a, b) for a, b in combinations(("", *ON), 2) if {a, b} not in APART_FROM]
NEVER_BELOW = (
    "t_add", "share_prefill", "share_pool", "replicas", "cost_token", "cost_in", "cost_out",
    "cost_fleet", "energy_token", "t_queue", "TTFT", "TTFT_burst", "TTFT_mix", "t_bubble",
    "t_over_pre", "t_send_pre", "t_busy",
)  # fmt: skip
ORDERS = ("t_mix", "t_step_eff", "t_prefill", "TTFT_ideal", "TTFT_second", "TTFT_exp")


def settings(name: str, layout: tuple[str, ...], pair: tuple[str, ...]) -> tuple[str, ...]:
    switched = tuple(s for one in pair if one for s in ON[one])
    return ("devices=8", "arrival=2 request/s", *layout, *switched)


# only a model with experts spreads them
PLACED = [(m, p) for m in MODELS for p in LAYOUTS if m == SPARSE or "EP" not in str(p)]


@pytest.mark.parametrize(("name", "layout"), PLACED, ids=str)
def test_no_pair_of_switches_turns_a_time_or_a_share_round(
    name: str, layout: tuple[str, ...]
) -> None:
    """Nothing is negative, no mixed step shorter than one of decode, no order below the first."""
    for pair in SWITCHED:
        bound = bind(loaded(name, settings(name, layout, pair)))
        with standing_in(bound.variants):
            for point in (bound.corners[0], bound.typical, bound.peak):
                found = {}
                for of in (*NEVER_BELOW, *ORDERS):
                    try:
                        found[of] = point.get(of)
                    except (Absent, Undefined):
                        continue
                assert {"TTFT", "t_step_eff", "replicas"} <= found.keys()
                low = {of: v for of, v in found.items() if v < 0}
                assert not low, (pair, low)
                assert found.get("t_mix", found["t_step_eff"]) >= found["t_step_eff"], pair
                assert found["t_prefill"] <= found["TTFT"], pair
                assert found.get("TTFT_mix", found["TTFT"]) >= found["TTFT"], pair
                if "TTFT_second" in found:
                    assert found["TTFT_ideal"] <= found["TTFT_second"] <= found["TTFT_exp"], pair
                if "t_busy" in found:
                    several = point.get("PP") * point.get("DP")
                    assert found["t_busy"] <= found["TTFT"] <= several * found["t_busy"], pair
                    assert found["TTFT"] <= found["TTFT_burst"], pair


@pytest.mark.parametrize("name", MODELS)
def test_more_stages_or_groups_never_bring_a_first_token_forward(name: str) -> None:
    for kind in ("PP", "DP"):
        times = []
        for size in (1, 2, 4, 8):
            bound = bind(loaded(name, ("devices=8", f"{kind}={size}")))
            with standing_in(bound.variants):
                times.append(bound.typical.get("TTFT"))
        assert times == sorted(times)
        assert times[0] < times[-1]


def holds(name: str, sets: tuple[str, ...]) -> dict[str, Any]:
    """A ledger that verification finds nothing wrong with."""
    asked = [name, *(word for one in sets for word in ("--set", one))]
    ledger = study(loaded(name, sets), load.sources(), asked=asked)
    faults, compared = judged(ledger, spec_roots())
    assert [fault.en for fault in faults] == []
    assert compared
    return ledger


@pytest.mark.parametrize(
    "sets",
    [STAGES, PAIRS, BOTH, (*BOTH, *CHUNK), (*BOTH, *HIT), (*STAGES, *DRAFT), (*APART, *PAIRS)],
    ids=str,
)
def test_a_ledger_of_a_layout_holds(sets: tuple[str, ...]) -> None:
    holds(LAUNCH, sets)


@pytest.mark.parametrize(
    "sets",
    [("TP=1", "DP=8", "EP=8"), ("PP=2", "chunk=64"), ("TP=2", "DP=4", "EP=8", *HIT)],
    ids=str,
)
def test_a_ledger_of_spread_experts_holds(sets: tuple[str, ...]) -> None:
    holds(SPARSE, sets)


# --- what a model is not made for


def test_a_longest_prompt_beyond_the_context_is_told() -> None:
    """Eight times the devices allow a prompt that the model has no context for."""
    sets = ("devices=32", "slo.TTFT=800 ms")
    ledger = holds(LAUNCH, sets)
    assert exact(*sets, of="T_in_slo") > 8192
    (told,) = [f["text"]["en"] for f in ledger["findings"] if f["id"] == "prompt_beyond_context"]
    assert "8,192 token/request" in told
    found = study(loaded(LAUNCH, ()), load.sources())["findings"]
    assert "prompt_beyond_context" not in [f["id"] for f in found]


@pytest.fixture(name="spread")
def _spread(tmp_path: Path) -> str:
    here = next(f for r in spec_roots() if (f := r / "scenarios" / f"{LAUNCH}.yaml").is_file())
    text = here.read_text(encoding="utf-8")
    lengths = "{p50: 512, p90: 4096, p99: 16384}"
    made = re.sub(r"^(\s+)input: .*$", rf"\1input: {lengths}", text, count=1, flags=re.MULTILINE)
    assert made != text
    path = tmp_path / "spread.yaml"
    path.write_text(made, encoding="utf-8")
    return str(path)


def test_the_largest_quantile_carries_the_memory_of_the_cover(spread: str) -> None:
    ledger = study(load.scenario(spread), load.sources(), asked=[spread])
    faults, _ = judged(ledger, spec_roots())
    assert [fault.en for fault in faults] == []
    (tile,) = [t for t in ledger["verdict"]["tiles"] if t["id"] == "b_max"]
    results = ledger["results"]
    assert tile["value"] == results["b_max_tail"]["display"]["en"]
    notes = [n["en"] for n in tile["notes"]]
    assert "memory limit with every request at the highest quantile" in notes
    assert any(n.endswith("at the mean length") for n in notes)
    (told,) = [f["text"]["en"] for f in ledger["findings"] if f["id"] == "beyond_context"]
    assert "At the highest quantiles" in told


# --- the wall of a layout


@pytest.mark.parametrize(("layout", "times"), [(STAGES, 4), (PAIRS, 2), (BOTH, 4)], ids=str)
def test_the_critical_batch_counts_what_each_micro_batch_reads(
    layout: tuple[str, ...], times: int
) -> None:
    """295.4 requests for one copy of the model: as many again for every micro-batch."""
    ridge = PEAK / RATE
    assert exact(*layout, of="b_crit") == times * ridge == times * exact(of="b_crit")
    short = ("T_in=64", "T_out=64")  # before the KV wall
    for name in ("b_crit_T", "b_crit_att"):
        assert exact(*layout, *short, of=name) == times * exact(*short, of=name) > times * ridge
    for name in ("T_wall", "I_decode_inf", "I_wall_att", "I_decode_1", "I_prefill"):
        assert exact(*layout, of=name) == exact(of=name)
        assert exact(*layout, of=name) > 0


def test_the_verdict_is_that_of_the_layout() -> None:
    """400 short requests: past the ridge on one stage of four devices, far below it on four."""
    short = ("b=400", "T_in=64", "T_out=64")
    for layout, side in (((), "compute"), (STAGES, "memory")):
        ledger = holds(LAUNCH, (*short, *layout))
        assert ledger["verdict"]["side"] == side
        point = bind(loaded(LAUNCH, (*short, *layout)))
        with standing_in(point.variants):
            here = point.peak
            made = here.get("F_step") / (here.get("g") * here.get("P_peak"))
            assert (made == here.get("t_step")) is (side == "compute")


def test_copies_of_a_latent_lower_the_wall() -> None:
    """Under TP 8 every device reads the whole latent, in data-parallel attention its own."""
    alone = exact("TP=1", "DP=8", "EP=8", name=SPARSE, of="I_decode_inf")
    shared = exact("TP=8", name=SPARSE, of="I_decode_inf")
    assert shared == alone / 8


def test_a_pool_that_only_decodes_keeps_its_layout() -> None:
    """Two stages of two: a token passes both, wherever its prompt was prefilled."""
    pool = ("TP=2", "PP=2", *APART)
    assert exact(*pool, of="TPOT_floor") == N / RATE == exact("TP=2", "PP=2", of="TPOT_floor")
    assert exact(*pool, *SPEC, of="TPOT_floor") == N / RATE / Fraction("2.7731")


@pytest.mark.parametrize(("layout", "least"), [(("devices=8", "PP=8"), 24), (STAGES, 12)])
def test_the_devices_for_both_targets_are_whole_stages(layout: tuple[str, ...], least: int) -> None:
    assert exact(*layout, of="g_slo") == least
    assert exact(*layout, of="g_slo") >= exact(*layout, of="g_tpot")
    ledger = holds(LAUNCH, layout)
    (told,) = [f["text"]["en"] for f in ledger["findings"] if f["id"] == "devices_for_targets"]
    stages = exact(*layout, of="PP")
    # three devices a stage do not divide 64 query heads, four do
    assert f"{least} devices in this layout do not share the 64 query heads evenly" in told
    assert f"the next number that does is {4 * stages} devices" in told


def test_launches_are_held_against_the_round() -> None:
    share = exact("TP=2", "PP=2", *SPEC, of="share_launch")
    launch = 80 * Fraction(56, 10**7)
    assert share == launch / (exact("TP=2", "PP=2", *SPEC, of="TPOT_ideal") * Fraction("2.7731"))


def test_devices_for_a_target_are_searched_where_copies_do_not_shrink() -> None:
    """600 requests behind 8 KV heads: past 8 devices each reads the same of them."""
    shared = ("devices=16", "TP=16", "b=600", *DRAFT, "target_TPOT=9 ms/token")
    bound = bind(loaded(LAUNCH, shared))
    with standing_in(bound.variants), pytest.raises(Undefined, match="not even"):
        bound.typical.get("g_tpot")


def test_a_replica_has_a_device_for_each_rank_of_experts() -> None:
    spread = (
        "devices=8",
        "TP=2",
        "DP=4",
        "EP=8",
        "b=8",
        "target_TTFT=5 s",
        "target_TPOT=1 s/token",
    )
    bound = bind(loaded(SPARSE, spread))
    with standing_in(bound.variants):
        here = bound.typical
        assert max(here.get(n) for n in ("g_ttft", "g_tpot")) < 8 <= here.get("g_slo")
        assert here.get("g_slo") % 4 == 0
