"""What each sentence of a ledger states: the quantities, in the order of the English text."""

from __future__ import annotations

Says = tuple[tuple[str, ...], ...]
BELOW, ABOVE = "~I_ridge / I_decode", "~I_decode / I_ridge"
SHARD = "ceil(H_kv / (g / one_device))"
FAR = "=131,072 request"  # where the search for a batch ends
TILES = ("fits", "TTFT", "TPOT", "b_max", "fleet", "cost_token")
LEFT_OUT = (
    "share_att_prefill", "share_att", "share_embedding", "share_lookup", "share_comm",
    "share_comm_prefill",
    "format_weights", "format_kv_cache", "format_compute", "format_sparsity", "share_prefill",
    "t_latency", "M_other", "routing", "queue", "kernels",
)  # fmt: skip
# An item is an expression; `~` before it: printed without ≈ though rounded; `=`: this very text;
# `a at b = c`: a there; `a with b = c`: a there over a here; `*`: what only the specs know.
SAYS: dict[str, Says] = {
    "verdict.wall": ((BELOW,), (ABOVE,), ()),
    "verdict.sentence": (
        ("g", BELOW, "TPOT", "TTFT"), ("g", ABOVE, "TPOT", "TTFT"), ("g", "g_fit", BELOW),
        ("g", "g_fit", ABOVE), ("g",),
    ),
    "verdict.lever": (("=1 %", "rate"), ("=1 %", "rate", "=1 %", "next")),
    "tiles.fits": (("g", "g_fit"), ("g",)),
    "tiles.TTFT": (
        ("~TTFT.low", "~TTFT.high"), ("~TTFT.peak",), ("target_TTFT",), ("b", "~TTFT_burst"), (),
    ),
    "tiles.b_max": ((), ("~b_slo",)),
    "tiles.cost_token": (
        ("~cost_token.low", "~cost_token.high"), ("~cost_token.peak",), ("~cost_fleet",),
    ),
    "tiles.fleet": (("replicas", "g"), ("replicas.low", "replicas.high")),
    "findings.does_not_fit": (("g", "g_fit", "b"),),
    "findings.kv_heads_split": (("H_kv", "g", SHARD, f"~{SHARD} * (g / one_device) / H_kv"),),
    "findings.ttft_burst": (("b", "TTFT_burst", "TTFT", "target_TTFT"),),
    "findings.tpot_target": (
        ("TPOT", "target_TPOT", "b_slo"), ("TPOT", "target_TPOT"), ("TPOT", "target_TPOT", FAR),
    ),
    "findings.batch_for_fleet": ((
        "b", "b_slo", "replicas at b = b_slo", "g", "cost_fleet at b = b_slo", "cost_fleet",
    ),),
    "findings.memory_binds": (("b_max", "b_slo"),),
    "findings.engine_reserves": (("b_max_reserved", "b_max", "KV_reserved", "KV_request"),),
    "findings.kv_wall": (
        ("T", "I_decode_inf", "I_ridge", "b_crit_T"), ("T", "I_decode_inf", "I_ridge", FAR),
        ("T", "I_decode_inf", "I_wall_att", "I_ridge"),
        ("T", "I_decode_inf", "I_ridge", "I_wall_att", "b_crit_att"),
        ("T", "I_decode_inf", "I_ridge", "I_wall_att", FAR),
    ),
    "findings.moe_weights": (("N_act", "N"), ("N_act", "N - N_side")),
    "findings.kv_over_weights": (("KV_total", "W_read"),),
    "findings.beyond_context": (("T", "T_max"),),
    "findings.memory_reading": (("M_dev", "M_dev", "*", "decimal", "binary", "b_max"),),
    "findings.memory_marketed": (("M_dev", "=1 GB", "=10^9 byte", "binary", "decimal"),),
    "assumptions.t_latency": (("=10 µs", "c_ar * L * 10 µs"),),
    "checklist.bytes": (("bytes_per_token", "W_read", "KV_total", "b"),),
    "checklist.side": (("I_ridge", "I_decode", BELOW), ("I_ridge", "I_decode", ABOVE)),
    "checklist.floor": (
        ("TPOT_floor", "=3", "=1.6"), ("TPOT_floor", "=3", "=1.6", "~TPOT / TPOT_floor"),
    ),
    "checklist.kv": (("KV_total / W_read", "T_cross"), ("KV_total / W_read",), ()),
    "checklist.batch": tuple(
        (*limit, *slo, *crit)
        for limit in (("b_max",), ("b_max", "b_max_reserved"))
        for slo in (("b_slo",), ())
        for crit in (("b_crit",), ("b_crit_T",), ("b_crit_att",), (FAR,), ())
    ),
    "checklist.compute": (
        ("TPOT by P_peak", "=1 %", "TTFT by P_peak", "=1 %"),
        ("TPOT by P_peak", "=1 %"),  # the other target was set by hand
        ("TTFT by P_peak", "=1 %"),
        (),
    ),
    "checklist.alert-TTFT": (
        ("target_TTFT", "TTFT.low", "TTFT.high"), ("TTFT.high", "TTFT.low", "TTFT.high"),
    ),
    "checklist.alert-TPOT": (
        ("target_TPOT", "TPOT.low", "TPOT.high"), ("TPOT.high", "TPOT.low", "TPOT.high"),
    ),
    "checklist.double-b": (("~TPOT with b = 2 * b", "~X with b = 2 * b"),),
    "checklist.half-T": (("~TPOT with T = T / 2",),),
    "checklist.int8": (("~TPOT with w = 1 byte/param",), ("=8",)),
}  # fmt: skip
