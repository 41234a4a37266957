"""Switches of a scenario: off they change nothing; on they follow figures made by hand."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import TYPE_CHECKING

import pytest

from derive.derivation.points import Absent, Point, Undefined
from derive.errors import DeriveError
from derive.formula import VARIANTS, catalogue, standing_in
from derive.notation import SYMBOLS
from derive.specs import load
from derive.specs.lookup import spec_roots
from derive.study import study
from derive.study.bind import bind
from derive.study.values import values
from derive.switches import by_switches
from derive.verify.judge import judged

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from derive.specs.types import Scenario

LAUNCH, SPARSE = "llama-3-70b-on-4x-h100", "deepseek-v3-on-8x-h200"
SPEC = ("speculation.draft=4", "speculation.acceptance=0.7")
DRAFT = (*SPEC, "speculation.draft_model=llama-3.1-8b")
HIT, CHUNK = ("prefix_cache.hit=0.5",), ("chunk=512",)
APART = ("disaggregation.prefill_devices=4", "disaggregation.link=50 GB/s")
ROOMY = ("disaggregation.prefill_devices=8", "disaggregation.link=50 GB/s")
SWITCHES = {
    "speculation": SPEC,
    "draft model": DRAFT,
    "draft by parameters": (*SPEC, "N_draft=1.2 Gparam", "speculation.weights=fp8"),
    "prefix cache": HIT,
    "chunks": CHUNK,
    "disaggregation": APART,
    "prefix cache and chunks": (*HIT, *CHUNK),
    "prefix cache and disaggregation": (*HIT, *APART),
    "all that mix": (*DRAFT, *HIT, *CHUNK),
    "all that part": (*DRAFT, *HIT, *APART),
}


def loaded(name: str, sets: Iterable[str]) -> Scenario:
    symbols = {i: s.unit.text for i, s in SYMBOLS.items()}
    symbols |= {i: f.unit.text for i, f in catalogue().items()}
    return load.scenario(name, sets=tuple(sets), symbols=symbols)


def exact(*sets: str, name: str = LAUNCH, of: str) -> Fraction:
    return Fraction(values(loaded(name, sets), (of,))[of]["exact"])


def text(*sets: str, name: str = LAUNCH, of: str) -> str:
    return values(loaded(name, sets), (of,))[of]["display"]["en"]


# --- figures by hand ----------------------------------------------------------------------------
# Llama 3 70B on four H100: 70,553,706,496 parameters of 2 byte, 327,680 byte of KV a token, b = 8,
# T_in = 2048, T = 2304; MFU 0.5 of 989.5 TFLOP/s and MBU 0.6 of 3.35 TB/s on each of four devices

N, KAPPA = 70_553_706_496, 327_680
OPS, RATE = Fraction(4 * 989_500_000_000_000, 2), Fraction(4 * 3_350_000_000_000 * 6, 10)
STEP = (2 * N + 8 * 2304 * KAPPA) / RATE


def test_a_round_of_speculation() -> None:
    """1 + 0.7 + 0.49 + 0.343 + 0.2401 tokens for one reading of the weights."""
    assert exact(*SPEC, of="n") == 5
    assert exact(*SPEC, of="n_gain") == Fraction("2.7731")
    assert exact(*SPEC, of="TPOT") == STEP / Fraction("2.7731")
    assert text(*SPEC, of="TPOT").startswith("≈ 6.600 ms/token")
    assert exact(*SPEC, of="TPOT_plain") == STEP
    assert exact(*SPEC, of="gain_spec") == Fraction("2.7731")
    assert exact(*SPEC, of="X") == 8 * Fraction("2.7731") / STEP


def test_a_draft_model_takes_time_and_memory() -> None:
    """8,030,261,248 parameters of 2 byte and 131,072 byte of KV, four times a round."""
    draft = (2 * 8_030_261_248 + 8 * 2304 * 131_072) / RATE
    assert exact(*DRAFT, of="kappa_draft") == 131_072
    assert exact(*DRAFT, of="TPOT") == (STEP + 4 * draft) / Fraction("2.7731")
    free = exact(of="M_free")
    assert exact(*DRAFT, of="M_free") == free - 2 * 8_030_261_248
    assert exact(*DRAFT, of="b_max") == (free - 2 * 8_030_261_248) // (2304 * (KAPPA + 131_072))


def test_the_batch_at_which_speculation_stops_paying() -> None:
    """Verification on the compute side meets plain decoding on the memory side, worked by hand."""
    each = 5 * 2 * N / OPS - Fraction("2.7731") * 2304 * KAPPA / RATE
    meeting = Fraction("2.7731") * 2 * N / RATE / each
    assert 506 < meeting < 507
    assert exact(*SPEC, of="b_spec") == 507
    here, variants = point(*SPEC)
    with standing_in(variants):
        gains = [here.with_(b=Fraction(b)).get("gain_spec") for b in (506, 507)]
    assert gains[0] > 1 >= gains[1]


def test_past_the_kv_wall_speculation_pays_at_every_batch() -> None:
    scenario = loaded(LAUNCH, (*SPEC, "T=20000", "devices=8"))
    assert values(scenario, ("b_spec",))["b_spec"]["value"] is None
    ledger = study(scenario, load.sources())
    (told,) = [f["text"]["en"] for f in ledger["findings"] if f["id"] == "speculation"]
    assert told.endswith("It pays at every batch.")


def test_verification_reads_the_experts_of_all_its_tokens() -> None:
    plain, verified = exact(name=SPARSE, of="E_hit"), exact(*SPEC, name=SPARSE, of="E_hit")
    missed = Fraction(248, 256)
    assert plain == 256 * (1 - missed**64)
    assert verified == 256 * (1 - missed ** (5 * 64))


def test_a_prefix_that_is_found_is_read_and_not_computed() -> None:
    assert exact(*HIT, of="T_new") == 1024
    assert exact(*HIT, of="KV_hit") == 1024 * KAPPA
    assert exact(*HIT, of="TTFT") == 2 * N * 1024 / OPS
    assert text(*HIT, of="TTFT").startswith("≈ 73.01 ms")
    # new tokens see 1024 of the prefix and half of 1024 new ones, against half of 2048
    assert exact(*HIT, of="share_att_new") == exact(of="share_att_prefill") * Fraction(3, 2)


def test_a_long_prefix_leaves_the_memory_side() -> None:
    """One token is left to compute: the weights and the KV of the others are read."""
    sets = ("prefix_cache.hit=1",)
    assert exact(*sets, of="T_new") == 1
    assert exact(*sets, of="TTFT") == (2 * N + 2047 * KAPPA) / RATE


def test_a_step_that_carries_a_chunk() -> None:
    """8 + 512 tokens are computed, four times; 0, 512, 1024, 1536 tokens of KV are read again."""
    assert exact(*CHUNK, of="N_pass") == 4
    assert exact(*CHUNK, of="KV_seen") == 768 * KAPPA
    mixed = 2 * N * 520 / OPS
    assert exact(*CHUNK, of="t_mix") == exact(*CHUNK, of="TPOT_mix") == mixed
    assert exact(*CHUNK, of="TTFT_mix") == 4 * mixed
    assert exact(*CHUNK, of="t_add") == 4 * (mixed - STEP)
    assert exact(*CHUNK, of="TPOT") == STEP
    # 25 ms/token: 25 ms of operations are 350.6 tokens, 8 of which decode
    assert exact(*CHUNK, of="T_chunk_slo") == 25 * OPS / 1000 // (2 * N) - 8


def test_the_cache_goes_over_the_link() -> None:
    """2048 tokens of 327,680 byte at 50 GB/s."""
    assert exact(*APART, of="KV_move") == 671_088_640
    assert exact(*APART, of="t_move") == Fraction("0.0134217728")
    fill = 2 * N * 2048 / OPS
    assert exact(*APART, of="TTFT") == fill + Fraction("0.0134217728")
    assert exact(*APART, of="B_need") == 671_088_640 / fill
    assert exact(*APART, of="share_prefill") == 0
    slow = ("disaggregation.prefill_devices=4", "disaggregation.link=1 GB/s")
    assert exact(*slow, of="t_turn") == Fraction("0.67108864")
    # 2 request/s × 0.671 s over 0.7
    assert exact(*slow, of="replicas_pre") == 2
    assert exact(*slow, of="g_fleet") == exact(*slow, of="replicas") * 4 + 2 * 4


# --- what must hold everywhere -------------------------------------------------------------------


def point(*sets: str, name: str = LAUNCH) -> tuple[Point, tuple[str, ...]]:
    bound = bind(loaded(name, sets))
    return bound.typical, bound.variants


@pytest.mark.parametrize("name", [LAUNCH, SPARSE])
def test_acceptance_of_nothing_is_plain_decoding_that_pays_for_its_drafts(name: str) -> None:
    here, variants = point(*DRAFT, name=name)
    with standing_in(variants):
        none = here.with_(alpha=Fraction(0))
        assert none.get("n_gain") == 1
        assert none.get("TPOT") == none.get("t_step_eff") + 4 * none.get("t_draft")
        assert none.get("gain_spec") < 1


@pytest.mark.parametrize("name", [LAUNCH, SPARSE])
def test_no_drafts_are_no_speculation(name: str) -> None:
    plain, _ = point(name=name)
    here, variants = point(*DRAFT, name=name)
    with standing_in(variants):
        none = here.with_(k_draft=Fraction(0), n=Fraction(1))
        found = {i: none.get(i) for i in ("TPOT", "X", "TPOT_floor", "TPOT_ideal", "E2E")}
    _, usual = point(name=name)
    with standing_in(usual):
        assert found == {i: plain.get(i) for i in found}


@pytest.mark.parametrize("name", [LAUNCH, SPARSE])
def test_more_acceptance_never_slows(name: str) -> None:
    here, variants = point(*DRAFT, name=name)
    with standing_in(variants):
        times = [here.with_(alpha=Fraction(a, 20)).get("TPOT") for a in range(20)]
    assert times == sorted(times, reverse=True)
    assert len(set(times)) == len(times)


@pytest.mark.parametrize("name", [LAUNCH, SPARSE])
@pytest.mark.parametrize("sets", [HIT, (*HIT, *CHUNK), (*HIT, *ROOMY)], ids=str)
def test_a_larger_share_found_never_slows_but_by_the_kv_it_reads(
    name: str, sets: tuple[str, ...]
) -> None:
    here, variants = point(*sets, name=name)
    with standing_in(variants):
        at = [here.with_(hit=Fraction(h, 40)) for h in range(41)]
        computed = [p.get("T_new") for p in at]
        times = [p.get("TTFT") for p in at]
        passes = [p.get("N_pass") if "T_chunk" in p.given else Fraction(1) for p in at]
        rate = here.get("g_pre" if "g_pre" in here.given else "g") * here.get("MBU")
        rate *= here.get("B_peak")
        read = [p.get("KV_hit") * n / rate for p, n in zip(at, passes, strict=True)]
    assert all(after < before for before, after in itertools.pairwise(computed))
    steps = zip(times, times[1:], read[1:], strict=False)
    assert all(after <= before + kv for before, after, kv in steps)
    assert min(times) < times[0]
    # on the compute side it only falls; the last of several chunks may be on the other side
    if name == LAUNCH and "T_chunk" not in here.given:
        fast = times.index(min(times))
        assert times[: fast + 1] == sorted(times[: fast + 1], reverse=True)


@pytest.mark.parametrize("name", [LAUNCH, SPARSE])
def test_nothing_found_is_no_prefix_cache(name: str) -> None:
    for of in ("TTFT", "E2E", "cost_token", "share_att_prefill", "I_prefill", "replicas"):
        try:
            assert exact("prefix_cache.hit=0", name=name, of=of) == exact(name=name, of=of)
        except TypeError:  # where the scenario has none, neither has the switch
            assert values(loaded(name, ()), (of,))[of]["exact"] is None


@pytest.mark.parametrize("name", [LAUNCH, SPARSE])
def test_a_chunk_that_holds_the_prompt_is_plain_prefill(name: str) -> None:
    for chunk in ("2048", "1000000"):
        for of in ("TTFT", "t_prefill", "I_prefill"):
            assert exact(f"chunk={chunk}", name=name, of=of) == exact(name=name, of=of)


def test_shorter_chunks_never_hasten_a_prompt_and_never_add_operations_to_a_step() -> None:
    here, variants = point(*CHUNK)
    with standing_in(variants):
        at = [here.with_(T_chunk=Fraction(2**k)) for k in range(4, 13)]
        alone, step = ([p.get(i) for p in at] for i in ("TTFT", "F_mix"))
    assert alone == sorted(alone, reverse=True)
    assert step == sorted(step)


def test_hand_over_is_linear_in_the_prompt_and_in_the_link() -> None:
    here, variants = point(*APART)
    with standing_in(variants):
        once = here.get("t_move")
        assert here.with_(T_in=here.get("T_in") * 3).get("t_move") == 3 * once
        assert here.with_(B_pd=here.get("B_pd") * 7).get("t_move") == once / 7
        endless = here.with_(B_pd=Fraction(10**40))
        assert endless.get("TTFT") - endless.get("t_fill") < Fraction(1, 10**20)


def test_prefill_on_as_many_devices_takes_as_long() -> None:
    assert exact(*APART, of="t_fill") == exact(of="TTFT")


def test_switches_that_are_off_call_for_nothing() -> None:
    for name in (LAUNCH, SPARSE):
        bound = bind(loaded(name, ()))
        assert by_switches(bound.inputs) == ()
        switches = {f.id for f in catalogue().values() if f.switch}
        for one in sorted(switches):
            with pytest.raises((Absent, Undefined)):
                bound.typical.get(one)


def test_variants_of_switches_never_meet() -> None:
    """At most one variant stands in for a formula, whatever is switched on."""
    names = ("alpha", "N_draft", "hit", "T_chunk", "g_pre", "E", "E2")
    for mask in range(2 ** len(names)):
        given = {n for i, n in enumerate(names) if mask >> i & 1}
        if {"T_chunk", "g_pre"} <= given:  # refused
            continue
        stands_for = [VARIANTS[v].instead_of for v in by_switches(given)]
        assert len(stands_for) == len(set(stands_for))


# --- ledgers -------------------------------------------------------------------------------------


LEDGERS = [
    *((LAUNCH, one) for one in SWITCHES),
    *((SPARSE, one) for one in ("speculation", "disaggregation", "all that mix")),
    *(("gemma-2-9b-on-1x-l40s", one) for one in ("draft model", "all that mix", "all that part")),
]


@pytest.mark.parametrize(("name", "switched"), LEDGERS)
def test_a_ledger_with_the_switch_on_holds(name: str, switched: str) -> None:
    sets = SWITCHES[switched]
    asked = [name, *(word for one in sets for word in ("--set", one))]
    ledger = study(loaded(name, sets), load.sources(), asked=asked)
    faults, compared = judged(ledger, spec_roots())
    assert [fault.en for fault in faults] == []
    assert compared


def test_a_ledger_whose_acceptance_was_touched_does_not_hold() -> None:
    ledger = study(loaded(LAUNCH, SPEC), load.sources())
    row = next(r for r in ledger["inputs"] if r["id"] == "alpha")
    row["exact"] = "9/10"
    faults, _ = judged(ledger, spec_roots())
    assert faults


FILE = """\
scenario: switched
model: llama-3-70b
hardware: nvidia-h100-sxm5-80gb
devices: 4
workload: {requests: 8, input: 2048, output: 256}
"""


def of_file(folder: Path, more: str) -> Scenario:
    path = folder / "switched.yaml"
    path.write_text(FILE + more, encoding="utf-8")
    return load.scenario(str(path))


def test_a_file_says_the_same_as_settings(tmp_path: Path) -> None:
    more = (
        "speculation: {draft: 4, acceptance: 0.7, draft_model: llama-3.1-8b}\n"
        "prefix_cache: {hit: 0.5}\nchunk: 512 token\n"
    )
    found = values(of_file(tmp_path, more), ("TPOT", "TTFT", "TPOT_mix"))
    wanted = values(loaded(LAUNCH, (*DRAFT, *HIT, *CHUNK)), ("TPOT", "TTFT", "TPOT_mix"))
    for name, row in wanted.items():
        assert found[name]["peak_exact"] == row["peak_exact"]


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ("speculation: {draft: 4, acceptance: 1}\n", "S305"),
        ("speculation: {draft: 4}\n", "S202"),
        ("speculation: {draft: 4, acceptance: 0.7, draft_model: deepseek-v3}\n", "S410"),
        (
            (
                "speculation: {draft: 4, acceptance: 0.7, draft_model: llama-3.1-8b, "
                "parameters: 1 Gparam}\n"
            ),
            "S503",
        ),
        ("prefix_cache: {hit: 1.5}\n", "S305"),
        ("chunk: 0 token\n", "S304"),
        ("disaggregation: {prefill_devices: 4, link: 50}\n", "S301"),
        ("chunk: 512\ndisaggregation: {prefill_devices: 4, link: 50 GB/s}\n", "S503"),
    ],
)
def test_what_cannot_be_is_refused(tmp_path: Path, more: str, code: str) -> None:
    with pytest.raises(DeriveError) as caught:
        of_file(tmp_path, more)
    assert [p.code for p in caught.value.problems] == [code]
