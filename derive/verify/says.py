"""What each sentence of a ledger states: the quantities, in the order of the English text."""

from __future__ import annotations

Says = tuple[tuple[str, ...], ...]
BELOW, ABOVE = "~I_ridge / I_decode", "~I_decode / I_ridge"
SHARD = "ceil(H_kv / (TP / one_device))"
FAR = "=131,072 request"  # where the search for a batch ends
CRITICAL = tuple(
    (*batch, *memory)
    for batch in (("b_crit_att",), ("b_crit_T",), (FAR,), ())
    for memory in ((), ("b_max",))
)
APART = " in data-parallel attention"  # an item's value with TP = 1 and DP = EP = g
FAR_PROMPT = "=131,072 token"
FAR_DEVICES = "=1,048,576 device"
MARGIN = ("margin_TTFT", "margin_TTFT.low", "margin_TTFT.high")
ALONE = "PP * W_read_dev / (MBU * B_peak) / n at b = 1 request"
OPERATIONS = "F_step / (TP * MFU * P_peak) / n at b = 1 request"
LATENCY = "c_ar * L * 10 µs"
MEAN = " at T = T_mean"
ONE_PROMPT = " and b_pre = one_request"
AT = ("at g = #3", "at g = #4")  # the devices that the sentence names before
INTERLEAVED = "TPOT / (1 - share_prefill)"
TILES = ("fits", "TTFT", "TPOT", "b_max", "fleet", "cost_token")
LEFT_OUT = (
    "share_att_prefill", "share_att", "share_embedding", "share_lookup", "share_comm",
    "share_comm_prefill", "share_att_new", "acceptance", "draft_prefill",
    "share_over_pre", "share_write", "share_act", "share_launch",
    "prefill_devices",
    "format_weights", "format_kv_cache", "format_compute", "format_sparsity", "share_prefill",
    "t_latency", "share_state", "recurrence", "M_other", "state_width", "routing", "queue",
    "kernels",
)  # fmt: skip
# An item is an expression; `~` before it: printed without ≈ though rounded; `=`: this very text;
# `a at b = c`: a there, `#1` being the number at that place of the sentence;
# `a with b = c`: a there over a here; `a in data-parallel attention`: a in that layout;
# `*`: what only the specs know; `usual`: the first size from g_slo on that divides the query heads.
SAYS: dict[str, Says] = {
    "verdict.wall": ((BELOW,), (ABOVE,), ()),
    "verdict.sentence": (
        ("g", BELOW, "TPOT", "TTFT"), ("g", ABOVE, "TPOT", "TTFT"), ("g", "g_fit", BELOW),
        ("g", "g_fit", ABOVE), ("g",), ("g", "g_fit_pre", BELOW),
        ("g", "g_fit_pre", ABOVE),
    ),
    "verdict.lever": (("=1 %", "rate"), ("=1 %", "rate", "=1 %", "next")),
    "tiles.fits": (("g", "g_fit"), ("g",), ("g_pre", "g_fit_pre")),
    "tiles.TTFT": (
        ("~TTFT.low", "~TTFT.high"), ("~TTFT.peak",), ("target_TTFT",), ("b", "~TTFT_burst"), (),
        ("share_comm_prefill",), ("share_att_prefill",), ("share_att_new",), ("~TTFT_mix",),
    ),
    "tiles.TPOT": (
        ("~TPOT.low", "~TPOT.high"), ("~TPOT.peak",), ("target_TPOT",), (), ("~TPOT_tp",),
        ("share_comm",), ("share_att",), ("share_embedding",), (INTERLEAVED,), ("share_state",),
        ("~TPOT_mix",), ("~TPOT_plain",),
        ("t_latency / t_step_eff",), (f"{LATENCY} / t_step_eff", "=10 µs"),
    ),
    "tiles.b_max": ((), ("~b_slo",), ("~b_max_reserved",), ("~b_max_tp",), ("~b_max",)),
    "tiles.cost_token": (
        ("~cost_token.low", "~cost_token.high"), ("~cost_token.peak",), ("~cost_fleet",),
    ),
    "tiles.fleet": (
        ("replicas", "g"), ("replicas.low", "replicas.high"), ("replicas_pre", "g_pre"),
    ),
    "findings.does_not_fit": (("g", "g_fit", "b"),),
    "findings.kv_heads_split": (
        ("H_kv", "TP", SHARD, f"~{SHARD} * (TP / one_device) / H_kv"),
        ("TP", "H_kv", "~TP / one_device / H_kv"),
    ),
    "findings.ttft_burst": (("b", "TTFT_burst", "TTFT", "target_TTFT"),),
    "findings.tpot_target": (
        ("TPOT", "target_TPOT", "b_slo"), ("TPOT", "target_TPOT"), ("TPOT", "target_TPOT", FAR),
    ),
    "findings.ttft_target": (
        ("TTFT", "target_TTFT", *MARGIN, "T_in_slo"), ("TTFT", "target_TTFT", *MARGIN),
        ("TTFT", "target_TTFT", *MARGIN, FAR_PROMPT),
    ),
    "findings.devices_for_targets": tuple(
        ("g_slo", *ttft, "g_tpot", "g_fit", *more, *usual)
        for ttft in (("g_ttft",), ())
        for more in (
            (), ("TPOT_exp at g = #0", f"TTFT_exp at g = #0{ONE_PROMPT}"), ("TPOT_exp at g = #0",),
            ("*", f"TPOT_exp {AT[len(ttft)]}", f"TTFT_exp {AT[len(ttft)]}{ONE_PROMPT}"),
            ("*", f"TPOT_exp {AT[len(ttft)]}"),
            ("=1,024 device",),
        )
        for usual in ((), ("g_slo", "H_q"), ("g_slo", "H_q", "usual"))
    ),
    "findings.query_heads_split": (("TP", "H_q"), ("H_q", "TP")),
    "findings.stages_uneven": (("L", "PP", "ceil(L / PP)", "L / PP"),),
    "findings.weights_read_again": (("Q_laid", "Q_step", "I_decode"),),
    "findings.latent_copied": (("TP", "~TP / one_device"),),
    "findings.tpot_unmet": (
        *(
            ("target_TPOT", *binds, "~TPOT_one / target_TPOT", devices)
            for binds in ((ALONE,), (OPERATIONS,), (ALONE, "TPOT_one"))
            for devices in ("g_tpot", FAR_DEVICES)
        ),
    ),
    "findings.ttft_unmet": (("target_TTFT", "TTFT_one", "~TTFT_one / target_TTFT", "g_ttft"),),
    "findings.ttft_queue": (
        ("t_queue", "TTFT_queue", "=1"), ("t_queue", "TTFT_queue", "=1", "share_pool"),
        ("t_queue", "TTFT_queue", "=1", "share_slots"), (),
    ),  # M/G/1
    "findings.lengths_tail": (("T_tail", "b_max_tail", "T", "b_max"),),
    "findings.ttft_tail": (("T_in_tail", "TTFT_tail", "target_TTFT"),),
    "assumptions.queue": ((), ("t_queue",)),
    "findings.batch_for_fleet": tuple(
        ("b", "*", "replicas at b = #1", "g", "cost_fleet at b = #1", "cost_fleet",
         "share_prefill at b = #1", f"{INTERLEAVED} at b = #1", "target_TPOT", limit)
        for limit in ("min(b_slo, b_max, b_max_reserved)", "min(b_slo, b_max)")
    ),
    "findings.latent_replicated": (
        ("b_max", "TPOT", "g_tp", "b_max_tp", "TPOT_tp", "g_tp", f"b_max{APART}", f"TPOT{APART}"),
        ("b_max", "TPOT", "g_tp", "b_max_tp", "TPOT_tp", "g_tp"),
        ("b_max", "g_tp", "b_max_tp", "g_tp", f"b_max{APART}"),
    ),
    "findings.left_out_share_comm_prefill": (("share_comm_prefill",),),
    "findings.left_out_share_att_prefill": (("share_att_prefill",), ("share_att_new",)),
    "findings.left_out_share_comm": (("share_comm",),),
    "findings.left_out_share_att": (("share_att",),),
    "findings.left_out_share_embedding": (("share_embedding",),),
    "findings.left_out_share_state": (("share_state",),),
    "findings.left_out_share_prefill": (("share_prefill", INTERLEAVED),),
    "findings.left_out_t_latency": (
        ("t_latency", "t_latency / t_step_eff"), ("=10 µs", LATENCY, f"{LATENCY} / t_step_eff"),
    ),
    "findings.memory_binds": (("b_max", "b_slo"),),
    "findings.engine_reserves": (("b_max_reserved", "b_max", "KV_reserved", "KV_request"),),
    "findings.kv_wall": (
        ("T", "I_decode_inf", "I_wall_att", "I_ridge"),
        *(("T", "I_decode_inf", "I_ridge", *batch) for batch in CRITICAL),
        *(("T", "I_decode_inf", "I_ridge", "I_wall_att", *batch) for batch in CRITICAL),
        ("T", "I_wall_mat", "I_ridge", "I_wall_att"),
        ("T", "I_wall_mat", "I_ridge", "I_wall_att", "b_crit_mat"),
        ("T", "I_wall_mat", "I_ridge", "I_wall_att", FAR),
    ),
    "findings.model_files": tuple(("*",) * count for count in range(13)),  # of the model's files
    "assumptions.state_width": tuple(("*",) * count for count in range(1, 6)),
    "findings.floor_streamed": (
        ("TPOT_floor", "W_read", "W_stream", "TPOT_floor at W_read = W_stream"),
    ),
    "findings.moe_weights": (("N_act", "N"), ("N_act", "N - N_side")),
    "findings.kv_over_weights": (("KV_total", "W_read"),),
    "findings.beyond_context": (("T", "T_max"), ("T_tail", "T_max", "T")),
    "findings.prompt_beyond_context": (("T_in_slo", "T_max"),),
    "findings.memory_reading": (("M_dev", "M_dev", "*", "decimal", "binary", "b_max"),),
    "findings.memory_marketed": (("M_dev", "=1 GB", "=10^9 byte", "binary", "decimal"),),
    "findings.speculation": tuple(
        ("k_draft", "alpha", "n_gain", "t_round", *drafts, "TPOT", "TPOT_plain", "~gain_spec",
         *limit)
        for drafts in (("k_draft / one_token * t_draft",), ())
        for limit in (("b_spec",), ())
    ),
    "findings.speculation_experts": (
        ("E_hit at n = one_token", "E", "E_hit", "W_read", "W_read at n = one_token"),
    ),
    "findings.prefix_cache": (("T_hit", "T_in", "T_new", "KV_hit", "TTFT", "TTFT at hit = 0"),),
    "findings.chunked_prefill": tuple(
        ("T_pass", "t_mix", "t_step_eff", "TPOT_mix", "TPOT", "N_pass", "TTFT_mix", "TTFT",
         *busy, *more)
        for busy in ((), ("b_mix", "t_load"))
        for more in ((), ("target_TPOT",), ("target_TPOT", "T_chunk_slo"))
    ),
    "findings.disaggregation": tuple(
        ("g_pre", "t_fill", "KV_move", "t_move", "TTFT", *fleet)
        for fleet in ((), ("replicas_pre", "replicas"))
    ),
    "findings.link_bottleneck": (("t_move", "t_fill", "B_need", "B_pd"),),
    "findings.prefill_does_not_fit": (("g_pre", "g_fit_pre"),),
    "findings.kv_format": tuple(
        ("w_kv", "KV_total", "KV_total at w_kv = 2 byte/element", "=16 bit", *rest)
        for rest in (("TPOT", "TPOT at w_kv = 2 byte/element"), ())
    ),
    "findings.weights_widened": (("w", "P_peak", "b_crit"), ("w", "P_peak")),
    "assumptions.draft_prefill": (("c_op * N_draft / F_tok",),),
    "assumptions.t_latency": (("=10 µs", LATENCY),),
}  # fmt: skip
