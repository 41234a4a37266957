"""A step with chunks on stages, groups and copies to the second order: by hand, and everywhere."""

from __future__ import annotations

from fractions import Fraction

import pytest

from derive.derivation.points import Point, Undefined
from derive.formula import called_for, standing_in
from derive.study.bind import bind

from .test_stages_and_groups import LAYOUTS, MODELS, PAIRS, PLACED, STAGES, holds
from .test_switches import CHUNK, DRAFT, HIT, LAUNCH, SPARSE, SPEC, exact, loaded, text

# Llama 3 70B: 80 layers of 64 heads of 128 at a width of 8,192; 128,256 entries of table and head;
# on H100 of 989.5 TFLOP/s and 3.35 TB/s, MFU 0.5 and MBU 0.6, links of 450 GB/s, 5.6 µs a launch
HEAD, NORMS = 128_256 * 8_192, 161 * 8_192
MATRICES = 70_553_706_496 - HEAD - NORMS  # without the table that is looked up
STREAMED, KAPPA = 2 * (70_553_706_496 - HEAD), 327_680
PEAK, RATE = Fraction(989_500 * 10**9, 2), Fraction(3_350 * 10**9 * 6, 10)
LINK, LAUNCHES = Fraction(450 * 10**9), 80 * Fraction(56, 10**7)
PAIR = 4 * 80 * 64 * 128
SQUARE = ("TP=2", "PP=2")


def sent(tokens: int, *, devices: int) -> Fraction:
    """Two ring all-reduces in each of 80 layers over the devices of a stage."""
    return 2 * 80 * 2 * Fraction(devices - 1, devices) * tokens * 8192 * 2 / LINK


def handed(tokens: int) -> Fraction:
    return tokens * 8192 * 2 / LINK


def operations(tokens: int, chunk: int) -> Fraction:
    """Tokens of decode at 2,304, and a part of a prompt of 2,048 whose head is needed once."""
    prompt = 2 * ((MATRICES - HEAD) * 2048 + HEAD) + PAIR * 2048 * 2049 // 2
    return tokens * (2 * MATRICES + PAIR * 2304) + Fraction(prompt * chunk, 2048)


def test_two_stages_of_two_with_chunks_of_512() -> None:
    """Two turns of 4 tokens and 512 of a prompt: 73 ms of operations, 3 ms on the links."""
    sets = (*SQUARE, *CHUNK)
    links = sent(4, devices=2) + handed(4) + sent(512, devices=2) + 2 * handed(512)
    step = operations(4, 512) / (2 * PEAK) + LAUNCHES + links
    assert exact(*sets, of="t_link_chunk") == sent(512, devices=2) + 2 * handed(512)
    assert exact(*sets, of="t_mix_exp") == step
    assert text(*sets, of="TPOT_mix_exp").startswith("≈ 76.31 ms/token")
    assert exact(*sets, of="TTFT_mix_exp") == step * 5 / 2
    assert text(*sets, of="TTFT_mix_exp").startswith("≈ 190.8 ms")


def test_small_chunks_wait_for_bytes() -> None:
    """Chunks of 64: each device reads 2 × 34.75 GB, 4 requests, 31 chunks of 2,048 tokens."""
    sets = (*SQUARE, "chunk=64")
    kept = Fraction(KAPPA, 4)  # half of the layers, half of the heads
    weights = 2 * Fraction(STREAMED, 4)
    decode = 2 * 4 * (2304 + 1) * kept + 4 * 80 * 4 * 8192 * 2
    chunk = 2 * (Fraction(31 * 64, 2) + 64) * kept
    links = sent(4, devices=2) + handed(4) + sent(64, devices=2) + 2 * handed(64)
    assert exact(*sets, of="t_mix_exp") == (weights + decode + chunk) / RATE + LAUNCHES + links


def test_groups_bring_a_chunk_each() -> None:
    """Two groups of two: each is a replica of two devices with half of the requests."""
    groups, one = (*PAIRS, *CHUNK), ("devices=2", "b=4", *CHUNK)
    for name in ("t_mix_exp", "TPOT_mix_exp", "TTFT_mix_exp", "t_link_chunk"):
        assert exact(*groups, of=name) == exact(*one, of=name), name
    step = operations(4, 512) / (2 * PEAK) + LAUNCHES + sent(516, devices=2)
    assert exact(*groups, of="t_mix_exp") == step


def test_four_stages_of_one_send_nothing_but_hidden_states() -> None:
    sets = (*STAGES, *CHUNK)
    assert exact(*sets, of="t_link_chunk") == 4 * handed(512)
    step = operations(2, 512) / PEAK + LAUNCHES + 3 * handed(2) + 4 * handed(512)
    assert exact(*sets, of="t_mix_exp") == step
    assert exact(*sets, of="TTFT_mix_exp") == step * 7 / 4


def test_copies_of_heads_are_read_and_written_by_every_device() -> None:
    """Sixteen devices for eight heads: an eighth of the KV of the prompt on each, not a 16th."""
    sets = ("devices=16", "chunk=64")
    kept = Fraction(KAPPA, 8)
    decode = 8 * (2304 + 1) * kept + 4 * 80 * 8 * 8192 * 2
    read = Fraction(STREAMED, 16) + decode + (Fraction(31 * 64, 2) + 64) * kept
    links = sent(8, devices=16) + sent(64, devices=16)
    assert exact(*sets, of="t_mix_exp") == read / RATE + LAUNCHES + links


def test_drafts_of_the_second_order_come_before_each_pass() -> None:
    sets = (*SQUARE, *CHUNK, *DRAFT)
    drafts = 4 * (exact(*sets, of="t_draft_exp") + exact(*sets, of="t_draft_over"))
    mixed = exact(*sets, of="t_mix_exp")
    assert exact(*sets, of="TPOT_mix_exp") == (mixed + drafts) / Fraction("2.7731")
    assert exact(*sets, of="TTFT_mix_exp") == (mixed + drafts) * 5 / 2
    whole = (*CHUNK, *DRAFT)
    drafts = 4 * (exact(*whole, of="t_draft_exp") + exact(*whole, of="t_draft_over"))
    assert exact(*whole, of="TTFT_mix_exp") == 4 * (exact(*whole, of="t_mix_exp") + drafts)


def test_several_prompts_in_a_pass_are_refused_in_words() -> None:
    bound = bind(loaded(LAUNCH, (*SQUARE, *CHUNK, "b_pre=4")))
    with (
        standing_in(bound.variants),
        pytest.raises(Undefined, match="chunks part one prompt"),
    ):
        bound.typical.get("t_mix_exp")


# --- over layouts and switches

BATCH_AND_CHUNK = ((1, 1), (8, 64), (13, 512), (13, 4096))
WITH = {"": (), "spec": SPEC, "draft": DRAFT, "hit": HIT, "hit and draft": (*HIT, *DRAFT)}


def link(name: str) -> tuple[str, ...]:
    """A link between devices, where the accelerator's own has no figure."""
    return ("B_link=32 GB/s/device",) if "l40s" in name else ()


@pytest.mark.parametrize(("name", "layout"), PLACED, ids=str)
def test_a_mixed_step_takes_no_less_than_its_parts(name: str, layout: tuple[str, ...]) -> None:
    """No less than a step of decode, and the chunks of a prompt no less than they take alone."""
    for sets in WITH.values():
        bound = bind(loaded(name, ("devices=8", *layout, *CHUNK, *sets, *link(name))))
        with standing_in(bound.variants):
            for point in (bound.corners[0], bound.peak):
                for batch, chunk in BATCH_AND_CHUNK:
                    at = point.with_(b=Fraction(batch), T_chunk=Fraction(chunk))
                    assert at.get("TPOT_mix_exp") >= at.get("TPOT_exp"), sets
                    assert at.get("TTFT_mix_exp") >= at.get("TTFT_exp"), sets
                    assert at.get("t_link_chunk") >= 0


@pytest.mark.parametrize(
    "layout", [one for one in LAYOUTS if "EP" not in str(one)] + [("devices=16",)], ids=str
)
@pytest.mark.parametrize("more", [(), HIT, SPEC], ids=str)
def test_the_second_order_is_above_the_first_over_the_same_bytes(
    layout: tuple[str, ...], more: tuple[str, ...]
) -> None:
    """The first order over the weights that are streamed and the products of the second."""
    devices = () if "devices=16" in layout else ("devices=8",)
    for chunk in (64, 512):
        bound = bind(loaded(LAUNCH, (*devices, *layout, f"chunk={chunk}", *more)))
        with standing_in(bound.variants):
            here = bound.typical
            products = 2 * (here.get("N_mat") - here.get("N_head"))
            for batch in (1, 13, 400):
                at = here.with_(b=Fraction(batch))
                light = at.with_(F_tok=products, W_read=here.get("W_stream"))
                assert at.get("t_mix_exp") >= light.get("t_mix") > 0


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("more", [(), HIT, SPEC, DRAFT], ids=str)
def test_one_stage_and_one_group_are_no_layout(name: str, more: tuple[str, ...]) -> None:
    """The formulas of a layout, where it is none, give what the plain ones give."""
    sets = ("devices=4", *(("TP=4",) if name != SPARSE else ()), *CHUNK, *more, *link(name))
    bound = bind(loaded(name, sets))
    given = {n: i.quantity.base for n, i in bound.inputs.items()}
    if name == SPARSE:  # a latent is spread as if it had as many heads as devices
        given |= {"H_kv": Fraction(4)}
        given.pop("g_tp", None)
    plain = called_for(given)
    experts = "_experts" if name == SPARSE else ""
    laid = (*plain, f"t_mix_exp_layout{experts}")
    assert f"t_mix_exp_layout{experts}" not in plain
    found = []
    for variants in (plain, laid):
        at = Point({**bound.typical.given, **given})
        with standing_in(variants):
            found.append([at.get(n) for n in ("t_mix_exp", "TPOT_mix_exp", "TTFT_mix_exp")])
    assert found[0] == found[1]


@pytest.mark.parametrize("more", [(), SPEC, DRAFT, HIT], ids=str)
def test_a_ledger_of_mixed_steps_in_a_layout_holds(more: tuple[str, ...]) -> None:
    ledger = holds(LAUNCH, (*SQUARE, *CHUNK, *more))
    for name in ("t_mix_exp", "TPOT_mix_exp", "TTFT_mix_exp"):
        assert ledger["results"][name]["exact"] is not None


def test_a_ledger_of_mixed_steps_with_spread_experts_holds() -> None:
    for sets in (("TP=1", "DP=8", "EP=8"), ("TP=2", "PP=2", "DP=2", "EP=4"), ("EP=8",)):
        ledger = holds(SPARSE, (*sets, "chunk=64"))
        assert ledger["results"]["t_mix_exp"]["exact"] is not None
