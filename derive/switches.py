"""Switches of a scenario: which formulas stand in where one is on.

Speculation is told by its acceptance `alpha`, a prefix cache by its share `hit`, chunked prefill by
`T_chunk`, and prefill on devices of its own by `g_pre`.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from fractions import Fraction

SPECULATION = (
    "TPOT_spec", "X_spec", "TPOT_floor_spec", "bytes_per_token_spec", "I_decode_spec",
    "MBU_meas_spec", "TPOT_tp_spec", "TPOT_ideal_spec", "TPOT_second_spec", "TPOT_exp_spec",
    "share_launch_spec",
)  # fmt: skip
DRAFT = (
    "t_round_draft", "TPOT_floor_draft", "bytes_per_token_draft", "TPOT_ideal_draft",
    "TPOT_second_draft", "TPOT_exp_draft", "g_tpot_draft", "b_max_dev_draft",
)  # fmt: skip
DRAFT_MEMORY = (
    "M_free_draft", "g_min_draft", "g_fit_draft", "tokens_max_draft", "b_max_draft",
    "b_max_reserved_draft",
)  # fmt: skip
# the same where devices share unevenly; and the time of drafts where each group has its own
DRAFT_MEMORY_LAYOUT = tuple(v.replace("_draft", "_layout_draft") for v in DRAFT_MEMORY)
DRAFT_GROUPS = ("t_draft_layout", "t_draft_peak_layout", "t_draft_exp_layout")
DRAFT_COPIES = (*DRAFT_MEMORY_LAYOUT, *DRAFT_GROUPS)  # in one group, its KV heads copied
MIXED = (
    "replicas_mixed", "cost_token_mixed", "energy_token_mixed", "share_prefill_mixed",
    "cost_in_mixed", "t_queue_chunk", "TTFT_queue_chunk",
)  # fmt: skip
APART = (
    "TTFT_apart", "TTFT_burst_apart", "replicas_apart", "cost_token_apart", "energy_token_apart",
    "cost_fleet_apart", "share_prefill_apart", "cost_in_apart", "b_load_apart", "g_fleet_apart",
    "g_ttft_apart", "g_slo_apart", "t_queue_apart",
)  # fmt: skip
# the second order of prefill
FOUND_SECOND = (
    "F_matmul_pre_found", "F_att_pre_found", "KV_fill_found", "t_a2a_pre_found",
    "share_over_pre_found",
)  # fmt: skip
CHUNK_SECOND = (
    "tokens_pre_chunk", "Q_pre_chunk", "t_launch_pre_chunk", "t_bubble_chunk", "TTFT_ideal_chunk",
    "TTFT_second_chunk", "TTFT_exp_chunk",
)  # fmt: skip
APART_SECOND = (
    "t_ops_pre_apart", "t_bubble_apart", "t_a2a_pre_apart", "TTFT_ideal_apart",
    "TTFT_second_apart", "TTFT_exp_apart",
)  # fmt: skip


# where prompts are prefilled side by side, what one takes of the replica is not its TTFT
SHARED = (
    "replicas_layout", "cost_token_layout", "energy_token_layout", "share_prefill_layout",
    "cost_in_layout",
)  # fmt: skip


def by_layout(given: Mapping[str, Fraction], *, uneven: bool) -> tuple[str, ...]:
    """The variants that the layout of a replica calls for, by what is switched on."""
    if not uneven:
        return DRAFT_COPIES if outnumbered(given) else ()
    several = given["PP"] * given["DP"] > 1
    slo = f"g_slo_layout{'_apart' * ('g_pre' in given)}"
    shared = (*mixed_unevenly(given), *drafts_unevenly(given, several=several), slo)
    if not several:
        return (*shared, *copied(given))
    floor = f"TPOT_floor_layout{drafting(given)}"
    if "g_pre" in given:  # prefill is another pool's
        return (*shared, floor)
    return (*shared, floor, *side_by_side(given))


def drafting(given: Container[str]) -> str:
    """How the variants end that speculation calls for: with a draft model, or without one."""
    return ("_draft" if "N_draft" in given else "_spec") if "alpha" in given else ""


def by_switches(given: Container[str]) -> tuple[str, ...]:
    """The variants that the switches of a scenario call for."""
    return (*speculation(given), *prefill(given), *context(given), *second_prefill(given))


def speculation(given: Container[str]) -> tuple[str, ...]:
    """Those of speculative decoding, with a draft model or without one."""
    if "alpha" not in given:
        return ()
    if "N_draft" not in given:
        return SPECULATION
    # with a draft model its bytes count too
    plain = (v for v in SPECULATION if f"{v.removesuffix('_spec')}_draft" not in DRAFT)
    heads = ("kappa_draft_dev_heads",) if "H_draft" in given else ()
    return (*plain, *DRAFT, *DRAFT_MEMORY, *heads)


def prefill(given: Container[str]) -> tuple[str, ...]:
    """Those of a prefix cache, of chunks and of prefill on devices of its own."""
    experts = "_experts" if "E" in given else ""
    several = "_two" if "E2" in given else ""
    found, apart = "hit" in given, "g_pre" in given
    if "T_chunk" in given:
        made = [f"TTFT_chunk{experts}", f"t_prefill_chunk{experts}", "TTFT_burst_turns", *MIXED]
        made += ["I_prefill_chunk"]
        made += [] if found else ["T_new_whole"]
        made += [f"Q_mix{experts}"] if experts else []
        made += [f"W_mix{several}", f"W_last{several}"] if several else []
        made += [f"W_prefill_chunk{several}"] if experts else []
        made += ["share_comm_prefill_found"] if found else []
        if "alpha" in given:
            spec = drafting(given)
            made += [f"b_mix_spec{experts}", "t_load_spec", "TPOT_mix_spec", "TTFT_mix_spec"]
            made += [f"TPOT_mix_exp{spec}", f"TTFT_mix_exp{spec}"]
        return tuple(made)
    made = [f"W_prefill_found{several}"] if experts and found else []
    made += ["I_prefill_found", f"share_comm_prefill_found{'_apart' * apart}"] if found else []
    if apart:
        which = f"{'_found' * found}_apart{experts}"
        made += [*APART, f"t_prefill{which}"]
        made += [f"t_fill{which}"] if which != "_apart" else []
        made += [] if found else ["share_comm_prefill_apart"]
    elif found:
        made += [f"TTFT_found{experts}", f"t_prefill_found{experts}", "TTFT_burst_turns"]
    return tuple(made)


def context(given: Container[str]) -> tuple[str, ...]:
    """Those of what chunks and a prefix find of a prompt; layers with a window see its end."""
    found, chunks = "hit" in given, "T_chunk" in given
    otherwise = any(kept in given for kept in ("e_again", "e_pick", "e_cmp"))
    windows = "" if otherwise or "e_win" not in given else "_window"
    windows += "s" if windows and "e_win2" in given else ""
    made = [f"KV_hit{windows}"] if found and windows else []
    if chunks:
        seen = f"KV_seen{'_found' * found}{windows}"
        made += [seen] if seen != "KV_seen" else []
        nothing = isinstance(given, Mapping) and not given.get("hit")  # then the exact mean holds
        made += ["T_near_found", "T_near2_found"] if found and not nothing else []
    return tuple(made)


def second_prefill(given: Container[str]) -> tuple[str, ...]:
    """Those of prefill to the second order; a chunk has its own passes, other devices their own."""
    found, chunks, apart = ("hit" in given, "T_chunk" in given, "g_pre" in given)
    made = [*FOUND_SECOND] if found else []
    if chunks:
        made += CHUNK_SECOND
    elif found:
        made += ["tokens_pre_found", "Q_pre_found"]
    if apart and not chunks:
        made = [v for v in made if v != "t_a2a_pre_found"]
        alone = isinstance(given, Mapping) and given["g_pre"] == 1  # it sends nothing
        made += [*APART_SECOND, "t_over_pre_alone" if alone else "t_over_pre_apart"]
    if found or (apart and not chunks):
        where = "_apart" if apart and not chunks else ""
        made.append(f"t_comm_pre{'_found' * found}{where}")
    return tuple(made)


def side_by_side(given: Container[str]) -> tuple[str, ...]:
    """Those of a replica of several stages or groups that prefills itself."""
    experts = "_experts" if "E" in given else ""
    found, chunks = "hit" in given, "T_chunk" in given
    which = "_chunk" if chunks else "_found" if found else ""
    spec = drafting(given)
    made = [f"TTFT{which}_layout", f"t_prefill{which}_layout"]
    made += [f"I_prefill{which}_layout"] if experts or which else []
    made += [f"t_busy{which}{experts}"] if experts or chunks else []
    passes = "_chunk" * chunks
    made += ["F_one_experts", "W_one_experts", f"W_pre_dev{passes}_experts"] if experts else []
    made += ["W_one_last_experts"] if experts and chunks else []
    made += ["N_end_pre_chunk"] if chunks else []
    made += ["F_routed_two", "W_turn_two", "W_end_two", "W_end_pre_two"] if "E2" in given else []
    made += [f"t_end{which}"] if which and experts else []
    # the second order
    made += ["t_launch_pre_layout", f"t_over_pre_layout{experts}"]
    made += [f"TTFT_{kind}{passes}_layout" for kind in ("ideal", "second", "exp")]
    made += [f"Q_pre_dev{which}"] if which else []
    if chunks:
        made += ["N_turn_chunk", "KV_fill_dev_chunk", "t_send_pre_chunk"]
        made += ["share_comm_prefill_chunk_layout", "F_mix_layout", "t_add_layout"]
        made += [f"{name}_layout{'_spec' if spec else ''}" for name in ("TTFT_mix", "t_slots")]
        made += [f"t_link_token_layout{experts}"]
        made += [f"TTFT_mix_exp_layout{'_draft' if spec == '_draft' else ''}"]
        made += ["t_comm_pre_chunk_layout", "t_a2a_pre_chunk_layout"]
        made += ["T_new_whole"] if not found else []
    else:
        made += [*SHARED, "t_queue_layout", f"tokens_pre{which}_layout", f"Q_pre{which}_layout"]
        made += ["t_comm_pre_layout", "t_a2a_pre_layout"]
    made += [f"TTFT_burst{passes}_layout_experts" if experts else "TTFT_burst_layout"]
    made += [f"t_bubble{passes}_layout_experts"] if experts else []
    return tuple(made)


def drafts_unevenly(given: Mapping[str, Fraction], *, several: bool) -> tuple[str, ...]:
    """Those of a draft model: a copy in each group takes memory there and drafts for it alone."""
    if drafting(given) != "_draft":
        return ()
    moved = ("bytes_per_token_laid_draft",) if "N_mb" in given else ()
    apart = several or outnumbered(given)
    return (*DRAFT_MEMORY_LAYOUT, *(DRAFT_GROUPS if apart else ()), *moved)


def outnumbered(given: Mapping[str, Fraction]) -> bool:
    """Whether the devices that share a draft model are more than its KV heads: these are copied."""
    if "H_draft" not in given or not {"g", "PP", "DP"} <= given.keys():
        return False
    return drafting(given) == "_draft" and given["g"] > given["H_draft"] * given["DP"]


def copied(given: Mapping[str, Fraction]) -> tuple[str, ...]:
    """Those of one stage of one group with more devices than KV heads, that prefills itself."""
    heads = given.get("H_kv")
    if heads is None or given["g"] <= heads or "g_pre" in given or "T_chunk" in given:
        return ()
    if "hit" not in given:
        return ("TTFT_second_copies", "TTFT_exp_copies")
    experts = "_experts" if "E" in given else ""
    made = (f"{name}_found_copies{experts}" for name in ("TTFT", "t_prefill"))
    second = (f"TTFT_{name}_found_copies" for name in ("ideal", "second", "exp"))
    return (*made, *second)


def mixed_unevenly(given: Container[str]) -> tuple[str, ...]:
    """The mixed step where devices read copies: in step with the decode step that it lengthens."""
    if "T_chunk" not in given:
        return ()
    experts = "_two" if "E2" in given else "_experts" if "E" in given else ""
    return (f"t_mix_layout{experts}", f"t_mix_exp_layout{experts}")


__all__ = ["by_layout", "by_switches"]
